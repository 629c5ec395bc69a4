import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Without its fragments, a recording whose clock starts far from 0 starts at 0, unless the caller keeps its clock.
struct FlattenedStartTests {
  private let pictures: [TestSample] = .pictures(12, around: 20, duration: 50)
  private let sound: [TestSample] = .varied(10, around: 9, duration: 800)

  /// Returns two fragments of a recording with this start in seconds, with 600 video and 8000 audio ticks per second.
  private func fragments(
    from seconds: UInt64, soundLater: UInt64 = 0, usesLongTime: Bool = true
  ) -> [TestFragment] {
    func track(_ id: UInt32, _ time: UInt64, _ samples: [TestSample]) -> TestFragment.Track {
      .init(id: id, decodeTime: time, runs: [.init(samples)]).with { $0.usesLongTime = usesLongTime }
    }
    return [0, 1].map { second in
      TestFragment([
        track(1, (seconds + second) * 600, pictures), track(2, (seconds + second) * 8_000 + soundLater, sound),
      ])
    }
  }

  private func entry(_ duration: UInt64, _ time: Int64) -> EditList.Entry {
    .init(segmentDuration: duration, mediaTime: time)
  }

  @Test(arguments: [1, 17_038, 1_785_000_000])
  func makesTheSameMovieForAnyClock(seconds: UInt64) throws {
    let zero = try Flattened(fragments(from: 0))
    let late = try Flattened(fragments(from: seconds))
    #expect(try late.output() == zero.output())
    #expect(late.edits(1) == nil && late.edits(2) == nil)
    let notices = late.edit.notices.filter { $0.kind == .startSubtracted }
    #expect(notices.count == 1 && !notices[0].isWarning)
    #expect(zero.edit.notices.allSatisfy { $0.kind != .startSubtracted })
  }

  @Test func subtracts32BitTimesAndSeparateFragments() throws {
    let zero = try Flattened(fragments(from: 0))
    #expect(try Flattened(fragments(from: 17_038, usesLongTime: false)).output() == zero.output())
    let apart = fragments(from: 17_038).flatMap { fragment in fragment.tracks.reversed().map { TestFragment([$0]) } }
    let movie = try Flattened(apart)
    #expect(movie.edits(1) == nil && movie.edits(2) == nil)
    #expect(movie.movie.durationInMovieTicks == zero.movie.durationInMovieTicks)
  }

  @Test func startsQuickTimeMoviesAndAudioAtZero() throws {
    let header = TestMovie.simple.initial.with { $0.tracks.remove(at: 0) }
    let alone = fragments(from: 17_038).map { TestFragment([$0.tracks[1]]) }
    let movie = try Flattened(alone, of: header)
    #expect(movie.movie.isQuickTime && movie.edits(2) == nil)
    #expect(movie.movie.durationInMovieTicks == 1_200)
  }

  @Test func keepsDistancesBetweenTracks() throws {
    // A quarter of a second.
    let late = try Flattened(fragments(from: 17_038, soundLater: 2_000))
    #expect(late.edits(1) == nil)
    #expect(late.edits(2) == [entry(150, -1), entry(1_200, 0)])
    #expect(late.notices == ["track 2 begins at 0.250 s, after an empty edit"])
    // 7 audio ticks are not whole ticks of the video or the movie, so each track is exact to half a tick.
    let first = fragments(from: 17_038).map { fragment in
      TestFragment([
        fragment.tracks[0].with { $0.decodeTime = $0.decodeTime.map { $0 + 60 } },
        fragment.tracks[1].with { $0.decodeTime = $0.decodeTime.map { $0 + 7 } },
      ])
    }
    let odd = try Flattened(first)
    #expect(odd.edits(2) == nil)
    #expect(odd.edits(1) == [entry(109, -1), entry(1_250, 50)])
  }

  @Test func keepsTheClockOnRequest() throws {
    let kept = try Flattened(fragments(from: 17_038), keepingStart: true)
    // FFmpeg ignores the composition delay of an edit that begins at tick 0 after an empty one. Therefore the edit begins with
    // the first picture in presentation order.
    #expect(kept.edits(1) == [entry(17_038 * 600 + 50, -1), entry(1_250, 50)])
    #expect(kept.edits(2)?.first == entry(17_038 * 600, -1))
    #expect(kept.edit.notices.allSatisfy { $0.kind != .startSubtracted })
  }

