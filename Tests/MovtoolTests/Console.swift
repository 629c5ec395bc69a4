import MovieBox

@testable import MovtoolCommands

/// An output stream of a test that stores the written bytes.
final class CapturedSink: TextSink, @unchecked Sendable {  // Of one test, which uses it from one thread.
  var terminalWidth: Int?
  /// The number of the call of `write` that fails, from 1, or `nil` for none.
  var failsAtWrite: Int?
  /// The error of the failing call.
  var failure: any Error = Closed()
  /// A closure that is called with the number of each write, from 1, before the bytes are stored.
  var beforeWrite: (Int) throws -> Void = { _ in }
  private(set) var writes: [String] = []
  private(set) var bytes: [UInt8] = []

  struct Closed: Error {}

  func write(_ bytes: ArraySlice<UInt8>) throws {
    if writes.count + 1 == failsAtWrite { throw failure }
    try beforeWrite(writes.count + 1)
    writes.append(String(decoding: bytes, as: UTF8.self))
    self.bytes += bytes
  }

  var text: String { writes.joined() }
  var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
}

/// The environment of a command in a test.
final class Console {
  let output = CapturedSink()
  let errors = CapturedSink()
  var environment: [String: String] = [:]
  var nanoseconds: UInt64 = 0
  /// The existing files.
  var files: [String: Bytes] = [:]
  /// The contents of streams, by path.
  var streams: [String: Bytes] = [:]
  /// The parts of standard input that were not read yet.
  var input: [[UInt8]] = []
  /// The error that follows the last part of standard input, or `nil` for the end.
  var inputError: (any Error)?
  /// Pairs of paths that refer to the same file.
  var links: [String: String] = [:]

  var isStopped = false
  /// The calls of `deferStops`, in order.
  private(set) var holdsStops: [Bool] = []
  /// The number of clock readings after which the command is stopped, or `nil` for never.
  var stopsAfter: Int?
  private let isOnDisk: Bool

  /// Creates an environment. With `isOnDisk`, files are read from disk instead of ``files``.
  init(isOnDisk: Bool = false) {
    self.isOnDisk = isOnDisk
  }

  private func asksForStop() -> Bool {
    guard let rest = stopsAfter else { return isStopped }
    stopsAfter = rest - 1
    return rest <= 0
  }

  var context: Context {
    var context = makeContext()
    context.readInput = { [unowned self] in
      guard input.isEmpty else { return input.removeFirst() }
      if let inputError { throw inputError }
      return []
    }
    return context
  }

  private func makeContext() -> Context {
    Context(
      standardOutput: output, errors: errors,
      environment: { [unowned self] name in environment[name] },
      clock: { [unowned self] in nanoseconds },
      open: { [unowned self] path in
        if isOnDisk { return try FileSource(path: path) }
        guard let bytes = files[path] else {
          throw FileError(.noInput, path, "no such file")
        }
        return MemorySource(bytes)
      },
      readStream: { [unowned self] path, limit in
        isOnDisk && streams[path] == nil ? try StreamSource.read(path, atMost: limit) : streams[path]
      },
      listFiles: { [unowned self] folder, start in
        isOnDisk
          ? try Context.listFiles(in: folder, beginning: start) : files.keys.filter { $0.hasPrefix(start) }
      },
      listFolders: { [unowned self] in try isOnDisk ? Context.listFolders(in: $0) : nil },
      isSameFile: { [unowned self] left, right in
        links[left] == right || links[right] == left || isOnDisk && Context.isSameFile(left, right)
      },
      isStopped: { [unowned self] in asksForStop() },
      deferStops: { [unowned self] in holdsStops.append($0) })
  }

  /// Runs a command line whose words are separated by blanks.
  func run(_ line: String) -> ExitCode {
    run(words: line.split(separator: " ").map(String.init))
  }

  func run(words: [String]) -> ExitCode {
    Movtool.run(words, in: context)
  }
}
