import Subtitles
import Testing

@testable import MovieBox

struct CueTimingTests {
  @Test func keepsTimesByDefault() {
    for time in [0, 1, -1, Int64.max, Int64.min + 1] as [Int64] { #expect(CueTiming().movieMilliseconds(time) == time) }
  }

  @Test func subtractsTheBaseBeforeScalingAndMoving() throws {
    let scale = try #require(CueTiming.Scale(25 * 1_001, over: 24_000))
    let timing = CueTiming(baseMilliseconds: 3_600_000, scale: scale, offsetMilliseconds: -500)
    #expect(timing.movieMilliseconds(3_600_000) == -500)
    #expect(timing.movieMilliseconds(3_624_000) == 25_025 - 500)
    #expect(timing.movieMilliseconds(3_576_000) == -25_025 - 500)
  }

  @Test func roundsScaledTimesToTheNearestMillisecond() throws {
    let third = CueTiming(scale: try #require(CueTiming.Scale(1, over: 3)))
    #expect([0, 1, 2, 3, 4, 5, -1, -2].map { third.movieMilliseconds($0) } == [0, 0, 1, 1, 1, 2, 0, -1])
    let half = CueTiming(scale: try #require(CueTiming.Scale(1, over: 2)))
    #expect([1, 3, -1].map { half.movieMilliseconds($0) } == [1, 2, -1])
  }

  @Test func clampsTimes() throws {
    let double = CueTiming(
      baseMilliseconds: .min, scale: try #require(CueTiming.Scale(2, over: 1)), offsetMilliseconds: .max)
    #expect(double.movieMilliseconds(.max) == .max)
    #expect(CueTiming(baseMilliseconds: .max, offsetMilliseconds: .min).movieMilliseconds(.min) == .min)
  }

  @Test func rejectsFactorsOfZero() {
    #expect(CueTiming.Scale(0, over: 1) == nil)
    #expect(CueTiming.Scale(1, over: 0) == nil)
  }
}
