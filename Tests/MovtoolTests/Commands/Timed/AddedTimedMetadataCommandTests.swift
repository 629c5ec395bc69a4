import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// `add-track --metadata`, with JSON and GPX.
struct AddedTimedMetadataCommandTests {
  private static let movie = TestMovie(tracks: [
    TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 6_000)] }, TestTrack(.sound, id: 2),
  ]).with { $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.creationdate", "2019-05-06T18:15:07Z")]) }

  static let items = """
    {"groups": [
      {"startMicroseconds": 1000000, "endMicroseconds": 2000000, "items": [
        {"identifier": "mdta/com.example.rate", "typeCode": 67, "number": 72, "details": {"type": "com.example.beats"}},
        {"identifier": "mdta/com.example.note", "string": "Größe", "language": "de"}]},
      {"startMicroseconds": 3000000, "items": [
        {"identifier": "mdta/com.example.share", "number": 0.5}, {"identifier": "mdta/com.example.raw", "hex": "00ff"}]}
    ]}
    """

  private static func gpx(_ points: [(seconds: Double, latitude: Double)]) -> String {
    "<gpx><trk><trkseg>"
      + points.map { point in
        "<trkpt lat=\"\(point.latitude)\" lon=\"11.5\"><time>"
          + UTCText.text(secondsSince1970: 1_557_166_507 + point.seconds) + "</time></trkpt>"
      }.joined(separator: "\n") + "</trkseg></trk></gpx>"
  }

  private func shop(_ name: String, _ text: String) throws -> Workshop {
    let shop = try Workshop(Self.movie)
    try shop.folder.write(Array(text.utf8), as: name)
    return shop
  }

  @Test func addsItemsOfAFile() throws {
    let shop = try shop("a.json", Self.items)
    let outcome = shop.run("add-track @in.mov @a.json --metadata")
    #expect(outcome.exitCode == .done && outcome.errors == [])
    #expect(
      outcome.output.first == "added timed metadata: track 3 from a.json, 2 groups, describes track 1", "\(outcome)")
    let listed = shop.run("timed @in.mov").output
    #expect(
      listed == [
        "track 3: mebx, describes track 1, 4 samples, 0.000 s to 10.000 s",
        "  mdta/com.example.rate  com.example.beats",
        "  mdta/com.example.note  UTF-8, de", "  mdta/com.example.share  float64", "  mdta/com.example.raw  bytes",
      ], "\(listed)")
    let lines = shop.run("timed @in.mov --track metadata").output
    #expect(lines.contains("1.000 s to 2.000 s  track 3  mdta/com.example.note  Größe  (language de)"), "\(lines)")
    #expect(lines.contains("3.000 s to 10.000 s  track 3  mdta/com.example.share  0.5"), "\(lines)")
  }

  /// The JSON that `timed` prints goes into another movie with equal items.
  @Test func movesItemsToAnotherMovie() throws {
    let shop = try shop("a.json", Self.items)
    try shop.folder.write(Self.movie, as: "b.mov")
    shop.run("add-track @in.mov @a.json --metadata")
    let printed = shop.run("timed @in.mov --track metadata --json")
    try shop.folder.write(Array(printed.output.joined(separator: "\n").utf8), as: "b.json")
    #expect(shop.run("add-track @b.mov @b.json --metadata --describes audio").exitCode == .done)
    func groups(_ outcome: Workshop.Outcome) throws -> [[String]] {
      try #require(outcome.json["groups"] as? [[String: Any]]).map { group in
        ((group["items"] as? [[String: Any]]) ?? []).map { item in
          "\(group["startMicroseconds"] ?? 0) \(item["identifier"] ?? "") \(item["typeCode"] ?? "") \(item["hex"] ?? "") "
            + "\(item["language"] ?? "") \(item["details"] ?? "")"
        }
      }
    }
    #expect(try groups(shop.run("timed @b.mov --track metadata --json")) == groups(printed))
    #expect(shop.run("timed @b.mov").output.first?.contains("describes track 2") == true)
  }

  @Test func answersInJSON() throws {
    let shop = try shop("a.gpx", Self.gpx([(-1, 48), (4, 48.5)]))
    let json = shop.run("add-track @in.mov @a.gpx --metadata --describes none --json --dry-run").json
    let track = try #require((json["metadataTracks"] as? [[String: Any]])?.first)
    #expect(track["id"] as? Int == 3 && track["groupCount"] as? Int == 2 && (track["describes"] as? [Int]) == [])
    #expect(track["overlapStartMicroseconds"] as? Int == 0 && track["overlapEndMicroseconds"] as? Int == 4_000_000)
  }

  /// The movie lasts ten seconds.
  @Test func countsOnlyWrittenGroups() throws {
    let item = #""items": [{"identifier": "mdta/a.b", "string": "a"}]"#
    let shop = try shop(
      "a.json",
      "[{\"startMicroseconds\": 9000000, \"endMicroseconds\": 11000000, \(item)}, "
        + "{\"startMicroseconds\": 11000000, \(item)}]")
    let outcome = shop.run("add-track @in.mov @a.json --metadata")
    #expect(
      outcome.output.first == "added timed metadata: track 3 from a.json, 1 group, describes track 1", "\(outcome)")
    let lines = outcome.output + outcome.errors
    #expect(
      lines.contains { $0.contains("1 group of timed metadata in track 3 is shortened to the length of the movie") })
    #expect(lines.contains { $0.contains("1 group of timed metadata outside the movie is omitted from track 3") })
  }

  /// Each track of a file has its own notes.
  @Test func namesTheTrackOfEachNote() throws {
    let groups = [1, 2].map { track in
      #"{"track": \#(track), "startMicroseconds": 9000000, "endMicroseconds": 11000000, "#
        + #""items": [{"identifier": "mdta/a.b\#(track)", "string": "a"}]}"#
    }
    let outcome = try shop("a.json", "[\(groups.joined(separator: ","))]").run("add-track @in.mov @a.json --metadata")
    let lines = outcome.output + outcome.errors
    for track in [3, 4] {
      #expect(lines.count { $0.contains("1 group of timed metadata in track \(track) is shortened") } == 1, "\(lines)")
    }
  }

  /// Subtitles and movies are added by other commands.
  @Test(arguments: ["a.srt", "a.txt"]) func hintsAtTheCommandForSubtitles(name: String) throws {
    let shop = try shop(name, "1\n00:00:01,000 --> 00:00:02,000\nHello\n")
    let outcome = shop.run("add-track @in.mov @\(name) --metadata")
    #expect(outcome.exitCode == .badData && outcome.errors.last?.contains("movtool add-subtitle") == true, "\(outcome)")
    let damaged = try self.shop("b.json", "{\"groups\": [").run("add-track @in.mov @b.json --metadata")
    #expect(damaged.exitCode == .badData && !damaged.errors.joined().contains("add-subtitle"), "\(damaged)")
  }

  /// The JSON of all items contains time codes, which cannot be written. The JSON of `mdta/*` can be.
  @Test func movesItemsOfAMovieWithOtherFormats() throws {
    let shop = try Workshop(Self.movie.with { $0.tracks.append(.timed("rtmd", id: 8, [[1], [2]])) })
    try shop.folder.write(Array(Self.items.utf8), as: "a.json")
    shop.run("add-track @in.mov @a.json --metadata")
    for (pattern, exitCode) in [("*", ExitCode.badData), ("mdta/*", .done)] {
      try shop.folder.write(Self.movie, as: "b.mov")
      let printed = shop.run("timed @in.mov --identifier \(pattern) --json")
      try shop.folder.write(Array(printed.output.joined(separator: "\n").utf8), as: "b.json")
      let outcome = shop.run("add-track @b.mov @b.json --metadata")
      #expect(outcome.exitCode == exitCode, "\(outcome)")
    }
    let lines = shop.run("timed @b.mov --identifier *note").output
    #expect(lines.contains { $0.hasSuffix("mdta/com.example.note  Größe  (language de)") }, "\(lines)")
  }

  /// A conversion to 3GP drops timed metadata for the same reason.
  @Test func refusesTimedMetadataIn3GPFiles() throws {
    let shop = try Workshop(TestMovie.rightISO.with { $0.brands = ["3gp5", "3gp5", "3gp4"] }, as: "in.3gp")
    try shop.folder.write(TestMovie.rightISO, as: "in.mp4")
    try shop.folder.write(Self.movie, as: "film.mov")
    try shop.folder.write(Array(Self.items.utf8), as: "a.json")
    #expect(shop.run("add-track @film.mov @a.json --metadata").exitCode == .done)
    let before = try shop.folder.read("in.3gp")
    for source in ["@a.json --metadata", "@film.mov --track metadata:1"] {
      for (file, output) in [("in.3gp", ""), ("in.mp4", " -o @out.3gp")] {
        let refused = shop.run("add-track @\(file) \(source)\(output)")
        #expect(refused.exitCode == .badData, "\(refused)")
        #expect(
          refused.errors == [
            "\(file): a 3GP file cannot contain timed metadata (mebx)",
            "-o FILE.mp4 writes an MP4 file, which can contain timed metadata",
          ], "\(refused)")
      }
    }
    #expect(try shop.folder.read("in.3gp") == before)
    #expect(try !shop.folder.names().contains("out.3gp"))
    #expect(shop.run("add-track @in.3gp @a.json --metadata -o @out.mp4").exitCode == .done)
    #expect(shop.run("timed @out.mp4").output.contains { $0.contains("mdta/com.example.rate") })
  }

  /// Values with the same identifier, and tracks without items, are kept.
  @Test func keepsRepeatedIdentifiersAndTracksOfGaps() throws {
    let shop = try shop(
      "a.json",
      #"""
      [{"track": 5, "startMicroseconds": 0, "endMicroseconds": 1000000, "items": [
         {"identifier": "mdta/a.b", "string": "one"}, {"identifier": "mdta/a.b", "string": "two"}]},
       {"track": 7, "startMicroseconds": 0, "items": []}]
      """#)
    #expect(shop.run("add-track @in.mov @a.json --metadata").exitCode == .done)
    let lines = [
      "0.000 s to 1.000 s  track 3  mdta/a.b  one", "0.000 s to 1.000 s  track 3  mdta/a.b  two",
      "0.000 s to 10.000 s  track 4  gap", "1.000 s to 10.000 s  track 3  gap",
    ]
    #expect(shop.run("timed @in.mov --track metadata:1 --track metadata:2").output == lines)
    try shop.folder.write(Self.movie, as: "b.mov")
    #expect(shop.run("timed @in.mov --track metadata:1 --track metadata:2 -o @b.json").exitCode == .done)
    #expect(shop.run("add-track @b.mov @b.json --metadata").exitCode == .done)
    #expect(shop.run("timed @b.mov --track metadata:1 --track metadata:2").output == lines)
    #expect(shop.run("validate @b.mov").errors == [])
  }

  /// A track with the same identifiers is replaced or kept. Other metadata tracks are not affected.
  @Test func replacesAndSkipsTracks() throws {
    let shop = try shop("a.json", Self.items)
    try shop.folder.write(Array(Self.gpx([(1, 48)]).utf8), as: "a.gpx")
    try shop.folder.write(Array(Self.gpx([(2, 49)]).utf8), as: "b.gpx")
    let early = shop.run("add-track @in.mov @a.gpx --metadata --replace --describes audio")
    #expect(early.errors.contains { $0.contains("--replace has no effect") }, "\(early)")
    #expect(shop.run("add-track @in.mov @a.json --metadata --if-absent").exitCode == .done)
    let skipped = shop.run("add-track @in.mov @b.gpx --metadata --if-absent")
    #expect(skipped.errors.contains { $0.contains("skipped: track 3 has the same identifiers") }, "\(skipped)")
    #expect(skipped.output.contains { $0.hasPrefix("nothing to change") }, "\(skipped)")
    let replaced = shop.run("add-track @in.mov @b.gpx --metadata --replace")
    #expect(replaced.output.contains { $0.hasPrefix("removed metadata") && $0.hasSuffix("track 3") }, "\(replaced)")
    // The new track describes the tracks that the old track described.
    #expect(replaced.output.contains { $0.contains("track 5 from b.gpx, 1 group, describes track 2") }, "\(replaced)")
    let lines = shop.run("timed @in.mov --identifier *location*").output
    #expect(lines.contains { $0.hasSuffix("+49.00000+011.50000/") } && !lines.contains { $0.contains("+48.") })
    #expect(shop.run("timed @in.mov").output.contains { $0.hasPrefix("track 4: mebx") })
    // Only one track is replaced.
    shop.run("add-track @in.mov @a.gpx --metadata")
    let ambiguous = shop.run("add-track @in.mov @a.gpx --metadata --replace")
    #expect(ambiguous.exitCode == .usage && ambiguous.errors.first?.contains("tracks 5, 6") == true, "\(ambiguous)")
  }

  /// A track that contains only gaps replaces or skips a track without identifiers. Tracks in other formats are kept.
  @Test func replacesAndSkipsTracksOfGaps() throws {
    let shop = try Workshop(Self.movie.with { $0.tracks.append(.timed("rtmd", id: 8, [[1], [2]])) })
    try shop.folder.write(Array(#"[{"startMicroseconds": 0, "items": []}]"#.utf8), as: "a.json")
    func tracks() -> [String] {
      shop.run("timed @in.mov").output.filter { $0.hasPrefix("track") }.map { String($0.prefix(13)) }
    }
    let early = shop.run("add-track @in.mov @a.json --metadata --replace")
    #expect(early.errors.contains { $0.contains("--replace has no effect on gaps") }, "\(early)")
    #expect(tracks() == ["track 8: rtmd", "track 9: mebx"])
    let skipped = shop.run("add-track @in.mov @a.json --metadata --if-absent")
    #expect(skipped.errors.contains { $0.contains("skipped: track 9 has no identifiers either") }, "\(skipped)")
    let replaced = shop.run("add-track @in.mov @a.json --metadata --replace")
    #expect(replaced.output.contains { $0.hasPrefix("removed metadata") && $0.hasSuffix("track 9") }, "\(replaced)")
    #expect(tracks().count == 2 && tracks().first == "track 8: rtmd", "\(tracks())")
    // One of two tracks of gaps is replaced.
    shop.run("add-track @in.mov @a.json --metadata")
    #expect(shop.run("add-track @in.mov @a.json --metadata --replace").exitCode == .done)
    #expect(tracks().count == 3, "\(tracks())")
  }

  @Test(arguments: [items, gpx([(1, 48), (2, 49)])])
  func readsStandardInput(text: String) throws {
    let shop = try Workshop(Self.movie)
    let console = Console(isOnDisk: true)
    console.streams["-"] = Bytes(Array(text.utf8))
    let outcome = shop.run("add-track @in.mov - --metadata", console)
    #expect(
      outcome.output.first?.hasPrefix("added timed metadata: track 3 from standard input, 2 groups") == true,
      "\(outcome)")
    console.streams["-"] = Bytes(Array("{".utf8))
    let refused = shop.run("add-track @in.mov - --metadata", console)
    #expect(refused.exitCode == .badData && refused.errors.first?.contains("standard input") == true, "\(refused)")
    #expect(shop.run("add-track @in.mov -").exitCode == .usage)
  }

  @Test func addsARouteWithItsOverlap() throws {
    let shop = try shop("a.gpx", Self.gpx([(1, 48), (2, 49), (3, 50)]))
    let outcome = shop.run("add-track @in.mov @a.gpx --metadata")
    #expect(
      outcome.output.first
        == "added timed metadata: track 3 from a.gpx, 3 groups, describes track 1; the route covers 1.000 s to 3.000 s of the movie",
      "\(outcome)")
    let lines = shop.run("timed @in.mov --track metadata").output
    #expect(lines.first == "0.000 s to 1.000 s  track 3  gap" && lines.last == "4.000 s to 10.000 s  track 3  gap")
    #expect(
      lines[1] == "1.000 s to 2.000 s  track 3  mdta/com.apple.quicktime.location.ISO6709  +48.00000+011.50000/")
    // Out again, with equal points.
    #expect(shop.run("timed @in.mov -o @b.gpx").exitCode == .done)
    let text = String(decoding: try shop.folder.read("b.gpx"), as: UTF8.self)
    #expect(text.contains("<trkpt lat=\"48.0\" lon=\"11.5\"><time>2019-05-06T18:15:08.000Z</time></trkpt>"))
    #expect(text.components(separatedBy: "<trkpt").count == 4)
  }

  @Test func reportsPointsWithEqualDates() throws {
    let segments =
      Self.gpx([(1, 48), (2, 49), (2, 50)]).replacing("</gpx>", with: "")
      + Self.gpx([(2, 51), (2, 52), (3, 53)]).replacing("<gpx>", with: "")
    let shop = try shop("a.gpx", segments)
    let outcome = shop.run("add-track @in.mov @a.gpx --metadata")
    #expect(outcome.exitCode == .done)
    #expect(
      (outcome.output + outcome.errors).contains {
        $0.contains("2 points are omitted, because each has the date of another point")
      },
      "\(outcome)")
  }

  /// The movie lasts ten seconds, from 18:15:07 on.
  @Test func countsPointsOutsideTheMovie() throws {
    let shop = try shop("a.gpx", Self.gpx([(-2, 47), (-1, 48), (4, 48.5), (10, 49)]))
    func lines(_ options: String) -> [String] {
      let outcome = shop.run("add-track @in.mov @a.gpx --metadata --dry-run" + options)
      #expect(outcome.exitCode == .done, "\(outcome)")
      return outcome.output + outcome.errors
    }
    #expect(lines("").contains { $0.contains("3 points of a.gpx outside the movie are omitted") }, "\(lines(""))")
    #expect(lines(" --offset -1 --rate 2").contains { $0.contains("2 points of a.gpx outside the movie are") })
    #expect(lines(" --offset 2").contains { $0.contains("1 point of a.gpx outside the movie is omitted") })
    try shop.folder.write(Array(Self.gpx([(0, 48), (9, 49)]).utf8), as: "a.gpx")
    #expect(!lines("").contains { $0.contains("outside the movie") })
  }

  /// Some programs begin a file with a byte order mark.
  @Test func readsFilesWithByteOrderMarks() throws {
    for (name, text) in [("a.json", Self.items), ("a.gpx", Self.gpx([(1, 48), (2, 49)]))] {
      let shop = try Workshop(Self.movie)
      try shop.folder.write([0xEF, 0xBB, 0xBF] + Array(text.utf8), as: name)
      let outcome = shop.run("add-track @in.mov @\(name) --metadata")
      #expect(outcome.exitCode == .done && outcome.output.first?.contains("2 groups") == true, "\(outcome)")
      // A second mark is text.
      try shop.folder.write([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array(text.utf8), as: name)
      #expect(shop.run("add-track @in.mov @\(name) --metadata").exitCode == .badData)
    }
  }

  /// Errors about a file with the name of a route describe GPX, and a route may be in UTF-16.
  @Test func readsRoutesByTheirNames() throws {
    let shop = try shop("a.gpx", " \n")
    try shop.folder.write(Array("lat,lon".utf8), as: "b.GPX")
    for (name, words) in [("a.gpx", "the file is empty, so it is not GPX"), ("b.GPX", "the file is not GPX")] {
      let outcome = shop.run("add-track @in.mov @\(name) --metadata")
      #expect(outcome.exitCode == .badData && outcome.errors.contains { $0.contains(words) }, "\(outcome)")
    }
    let units = ("\u{FEFF}" + Self.gpx([(1, 48), (2, 49)])).utf16
    try shop.folder.write(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, as: "c.gpx")
    let outcome = shop.run("add-track @in.mov @c.gpx --metadata")
    #expect(outcome.output.first?.contains("from c.gpx, 2 groups") == true, "\(outcome)")
  }

  @Test func shiftsAndInterpolatesARoute() throws {
    let shop = try shop("a.gpx", Self.gpx([(100, 48), (102, 50)]))
    let refused = shop.run("add-track @in.mov @a.gpx --metadata")
    #expect(refused.exitCode == .badData)
    #expect(
      refused.errors.first { $0.contains("no common time") }.map {
        $0.contains("2019-05-06T18:16:47.000Z") && $0.contains("2019-05-06T18:15:17.000Z")
      } == true, "\(refused.errors)")
    // The reported ranges contain the shift, and the start that the options set.
    let shifted = shop.run("add-track @in.mov @a.gpx --metadata --offset -50 --start 2019-05-06T18:15:00Z")
    let ranges = [
      "shifted by --offset, the route lasts from 2019-05-06T18:15:57.000Z to 2019-05-06T18:15:59.000Z",
      "the movie from 2019-05-06T18:15:00.000Z to 2019-05-06T18:15:10.000Z (--start)",
    ]
    #expect(ranges.allSatisfy { words in shifted.errors.contains { $0.contains(words) } }, "\(shifted.errors)")
    #expect(
      shop.run("add-track @in.mov @a.gpx --metadata --offset -95 --rate 2").output.first?.contains("5 groups") == true)
    let lines = shop.run("timed @in.mov --track metadata").output
    #expect(lines[2].hasPrefix("5.500 s to 6.000 s") && lines[2].hasSuffix("+48.50000+011.50000/"), "\(lines)")
    // 30000/1001 locations per second, from 5 s to 7 s. The first and the last point are off the grid.
    let fraction = shop.run("add-track @in.mov @a.gpx --metadata --offset -95 --rate 30000/1001 --dry-run")
    #expect(fraction.output.first?.contains("62 groups") == true, "\(fraction)")
    let start = shop.run("add-track @in.mov @a.gpx --metadata --start 2019-05-06T20:16:46+02:00 --dry-run")
    #expect(start.output.first?.contains("1.000 s to 3.000 s") == true, "\(start)")
  }

  @Test func requiresACreationDate() throws {
    var bytes = TestMovie.simple.build().bytes
    for type in ["mvhd", "tkhd", "mdhd"] {
      for header in bytes.indices where bytes[header...].starts(with: type.utf8) {
        bytes.replaceSubrange(header + 8..<header + 16, with: zeros(8))
      }
    }
    let shop = try shop("a.gpx", Self.gpx([(0, 48)]))
    try shop.folder.write(bytes, as: "in.mov")
    let outcome = shop.run("add-track @in.mov @a.gpx --metadata")
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains("--start") == true, "\(outcome)")
  }

  @Test(arguments: [
    ("[]", "no items"), ("{}", "no groups"), ("{", "ends within a value"),
    (#"[{"items": []}]"#, "has no startMicroseconds"),
    (#"[{"startMicroseconds": 1.5}]"#, "not a whole number"),
    (#"[{"startMicroseconds": 5, "endMicroseconds": 5}]"#, "not after its start"),
    (#"[{"startMicroseconds": 0, "problem": "cut"}]"#, "not read completely: cut"),
    (#"[{"startMicroseconds": 0, "items": [{"string": "a"}]}]"#, "has no identifier"),
    (#"[{"startMicroseconds": 0, "items": [{"identifier": "a", "string": "a"}]}]"#, "does not have the form"),
    (#"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a"}]}]"#, "has no value"),
    (
      #"[{"startMicroseconds": 1500000, "items": [{"identifier": "mdta/a.b", "typeCode": 67, "string": "many"}]}]"#,
      "\"many\" of mdta/a.b of group 1 at 1.500 s does not fit type 67"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "typeCode": 67, "hex": "00"}]}]"#,
      "does not fit its type"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "typeCode": 66, "hex": "0006", "number": 7}]}]"#,
      "differs from \"number\""
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "typeCode": 67, "string": "72", "number": 73}]}]"#,
      "\"string\" and \"number\" of mdta/a.b of group 1 at 0.000 s differ; delete one"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "string": "a", "number": 1}]}]"#,
      "\"string\" and \"number\" of mdta/a.b"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": 1e999}]}]"#,
      "\"number\" of mdta/a.b of group 1 at 0.000 s is too large"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "string": "a", "number": -1e999}]}]"#,
      "too large"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": 1, "typeCode": -1}]}]"#,
      "\"typeCode\" of"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": 1, "typeCode": 1.5}]}]"#,
      "\"typeCode\" of"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": 1, "typeCode": "67"}]}]"#,
      "\"typeCode\" of mdta/a.b of group 1 at 0.000 s is not a whole number"
    ),
    (#"[{"startMicroseconds": 0, "endMicrosecond": 5}]"#, "group 1 has the unknown member \"endMicrosecond\""),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "text": "a", "string": "b"}]}]"#,
      "an item of group 1 at 0.000 s has the unknown member \"text\""
    ),
    ("[5]", "group 1 is not an object"),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": "1"}]}]"#,
      "\"number\" of mdta/a.b of group 1 at 0.000 s is not a number"
    ),
    (#"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "string": 1}]}]"#, "is not a string"),
    (#"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "hex": 1}]}]"#, "\"hex\" of mdta/a.b"),
    (#"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "hex": "0"}]}]"#, "pairs of digits"),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "string": "a", "language": "?"}]}]"#,
      "language tag"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "gpmd/ACCL", "hex": "00"}]}]"#,
      "the item gpmd/ACCL of group 1 at 0.000 s cannot be written; only mdta/com.example.key can"
    ),
    (#"[{"startMicroseconds": 0, "items": [{"identifier": "tmcd/timecode", "hex": "00"}]}]"#, "--identifier 'mdta/*'"),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "typeCode": 67, "number": 72.5}]}]"#,
      "\"72.5\" of mdta/a.b of group 1 at 0.000 s does not fit type 67"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": 9007199254740993}]}]"#,
      "specify typeCode 74"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": 1, "details": {"name": "a"}}]}]"#,
      "details of mdta/a.b of group 1 at 0.000 s has the unknown member \"name\""
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": 1, "details": {"type": ""}}]}]"#,
      "is not the name of a type"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "number": 1, "details": {"type": 5}}]}]"#,
      "is not the name of a type"
    ),
    (#"[{"startMicroseconds": 0, "track": "x", "items": []}]"#, "\"track\" of group 1 is not a whole number"),
    (#"[{"startMicroseconds": 0, "problem": 7, "items": []}]"#, "\"problem\" of group 1 at 0.000 s is not a string"),
    (#"[{"startMicroseconds": 0, "items": 5}]"#, "\"items\" of group 1 at 0.000 s is not an array"),
    (#"[{"startMicroseconds": 0, "items": null}]"#, "group 1 at 0.000 s has no items"),
    (#"[{"startMicroseconds": 0}]"#, "group 1 at 0.000 s has no items; an empty array of items is a gap"),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "string": "a", "language": 5}]}]"#,
      "\"language\" of mdta/a.b of group 1 at 0.000 s is not a string"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "string": "a", "offset": "q"}]}]"#,
      "\"offset\" of mdta/a.b of group 1 at 0.000 s is not a whole number"
    ),
    (
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "string": "a", "items": 5}]}]"#,
      "\"items\" of mdta/a.b of group 1 at 0.000 s is not an array"
    ),
    (#"[{"startMicroseconds": 0, "startMicroseconds": 5}]"#, "the member \"startMicroseconds\" is repeated"),
    (#"[{"startMicroseconds": 99000000, "items": [{"identifier": "mdta/a.b", "string": "a"}]}]"#, "outside the movie"),
  ])
  func rejectsInvalidFiles(text: String, words: String) throws {
    let shop = try shop("a.json", text)
    let before = try shop.folder.read("in.mov")
    let outcome = shop.run("add-track @in.mov @a.json --metadata")
    #expect(outcome.exitCode == .badData, "\(outcome)")
    #expect(outcome.errors.first?.hasPrefix("a.json: ") == true, "\(outcome.errors)")
    #expect(outcome.errors.contains { $0.contains(words) }, "\(outcome.errors)")
    #expect(try shop.folder.read("in.mov") == before)
  }

  /// A text and a number that are equal are one value, such as in the output of `timed --json` without `hex`.
  @Test func acceptsEqualTextsAndNumbers() throws {
    let shop = try shop(
      "a.json",
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "typeCode": 67, "string": "72", "number": 72.0}]}]"#
    )
    #expect(shop.run("add-track @in.mov @a.json --metadata").exitCode == .done)
    #expect(shop.run("timed @in.mov --track metadata").output == ["0.000 s to 10.000 s  track 3  mdta/a.b  72"])
  }

  /// Many programs write whole numbers as floating point.
  @Test(arguments: ["72", "72.0", "7.2e1"])
  func acceptsNotationsOfWholeNumbers(number: String) throws {
    let shop = try shop(
      "a.json",
      #"[{"startMicroseconds": 1e6, "endMicroseconds": 2000000.0, "items": "#
        + #"[{"identifier": "mdta/a.b", "typeCode": 67.0, "number": \#(number)}]}]"#)
    let outcome = shop.run("add-track @in.mov @a.json --metadata")
    #expect(outcome.exitCode == .done, "\(outcome)")
    #expect(shop.run("timed @in.mov --track metadata").output.contains("1.000 s to 2.000 s  track 3  mdta/a.b  72"))
    #expect(shop.run("timed @in.mov --track metadata --json").output.joined().contains("\"number\": 72,"))
  }

  /// A number of 64 bits keeps all digits.
  @Test func printsLongIntegersExactly() throws {
    let shop = try shop(
      "a.json",
      #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "typeCode": 78, "number": 18446744073709551615}]}]"#
    )
    #expect(shop.run("add-track @in.mov @a.json --metadata").exitCode == .done)
    let printed = shop.run("timed @in.mov --track metadata --json").output.joined()
    #expect(printed.contains("\"number\": 18446744073709551615,"), "\(printed)")
  }

  @Test func acceptsBlanksBetweenHexadecimalDigits() throws {
    let shop = try shop(
      "a.json", #"[{"startMicroseconds": 0, "items": [{"identifier": "mdta/a.b", "hex": "00 FF 7f"}]}]"#)
    #expect(shop.run("add-track @in.mov @a.json --metadata").exitCode == .done)
    let groups = shop.run("timed @in.mov --track metadata --json").json["groups"] as? [[String: Any]]
    let items = try #require(groups?.first?["items"] as? [[String: Any]])
    #expect(items.map { $0["hex"] as? String } == ["00ff7f"])
  }

  /// The hint names the option that is missing or unnecessary.
  @Test func hintsAtMetadata() throws {
    let shop = try Workshop(Self.movie)
    try shop.folder.write(Self.movie, as: "b.mov")
    try shop.folder.write(Array(Self.items.utf8), as: "a.json")
    try shop.folder.write(Array(Self.gpx([(1, 48)]).utf8), as: "a.gpx")
    try shop.folder.write(Array("{".utf8), as: "bad.json")
    func hints(_ line: String) -> [String] {
      let outcome = shop.run(line)
      #expect(outcome.exitCode == .badData, "\(outcome)")
      return outcome.errors.filter { $0.contains("--metadata") }
    }
    #expect(hints("add-track @in.mov @b.mov --metadata").contains { $0.contains("omit --metadata") })
    #expect(hints("add-track @in.mov @bad.json --metadata").isEmpty)
    for name in ["a.json", "a.gpx"] {
      #expect(hints("add-track @in.mov @\(name)").contains { $0.contains("add --metadata") })
    }
  }

  @Test func copiesATrackAsItIs() throws {
    let shop = try shop("a.json", Self.items)
    try shop.folder.write(Self.movie, as: "b.mov")
    shop.run("add-track @b.mov @a.json --metadata")
    let lost = shop.run("add-track @in.mov @b.mov --track metadata:1 -o @c.mov")
    #expect(
      lost.output.first?.contains("the cdsc reference of track 3 to track 1 in its original movie is dropped") == true,
      "\(lost)")
    let kept = shop.run("add-track @in.mov @b.mov --track metadata:1 --describes video -o @d.mov")
    #expect(kept.output.first?.hasSuffix("; describes track 1") == true, "\(kept)")
    #expect(shop.run("timed @d.mov --csv").output.dropFirst() == shop.run("timed @b.mov --csv").output.dropFirst())
    let both = shop.run("add-track @in.mov @b.mov --track video --track metadata:1 -o @e.mov")
    #expect(both.output.contains { $0.hasSuffix("; describes track 3") }, "\(both)")
    #expect(shop.run("add-track @in.mov @b.mov --track video --describes video -o @f.mov").exitCode == .usage)
  }

  @Test func reportsMetadataOfARemovedTrack() throws {
    let shop = try shop("a.json", Self.items)
    shop.run("add-track @in.mov @a.json --metadata")
    let outcome = shop.run("remux @in.mov -o @b.mov --track audio --track metadata")
    #expect((outcome.output + outcome.errors).contains { $0.contains("cdsc") && $0.contains("track 1") }, "\(outcome)")
  }

  @Test(arguments: [
    "add-track a.mov b.gpx --start 2019-01-01T00:00:00Z", "add-track a.mov b.gpx --metadata --track video",
    "add-track a.mov b.gpx --metadata --start 1969-12-31T23:59:59Z",
    "add-track a.mov b.gpx --metadata --start 1970-01-01T00:00:00+01:00",
    "add-track a.mov b.gpx --metadata --start 9999-12-31T23:59:59-01:00",
    "add-track a.mov b.gpx --metadata --start 2019", "add-track a.mov b.gpx --metadata --rate 0",
    "add-track a.mov b.gpx --metadata --rate nan", "add-track a.mov b.gpx --metadata --offset x",
    "add-track a.mov b.gpx --metadata --rate 30/", "add-track a.mov b.gpx --metadata --rate 1/2/3",
    "add-track a.mov b.gpx --metadata --rate 1/0", "add-track a.mov b.gpx --metadata --replace --if-absent",
    "add-track a.mov b.mov --replace", "add-track - b.gpx --metadata",
    "add-track a.mov b.json --metadata --describes none --describes video",
    "add-track a.mov b.json --metadata --describes films", "add-track a.mov b.json --metadata --language en",
  ])
  func rejectsContradictions(line: String) {
    #expect(throws: UsageError.self) {
      try AddTrackCommand.parse(line.split(separator: " ").dropFirst().map(String.init))
    }
  }

  @Test(arguments: ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
  func acceptsTheFirstAndTheLastStart(date: String) throws {
    _ = try AddTrackCommand.parse(["a.mov", "b.gpx", "--metadata", "--start", date])
  }

  @Test func optionsOfRoutesRequireARoute() throws {
    let shop = try shop("a.json", Self.items)
    let outcome = shop.run("add-track @in.mov @a.json --metadata --rate 10")
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains("--rate requires a GPX file") == true)
  }
}
