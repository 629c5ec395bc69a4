import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct ChaptersCommandTests {
  /// A movie without chapters, and chapter files.
  private func shop(_ movie: TestMovie = .simple) throws -> Workshop {
    let shop = try Workshop(movie)
    try shop.folder.write(Array("0:00 One\n0:01 Two ü\n".utf8), as: "en.txt")
    try shop.folder.write(Array("0:00 Eins\n0:01 Zwei\n".utf8), as: "de.txt")
    return shop
  }

  private func titles(_ shop: Workshop, _ options: String = "", of name: String = "in.mov") throws -> [String?] {
    let chapters = try #require(shop.run("chapters @\(name) --json \(options)").json["chapters"] as? [[String: Any]])
    return chapters.map { $0["title"] as? String }
  }

  // MARK: - Printing

  @Test func printsChaptersAsATable() throws {
    let shop = try shop(.podcast())
    let lines = shop.run("chapters @in.mov").output
    #expect(lines.count == 7 && lines[0].hasSuffix("Title       Picture  Link"), "\(lines)")
    #expect(
      lines[1].hasPrefix("1  00:00:00.000  00:00:00.500  Hello") && lines[1].hasSuffix(" bytes  http://a.example/1"))
    #expect(
      lines.suffix(3) == [
        "titles in English: track 2, 2 chapters", "links: track 3, 2 links", "pictures: track 4, 2 pictures",
      ])
    let plain = try self.shop().run("chapters @in.mov")
    #expect(plain.output == ["in.mov has no chapters"] && plain.exitCode == .done)
  }

  @Test func warnsOfDifferingChapterForms() throws {
    let nero = fullAtom("chpl", version: 1) { u32(0) + u8(1) + u64(0) + pascalString("Other") }
    let outcome = try shop(.podcast().with { $0.userData = nero }).run("chapters @in.mov")
    #expect(outcome.output.last == "list in user data (chpl): 1 chapter, which differ")
    #expect(
      outcome.errors.count == 1 && outcome.errors[0].hasPrefix("warning: in.mov: the list in user data (chpl) differs"))
  }

  // MARK: - Setting

  @Test func chaptersOfSeveralLanguagesAreSetAndShown() throws {
    let shop = try shop()
    let set = shop.run("chapters @in.mov --set @en.txt --set @de.txt --language de")
    #expect(set.output.first == "set 2 chapters: track 3 (English), track 4 (German)")
    #expect(set.output.last?.hasPrefix("edited in.mov in place: ") ?? false, "\(set)")
    let shown = shop.run("chapters @in.mov").output
    #expect(shown[0].contains("Title (en)") && shown[0].contains("Title (de)") && shown[2].contains("Zwei"))
    #expect(try titles(shop) == ["One", "Two ü"] && titles(shop, "--language de-AT,en") == ["Eins", "Zwei"])
    let again = shop.run("chapters @in.mov --set @en.txt")
    #expect(again.output[0] == "set 2 chapters: track 5 (English); removed track 3 (English), track 4 (German)")
    #expect(
      again.errors == [
        "warning: in.mov: titles in German are dropped, because the new chapters are in other languages"
      ],
      "\(again)")
  }

  /// Titles in languages that are not given are taken from the movie itself.
  @Test func addsOrReplacesTitlesInOneLanguage() throws {
    let shop = try shop()
    shop.run("chapters @in.mov --set @en.txt")
    let added = shop.run("chapters @in.mov --language de --set @de.txt --set @in.mov --language en --strict")
    #expect(added.output[0].hasPrefix("set 2 chapters: track 4 (German), track 5 (English); removed"), "\(added)")
    try shop.folder.write(Array("0:00 A\n0:01 B\n".utf8), as: "new.txt")
    let replaced = shop.run("chapters @in.mov --set @new.txt --language de --set @in.mov --strict")
    #expect(replaced.exitCode == .done, "\(replaced)")
    #expect(try titles(shop, "--language de") == ["A", "B"] && titles(shop, "--language en") == ["One", "Two ü"])
  }

  @Test func reportsDroppedTitlesInAnExistingLanguage() throws {
    let shop = try shop()
    for (name, first) in [("m.xml", "New"), ("same.xml", "One")] {
      let atoms = [("0", first, "Neu"), ("1", "Two ü", "Zwei")].map { second, english, german in
        "<ChapterAtom><ChapterTimeStart>00:00:0\(second).000</ChapterTimeStart>"
          + [("en", english), ("de", german)].map { tag, title in
            "<ChapterDisplay><ChapterString>\(title)</ChapterString><ChapLanguageIETF>\(tag)</ChapLanguageIETF>"
              + "</ChapterDisplay>"
          }.joined() + "</ChapterAtom>"
      }
      let xml = "<Chapters><EditionEntry>" + atoms.joined() + "</EditionEntry></Chapters>"
      try shop.folder.write(Array(xml.utf8), as: name)
    }
    let strict = shop.run("chapters @in.mov --set @en.txt --language en --set @m.xml --strict")
    #expect(
      strict.exitCode == .no
        && strict.errors.contains(
          "warning: m.xml: titles in English were dropped, because an earlier file has titles in the same language"),
      "\(strict)")
    // Identical titles are not a loss.
    let same = shop.run("chapters @in.mov --set @en.txt --language en --set @same.xml --strict")
    #expect(same.exitCode == .done, "\(same)")
  }

  @Test func reportsTitlesReplacedByTitlesWithoutALanguage() throws {
    let shop = try shop(TestMovie(tracks: [TestTrack(.video, id: 1)]))
    shop.run("chapters @in.mov --set @en.txt --language en --set @de.txt --language de")
    let outcome = shop.run("chapters @in.mov --set @en.txt")
    #expect(
      outcome.errors == [
        "warning: in.mov: titles in English, German are dropped, because the new chapters are in other languages"
      ],
      "\(outcome)")
  }

  @Test func readsAListInTheRequestedEncoding() throws {
    let shop = try shop()
    for list in ["0:00 ", "WEBVTT\n\n00:00.000 --> 00:01.000\n"] {
      try shop.folder.write(text(list) + u8(0xDD, 0xF5, 0xEE), as: "list.txt")  // "Эхо"
      let set = shop.run("chapters @in.mov --set @list.txt --encoding windows-1251")
      #expect(try set.errors.isEmpty && titles(shop) == ["Эхо"], "\(set)")
    }
    #expect(shop.run("chapters @in.mov --set @in.mov --encoding windows-1251").exitCode == .usage)
    #expect(shop.run("chapters @in.mov --set @list.txt --encoding cp125").errors[0].contains("use one of"))
  }

  @Test func copiesTitlesPicturesAndLinksOfAnotherMovie() throws {
    let shop = try shop()
    try shop.folder.write(.podcast(), as: "other.m4a")
    let set = shop.run("chapters @in.mov --set @other.m4a -o @out.mov")
    #expect(set.output.first == "set 2 chapters: track 3 (English), track 4 (pictures), track 5 (links)", "\(set)")
    #expect(try titles(shop, of: "out.mov") == ["Hello", "Interview"])
    #expect(try shop.folder.read("in.mov") == TestMovie.simple.bytes())
    // With the movie itself as the source, all forms are written again.
    let again = shop.run("chapters @other.m4a --set @other.m4a")
    #expect(
      again.output[0].hasSuffix(
        "the list in user data (chpl); removed track 2 (English), track 3 (titles), track 4 (pictures)"), "\(again)")
  }

  @Test func readsItsOwnJSONAsAList() throws {
    let shop = try shop()
    shop.run("chapters @in.mov --set @en.txt --set @de.txt --language de")
    let answer = shop.run("chapters @in.mov --json").output.joined(separator: "\n")
    try shop.folder.write(Array(answer.utf8), as: "answer.json")
    #expect(
      shop.run("chapters @in.mov --remove").output[0] == "removed the chapters: track 3 (English), track 4 (German)")
    #expect(shop.run("chapters @in.mov --set @answer.json").exitCode == .done)
    #expect(
      try titles(shop, "--language de") == ["Eins", "Zwei"] && titles(shop, "--language en") == ["One", "Two ü"])
  }

  @Test func planAndStrictWriteNothing() throws {
    let shop = try shop()
    let before = try shop.folder.read("in.mov")
    #expect(shop.run("chapters @in.mov --set @en.txt --dry-run").output[0] == "would set 2 chapters: track 3 (English)")
    try shop.folder.write(Array("0:00 One\n1:00:00 Late\n".utf8), as: "late.txt")
    let strict = shop.run("chapters @in.mov --set @late.txt --strict")
    #expect(
      strict.exitCode == .no
        && strict.errors.contains(
          "warning: late.txt: line 2: \"Late\" begins at 01:00:00.000, but the movie ends at "
            + "00:00:02.000; "
            + "it is dropped")
    )
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func omitsTheListInUserDataOnRequest() throws {
    let shop = try shop(TestMovie.simple.with { $0.dialect = .iso })
    #expect(shop.run("chapters @in.mov --set @en.txt").output[0].hasSuffix("(English), the list in user data (chpl)"))
    #expect(
      shop.run("chapters @in.mov --set @en.txt --no-nero").output[0]
        == "set 2 chapters: track 4 (English); removed track 3 (English)")
    #expect(!shop.run("chapters @in.mov").output.contains { $0.contains("chpl") })
  }

  /// As with every edit, nothing is rewritten if there is room next to the movie atom, before or after the media.
  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func chaptersAreSetAndRemovedInPlace(_ dialect: TestMovie.Dialect) throws {
    for (layout, pad) in [([TestMovie.Piece].movieLast, ""), (.movieFirst, " --pad 8K")] {
      let shop = try shop(
        TestMovie.simple.with {
          $0.dialect = dialect
          $0.layout = layout
        })
      let first = shop.run("chapters @in.mov --set @en.txt" + pad)
      #expect(
        first.output.last?.hasPrefix(pad.isEmpty ? "edited in.mov in place: " : "rewrote in.mov") ?? false, "\(first)")
      for line in ["--set @de.txt", "--set @en.txt --no-nero", "--remove"] {
        let edit = shop.run("chapters @in.mov \(line)")
        #expect(edit.output.last?.hasPrefix("edited in.mov in place: ") ?? false, "\(edit)")
      }
    }
  }

  /// Lists as found in video descriptions, and subtitles written by `extract --chapters`.
  @Test(arguments: [
    "[0:00] One\n[0:01] Two\n", "(0:00) One\n(0:01) Two\n",
    "1\n00:00:00,000 --> 00:00:01,000\nOne\n\n2\n00:00:01,000 --> 00:00:02,000\nTwo\n",
  ])
  func readsCommonChapterLists(_ text: String) throws {
    let shop = try shop()
    try shop.folder.write(Array(text.utf8), as: "list.txt")
    let set = shop.run("chapters @in.mov --set @list.txt")
    #expect(try set.exitCode == .done && titles(shop) == ["One", "Two"], "\(set)")
  }

  // MARK: - Pictures

  @Test func importsAndExportsPictures() throws {
    let shop = try shop()
    try shop.folder.write(jpegPicture(8, 6), as: "p1.jpg")
    try shop.folder.write(pngPicture(4, 4), as: "p02.png")
    let set = shop.run("chapters @in.mov --set @en.txt --images @p{number}.{format}")
    #expect(set.output.first == "set 2 chapters: track 3 (English), track 4 (pictures)", "\(set)")
    let written = shop.run("chapters @in.mov --images @out-{stem}-{number}.{format}")
    #expect(written.output == ["wrote 2 pictures: out-in-01.jpg …"], "\(written)")
    #expect(try shop.folder.read("out-in-01.jpg") == jpegPicture(8, 6))
    #expect(try shop.folder.read("out-in-02.png") == pngPicture(4, 4))
    #expect(shop.run("chapters @in.mov --images @out-{stem}-{number}.{format}").exitCode == .cannotCreate)
    #expect(shop.run("chapters @in.mov --set @en.txt --images @none-{number}.jpg").exitCode == .noInput)
  }

  @Test func exportsPicturesWithReferencesInTheList() throws {
    let shop = try shop(.podcast())
    let line = "chapters @in.mov --export podcast -o @a.json --images @x{number}.{format}"
    #expect(shop.run(line).output == ["wrote a.json: 2 chapters", "wrote 2 pictures: x01.jpg …"])
    let list = String(decoding: try shop.folder.read("a.json"), as: UTF8.self)
    #expect(list.contains("x01.jpg\"") && list.contains("\"url\": \"http://a.example/1\""))
    try shop.folder.write(
      Array("{\"chapters\":[{\"startTime\":0,\"title\":\"A\",\"img\":\"x02.jpg\"}]}".utf8), as: "b.json")
    try shop.folder.write(.simple, as: "new.mov")
    #expect(
      shop.run("chapters @new.mov --set @b.json").output[0] == "set 1 chapter: track 3 (English), track 4 (pictures)")
    try shop.folder.write(
      Array("{\"chapters\":[{\"startTime\":0,\"title\":\"A\",\"img\":\"https://a.example/x.jpg\"}]}".utf8), as: "c.json"
    )
    let elsewhere = shop.run("chapters @new.mov --set @c.json")
    #expect(elsewhere.errors.contains { $0.contains("dropped 1 picture outside of the folder of the list") })
  }

  /// A list exported to another folder can be read from there with its pictures.
  @Test(arguments: ["podcast", "hls"]) func readsAnExportedListWithItsPictures(_ format: String) throws {
    let shop = try shop(.podcast())
    for folder in ["out", "out/art", "else"] { try makeFolder(folder, in: shop) }
    let export = "chapters @in.mov --export \(format) -o @out/a.json"
    let beside = shop.run(export + " --images @out/art/{number}.{format}").errors
    #expect(beside.filter { !$0.contains("does not support links") } == [])
    let list = String(decoding: try shop.folder.read("out/a.json"), as: UTF8.self)
    #expect(list.contains("\"art/01.jpg\"") && list.contains("\"art/02.jpg\""), "\(list)")
    try shop.folder.write(.simple, as: "new.mov")
    let set = shop.run("chapters @new.mov --set @out/a.json --language en")
    #expect(set.exitCode == .done && set.output[0].contains("track 4 (pictures)"), "\(set)")
    for file in ["1", "2"] { shop.run("chapters @new.mov --images @new{number}.jpg \(file == "1" ? "" : "--force")") }
    #expect(try shop.folder.read("new01.jpg") == shop.folder.read("out/art/01.jpg"))
    #expect(try shop.folder.read("new02.jpg") == shop.folder.read("out/art/02.jpg"))
    let missing = shop.run(export + " --images @none/{number}.jpg --force")
    #expect(missing.errors.last == "none/01.jpg: the folder none does not exist", "\(missing)")
    let elsewhere = shop.run(export + " --images @else/{number}.jpg --force")
    #expect(
      elsewhere.errors.contains { $0.contains("outside of the folder of the list, such as ../else/01.jpg") },
      "\(elsewhere)")
  }

  /// Lists refer to files by URLs with percent encoding. Handwritten lists may contain plain names.
  @Test(arguments: ["podcast", "hls"]) func escapesPictureNamesAsURLs(_ format: String) throws {
    let shop = try shop(.podcast())
    let name = "50% ü #"
    try makeFolder(name, in: shop)
    shop.run("chapters @in.mov --images @{number}.jpg")
    let files = FileManager.default
    for number in ["01", "02"] {
      try files.moveItem(atPath: shop.folder.file("\(number).jpg"), toPath: shop.folder.file("\(name)/\(number).jpg"))
    }
    let escaped = "50%25%20%C3%BC%20%23/01.jpg"
    for reference in [escaped, name + "/01.jpg"] {
      let list =
        format == "hls"
        ? "[{\"start-time\": 0, \"images\": [{\"url\": \"\(reference)\"}]}]"
        : "{\"chapters\": [{\"startTime\": 0, \"img\": \"\(reference)\"}]}"
      try shop.folder.write(Array(list.utf8), as: "a.json")
      try shop.folder.write(.simple, as: "new.mov")
      let set = shop.run("chapters @new.mov --set @a.json")
      #expect(set.exitCode == .done && set.output[0].contains("(pictures)"), "\(set)")
    }
    // A handwritten list with a plain name.
    try files.removeItem(atPath: shop.folder.file(name + "/01.jpg"))
    try files.removeItem(atPath: shop.folder.file(name + "/02.jpg"))
    let template = shop.folder.file(name + "/{number}.{format}")
    let export = shop.run(words: [
      "chapters", shop.folder.file("in.mov"), "--export", format, "-o", shop.folder.file("b.json"), "--images",
      template,
    ])
    #expect(export.exitCode == .done, "\(export)")
    #expect(String(decoding: try shop.folder.read("b.json"), as: UTF8.self).contains("\"\(escaped)\""))
    try shop.folder.write(.simple, as: "new.mov")
    #expect(shop.run("chapters @new.mov --set @b.json --language en").output[0].contains("(pictures)"))
    try shop.folder.write(Array("{\"chapters\": [{\"startTime\": 0, \"img\": \"%2e%2e/x.jpg\"}]}".utf8), as: "c.json")
    #expect(
      shop.run("chapters @new.mov --set @c.json").errors.contains { $0.contains("outside of the folder of the list") })
  }

  @Test func warnsOfAPictureWithAWrongFileName() throws {
    let shop = try shop()
    try shop.folder.write(pngPicture(8, 6), as: "p2.png")
    let set = shop.run("chapters @in.mov --set @en.txt --images @p{number}.png")
    #expect(set.errors.contains { $0.hasSuffix("1 chapter before the first picture has no picture") }, "\(set)")
    let written = shop.run("chapters @in.mov --images @x{number}.jpg")
    #expect(written.errors == ["warning: x02.jpg: the picture is in PNG, but the extension is for JPEG"], "\(written)")
    #expect(shop.run("chapters @in.mov --images @y{number}.jpg --strict").exitCode == .no)
    #expect(shop.run("chapters @in.mov --images @z{number}.{format}").errors.isEmpty)
  }

  @Test func reportsTitlesThatAreNotInTheRequestedLanguage() throws {
    let shop = try shop()
    shop.run("chapters @in.mov --set @en.txt")
    let other = shop.run("chapters @in.mov --export ogm --language fr,de")
    #expect(
      other.errors == [
        "warning: in.mov: 2 of 2 chapters have no title in French, German: the title in English is used"
      ],
      "\(other)")
    #expect(shop.run("chapters @in.mov --export ogm --language fr,en").errors.isEmpty)
    #expect(shop.run("chapters @in.mov --export hls --language fr").errors.isEmpty)
    #expect(shop.run("chapters @in.mov --language fr").errors.count == 1)
    #expect(shop.run("chapters @in.mov --language fr,en").errors.isEmpty)
    let mistaken = shop.run("chapters @in.mov --import @en.txt")
    #expect(mistaken.errors[0].contains("did you mean --set?"), "\(mistaken)")
  }

  private func makeFolder(_ name: String, in shop: Workshop) throws {
    try FileManager.default.createDirectory(atPath: shop.folder.file(name), withIntermediateDirectories: true)
  }

  @Test(arguments: ["out.jpg", "folder/p.jpg"]) func ignoresPicturesOutsideTheListsFolder(_ name: String) throws {
    let shop = try shop()
    for folder in ["lists", "else"] { try makeFolder(folder, in: shop) }
    try shop.folder.write(jpegPicture(8, 6), as: "else/p.jpg")
    let files = FileManager.default
    try files.createSymbolicLink(atPath: shop.folder.file("lists/out.jpg"), withDestinationPath: "../else/p.jpg")
    try files.createSymbolicLink(atPath: shop.folder.file("lists/folder"), withDestinationPath: "../else")
    try shop.folder.write(
      Array("{\"chapters\":[{\"startTime\":0,\"title\":\"A\",\"img\":\"\(name)\"}]}".utf8), as: "lists/a.json")
    let set = shop.run("chapters @in.mov --set @lists/a.json")
    #expect(set.output.first == "set 1 chapter: track 3 (English)")
    #expect(
      set.errors.contains { $0.contains("dropped 1 picture outside of the folder of the list, such as \(name)") },
      "\(set)")
    // A link to a file inside the folder is allowed.
    try shop.folder.write(jpegPicture(8, 6), as: "lists/p.jpg")
    try files.removeItem(atPath: shop.folder.file("lists/out.jpg"))
    try files.createSymbolicLink(atPath: shop.folder.file("lists/out.jpg"), withDestinationPath: "p.jpg")
    #expect(shop.run("chapters @in.mov --set @lists/a.json --dry-run").errors.isEmpty == (name == "out.jpg"))
  }

  /// Pictures must be regular files, so that no command waits for the writer of a pipe.
  @Test func rejectsAPipeAsAPicture() throws {
    let shop = try shop()
    #expect(unsafe mkfifo(shop.folder.file("p01.jpg"), 0o600) == 0)
    try shop.folder.write(
      Array("{\"chapters\":[{\"startTime\":0,\"title\":\"A\",\"img\":\"p01.jpg\"}]}".utf8), as: "a.json")
    for line in ["--set @a.json", "--set @en.txt --images @p{number}.jpg"] {
      let refused = shop.run("chapters @in.mov \(line)")
      #expect(
        refused.exitCode == .noInput && refused.errors == ["p01.jpg: is a pipe, not an ordinary file"], "\(refused)")
    }
  }

  @Test func rejectsAnOversizedPicture() throws {
    let shop = try shop()
    let path = try shop.folder.write(jpegPicture(8, 6), as: "p01.jpg")
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: (64 << 20) + 1)
    try file.close()
    let refused = shop.run("chapters @in.mov --set @en.txt --images @p{number}.jpg")
    #expect(
      refused.exitCode == .badData && refused.errors[0].hasSuffix("exceed the limit for a picture, 67108864"))
  }

  @Test func reportsPicturesThatTheFormatCannotReferTo() throws {
    let shop = try shop(.podcast())
    let plain = shop.run("chapters @in.mov --export mp4chaps")
    #expect(plain.errors.contains("warning: in.mov: mp4chaps does not support pictures: they are omitted"), "\(plain)")
    let beside = shop.run("chapters @in.mov --export mp4chaps --images @x{number}.jpg")
    #expect(!beside.errors.contains { $0.contains("does not support pictures") }, "\(beside)")
  }

  /// A second file in another language supplies pictures and links for chapters that have none.
  @Test func mergesPicturesAndLinksOfASecondFile() throws {
    let shop = try shop()
    for (name, size) in [("a.jpg", 8), ("b.jpg", 10)] { try shop.folder.write(jpegPicture(size, 6), as: name) }
    let first =
      "{\"chapters\":[{\"startTime\":0,\"title\":\"A\",\"url\":\"https://a.example\"},{\"startTime\":1,\"title\":\"B\"}]}"
    let second =
      "{\"chapters\":[{\"startTime\":0,\"title\":\"C\",\"img\":\"a.jpg\",\"url\":\"https://b.example\"},"
      + "{\"startTime\":1,\"title\":\"D\",\"img\":\"b.jpg\",\"url\":\"https://c.example\"}]}"
    try shop.folder.write(Array(first.utf8), as: "first.json")
    try shop.folder.write(Array(second.utf8), as: "second.json")
    let set = shop.run("chapters @in.mov --set @first.json --set @second.json --language de")
    #expect(
      set.errors.first
        == "warning: second.json: 1 link was dropped: the first file's pictures and links take precedence")
    let chapters = try #require(shop.run("chapters @in.mov --json").json["chapters"] as? [[String: Any]])
    #expect(chapters.map { $0["link"] as? String } == ["https://a.example", "https://c.example"])
    #expect(chapters.map { $0["pictureByteCount"] as? Int } == [jpegPicture(8, 6).count, jpegPicture(10, 6).count])
  }

  /// The list in user data is not metadata about the movie, but its bytes are available on explicit request.
  @Test func metadataDoesNotListChapters() throws {
    let shop = try shop(TestMovie.simple.with { $0.dialect = .iso })
    shop.run("chapters @in.mov --set @en.txt")
    #expect(shop.run("metadata @in.mov").output.dropFirst().map { $0.prefix(8) } == ["recorded"])
    #expect((shop.run("metadata @in.mov --identifier uiso/chpl --json").json["items"] as? [Any])?.count == 1)
  }

  // MARK: - Exporting and removing

  @Test func exportsTheListToStandardOutputOrAFile() throws {
    let shop = try shop()
    shop.run("chapters @in.mov --set @en.txt --set @de.txt --language de")
    #expect(
      shop.run("chapters @in.mov --export mp4chaps --language de").output == ["00:00:00.000 Eins", "00:00:01.000 Zwei"])
    let file = shop.run("chapters @in.mov --export hls -o @a.json")
    #expect(file.output == ["wrote a.json: 2 chapters"] && file.errors.isEmpty)
    #expect(shop.run("chapters @in.mov --export ogm -o @a.json").exitCode == .cannotCreate)
    let strict = shop.run("chapters @in.mov --export ogm -o @b.txt --strict")
    #expect(strict.exitCode == .no && strict.errors[0].contains("ogm supports titles in only one language"))
    #expect(shop.run("chapters @in.mov --export ogm -o @in.mov --force").exitCode == .usage)
    #expect(try self.shop().run("chapters @in.mov --export ogm").exitCode == .no)
  }

  @Test func removesChaptersOnly() throws {
    let shop = try shop(.podcast())
    let removed = shop.run("chapters @in.mov --remove -o @out.m4a")
    #expect(removed.output[0] == "removed the chapters: track 2 (English), track 3 (titles), track 4 (pictures)")
    #expect(try shop.movie("out.m4a").tracks.map(\.id) == [1])
    let idle = shop.run("chapters @out.m4a --remove")
    #expect(idle.output == ["nothing to change: out.m4a is unchanged"] && idle.exitCode == .done)
    // Changes of the conversion are not reported as chapters.
    let converted = shop.run("chapters @out.m4a --remove -o @out.mov")
    #expect(
      converted.output[0] == "converted an M4A file to a QuickTime movie" && converted.exitCode == .done, "\(converted)"
    )
    #expect(converted.errors.contains("note: the movie has no chapters"))
  }

  // MARK: - With other tracks

  /// If the audio of a film is kept, so are its chapters, in every language, with their pictures.
  @Test(arguments: ["m4a", "mov", "mp4"], [TestMovie.Dialect.quickTime, .iso])
  func keepsChaptersOfKeptTracks(_ type: String, _ dialect: TestMovie.Dialect) throws {
    let shop = try shop(TestMovie.simple.with { $0.dialect = dialect })
    for number in 1...2 { try shop.folder.write(jpegPicture(8 * number, 6), as: "p\(number).jpg") }
    shop.run("chapters @in.mov --set @en.txt --language en --set @de.txt --language de --images @p{number}.jpg")
    let outcome = shop.run("remux @in.mov -o @out.\(type) --track audio")
    let note = "note: the chapters are kept: track 3, track 4, track 5; movtool chapters --remove removes them"
    #expect(outcome.exitCode == .done && outcome.errors.contains(note), "\(outcome)")
    let lists = ["in.mov", "out.\(type)"].map { shop.run("chapters @\($0) --json").json["chapters"] as? NSArray }
    #expect(lists[0]?.count == 2 && lists[0] == lists[1], "\(lists)")
    #expect(try shop.movie("out.\(type)").tracks.map(\.id) == [2, 3, 4, 5])
  }

  /// Chapters are kept even if only the removed video refers to them; the chapters' pictures do not count as video.
  @Test func keepsChaptersOfRemovedVideoForItsAudio() throws {
    var movie = TestMovie.podcast()
    movie.tracks.append(TestTrack(.video, id: 5).with { $0.references = movie.tracks[0].references })
    movie.tracks[0].references = []
    let shop = try shop(movie)
    for (kept, option) in [(1, "audio"), (5, "video")] as [(UInt32, String)] {
      #expect(shop.run("remux @in.mov -o @out.m4v --force --track \(option)").exitCode == .done)
      let tracks = try shop.movie("out.m4v").tracks
      #expect(Set(tracks.map(\.id)) == [2, 3, 4, kept])
      #expect(tracks.first { $0.id == kept }?.referenced("chap") == [2, 3, 4])
    }
    #expect(shop.run("remux @in.mov -o @text.m4v --track id:3").exitCode == .done)
    #expect(try shop.movie("text.m4v").tracks.map(\.id) == [3])
  }

  @Test func warnsOfRemovedSubtitlesThatAreListedAsChapters() throws {
    let shop = try shop(.podcast().with { $0.tracks[1].group = 2 })
    let strict = shop.run("remux @in.mov -o @out.m4v --track audio --strict")
    #expect(
      strict.exitCode == .no
        && strict.errors.contains(
          "warning: in.mov: track 2 is removed, because it is a chapter track; --track id:2 keeps it"),
      "\(strict)")
    let kept = shop.run("remux @in.mov -o @out.m4v --track audio --track id:2")
    #expect(kept.exitCode == .done && !kept.errors.contains { $0.contains("because it is a chapter track") }, "\(kept)")
  }

  @Test func shortensTheNoteAboutManyChapterTracks() throws {
    let lists = (3...22).map { UInt32($0) }
    var reference = TestReference("chap")
    reference.tracks = lists
    let main = [TestTrack(.video, id: 1), TestTrack(.sound, id: 2).with { $0.references = [reference] }]
    let shop = try shop(TestMovie(tracks: main + lists.map { TestTrack(.text, id: $0) }))
    let outcome = shop.run("remux @in.mov -o @out.mov --track id:2")
    let names = (3...11).map { "track \($0)" }.joined(separator: ", ")
    let note = "note: the chapters are kept: \(names), …; movtool chapters --remove removes them"
    #expect(outcome.errors.contains(note), "\(outcome)")
    #expect(try shop.movie("out.mov").tracks.map(\.id) == [2] + lists)
  }

  // MARK: - Refusals

  @Test(arguments: [
    "--set", "--set x --remove", "--set x --export ogm", "--export", "--export pdf", "--images x",
    "--images {number} -o x",
    "-o x", "--no-nero", "--remove --language en", "--export ogm --dry-run", "--export ogm --json",
    "--encoding utf-8", "--set x --language de,en", "--strict", "--append",
  ])
  func refusesInvalidOptions(_ options: String) throws {
    #expect(try shop().run("chapters @in.mov \(options)").exitCode == .usage)
  }

  @Test func namesUnusableFiles() throws {
    let shop = try shop()
    try shop.folder.write(Array("<Chapters>\n&x;".utf8), as: "a.xml")
    let xml = shop.run("chapters @in.mov --set @a.xml")
    #expect(xml.exitCode == .badData && xml.errors[0].hasPrefix("a.xml: line 2 at byte "), "\(xml)")
    #expect(shop.run("chapters @in.mov --set @none.txt").exitCode == .noInput)
    try shop.folder.write(.simple, as: "plain.mov")
    #expect(shop.run("chapters @in.mov --set @plain.mov").errors == ["plain.mov: the movie has no chapters"])
    try shop.folder.write(Array("0:00 One\n".utf8), as: "one.txt")
    let other = shop.run("chapters @in.mov --set @en.txt --set @one.txt --language de")
    #expect(
      other.exitCode == .badData
        && other.errors[0].hasPrefix(
          "one.txt: the 1 chapters and the 2 chapters of the first file begin at different times")
    )
    let same = shop.run("chapters @in.mov --set @en.txt --set @en.txt")
    #expect(same.exitCode == .usage && same.errors[0].contains("in the language of an earlier file"))
  }
}
