import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Importing tags exported by other programs, and common names of facts.
struct ImportedTagsTests {
  private func shop(_ contents: String) throws -> Workshop {
    let shop = try Workshop(TestMovie.simple.with { ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"]) })
    try shop.folder.write(Array(contents.utf8), as: "tags")
    return shop
  }

  /// Returns all texts by identifier.
  private func facts(_ shop: Workshop) throws -> [String: String] {
    let items = try #require(shop.run("metadata @in.mov --json").json["items"] as? [[String: Any]])
    return Dictionary(
      items.compactMap { item in
        (item["identifier"] as? String).flatMap { name in (item["string"] as? String).map { (name, $0) } }
      }
    ) { first, _ in first }
  }

  private func leftOut(_ outcome: Workshop.Outcome) throws -> String? {
    let warnings = try #require(outcome.json["warnings"] as? [[String: Any]])
    return warnings.first { $0["code"] as? String == "metadata-left-out" }?["message"] as? String
  }

  @Test func tagsOfFFmetadataAreSet() throws {
    let shop = try shop(
      """
      ;FFMETADATA1
      title=A \\= B\\; C \\\\ D
      artist=Ann
      album_artist=Band
      track=3/12
      compilation=1
      media_type=10
      creation_time=2024-01-20T09:26:09.000000Z
      comment=one\\
      two
      major_brand=isom
      # a remark
      [CHAPTER]
      title=not the movie's
      """)
    let outcome = shop.run("metadata @in.mov --json --import @tags")
    #expect(outcome.exitCode == .done)
    #expect(try leftOut(outcome) == "1 tag left out: [CHAPTER]")
    let facts = try facts(shop)
    #expect(facts["uiso/titl"] == "A = B; C \\ D" && facts["itsk/%A9cmt"] == "one\ntwo")
    #expect(facts["itsk/aART"] == "Band" && facts["itsk/trkn"] == "3/12" && facts["itsk/cpil"] == "1")
    #expect(facts["itsk/stik"] == "10" && facts["uiso/date"] == "2024-01-20T09:26:09.000000Z")
    let recorded = shop.run("metadata @in.mov --json").json["recorded"] as? [String: Any]
    #expect(recorded?["date"] as? String == "2024-01-20T09:26:09Z")
  }

  @Test func tagsOfExifToolAreSet() throws {
    let shop = try shop(
      """
      [{"SourceFile": "a.mp4", "File:FileSize": "1 MB", "QuickTime:CreateDate": "2024:01:20 09:26:09",
        "ItemList:Title": "Home", "ItemList:TrackNumber": "3 of 12", "ItemList:Compilation": "Yes",
        "ItemList:MediaType": "TV Show", "Keys:GPSCoordinates": "48 deg 8' 13.00\\" N, 11 deg 34' 30.00\\" E, 520 m Above Sea Level",
        "ItemList:Genre": "Rock", "Keys:Keywords": ["one", "two"], "ItemList:BeatsPerMinute": 120, "ItemList:Season": "soon"}]
      """)
    let outcome = shop.run("metadata @in.mov --json --import @tags")
    #expect(outcome.exitCode == .done)
    let left = try #require(try leftOut(outcome))
    #expect(!left.contains("FileSize") && left.contains("Season (itsk/tvsn cannot have the value \"soon\""))
    let facts = try facts(shop)
    #expect(facts["uiso/titl"] == "Home" && facts["itsk/trkn"] == "3/12" && facts["itsk/cpil"] == "1")
    #expect(facts["itsk/stik"] == "10" && facts["itsk/tmpo"] == "120" && facts["itsk/keyw"] == "one, two")
    #expect(facts["udta/%A9xyz"] == "+48.13694+011.57500+520.000/")
    #expect(facts["uiso/date"] == "2024-01-20T09:26:09Z")
  }

  @Test func importsLanguagesAndAppleKeys() throws {
    let shop = try shop(
      """
      ;FFMETADATA1
      title=Home
      title-deu=Heimat
      title-xyzzy=no language
      com.apple.quicktime.author=Ann
      com.apple.quicktime.content.identifier=A1
      """)
    let outcome = shop.run("metadata @in.mov --json --import @tags")
    #expect(try leftOut(outcome) == "1 tag left out: title-xyzzy")
    let items = shop.run("metadata @in.mov --json").json["items"] as? [[String: Any]] ?? []
    let german = items.filter { $0["language"] as? String == "de" }
    #expect(!german.isEmpty && german.allSatisfy { $0["string"] as? String == "Heimat" })
    let facts = try facts(shop)
    #expect(facts["uiso/titl"] == "Home" && facts["mdta/com.apple.quicktime.content.identifier"] == "A1")
    #expect(facts["uiso/auth"] == "Ann")
  }

  @Test(arguments: [
    #""GPSPosition": "48 deg 8' 13.00\" N, 11 deg 34' 30.00\" E""#, #""Composite:GPSPosition": "48.13694 11.575""#,
    #""GPSLatitude": "48 deg 8' 13.00\" N", "GPSLongitude": "11 deg 34' 30.00\" E""#,
    #""GPSLatitude": 48.13694, "GPSLongitude": 11.575"#, #""Composite": {"GPSPosition": "48.13694 11.575"}"#,
  ])
  func importsDerivedLocationsOfExifTool(_ members: String) throws {
    let shop = try shop("[{\"SourceFile\": \"a.mp4\", \(members)}]")
    #expect(try leftOut(shop.run("metadata @in.mov --json --import @tags")) == nil)
    #expect(try facts(shop)["udta/%A9xyz"] == "+48.13694+011.57500/")
  }

  @Test(arguments: [
    ("Rating", "Explicit", "itsk/rtng", "1"), ("PlayGap", "No Gap", "itsk/pgap", "1"),
    ("Rating", "4", "itsk/rtng", nil),
  ])
  func importsSpelledOutValuesOfExifTool(_ name: String, _ text: String, _ key: String, _ value: String?) throws {
    let shop = try shop("[{\"SourceFile\": \"a.mp4\", \"\(name)\": \"\(text)\"}]")
    #expect(try (leftOut(shop.run("metadata @in.mov --json --import @tags")) == nil) == (value != nil))
    #expect(try facts(shop)[key] == value)
  }

  @Test func tagsOfOnlineVideosAreSet() throws {
    let shop = try shop(
      """
      {"_type": "video", "title": "Video", "track": "Song", "uploader": "Ann", "upload_date": "20240120",
       "tags": ["a", "b"], "description": "Long", "webpage_url": "https://example.org/v", "formats": [{"a": 1}],
       "series": "Show", "season_number": 2, "artist": null}
      """)
    let outcome = shop.run("metadata @in.mov --json --import @tags")
    #expect(try leftOut(outcome) == "1 tag left out: title")
    let facts = try facts(shop)
    #expect(facts["uiso/titl"] == "Song" && facts["itsk/%A9ART"] == "Ann" && facts["uiso/date"] == "20240120")
    #expect(facts["itsk/tvsh"] == "Show" && facts["itsk/tvsn"] == "2" && facts["itsk/keyw"] == "a, b")
    #expect(facts["itsk/%A9cmt"] == "https://example.org/v")
  }

  @Test(arguments: [
    "{\"a\": 1}", "[]", "[{\"SourceFile\": \"a\"}, {\"SourceFile\": \"b\"}]", "title=Home", "",
  ])
  func refusesUnknownTagFiles(_ contents: String) throws {
    let outcome = try shop(contents).run("metadata @in.mov --import @tags")
    #expect(outcome.exitCode == .badData && outcome.errors.contains { $0.contains("ffmetadata") })
  }

  @Test func rejectsImportsForSharing() throws {
    let shop = try shop(";FFMETADATA1\ntitle=Home\n")
    #expect(shop.run("metadata @in.mov --import @tags --for-sharing -o @out.mp4").exitCode == .usage)
  }

  @Test(arguments: [
    ("narrator", "itsk/©nrt"), ("series", "itsk/tvsh"), ("album_artist", "itsk/aART"), ("compilation", "itsk/cpil"),
    ("grouping", "itsk/©grp"), ("media_type", "itsk/stik"), ("bpm", "itsk/tmpo"),
    ("isbn", "itlk/com.apple.iTunes.ISBN"),
    ("Album-Artist", "itsk/aART"), ("trkn", "itsk/trkn"), ("Lyrics", "itsk/©lyr"), ("titel", "title"),
  ])
  func findsTheNearestIdentifierOfAName(_ word: String, _ identifier: String) throws {
    let errors = try shop("").run("metadata @in.mov --set \(word)=x").errors
    #expect(errors.first?.contains("did you mean \(identifier)") == true, "\(errors)")
  }

  @Test(arguments: [
    ("itsk/gnre=Rock", "18", "Rock (18)"), ("itsk/gnre=hip hop", "8", "Hip-Hop (8)"),
    ("itsk/stik=tv-show", "10", "TV Show (10)"), ("itsk/stik=Movie", "9", "Movie (9)"),
    ("itsk/stik=Audiobook", "2", "Audiobook (2)"), ("itsk/rtng=clean", "2", "Clean (2)"),
    ("itsk/stik=10", "10", "TV Show (10)"),
  ])
  func acceptsNamesOfITunesNumbers(_ fact: String, _ number: String, _ shown: String) throws {
    let shop = try shop("")
    #expect(shop.run(words: ["metadata", "@in.mov", "--set", fact]).exitCode == .done)
    let identifier = String(fact.prefix { $0 != "=" })
    #expect(try facts(shop)[identifier] == number)
    #expect(shop.run("metadata @in.mov --identifier \(identifier)").output.last?.contains(shown) == true)
    let item = (shop.run("metadata @in.mov --json --identifier \(identifier)").json["items"] as? [[String: Any]])?.first
    #expect((item?["name"] as? String).map { shown.hasPrefix($0) } == true)
  }

  @Test(arguments: ["itsk/gnre=Rok", "itsk/stik=Film", "itsk/rtng=12", "uiso/urat=101", "uiso/urat=good"])
  func rejectsInvalidExpectations(_ fact: String) throws {
    let outcome = try shop("").run(words: ["metadata", "@in.mov", "--set", fact])
    #expect((outcome.exitCode == .usage) == (fact != "itsk/rtng=12"))
  }

  @Test(arguments: [("uiso/urat", "80"), ("uiso/rtng", "12"), ("uiso/clsf", "Drama")])
  func ratingsAndClassesAreSetByText(_ identifier: String, _ text: String) throws {
    let shop = try shop("")
    #expect(shop.run("metadata @in.mov --set \(identifier)=\(text)").exitCode == .done)
    #expect(try facts(shop)[identifier] == text)
  }

  @Test(arguments: [
    ("RIFF....WEBPVP8 ", "cover.webp", "WebP", "ffmpeg -i FOLDER/cover.webp FOLDER/cover.png"),
    ("\0\0\0 ftypavif", "cover.avif", "AVIF", "ffmpeg -i FOLDER/cover.avif -frames:v 1 FOLDER/cover.png"),
  ])
  func suggestsTheConversionOfOtherPictures(
    _ contents: String, _ name: String, _ format: String, _ line: String
  ) throws {
    let shop = try shop("")
    try shop.folder.write(Array(contents.utf8), as: name)
    let outcome = shop.run("metadata @in.mov @\(name) --artwork")
    let all = outcome.errors.joined(separator: "\n")
    #expect(outcome.exitCode == .badData && all.contains("the picture is in \(format)"))
    #expect(all.contains(line.replacingOccurrences(of: "FOLDER/", with: "")), "\(all)")
  }
}
