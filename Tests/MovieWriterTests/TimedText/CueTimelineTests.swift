import SubtitleTestSupport
import Subtitles
import Testing

@testable import MovieBox

struct CueTimelineTests {
  private func layOut(
    _ cues: [Cue], movie: UInt64 = 10_000, offset: Int64 = 0, timeScale: UInt32 = 1_000
  ) throws(SubtitleError) -> CueTimeline {
    try CueTimeline(
      cues, movieDuration: movie, movieTimeScale: 1_000, timing: CueTiming(offsetMilliseconds: offset),
      timeScale: timeScale)
  }

  /// Returns each sample as its duration and text; "-" is a gap.
  private func shape(_ timeline: CueTimeline) -> [String] {
    timeline.samples.map { "\($0.duration) " + ($0.text?.text.replacing("\n", with: "/") ?? "-") }
  }

  // MARK: - Tiling

  @Test func fillsGapsAndTheEndByEmptySamples() throws {
    let timeline = try layOut([cue(1_000, 2_000, "A"), cue(2_000, 3_000, "B"), cue(4_000, 5_000, "C")])
    #expect(shape(timeline) == ["1000 -", "1000 A", "1000 B", "1000 -", "1000 C", "5000 -"])
    #expect(timeline.duration == 10_000)
    #expect(timeline.shownCueCount == 3)
    #expect(timeline.notices.isEmpty)
  }

  @Test func writesNoEmptySampleForACueOverTheWholeMovie() throws {
    #expect(shape(try layOut([cue(0, 10_000, "A")])) == ["10000 A"])
  }

  @Test func sortsCuesStablyByStart() throws {
    let timeline = try layOut([cue(5_000, 6_000, "C"), cue(1_000, 2_000, "A"), cue(1_000, 2_000, "B")])
    #expect(shape(timeline) == ["1000 -", "1000 A/B", "3000 -", "1000 C", "4000 -"])
  }

  @Test func splitsOverlappingCuesAtChanges() throws {
    let timeline = try layOut([cue(1_000, 4_000, "A"), cue(2_000, 6_000, "B"), cue(3_000, 5_000, "C")])
    #expect(shape(timeline) == ["1000 -", "1000 A", "1000 A/B", "1000 A/B/C", "1000 B/C", "1000 B", "4000 -"])
  }

  @Test func mergesEqualNeighbours() throws {
    let timeline = try layOut([cue(1_000, 2_000, "A"), cue(2_000, 3_000, "A"), cue(3_000, 4_000, "A", isForced: true)])
    #expect(shape(timeline) == ["1000 -", "2000 A", "1000 A", "6000 -"])
  }

