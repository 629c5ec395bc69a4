import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// The effects of removing tracks on the others.
struct RemovedTrackTests {
  private func edit(_ movie: TestMovie) throws -> MovieEdit {
    try MovieEdit(of: MemorySource(Bytes(movie.bytes())))
  }

  private func enabled(_ edit: MovieEdit) -> [UInt32] {
    edit.tracks.filter(\.isEnabled).map(\.id)
  }

  @Test func reportsRemovedReferences() throws {
    var edit = try edit(
      .talk.with {
        $0.tracks[1].references = [TestReference("folw", 4), TestReference("XXXX", 4, 1)]
        $0.tracks[2].references = [TestReference("folw", 4)]
      })
    try edit.remove([3, 4])
    #expect(edit.tracks.map(\.id) == [1, 2])
    #expect(edit.tracks[1].references == ["XXXX": [1]])
    // A reference of a removed track is not reported.
    #expect(edit.notices.filter { $0.kind == .association }.map(\.trackID) == [2, 2])
    #expect(edit.notices.filter { $0.kind == .removed }.map(\.trackID) == [3, 4])
  }

  /// Also for thousands of tracks, for which separate searches would take too long.
  @Test func findsChaptersOfManyTracksInOnePass() throws {
    var reference = TestReference("chap")
    reference.tracks = Array(2...2001)
    let sound = TestTrack(.sound, id: 1).with { $0.references = [reference] }
    let edit = try edit(TestMovie(tracks: [sound] + reference.tracks.map { TestTrack(.text, id: $0) }))
    #expect(edit.chapterTracks(of: [1]).own == Set(reference.tracks))
  }

  @Test func enablesAnotherAudioTrackWhenTheDefaultIsRemoved() throws {
    var edit = try edit(.talk)
    try edit.remove([2])
    #expect(enabled(edit) == [1, 3, 4])
    let note = try #require(edit.notices.last)
    #expect(note.kind == .defaultRemoved && note.isWarning && note.trackID == 2)
    #expect(note.message == "track 2 was the default of group 1; track 3 is now enabled instead")
  }

  @Test func reportsNothingIfTheDefaultRemains() throws {
    for ids in [[3], [2, 3], [1], [4]] as [Set<UInt32>] {
      var edit = try edit(.talk)
      try edit.remove(ids)
      let isAll = ids == [2, 3] || ids == [1]
      #expect(edit.notices.filter(\.isWarning).map(\.kind) == (isAll ? [.lastOfKindRemoved] : []), "\(ids)")
      #expect(enabled(edit) == [1, 2, 4].filter { !ids.contains($0) })
    }
  }

  @Test func warnsOfRemovingTheLastVideoOrAudio() throws {
    for (ids, message) in [
      ([1], "no video track remains"), ([2, 3], "no audio track remains"), ([2], nil), ([4], nil),
    ] as [(Set<UInt32>, String?)] {
      var edit = try edit(.talk)
      try edit.remove(ids)
      #expect(edit.notices.filter { $0.kind == .lastOfKindRemoved }.map(\.message) == [message].compactMap { $0 })
    }
    // A kind that did not exist is not missed.
    var silent = try edit(TestMovie(tracks: [TestTrack(.video, id: 1), TestTrack(.subtitle, id: 2)]))
    try silent.remove([2])
    #expect(!silent.notices.contains { $0.isWarning })
  }

