import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// A caption track that Apple's software wrote, in fragments.
struct CaptionTrackCorpusTests {
  /// ffmpeg reads the same texts at the starts of the samples. The EOC of each sample is 8 frames later.
  @Test func captionsOfAppleAppearAtTheEndsOfTheirLoads() throws {
    let source = try FileSource(path: try Corpus.require().folder + "/mp4ff-main-1.mp4")
    let movie = try Movie(of: source)
    let track = try #require(movie.tracks.first { $0.hasClosedCaptions })
    let text = try movie.text(ofTrack: track.id, from: source)
    print("mp4ff-main-1: \(text.cues.count) cues")
    #expect(text.cues.map(\.text.text) == (0..<8).map { $0 % 2 == 0 ? "Bip!" : "Bop!" })
    #expect(text.cues.map(\.startMilliseconds) == [367, 868, 1_869, 2_870, 3_871, 4_872, 5_873, 6_874])
    #expect(text.notices.isEmpty)
  }
}