  @Test func separatesSimilarTexts() throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let timeline = try layOut([cue(0, 1_000, composed), cue(1_000, 2_000, decomposed), cue(2_000, 3_000, decomposed)])
    #expect(timeline.samples.map(\.duration) == [1_000, 2_000, 7_000])
    #expect(StyledText(composed) != StyledText(decomposed) && StyledText(composed) == StyledText(composed))
  }

  @Test func convertsLineBreaksToLineFeeds() throws {
    let italic = StyledText.Style(isItalic: true)
    let text = "a\r\nb\rc\u{2028}d\u{2029}e\0f\u{FEFF}"
    let plain = "a\nb\nc\nd\nef"
    #expect(StyledText(text).text.unicodeScalars.elementsEqual(plain.unicodeScalars))
    // "b", "d", and the removed characters.
    let runs = [3..<4, 7..<8, 12..<13].map { StyledText.Run($0, italic) }
    let styled = try #require(StyledText(text, runs: runs))
    #expect(styled.runs.map(\.range) == [2..<3, 6..<7])
    #expect(StyledText("a\nb €").text == "a\nb €")
  }

  @Test func forcesJoinedCuesOnlyIfAllAreForced() throws {
    let timeline = try layOut([
      cue(0, 3_000, "A", isForced: true), cue(1_000, 4_000, "B"), cue(5_000, 6_000, "C", isForced: true),
      cue(5_000, 6_000, "D", isForced: true),
    ])
    #expect(shape(timeline) == ["1000 A", "2000 A/B", "1000 B", "1000 -", "1000 C/D", "4000 -"])
    #expect(timeline.samples.map(\.isForced) == [true, false, false, false, true, false])
  }

  @Test func movesRunsWithJoinedText() throws {
    let italic = StyledText.Style(isItalic: true)
    var first = cue(0, 10_000, "é😀")
    first.text = try #require(StyledText("é😀", runs: [StyledText.Run(1..<2, italic)]))
    var second = cue(0, 10_000, "x")
    second.text = try #require(StyledText("x", runs: [StyledText.Run(0..<1, italic)]))
    let timeline = try layOut([first, second])
    #expect(
      timeline.samples.map(\.text) == [
        StyledText("é😀\nx", runs: [StyledText.Run(1..<2, italic), StyledText.Run(3..<4, italic)])
      ])
  }

  /// FFmpeg reads durations as signed numbers.
  @Test func splitsASampleLongerThan31Bits() throws {
    let longest = UInt32(Int32.max)
    let timeline = try layOut([cue(0, 1, "A")], movie: 1 + 2 * UInt64(longest) + 7)
    #expect(timeline.samples.map(\.duration) == [1, longest, longest, 7])
    let exact = try layOut([cue(0, Int64(longest), "A")], movie: UInt64(longest))
    #expect(exact.samples.map(\.duration) == [longest])
  }

  @Test func suggestsNoFrameRateForASingleLateCue() throws {
    func kinds(_ cues: [Cue]) throws -> [SubtitleNotice.Kind] { try layOut(cues, movie: 100_000).notices.map(\.kind) }
    #expect(try kinds([cue(0, 1_000, "A"), cue(100_040, 101_000, "B")]) == [.droppedPastEnd])
    #expect(try kinds([cue(0, 1_000, "A"), cue(102_000, 103_000, "B")]).contains(.otherFrameRate))
    #expect(
      try kinds([cue(0, 1_000, "A"), cue(100_040, 101_000, "B"), cue(100_500, 101_000, "C")]).contains(.otherFrameRate))
  }

  @Test func suggestsNoFrameRateIfTheOffsetMovesCuesPastTheEnd() throws {
    func kinds(_ cues: [Cue], offset: Int64) throws -> [SubtitleNotice.Kind] {
      try layOut(cues, movie: 100_000, offset: offset).notices.map(\.kind)
    }
    let cues = [cue(0, 1_000, "A"), cue(97_000, 98_000, "B")]
    #expect(try kinds(cues, offset: 6_000) == [.droppedPastEnd])
    let late = [cue(0, 1_000, "A"), cue(101_500, 102_000, "B")]
    #expect(try kinds(late, offset: 500).contains(.otherFrameRate))
  }

  @Test func writesNoSamplesForAMovieWithoutDuration() throws {
    let timeline = try layOut([cue(0, 1_000, "A", line: 2)], movie: 0)
    #expect(timeline.samples.isEmpty)
    #expect(timeline.shownCueCount == 0)
    #expect(timeline.notices.map(\.kind) == [.droppedPastEnd])
  }

  // MARK: - The ends of the movie

  @Test func trimsOrDropsCuesPastTheEnd() throws {
    let timeline = try layOut([
      cue(9_000, 10_000, "in", line: 2), cue(9_500, 10_001, "over", line: 6), cue(10_000, 11_000, "past", line: 10),
      cue(20_000, 21_000, "far", line: 14),
    ])
    #expect(shape(timeline) == ["9000 -", "500 in", "500 in/over"])
    #expect(timeline.shownCueCount == 2)
    #expect(timeline.notices.map(\.kind) == [.trimmedAtEnd, .droppedPastEnd, .droppedPastEnd])
    #expect(timeline.notices.map(\.line) == [6, 10, 14])
    #expect(
      timeline.notices[0].message
        == "\"over\" at 00:00:09.500, which lasts until 00:00:10.001, was cut at the movie's end, 00:00:10.000")
  }

  @Test func trimsOrDropsCuesBeforeTheStart() throws {
    let timeline = try layOut([
      cue(-2_000, -1_000, "gone", line: 2), cue(-1_000, 0, "gone too", line: 6), cue(-500, 1, "cut", line: 10),
    ])
    #expect(shape(timeline) == ["1 cut", "9999 -"])
    #expect(timeline.notices.map(\.kind) == [.droppedBeforeStart, .droppedBeforeStart, .startClamped])
  }

  @Test func appliesTheOffsetBeforeTrimming() throws {
    let cues = [cue(-1_000, 1_000, "A"), cue(9_000, 10_000, "B")]
    #expect(shape(try layOut(cues, offset: 1_000)) == ["2000 A", "8000 -"])
    #expect(shape(try layOut(cues, offset: -500)) == ["500 A", "8000 -", "1000 B", "500 -"])
    #expect(try layOut(cues, offset: Int64.max).shownCueCount == 0)
    #expect(try layOut(cues, offset: Int64.min).shownCueCount == 0)
  }

  @Test func dropsEmptyAndBackwardCuesWithNotice() throws {
    let timeline = try layOut([cue(1_000, 2_000, "", line: 2), cue(2_000, 2_000, "A", line: 6)])
    #expect(shape(timeline) == ["10000 -"])
    #expect(timeline.notices.map(\.kind) == [.emptyCue, .endNotAfterStart])
  }

  // MARK: - Time scales

  @Test func roundsTheMovieDurationDown() throws {
    let timeline = try CueTimeline([cue(0, 1_000_000, "A")], movieDuration: 1_001, movieTimeScale: 600)
    #expect(timeline.duration == 1_668)  // 1668.33… ms
    #expect(timeline.samples.map(\.duration) == [1_668])
  }

  @Test func roundsEachTimeDown() throws {
    let cues = (0..<3).map { cue(Int64($0) * 1_001 + 1, Int64($0) * 1_001 + 1_001, "\($0)") }
    let timeline = try layOut(cues, timeScale: 600)
    // 1 → 0.6, 1001 → 600.6, 1002 → 601.2, 2002 → 1201.2, 2003 → 1201.8, 3003 → 1801.8
    #expect(shape(timeline) == ["600 0", "1 -", "600 1", "600 2", "4199 -"])
  }

  @Test func extendsACueShorterThanATick() throws {
    let timeline = try layOut([cue(1_001, 1_002, "A", line: 2)], timeScale: 100)
    #expect(shape(timeline) == ["100 -", "1 A", "899 -"])
    #expect(timeline.notices.map(\.kind) == [.tooShort])
  }

  @Test func keepsThreeHoursOfCuesExact() throws {
    let cues = (0..<3_600).map { index in
      cue(Int64(index) * 3_001 + 7, Int64(index) * 3_001 + 1_340, "\(index)", line: index + 1)
    }
    let timeline = try layOut(cues, movie: 10_810_000)
    var now: Int64 = 0
    var index = 0
    for sample in timeline.samples {
      if let text = sample.text {
        #expect(text.text == "\(index)")
        #expect(now == cues[index].startMilliseconds)
        #expect(now + Int64(sample.duration) == cues[index].endMilliseconds)
        index += 1
      }
      now += Int64(sample.duration)
    }
    #expect(index == cues.count)
    #expect(now == 10_810_000)
  }

  // MARK: - Limits

  @Test func rejectsTimesOutOfRange() {
    #expect(throws: SubtitleError.self) { try CueTimeline([], movieDuration: 1, movieTimeScale: 0) }
    #expect(throws: SubtitleError.self) { try CueTimeline([], movieDuration: 1, movieTimeScale: 1, timeScale: 0) }
    #expect(throws: SubtitleError.self) { try CueTimeline([], movieDuration: UInt64.max, movieTimeScale: 1) }
    #expect(throws: SubtitleError.self) { try CueTimeline([], movieDuration: 1 << 50, movieTimeScale: 1) }
    #expect(throws: SubtitleError.self) {
      var limits = SubtitleLimits()
      limits.cueCount = 1
      _ = try CueTimeline(
        [cue(0, 1, "A"), cue(1, 2, "B")], movieDuration: 5, movieTimeScale: 1, limits: limits)
    }
  }

  @Test func dropsLaterCuesOfAFullSample() throws {
    let long = String(repeating: "x", count: 65_535 - 2)
    let timeline = try layOut([
      cue(0, 3_000, long, line: 2), cue(1_000, 2_000, "B", line: 6), cue(1_000, 2_000, "C", line: 10),
    ])
    #expect(timeline.samples.map(\.text?.text.utf8.count) == [65_533, 65_535, 65_533, nil])
    #expect(timeline.shownCueCount == 2)
    #expect(timeline.notices.map(\.kind) == [.overlapTooLong])
    #expect(timeline.notices.map(\.line) == [10])
  }

  @Test func rejectsThousandsOfOverlappingCues() throws {
    let cues = (0..<5_000).map { cue(Int64($0), 1_000_000 - Int64($0), "line number \($0)", line: $0 + 1) }
    var limits = SubtitleLimits()
    limits.sampleByteCount = 1 << 20
    let error = #expect(throws: SubtitleError.self) {
      try CueTimeline(cues, movieDuration: 2_000_000, movieTimeScale: 1_000, limits: limits)
    }
    #expect(error?.code == .limit)
  }

  // MARK: - By seed

  /// A comparison with a second algorithm, which determines the cues at each time.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func coversTheMovieAndShowsEveryCue(seed: UInt64) throws {
    var random = SubtitleRandom(seed: seed)
    let end = Int64(1 + random.next(below: 60))
    let cues = (0..<Int(random.next(below: 12))).map { index in
      let start = Int64(random.next(below: 70)) - 5
      return cue(
        start, start + Int64(random.next(below: 20)), "cue\(index)", isForced: random.next(below: 2) == 0,
        line: index + 1)
    }
    let timeline = try layOut(cues, movie: UInt64(end))
    #expect(timeline.samples.allSatisfy { $0.duration > 0 }, "seed \(seed)")
    #expect(timeline.samples.reduce(0) { $0 + Int64($1.duration) } == end, "seed \(seed)")
    for (one, other) in zip(timeline.samples, timeline.samples.dropFirst()) {
      #expect(one.text != other.text || one.isForced != other.isForced, "seed \(seed)")
    }
    var instants: [TimedSample] = []
    for sample in timeline.samples { instants += Array(repeating: sample, count: Int(sample.duration)) }
    let shown = Set(cues.filter { $0.endMilliseconds > max(0, $0.startMilliseconds) && $0.startMilliseconds < end })
    #expect(timeline.shownCueCount == shown.count, "seed \(seed)")
    for instant in 0..<end {
      let active = cues.enumerated()
        .filter { $0.element.startMilliseconds <= instant && instant < $0.element.endMilliseconds }
        .sorted {
          (max(0, $0.element.startMilliseconds), $0.offset) < (max(0, $1.element.startMilliseconds), $1.offset)
        }
        .map(\.element)
      let sample = instants[Int(instant)]
      #expect(
        sample.text?.text == (active.isEmpty ? nil : active.map(\.text.text).joined(separator: "\n")), "seed \(seed)")
      #expect(sample.isForced == (!active.isEmpty && active.allSatisfy(\.isForced)), "seed \(seed)")
    }
  }
}