  @Test func leavesSubtitlesWithoutADefault() throws {
    let second = TestTrack(.subtitle, id: 5).with { ($0.group, $0.isEnabled) = (2, false) }
    var edit = try edit(.talk.with { $0.tracks.append(second) })
    try edit.remove([4])
    #expect(enabled(edit) == [1, 2])
    #expect(
      edit.notices.last?.message
        == "track 4 was the default of group 2; players now show no subtitles unless a viewer selects a track")
  }

  @Test func enablesAnotherUngroupedTrackButNoChapters() throws {
    let movie = TestMovie.simple.with {
      $0.tracks += [
        TestTrack(.sound, id: 3).with { $0.isEnabled = false }, TestTrack(.video, id: 4).with { $0.isEnabled = false },
      ]
      $0.tracks[1].references = [TestReference("chap", 4)]
    }
    var sound = try edit(movie)
    try sound.remove([2])
    #expect(enabled(sound) == [1, 3])
    #expect(sound.notices.last?.message == "track 2 was the default of its kind; track 3 is now enabled instead")
    var picture = try edit(movie)
    try picture.remove([1])
    #expect(enabled(picture) == [2] && picture.notices.allSatisfy { !$0.isWarning })
  }

  @Test func movesReferencesToChaptersToAllSuitableTracks() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1), TestTrack(.sound, id: 2).with { $0.references = [TestReference("chap", 5)] },
      TestTrack(.sound, id: 3), TestTrack(.sound, id: 4).with { $0.isEnabled = false },
      TestTrack(.text, id: 5).with { $0.isEnabled = false },
    ])
    var edit = try edit(movie)
    try edit.remove([2])
    #expect(edit.tracks.filter { $0.references["chap"] == [5] }.map(\.id) == [1, 3])
  }

  @Test func shortensTheMovieToItsLongestRemainingTrack() throws {
    var movie = TestMovie.simple
    movie.tracks[1].samples += Array(repeating: TestSample(20, duration: 1024), count: 200)
    let source = MemorySource(Bytes(movie.bytes()))
    let old = try Movie(of: source)
    let lengths = old.tracks.map(\.header.duration)
    try #require(old.header.duration == lengths[1] && lengths[0] < lengths[1])
    for (gone, longest) in [(2, lengths[0]), (1, lengths[1])] as [(UInt32, UInt64)] {
      var edit = try MovieEdit(of: source)
      try edit.remove([gone])
      let told = edit.notices.filter { $0.kind == .movieShortened }
      #expect(told.count == (longest < lengths[1] ? 1 : 0) && told.allSatisfy { !$0.isWarning })
      let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
      #expect(new.header.duration == longest)
    }
  }

  /// Texts of durations have milliseconds. A shorter difference is written, but not reported.
  @Test(arguments: [(90_089, false), (90_090, true)])
  func reportsNoDurationsWithEqualTexts(longest: Int, isReported: Bool) throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with { ($0.timeScale, $0.samples) = (90_000, [TestSample(8, duration: 90_000)]) },
      TestTrack(.sound, id: 2).with { ($0.timeScale, $0.samples) = (90_000, [TestSample(20, duration: longest)]) },
    ]).with { $0.timeScale = 90_000 }
    let source = MemorySource(Bytes(movie.bytes()))
    var edit = try MovieEdit(of: source)
    try #require(edit.movie.header.duration == UInt64(longest))
    try edit.remove([2])
    #expect(edit.notices.contains { $0.kind == .movieShortened } == isReported)
    let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    #expect(new.header.duration == 90_000)
  }

  @Test func shortensTheMovieWithReplacedSubtitles() throws {
    // Ticks are not whole milliseconds, so the new track is rounded down, and the movie with it.
    var movie = TestMovie.talk
    movie.tracks[3].samples = [
      .timedText("", duration: 250), .timedText("¿Quién anda ahí?", duration: 1000), .timedText("", duration: 98_751),
    ]
    let source = movie.source
    var edit = try MovieEdit(of: source)
    try #require(edit.movie.tracks[3].header.duration == edit.movie.header.duration)
    try edit.remove([4])
    _ = try edit.add(
      SubtitleInput(
        cues: [Cue(startMilliseconds: 100, endMilliseconds: 900, text: StyledText("Hi"))],
        language: LanguageTag("es")))
    let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    #expect(new.tracks.map(\.header.duration).max() == new.header.duration)
  }

  @Test func keepsAnUnrelatedMovieDuration() throws {
    let source = MemorySource(Bytes(TestMovie.simple.with { $0.duration = 90_000 }.bytes()))
    var edit = try MovieEdit(of: source)
    try edit.remove([1])
    let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    #expect(new.header.duration == 90_000 && !edit.notices.contains { $0.kind == .movieShortened })
  }

  @Test func writesANewDefaultByEveryStrategy() throws {
    let source = TestMovie.talk.source
    var edit = try MovieEdit(of: source)
    try edit.remove([2])
    for new in [
      try edit.outputPlan(of: source).rendered(from: source),
      try edit.inPlacePlan(of: source).rendered().rendered(from: source),
    ] {
      let allowed = AllowedChanges().with {
        ($0.removedTracks, $0.regroupedTracks, $0.mediaDataRearranged) = ([2], [3], true)
      }
      #expect(try differences(old: TestMovie.talk.bytes(), new: new, allowing: allowed) == [])
      #expect(try SecondReader(new).track(3)?.isEnabled == true)
    }
  }

  @Test func rejectsRemovingTheLastAndMissingTracks() throws {
    var edit = try edit(.simple)
    for ids in [[1, 2], [9], [1, 9]] as [Set<UInt32>] {
      let error = try #require(throws: MovieError.self) { try edit.remove(ids) }
      #expect(error.code == .invalidEdit)
      #expect(edit.isEmpty && edit.notices.isEmpty)
    }
  }

  @Test func countsUnusedMediaOnce() throws {
    var edit = try edit(.talk)
    #expect(edit.removedMediaByteCount == 0)
    let sound = MediaRanges([edit.movie.tracks[1]]).byteCount
    try edit.remove([2])
    #expect(sound > 0 && edit.removedMediaByteCount == sound)
  }
}
