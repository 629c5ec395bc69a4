import Synchronization
import TestSupport
import Testing

@testable import MovieBox
@testable import MovtoolCommands

/// Validation, edits, conversion and verification need the metadata of the same movies. Each movie's items are decoded once:
/// a movie may have thousands, and pictures among them.
struct MetadataDecodingTests {
  /// - Parameter movies: the movies that are read, and those that are planned.
  @Test(arguments: [
    ("metadata @in.mov", 1), ("validate @in.mov", 1), ("metadata @in.mov --set title=Home -o @out.mov", 2),
    ("metadata @in.mov --set title=Home --set artist=Ann --remove mdta/com.example.item1*", 2),
    ("metadata @in.mov --copy-from @in.mov -o @out.mov", 3), ("metadata @in.mov --for-sharing -o @out.mov", 2),
    ("validate @in.mov --fix -o @out.mov", 2), ("remux @in.mov -o @out.mp4", 3),
    ("set @in.mov --track id:1 --title A", 1),
    ("hls @in.mov -o @stream --dry-run", 1),
  ])
  func commandsDecodeTheItemsOfEachMovieOnce(_ line: String, _ movies: Int) throws {
    let count = Mutex(0)
    let shop = try Workshop(.items(20))
    let outcome = MetadataReader.$didReadMovie.withValue({ count.withLock { $0 += 1 } }) { shop.run(line) }
    #expect([.done, .no, .badData].contains(outcome.exitCode), "\(line): \(outcome.errors.suffix(1))")
    let decodings = count.withLock { $0 }
    #expect(decodings <= movies, "\(line): \(decodings) decodings of \(movies) movies")
    #expect(decodings > 0 || line.hasPrefix("set"), "\(line)")
  }
}
