import SubtitleTestSupport
import Subtitles
import Testing

@testable import MovieBox

/// The cost of splitting overlapping cues, in visits of cues.
struct CueFlatteningTests {
  private static let count = 50_000

  private func flattened(
    _ cues: [Cue], _ limits: SubtitleLimits = SubtitleLimits()
  ) throws -> (samples: [TimedSample], visits: Int) {
    let spans = cues.enumerated().map { index, cue in
      CueSpan(start: UInt64(cue.startMilliseconds), end: UInt64(cue.endMilliseconds), index: index)
    }
    var flattening = OverlapCutter(cues: cues, spans: spans, limits: limits, notices: NoticeList(limits))
    let samples = try flattening.run(until: spans.map(\.end).max() ?? 0)
    return (samples, flattening.visitedCueCount)
  }

  @Test func splitsAChainOfCuesInTwoVisitsEach() throws {
    let (samples, visits) = try flattened((0..<Self.count).map { cue(Int64($0) * 10, Int64($0) * 10 + 15, "a\($0)") })
    #expect(samples.count == 2 * Self.count - 1)
    #expect(visits <= 2 * samples.count)
  }

  @Test func splitsACueUnderAllOthersInOneMoreVisit() throws {
    let long = [cue(0, Int64(Self.count) * 10, "long")]
    let (samples, visits) = try flattened(
      long + (1..<Self.count).map { cue(Int64($0) * 10, Int64($0) * 10 + 5, "a\($0)") })
    #expect(samples.count == 2 * Self.count - 1)
    #expect(visits <= 2 * samples.count)
  }

  @Test func splitsFiveSimultaneousCuesInFiveVisits() throws {
    let (samples, visits) = try flattened((0..<Self.count).map { cue(Int64($0) * 10, Int64($0) * 10 + 45, "a\($0)") })
    #expect(samples.count >= 2 * Self.count - 10)
    #expect(visits <= 5 * samples.count)
  }

  /// The number of simultaneous cues is limited, so an excess results in an error soon, not in hours of work.
  @Test func rejectsTooManySimultaneousCues() {
    let all = (0..<Self.count).map { cue(Int64($0), Int64(2 * Self.count - $0), "a\($0)") }
    var limits = SubtitleLimits()
    limits.sampleByteCount = 1 << 20
    let error = #expect(throws: SubtitleError.self) { try flattened(all, limits) }
    #expect(error?.code == .limit)
  }
}
