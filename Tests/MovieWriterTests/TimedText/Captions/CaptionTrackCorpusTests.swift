import Foundation
import MovieWriter
import SubtitleTestSupport
import TestSupport
import Testing

@testable import MovieBox
@testable import Subtitles

/// Captions of the corpus in tracks.
struct CaptionTrackCorpusTests {
  /// Apple's software wrote the fragments. ffmpeg reads the same texts at the starts of the samples. The EOC of each sample is 8 frames later.
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

  @Test(arguments: [
    "captinsp-plan9fromouterspace.scc", "gstrs-608-all-features.scc", "ttconv-pop-on.scc", "ttconv-paint-on.scc",
    "pycaption-example.scc", "libcaption-tos.scc", "gstrs-timecodes-cut-down-sample.scc",
  ]) func filesThatAreAddedAndExtractedKeepTheirWordsAndFrames(_ name: String) throws {
    let path = try Corpus.require().folder + "/streaming/" + name
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let film = TestMovie(tracks: [TestTrack(.video, id: 1)]).with {
      $0.tracks[0].timeScale = 1_000
      $0.tracks[0].samples = [TestSample(10, duration: 4 * 3_600_000)]
    }
    var input = SubtitleInput(try SubtitleFile.read(bytes, named: name), language: LanguageTag("en"))
    input.format = .captions
    var edit = try MovieEdit(of: film.source)
    let id = try edit.addSubtitles(input).trackID
    let source = MemorySource(Bytes(try edit.outputPlan(of: film.source).rendered(from: film.source)))
    let text = try Movie(of: source).text(ofTrack: id, from: source)
    func words(_ file: [UInt8]) throws -> [String] {
      try ScenaristReader.read(file, notices: NoticeList(SubtitleLimits())).fields[0].filter { !$0.pair.isNull }
        .map { "\($0.time) \($0.pair.withOddParity)" }
    }
    let (before, after) = (try words(bytes), try words(text.file.written(as: .scenarist).bytes))
    print("\(name): \(before.count) words, \(after.count) after extraction")
    #expect(!before.isEmpty && before == after)
  }
}
