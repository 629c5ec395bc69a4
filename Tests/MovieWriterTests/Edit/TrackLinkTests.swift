import SubtitleTestSupport
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Associations of existing tracks.
struct TrackLinkTests {
  /// Video, English AAC, English AC-3, English and English forced subtitles, chapters.
  private static let movie = TestMovie.talk.with {
    $0.tracks[3].language = .packed("eng")
    $0.tracks[2] = $0.tracks[2].with {
      $0.language = .packed("eng")
      $0.sampleEntries = [SampleEntry.sound("ac-3", rate: 48000)]
    }
    $0.tracks[1].sampleEntries = [SampleEntry.sound("mp4a", rate: 48000)]
    $0.tracks.append($0.tracks[3].with { ($0.id, $0.isEnabled) = (5, false) })
    $0.tracks.append(TestTrack(.text, id: 6).with { $0.group = 2 })
  }

  private func edit(_ movie: TestMovie = movie) throws -> MovieEdit {
    var edit = try MovieEdit(of: movie.source)
    if edit.track[5] != nil { try edit.setContainsOnlyForcedSubtitles(true, of: 5) }
    return edit
  }

  @Test(
    arguments: [
      (4, 2, .selectionFollower, "specify the audio track first"),
      (2, 1, .selectionFollower, "can only be followed by a subtitle track (folw)"),
      (5, 4, .forcedSubtitlesOnly, "track 5 is forced-only"), (4, 4, .forcedSubtitlesOnly, "is not forced-only"),
      (2, 4, .forcedSubtitlesOnly, "must point from a full"), (2, 3, .audioFallback, "fewer players"),
      (2, 4, .audioFallback, "to another audio track"), (1, 2, .chapterList, "must point to a text track"),
      (1, 2, .timecode, "must point to a time code track"), (2, 1, .metadataReferent, "must be in a metadata track"),
      (2, 9, .selectionFollower, "no track 9"),
    ] as [(UInt32, UInt32, TrackAssociation, String)])
  func rejectsReversedReferences(
    _ id: UInt32, _ other: UInt32, _ association: TrackAssociation, _ reason: String
  ) throws {
    var edit = try edit()
    let before = edit.tracks.map(\.references)
    #expect { try edit.link(id, to: other, association) } throws: { error in
      isMovieError(error, .invalidEdit) && (error as? MovieError)?.reason.contains(reason) == true
    }
    #expect(edit.tracks.map(\.references) == before)
  }

  @Test func refersFromAudioToTheForcedPartner() throws {
    var edit = try edit()
    try edit.link(4, to: 5, .forcedSubtitlesOnly)
    #expect(try edit.link(2, to: 4, .selectionFollower) == 5)
    #expect(edit.track[2]?.references == ["folw": [5]])
    // Each audio track has one follower. Replacing it is reported.
    try edit.unlink(4, from: 5)
    try edit.link(2, to: 4, .selectionFollower)
    #expect(edit.track[2]?.references == ["folw": [4]])
    #expect(edit.notices.contains { $0.message == "the folw reference of track 2 to track 5 was removed" })
  }

  @Test func rejectsCyclesOfFallbacks() throws {
    let movie = Self.movie.with { movie in
      let surround = movie.tracks[2]
      movie.tracks += [surround.with { $0.id = 7 }, surround.with { $0.id = 8 }]
    }
    var edit = try edit(movie)
    try edit.link(3, to: 7, .audioFallback)
    try edit.link(3, to: 2, .audioFallback)
    #expect { try edit.link(7, to: 3, .audioFallback) } throws: {
      ($0 as? MovieError)?.reason.hasSuffix("must not form a cycle: track 3 falls back to track 7") == true
    }
    try edit.link(7, to: 8, .audioFallback)
    try edit.link(7, to: 2, .audioFallback)
    #expect { try edit.link(8, to: 3, .audioFallback) } throws: {
      ($0 as? MovieError)?.reason.hasSuffix(
        "must not form a cycle: track 3 falls back to track 7 falls back to track 8") == true
    }
    try edit.link(8, to: 2, .audioFallback)
  }

  @Test func addsAndRemovesReferencesByBothStrategies() throws {
    let source = Self.movie.source
    var edit = try MovieEdit(of: source)
    try edit.link(3, to: 2, .audioFallback)
    try edit.link(1, to: 6, .chapterList)
    let allowed = AllowedChanges().with {
      $0.references = [3: ["fall"], 1: ["chap"]]
      $0.regroupedTracks = [6]
    }
    let plans = [try edit.outputPlan(of: source), try edit.inPlacePlan(of: source).rendered()]
    for plan in plans {
      let bytes = try plan.rendered(from: source)
      #expect(try differences(old: Self.movie.bytes(), new: bytes, allowing: allowed) == [])
      let other = MemorySource(Bytes(bytes))
      let new = try Movie(of: other)
      #expect(new.track(3)?.referenced("fall") == [2] && new.track(1)?.referenced("chap") == [6])
      #expect(new.track(6)?.isEnabled == false && new.track(6)?.alternateGroup == 0)
      var back = try MovieEdit(of: new)
      #expect(try back.unlink(3, from: 2) == [.audioFallback])
      #expect { try back.unlink(3, from: 2) } throws: { isMovieError($0, .invalidEdit) }
      let cleared = try Movie(of: MemorySource(Bytes(back.outputPlan(of: other).rendered(from: other))))
      #expect(cleared.track(3)?.referenced("fall") == [])
    }
  }

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso]) func linksTracksByLanguage(
    _ dialect: TestMovie.Dialect
  ) throws {
    let movie = Self.movie.with {
      $0.dialect = dialect
      $0.tracks[4].group = 0
      $0.tracks[5].isEnabled = false
      $0.tracks[0].references = [TestReference("chap", 6)]
      $0.tracks.append(
        $0.tracks[3].with {
          ($0.id, $0.isEnabled) = (7, false)
          $0.userData = TestSupport.movie {
            for tag in MediaCharacteristic.sdh { atom("tagc") { text(tag.rawValue) } }
          }
        })
    }
    var edit = try edit(movie)
    try edit.linkByLanguage()
    #expect(edit.track[4]?.references["forc"] == [5] && edit.track[7]?.references["forc"] == [5])
    #expect(edit.track[2]?.references["folw"] == [5] && edit.track[3]?.references["folw"] == [5])
    #expect(edit.track[5]?.alternateGroup == 2 && edit.tracks.pairWarnings.isEmpty)
    #expect(edit.notices.contains { $0.kind == .role && $0.trackID == 7 } == (dialect == .iso))
    let source = movie.source
    let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    #expect(new.track(7)?.kinds.map(\.value) == (dialect == .iso ? ["caption"] : []))
    var again = try MovieEdit(of: new)
    try again.linkByLanguage()
    #expect(!again.changesTracks)
  }
}
