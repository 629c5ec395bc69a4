import MovieBox
import TestSupport
import Testing

/// Unusual but valid movies, for which rules once reported false findings.
struct HarmlessOddityTests {
  private func breaks(
    _ rule: String, for target: Rule.Target = .apple, _ movie: TestMovie = .right,
    _ change: (inout TestMovie) -> Void = { _ in }
  ) throws -> Bool {
    try breaks(rule, for: target, movie.with(change).bytes())
  }

  private func breaks(_ rule: String, for target: Rule.Target = .apple, _ bytes: [UInt8]) throws -> Bool {
    #expect(Rule.named(rule) != nil)
    return try RuleExample.broken(bytes, for: target).contains { $0.rule.id == rule }
  }

  @Test func distinguishesColorTablesFromAtoms() throws {
    let table = u32(0) + u16(0x8000, 1) + u16(0, 0, 0, 0) + u16(0, 0xFFFF, 0xFFFF, 0xFFFF)
    let entry = atom("smc ") {
      SampleEntry.video(width: 1280, height: 720, depth: 1).dropFirst(8).dropLast(2) + u16(0) + table
    }
    #expect(try !breaks("file.broken-atom") { $0.tracks[0].sampleEntries = [entry] })
    // `ctab` after the only entry that the list counts.
    let both = SampleEntry.video(width: 1280, height: 720) + atom("ctab") { table }
    #expect(try !breaks("file.broken-atom") { $0.tracks[0].sampleEntries = [both] })
  }

  /// The pictures of `right` last 50 ticks each and 1200 in total. The last one in presentation order ends at 1300.
  @Test func acceptsBothCommonMediaDurations() throws {
    for (duration, isOdd) in [(1149, true), (1150, false), (1200, false), (1300, false), (1350, false), (1351, true)] {
      let movie = try RuleExample(
        "track.media-duration", at: "moov/trak#1/mdia/mdhd", 16, u32(duration)
      ).breaking
      #expect(try breaks("track.media-duration", movie) == isOdd, "\(duration)")
    }
  }

  /// A slide, a cover or a chapter picture may be long; pictures of a film are not.
  @Test func acceptsLongLastPictures() throws {
    func movie(_ durations: [Int], edit: Int) -> TestMovie {
      TestMovie.right.with { movie in
        movie.tracks[0].samples = durations.map { TestSample(50, duration: $0) }
        movie.tracks[0].edits = [TestEdit(duration: edit, mediaTime: 0)]
      }
    }
    let film = Array(repeating: 50, count: 23)
    for (durations, isOdd) in [
      (film + [0], true), (film + [50], false), (film + [90], false), (film + [1_000], true), (film + [40_000], true),
      ([40_000], false),
      ([0], false), ([600, 700, 40_000], false), (film + [600, 40_000], false),
    ] {
      #expect(try breaks("track.last-duration", movie(durations, edit: 1_200)) == isOdd, "\(durations.suffix(2))")
    }
    let text = TestMovie.right.with { movie in
      for index in movie.tracks.indices {
        guard case .subtitle = movie.tracks[index].kind else { continue }
        movie.tracks[index].samples.indices.last.map { movie.tracks[index].samples[$0].duration = 0 }
      }
    }
    #expect(try !breaks("track.last-duration", text))
  }

  @Test func checksDurationsOfPlayedTracksOnly() throws {
    let movie = TestMovie.right.with { $0.tracks.append(TestTrack(.other(handler: "meta"), id: 8)) }
    let bytes = try RuleExample(
      "track.media-duration", keeps: movie, at: "moov/trak#8/mdia/mdhd", 16, u32(9000)
    ).breaking
    #expect(try !breaks("track.media-duration", bytes))
    let edited = movie.with { $0.tracks[7].edits = [TestEdit(duration: 1200, mediaTime: 9000)] }
    #expect(try !breaks("edit.beyond-media", edited))
  }

