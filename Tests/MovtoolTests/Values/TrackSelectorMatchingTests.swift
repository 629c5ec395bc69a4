import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import movtool

struct TrackSelectorMatchingTests {
  private func matches(_ text: String, in movie: TestMovie = .talk) throws -> [UInt32] {
    let edit = try MovieEdit(of: Movie(of: MemorySource(Bytes(movie.bytes()))))
    return try TrackSelector(text, option: "follow").matches(among: edit.tracks).map(\.id)
  }

  @Test(
    arguments: [
      ("id:3", [3]), ("id:9", []), ("video", [1]), ("audio", [2, 3]), ("audio:1", [2]), ("audio:2", [3]),
      ("audio:3", []), ("audio:en", [2]), ("audio:spa", [3]), ("audio:es,2", []), ("subtitle", [4]),
      ("subtitle:es", [4]), ("subtitle:es,sdh", []), ("subtitle:forced", []), ("video:und", [1]), ("text", []),
    ] as [(String, [UInt32])])
  func findsTracksByKindPositionLanguageAndRole(text: String, ids: [UInt32]) throws {
    #expect(try matches(text) == ids)
  }

  @Test func languageAloneFindsItsRegionsUnlessATrackHasIt() throws {
    let regions = TestMovie.talk.with {
      $0.tracks[1].extendedLanguage = "en-US"
      $0.tracks[2].extendedLanguage = "en-GB"
    }
    #expect(try matches("audio:en", in: regions) == [2, 3])
    #expect(try matches("audio:en-GB", in: regions) == [3])
    #expect(try matches("audio:en", in: regions.with { $0.tracks[2].extendedLanguage = "en" }) == [3])
  }
}