  @Test func detectsAnotherTimeOfTheFirstPicture() throws {
    let kept = try Flattened(fragments(from: 17_038), keepingStart: true)
    let (lead, rest): (UInt64, UInt64) = (17_038 * 600 + 50, 1_250)
    #expect(try kept.error(withEdits: [entry(lead, -1), entry(rest, 50)], of: 1, keepingStart: true) == nil)
    for wrong in [
      [entry(lead - 50, -1), entry(rest, 50)], [entry(lead, -1), entry(rest, 0)], [entry(lead, -1), entry(rest, 100)],
      [entry(lead - 50, -1), entry(rest + 50, 0)],
    ] {
      #expect(try kept.error(withEdits: wrong, of: 1, keepingStart: true)?.code == .planCheckFailed)
    }
  }

  /// Returns the notices about cues of the usual clock next to video that keeps its clock.
  private func earlyCues(keepingStart: Bool, from offset: Int64 = 0) throws -> [EditNotice] {
    try Flattened(fragments(from: 17_038), keepingStart: keepingStart) { edit in
      var input = SubtitleInput(try SubtitleFile.read(Array("1\n00:00:00,000 --> 00:00:01,000\nHi\n".utf8)))
      input.timing.offsetMilliseconds = offset
      _ = try edit.addSubtitles(input)
    }.edit.notices.filter { $0.kind == .beforeStart }
  }

