import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Damaged real files result in an error or a value, without a trap, a hang or excessive memory.
struct BrokenMovieTests {
  /// The limits for a file in seconds and bytes of memory, for any build.
  static let seconds: UInt = 30
  static let byteCount: UInt = 1 << 30

  /// Each file is read in a separate process, so that traps are reported and memory is limited.
  @Test(.timeLimit(.minutes(5))) func survivesDamagedFiles() async throws {
    let corpus = try Corpus.require()
    for path in corpus.broken {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent], "\(path)"
      ) { [path = path as String] in
        BrokenMovieTests.boundProcess()
        try BrokenMovieTests.tryEverything(path)
      }
      let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
      // The output also contains lines of Swift Testing.
      for line in output.split(separator: "\n") where line.hasPrefix(path) { print("  " + line) }
      #expect(output.contains(path), "neither an error nor a result")
    }
  }

  /// Verifies that the limits above end a process.
  @Test func endsAProcessAtItsLimits() async {
    await #expect(processExitsWith: .failure) {
      BrokenMovieTests.boundProcess()
      let large = [UInt8](repeating: 1, count: Int(BrokenMovieTests.byteCount))
      print(large.reduce(0, &+))
    }
  }

  static func boundProcess() {
    // Without the runtime's own handlers, which would start a debugger for each process that dies.
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS] { signal(number, SIG_DFL) }
    alarm(UInt32(seconds))
    var limit = rlimit(rlim_cur: byteCount, rlim_max: byteCount)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }

  /// Reads a movie by all readers. If it can be edited, edits it and reads it back.
  static func tryEverything(_ path: String) throws {
    do {
      let source = try FileSource(path: path)
      let movie = try Movie(of: source)
      _ = movie.misplacedSamples()
      _ = movie.mediaSelectionGroups
      for track in movie.tracks { _ = track.presentationStartInMovieTicks }
      let folder = try TemporaryFolder()
      for strategy in EditStrategy.allCases {
        let result = try strategy.add(.english, to: path, in: folder, as: strategy.rawValue)
        _ = try Movie(of: FileSource(path: result.path))
        print("\(path): edited, \(strategy.rawValue)")
      }
    } catch let error as MovieError {
      precondition(error.code != .planCheckFailed, "\(error)")
      print("\(path): \(error)")
    }
  }
}
