import Foundation
import TestSupport
import Testing

@testable import MovtoolCommands

struct MetadataCommandTests {
  private let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

  /// A movie with a title in two languages, a location, a cover and an unknown item.
  private func shop() throws -> Workshop {
    var movie = TestMovie.simple
    movie.userData = TestSupport.movie {
      atom("©nam") { u16(5, 0x15C7) + text("Title") + u16(5, 0x10B5) + text("Titel") }
      atom("©xyz") { u16(18, 0x15C7) + text("+51.5333-000.1261/") }
      atom("FIRM") { [1, 2, 3] }
      fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
        atom("ilst") { atom("covr") { atom("data") { u32(13, 0) + picture } } }
      }
    }
    movie.tracks[1].userData = atom("©nam") { u16(5, 0x15C7) + text("Sound") }
    return try Workshop(movie)
  }

  @Test func reportsTheRemovalOfMissingItems() throws {
    let shop = try Workshop(.simple)
    let outcome = shop.run("metadata @in.mov --remove mdta/com.aple.* --set title=T")
    #expect(outcome.exitCode == .done)
    let lines = outcome.output + outcome.errors
    #expect(lines.contains { $0.contains("--remove mdta/com.aple.* has no effect") }, "\(outcome)")
    let removal = shop.run("metadata @in.mov --remove title")
    #expect(!(removal.output + removal.errors).contains { $0.contains("has no effect") }, "\(removal)")
  }

  @Test func printsMetadataAsATable() throws {
    let output = try shop().run("metadata @in.mov").output
    #expect(
      output.count == 8 && output[1].hasPrefix("title") && output[1].contains("Title")
        && output[1].hasSuffix("udta/%A9nam"))
    #expect(output[4].contains("3 bytes: 01 02 03") && output[5].contains("JPEG picture, 7 bytes"))
  }

  @Test(arguments: [
    ("--common", ["Title", "Titel", "+51.5333-000.1261/", "JPEG", "Sound"]), ("--space itsk", ["JPEG"]),
    ("--track audio", ["Sound"]), ("--identifier common/title --language de,en", ["Titel", "Title", "Sound"]),
    ("--language fr", ["3 bytes", "JPEG"]), ("--identifier udta/F*", ["3 bytes"]),
  ])
  func filtersItems(_ options: String, _ values: [String]) throws {
    let lines = try shop().run("metadata @in.mov \(options)").output.dropFirst()
    #expect(lines.count == values.count && zip(lines, values).allSatisfy { $0.contains($1) })
  }

  @Test func printsLosslessJSON() throws {
    let shop = try shop()
    let items = try #require(shop.run("metadata @in.mov --json").json["items"] as? [[String: Any]])
    #expect(items.map { $0["string"] as? String } == ["Title", "Titel", "+51.5333-000.1261/", nil, nil, "Sound"])
    #expect(items[4]["hex"] as? String == "ffd8ffe0010203" && items[4]["typeCode"] as? Int == 13)
    #expect(items[5]["track"] as? Int == 2 && items[0]["common"] as? String == "common/title")
  }

  @Test func pictureIsWritten() throws {
    let shop = try shop()
    #expect(shop.run("metadata @in.mov --artwork -o @cover.jpg").output == ["wrote cover.jpg: JPEG picture, 7 bytes"])
    #expect(try shop.folder.read("cover.jpg") == picture)
    #expect(shop.run("metadata @in.mov --artwork -o @cover.jpg").exitCode == .cannotCreate)
    #expect(shop.run("metadata @in.mov --artwork -o @cover.jpg --force").exitCode == .done)
    #expect(shop.run("metadata @in.mov --artwork -o @in.mov --force").exitCode == .usage)
    #expect(shop.run("metadata @in.mov --artwork --space udta -o @none.jpg").exitCode == .no)
  }

  @Test(arguments: [
    "--artwork", "-o x", "--space nowhere", "--identifier nothing", "--language '??'", "--artwork -o x --json",
    "--set nothing=x", "--set title", "--set title=", "--set xmp/packet=x", "--type 1", "--only-space", "--dry-run",
    "--set title=x --language de,en", "--set title=x --common", "--location here", "--location 91,0", "--location 1",
    "--creation-date soon", "--creation-date 2026-13-01", "--creation-date 2026-01-01T25:00", "--remove nothing",
    "--for-sharing", "--keep title", "--keep-dates -o x", "--for-sharing -o x --drop nothing",
    "--for-sharing -o @in.mov",
    "--set artwork=x.jpg", "--remove nothing/*", "--set title=x --artwork -o y", "--remove title --only-space",
    "--remove title --type 1", "--copy-from x --language de", "--for-sharing -o x --language de",
    "--creation-date 2026-02-30",
    "--set title=x --language zz", "--set itsk/trkn=x", "--set mdta/com.example.id=x --type 65",
    "--set title=x --track audio", "--set title=x --set title=y", "--set id3/TXXX=x", "--set xtra/WM/A=x --type 19",
  ])
  func refusesInvalidOptions(_ options: String) throws {
    #expect(try shop().run("metadata @in.mov \(options)").exitCode == .usage)
  }

  // MARK: - Changing

  @Test func setsAndReportsFacts() throws {
    let shop = try shop()
    let line = "metadata @in.mov --set title=Neu --language de --set comment=fine --remove udta/FIRM"
    #expect(
      shop.run(line + " --dry-run").output.first
        == "would set title in German to \"Neu\": udta/%A9nam, mdta/com.apple.quicktime.title")
    let output = shop.run(line).output
    #expect(output.last?.hasPrefix("in.mov still contains the removed items as unused bytes") == true)
    #expect(
      output.prefix(3) == [
        "set title in German to \"Neu\": udta/%A9nam, mdta/com.apple.quicktime.title",
        "set comment to \"fine\": mdta/com.apple.quicktime.comment", "removed 1 item: udta/FIRM",
      ])
    #expect(shop.run("metadata @in.mov --identifier title --language de").output[1].contains("Neu"))
    #expect(shop.run(line).output.last == "nothing to change: in.mov is unchanged")
  }

  @Test func appliesOptionsToTheFactBeforeThem() throws {
    let shop = try shop()
    let line =
      "metadata @in.mov -o @out.mov --only-space --set udta/©nam=A --language fr --set mdta/com.example.n=7 --type 67"
    #expect(shop.run(line + " --add udta/©inf=about --track audio").exitCode == .done)
    let items = try #require(shop.run("metadata @out.mov --json").json["items"] as? [[String: Any]])
    func item(_ identifier: String, _ language: String?) -> [String: Any]? {
      items.first { $0["identifier"] as? String == identifier && $0["language"] as? String == language }
    }
    #expect(item("udta/%A9nam", "fr")?["string"] as? String == "A" && item("udta/%A9nam", "en") != nil)
    #expect(item("mdta/com.example.n", nil)?["typeCode"] as? Int == 67)
    #expect(item("udta/%A9inf", nil)?["track"] as? Int == 2)
    #expect(items.count == 9)
  }

  @Test func explainsRemovalsForSharing() throws {
    let shop = try shop()
    let line = "metadata @in.mov --for-sharing --keep location --drop artwork --set comment=hello -o @out.mov"
    let output = shop.run(line).output
    #expect(output.contains { $0.hasPrefix("left out") && $0.contains("udta/FIRM") && $0.hasSuffix("unknown") })
    #expect(output.contains { $0.hasPrefix("left out") && $0.contains("itsk/covr") && $0.hasSuffix("requested") })
    #expect(output.contains { $0.hasPrefix("kept") && $0.contains("udta/%A9xyz") && $0.hasSuffix("requested") })
    #expect(shop.run("metadata @out.mov --space mdta").output.count == 2)
    #expect(try shop.folder.read("in.mov") == self.shop().folder.read("in.mov"))
  }

  @Test func coverIsSet() throws {
    let shop = try shop()
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 9]
    try shop.folder.write(png, as: "new.png")
    #expect(
      shop.run("metadata @in.mov @new.png --artwork").output.first
        == "set artwork to new.png, a PNG picture of 9 bytes: itsk/covr, mdta/com.apple.quicktime.artwork")
    #expect(shop.run("metadata @in.mov --artwork -o @found.png").exitCode == .done)
    #expect(try shop.folder.read("found.png") == png)
    #expect(shop.run("metadata @in.mov @in.mov --artwork").exitCode == .badData)
    #expect(shop.run("metadata @in.mov @none.png --artwork").exitCode == .noInput)
  }

  @Test func factsAreCopiedIntoTheVocabulariesOfTheType() throws {
    let shop = try Workshop(
      TestMovie.simple.with {
        $0.movieAtoms = mdtaMetadata([
          ("com.apple.quicktime.title", "Home"), ("com.apple.quicktime.creationdate", "2026-01-09T18:32:07Z"),
          ("com.apple.quicktime.software", "26.1"), ("com.example.id", "7"),
        ])
      })
    try shop.folder.write(
      TestMovie.simple.with {
        ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"])
        $0.userData =
          atom("©nam") { u16(3, 0x15C7) + text("Old") } + atom("titl") { u32(0) + u16(0x10B5) + text("Alt") + [0] }
      }, as: "old.mp4")
    let outcome = shop.run("metadata @old.mp4 --copy-from @in.mov -o @new.mp4")
    #expect(outcome.exitCode == .done && outcome.output.first?.hasPrefix("set 9 items as in in.mov: ") == true)
    let items = try #require(shop.run("metadata @new.mp4 --json").json["items"] as? [[String: Any]])
    let facts = Set(items.map { "\($0["identifier"] ?? "")=\($0["string"] ?? "")" })
    #expect(
      facts == [
        "mdta/com.apple.quicktime.title=Home", "udta/%A9nam=Home", "uiso/titl=Alt", "uiso/titl=Home",
        "itsk/%A9nam=Home",
        "mdta/com.apple.quicktime.creationdate=2026-01-09T18:32:07Z", "uiso/date=2026-01-09T18:32:07Z",
        "itsk/%A9day=2026-01-09T18:32:07Z", "mdta/com.apple.quicktime.software=26.1", "mdta/com.example.id=7",
      ], "\(facts)")
    #expect(shop.run("metadata @new.mp4").output.allSatisfy { !$0.contains("contradicts another item") })
  }

  /// Of a phone's tracks, only those that may contain a location are named.
  @Test func warnsOnlyOfTracksWithLocations() throws {
    for (key, isNamed) in [
      ("com.apple.quicktime.location.ISO6709", true), ("com.apple.quicktime.detected-face", false),
    ] {
      let shop = try Workshop(
        TestMovie.simple.with { $0.tracks.append(.route(id: 3, ["+48.1370+011.5750+520.000/"], key: key)) })
      let outcome = shop.run("metadata @in.mov --remove location")
      #expect(outcome.errors.contains { $0.contains("track 3 may contain the location too") } == isNamed, "\(outcome)")
    }
  }

  @Test func warnsOfPatternsWithoutMatches() throws {
    let type: [UInt8] = [
      0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
    ]
    let shop = try Workshop(
      TestMovie.simple.with {
        $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.title", "Home")])
        $0.layout += [.bytes(atom("uuid") { type + text("<x>packet</x>") })]
      })
    let outcome = shop.run(
      "metadata @in.mov --for-sharing --keep title --keep xmp/* --keep make --drop itsk/trkn -o @out.mov")
    #expect(
      outcome.errors == [
        "warning: in.mov: --keep xmp/*: xmp/packet is outside the movie atom (uuid) and is removed",
        "warning: in.mov: --keep make matches no item", "warning: in.mov: --drop itsk/trkn matches no item",
      ], "\(outcome)")
  }

  /// Values removed by an edit in place do not reach a new file. Free space left by other programs is copied.
  @Test func dropsRemovedValuesFromANewFile() throws {
    let secret = text("ACME Phones")
    let phone = TestMovie.simple.with { $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.make", "ACME Phones")]) }
    let shop = try Workshop(phone)
    shop.run("metadata @in.mov --set title=Home")
    let outcome = shop.run("metadata @in.mov --remove make -o @out.mov")
    #expect(try outcome.errors.isEmpty && shop.folder.read("out.mov").firstRange(of: secret) == nil, "\(outcome)")
    shop.run("metadata @in.mov --remove make")
    #expect(try shop.folder.read("in.mov").firstRange(of: secret) != nil)
    for line in ["metadata @in.mov --set title=New", "remux @in.mov", "remux @in.mov --compact"] {
      #expect(shop.run(line + " -o @out.mov --force").exitCode == .done)
      #expect(try shop.folder.read("out.mov").firstRange(of: secret) == nil, "\(line)")
    }
    let others = try Workshop(phone.with { $0.layout += [.bytes(atom("free") { text("by ") + secret })] })
    let errors = others.run("metadata @in.mov --remove make -o @out.mov").errors
    #expect(errors.count == 1 && errors[0].contains("still contains removed items"), "\(errors)")
    #expect(try others.folder.read("out.mov").firstRange(of: secret) != nil)
  }

  /// The software of a phone applies to that phone's movie only.
  @Test func warnsOfDifferingSoftware() throws {
    let shop = try Workshop(
      TestMovie.simple.with { $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.software", "26.1")]) })
    try shop.folder.write(
      TestMovie.simple.with {
        ($0.dialect, $0.brands) = (.iso, ["M4A ", "M4A ", "isom"])
        $0.userData = iTunesList { atom("©too") { atom("data") { u32(1, 0) + text("Encoder") } } }
      }, as: "old.m4a")
    let outcome = shop.run("metadata @old.m4a --copy-from @in.mov")
    #expect(outcome.output.first == "set 1 item as in in.mov: mdta/com.apple.quicktime.software", "\(outcome)")
    #expect(
      outcome.errors == [
        "warning: old.m4a: itsk/%A9too may differ from the items of in.mov, and is kept: it names the encoder of "
          + "old.m4a"
      ], "\(outcome)")
  }

  @Test func reportsRemovedDetailsOfALocation() throws {
    let shop = try Workshop(
      TestMovie.simple.with {
        $0.movieAtoms = mdtaMetadata([
          ("com.apple.quicktime.location.ISO6709", "+48.1370+011.5750/"),
          ("com.apple.quicktime.location.accuracy.horizontal", "18.17"),
          ("com.apple.quicktime.direction.facing", "90.0"),
        ])
      })
    let outcome = shop.run("metadata @in.mov --location 1,2")
    #expect(
      outcome.output[1].hasPrefix("removed 2 items about the old location: ")
        && ["location.accuracy.horizontal", "direction.facing"].allSatisfy { outcome.output[1].contains($0) },
      "\(outcome)")
  }

  @Test func warnsOfImportedFactsThatContradictOthers() throws {
    let shop = try Workshop(
      TestMovie.simple.with { $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.title", "Home")]) })
    let answer =
      "{\"items\": [{\"identifier\": \"udta/©nam\", \"string\": \"New\"}, {\"identifier\": \"udta/©cmt\", \"string\": "
      + "\"x\"}]}"
    try shop.folder.write(Array(answer.utf8), as: "a.json")
    let outcome = shop.run("metadata @in.mov --import @a.json")
    #expect(
      outcome.errors.contains { $0.contains("mdta/com.apple.quicktime.title may differ from") },
      "\(outcome)")
    try shop.folder.write(
      Array(shop.run("metadata @in.mov --json").output.joined(separator: "\n").utf8), as: "b.json")
    #expect(shop.run("metadata @in.mov --import @b.json --dry-run").errors.isEmpty)
  }

  @Test func warnsOfDroppedCountries() throws {
    let shop = try Workshop(TestMovie.simple.with { ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"]) })
    let outcome = shop.run("metadata @in.mov --set title=x --language de-AT")
    #expect(
      outcome.errors == [
        "warning: in.mov: de-AT is written as de: uiso/titl cannot store a country, and stores one text per language"
      ], "\(outcome)")
    #expect(try Workshop(.simple).run("metadata @in.mov --set title=x --language de-AT").errors.isEmpty)
  }

  @Test(arguments: [("es-419", "es"), ("zh-Hant-TW", "zh-TW"), ("ca-ES-valencia", "ca-ES")])
  func warnsOfDroppedLanguageSubtags(_ tag: String, _ written: String) throws {
    let shop = try Workshop(.simple)
    let outcome = shop.run("metadata @in.mov --set title=x --language \(tag)")
    #expect(
      outcome.errors == [
        "warning: in.mov: \(tag) is written as \(written): items can store only a language of ISO 639-2 and a country "
          + "of "
          + "two letters"
      ], "\(outcome)")
    let items = try #require(shop.run("metadata @in.mov --json").json["items"] as? [[String: Any]])
    #expect(items.map { $0["language"] as? String } == [written])
  }

  @Test func shortensLongValues() throws {
    let shop = try Workshop(
      TestMovie.simple.with {
        $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.title", String(repeating: "\u{1}", count: 200))])
      })
    #expect(shop.run("metadata @in.mov").output.allSatisfy { $0.count < 140 })
  }

  /// A conversion does not mirror items that the sharing policy removes.
  @Test(arguments: ["mp4", "m4v", "3gp", "mov"]) func mirrorsNoRemovedItems(_ suffix: String) throws {
    let facts: [(key: String, text: String)] = [
      ("title", "A work"), ("location.ISO6709", "+48.1370+011.5750/"), ("creationdate", "2026-01-09T18:32:07+0900"),
      ("software", "26.1"), ("description", "typed"), ("keywords", "secret"),
    ]
    let shop = try Workshop(
      TestMovie.simple.with { $0.movieAtoms = mdtaMetadata(facts.map { ("com.apple.quicktime." + $0.key, $0.text) }) })
    func stated(_ options: String) throws -> Set<String> {
      #expect(shop.run("metadata @in.mov \(options) -o @out.\(suffix) --force").exitCode == .done)
      let items = try #require(shop.run("metadata @out.\(suffix) --json").json["items"] as? [[String: Any]])
      return Set(items.compactMap { $0["common"] as? String })
    }
    #expect(try stated("--for-sharing") == ["common/title"])
    #expect(try stated("--for-sharing --drop title").isEmpty)
    #expect(try stated("--for-sharing --drop title --keep location") == ["common/location"])
    let rest = try stated("--remove mdta/com.apple.quicktime.location.ISO6709 --remove mdta/*.title")
    #expect(!rest.isEmpty && rest.isDisjoint(with: ["common/location", "common/title"]))
    let notes = shop.run("metadata @in.mov --for-sharing --drop title -o @out.\(suffix) --force").errors
    #expect(!notes.contains { $0.contains("in the words of") }, "\(notes)")
  }

  private func iTunesList(@MovieBuilder _ items: () -> [UInt8]) -> [UInt8] {
    fullAtom("meta") {
      fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
      atom("ilst") { items() }
    }
  }

  /// Notes are removed from a new cover, whichever option sets it.
  @Test func removesNotesFromANewCoverForSharing() throws {
    let secret = text("48.137 N, Ann's phone")
    let shop = try Workshop(TestMovie.simple.with { ($0.dialect, $0.brands) = (.iso, ["M4A ", "M4A ", "isom"]) })
    try shop.folder.write(jpegPhoto(saying: secret), as: "photo.jpg")
    #expect(shop.run("metadata @in.mov @photo.jpg --artwork -o @old.m4a").exitCode == .done)
    try shop.folder.write(Array(shop.run("metadata @old.m4a --json").output.joined(separator: "\n").utf8), as: "a.json")
    for options in ["@photo.jpg --artwork", "--copy-from @old.m4a", "--import @a.json"] {
      let outcome = shop.run("metadata @in.mov \(options) --for-sharing -o @out.m4a --force")
      #expect(outcome.output.count { $0.hasPrefix("left out") && $0.contains("embedded metadata of the picture") } == 1)
      #expect(shop.run("metadata @out.m4a --artwork -o @cover.jpg --force").exitCode == .done)
      #expect(try shop.folder.read("cover.jpg") == jpegPhoto(), "\(options)")
      #expect(try shop.folder.read("out.m4a").firstRange(of: secret) == nil)
      shop.run("metadata @in.mov \(options) --for-sharing --keep artwork -o @out.m4a --force")
      #expect(try shop.folder.read("out.m4a").firstRange(of: secret) != nil, "\(options)")
    }
    try shop.folder.write(Array(jpegPhoto(saying: secret).dropLast(20)), as: "photo.jpg")
    let outcome = shop.run("metadata @old.m4a @photo.jpg --artwork --for-sharing -o @out.m4a --force")
    #expect(outcome.output.contains { $0.hasPrefix("left out") && $0.hasSuffix("cannot be read") }, "\(outcome)")
    #expect(!outcome.output.contains { $0.hasPrefix("kept") && $0.contains("itsk/covr") }, "\(outcome)")
    #expect(shop.run("metadata @out.m4a --artwork -o @cover.jpg --force").exitCode == .no)
  }

  /// The sharing policy applies to imported facts too.
  @Test func dropsPrivateFactsOfAnotherMovie() throws {
    let shop = try Workshop(
      TestMovie.simple.with {
        $0.movieAtoms = mdtaMetadata([
          ("com.apple.quicktime.location.ISO6709", "+48.1370+011.5750/"), ("com.apple.quicktime.title", "Home"),
        ])
      })
    try shop.folder.write(TestMovie.simple.bytes(), as: "film.mov")
    try shop.folder.write(Array(shop.run("metadata @in.mov --json").output.joined(separator: "\n").utf8), as: "a.json")
    for options in ["--copy-from @in.mov", "--import @a.json"] {
      let outcome = shop.run("metadata @film.mov --for-sharing \(options) -o @out.mov --force")
      #expect(
        outcome.output.contains {
          $0.hasPrefix("left out") && $0.contains("location") && $0.hasSuffix("the place of recording")
        },
        "\(outcome)")
      #expect(shop.run("metadata @out.mov").output.count == 2)
      let kept = shop.run("metadata @film.mov --for-sharing --keep location \(options) -o @out.mov --force")
      #expect(kept.exitCode == .done && shop.run("metadata @out.mov").output.count == 3, "\(kept)")
      #expect(kept.errors.isEmpty)  // The pattern means an item of the other movie.
    }
  }

  /// iTunes stores the file name of a picture with the picture.
  @Test func keepsNamesWithTheirValues() throws {
    let name = fullAtom("name") { text("holiday.jpg") }
    let shop = try Workshop(
      TestMovie.simple.with {
        ($0.dialect, $0.brands) = (.iso, ["M4A ", "M4A ", "isom"])
        $0.userData = iTunesList {
          atom("covr") { atom("data") { u32(13, 0) + jpegPhoto() } + name }
          atom("©nam") { atom("data") { u32(1, 0) + text("A") } + name }
        }
      })
    #expect(shop.run("metadata @in.mov --add itsk/©nam=B").exitCode == .done)
    #expect(shop.run("metadata @in.mov --identifier itsk/©nam").output.count == 3)
    #expect(shop.run("metadata @in.mov --for-sharing -o @out.m4a").exitCode == .done)
    #expect(shop.run("metadata @out.m4a").output.count == 4)
    #expect(try shop.folder.read("out.m4a").firstRange(of: text("holiday")) == nil)
  }

  @Test func coversThatANewCoverReplacesAreReported() throws {
    let picture = { atom("data") { u32(13, 0) + jpegPhoto() } }
    let shop = try Workshop(
      TestMovie.simple.with {
        ($0.dialect, $0.brands) = (.iso, ["M4A ", "M4A ", "isom"])
        $0.userData = iTunesList { atom("covr") { picture() + picture() + picture() } }
      })
    try shop.folder.write(jpegPhoto(), as: "new.jpg")
    let outcome = shop.run("metadata @in.mov @new.jpg --artwork")
    #expect(outcome.output.contains("removed 2 old pictures: itsk/covr"), "\(outcome)")
    #expect(!shop.run("metadata @in.mov @new.jpg --artwork").output.contains { $0.contains("old picture") })
  }

  @Test func paddingWithoutAnEffectIsNoted() throws {
    let shop = try Workshop(.simple)
    let note = "note: --pad has no effect: the movie atom is at the end of the file"
    #expect(shop.run("metadata @in.mov --set title=x --pad 4096").errors == [note])
    #expect(shop.run("metadata @in.mov --set title=y --pad 0").errors.isEmpty)
    #expect(shop.run("remux @in.mov --fast-start -o @first.mov --pad 4096").errors.isEmpty)
  }

  @Test func rejectsAFactThatIsSetAndRemoved() throws {
    let shop = try shop()
    let refused = shop.run("metadata @in.mov --set title=New --remove title")
    #expect(refused.exitCode == .usage && refused.errors[0].contains("removes the new item"), "\(refused)")
    #expect(shop.run("metadata @in.mov --remove title --set title=New").exitCode == .done)
    #expect(shop.run("metadata @in.mov --identifier common/title").output.count == 3)  // Of the movie, and of a track.
  }

  @Test func parsesLocationsAndDatesInAnyOption() throws {
    let shop = try shop()
    #expect(shop.run(words: ["metadata", "@in.mov", "--location", "48.137, 11.575"]).exitCode == .done)
    #expect(
      shop.run("metadata @in.mov --set location=48.137,11.575").output.last
        == "nothing to change: in.mov is unchanged")
    for place in ["48°8'13.2\"N 11°34'30\"E", "48° 8.22′ N, 11.575° E", "48 8 13.2 n 11 34 30 e"] {
      let set = shop.run(words: ["metadata", "@in.mov", "--location", place, "--dry-run"])
      #expect(set.output.first?.contains("\"+48.13700+011.57500/\"") == true, "\(set)")
    }
    let south = shop.run(words: ["metadata", "@in.mov", "--location", "33°51′S 151°12′W", "--dry-run"])
    #expect(south.output.first?.contains("\"-33.85000-151.20000/\"") == true, "\(south)")
    for place in [
      "48°60'N 11°E", "11°E 48°N", "48°N", "48°N 11°E 5", "48.1.2°N 11°E", "95°N 11°E", "N E", "48,13°N 11,57°E",
      "48,8N, 11,5E",
    ] {
      #expect(shop.run(words: ["metadata", "@in.mov", "--location", place]).exitCode == .usage, "\(place)")
    }
    for fact in ["location=Berlin", "date=yesterday"] {
      #expect(shop.run("metadata @in.mov --set \(fact)").exitCode == .usage)
    }
  }

  @Test func importsAnEditedTrackNumber() throws {
    let shop = try Workshop(
      TestMovie.simple.with {
        $0.userData = iTunesList { atom("trkn") { atom("data") { u32(0, 0) + u16(0, 3, 12, 0) } } }
      })
    try shop.folder.write(
      Array(#"{"items": [{"identifier": "itsk/trkn", "typeCode": 0, "string": "4/12"}]}"#.utf8), as: "a.json")
    #expect(shop.run("metadata @in.mov --import @a.json").exitCode == .done)
    #expect(shop.run("metadata @in.mov --identifier itsk/trkn").output.contains { $0.contains("4/12") })
  }

  @Test func importsAllValuesOfAFact() throws {
    let shop = try Workshop(TestMovie.simple)
    try shop.folder.write(TestMovie.simple.with { ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"]) }, as: "in.mp4")
    for (index, artist) in ["A", "B"].enumerated() {
      let option = index == 0 ? "--set" : "--add"
      #expect(shop.run("metadata @in.mov \(option) mdta/com.apple.quicktime.artist=\(artist)").exitCode == .done)
    }
    let outcome = shop.run("metadata @in.mp4 --copy-from @in.mov")
    #expect(outcome.exitCode == .done && outcome.errors.joined().contains("one text in uiso/perf"), "\(outcome)")
    func values(_ name: String, _ space: String) throws -> [String] {
      let items = try #require(shop.run("metadata @\(name) --space \(space) --json").json["items"] as? [[String: Any]])
      return items.compactMap { $0["string"] as? String }
    }
    #expect(try values("in.mp4", "itsk") == ["A", "B"] && values("in.mp4", "uiso") == ["A; B"])
    #expect(!shop.run("metadata @in.mp4").output.contains { $0.contains("may differ from") })
    #expect(shop.run("metadata @in.mov --remove artist").exitCode == .done)
    #expect(shop.run("metadata @in.mp4 --remove mdta/* --remove uiso/*").exitCode == .done)
    #expect(shop.run("metadata @in.mov --copy-from @in.mp4").errors.joined().contains("one text in mdta/"))
    #expect(try values("in.mov", "mdta") == ["A; B"])
  }

  @Test func normalizesKeywordSeparators() throws {
    let shop = try Workshop(TestMovie.simple.with { ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"]) })
    #expect(shop.run("metadata @in.mov --set keywords=x,y;z").output[0].hasPrefix("set keywords to \"x, y, z\": "))
    let lines = shop.run("metadata @in.mov --identifier keywords").output.dropFirst()
    #expect(lines.count == 2 && lines.allSatisfy { $0.contains("x, y, z") && !$0.contains("contradicts another item") })
    // Spellings of other programs.
    for (words, isSame) in [("z,x,y", true), ("x,y", false)] {
      #expect(shop.run("metadata @in.mov --set itsk/keyw=\(words) --only-space").exitCode == .done)
      let notes = shop.run("metadata @in.mov").output.count { $0.contains("contradicts another item") }
      #expect(notes == (isSame ? 0 : 1))
    }
  }

  @Test func importsNoDuplicateOfItemsOutsideTheMovieAtom() throws {
    let type: [UInt8] = [
      0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
    ]
    let shop = try Workshop(
      TestMovie.simple.with { $0.layout += [.bytes(atom("uuid") { type + text("<x>packet</x>") })] })
    let before = try shop.folder.read("in.mov")
    let answer = shop.run("metadata @in.mov --json").output
    try shop.folder.write(Array(answer.joined(separator: "\n").utf8), as: "answer.json")
    #expect(answer.contains { $0.contains("xmp/packet") })
    for option in ["--import @answer.json", "--copy-from @in.mov"] {
      let outcome = shop.run("metadata @in.mov \(option)")
      #expect(outcome.output.contains("nothing to change: in.mov is unchanged"), "\(outcome.output)")
      #expect(try shop.folder.read("in.mov") == before)
    }
    // A second packet cannot replace one that edits never change.
    let other = answer.map {
      $0.replacing("packet</", with: "another</").replacing("7061636b65743c", with: "616e6f746865723c")
    }
    try shop.folder.write(Array(other.joined(separator: "\n").utf8), as: "other.json")
    let outcome = shop.run("metadata @in.mov --import @other.json")
    #expect(outcome.errors.contains { $0.contains("1 item left out: xmp/packet") }, "\(outcome)")
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func explainsInvalidAnswers() throws {
    let shop = try shop()
    for (text, words) in [
      ("1", "the member \"items\" is missing"), ("{\"items\":[{}]}", "item 1 has no \"identifier\""),
      ("{\"items\":[{\"identifier\":\"title\"}]}", "item 1 has the invalid \"identifier\" title; write one such as"),
    ] {
      try shop.folder.write(Array(text.utf8), as: "answer.json")
      let outcome = shop.run("metadata @in.mov --import @answer.json")
      #expect(outcome.exitCode == .badData && outcome.errors.first?.contains(words) == true, "\(outcome.errors)")
      #expect(outcome.errors.last?.hasPrefix("--import reads the output of movtool metadata --json") == true)
    }
  }

  @Test func suggestsFactsForNamesOfOtherPrograms() throws {
    let shop = try shop()
    for (line, words) in [
      ("--set track=3", "did you mean itsk/trkn?"), ("--set titel=x", "did you mean title?"),
      ("--set Title=x", "did you mean title?"), ("--set trkn=3/12", "did you mean itsk/trkn?"),
      ("--set itsk/trkn=abc", "write 3 or 3/12"), ("--set itsk/stik=Film", "write a number or a name: Movie, Music,"),
      ("--set title=x --only-space", "--only-space requires a complete identifier, such as itsk/©nam or mdta/"),
      ("--set itsk/desc=a --set description=b", "--set description=b: description is also set by"),
      ("--set description=b --set itsk/desc=a", "--set itsk/desc=a: description is also set by"),
      ("--set description=b --set itsk/desc=a", "--only-space"),
      ("--location 1,2,1e9", "--location 1,2,1e9: specify latitude"),
      ("--set udta/©xyz=garbage", "--set udta/©xyz=garbage: specify latitude"),
      ("@cover.jpg", "to set the cover, add --artwork"),
      ("--set rating=5", "rating.user (stars), or itsk/rtng (explicit or clean) in an MP4 or M4A file?"),
      ("--remove lyrics", "did you mean itsk/©lyr?"),
      ("--title Home", "did you mean --set title=TEXT?"), ("--year 2020", "did you mean --set year=TEXT?"),
      ("--set zzzzzzzzzz=x", "use one of title, "), ("--remove common/titel", "did you mean title?"),
      ("--identifier common/zzzzzzzzzz", "use one of title, "), ("--set common/titel=x", "did you mean title?"),
    ] {
      let outcome = shop.run("metadata @in.mov \(line)")
      #expect(outcome.exitCode == .usage && outcome.errors.first?.contains(words) == true, "\(outcome.errors)")
    }
    #expect(shop.run("metadata @in.mov --set common/copyright=Mine --set common/album=Ours").exitCode == .done)
    #expect(shop.run("metadata @in.mov --identifier common/copyright").output.contains { $0.contains("Mine") })
    #expect(shop.run("metadata @in.mov --remove common/copyright").output.contains { $0.contains("removed 1 item") })
    #expect(shop.run("metadata @in.mov --set udta/©xyz=48.1,11.5").exitCode == .done)
    #expect(shop.run("metadata @in.mov --space udta --json").output.contains { $0.contains("+48.1") })
    #expect(shop.run("metadata @in.mov --set year=2020").exitCode == .done)
    #expect(shop.run("metadata @in.mov --identifier common/creationDate").output.contains { $0.contains("2020") })
  }

  @Test func rejectsAPictureThatIsTooLarge() throws {
    let shop = try shop()
    try shop.folder.write([0xFF, 0xD8, 0xFF, 0xE0] + zeros(64 << 20), as: "big.jpg")
    let outcome = shop.run("metadata @in.mov @big.jpg --artwork --json")
    let error = outcome.json["error"] as? [String: Any]
    #expect(outcome.exitCode == .badData && error?["code"] as? String == "limit")
    #expect(error?["hint"] is NSNull && (error?["message"] as? String)?.hasSuffix("the limit for a picture") == true)
  }

  @Test func importsAnAnswerIntoAnotherMovie() throws {
    let shop = try shop()
    try shop.folder.write(TestMovie.simple, as: "other.mov")
    try shop.folder.write(Array(shop.run("metadata @in.mov --json").output.joined(separator: "\n").utf8), as: "a.json")
    let answer = shop.run("metadata @other.mov --import @a.json")
    #expect(answer.exitCode == .done && answer.errors.joined().contains("1 item left out: udta/%A9nam"))
    func items(_ name: String) throws -> [[String]] {
      let items = try #require(shop.run("metadata @\(name) --json").json["items"] as? [[String: Any]])
      return items.filter { $0["track"] is NSNull }.map { item in
        ["identifier", "typeCode", "string", "hex", "language", "localeCode", "details"].map { "\(item[$0] ?? "")" }
      }
    }
    #expect(Set(try items("other.mov")) == Set(try items("in.mov")))
    try shop.folder.write(TestMovie.simple, as: "third.mov")
    #expect(shop.run("metadata @third.mov --copy-from @in.mov --strict").exitCode == .done)
    // The title, the location and the cover are mirrored as QuickTime metadata.
    #expect(try items("third.mov").count == items("in.mov").count + 4)
    try shop.folder.write(
      Array(#"{"items": [{"identifier": "udta/©nam", "string": "By hand", "language": "en"}]}"#.utf8), as: "b.json")
    #expect(shop.run("metadata @third.mov --import @b.json").exitCode == .done)
    #expect(shop.run("metadata @third.mov --space udta").output.contains { $0.contains("By hand") })
    for (name, text) in [
      ("c.json", "{"), ("d.json", #"{"items": [{"hex": "00"}]}"#), ("e.json", "[]"), ("f.json", "x"),
    ] {
      try shop.folder.write(Array(text.utf8), as: name)
      #expect(shop.run("metadata @third.mov --import @\(name)").exitCode == .badData)
    }
  }
}
