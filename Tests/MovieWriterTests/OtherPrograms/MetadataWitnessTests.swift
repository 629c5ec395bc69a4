import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Other programs read the metadata that we write, in each vocabulary.
struct MetadataWitnessTests {
  private static let words = ["title": "Größe 🎬", "comment": "seen", "description": "what it is", "artist": "Ann"]

  /// Returns a movie of these brands, or a camera movie without brands, with metadata.
  private func movie(_ name: String, brands: [String], _ facts: [(String, MetadataValue)]) throws -> (
    TemporaryFolder, String
  ) {
    let folder = try TemporaryFolder()
    if let first = brands.first {
      let movie = TestMovie.playable.with {
        $0.dialect = first == "qt  " ? .quickTime : .iso
        $0.brands = brands
      }
      try folder.write(movie, as: name)
    } else {
      try folder.copy(TestMedia.path("interview.mp4"), as: name)
    }
    let source = try FileSource(path: folder.file(name))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    for (identifier, value) in facts {
      try edit.setMetadata(MetadataInput(#require(MetadataIdentifier(identifier)), value))
    }
    try MovieFileWriter(edit, to: .sourceFile(folder.file(name))).write()
    return (folder, folder.file(name))
  }

  private static let facts: [(String, MetadataValue)] =
    words.map { ("common/" + $0, .text($1)) } + [("common/location", .text("+48.13700+011.57500+520.000/"))]

  /// A picture of 1 × 1 pixel.
  private static let picture = Bytes(
    [UInt8](
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==") ?? Data())
  )

  // MARK: - exiftool

  @Test(arguments: [
    (["qt  "], "Keys", "GPSCoordinates"), (["isom", "mp42"], "ItemList", "LocationInformation"),
    (["3gp5", "3gp5"], "UserData", "LocationInformation"),
  ])
  func writesMetadataThatExiftoolReads(_ brands: [String], _ group: String, _ place: String) throws {
    let (folder, path) = try movie(
      "a.mp4", brands: brands, Self.facts.filter { $0.0 != "common/comment" || group != "UserData" })
    let tags = try Witness.json("exiftool", ["-j", "-G1", "-a", "-n", path])
    _ = folder
    #expect(tags["\(group):Title"] as? String == Self.words["title"], "\(tags)")
    #expect(tags["\(group):Description"] as? String == Self.words["description"], "\(tags)")
    let found = try #require(tags.first { $0.key.hasSuffix(":" + place) }?.value as? String)
    #expect(found.contains("48.1") && found.contains("11.5"), "\(found)")
    #expect(!tags.keys.contains { $0.hasSuffix(":Warning") || $0.hasSuffix(":Error") }, "\(tags)")
  }

  @Test func writesUserDataAndNumbersThatExiftoolReads() throws {
    let facts: [(String, MetadataValue)] = [
      ("udta/©nam", .text("Größe")), ("udta/©xyz", .text("+48.1370+011.5750/")),
      ("mdta/com.android.capture.fps", .number(59.94)),
    ]
    let (folder, path) = try movie("a.mov", brands: ["qt  "], facts)
    let tags = try Witness.json("exiftool", ["-j", "-G1", "-a", "-n", path])
    _ = folder
    #expect(tags["UserData:Title"] as? String == "Größe" && tags["UserData:GPSCoordinates"] != nil, "\(tags)")
    #expect(tags["Keys:AndroidCaptureFps"] as? Double == 59.94, "\(tags)")
  }

  /// Android, MediaInfo and galleries read locations of MP4 files only in QuickTime's form.
  @Test(arguments: [["isom", "mp42"], ["M4V ", "M4V "], ["M4A ", "M4A "]]) func writesLocationsInBothForms(
    _ brands: [String]
  ) throws {
    let (folder, path) = try movie("a.mp4", brands: brands, Self.facts.filter { $0.0 == "common/location" })
    let tags = try Witness.json("exiftool", ["-j", "-G1", "-a", "-n", path])
    #expect((tags["UserData:GPSCoordinates"] as? String)?.hasPrefix("48.137 11.575") == true, "\(tags)")
    #expect(tags["UserData:LocationInformation"] != nil, "\(tags)")
    let media = try Witness.json("mediainfo", ["--Output=JSON", path])
    _ = folder
    #expect("\(media)".contains("+48.13700+011.57500"), "\(media)")
  }

  // MARK: - ffprobe, MediaInfo

  @Test(arguments: [["qt  "], ["isom", "mp42"], ["M4A ", "M4A "], ["3gp5", "3gp5"]])
  func writesMetadataThatFFprobeAndMediaInfoRead(_ brands: [String]) throws {
    let (folder, path) = try movie("a.mp4", brands: brands, [("common/title", .text("Größe 🎬"))])
    let format =
      try Witness.json("ffprobe", ["-v", "error", "-of", "json", "-show_format", path])["format"] as? [String: Any]
    let tags = try #require(format?["tags"] as? [String: String])
    let title = tags["title"] ?? tags["com.apple.quicktime.title"]
    #expect(title == "Größe 🎬" || brands[0] == "3gp5" && title == nil, "\(tags)")
    let media = try Witness.json("mediainfo", ["--Output=JSON", path])["media"] as? [String: Any]
    let general = try #require((media?["track"] as? [[String: Any]])?.first)
    let extra = general["extra"] as? [String: Any]
    let known = (general["Title"] ?? general["Movie"] ?? extra?["com_apple_quicktime_title"]) as? String
    _ = folder
    #expect(known == "Größe 🎬" || brands[0] == "3gp5" && known != nil, "\(general)")
  }

  // MARK: - Readers of iTunes lists

  private static let list: [(String, MetadataValue)] = [
    ("itsk/©nam", .text("Größe 🎬")), ("itsk/trkn", .text("3/12")), ("itsk/tmpo", .text("120")),
    ("itsk/covr", .data(picture)), ("itlk/com.apple.iTunes.ISRC", .text("DEABC2600001")), ("itsk/stik", .text("9")),
  ]

  @Test func writesAListThatAtomicParsleyReads() throws {
    let (folder, path) = try movie("a.m4a", brands: [], Self.list)
    let result = try Witness.require("AtomicParsley").run([path, "-t"])
    _ = folder
    let lines = result.outputText.split(separator: "\n").map { String($0.unicodeScalars.drop { $0 == "\u{FEFF}" }) }
    for line in [
      "Atom \"©nam\" contains: Größe 🎬", "Atom \"trkn\" contains: 3 of 12", "Atom \"tmpo\" contains: 120",
      "Atom \"covr\" contains: 1 piece of artwork",
    ] {
      #expect(lines.contains(line), "\(lines)")
    }
    #expect(lines.contains { $0.hasSuffix("contains: DEABC2600001") }, "\(lines)")
  }

  @Test func writesItemsThatMutagenReads() throws {
    let (folder, path) = try movie("a.m4a", brands: [], Self.list)
    let script = """
      import json, sys
      from mutagen.mp4 import MP4
      tags = MP4(sys.argv[1]).tags
      print(json.dumps({
        "name": tags["\\u00a9nam"], "track": tags["trkn"], "tempo": tags["tmpo"], "kind": tags["stik"],
        "isrc": [bytes(value).decode() for value in tags["----:com.apple.iTunes:ISRC"]],
        "cover": [[int(cover.imageformat), len(cover)] for cover in tags["covr"]]}))
      """
    let python = try Witness.require("python3")
    guard try python.run(["-c", "import mutagen"]).code == 0 else {
      _ = try Witness.require("mutagen")
      return
    }
    let tags = try Witness.json("python3", ["-c", script, path])
    _ = folder
    #expect(tags["name"] as? [String] == ["Größe 🎬"] && tags["isrc"] as? [String] == ["DEABC2600001"], "\(tags)")
    #expect(tags["track"] as? [[Int]] == [[3, 12]] && tags["tempo"] as? [Int] == [120], "\(tags)")
    #expect(tags["cover"] as? [[Int]] == [[14, Self.picture.count]] && tags["kind"] as? [Int] == [9], "\(tags)")
  }

  /// mutagen treats a `meta` in QuickTime's form as a full atom, and ignores everything after it.
  @Test func writesTagsOfConvertedMoviesForMutagen() throws {
    let python = try Witness.require("python3")
    guard try python.run(["-c", "import mutagen"]).code == 0 else {
      _ = try Witness.require("mutagen")
      return
    }
    let folder = try TemporaryFolder()
    try folder.copy(TestMedia.path("interview.mov"), as: "a.mov")
    let source = try FileSource(path: folder.file("a.mov"))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.convert(to: .mp4)
    try edit.setMetadata(#require(MetadataInput("mdta/com.example.lens", "7")), ofTrack: 1)
    try edit.setMetadata(#require(MetadataInput("common/title", "Größe")))
    try MovieFileWriter(edit, to: .newFile(folder.file("a.mp4"), overwrites: false, synchronizes: false))
      .write()
    let script = """
      import json, mutagen.mp4, sys
      print(json.dumps({"title": mutagen.mp4.MP4(sys.argv[1]).tags["\\xa9nam"]}))
      """
    let tags = try Witness.json("python3", ["-c", script, folder.file("a.mp4")])
    #expect(tags["title"] as? [String] == ["Größe"], "\(tags)")
  }
}
