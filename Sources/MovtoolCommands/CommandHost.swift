package import MovieBox
import Synchronization

/// Runs commands inside the process of another program, such as a service, a program in another language, or `movtool
/// batch`.
///
/// A command that a host runs has no standard input, environment variables, terminal or signal handlers. It never exits
/// the process or changes the working folder, and its output is returned to the caller. Several threads may run
/// commands at the same time. The program should ignore SIGPIPE and SIGXFSZ, as the tool does, so that a failed write
/// becomes an error.
package struct CommandHost: Sendable {
  /// The result of a command.
  package struct Outcome: Sendable {
    /// The exit code of the command.
    package let exitCode: ExitCode
    /// The output of the command: text, or JSON with `--json`.
    package let answer: [UInt8]
    /// The lines that the tool would write to standard error: notes, warnings, and, without `--json`, errors.
    package let messages: [UInt8]
  }

  /// The inputs of commands, by name. If a command line contains one of these names, the command reads this input
  /// instead of a file. It cannot edit the input in place.
  package var inputs: [String: any RandomAccessSource] = [:]
  /// Receives the output of `-o -`. If this closure is `nil`, commands with `-o -` are rejected. An error of the
  /// closure ends the command.
  package var receiveOutput: (@Sendable (ArraySlice<UInt8>) throws -> Void)?
  /// Receives each message as soon as it is written, such as a line of `--progress json`. If this closure is `nil`,
  /// messages are only returned in the outcome.
  package var receiveMessage: (@Sendable (ArraySlice<UInt8>) -> Void)?
  /// Whether the command should stop. The command calls this closure between steps, and before each read of an input.
  /// While `serve` waits, it calls the closure several times a second.
  package var isStopped: @Sendable () -> Bool = { false }
  /// Whether to stop reading pipes. A command that reads a pipe calls this closure several times a second, because the
  /// pipe may never end. Commands that do not read a pipe continue.
  package var isReadingStopped: @Sendable () -> Bool = { false }
  /// Whether each JSON value in the answer is a single line.
  package var printsJSONLines = false
  /// Whether the error of a command is JSON in the answer even if the command has no `--json`.
  package var reportsErrorsAsJSON = false

  /// Creates a host that has no inputs, rejects `-o -`, and never stops a command.
  package init() {}

  /// Runs the command line `words`. The first word is the name of the command.
  package func run(_ words: [String]) -> Outcome { run(words, nil) }

  /// Runs the command line, as a step of an edit if `step` is not `nil`.
  func run(_ words: [String], _ step: EditStep?) -> Outcome {
    let answer = MemorySink()
    let messages = MemorySink(receiveMessage)
    let stops = StopCheck(isStopped)
    defer { stops.end() }
    var context = Context(
      standardOutput: answer, errors: messages, environment: { _ in nil }, clock: SystemCalls.monotonicNanoseconds,
      namedInputs: Set(inputs.keys), open: { try open($0, stops) },
      readStream: { path, limit in
        guard path != "-", inputs[path] != nil || !Self.isProcessInput(path) else {
          throw FileError(.noInput, path, "this command has no standard input")
        }
        guard inputs[path] == nil else { return nil }
        return try StreamSource.read(path, atMost: limit) {
          if isStopped() || isReadingStopped() { throw Interruption() }
        }
      },
      listFiles: Context.listFiles, listFolders: Context.listFolders, isSameFile: Context.isSameFile,
      isStopped: isStopped, deferStops: { _ in })
    context.printsJSONLines = printsJSONLines
    context.reportsErrorsAsJSON = reportsErrorsAsJSON
    context.step = step
    // Reject null characters. A system call reads a path only up to a null character, so a command would use another
    // file.
    guard !words.contains(where: { $0.utf8.contains(0) }) else {
      let error = UsageError(.invalidValue, "a word of the command line contains a null character")
      let exitCode = Movtool.reject(words, with: error, in: context)
      return Outcome(exitCode: exitCode, answer: answer.takeBytes(), messages: messages.takeBytes())
    }
    if let path = CommandTable.outputPath(words), path != "-", Context.isSameFile(path, "/dev/stdout") {
      let error = UsageError(.notSupported, "-o \(path): this is the standard output of the process; name another file")
      let exitCode = Movtool.reject(words, with: error, in: context)
      return Outcome(exitCode: exitCode, answer: answer.takeBytes(), messages: messages.takeBytes())
    }
    if CommandTable.streamsMovie(words) {
      guard let receiveOutput else {
        let error = UsageError(.notSupported, "-o -: this command has no standard output; name a file")
        let exitCode = Movtool.reject(words, with: error, in: context)
        return Outcome(exitCode: exitCode, answer: answer.takeBytes(), messages: messages.takeBytes())
      }
      context.standardOutput = ReceivingSink(receive: receiveOutput)
      context.answer = answer
    }
    let exitCode = Movtool.run(words, in: context)
    return Outcome(exitCode: exitCode, answer: answer.takeBytes(), messages: messages.takeBytes())
  }

  /// Returns the words with `--json` if the answer of the command can be JSON.
  package static func wordsWithJSON(_ words: [String]) -> [String] {
    guard !words.isEmpty else { return words }
    var line = CommandLineWords(words)
    line.addJSON()
    return line.words
  }

  /// Whether a path refers to the standard input of the process. Another component of the process may read it.
  private static func isProcessInput(_ path: String) -> Bool {
    do {
      guard let status = try SystemCalls.status(at: path, followingLinks: true), status.kind != .ordinary else {
        return false
      }
    } catch {
      return false  // Reading the file reports the error.
    }
    return Context.isSameFile(path, "/dev/stdin")
  }

  private func open(_ path: String, _ stops: StopCheck) throws -> any RandomAccessSource {
    guard let source = inputs[path] else { return try FileSource(path: path) }
    // An output file can share the media of an input file, but not the media of a wrapped source.
    return source is FileSource ? source : HostSource(name: path, source: source, stops: stops)
  }
}