  @Test func reportsCuesBeforeTheFirstPicture() throws {
    let notices = try earlyCues(keepingStart: true)
    #expect(notices.map(\.isWarning) == [true])
    #expect(
      notices.first?.message == "1 of 1 cue begins before the first picture or sound at 4:43:58.000; use --offset "
        + "4:43:58.000, or leave out --keep-start")
    #expect(try earlyCues(keepingStart: true, from: 17_038_000).isEmpty)
    #expect(try earlyCues(keepingStart: false).isEmpty)
  }

  @Test func reportsChaptersBeforeTheFirstPicture() throws {
    func notices(_ starts: [Int64], from clock: UInt64 = 17_038, keepingStart: Bool = true) throws -> [String] {
      let source = MemorySource(Bytes(Flattened.header.bytes(fragments: fragments(from: clock))))
      var edit = try MovieEdit(of: Movie(of: source), from: source, keepingStart: keepingStart)
      try edit.setChapters(starts.map { Chapter(startMilliseconds: $0, title: "A") })
      _ = try edit.outputPlan(of: source)
      return edit.notices.filter { $0.kind == .beforeStart }.map(\.message)
    }
    #expect(
      try notices([0, 1_000]).first?.hasPrefix("2 of 2 chapters begin before the first picture or sound") == true)
    #expect(try notices([0, 17_038_000]).first?.hasPrefix("1 of 2 chapters begins before") == true)
    #expect(try notices([17_038_000, 17_039_000]).isEmpty)
    #expect(try notices([0]).isEmpty && notices([0, 1_000], keepingStart: false).isEmpty)
    // On a clock since 1970, no sample can be long enough, neither before the first chapter nor as the last.
    #expect(try notices([1_785_000_000_000, 1_785_000_001_000], from: 1_785_000_000).isEmpty)
    #expect {
      try notices([0, 1_000], from: 1_785_000_000)
    } throws: {
      isMovieError($0, .invalidEdit)
    }
  }

  @Test func keepsEmptyEditsOfTheMovieAtom() throws {
    let header = Flattened.header.with { movie in
      for index in movie.tracks.indices {
        movie.tracks[index].edits = [.init(duration: 300, mediaTime: -1), .init(duration: 0, mediaTime: 0)]
      }
    }
    let movie = try Flattened(fragments(from: 17_038), of: header)
    #expect(movie.edits(1) == [entry(300, -1), entry(1_300, 0)])
    #expect(movie.edits(2) == [entry(300, -1), entry(1_200, 0)])
  }

  @Test func subtractsNothingForAnEditThatBeginsWithTheClock() throws {
    let header = Flattened.header.with {
      $0.tracks[0].edits = [.init(duration: 0, mediaTime: 17_038 * 600)]
    }
    let movie = try Flattened(fragments(from: 17_038), of: header)
    #expect(movie.edits(1) == [entry(1_300, 0)])
    #expect(movie.edits(2)?.first == entry(17_038 * 600, -1))
    #expect(movie.edit.notices.allSatisfy { $0.kind != .startSubtracted })
  }

  /// ffmpeg declares 1024 ticks of priming even for segments from the middle of a stream, which have none.
  @Test func keepsFalsePrimingOfSegmentsAudible() throws {
    let header = Flattened.header.with { $0.tracks[1].edits = [.init(duration: 0, mediaTime: 1_000)] }
    let movie = try Flattened(fragments(from: 8), of: header)
    // The audio is presented an eighth of a second before its decode time, and is the first track.
    #expect(movie.edits(2) == [entry(1_200, 0)])
    #expect(movie.edits(1) == [entry(125, -1), entry(1_250, 50)])
  }

  @Test func startsSamplesOfTheMovieAtomAtZero() throws {
    let whole = TestMovie.simple.with { ($0.dialect, $0.layout) = (.iso, .movieFirst) }
    let movie = try Flattened(fragments(from: 17_038), of: whole)
    #expect(movie.edit.notices.allSatisfy { $0.kind != .startSubtracted })
    #expect(movie.edits(1) == nil)
  }

  @Test func startsTextInTheMovieAtomAtZero() throws {
    let header = Flattened.header.with { movie in
      movie.layout = .movieFirst
      movie.tracks.append(
        TestTrack(.subtitle, id: 3).with {
          $0.samples = [.timedText("", duration: 500), .timedText("Hello", duration: 100)]
        })
    }
    let fragment = TestFragment([.init(id: 1, decodeTime: 1_800, runs: [.init(.pictures(3, around: 20, duration: 50))])]
    )
    let movie = try Flattened([fragment], of: header)
    #expect(movie.edit.notices.allSatisfy { $0.kind != .startSubtracted })
    #expect(try movie.samples(1).count == 3)
  }

  @Test func ignoresEmptyTextInTheStart() throws {
    let header = Flattened.header.with { $0.tracks.append(TestTrack(.subtitle, id: 3).with { $0.samples = [] }) }
    let text: [TestSample] = [
      .timedText("", duration: 17_038_100), .timedText("Hello", duration: 400), .timedText("", duration: 100),
    ]
    let fragment = TestFragment([.init(id: 3, decodeTime: 0, runs: [.init(text)])])
    let movie = try Flattened([fragment] + fragments(from: 17_038), of: header)
    #expect(movie.edits(1) == nil && movie.edits(2) == nil)
    #expect(movie.edits(3) == [entry(360, 17_038_000)])
    let output = MemorySource(Bytes(try movie.output()))
    let cues = try Movie(of: output).text(ofTrack: 3, from: output).cues
    #expect(cues.map(\.startMilliseconds) == [100] && cues.map(\.endMilliseconds) == [500])
  }

  @Test func movesCuesWithTheClock() throws {
    let header = Flattened.header.with { $0.tracks.append(TestTrack(.subtitle, id: 3).with { $0.samples = [] }) }
    let text: [TestSample] = [.timedText("Hello", duration: 400), .timedText("", duration: 100)]
    let fragment = TestFragment([.init(id: 3, decodeTime: 17_038_500, runs: [.init(text)])])
    let movie = try Flattened(fragments(from: 17_038) + [fragment], of: header)
    let (old, new) = (movie.source, MemorySource(Bytes(try movie.output())))
    func starts(_ source: MemorySource, keepingStart: Bool = false) throws -> [Int64] {
      try Movie(of: source).text(ofTrack: 3, from: source, keepingStart: keepingStart).cues.map(\.startMilliseconds)
    }
    // Text read from the recording has the times of the written movie.
    #expect(try starts(old) == [500] && starts(new) == [500])
    #expect(try starts(old, keepingStart: true) == [17_038_500])
  }

  @Test func movesChaptersWithTheClock() throws {
    let header = TestMovie.simple.initial.with { movie in
      movie.tracks[0].references = [TestReference("chap", 3)]
      movie.tracks.append(TestTrack(.text, id: 3).with { ($0.samples, $0.isEnabled) = ([], false) })
    }
    let titles: [TestSample] = [.timedText("One", duration: 1_000), .timedText("Two", duration: 1_000)]
    let fragment = TestFragment([.init(id: 3, decodeTime: 17_038_000, runs: [.init(titles)])])
    let movie = try Flattened(fragments(from: 17_038) + [fragment], of: header)
    let (old, new) = (movie.source, MemorySource(Bytes(try movie.output())))
    func starts(_ source: MemorySource, keepingStart: Bool = false) throws -> [Int64] {
      try Movie(of: source).chapters(from: source, keepingStart: keepingStart).chapters.map(\.startMilliseconds)
    }
    #expect(try starts(old) == [0, 1_000] && starts(new) == [0, 1_000])
    #expect(try starts(old, keepingStart: true) == [17_038_000, 17_039_000])
    // A conversion rewrites each title.
    var edit = try MovieEdit(of: Movie(of: old), from: old)
    try edit.convert(to: .mp4)
    let converted = MemorySource(Bytes(try edit.outputPlan().rendered(from: edit.joinedSource())))
    #expect(try starts(converted) == [0, 1_000])
  }

  @Test func extendsAddedSubtitlesToTheMoviesEnd() throws {
    let movie = try Flattened(fragments(from: 1_785_000_000)) { _ = try $0.addSubtitles("en") }
    #expect(movie.new.tracks.last?.mediaDuration == 2_000)
  }

  @Test func keepsTimesOfKeptFragments() throws {
    let source = MemorySource(Bytes(Flattened.header.bytes(fragments: fragments(from: 17_038))))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.setTitle("Pictures", of: 1)
    #expect(!edit.flattens && edit.notices.isEmpty)
    let output = MemorySource(Bytes(try edit.outputPlan(of: source).rendered(from: source)))
    let movie = try Movie(of: output)
    #expect(movie.isFragmented && movie.tracks[0].editList == nil)
    #expect(try movie.readFragments(of: output).tracks.map(\.startTime) == [17_038 * 600, 17_038 * 8_000])
  }

  // MARK: - Tracks of other movies

  /// Returns the edits of audio tracks that are added to a movie of video only.
  private func added(pictureFrom picture: UInt64, soundFrom sound: UInt64) throws -> [EditList.Entry]? {
    let header = Flattened.header
    let film = MemorySource(
      Bytes(
        header.with { $0.tracks.removeLast() }.bytes(fragments: [TestFragment([fragments(from: picture)[0].tracks[0]])])
      ))
    let track = fragments(from: 0)[0].tracks[1].with { $0.decodeTime = sound }
    let talk = MemorySource(
      Bytes(header.with { $0.tracks.remove(at: 0) }.bytes(fragments: [TestFragment([track])])))
    var edit = try MovieEdit(of: Movie(of: film), from: film)
    let other = try Movie(of: talk)
    let id = try edit.add([TrackInput(other.tracks[0])], of: other, from: talk)[0]
    let joined = try JoinedSource([film, talk])
    let output = MemorySource(Bytes(try edit.outputPlan(of: joined).rendered(from: joined)))
    return try Movie(of: output).track(id)?.editList?.entries
  }

  @Test func synchronizesAudioOfTheSameStream() throws {
    // The audio begins 100 ms after the video, and 100 ms before it; then its first 800 ticks are dropped.
    #expect(try added(pictureFrom: 100, soundFrom: 800_800) == [entry(60, -1), entry(600, 0)])
    #expect(try added(pictureFrom: 100, soundFrom: 799_200) == [entry(540, 800)])
    #expect(try added(pictureFrom: 0, soundFrom: 800) == [entry(60, -1), entry(600, 0)])
    // Audio of another clock.
    #expect(try added(pictureFrom: 100, soundFrom: 80_000_000) ?? [] == [])
  }

  // MARK: - Events

  private func event(version: Int, time: UInt64, timeScale: Int = 1_000) -> [UInt8] {
    fullAtom("emsg", version: version) {
      if version == 0 {
        Array("urn:x\0v\0".utf8) + u32(timeScale, Int(truncatingIfNeeded: time), 10, 1)
      } else {
        u32(timeScale) + u64(time) + u32(10, 1) + Array("urn:x\0v\0".utf8)
      }
      [1, 2, 3]
    }
  }

  @Test func movesEventsWithTheClock() throws {
    let events =
      event(version: 1, time: 17_038_250) + event(version: 0, time: 250) + event(version: 1, time: 9)
      + event(version: 1, time: 1_533_420_001, timeScale: 90_000)
    let bytes = Flattened.header.bytes(fragments: fragments(from: 17_038)) + events
    func found(_ movie: Flattened) throws -> [[UInt8]] {
      try movie.new.topLevel.filter { $0.type == "emsg" }.map { try movie.new.bytes(of: $0) }
    }
    #expect(
      try found(Flattened(bytes)) == [
        event(version: 1, time: 250), event(version: 0, time: 250), event(version: 1, time: 0),
        event(version: 1, time: 1, timeScale: 90_000),
      ])
    #expect(try found(Flattened(bytes, keepingStart: true)).joined().elementsEqual(events))
  }

  /// Times of version 1 remain correct without segments, and a movie for sharing contains no events.
  @Test func warnsOnlyAboutRelativeTimesOfKeptEvents() throws {
    let bytes = Flattened.header.bytes(fragments: fragments(from: 17_038))
    let absolute = event(version: 1, time: 17_038_250)
    let relative = event(version: 0, time: 250)
    #expect(try !Flattened(bytes + absolute).warnings.contains { $0.contains("emsg") })
    let warnings = try Flattened(bytes + absolute + relative).warnings.filter { $0.contains("emsg") }
    #expect(warnings.count == 1 && warnings[0].contains("times relative to a segment are meaningless"), "\(warnings)")
    let source = MemorySource(Bytes(bytes + relative))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.prepareForSharing()
    #expect(!edit.notices.contains { $0.message.contains("emsg") })
    let output = try edit.outputPlan(of: source).rendered(from: source)
    #expect(try !SecondReader(output).topLevel.contains { $0.type == "emsg" })
  }

  // MARK: - Wrong plans

  /// Returns the checker's error on an edit of a recording whose subtracted start was changed.
  private func error(
    startingAt start: MediaTime?, claiming claim: MediaTime?? = nil, after: [UInt8] = [], keepingStart: Bool = false
  ) throws -> MovieError? {
    let source = MemorySource(Bytes(Flattened.header.bytes(fragments: fragments(from: 17_038)) + after))
    let movie = try Movie(of: source)
    var flattenedMovie = try FlattenedMovie(of: movie, from: source) { _ in start }
    if let claim { flattenedMovie.start = claim }
    var edit = try MovieEdit(MovieStages(flattenedMovie), from: source)
    edit.stages.keepsStart = keepingStart
    edit.flatten()
    do {
      _ = try edit.outputPlan(of: source)
      return nil
    } catch {
      return error as? MovieError
    }
  }

  @Test func detectsAWrongStart() throws {
    let right = MediaTime(ticks: 17_038, timeScale: 1)
    #expect(try error(startingAt: right) == nil)
    #expect(try error(startingAt: nil, keepingStart: true) == nil)
    for (wrong, keepsStart) in [
      (MediaTime(ticks: 17_037, timeScale: 1), false), (MediaTime(ticks: 17_038_001, timeScale: 1_000), false),
      (nil, false), (right, true),
    ] {
      #expect(try error(startingAt: wrong, keepingStart: keepsStart)?.code == .planCheckFailed)
    }
    // The tables contradict the claim.
    #expect(try error(startingAt: MediaTime(ticks: 17_037, timeScale: 1), claiming: right)?.code == .planCheckFailed)
    #expect(try error(startingAt: nil, claiming: right)?.code == .planCheckFailed)
    #expect(try error(startingAt: right, claiming: .some(nil), keepingStart: true)?.code == .planCheckFailed)
  }

  @Test func detectsAnotherDistanceOfATrack() throws {
    let movie = try Flattened(fragments(from: 17_038, soundLater: 2_000))
    #expect(try movie.error(withEdits: [entry(150, -1), entry(1_200, 0)], of: 2) == nil)
    for wrong in [90, 148, 152] as [UInt64] {
      #expect(try movie.error(withEdits: [entry(wrong, -1), entry(1_200, 0)], of: 2)?.code == .planCheckFailed)
    }
  }

  @Test func detectsAnUnmovedEvent() throws {
    let bytes = Flattened.header.bytes(fragments: fragments(from: 17_038)) + event(version: 1, time: 17_038_250)
    let movie = try Flattened(bytes)
    let field = try #require(movie.new.topLevel.first { $0.type == "emsg" }).offset + 16
    for wrong: [UInt8] in [u64(17_038_250), u64(251), u64(0)] {
      var contents: [OutputPlan.Content] = []
      for extent in movie.plan.extents {
        contents.append(extent.range.offset == field ? .generated(Bytes(wrong)) : extent.content)
      }
      let plan = try OutputPlan(of: movie.source.identity(), contents)
      #expect {
        try PlanChecker.check(plan, of: movie.resolved, strategy: .rewrite(OutputLayout()), source: movie.source)
      } throws: {
        isMovieError($0, .planCheckFailed)
      }
    }
  }
}
