import Foundation
import TestSupport
import Testing

@testable import MovieBox

struct RouteFileTests {
  private static let point = (481_370_000, 115_750_000, 520_000)

  private static func dated(
    _ tracks: [TestTrack], creation: String? = nil, clock: RouteClock? = nil
  ) throws -> DatedRoute? {
    let movie = TestMovie(tracks: tracks).with { movie in
      movie.movieAtoms = creation.map { mdtaMetadata([("com.apple.quicktime.creationdate", $0)]) } ?? []
    }
    let source = MemorySource(Bytes(movie.build().bytes))
    let read = try Movie(of: source)
    return DatedRoute(try #require(try read.route(from: source)), in: read, clock: clock)
  }

  private static let creation = "2019-05-06T11:15:07Z"

  private static let recording = TestTrack.timed(
    "gpmd", id: 1,
    [telemetryPayload(points: [point, point], total: 2), telemetryPayload(points: [point, point], total: 4, fix: 0)])

  @Test func writesGPXWithTimesOfTheReceiver() throws {
    let route = try #require(try Self.dated([Self.recording], creation: Self.creation))
    #expect(route.clock == .gps)
    let text = String(decoding: route.gpx(named: "a <b> & c"), as: UTF8.self)
    #expect(text.contains("<name>a &lt;b&gt; &amp; c</name>"))
    #expect(
      text.contains(
        #"<trkpt lat="48.137" lon="11.575"><ele>520.0</ele><time>2019-05-06T18:15:07.895Z</time></trkpt>"#))
    #expect(text.split(separator: "\n").filter { $0.contains("<trkpt") }.count == 2)
    #expect(text.hasPrefix("<?xml") && text.hasSuffix("    </trkseg>\n  </trk>\n</gpx>\n"))
  }

  @Test func writesTimesOfTheMovieOnRequest() throws {
    let route = try #require(try Self.dated([Self.recording], creation: Self.creation, clock: .movie))
    let text = String(decoding: route.gpx(named: "a"), as: UTF8.self)
    #expect(text.contains("<time>2019-05-06T11:15:07.500Z</time>"))
    #expect(try Self.dated([.route(id: 1, ["+48.1370+011.5750/"])], creation: Self.creation, clock: .gps) == nil)
  }

  @Test func omitsTimesOfAMovieWithoutDates() throws {
    var bytes = TestMovie(tracks: [.route(id: 1, ["+48.1370+011.5750/"])]).build().bytes
    for type in ["mvhd", "tkhd", "mdhd"] {
      let header = try #require(bytes.indices.first { bytes[$0...].starts(with: type.utf8) })
      // The creation time follows the type, version and flags.
      bytes.replaceSubrange(header + 8..<header + 12, with: zeros(4))
    }
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    let read = try #require(try movie.route(from: source))
    let route = try #require(DatedRoute(read, in: movie))
    #expect(route.clock == nil && DatedRoute(read, in: movie, clock: .movie)?.clock == nil)
    let text = String(decoding: route.gpx(named: "a"), as: UTF8.self)
    #expect(text.contains(#"<trkpt lat="48.137" lon="11.575"></trkpt>"#) && !text.contains("<desc>"))
  }

  /// The header of the movie counts from 1970 instead of 1904.
  @Test func writesDatesBefore1970() throws {
    var bytes = TestMovie(tracks: [.route(id: 1, ["+48.1370+011.5750/", "+48.1380+011.5760/"])]).build().bytes
    let header = try #require(bytes.indices.first { bytes[$0...].starts(with: "mvhd".utf8) })
    bytes.replaceSubrange(header + 8..<header + 12, with: u32(1_714_557_600))
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    let read = try #require(try movie.route(from: source))
    let route = try #require(DatedRoute(read, in: movie))
    let text = String(decoding: route.gpx(named: "a"), as: UTF8.self)
    for second in 0...1 { #expect(text.contains("<time>1958-05-01T10:00:0\(second).000Z</time>"), "\(text)") }
    #expect(
      route.creationDateNote == "the creation date 1958-05-01T10:00:00Z probably counts from 1970 instead of 1904 and "
        + "represents 2024-05-01T10:00:00Z")
    #expect(try Self.dated([Self.recording], creation: Self.creation, clock: .movie)?.creationDateNote == nil)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"), (-86_400, "1969-12-31T00:00:00.000Z"),
      (-86_400.5, "1969-12-30T23:59:59.500Z"), (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
      (-1e300, "0001-01-01T00:00:00.000Z"), (Double.nan, "0001-01-01T00:00:00.000Z"),
      (253_402_300_799, "9999-12-31T23:59:59.000Z"), (1e300, "9999-12-31T23:59:59.000Z"),
    ] as [(Double, String)])
  func writesDatesOfTheYears1To9999(seconds: Double, text: String) {
    #expect(UTCText.text(secondsSince1970: seconds) == text)
  }

  /// The creation date is 7 hours before the time of the receiver.
  @Test func notesLocalTimesInHeaders() throws {
    let note = try #require(try Self.dated([Self.recording], creation: Self.creation)?.cameraClockNote)
    #expect(note.contains("7 h 00 min") && note.contains("UTC−07:00"))
    #expect(try Self.dated([Self.recording], creation: "2019-05-06T11:15:07-0700")?.cameraClockNote == nil)
    #expect(try Self.dated([Self.recording], creation: "2019-05-06T11:21:47Z")?.cameraClockNote == nil)
  }

  @Test func writesGeoJSONWithALineForEachSegment() throws {
    let places = ["+48.1370+011.5750+520.000/", "+48.1380+011.5760+521.000/", "", "+48.1390+011.5770/"]
    let route = try #require(try Self.dated([.route(id: 1, places)], creation: Self.creation))
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(route.geoJSON(named: "ride"))) as? [String: Any])
    let geometry = try #require(json["geometry"] as? [String: Any])
    #expect(
      geometry["coordinates"] as? [[[Double]]] == [
        [[11.575, 48.137, 520], [11.576, 48.138, 521]], [[11.577, 48.139], [11.577, 48.139]],
      ])
    let properties = try #require(json["properties"] as? [String: Any])
    #expect(properties["clock"] as? String == "movie")
    #expect((properties["coordTimes"] as? [[String]])?.first?.last == "2019-05-06T11:15:08.000Z")
  }

  @Test func writesSmallNumbersWithoutExponents() throws {
    let route = try #require(try Self.dated([.route(id: 1, ["+00.00001-000.00002/"])]))
    #expect(
      String(decoding: route.gpx(named: "a"), as: UTF8.self).contains(#"lat="0.00001" lon="-0.00002""#))
  }
}
