import MovieBox
import Subtitles
import Synchronization

/// `movtool batch`.
///
/// A program in another language starts one process and writes command lines to its standard input. This costs less
/// than a process for each movie. The lines run on several threads. Two lines that name the same file run in order if
/// either line may change the file.
struct BatchCommand: Command {
  static let name = "batch"

  static let manual = CommandManual(
    operands: "<LINES",
    summary: "run command lines that are read as JSON",
    examples: [
      .init(line: "movtool batch <lines.jsonl >answers.jsonl", effect: "print one line of JSON for each command line"),
      .init(
        line: "movtool batch --jobs 4 --ordered <lines.jsonl",
        effect: "run four lines at once, and print the answers in order"),
    ],
    options: [
      OptionSpec("jobs", value: "N", "run N lines at once (default: one for each processor)"),
      OptionSpec("ordered", "print the answers in the order of the lines"),
      .json,
    ],
    notes: [
      "A line is an array of words, [\"set\", \"film.mov\", …], or an object: {\"arguments\": [\"set\", …]}.",
      "Its members \"id\" and \"folder\" are optional. The answer repeats the id. File names are relative to",
      "the folder.",
      "An answer is an object with id, line, exitCode, answer (the JSON of the command) and messages.",
      "The batch continues after a failed line and exits with the code of the first failure.",
      "Lines that name the same file run in order if one of them may change the file.",
      "--limits applies to all lines without a --limits option.",
      "The batch ends after the last line. After a stop signal, it only finishes the running lines, and",
      "answers all other lines with the exit code 130.",
    ])

  /// The number of lines that run at the same time, or `nil` for the number of processors.
  let jobCount: Int?
  /// Whether answers are printed in the order of the lines.
  let isOrdered: Bool
  /// The value of `--limits` for lines without that option, or `nil` if the batch has no such option.
  let limits: String?

  init(_ arguments: Arguments) throws(UsageError) {
    if let operand = arguments.operands.first {
      throw UsageError(
        .unexpectedOperand, "\(operand): batch reads its command lines from standard input: movtool batch <\(operand)")
    }
    isOrdered = arguments.contains("ordered")
    limits = arguments.value("limits")
    guard let text = arguments.value("jobs") else {
      jobCount = nil
      return
    }
    guard let count = Int(digits: text), (1...256).contains(count) else {
      throw UsageError(.invalidValue, "--jobs \(text): not a number from 1 to 256")
    }
    jobCount = count
  }

  func run(in context: Context) throws -> ExitCode {
    let count = jobCount ?? min(SystemCalls.processorCount, 256)
    context.raiseFileLimit()
    // The first stop signal only ends the input. A second signal must not end the process while a line writes a file.
    context.deferStops(true)
    defer { context.deferStops(false) }
    let queue = BatchQueue(jobCount: count, isOrdered: isOrdered, output: context.standardOutput)
    var input = BatchInput(context, limits: limits)
    var line: Result<BatchLine, BatchQueue.Rejection>?
    do {
      while !queue.hasFailed {
        line = nil
        try context.checkStop()
        line = try input.next()
        guard let line else { break }
        try queue.add(line, context.checkStop)
      }
      if queue.hasFailed { queue.stop() }
      try queue.finish(context.checkStop)
    } catch is Interruption {
      queue.stop()
      // A caller may wait for the answer to each line that it wrote, so all lines that were read are answered.
      while let next = line ?? input.nextReceived() {
        line = nil
        try queue.add(next)
      }
      try queue.finish()
    } catch {
      try queue.finish()
      throw error
    }
    return try queue.exitCode()
  }
}

/// The lines of standard input.
private struct BatchInput {
  private let context: Context
  private let limits: String?
  /// The bytes that were read. Bytes before `start` have already been returned as lines.
  private var unreadBytes: [UInt8] = []
  private var start = 0
  private var number = 0
  private var hasEnded = false

  private static let lineFeed = UInt8(ascii: "\n")

  init(_ context: Context, limits: String?) {
    self.context = context
    self.limits = limits
  }

  /// Returns the next line that is not empty, or `nil` at the end of the input.
  mutating func next() throws -> Result<BatchLine, BatchQueue.Rejection>? {
    try next { input throws in try input.nextText() }
  }

  /// Returns the next line that has been read completely, or `nil` if there is none. Reads no further input.
  mutating func nextReceived() -> Result<BatchLine, BatchQueue.Rejection>? {
    next { input in
      input.unreadBytes[input.start...].contains(Self.lineFeed) ? input.nextReceivedText(isTooLong: false) : nil
    }
  }

  private mutating func next(
    _ nextText: (inout Self) throws -> [UInt8]??
  ) rethrows -> Result<BatchLine, BatchQueue.Rejection>? {
    while let text = try nextText(&self) {
      number += 1
      guard let text else { return .failure(rejection(nil, "longer than 1 MiB")) }
      guard text.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
      do throws(BatchLineError) {
        // Skip a byte order mark, with which some programs begin a file.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let isMarked = number == 1 && text.starts(with: mark)
        return .success(
          try BatchLine(Bytes(isMarked ? Array(text.dropFirst(mark.count)) : text), number: number, limits: limits))
      } catch {
        return .failure(rejection(error.id, error.message))
      }
    }
    return nil
  }

  private func rejection(_ id: JSONValue?, _ message: String) -> BatchQueue.Rejection {
    BatchQueue.Rejection(number: number, id: id, error: UsageError(.invalidValue, "line \(number): \(message)"))
  }

  /// Returns the bytes of the next line, `.some(nil)` if it is too long, or `nil` at the end of the input.
  private mutating func nextText() throws -> [UInt8]?? {
    var isTooLong = false
    var searched = start
    while true {
      if let text = nextReceivedText(from: searched, isTooLong: isTooLong) { return text }
      if hasEnded {
        guard start < unreadBytes.count || isTooLong else { return nil }
        let line = Array(unreadBytes[start...])
        start = unreadBytes.count
        return .some(isTooLong || line.count > BatchLine.maximumByteCount ? nil : line)
      }
      unreadBytes.removeFirst(start)
      start = 0
      if unreadBytes.count > BatchLine.maximumByteCount {
        isTooLong = true
        unreadBytes.removeAll()
      }
      searched = unreadBytes.count
      let part = try context.readInput()
      if part.isEmpty { hasEnded = true } else { unreadBytes += part }
    }
  }

  /// Returns the bytes of the next line, `.some(nil)` if it is too long, or `nil` if the end of the line has not been
  /// read.
  ///
  /// - Parameters:
  ///   - searched: the index of the first byte that may be a line feed.
  ///   - isTooLong: whether the start of the line was discarded.
  private mutating func nextReceivedText(from searched: Int? = nil, isTooLong: Bool) -> [UInt8]?? {
    guard let end = unreadBytes[(searched ?? start)...].firstIndex(of: Self.lineFeed) else { return nil }
    let isLong = isTooLong || end - start > BatchLine.maximumByteCount
    let line = isLong ? [] : Array(unreadBytes[start..<end])
    start = end + 1
    return .some(isLong ? nil : line)
  }
}
