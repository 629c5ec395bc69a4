import MovieBox
import Synchronization
import TestSupport
import Testing

@testable import MovtoolCommands

/// The number of passes over the tables of a movie's tracks. A pass takes some nanoseconds per chunk, and a film of three
/// hours has hundreds of thousands of chunks. A change that adds a pass has to change a number here.
struct TablePassTests {
  /// Returns the passes of a command over the tables of all tracks.
  private func passes(_ line: String, _ movie: TestMovie = .talk) throws -> [TablePass: Int] {
    try passes(Workshop(movie), line)
  }

  private func passes(_ shop: Workshop, _ line: String) throws -> [TablePass: Int] {
    let counts = Mutex<[TablePass: Int]>([:])
    let count: @Sendable (TablePass) -> Void = { pass in counts.withLock { $0[pass, default: 0] += 1 } }
    let outcome = TablePass.$didBegin.withValue(count) { shop.run(line) }
    #expect(outcome.exitCode == .done, "\(line): \(outcome.errors)")
    return counts.withLock { $0 }
  }

  /// The totals for the four tracks of a movie: video, two audio tracks and subtitles.
  @Test(
    arguments: [
      // One of the passes over chunks skips to three places, at which pictures are searched for captions.
      ("inspect @in.mov", [.offsets: 4, .sizes: 4, .chunks: 2]),
      ("inspect @in.mov --json", [.offsets: 4, .sizes: 4, .chunks: 2]),
      ("validate @in.mov", [.offsets: 8, .sizes: 4, .chunks: 6, .samples: 1, .times: 15]),
      ("select @in.mov", [:]),
      ("diff @in.mov @in.mov", [:]),
      // Planned and verified, like the following commands.
      ("set @in.mov --track audio:en --language fr", [.offsets: 8, .sizes: 8, .chunks: 2]),
      // The first samples of the tracks show whether ffmpeg delayed them.
      ("add-subtitle @in.mov @en.srt", [.offsets: 8, .sizes: 8, .chunks: 3, .samples: 3]),
      ("add-subtitle @in.mov @en.srt -o @out.mov", [.offsets: 13, .sizes: 16, .chunks: 9, .times: 2, .samples: 3]),
      ("remux @in.mov -o @out.mov --fast-start", [.offsets: 8, .sizes: 8, .chunks: 6]),
      ("remux @in.mov -o @out.mov --compact", [.offsets: 16, .sizes: 8, .chunks: 6, .times: 4]),
      (
        "remux @in.mov -o @out.mov --fast-start --interleave", [.offsets: 28, .sizes: 8, .chunks: 14, .times: 8]
      ),
    ] as [(String, [TablePass: Int])])
  func limitsPassesOverTables(_ line: String, _ expected: [TablePass: Int]) throws {
    let found = try passes(line)
    #expect(found == expected)
  }

  /// Media that is in order is not sorted again: one pass over the chunks and their times suffices.
  @Test func interleavedMediaIsNotMappedAgain() throws {
    let shop = try Workshop(.talk)
    shop.run("remux @in.mov -o @sorted.mov --interleave --split-chunks")
    shop.run("add-subtitle @sorted.mov @en.srt")  // Its samples are last.
    let unsorted = try passes(shop, "remux @sorted.mov -o @once.mov --interleave")
    let sorted = try passes(shop, "remux @once.mov -o @again.mov --interleave")
    let tracks = 5
    #expect(sorted[.times] == 2 * tracks && sorted[.chunks] ?? 0 < 4 * tracks, "\(sorted)")
    #expect(unsorted[.times] ?? 0 > 2 * tracks && unsorted[.chunks] ?? 0 > 4 * tracks, "\(unsorted)")
  }
}
