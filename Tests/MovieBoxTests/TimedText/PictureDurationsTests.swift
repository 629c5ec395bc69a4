import Subtitles
import Testing

@testable import MovieBox

/// The rate of captions follows the predominant duration of the pictures.
struct PictureDurationsTests {
  /// Returns the rate of pictures, each with its number and duration.
  private func rate(_ pictures: [(count: Int, duration: UInt32)], timeScale: UInt32) -> [Int64]? {
    var durations = PictureDurations()
    for (count, duration) in pictures { for _ in 0..<count { durations.add(duration) } }
    let (count, duration) = durations.predominant
    return CaptionFrameRate(ofPictures: count, lasting: duration, timeScale: timeScale).map { [$0.frames, $0.seconds] }
  }

  @Test func aFewIrregularPicturesDoNotCount() {
    #expect(rate([(59, 1_001), (1, 2_002)], timeScale: 30_000) == [30_000, 1_001])
    // The average of these pictures is 29.97 a second.
    #expect(rate([(998, 1_000), (1, 2_000)], timeScale: 30_000) == [30, 1])
    #expect(rate([(23, 1), (1, 2)], timeScale: 24) == [24, 1])
    #expect(rate([(10, 512), (1, 100_000)], timeScale: 12_800) == [25, 1])
    #expect(rate([(1, .max), (40, 512)], timeScale: 12_800) == [25, 1])
  }

  /// Time scales round the durations of pictures.
  @Test func roundedDurationsAreAveraged() {
    #expect(rate([(2, 33), (1, 34)], timeScale: 1_000) == [30, 1])
    #expect(rate([(200, 33), (100, 34), (1, 67)], timeScale: 1_000) == [30, 1])
    #expect(rate([(708, 42), (292, 41)], timeScale: 1_000) == [24_000, 1_001])
    #expect(rate([(39, 25), (1, 26)], timeScale: 600) == [24_000, 1_001])
  }

  /// Pictures that alternate between two and three fields have an average of 23.976 a second.
  @Test func pictureRatesWithoutAPredominantDurationAreAveraged() {
    #expect(rate([(500, 2_002), (500, 3_003)], timeScale: 60_000) == [24_000, 1_001])
    #expect(rate([(80, 512), (20, 700)], timeScale: 12_800) == nil)
    #expect(rate([(10, 0)], timeScale: 25) == nil && rate([], timeScale: 25) == nil)
  }
}
