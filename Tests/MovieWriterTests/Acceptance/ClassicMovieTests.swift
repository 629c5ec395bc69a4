import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Movies from before MPEG-4: every strategy preserves their contents byte for byte.
struct ClassicMovieTests {
  private static let rearranged = AllowedChanges().with { ($0.mediaDataRearranged, $0.movieMoved) = (true, true) }

  private static let layouts: [OutputLayout] = {
    var split = OutputLayout(interleaving: .all)
    split.splitsChunks = true
    return [
      OutputLayout(), OutputLayout(isFastStart: true), OutputLayout(interleaving: .all), OutputLayout(isCompact: true),
      split,
    ]
  }()

  @Test(arguments: ClassicFeature.allCases)
  func preservesItByEveryStrategy(_ feature: ClassicFeature) throws {
    let source = feature.movie.source
    let old = try SecondReader(source.bytes.array)
    #expect(try Movie(of: source).misplacedSamples().isEmpty && Movie(of: source).inconsistencies().isEmpty)
    for layout in Self.layouts {
      let allowed = Self.rearranged.with { $0.chunksSplit = layout.splitsChunks }
      let new = try MovieEdit(of: source).outputPlan(of: source, layout).rendered(from: source)
      #expect(try differences(old: old, new: SecondReader(new), allowing: allowed) == [])
      let again = MemorySource(Bytes(new))
      #expect(try MovieEdit(of: again).outputPlan(of: again, layout).rendered(from: again) == new)
    }
  }

  @Test(arguments: ClassicFeature.allCases)
  func preservesItWhenAddingSubtitles(_ feature: ClassicFeature) throws {
    let source = feature.movie.source
    let old = try SecondReader(source.bytes.array)
    let edit = try MovieEdit.addingSubtitles(to: source)
    let id = try #require(edit.tracks.last?.id)
    let appended = try edit.inPlacePlan(of: source).rendered().rendered(from: source)
    #expect(try differences(old: old, new: SecondReader(appended), allowing: .adding(id)) == [])
    for layout in Self.layouts {
      let allowed = Self.rearranged.with { ($0.addedTracks, $0.chunksSplit) = ([id], layout.splitsChunks) }
      let new = try edit.outputPlan(of: source, layout).rendered(from: source)
      #expect(try differences(old: old, new: SecondReader(new), allowing: allowed) == [])
    }
  }

  @Test(arguments: ClassicFeature.allCases)
  func preservesItWhenRemovingAnotherTrack(_ feature: ClassicFeature) throws {
    let source = feature.movie.source
    let old = try SecondReader(source.bytes.array)
    for track in try Movie(of: source).tracks {
      var edit = try MovieEdit(of: source)
      try edit.remove(track.id)
      let allowed = Self.rearranged.with {
        $0.removedTracks = [track.id]
        $0.references = [1: ["ssrc"]]
      }
      for layout in Self.layouts where !layout.splitsChunks {
        let new = try edit.outputPlan(of: source, layout).rendered(from: source)
        #expect(try differences(old: old, new: SecondReader(new), allowing: allowed) == [])
      }
      let appended = try edit.inPlacePlan(of: source).rendered().rendered(from: source)
      #expect(try differences(old: old, new: SecondReader(appended), allowing: allowed) == [])
    }
  }

  @Test(arguments: ClassicFeature.allCases)
  func importsItsTracksIntoAnotherMovie(_ feature: ClassicFeature) throws {
    let count = feature.movie.tracks.count
    let trial = try ImportTrial(.talk, feature.movie, taking: Array(0..<count))
    try trial.check(trial.remuxed())
    try trial.check(trial.appended())
  }

  @Test func rejectsAReferenceMovieAndNamesItsMovies() throws {
    let list = alternateMovies(["small.mov", "http://example.org/large.mov"])
    let alone = atom("moov") { list }
    let reason =
      "is a reference movie, which contains no media and refers to other movies: small.mov, http://example.org/large.mov; open "
      + "one of these movies instead"
    #expect {
      try Movie(of: MemorySource(Bytes(alone)))
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .unsupported && error?.path == "moov/rmra" && error?.offset == 8 && error?.reason == reason
    }
    let withHeader = TestMovie(tracks: []).with {
      $0.movieAtoms = list
      $0.layout = [.movie(.ordinary)]
    }
    #expect { try MovieEdit(of: withHeader.source) } throws: { ($0 as? MovieError)?.reason == reason }
    #expect(try Movie(of: withHeader.source).tracks.isEmpty)
  }

  @Test func reportsTheReadablePartOfABrokenReferenceMovie() throws {
    let list = atom("rmra") {
      atom("rmda") { atom("rdrf") { u32(0) + code("url ") + u32(100) + cString("a.mov") } }
      atom("rmda") { atom("rdrf") { u32(0) + code("alis") + u32(0) } }
      atom("rmda") { atom("rdrf") { u32(0) } }
      atom("rmda")
    }
    #expect {
      try Movie(of: MemorySource(Bytes(atom("moov") { list })))
    } throws: { error in
      (error as? MovieError)?.reason.contains(
        "other movies: an unreadable reference, an unidentified file, an unreadable reference; ") == true
    }
    #expect { try Movie(of: MemorySource(Bytes(atom("moov") { atom("rmra") }))) } throws: { error in
      (error as? MovieError)?.reason
        == "is a reference movie, which contains no media and refers to other movies; open one of these movies instead"
    }
  }
}
