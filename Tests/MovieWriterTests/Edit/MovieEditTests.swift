import SubtitleTestSupport
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

struct MovieEditTests {
  /// Returns the new movie. If both strategies are possible, their results must agree.
  private func result(of edit: MovieEdit, _ source: MemorySource) throws -> Movie {
    try Movie(of: PlannedSource(edit.outputPlan(of: source), of: source))
  }

  @Test func editsTheMovieOfTheTalk() throws {
    // Spanish subtitles exist. English ones join their group, Spanish stays the default, and the English subtitles follow the
    // English audio.
    let source = TestMovie.talk.source
    var edit = try MovieEdit(of: source)
    let english = try edit.add(SubtitleInput(cues: [.hello], language: LanguageTag("en")))
    #expect(english == 5)
    try edit.group(TrackGroup(members: [4, english], defaultMember: 4))
    try edit.link(2, to: english, .selectionFollower)
    for whole in [
      try edit.inPlacePlan(of: source).rendered(), try edit.outputPlan(of: source, OutputLayout(isFastStart: true)),
    ] {
      let planned = PlannedSource(whole, of: source)
      let movie = try Movie(of: planned)
      #expect(movie.tracks.map(\.id) == [1, 2, 3, 4, 5])
      let legible = try #require(movie.mediaSelectionGroups.last)
      #expect(legible.options.map(\.displayName) == ["Spanish", "English"])
      #expect(legible.options.map(\.isDefault) == [true, false])
      #expect(legible.alternateGroup == 2)
      #expect(movie.track(2)?.referenced("folw") == [5])
      #expect(movie.track(3)?.referenced("folw") == [])
      #expect(movie.header.nextTrackID == 6)
      #expect(movie.findings == [])
      // An independent reader finds no other change.
      let allowed = AllowedChanges.adding(5).with {
        $0.references = [2: ["folw"]]
        $0.movieMoved = true
      }
      let new = try SecondReader(planned.read(ByteRange(0..<whole.byteCount)).array)
      #expect(try differences(old: SecondReader(TestMovie.talk.bytes()), new: new, allowing: allowed) == [])
      #expect(new.track(5)?.samples.map { $0.duration } == [500, 1000, 500])
    }
  }

