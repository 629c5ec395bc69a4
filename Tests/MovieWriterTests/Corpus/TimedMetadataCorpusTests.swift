import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Timed metadata of real movies. The expected numbers are results of other programs, which the tests name.
struct TimedMetadataCorpusTests {
  private static func open(_ name: String) throws -> (movie: Movie, source: FileSource, path: String) {
    let corpus = try Corpus.require()
    let path = try #require(corpus.movies.first { $0.name == name }).path
    let source = try FileSource(path: path)
    return (try Movie(of: source), source, path)
  }

  private static func groups(
    _ name: String, identifiers: [String] = [], range: Range<Int64>? = nil
  ) async throws -> [TimedMetadataGroup] {
    let (movie, source, _) = try open(name)
    var groups: [TimedMetadataGroup] = []
    for try await group in try movie.timedMetadata(identifiers: identifiers, range: range, from: source) {
      groups.append(group)
    }
    return groups
  }

  /// The expected points are from mapillary-tools 0.14.7, and the expected times from GoPro's own parser
  /// (py-gpmf-parser 0.1.1).
  @Test func readsTheRouteOfAGoProMovie() throws {
    let (movie, source, _) = try Self.open("gopro-samples-hero7.mp4")
    let route = try #require(try movie.route(from: source))
    let points = route.points
    #expect(points.count == 199 && route.segments.count == 1 && route.omittedPointCount == 0)
    #expect(
      points[0].location == GeographicLocation(latitude: 33.1268403, longitude: -117.3274043, altitude: -19.468))
    #expect(
      points[198].location == GeographicLocation(latitude: 33.1266778, longitude: -117.3273132, altitude: -19.904))
    #expect(points[0].secondsSince1970 == 1_557_166_507.395 && points[0].speed == 1.61 && points[198].speed == 1.771)
    let expected = [
      0: 0.09190818, 1: 0.15447068, 17: 1.14559239, 18: 1.1982766, 36: 2.14951929, 100: 5.65301929, 198: 11.05022397,
    ]
    for (index, seconds) in expected {
      #expect(abs(Double(points[index].microseconds) / 1_000_000 - seconds) < 0.000_002, "\(index)")
    }
  }

  /// mapillary-tools and exiftool read these values. The camera stored local time (UTC−7) as UTC.
  @Test func notesTheClockOfAGoProMovie() throws {
    let (movie, source, _) = try Self.open("gopro-samples-hero7.mp4")
    let points = try #require(try movie.route(from: source))
    let route = try #require(DatedRoute(points, in: movie))
    #expect(route.clock == .gps && route.cameraClockNote?.contains("UTC−07:00") == true)
    #expect(route.date(of: route.route.points[0]) == 1_557_166_507.395)
  }

  @Test func listsStreamsOfAGoProMovie() async throws {
    let first = try #require(try await Self.groups("gopro-samples-hero7.mp4", identifiers: ["gpmd/*"]).first)
    #expect(first.problem == nil && first.microseconds == 0..<1_001_000)
    let items = Dictionary(first.items.map { ($0.identifier.key, $0) }) { first, _ in first }
    #expect(
      Set(items.keys).isSuperset(of: ["ACCL", "GYRO", "GPS5", "ISOE", "SHUT", "WBAL", "WRGB", "YAVG", "SCEN", "HUES"]))
    #expect(items["ACCL"]?.details["units"] == "m/s²" && items["ACCL"]?.details["rate"] == "170.8 Hz")
    #expect(items["GPS5"]?.nestedItems.count == 16)
  }

  /// Compares each point with exiftool.
  @Test func agreesWithExiftoolAboutARoute() throws {
    let (movie, source, path) = try Self.open("gopro-samples-hero7.mp4")
    let exiftool = try Witness.require("exiftool")
    func numbers(_ tag: String) throws -> [Double] {
      try exiftool.run(["-ee", "-a", "-n", "-s3", "-" + tag, path]).outputText.split(separator: "\n")
        .compactMap { Double($0) }
    }
    let points = try #require(try movie.route(from: source)).points
    // The values of the whole movie follow the values of the samples.
    #expect(try numbers("GPSLatitude").prefix(199).elementsEqual(points.map(\.location.latitude)))
    #expect(try numbers("GPSLongitude").prefix(199).elementsEqual(points.map(\.location.longitude)))
    #expect(try numbers("GPSAltitude").prefix(199).elementsEqual(points.map { $0.location.altitude ?? 0 }))
  }

  /// exiftool 12.57 reads the orientation 6 and the versions of the live photo info.
  @Test(arguments: [
    ("media3-dolbyvision-hdr.mov", 4), ("media3-sample-with-color-info.mp4", 9),
    ("streamio-vertical-video-from-iphone.mov", 36),
  ])
  func readsItemsOfIPhones(name: String, frames: Int) async throws {
    let groups = try await Self.groups(name)
    let orientations = groups.flatMap(\.items).filter { $0.identifier.key.hasSuffix("video-orientation") }
    #expect(orientations.map(\.numberValue) == [6])
    let photos = groups.filter { $0.items.contains { $0.identifier.key.hasSuffix("live-photo-info") } }
    #expect(photos.count >= frames && photos.allSatisfy { $0.items[0].bytes.prefix(4).elementsEqual([3, 0, 0, 0]) })
    #expect(zip(photos, photos.dropFirst()).allSatisfy { $0.microseconds.upperBound == $1.microseconds.lowerBound })
    #expect(groups.allSatisfy { $0.problem == nil })
  }

  /// Compares the time and the value of each item with exiftool.
  @Test(arguments: [
    "media3-dolbyvision-hdr.mov", "media3-sample-with-color-info.mp4", "livephoto-pairedvideo.mov",
    "tika-testmp4-stillimagetimezero.mov", "streamio-vertical-video-from-iphone.mov",
  ])
  func agreesWithExiftoolAboutItemsOfIPhones(name: String) async throws {
    let (_, _, path) = try Self.open(name)
    let lines = try Witness.require("exiftool").run(["-ee", "-a", "-n", "-s", "-G1", path]).outputText
      .split(separator: "\n")
    var (expected, time): ([(time: Double, name: String, value: String)], Double) = ([], -1)
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), let end = line.firstIndex(of: "]"), end < colon else { continue }
      let tag = line[line.index(after: end)..<colon].trimmingCharacters(in: .whitespaces)
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      switch tag {
      case "SampleTime": time = Double(value) ?? -1
      case "VideoOrientation", "StillImageTime", "LivePhotoInfo": expected.append((time, tag, value))
      default: break
      }
    }
    let names = [
      "video-orientation": "VideoOrientation", "still-image-time": "StillImageTime", "live-photo-info": "LivePhotoInfo",
    ]
    var found: [(time: Double, name: String, value: String)] = []
    for group in try await Self.groups(name).sorted(by: { ($0.trackID ?? 0) < ($1.trackID ?? 0) }) {
      for item in group.items {
        guard let name = names[String(item.identifier.key.split(separator: ".").last ?? "")] else { continue }
        found.append(
          (Double(group.microseconds.lowerBound) / 1_000_000, name, item.stringValue ?? Self.words(of: item)))
      }
    }
    #expect(found.map(\.name) == expected.map(\.name) && found.isEmpty == name.hasPrefix("tika"))
    for (mine, theirs) in zip(found, expected) {
      #expect(abs(mine.time - theirs.time) < 0.000_001, "\(mine) \(theirs)")
      // exiftool prints all fields of the live photo info. The first three are compared.
      let count = mine.value.split(separator: " ").count
      let values = theirs.value.split(separator: " ").prefix(count).compactMap { Double($0).map { Float($0) } }
      #expect(mine.value.split(separator: " ").compactMap { Float($0) } == values, "\(mine) \(theirs)")
    }
  }

  /// Returns the version, the second field and the third field of the live photo info.
  private static func words(of item: MetadataItem) -> String {
    func word(_ index: Int) -> UInt32 { (item.bytes.load(at: index * 4, as: UInt32.self) ?? 0).byteSwapped }
    return "\(word(0)) \(Float(bitPattern: word(1))) \(word(2))"
  }

  /// exiftool: sample time 0, duration 0.067 s, value 0.
  @Test func readsTheTimeOfAStillImage() async throws {
    let groups = try await Self.groups("livephoto-pairedvideo.mov", identifiers: ["*still-image-time"])
    #expect(groups.map { $0.items.map(\.numberValue) } == [[0]])
    #expect(groups.first?.microseconds == 0..<67_000)
  }

  /// The bytes of the atoms: schemes, times and identifiers.
  @Test func readsEventsBetweenFragments() async throws {
    let groups = try await Self.groups("media3-multi-segment-with-emsg1-video.mp4", identifiers: ["emsg/*"])
    #expect(groups.map(\.microseconds) == [0..<2_184_500, 500_000..<2_684_500])
    #expect(groups.flatMap(\.items).map(\.identifier.description) == ["emsg/urn:test", "emsg/urn:test"])
    #expect(groups.flatMap(\.items).map { $0.details["id"] } == ["1", "2"])
    #expect(groups.flatMap(\.items).map { String(decoding: $0.bytes, as: UTF8.self) } == ["Frag1_Data", "Frag2_Data"])
  }

  /// The bytes of the atoms: a scheme, a value, a time of 5 s and a duration of 65 535 s in the first file. The second
  /// file contains no event.
  @Test func readsEventsOfASegment() async throws {
    let corpus = try Corpus.require()
    let path = try #require(corpus.movies.first { $0.name == "isoboxer-fixtures-emsg.m4s" }).path
    let source = try FileSource(path: path)
    var reader = try #require(try TimedMetadataReader(ofSegment: source, identifiers: [], range: nil))
    let group = try #require(try reader.nextGroups()?.first)
    #expect(group.microseconds == 5_000_000..<65_540_000_000 && group.items.count == 1)
    #expect(group.items[0].identifier.description == "emsg/urn:mpeg:dash:event:2012")
    #expect(group.items[0].details == ["id": "1", "value": "1"])
    #expect(String(decoding: group.items[0].bytes, as: UTF8.self) == "2014-06-11T13:06:24")
    #expect(try await Self.groups("media3-emsg-sample-audio.mp4").isEmpty)
  }

  /// Bytes → items → bytes is the identity for every sample without unknown items. The encoder uses the keys of the sample
  /// description. The items of other formats contain the bytes of the sample.
  @Test func encodesTheItemsOfEverySampleAgain() throws {
    var counts: [FourCC: Int] = [:]
    for entry in try Corpus.require().movies {
      do {
        let source = try FileSource(path: entry.path)
        let presented = try Movie(of: source).includingFragments(from: source)
        for (number, track) in presented.movie.tracks.enumerated() {
          let entries = track.sampleDescriptions.entries
          guard entries.contains(where: { ["mebx", "gpmd", "camm"].contains($0.format) }) else { continue }
          let samples = presented.fragments.map { Array($0.tracks[number].samples) } ?? Array(track.samples.samples)
          for sample in samples {
            let index = Int(sample.sampleDescriptionIndex) - 1
            guard let range = sample.byteRange, entries.indices.contains(index) else { continue }
            let bytes = try source.readExactly(range)
            let decoded = TimedMetadataSample(format: entries[index].format, description: entries[index].body, bytes)
            if entries[index].format == "mebx" {
              guard !decoded.items.contains(where: { $0.identifier.space.rawValue == "mebx" }) else { continue }
              var encoder = BoxedMetadataEncoder(decoded.keys)
              var encoded = ByteWriter()
              try encoder.encode(decoded.items, to: &encoded)
              #expect(encoded.bytes == bytes.array, "\(entry.name)")
            } else if entries[index].format == "camm" {
              #expect(decoded.items.flatMap(\.bytes.array) == bytes.array, "\(entry.name)")
            } else {
              // The items are elements of eight bytes and their payload.
              for item in decoded.items {
                #expect(bytes.slice(at: Int(item.offset) + 8, count: item.bytes.count) == item.bytes, "\(entry.name)")
              }
            }
            counts[entries[index].format, default: 0] += 1
          }
        }
      } catch is MovieError {
        continue
      }
    }
    #expect((counts["mebx"] ?? 0) > 50 && (counts["gpmd"] ?? 0) > 5, "\(counts)")
  }

  /// The dates of a GoPro route never go back, although a payload comes 0.88 s after a payload of 1.001 s. The route goes
  /// into another movie and out again with equal points.
  @Test func writesTheRouteOfAGoProMovieIntoAnotherMovie() throws {
    let (movie, source, _) = try Self.open("gopro-samples-hero7.mp4")
    let route = try #require(try movie.route(from: source).flatMap { DatedRoute($0, in: movie) })
    let dates = route.route.points.compactMap { route.date(of: $0) }
    #expect(dates.count == 199 && zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 })
    let gpx = try GPXRoute(route.gpx(named: "a"))
    #expect(gpx.pointCount == 199)
    var edit = try MovieEdit(of: movie, from: source)
    let id = try edit.addTimedMetadata(gpx.groups(startingAt: dates[0]))
    let planned = try edit.plannedSource()
    let written = try #require(try Movie(of: planned).route(in: [id], from: planned))
    #expect(written.points.map(\.location) == route.route.points.prefix(written.points.count).map(\.location))
    #expect(written.points.count > 190)
  }

  /// Every readable movie yields its groups without a trap, in the order of time.
  @Test func readsTimedMetadataOfAllMovies() throws {
    var count = 0
    for entry in try Corpus.require().movies {
      do {
        let source = try FileSource(path: entry.path)
        let movie = try Movie(of: source)
        var reader = try TimedMetadataReader(movie, in: nil, identifiers: [], range: nil, from: source)
        var last = Int64.min
        while let groups = try reader.nextGroups() {
          count += groups.count
          for group in groups {
            #expect(group.microseconds.lowerBound >= last, "\(entry.name)")
            last = group.microseconds.lowerBound
          }
        }
      } catch is MovieError {
        continue
      }
    }
    #expect(count > 100)
  }
}
