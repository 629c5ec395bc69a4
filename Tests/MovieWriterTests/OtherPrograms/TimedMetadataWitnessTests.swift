import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Other programs read the timed metadata and the routes that we write, and we read their routes.
struct TimedMetadataWitnessTests {
  private static let location = "com.apple.quicktime.location.ISO6709"

  private static func group(_ range: Range<Int64>, _ items: [(key: String, value: MetadataValue, type: UInt32)]) throws
    -> TimedMetadataGroup
  {
    TimedMetadataGroup(
      microseconds: range,
      items: try items.map { item in
        try #require(
          MetadataIdentifier("mdta/" + item.key).flatMap { MetadataItem($0, item.value, typeCode: item.type) })
      })
  }

  /// Writes a playable movie with timed metadata. Returns its folder and path.
  private static func written() throws -> (TemporaryFolder, String) {
    let folder = try TemporaryFolder()
    try folder.write(TestMovie.playable, as: "a.mov")
    let source = try FileSource(path: folder.file("a.mov"))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.addTimedMetadata([
      group(
        250_000..<500_000,
        [
          (location, .text("+48.13700+011.57500+520.000/"), 1),
          ("com.apple.quicktime.video-orientation", .integer(6), 66),
        ]),
      group(500_000..<1_250_000, [(location, .text("+48.13800+011.57600+521.000/"), 1)]),
      group(1_500_000..<2_000_000, [("com.apple.quicktime.video-orientation", .integer(1), 66)]),
    ])
    try MovieFileWriter(edit, to: .sourceFile(folder.file("a.mov"))).write()
    return (folder, folder.file("a.mov"))
  }

  /// exiftool prints the time of each sample before its items.
  @Test func exiftoolReadsEachItemAtItsTime() throws {
    let (folder, path) = try Self.written()
    let lines = try Witness.require("exiftool").run(["-ee", "-a", "-n", "-s", "-G1", path]).outputText
      .split(separator: "\n")
    _ = folder
    var (time, found): (Double, [String]) = (-1, [])
    for line in lines {
      let halves = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard halves.count == 2, let name = halves[0].split(separator: " ").last else { continue }
      switch name {
      case "SampleTime": time = Double(halves[1]) ?? -1
      case "GPSCoordinates", "VideoOrientation": found.append("\(time) \(name) \(halves[1])")
      default: break
      }
    }
    #expect(
      found == [
        "0.25 GPSCoordinates 48.137 11.575 520", "0.25 VideoOrientation 6", "0.5 GPSCoordinates 48.138 11.576 521",
        "1.5 VideoOrientation 1",
      ], "\(found)")
  }

  @Test func otherProgramsListTheTrackAndPlayTheMovie() throws {
    let (folder, path) = try Self.written()
    let old = try TemporaryFolder()
    try old.write(TestMovie.playable, as: "a.mov")
    let streams = try Witness.json("ffprobe", ["-v", "error", "-show_streams", "-of", "json", path])["streams"]
    let tags = try #require(streams as? [[String: Any]]).compactMap { $0["codec_tag_string"] as? String }
    #expect(tags.last == "mebx")
    let media = try Witness.require("mediainfo").run(["--Output=XML", path]).outputText
    #expect(media.contains("mebx") || media.contains("Metas"), "\(media)")
    func decoded(_ path: String) throws -> String {
      let result = try Witness.require("ffmpeg").run(
        ["-v", "error", "-nostdin", "-i", path, "-map", "0:v", "-map", "0:a", "-f", "md5", "-"])
      #expect(result.code == 0, "\(result.errorText)")
      return result.outputText
    }
    #expect(try decoded(path) == decoded(old.file("a.mov")))
    _ = folder
  }

  /// exiftool reads the camera motion metadata that we read, at equal times.
  @Test func exiftoolReadsEqualCameraMotionMetadata() throws {
    let samples = [
      cameraMotion(5, littleDoubles(48.137, 11.575, 520)), cameraMotion(2, littleFloats(1, 2, 3)),
      cameraMotion(
        6,
        littleDoubles(1_241_200_525.395) + u32(3).reversed() + littleDoubles(33.1268403, -117.3274043)
          + littleFloats(-19.5, 2, 3, 3, 4, 0, 0.5)),
    ]
    let folder = try TemporaryFolder()
    let test = TestMovie(tracks: [TestTrack(.video, id: 1), .timed("camm", id: 2, samples)])
    try folder.write(test, as: "a.mp4")
    let source = try FileSource(path: folder.file("a.mp4"))
    let points = try #require(try Movie(of: source).route(from: source)).points
    #expect(points.map(\.microseconds) == [0, 2_000_000])
    let lines = try Witness.require("exiftool").run(["-ee", "-a", "-n", "-s", "-G1", folder.file("a.mp4")]).outputText
      .split(separator: "\n").filter { $0.hasPrefix("[Track2]") }
    func numbers(_ tag: String) -> [Double] {
      lines.compactMap { line in
        let halves = line.dropFirst("[Track2]".count).split(separator: ":", maxSplits: 1)
          .map { $0.trimmingCharacters(in: .whitespaces) }
        return halves.first == tag ? halves.last.flatMap(Double.init) : nil
      }
    }
    #expect(numbers("SampleTime") == [0, 1, 2])
    #expect(numbers("GPSLatitude") == points.map(\.location.latitude))
    #expect(numbers("GPSLongitude") == points.map(\.location.longitude))
    #expect(numbers("GPSAltitude") == points.map { $0.location.altitude ?? 0 })
  }

  // MARK: - GPX

  private static let places = [
    "+33.1268403-117.3274043-019.468/", "+33.1266778-117.3273132-019.904/", "-00.0000110+179.9999999/",
  ]

  private static func writtenRoute() throws -> (TemporaryFolder, String) {
    let folder = try TemporaryFolder()
    let movie = TestMovie(tracks: [.route(id: 1, places)]).with {
      $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.creationdate", "2019-05-06T18:15:07Z")])
    }
    let source = MemorySource(Bytes(movie.build().bytes))
    let read = try Movie(of: source)
    let dated = try #require(try read.route(from: source).flatMap { DatedRoute($0, in: read) })
    try folder.write(dated.gpx(named: "ride"), as: "a.gpx")
    return (folder, folder.file("a.gpx"))
  }

  /// Prints the points of a file, and writes the file again.
  private static let script = """
    import gpxpy, json, sys
    gpx = gpxpy.parse(open(sys.argv[1]))
    print(json.dumps({"points": [[p.latitude, p.longitude, p.elevation, p.time.timestamp()]
      for t in gpx.tracks for s in t.segments for p in s.points]}))
    open(sys.argv[2], "w").write(gpx.to_xml())
    """

  @Test func gpxpyAndGPSBabelReadOurRoutesAndWeReadTheirs() throws {
    let (folder, path) = try Self.writtenRoute()
    let result = try Witness.require("python3").run(["-c", Self.script, path, folder.file("b.gpx")])
    try #require(result.code == 0, "\(result.errorText)")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    let points = try #require(json["points"] as? [[Any]])
    let expected = Self.places.compactMap { GeographicLocation($0) }
    #expect(points.map { $0[0] as? Double } == expected.map(\.latitude))
    #expect(points.map { $0[1] as? Double } == expected.map(\.longitude))
    #expect(points.map { $0[2] as? Double } == expected.map(\.altitude))
    #expect(points.map { $0[3] as? Double } == [1_557_166_507, 1_557_166_508, 1_557_166_509])
    let babel = try Witness.require("gpsbabel").run(["-i", "gpx", "-f", path, "-o", "gpx", "-F", folder.file("c.gpx")])
    try #require(babel.code == 0, "\(babel.errorText)")
    for name in ["b.gpx", "c.gpx"] {
      let groups = try GPXRoute(folder.read(name)).groups(startingAt: 1_557_166_507)
      #expect(groups.map(\.microseconds.lowerBound) == [0, 1_000_000, 2_000_000])
      #expect(groups.compactMap { $0.items.first?.locationValue } == expected, "\(name)")
    }
  }

  /// GPSBabel's other versions and formats.
  @Test func readsGPXOfEarlierVersions() throws {
    let (folder, path) = try Self.writtenRoute()
    let babel = try Witness.require("gpsbabel").run(
      ["-i", "gpx", "-f", path, "-o", "gpx,gpxver=1.0", "-F", folder.file("d.gpx")])
    try #require(babel.code == 0, "\(babel.errorText)")
    #expect(String(decoding: try folder.read("d.gpx"), as: UTF8.self).contains("GPX/1/0"))
    #expect(try GPXRoute(folder.read("d.gpx")).pointCount == 3)
  }
}
