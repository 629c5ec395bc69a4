import TestSupport
import Testing

@testable import MovieBox

struct CameraMotionTests {
  private static let accurate = cameraMotion(
    6,
    littleDoubles(1_241_200_525.395) + u32(3).reversed() + littleDoubles(33.1268403, -117.3274043)
      + littleFloats(-19.5, 2, 3, 3, 4, 0, 0.5))

  private static func route(_ samples: [[UInt8]]) throws -> MovieRoute? {
    let (movie, source) = try TimedMetadataTests.movie([.timed("camm", id: 1, samples)])
    return try movie.route(from: source)
  }

  @Test func readsEachTypeOfRecord() throws {
    let three = littleFloats(1, 2, 3)
    let sample =
      cameraMotion(0, three) + cameraMotion(1, u32(5).reversed() + u32(6).reversed()) + cameraMotion(2, three)
      + cameraMotion(3, three) + cameraMotion(4, three) + cameraMotion(5, littleDoubles(48.137, 11.575, 520))
      + Self.accurate + cameraMotion(7, three)
    let (records, problem) = CameraMotionRecord.records(Bytes(sample))
    #expect(problem == nil && records.map(\.type) == [0, 1, 2, 3, 4, 5, 6, 7])
    #expect(records.map(\.range.count) == [16, 12, 16, 16, 16, 28, 60, 16])
    #expect(records[1].values == [5, 6] && records[5].values == [48.137, 11.575, 520])
    #expect(records[6].values[1...4] == [3, 33.1268403, -117.3274043, -19.5])
  }

  @Test func readsTheRouteOfBothTypesOfLocations() throws {
    let route = try #require(try Self.route([cameraMotion(5, littleDoubles(48.137, 11.575, 520)), Self.accurate]))
    #expect(route.points.map(\.microseconds) == [0, 1_000_000] && route.segments.count == 1)
    #expect(route.points.map(\.location.latitude) == [48.137, 33.1268403])
    #expect(route.points[1].speed == 5)
    // GPS time counts from 1980 and is 18 s ahead of UTC.
    #expect(route.points[1].secondsSince1970 == 1_241_200_525.395 + 315_964_800 - 18)
  }

  @Test func omitsRecordsWithoutFix() throws {
    var lost = Self.accurate
    lost[12] = 0
    let route = try #require(try Self.route([lost, cameraMotion(5, littleDoubles(0, 0, 0)), Self.accurate]))
    #expect(route.points.count == 1 && route.omittedPointCount == 2)
  }

  /// Samples of other sensors do not interrupt a route.
  @Test func continuesASegmentAcrossOtherRecords() throws {
    let gyroscope = cameraMotion(2, littleFloats(1, 2, 3))
    #expect(try Self.route([Self.accurate, gyroscope, Self.accurate])?.segments.map(\.count) == [2])
    let pause = [[UInt8]](repeating: gyroscope, count: 11)
    #expect(try Self.route([Self.accurate] + pause + [Self.accurate])?.segments.map(\.count) == [1, 1])
  }

  @Test func rejectsImpossibleLocations() throws {
    let samples = [(Double.nan, 0), (91, 0), (0, 181), (.infinity, 1)].map {
      cameraMotion(5, littleDoubles($0.0, $0.1, 0))
    }
    let route = try Self.route(samples)
    #expect(route?.points.isEmpty == true && route?.omittedPointCount == 4)
  }

  @Test func reportsUnknownAndTruncatedRecords() {
    let good = cameraMotion(2, littleFloats(1, 2, 3))
    #expect(CameraMotionRecord.records(Bytes(good + cameraMotion(9, []))).problem == "record type 9 is unknown")
    for count in good.count + 1..<2 * good.count {
      let (records, problem) = CameraMotionRecord.records(Bytes(Array((good + good)[..<count])))
      #expect(records.count == 1 && problem != nil)
    }
  }
}
