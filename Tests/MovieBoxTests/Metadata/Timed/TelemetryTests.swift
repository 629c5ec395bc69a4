import TestSupport
import Testing

@testable import MovieBox

struct TelemetryTests {
  private static func route(_ payloads: [[UInt8]]) throws -> MovieRoute? {
    let (movie, source) = try TimedMetadataTests.movie([.timed("gpmd", id: 1, payloads)])
    return try movie.route(from: source)
  }

  /// An element of eight bytes can declare 65 535 rows without bytes.
  @Test func ignoresRowsWithoutBytes() throws {
    let element = code("GPS5") + u8(Int(UInt8(ascii: "l")), 0) + u16(65_535)
    let payload = telemetry("DEVC") { telemetry("STRM") { [[UInt8]](repeating: element, count: 1_000).flatMap { $0 } } }
    let sample = TimedMetadataSample(format: "gpmd", description: Bytes(), Bytes(payload))
    #expect(sample.items.count == 1_000 && sample.items.allSatisfy(\.nestedItems.isEmpty))
    #expect(sample.points.isEmpty)
  }

  /// Each item contains the name and the units of its stream, so long texts are shortened.
  @Test func shortensLongDetails() throws {
    let units = [[UInt8]](repeating: text("m/s²"), count: 1).flatMap { $0 }
    let payload = telemetry("DEVC") {
      telemetry("STRM") {
        telemetry("STNM", "c", row: 1, text(String(repeating: "n", count: 9_000)))
        telemetry("UNIT", "c", row: units.count, (0..<9_000).flatMap { _ in units })
        (0..<200).flatMap { _ in telemetry("RAWX", "F", row: 4, text("abcd")) }
      }
    }
    let items = TimedMetadataSample(format: "gpmd", description: Bytes(), Bytes(payload)).items
    #expect(items.count == 200)
    #expect(items.allSatisfy { $0.details["name"]?.count == 200 && $0.details["units"]?.count ?? 0 <= 200 })
  }

