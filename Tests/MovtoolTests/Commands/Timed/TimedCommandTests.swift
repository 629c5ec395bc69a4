import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct TimedCommandTests {
  private static let keys = [
    TestMetadataKey(1, "com.apple.quicktime.video-orientation", type: 66),
    TestMetadataKey(2, "com.example.note", type: 1),
  ]
  private static let point = (481_370_000, 115_750_000, 520_000)

  static let movie = TestMovie(tracks: [
    TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 6_000)] },
    TestTrack.boxed(
      id: 2, keys,
      [
        atom(numbered: 1) { u16(6) } + atom(numbered: 2) { text("a, \"b\"") }, atom(numbered: 0),
        atom(numbered: 1) { u16(1) },
      ]
    ).with { $0.references = [TestReference("cdsc", 1)] },
    TestTrack.timed(
      "gpmd", id: 3,
      [
        telemetryPayload(points: [point, point], total: 2), telemetryPayload(points: [point, (0, 0, 0)], total: 4),
      ]),
  ]).with { $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.creationdate", "2019-05-06T11:15:07Z")]) }

  @Test func listsTracksWithIdentifiersAndTypes() throws {
    let shop = try Workshop(Self.movie)
    let lines = shop.run("timed @in.mov").output
    #expect(
      lines == [
        "track 2: mebx, describes track 1, 3 samples, 0.000 s to 3.000 s",
        "  mdta/com.apple.quicktime.video-orientation  int16",
        "  mdta/com.example.note  UTF-8",
        "track 3: gpmd (GoPro telemetry), 2 samples, 0.000 s to 2.000 s",
      ])
    let json = shop.run("timed @in.mov --json").json
    let tracks = try #require((json["files"] as? [[String: Any]])?.first?["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["id"] as? Int } == [2, 3] && tracks[0]["describes"] as? [Int] == [1])
  }

  @Test func showsItemsOfATimeRange() throws {
    let shop = try Workshop(Self.movie)
    let lines = shop.run("timed @in.mov --track metadata:1 --to 2").output
    #expect(
      lines == [
        "0.000 s to 1.000 s  track 2  mdta/com.apple.quicktime.video-orientation  6 (rotated by 90° clockwise)",
        "0.000 s to 1.000 s  track 2  mdta/com.example.note  a, \"b\"", "1.000 s to 2.000 s  track 2  gap",
      ])
    let orientation = shop.run("timed @in.mov --identifier *orientation --from 2.5").output
    #expect(orientation.count == 1 && orientation[0].hasSuffix("1 (upright)"))
    #expect(shop.run("timed @in.mov --identifier mdta/none").exitCode == .no)
  }

  @Test func printsGroupsAsJSON() throws {
    let json = try Workshop(Self.movie).run("timed @in.mov --track metadata --json").json
    let groups = try #require(json["groups"] as? [[String: Any]])
    #expect(groups.count == 5)
    let items = groups.compactMap { $0["items"] as? [[String: Any]] }.flatMap { $0 }
    #expect(items.compactMap { $0["string"] as? String }.contains("a, \"b\""))
    let points = items.filter { $0["identifier"] as? String == "gpmd/GPS5" }.compactMap { $0["items"] as? [Any] }
    #expect(points.map(\.count) == [2, 2])
  }

  @Test func writesATable() throws {
    let shop = try Workshop(Self.movie)
    let console = Console(isOnDisk: true)
    shop.run("timed @in.mov --csv --identifier mdta/*", console)
    let rows = console.output.text.components(separatedBy: "\r\n")
    #expect(
      rows.prefix(2) == [
        "track,start,end,mdta/com.apple.quicktime.video-orientation,mdta/com.example.note",
        "2,0.000,1.000,6,\"a, \"\"b\"\"\"",
      ])
    #expect(rows.count == 5 && rows.last == "")
    #expect(shop.run("timed @in.mov --csv --track id:2 -o @a.csv").output == ["wrote 3 rows to a.csv"])
    #expect(shop.run("timed @in.mov --csv --track id:2 --to 1 -o @b.csv").output == ["wrote 1 row to b.csv"])
  }

  @Test func writesValuesOfTelemetryIntoATable() throws {
    let console = Console(isOnDisk: true)
    try Workshop(Self.movie).run("timed @in.mov --csv --track id:3", console)
    let rows = console.output.text.components(separatedBy: "\r\n")
    #expect(rows[0] == "track,start,end,gpmd/ACCL,gpmd/GPS5")
    #expect(rows[1].hasSuffix(",48.137 11.575 520.0 1.61 1.63; 48.137 11.575 520.0 1.61 1.63"), "\(rows)")
    #expect(!rows[1].contains("0001"))
  }

  @Test func theNameOfTheOutputDeterminesTheFormat() throws {
    let shop = try Workshop(Self.movie)
    let starts = [("a.gpx", "<?xml"), ("a.GeoJSON", "{"), ("a.csv", "track,"), ("a.json", "{\n  \"file\"")]
    for (name, start) in starts {
      #expect(shop.run("timed @in.mov -o @" + name).exitCode == .done)
      #expect(String(decoding: try shop.folder.read(name), as: UTF8.self).hasPrefix(start))
    }
  }

  /// The file contains the groups that `--json` prints, and the answer is a summary.
  @Test func writesItemsAsJSON() throws {
    let shop = try Workshop(Self.movie)
    let selection = "timed @in.mov --identifier mdta/* --to 2"
    let printed = shop.run(selection + " --json").json
    #expect(shop.run(selection + " -o @a.json").output == ["wrote 2 groups to a.json"])
    let file = try #require(
      try JSONSerialization.jsonObject(with: Data(shop.folder.read("a.json"))) as? [String: Any])
    #expect(file["groups"] as? NSArray == printed["groups"] as? NSArray)
    let answer = shop.run(selection + " -o @a.json --json --force").json
    #expect(answer["groupCount"] as? Int == 2 && (answer["output"] as? String)?.hasSuffix("a.json") == true)
    #expect(shop.run(selection + " -o @a.json").exitCode != .done, "the file exists")
  }

  @Test(arguments: ["json", "csv", "gpx"]) func writesNoFileWithoutItems(format: String) throws {
    let shop = try Workshop(Self.movie)
    let outcome = shop.run("timed @in.mov --track id:2 --from 9 -o @b.\(format)")
    #expect(outcome.exitCode == .no && !outcome.output.contains { $0.hasPrefix("wrote") }, "\(outcome)")
    #expect(throws: (any Error).self) { try shop.folder.read("b.\(format)") }
    let words = format == "gpx" ? "has no route" : "in.mov has no items that match"
    #expect((outcome.output + outcome.errors).contains { $0.contains(words) }, "\(outcome)")
    let answer = shop.run("timed @in.mov --track id:2 --from 9 -o @b.\(format) --json")
    #expect(answer.exitCode == .no && answer.json["output"] is NSNull, "\(answer)")
  }

  @Test func reportsATableWithoutItemsOnStandardOutput() throws {
    let shop = try Workshop(Self.movie)
    let table = shop.run("timed @in.mov --track id:2 --from 9 --csv")
    #expect(table.exitCode == .no && table.errors == ["in.mov has no items that match"], "\(table)")
    let lines = shop.run("timed @in.mov --track id:2 --from 9")
    #expect(lines.exitCode == .no && lines.errors == table.errors, "\(lines)")
  }

  /// Escapes of control characters differ from text with a backslash.
  @Test func escapesTextOfATable() throws {
    let keys = [TestMetadataKey(1, "com.example.note", type: 1)]
    let shop = try Workshop(TestMovie(tracks: [.boxed(id: 2, keys, [atom(numbered: 1) { text("a\\n\nb") }])]))
    let console = Console(isOnDisk: true)
    shop.run("timed @in.mov --csv", console)
    #expect(console.output.text.contains(#",a\\n\nb"#), "\(console.output.text)")
    shop.run("timed @in.mov -o @a.csv")
    #expect(String(decoding: try shop.folder.read("a.csv"), as: UTF8.self).contains("\"a\\n\nb\""))
  }

  /// Lines and columns contain the languages of items.
  @Test func showsLanguages() throws {
    let keys = [
      TestMetadataKey(1, "com.example.note", type: 1, language: "de-CH"),
      TestMetadataKey(2, "com.example.note", type: 1),
    ]
    let sample = atom(numbered: 1) { text("gut") } + atom(numbered: 2) { text("good") }
    let shop = try Workshop(TestMovie(tracks: [TestTrack(.video, id: 1), .boxed(id: 2, keys, [sample])]))
    #expect(
      shop.run("timed @in.mov --track metadata").output == [
        "0.000 s to 1.000 s  track 2  mdta/com.example.note  gut  (language de-CH)",
        "0.000 s to 1.000 s  track 2  mdta/com.example.note  good",
      ])
    shop.run("timed @in.mov -o @a.csv")
    #expect(
      String(decoding: try shop.folder.read("a.csv"), as: UTF8.self)
        == "track,start,end,mdta/com.example.note (de-CH),mdta/com.example.note\r\n2,0.000,1.000,gut,good\r\n")
  }

  /// Texts of movies cannot control the terminal, and long texts are cut.
  @Test(arguments: [
    ("plain", "plain"), ("Größe", "Größe"), ("a\nb", "a b"), ("a\u{1B}[2J", "a\\u{1b}[2J"),
    (String(repeating: "x", count: 60), String(repeating: "x", count: 60)),
    (String(repeating: "x", count: 61), String(repeating: "x", count: 59) + "…"),
    (String(repeating: "é", count: 60), String(repeating: "é", count: 60)),
    (String(repeating: "é", count: 61), String(repeating: "é", count: 59) + "…"),
  ])
  func showsTexts(stored: String, shown: String) throws {
    let keys = [TestMetadataKey(1, "com.example.a\tb", type: 1)]
    let shop = try Workshop(TestMovie(tracks: [.boxed(id: 2, keys, [atom(numbered: 1) { text(stored) }])]))
    #expect(
      shop.run("timed @in.mov --track metadata").output
        == ["0.000 s to 1.000 s  track 2  mdta/com.example.a\\tb  " + shown])
  }

  @Test func limitsTheRouteToATimeRange() throws {
    let shop = try Workshop(
      TestMovie(tracks: [.route(id: 1, ["+48.0+011.0/", "+49.0+012.0/", "+50.0+013.0/"])]))
    shop.run("timed @in.mov --from 1 --to 2 -o @a.gpx")
    let text = String(decoding: try shop.folder.read("a.gpx"), as: UTF8.self)
    #expect(text.components(separatedBy: "<trkpt").count == 2 && text.contains("lat=\"49.0\""), "\(text)")
    let none = shop.run("timed @in.mov --from 3 --geojson")
    #expect(none.exitCode == .no && none.errors.contains { $0.contains("no route in this time range") }, "\(none)")
  }

  @Test func advisesOnOperandsAndOptions() throws {
    let shop = try Workshop(Self.movie)
    #expect(shop.run("timed @in.mov @in.mov --gpx").errors.allSatisfy { !$0.contains("-o") })
    #expect(shop.run("timed @in.mov @a.gpx --gpx").errors.contains { $0.contains("-o") && $0.contains("a.gpx") })
    #expect(shop.run("timed @in.mov --gps").errors.contains { $0.contains("--gpx") })
    #expect(shop.run("timed -").errors.contains { $0.contains("cannot read standard input") })
    #expect(shop.run("timed @in.mov -o -").errors.contains { $0.contains("--json prints JSON to standard output") })
  }

  /// A media segment contains events without a movie atom. Its index contains its start.
  @Test func readsEventsOfAMediaSegment() throws {
    let shop = try Workshop()
    let event = fullAtom("emsg") { Array("urn:x\0v\0".utf8) + u32(1_000, 500, 250, 7) + text("data") }
    let index = fullAtom("sidx") { u32(1, 50, 200, 0) + u16(0, 1) + u32(8, 1, 0) }
    try shop.folder.write(atom("styp") { text("msdh") + u32(0) } + event + index + atom("moof") {}, as: "a.m4s")
    #expect(
      shop.run("timed @a.m4s").output == [
        "between fragments: emsg (events), 1 event, 4.500 s to 4.750 s", "  emsg/urn:x",
      ])
    #expect(
      shop.run("timed @a.m4s --identifier emsg/*").output.first?.hasPrefix("4.500 s to 4.750 s  event  emsg/urn:x")
        == true)
    // An event whose time scale is 0 has no times. Such events are counted.
    let timeless = fullAtom("emsg") { Array("urn:x\0v\0".utf8) + u32(0, 500, 250, 7) }
    try shop.folder.write(event + timeless, as: "d.m4s")
    let counted = shop.run("timed @d.m4s --identifier emsg/*")
    #expect(counted.output.count == 1 && counted.errors.contains { $0.contains("1 event (emsg) is unreadable") })
    // A segment may contain only events.
    try shop.folder.write(event, as: "c.m4s")
    #expect(shop.run("timed @c.m4s").output.first == "between fragments: emsg (events), 1 event, 0.500 s to 0.750 s")
    #expect(shop.run("timed @c.m4s -o @c.json").output == ["wrote 1 group to c.json"])
    try shop.folder.write(atom("styp") { text("msdh") + u32(0) } + atom("moof") {}, as: "b.m4s")
    #expect(shop.run("timed @b.m4s").exitCode == .badData)
    // Without the initialization segment, there are neither tracks nor a route.
    for options in ["--gpx", "--track id:1", "--gpx --track id:1", "--csv --track id:1"] {
      for (name, words) in [
        ("a", "only its events can be read"), ("b", "; prepend its initialization segment"),
        ("c", "contains only events, so it has no tracks and no route"),
      ] {
        let outcome = shop.run("timed @\(name).m4s \(options)")
        #expect(
          outcome.exitCode == .badData && outcome.errors.contains { $0.contains(words) },
          "\(name) \(options) \(outcome)")
      }
    }
  }

  /// Lines contain the descriptions and owners of frames, because several frames of a type differ only in these.
  @Test func showsTheDescriptionsOfFrames() throws {
    func frame(_ type: String, _ content: [UInt8]) -> [UInt8] { code(type) + u32(content.count) + u16(0) + content }
    let frames =
      frame("TXXX", [3] + Array("station\0Radio".utf8)) + frame("PRIV", Array("com.example\0".utf8) + [1, 2])
    let tag = Array("ID3".utf8) + u8(4, 0, 0) + u8(0, 0, 0, frames.count) + frames
    let shop = try Workshop()
    let event = fullAtom("emsg") {
      Array("https://aomedia.org/emsg/ID3\0\0".utf8) + u32(1_000, 500, 250, 7) + tag
    }
    try shop.folder.write(event, as: "a.m4s")
    let lines = shop.run("timed @a.m4s --identifier emsg/*").output
    #expect(lines.contains { $0.hasSuffix("id3/TXXX  Radio  (description station)") }, "\(lines)")
    #expect(lines.contains { $0.contains("id3/PRIV") && $0.hasSuffix("(owner com.example)") }, "\(lines)")
  }

  @Test func namesTheSelectedTrackWithoutARoute() throws {
    let shop = try Workshop(Self.movie)
    let one = shop.run("timed @in.mov --gpx --track id:1")
    #expect(one.exitCode == .no)
    #expect((one.output + one.errors).contains { $0.contains("track 1 of in.mov has no route") }, "\(one)")
    // Without a selection, the file is the subject.
    let plain = try Workshop(TestMovie.simple).run("timed @in.mov --gpx")
    #expect((plain.output + plain.errors).contains { $0.hasSuffix("in.mov has no route") && !$0.contains("track") })
  }

  @Test func writesTheRoute() throws {
    let shop = try Workshop(Self.movie)
    let outcome = shop.run("timed @in.mov --gpx -o @a.gpx")
    #expect(outcome.output == ["wrote 3 points in 1 segment of track 3 (gpmd) to a.gpx; times of the GPS receiver"])
    #expect(outcome.errors.contains { $0.contains("1 points without") || $0.contains("1 point without") })
    #expect(outcome.errors.contains { $0.contains("7 h 00 min") })
    let text = try String(contentsOfFile: shop.folder.file("a.gpx"), encoding: .utf8)
    #expect(text.components(separatedBy: "<trkpt").count == 4 && text.contains("<time>2019-05-06T18:15:07.395Z</time>"))
    // The file is not overwritten, unless this is requested.
    #expect(shop.run("timed @in.mov --gpx -o @a.gpx").exitCode != .done)
    #expect(shop.run("timed @in.mov --gpx -o @a.gpx --force --clock movie").exitCode == .done)
    let moved = try String(contentsOfFile: shop.folder.file("a.gpx"), encoding: .utf8)
    #expect(moved.contains("<time>2019-05-06T11:15:07.000Z</time>"))
    let stream = shop.run("timed @in.mov --geojson")
    #expect(
      stream.output.joined().contains("MultiLineString") && stream.errors.contains { $0.hasPrefix("note: 3 points") })
  }

  private static let places = TestTrack.route(id: 1, ["+48.1370+011.5750/", "+48.1380+011.5760/"])

  /// Returns a movie with a date in its headers.
  private static func bytes(_ movie: TestMovie, dated seconds: Int, _ headers: [String]) throws -> [UInt8] {
    var bytes = movie.build().bytes
    for type in headers {
      let header = try #require(bytes.indices.first { bytes[$0...].starts(with: type.utf8) })
      // The creation time follows the type, version and flags.
      bytes.replaceSubrange(header + 8..<header + 12, with: u32(seconds))
    }
    return bytes
  }

  @Test func warnsAboutACreationDateSince1970() throws {
    let shop = try Workshop()
    try shop.folder.write(
      Self.bytes(TestMovie(tracks: [Self.places]), dated: 1_714_557_600, ["mvhd"]), as: "in.mov")
    let outcome = shop.run("timed @in.mov --gpx -o @a.gpx")
    let words = "the creation date 1958-05-01T10:00:00Z probably counts from 1970 instead of 1904 and represents 2024"
    #expect(outcome.exitCode == .done && outcome.errors.contains { $0.contains(words) }, "\(outcome)")
    #expect(String(decoding: try shop.folder.read("a.gpx"), as: UTF8.self).contains("<time>1958-05-01T10:00:01.000Z"))
    let warnings = shop.run("timed @in.mov --geojson -o @a.geojson --json").json["warnings"] as? [[String: Any]]
    #expect(warnings?.compactMap { $0["code"] as? String } == ["creation-date"])
    // A route without a common time is refused, and the error contains the probable date.
    let refused = shop.run("add-track @in.mov @a.gpx --metadata --offset -100000")
    #expect(refused.exitCode == .badData)
    #expect(
      refused.errors.contains { $0.contains("the movie from 1958-05-01T10:00:00.000Z to 1958") && $0.contains(words) },
      "\(refused)")
  }

  /// Advice names a clock only if the movie has it.
  @Test func advisesOnClocks() throws {
    let shop = try Workshop(TestMovie(tracks: [Self.places]))
    let gps = shop.run("timed @in.mov --gpx --clock gps")
    #expect(gps.exitCode == .usage && gps.errors.contains { $0.contains("; use --clock movie") }, "\(gps)")
    try shop.folder.write(
      Self.bytes(TestMovie(tracks: [Self.places]), dated: 0, ["mvhd", "tkhd", "mdhd"]), as: "a.mov")
    for clock in ["gps", "movie"] {
      let outcome = shop.run("timed @a.mov --gpx --clock \(clock)")
      #expect(outcome.exitCode == .usage, "\(outcome)")
      #expect(
        outcome.errors.contains { $0.contains("; omit --clock") }
          && !outcome.errors.contains { $0.contains("use --clock") }, "\(outcome)")
    }
    #expect(shop.run("timed @a.mov --gpx").exitCode == .done)
  }

  @Test func reportsMoviesWithoutTimedMetadata() throws {
    let shop = try Workshop(.simple)
    #expect(shop.run("timed @in.mov").exitCode == .no)
    #expect(shop.run("timed @in.mov --gpx").exitCode == .no)
  }

  @Test(arguments: [
    "timed", "timed a.mov --gpx --csv", "timed a.mov --clock gps", "timed a.mov --gpx --clock local",
    "timed a.mov -o a.txt", "timed a.mov -o a.gpx --identifier mdta/*", "timed a.mov --from 2 --to 1",
    "timed a.mov --from x", "timed a.mov b.mov --csv", "timed a.mov b.mov -o a.json", "timed a.mov -o json",
    "timed a.mov --gpx --from 2 --to 1", "timed a.mov --csv --json", "timed -", "timed a.mov --from 1 --force",
  ])
  func rejectsContradictions(line: String) {
    #expect(throws: UsageError.self) { try TimedCommand.parse(line.split(separator: " ").dropFirst().map(String.init)) }
  }

  @Test func showsTimedMetadataInTheSummary() throws {
    let shop = try Workshop(
      TestMovie(tracks: [
        TestTrack(.video, id: 1),
        .boxed(
          id: 2, [TestMetadataKey(1, "com.apple.quicktime.video-orientation", type: 66)], [atom(numbered: 1) { u16(6) }]
        ),
        .route(id: 3, ["+48.1370+011.5750/", "+48.1380+011.5760/", ""]),
        TestTrack.boxed(
          id: 4, [TestMetadataKey(1, "com.apple.quicktime.still-image-time", type: 65)], [atom(numbered: 1) { u8(255) }]
        ).with { $0.edits = [TestEdit(duration: 1_038, mediaTime: -1), TestEdit(duration: 1, mediaTime: 0)] },
      ]))
    let lines = shop.run("inspect @in.mov").output
    let start = try #require(lines.firstIndex(of: "Timed metadata"))
    #expect(
      lines[(start + 1)...].prefix(3) == [
        "  track 2: orientation 6", "  track 3: places: 2, 0.0 s to 3.0 s", "  track 4: still image at 1.73 s",
      ])
  }
}