  @Test func changesNothingUntilATrackIsAdded() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    #expect(edit.isEmpty && edit.notices.isEmpty)
    try edit.group(TrackGroup(members: [2, 3], defaultMember: 2))
    #expect(edit.isEmpty)
    try edit.group(TrackGroup(members: [2, 3], defaultMember: 3))
    #expect(!edit.isEmpty)
  }

  @Test func keepsTheEditUnchangedIfAddingFails() throws {
    // Longer than the media of a track can be.
    let movie = TestMovie.talk.with {
      $0.usesLongTimes = true
      $0.duration = .max
    }
    let source = movie.source
    var edit = try MovieEdit(of: source)
    #expect { try edit.addSubtitles("en") } throws: { isMovieError($0, .limit) }
    var input = SubtitleInput(cues: [.hello])
    input.mediaCharacteristics = [MediaCharacteristic(rawValue: "no tag")]
    #expect { try edit.add(input) } throws: { isMovieError($0, .invalidEdit) }
    #expect(edit.isEmpty && edit.nextTrackID == 5)
    #expect(try edit.outputPlan(of: source).rendered(from: source) == movie.bytes())
  }

  @Test func placesNewTracksAfterOldOnes() throws {
    let source = TestMovie.torture.source
    var edit = try MovieEdit.addingSubtitles(to: source)
    _ = try edit.addSubtitles("fr")
    let movie = try result(of: edit, source)
    let types = movie.tree.children(of: 0).map { movie.tree[$0].type }
    #expect(types == ["mvhd"] + [FourCC](repeating: "trak", count: 6) + ["udta", "meta", "XMOV"])
    #expect(movie.tracks.suffix(2).map(\.language?.description) == ["en", "fr"])
    #expect(movie.tracks.suffix(2).map(\.id) == [5, 6])
  }

  @Test func removesReferencesToARemovedTrack() throws {
    let movie = TestMovie.talk.with {
      $0.tracks[1].references = [TestReference("folw", 4)]
      $0.tracks[2].references = [TestReference("folw", 4), TestReference("fall", 2, 4)]
    }
    let source = movie.source
    var edit = try MovieEdit(of: source)
    try edit.remove(4)
    #expect(edit.notices.map(\.kind) == [.removed, .association, .association, .association])
    let new = try result(of: edit, source)
    #expect(new.tracks.map(\.id) == [1, 2, 3])
    #expect(new.tracks.map { $0.references.flatMap(\.trackIDs) } == [[], [], [2]])
    #expect(new.findings == [])
    #expect(new.header.nextTrackID == 5)
    #expect { try edit.remove(4) } throws: { isMovieError($0, .invalidEdit) }
  }

  @Test func removesANewTrack() throws {
    let source = TestMovie.talk.source
    var edit = try MovieEdit.addingSubtitles(to: source)
    try edit.link(2, to: 5, .selectionFollower)
    try edit.remove(5)
    #expect(edit.isEmpty)
    #expect(try result(of: edit, source).tracks.map(\.id) == [1, 2, 3, 4])
  }

  @Test func rejectsAnAmbiguousTrackID() throws {
    let source = TestMovie(tracks: [TestTrack(.video, id: 1), TestTrack(.sound, id: 2), TestTrack(.sound, id: 2)])
      .source
    var edit = try MovieEdit(of: source)
    #expect { try edit.remove(2) } throws: { isMovieError($0, .invalidEdit) }
    _ = try edit.addSubtitles("en")
    #expect(try result(of: edit, source).tracks.map(\.id) == [1, 2, 2, 3])
  }

  @Test func writesNewTracksForTheDialect() throws {
    for dialect in [TestMovie.Dialect.quickTime, .iso] {
      let source = TestMovie.simple.with { $0.dialect = dialect }.source
      var edit = try MovieEdit(of: source)
      var input = SubtitleInput(cues: [.hello], language: LanguageTag("pt-BR"), title: "Título")
      input.mediaCharacteristics = MediaCharacteristic.sdh
      let id = try edit.add(input)
      let track = try #require(try result(of: edit, source).track(id))
      #expect(track.title == "Título" && track.isSDH)
      #expect(track.language?.description == "pt-BR")
      #expect(track.mediaType == .subtitle && track.formats == ["tx3g"])
      #expect(track.kinds.count == (dialect == .iso ? 1 : 0))
      #expect(track.handler?.componentType == (dialect == .iso ? FourCC(rawValue: 0) : "mhlr"))
      #expect(track.samples.mediaDuration == 2000)
    }
  }

  @Test func writesTagsOnceAndForcedOnlyNever() throws {
    let source = TestMovie.simple.source
    var edit = try MovieEdit(of: source)
    var input = SubtitleInput(cues: [.hello], language: LanguageTag("en"))
    input.mediaCharacteristics = [.easyToRead, .translation, .easyToRead, .translation]
    let id = try edit.add(input)
    #expect(try result(of: edit, source).track(id)?.taggedCharacteristics == [.easyToRead, .translation])

    input.mediaCharacteristics = [.easyToRead, .containsOnlyForcedSubtitles]
    #expect { try edit.add(input) } throws: { isMovieError($0, .invalidEdit) }
    #expect(edit.tracks.map(\.id) == [1, 2, id])
  }

  @Test func attributesAnExcessiveDurationToTheMovie() throws {
    let movie = TestMovie.simple.with {
      $0.usesLongTimes = true
      $0.duration = 600 * 100 * 366 * 86_400
    }
    var edit = try MovieEdit(of: movie.source)
    let error = #expect(throws: MovieError.self) { try edit.addSubtitles("en") }
    #expect(error?.code == .limit && error?.path == "moov/mvhd" && error?.offset != nil)
    edit = try MovieEdit(of: movie.with { $0.duration? -= 600 }.source)
    #expect(throws: Never.self) { try edit.addSubtitles("en") }
  }

  @Test func survivesACorruptedMovieAtom() throws {
    // Each byte of `moov` in turn: a movie that is still readable is edited, or rejected with a reason.
    let movie = TestMovie(tracks: [TestTrack(.subtitle, id: 1)]).with { $0.layout = .movieFirst }.bytes()
    let moov = try #require(try SecondReader(movie).atom("moov"))
    var edited = 0
    for index in stride(from: Int(moov.offset), to: Int(moov.end), by: 1) {
      var bytes = movie
      bytes[index] ^= index % 2 == 0 ? 0x81 : 0x01
      let source = MemorySource(Bytes(bytes))
      do {
        var edit = try MovieEdit(of: source)
        let id = try edit.addSubtitles("en")
        try edit.addToSubtitleGroup(id, asDefault: true)
        _ = try edit.outputPlan(of: source)
        edited += 1
      } catch let error as MovieError where error.code != .planCheckFailed {
        continue
      } catch is SubtitleError {
        continue
      } catch {
        Issue.record("byte \(index): \(error)")
      }
    }
    #expect(edited > 100)
  }
}
