import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

/// Cues that are added to a movie, extracted, and added again.
struct CueRoundTripTests {
  /// Returns random cues with all features of a subtitle track. They may overlap.
  private static func cues(_ random: inout SubtitleRandom) -> [Cue] {
    let words = [
      "Who", "is", "there?", "¿Qué", "tal?", "漢字", "שלום", "😀", "a\u{301}", "<b>", "{\\an8}", "&amp;", "-->", "5",
      "\\N",
    ]
    let colors: [StyledText.Color?] = [
      nil, .init(red: 255, green: 0, blue: 0), .init(red: 1, green: 2, blue: 3), .white,
    ]
    let placements: [Cue.Placement.Vertical] = [.bottom, .bottom, .top, .middle]
    var cues: [Cue] = []
    var time: Int64 = Int64(random.next(below: 3_000))
    for _ in 0..<random.next(below: 30) + 1 {
      var text = ""
      var runs: [StyledText.Run] = []
      var count = 0
      for index in 0..<random.next(below: 6) + 1 {
        if index > 0 { text += random.next(below: 3) == 0 ? "\n" : " " }
        let word = words[Int(random.next(below: UInt64(words.count)))]
        let start = count + (index > 0 ? 1 : 0)
        count = start + word.unicodeScalars.count
        text += word
        guard random.next(below: 3) == 0 else { continue }
        let style = StyledText.Style(
          isBold: random.next(below: 2) == 0, isItalic: random.next(below: 2) == 0,
          isUnderlined: random.next(below: 3) == 0,
          color: colors[Int(random.next(below: 4))])
        if style != .plain { runs.append(StyledText.Run(start..<count, style)) }
      }
      let length = Int64(random.next(below: 5_000)) + 1
      guard let styled = StyledText(text, runs: runs) else { continue }
      cues.append(
        Cue(
          startMilliseconds: time, endMilliseconds: time + length, text: styled,
          placement: Cue.Placement(vertical: placements[Int(random.next(below: 4))]),
          isForced: random.next(below: 4) == 0))
      time += random.next(below: 5) == 0 ? length / 2 : length + Int64(random.next(below: 4_000))
    }
    return cues
  }

  /// More in release builds. A debug build would take minutes.
  private static let count: Int = {
    #if DEBUG
      20
    #else
      400
    #endif
  }()

  private func movie(timeScale: Int) -> [UInt8] {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.timeScale = 24_000
        $0.samples = .varied(3_600, around: 4, duration: 100 * 1_001)
        $0.width = 1_920
        $0.height = 1_080
      }
    ]).with { $0.timeScale = timeScale }.bytes()
  }

  private func roundTrip(_ cues: [Cue], _ source: MemorySource) throws -> [Cue] {
    var edit = try MovieEdit(of: Movie(of: source))
    let id = try edit.add(SubtitleInput(cues: cues))
    let plan = try edit.inPlacePlan(of: source).rendered()
    return try extractedText(PlannedSource(plan, of: source), track: id).cues
  }

  /// Returns cues in the form in which they are extracted: in order, split at changes, without white as a color.
  private func flattened(_ cues: [Cue], until end: UInt64) throws -> [Cue] {
    var time: Int64 = 0
    return try CueTimeline(cues, movieDuration: end, movieTimeScale: 1_000).samples.compactMap { sample in
      defer { time += Int64(sample.duration) }
      guard let text = sample.text else { return nil }
      return Cue(
        startMilliseconds: time, endMilliseconds: time + Int64(sample.duration), text: text,
        placement: sample.placement, isForced: sample.isForced)
    }
  }

  private func withoutWhite(_ cue: Cue) -> Cue {
    var cue = cue
    let runs = cue.text.runs.map { run -> StyledText.Run in
      var run = run
      if run.style.color == .white { run.style.color = nil }
      return run
    }.filter { $0.style != .plain }
    cue.text = StyledText(cue.text.text, runs: runs) ?? cue.text
    return cue
  }

  @Test(arguments: [600, 1_000, 24_000, 90_000])
  func roundTripsRandomCues(_ timeScale: Int) throws {
    let source = MemorySource(Bytes(movie(timeScale: timeScale)))
    let end = try Movie(of: source).durationInMovieTicks * 1_000 / UInt64(timeScale)
    for seed in 0..<Self.count {
      var random = SubtitleRandom(seed: UInt64(seed))
      var cues = Self.cues(&random)
      // A start within more than three hours.
      let moved = Int64(random.next(below: 12_000_000))
      for index in cues.indices {
        cues[index].startMilliseconds += moved
        cues[index].endMilliseconds += moved
      }
      let once = try roundTrip(cues, source)
      let expected = try flattened(cues, until: end).map(withoutWhite)
      #expect(once.map(\.text.text) == expected.map(\.text.text), "seed \(seed)")
      #expect(once.map(\.startMilliseconds) == expected.map(\.startMilliseconds), "seed \(seed)")
      #expect(once.map(\.endMilliseconds) == expected.map(\.endMilliseconds), "seed \(seed)")
      #expect(once.map(\.placement) == expected.map(\.placement), "seed \(seed)")
      #expect(once.map(\.isForced) == expected.map(\.isForced), "seed \(seed)")
      for (one, other) in zip(once, expected) where !one.text.text.utf8.contains(where: { $0 >= 0xF0 }) {
        // Beyond U+FFFF, runs may be extended over blanks.
        #expect(one.text.runs == other.text.runs, "seed \(seed)")
      }
      // From now on nothing changes any more, with or without a subtitle file in between.
      #expect(try roundTrip(once, source) == once, "seed \(seed)")
      let written = SubRipWriter.write(once)
      #expect(written.notices == [], "seed \(seed)")
      let file = try SubRipReader.read(written.bytes)
      #expect(file.notices == [], "seed \(seed): \(String(decoding: written.bytes, as: UTF8.self))")
      #expect(try roundTrip(file.cues, source) == once, "seed \(seed)")
      let unforced = once.map { cue in
        var cue = cue
        cue.isForced = false  // WebVTT cannot express it.
        return cue
      }
      let webVTT = try WebVTTReader.read(WebVTTWriter.write(unforced).bytes)
      #expect(try roundTrip(webVTT.cues, source) == roundTrip(unforced, source), "seed \(seed)")
    }
  }

  @Test func roundTripsIntermediatePositions() throws {
    let source = MemorySource(Bytes(movie(timeScale: 1_000)))
    for hundredths in stride(from: 0, through: 10_000, by: 37) {
      let cues = [
        Cue(
          startMilliseconds: 0, endMilliseconds: 1_000, text: StyledText("One"),
          placement: Cue.Placement(vertical: .fromTop(hundredthsOfPercent: hundredths)))
      ]
      let once = try roundTrip(cues, source)
      #expect(try roundTrip(once, source) == once)
      // A pixel of 1080 is 9.3 hundredths.
      if case .fromTop(let depth) = once[0].placement.vertical { #expect(abs(depth - hundredths) <= 5) }
    }
  }
}
