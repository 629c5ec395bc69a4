import MovieBox
import Synchronization
import TestSupport
import Testing

@testable import MovieWriter

/// The number of times that movie atoms are parsed: for reading, for relocating positions, and for verifying.
struct ParseCountTests {
  private func count(_ body: () throws -> Void) rethrows -> Int {
    let counter = Counter()
    try AtomTree.$didParseMovieAtom.withValue({ counter.increment() }) { try body() }
    return counter.value
  }

  private func parses(_ movie: TestMovie, _ layout: OutputLayout, inPlace: Bool) throws -> Int {
    let folder = try TemporaryFolder()
    let path = try folder.write(movie, as: "in.mov")
    return try count {
      let source = try FileSource(path: path)
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      try edit.addToSubtitleGroup(edit.addSubtitles("en"), asDefault: false)
      let output: MovieFileWriter<FileSource>.Output =
        inPlace
        ? .itself(path) : .newFile(folder.file("out.mov"), overwrites: false, synchronizes: false)
      let writer = try MovieFileWriter(edit, of: source, to: output, layout)
      _ = writer.plannedMovie
      _ = try writer.plannedFindings(for: .apple, fileName: path)
      try writer.write()
    }
  }

  @Test func editsParseTheMovieAtomThreeTimes() throws {
    #expect(try parses(.talk, OutputLayout(), inPlace: true) == 3)
    // An edit that cannot be made in place, and rewrites the file.
    #expect(try parses(.talk.with { $0.layout = .movieFirst }, OutputLayout(), inPlace: true) == 3)
    for layout in [
      OutputLayout(interleaving: .none), OutputLayout(), OutputLayout(interleaving: .all),
      OutputLayout(isFastStart: true), OutputLayout(isCompact: true),
    ] {
      #expect(try parses(.talk, layout, inPlace: false) == 3, "\(layout)")
    }
  }

  @Test func readingAndComparingParseEachOnce() throws {
    let source = TestMovie.talk.source
    #expect(try count { _ = try Movie(of: source).findings(for: .apple, readingTextOf: source) } == 1)
    #expect(try count { _ = try MovieComparison(source, source) } == 2)
  }
}

/// A number that any thread may increase.
private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func increment() { count.withLock { $0 += 1 } }
}