  @Test func acceptsEditsAtTheFirstShownPicture() throws {
    for (time, isOdd) in [(1299, false), (1300, true)] {
      #expect(
        try breaks("edit.beyond-media") { $0.tracks[0].edits = [TestEdit(duration: 1200, mediaTime: time)] } == isOdd)
    }
  }

  @Test func acceptsDurationsWithoutTheDelay() throws {
    let delayed = TestMovie.right.with {
      $0.tracks[1].edits = [TestEdit(duration: 600, mediaTime: -1), TestEdit(duration: 1200, mediaTime: 0)]
    }
    // Writers round by up to 60 ticks and one more.
    for (duration, isOdd) in [(1800, false), (1200, false), (1139, false), (1138, true), (1500, true)] {
      let bytes = try RuleExample("track.duration", keeps: delayed, at: "moov/trak#2/tkhd", 20, u32(duration)).breaking
      #expect(try breaks("track.duration", bytes) == isOdd, "\(duration)")
    }
  }

  /// A last edit without duration shows the rest of the media, 1200 ticks.
  @Test func includesAnOpenEditInTheDuration() throws {
    for (delay, isOdd) in [(600, false), (1200, true), (0xFFFF_FFFF, true)] {
      let open = TestMovie.right.with {
        $0.tracks[1].edits = [TestEdit(duration: delay, mediaTime: -1), TestEdit(duration: 0, mediaTime: 0)]
      }
      let bytes = try RuleExample("track.duration", keeps: open, at: "moov/trak#2/tkhd", 20, u32(1800)).breaking
      #expect(try breaks("track.duration", bytes) == isOdd, "\(delay)")
    }
  }

  @Test func requiresOnlyChapterTitlesToBeDisabled() throws {
    let podcast = TestMovie.right.with {
      $0.tracks[0].references = [TestReference("chap", 7, 8)]
      $0.tracks.append(TestTrack(.text, id: 8))
    }
    #expect(try !breaks("chapter.enabled", podcast))
    #expect(try breaks("chapter.enabled", podcast) { $0.tracks[6].isEnabled = true })
    // In some lists, chapter pictures precede the titles.
    #expect(
      try breaks("chapter.enabled", podcast) {
        $0.tracks[0].references = [TestReference("chap", 9, 8, 7)]
        $0.tracks.append(TestTrack(.video, id: 9))
      })
  }

  @Test func acceptsASingleAudioTrackWithoutALanguage() throws {
    let rule = "language.macintosh-code"
    func lone(_ code: Int) -> TestMovie {
      TestMovie.rightISO.with {
        $0.tracks.remove(at: 2)
        $0.tracks[1].language = .macintosh(code)
      }
    }
    for (code, isOdd) in [(0, false), (0x7FFF, false), (6, true)] {
      #expect(try breaks(rule, for: .iso, lone(code)) == isOdd)
    }
    #expect(try breaks(rule, for: .iso, .rightISO) { $0.tracks[1].language = .macintosh(0) })
    #expect(try breaks(rule, for: .iso, lone(0)) { $0.tracks[2].language = .macintosh(0) })
    // A QuickTime file is checked by QuickTime's rules.
    #expect(try !breaks(rule, for: .iso, .right) { $0.tracks[1].language = .macintosh(0) })
  }

  @Test func acceptsASingleTrackIDOfZero() throws {
    let one = TestMovie.right.with { $0.tracks.append(TestTrack(.other(handler: "meta"), id: 0)) }
    #expect(try breaks("track.id-zero", one))
    #expect(try !breaks("track.id", one))
    #expect(try breaks("track.id", one) { $0.tracks.append(TestTrack(.other(handler: "meta"), id: 0)) })
  }

  @Test func ignoresTheSizeOfAudioTracks() throws {
    #expect(try !breaks("track.poster-flag", for: .iso, .rightISO) { $0.tracks[1].otherFlags = 0xA })
  }

  @Test func recognizesFilesWithoutBrandsByTheirHandlers() throws {
    #expect(try breaks("brand.not-iso", for: .iso, .right) { $0.brands = [] })
    #expect(try !breaks("brand.not-iso", for: .iso, .rightISO) { $0.brands = [] })
  }
}
