import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Long movies, and time scales that are not multiples of milliseconds.
struct LongMovieTests {
  /// Returns the duration of three hours at 24000/1001 pictures per second, in a time scale.
  private static func threeHours(_ timeScale: UInt64) -> UInt64 {
    258_700 * 1001 * timeScale / 24000
  }

  @Test(arguments: [600, 1000, 2997, 24000, 25000, 30000, 44100, 48000, 60000, 90000, 1_000_000])
  func keepsCuesExactForThreeHours(_ timeScale: UInt64) throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.timeScale = 24000
        $0.samples = .varied(2587, around: 4, duration: 100 * 1001)
      }
    ]).with {
      $0.timeScale = Int(timeScale)
      $0.duration = Int(Self.threeHours(timeScale))
      $0.usesLongTimes = true
    }
    // Times between frames and between movie ticks. The last cue ends 7 ms before the movie.
    let end = Self.threeHours(timeScale) * 1000 / timeScale
    var cues: [Cue] = []
    var start: Int64 = 17
    while start + 4321 < Int64(end) - 7 {
      cues.append(Cue(startMilliseconds: start, endMilliseconds: start + 2345, text: StyledText("\(start)")))
      start += 4321
    }
    cues.append(Cue(startMilliseconds: start, endMilliseconds: Int64(end) - 7, text: StyledText("the last")))

    let bytes = movie.bytes()
    let source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source))
    let id = try edit.add(SubtitleInput(cues: cues, language: LanguageTag("en")))
    let plan = try edit.inPlacePlan(of: source).rendered()
    let new = try PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)).array
    let reader = try SecondReader(new)
    let track = try #require(reader.track(id))

    // Every cue begins and ends at its millisecond, the last as exactly as the first.
    let shown = track.samples.filter { $0.byteCount > 2 }
    #expect(shown.map(\.decodeTime) == cues.map(\.startMilliseconds))
    #expect(shown.map { $0.decodeTime + Int64($0.duration) } == cues.map(\.endMilliseconds))
    // An empty sample follows the last cue, and the track ends less than a tick before the movie.
    let last = try #require(track.samples.last)
    #expect(last.byteCount == 2 && last.duration == 7)
    #expect(track.mediaDuration == end)
    #expect(track.duration <= Self.threeHours(timeScale))
    #expect((Self.threeHours(timeScale) - track.duration) * 1000 < 2 * max(timeScale, 1000))
    #expect(try differences(old: bytes, new: new, allowing: .adding(id)).isEmpty)
  }

  @Test func keepsCueTimesForAnyMediaTiming() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.timeScale = 30000
        $0.samples = .pictures(120, around: 40, duration: 1001)
        $0.edits = [TestEdit(duration: 50, mediaTime: -1), TestEdit(duration: 2400, mediaTime: 2002)]
      },
      TestTrack(.sound, id: 2).with {
        $0.timeScale = 48000
        $0.samples = .varied(120, around: 20, duration: 1024)
        $0.edits = [TestEdit(duration: 1500, mediaTime: 2112)]
      },
    ])
    let old = movie.bytes()
    let source = MemorySource(Bytes(old))
    var edit = try MovieEdit(of: Movie(of: source))
    let id = try edit.add(
      SubtitleInput(cues: [Cue(startMilliseconds: 333, endMilliseconds: 1501, text: StyledText("here"))]))
    let plan = try edit.outputPlan(of: source)
    let new = try PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)).array
    let reader = try SecondReader(new)
    let shown = try #require(reader.track(id)?.samples.first { $0.byteCount > 2 })
    #expect(shown.presentationTime == 333 && shown.duration == 1168)
    #expect(reader.atom("moov/trak#\(id)/edts") == nil)
    #expect(try differences(old: old, new: new, allowing: .adding(id)).isEmpty)
  }
}