/// An input that one read requests in several ranges, so that it can stop between them.
package protocol InterruptibleSource: RandomAccessSource {
  /// Reads a range, and calls `checkStop` before each request.
  func read(_ range: ByteRange, _ checkStop: () throws -> Void) throws -> Bytes
}

/// The check of one command whether it should stop. An edit keeps its inputs after the command, when the host may be
/// gone, so the check then ends.
private final class StopCheck: Sendable {
  private let isStopped: @Sendable () -> Bool
  private let hasEnded = Mutex(false)

  init(_ isStopped: @escaping @Sendable () -> Bool) {
    self.isStopped = isStopped
  }

  func end() { hasEnded.withLock { $0 = true } }

  func check() throws {
    if !hasEnded.withLock({ $0 }), isStopped() { throw Interruption() }
  }
}

/// An input of a host. Errors while reading it become file errors with the name of the input.
private struct HostSource: RandomAccessSource {
  let name: String
  let source: any RandomAccessSource
  let stops: StopCheck

  func identity() throws -> SourceIdentity { try named { try source.identity() } }

  func read(_ range: ByteRange) throws -> Bytes {
    try named {
      if let source = source as? any InterruptibleSource { return try source.read(range, stops.check) }
      try stops.check()
      return try source.read(range)
    }
  }

  private func named<Value>(_ read: () throws -> Value) throws -> Value {
    do {
      return try read()
    } catch let error where error is FileError || error is MovieError || error is Interruption {
      throw error
    } catch {
      throw FileError(.inputOutput, name, "\(error)")
    }
  }
}

/// A stream that collects its bytes in memory.
private final class MemorySink: TextSink {
  private let bytes = Mutex<[UInt8]>([])
  private let receive: (@Sendable (ArraySlice<UInt8>) -> Void)?

  init(_ receive: (@Sendable (ArraySlice<UInt8>) -> Void)? = nil) {
    self.receive = receive
  }

  var terminalWidth: Int? { nil }

  func write(_ bytes: ArraySlice<UInt8>) {
    self.bytes.withLock { $0 += bytes }
    receive?(bytes)
  }

  func takeBytes() -> [UInt8] {
    bytes.withLock { bytes in
      defer { bytes = [] }
      return bytes
    }
  }
}

/// A stream that passes the output of `-o -` to the host.
final class ReceivingSink: TextSink {
  private let receive: @Sendable (ArraySlice<UInt8>) throws -> Void

  init(receive: @escaping @Sendable (ArraySlice<UInt8>) throws -> Void) {
    self.receive = receive
  }

  var terminalWidth: Int? { nil }

  func write(_ bytes: ArraySlice<UInt8>) throws {
    do {
      try receive(bytes)
    } catch {
      throw ToolError(.inputOutput, code: FileError.Code.inputOutput.rawValue, file: "-", "\(error)")
    }
  }
}
