import MovieBox
import MovieWriter
import TestSupport
import Testing

@Suite struct DifferenceExpectationTests {
  @Test(arguments: [
    "added:track", "removed:track@7", "changed:metadata", "changed:moov/mvhd", "changed:moov/trak[2]/udta",
    "added:uuid",
    "changed:group@4294967295",
  ])
  func parsesExpectations(_ words: String) throws {
    #expect(try MovieComparison.Expectation(words).description == words)
  }

  @Test(arguments: [
    "", "track", "added", "added:", "moved:track", "added:trakc", "changed:group@", "changed:group@x",
    "changed:moov//mvhd",
    "changed:moov/trak[0]", "changed:@3",
  ])
  func rejectsInvalidExpectations(_ words: String) throws {
    #expect(throws: MovieError.self) { try MovieComparison.Expectation(words) }
  }

  @Test func coversAdditionsByChanges() throws {
    let found = try ComparedMovies(.simple) { $0.tracks[1].extendedLanguage = "pt-BR" }
    #expect(found.lines == ["added language@2"])
    #expect(try found.isAsExpected(["added:language"]) && found.isAsExpected(["changed:language@2"]))
    #expect(try found.isAsExpected(["changed:moov/trak[2]/mdia"]) && found.isAsExpected(["added:moov/trak/mdia/elng"]))
    #expect(try !found.isAsExpected(["removed:language"]) && !found.isAsExpected(["changed:language@1"]))
    #expect(try !found.isAsExpected(["changed:moov/trak[1]/mdia"]) && !found.isAsExpected(["changed:moov/mvhd"]))
  }

  @Test func expectsConsequencesOfATrack() throws {
    let added = try ComparedMovies(.right.with { $0.tracks[3].group = 0 }) {
      $0.tracks[3].group = 2
      $0.tracks[3].isEnabled = false
      $0.tracks[2].references = [TestReference("folw", 8)]
      $0.tracks.append(.rightSubtitles(8, "spa").with { $0.isEnabled = true })
    }
    #expect(try added.isAsExpected(["added:track"]), "\(added.lines)")
    #expect(added.lines.filter { $0.hasSuffix(" <- added") }.count >= 4)
    let removed = try ComparedMovies(.right) {
      $0.tracks.remove(at: 1)
      $0.tracks[1].isEnabled = true
      $0.duration = 900
    }
    #expect(try removed.isAsExpected(["removed:track@2"]), "\(removed.lines)")
    // Without the track, or with a track of another group or kind, they follow from nothing.
    for change: @Sendable (inout TestMovie) -> Void in [
      { $0.tracks[3].group = 0 }, { $0.tracks[3].isEnabled = false }, { $0.tracks[2].references = [] },
    ] {
      let found = try ComparedMovies(.right) {
        change(&$0)
        $0.tracks.append(TestTrack(.sound, id: 8).with { $0.group = 1 })
      }
      #expect(try !found.isAsExpected(["added:track"]))
    }
  }

  @Test func requiresExpectedAndPermitsAllowedDifferences() throws {
    let same = try ComparedMovies(.simple) { $0.layout = .movieFirst }
    #expect(try same.isAsExpected([]) && same.isAsExpected([], allowing: ["added:track"]))
    #expect(try !same.isAsExpected(["added:track"]) && !same.isAsExpected(["changed:group"]))
    let two = try ComparedMovies(.simple) {
      $0.tracks.append(TestTrack(.subtitle, id: 3))
      $0.tracks.append(TestTrack(.subtitle, id: 4))
    }
    #expect(try !two.isAsExpected(["added:track"]) && two.isAsExpected(["added:track", "added:track"]))
    #expect(try two.isAsExpected(["added:track@3"], allowing: ["added:track"]))
    #expect(
      try two.isAsExpected(["added:track", "added:track@3"]) && !two.isAsExpected(["added:track@3", "added:track@3"]))
    #expect(try two.isAsExpected(["added:moov/trak", "added:track", "added:track"]))
    #expect(try two.isAsExpected(["added:track@4", "added:track@3"]) && !two.isAsExpected(["added:track@3"]))
  }
}