  /// Points are spread evenly over a payload. Payloads 1 and 2 end after 2 and 4 points, so there is no delay.
  @Test func spreadsScaledPointsOverTheirPayload() throws {
    let route = try #require(
      try Self.route([
        telemetryPayload(
          points: [(331_268_403, -1_173_274_043, -19_468), (331_268_396, -1_173_274_038, -19_453)], total: 2),
        telemetryPayload(
          points: [(331_268_391, -1_173_274_036, 0), (331_268_383, -1_173_274_031, 0)], total: 4,
          date: "190506181508.395"),
      ]))
    #expect(route.format == "gpmd" && route.segments.count == 1)
    #expect(route.points.map(\.microseconds) == [0, 500_000, 1_000_000, 1_500_000])
    #expect(
      route.points[0].location
        == GeographicLocation(latitude: 33.1268403, longitude: -117.3274043, altitude: -19.468))
    #expect(route.points.map(\.speed) == [1.61, 1.61, 1.61, 1.61])
    // 2019-05-06 18:15:07.395 UTC.
    #expect(
      route.points.map(\.secondsSince1970) == [
        1_557_166_507.395, 1_557_166_507.895, 1_557_166_508.395, 1_557_166_508.895,
      ])
  }

  /// A payload that is dated before the end of the previous payload compresses the dates of that payload.
  @Test func datesNeverGoBack() throws {
    let point = (10_000_000, 20_000_000, 0)
    let points = [(Int, Int, Int)](repeating: point, count: 4)
    let route = try #require(
      try Self.route([
        telemetryPayload(points: points, total: 4, date: "190506181507.000"),
        telemetryPayload(points: points, total: 8, date: "190506181507.600"),
        // The clock of the receiver is set back, so a segment begins.
        telemetryPayload(points: points, total: 12, date: "190506181500.000"),
      ]))
    #expect(route.segments.map(\.count) == [8, 4])
    let dates = route.segments[0].map { (($0.secondsSince1970 ?? 0) - 1_557_166_507) * 1_000 }
    #expect(dates.map { $0.rounded() } == [0, 150, 300, 450, 600, 850, 1_100, 1_350])
  }

  @Test func decodesTheValuesOfOtherStreams() throws {
    let payload = telemetry("DEVC") {
      telemetry("STRM") {
        telemetry("SCAL", "s", row: 2, u16(2))
        telemetry("ACCL", "s", row: 6, u16(1, 2, 3, 4, 5, 6))
        telemetry("RAWX", "F", row: 4, text("abcd"))
      }
    }
    let items = TimedMetadataSample(format: "gpmd", description: Bytes(), Bytes(payload)).items
    #expect(items.map(\.value) == [.numbers([0.5, 1, 1.5, 2, 2.5, 3]), .data(Bytes(Array("abcd".utf8)))])
  }

  /// The first payload of a real movie contains fewer points, because the receiver starts late.
  @Test func delaysPointsAsGoProsParser() throws {
    let point = (331_268_403, -1_173_274_043, 0)
    let counts = [16, 19, 18, 18]
    var total = 0
    let route = try Self.route(
      counts.map { count in
        total += count
        return telemetryPayload(points: [(Int, Int, Int)](repeating: point, count: count), total: total)
      })
    // The line through (1, 16), (2, 35), (3, 53) and (4, 71) is zero at 0.10929 payloads of a second.
    let first = try #require(route?.points.first?.microseconds)
    #expect(first == 109_290)
  }

  @Test func omitsAndCountsPointsWithoutFix() throws {
    let good = (10_000_000, 20_000_000, 0)
    let route = try #require(
      try Self.route([
        telemetryPayload(points: [good, (0, 0, 0), good], total: 3), telemetryPayload(points: [good], total: 4, fix: 0),
        telemetryPayload(points: [good, (910_000_000, 0, 0)], total: 6),
      ]))
    #expect(route.segments.map(\.count) == [1, 1, 1] && route.omittedPointCount == 3)
  }

  /// `GPS9` contains days, seconds, precision and fix for each point.
  @Test func readsPointsWithTheirOwnTimes() throws {
    let row = u32Signed([481_370_000, 115_750_000, 520_000, 1_610, 163, 8_000, 3_661_500]) + u16(150, 3)
    let lost = u32Signed([481_370_000, 115_750_000, 520_000, 1_610, 163, 8_000, 3_661_600]) + u16(9_999, 0)
    let payload = telemetry("DEVC") {
      telemetry("STRM") {
        telemetry("TYPE", "c", text("lllllllSS"))
        telemetry(
          "SCAL", "l", row: 4, u32Signed([10_000_000, 10_000_000, 1_000, 1_000, 100, 1, 1_000, 100, 1]))
        telemetry("GPS9", "?", row: 32, row + lost)
      }
    }
    let route = try #require(try Self.route([payload]))
    #expect(route.points.map(\.location) == [GeographicLocation(latitude: 48.137, longitude: 11.575, altitude: 520)])
    #expect(route.points[0].secondsSince1970 == 946_684_800 + 8_000 * 86_400 + 3_661.5)
    #expect(route.omittedPointCount == 1)
  }

  @Test func listsStreamsWithUnitsAndRates() async throws {
    let groups = try await TimedMetadataTests.groups([
      .timed("gpmd", id: 1, [telemetryPayload(points: [(1, 2, 3)], total: 1)])
    ])
    let items = groups[0].items
    #expect(items.map(\.identifier.description) == ["gpmd/ACCL", "gpmd/GPS5"])
    #expect(items[0].details == ["name": "Accelerometer", "units": "m/s²", "count": "2", "rate": "2.0 Hz"])
    #expect(items[1].nestedItems.map(\.value) == [.numbers([1e-7, 2e-7, 0.003, 1.61, 1.63])])
    #expect(items[1].nestedItems[0].details["date"] == "2019-05-06T18:15:07.395Z")
  }

  @Test func startsASegmentAfterAGap() throws {
    let payload = telemetryPayload(points: [(10_000_000, 20_000_000, 0)], total: 1)
    let track = TestTrack.timed("gpmd", id: 1, [payload, payload]).with {
      $0.edits = [
        TestEdit(duration: 600, mediaTime: 0), TestEdit(duration: 600, mediaTime: -1),
        TestEdit(duration: 600, mediaTime: 1_000),
      ]
    }
    let (movie, source) = try TimedMetadataTests.movie([track])
    #expect(try movie.route(from: source)?.segments.map(\.count) == [1, 1])
  }

  // MARK: - Bad input

  @Test func reportsElementsThatExtendPastTheirContainer() {
    let payload = TelemetryPayload(Bytes(code("DEVC") + u8(0, 4) + u16(60_000) + u32(1)))
    #expect(payload.streams.isEmpty && payload.problem?.contains("240000 bytes") == true)
  }

  @Test(arguments: [[0], [1, 2], [0, 0, 0, 0, 0]]) func omitsPointsWithAnInvalidScale(scale: [Int]) throws {
    let route = try Self.route([telemetryPayload(points: [(10_000_000, 20_000_000, 0)], total: 1, scale: scale)])
    #expect(route?.points.isEmpty == true && route?.omittedPointCount == 1)
  }

  @Test func omitsPointsOfTypeQuestionMarkWithoutStructure() throws {
    let payload = telemetry("DEVC") { telemetry("STRM") { telemetry("GPS9", "?", row: 32, zeros(64)) } }
    let route = try Self.route([payload])
    #expect(route?.points.isEmpty == true && route?.omittedPointCount == 2)
  }

  @Test func limitsTheDepthOfElements() {
    var bytes = telemetry("STRM") { telemetry("ACCL", "s", row: 2, u16(1)) }
    for _ in 0..<1_000 { bytes = telemetry("DEVC") { bytes } }
    let payload = TelemetryPayload(Bytes(bytes))
    #expect(payload.streams.isEmpty && payload.problem?.contains("deep") == true)
  }

  @Test(arguments: [
    "000000000000.000", "191306181507.395", "190506251507.395", "19050618150", "1905061815ab.000", "190506181507,5",
  ])
  func rejectsImpossibleDates(text: String) throws {
    #expect(TelemetryDate(Bytes(Array(text.utf8))) == nil)
    let payload = telemetryPayload(points: [(10_000_000, 20_000_000, 0)], total: 1, date: text)
    #expect(try Self.route([payload])?.points.map(\.secondsSince1970) == [nil])
  }

  @Test func survivesEveryTruncation() {
    let whole = telemetryPayload(points: [(10_000_000, 20_000_000, 0)], total: 1)
    let place = TimedSamplePlace(trackID: 1, path: "", offset: 0)
    for count in whole.indices {
      let payload = TelemetryPayload(Bytes(Array(whole[..<count])))
      _ = payload.items(lasting: 1_000_000, at: place)
      #expect(payload.problem != nil || count == 0, "\(count)")
    }
  }
}
