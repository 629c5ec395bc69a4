import MovieBox
import Synchronization

/// The lines of a batch that are waiting or running, or whose answers have not been printed yet.
///
/// The number of lines in the queue is limited, so memory does not grow with the input. A line starts when a thread is
/// free, but not before earlier lines with which it conflicts have ended.
final class BatchQueue: Sendable {
  /// A line that was rejected before it ran.
  struct Rejection: Error {
    let number: Int
    let id: JSONValue?
    let error: UsageError
  }

  private struct State {
    /// Lines that have not started, in order.
    var waitingLines: [BatchLine] = []
    /// The files of the running lines, by line number.
    var runningLineFiles: [Int: [BatchFile]] = [:]
    /// Answers that wait until the answers of earlier lines are printed, by position.
    var answers: [Int: [UInt8]] = [:]
    /// With `--ordered`, the position of each line's answer in the output, by line number.
    var answerPositions: [Int: Int] = [:]
    var addedCount = 0
    var printedCount = 0
    /// The first line that failed, and its exit code.
    var failure: (number: Int, exitCode: ExitCode)?
    /// The error that occurred while an answer was printed.
    var outputError: (any Error)?
    /// Whether the remaining lines are answered with an error instead of run.
    var isStopped = false
  }

  /// The time between two checks for a stop signal while a thread waits.
  private static let checkMilliseconds = 100

  private let jobCount: Int
  private let isOrdered: Bool
  private let output: any TextSink
  private let state = Mutex(State())
  private let work: WorkQueue

  init(jobCount: Int, isOrdered: Bool, output: any TextSink) {
    self.jobCount = jobCount
    self.isOrdered = isOrdered
    self.output = output
    work = WorkQueue(slotCount: jobCount * 16)
  }

  /// Whether an answer could not be printed. Running further lines is then useless.
  var hasFailed: Bool { state.withLock { $0.outputError != nil } }

  /// Adds a line. If the queue is full, waits and calls `checkStop` several times a second.
  ///
  /// If `checkStop` throws, rethrows its error and does not add the line.
  func add(_ line: Result<BatchLine, Rejection>, _ checkStop: () throws -> Void = {}) throws {
    while !work.beginItem(waitingMilliseconds: Self.checkMilliseconds) { try checkStop() }
    switch line {
    case .success(let line) where state.withLock({ $0.isStopped }):
      state.withLock { state in
        state.answerPositions[line.number] = state.addedCount
        state.addedCount += 1
      }
      answerInterrupted(line)
    case .success(let line):
      state.withLock { state in
        state.answerPositions[line.number] = state.addedCount
        state.addedCount += 1
        state.waitingLines.append(line)
      }
      startLines()
    case .failure(let rejection):
      state.withLock { state in
        state.answerPositions[rejection.number] = state.addedCount
        state.addedCount += 1
      }
      answer(rejection)
    }
  }

  /// Waits until all lines have run, and calls `checkStop` several times a second. Rethrows its error.
  func finish(_ checkStop: () throws -> Void = {}) throws {
    while !work.waitForItems(milliseconds: Self.checkMilliseconds) { try checkStop() }
  }

  /// Stops the queue. Lines that have not started, and lines that are added later, are answered with an `interrupted`
  /// error. Running lines continue, but stop reading pipes.
  func stop() {
    let waitingLines = state.withLock { state in
      defer { state.waitingLines = [] }
      state.isStopped = true
      return state.waitingLines
    }
    for line in waitingLines { answerInterrupted(line) }
  }

  /// Returns the exit code of the batch. It is `.interrupted` if the queue was stopped, or else the exit code of the
  /// first line that failed, or `.done` if no line failed. Throws if an answer could not be printed.
  func exitCode() throws -> ExitCode {
    try state.withLock { state in
      if let error = state.outputError { throw error }
      return state.isStopped ? .interrupted : state.failure?.exitCode ?? .done
    }
  }

  /// Starts the waiting lines that can run now.
  private func startLines() {
    let lines = state.withLock { state in
      var started: [BatchLine] = []
      guard !state.isStopped, state.outputError == nil, !state.waitingLines.isEmpty,
        state.runningLineFiles.count < jobCount
      else { return started }
      var earlier = BatchFileSet()
      for files in state.runningLineFiles.values { earlier.insert(files) }
      var index = 0
      while index < state.waitingLines.count, state.runningLineFiles.count < jobCount {
        let line = state.waitingLines[index]
        let isBlocked = earlier.conflicts(with: line.files)
        earlier.insert(line.files)
        if isBlocked {
          index += 1
          continue
        }
        state.waitingLines.remove(at: index)
        state.runningLineFiles[line.number] = line.files
        started.append(line)
      }
      return started
    }
    for line in lines { work.run { self.run(line) } }
  }

  private func run(_ line: BatchLine) {
    var host = CommandHost()
    host.printsJSONLines = true
    host.isReadingStopped = { self.state.withLock { $0.isStopped } }
    let outcome = host.run(line.words)
    // Lines that conflict with this line start after this call, so their answers follow the answer to this line.
    answer(line.number, line.id, outcome)
    state.withLock { _ = $0.runningLineFiles.removeValue(forKey: line.number) }
    startLines()
  }

  private func answerInterrupted(_ line: BatchLine) {
    let outcome = CommandHost.Outcome(exitCode: .interrupted, answer: [], messages: [])
    answer(line.number, line.id, outcome, error: ToolError(Interruption()))
  }

  private func answer(_ rejection: Rejection) {
    var error = rejection.error
    error.command = BatchCommand.name
    let outcome = CommandHost.Outcome(exitCode: .usage, answer: [], messages: [])
    answer(rejection.number, rejection.id, outcome, error: ToolError(error))
  }

  /// Prints the answer of a line, or keeps it until the answers of all earlier lines are printed.
  private func answer(_ number: Int, _ id: JSONValue?, _ outcome: CommandHost.Outcome, error: ToolError? = nil) {
    let bytes = Self.json(number, id, outcome, error)
    let printedCount = state.withLock { state in
      if outcome.exitCode != .done, state.failure.map({ number < $0.number }) ?? true {
        state.failure = (number, outcome.exitCode)
      }
      let position = state.answerPositions.removeValue(forKey: number) ?? 0
      guard isOrdered else {
        print(bytes, &state)
        return 1
      }
      state.answers[position] = bytes
      let before = state.printedCount
      while let next = state.answers.removeValue(forKey: state.printedCount) {
        print(next, &state)
        state.printedCount += 1
      }
      return state.printedCount - before
    }
    work.releaseSlots(printedCount)
    work.endItem()
  }

  private func print(_ bytes: [UInt8], _ state: inout State) {
    guard state.outputError == nil else { return }
    do {
      try output.write(bytes)
    } catch {
      state.outputError = error
    }
  }

  /// Returns the answer as a line of JSON. If the command did not run, the answer is `error`.
  private static func json(
    _ number: Int, _ id: JSONValue?, _ outcome: CommandHost.Outcome, _ error: ToolError?
  ) -> [UInt8] {
    var json = JSONWriter(.compact)
    json.object { json in
      json.member("schema", Context.schema)
      json.member("command", BatchCommand.name)
      switch id {
      case .string(let text): json.member("id", text)
      case .number(let text): json.member("id", number: text)
      default: json.memberNull("id")
      }
      json.member("line", number)
      json.member("exitCode", outcome.exitCode.rawValue)
      let values = outcome.answer.split(separator: UInt8(ascii: "\n"))
      if let error {
        json.object("answer") { json in
          json.member("schema", Context.schema)
          json.member("command", BatchCommand.name)
          json.object("error") { error.write(to: &$0) }
        }
      } else if values.isEmpty {
        json.memberNull("answer")
      } else if values.allSatisfy({ $0.first == UInt8(ascii: "{") }) {
        // The answer is JSON that this package wrote, one value in each line. So it is copied without being parsed.
        if values.count == 1 {
          json.member("answer", json: values[0])
        } else {
          json.array("answer") { json in for value in values { json.value(json: value) } }
        }
      } else {
        json.member("answer", String(decoding: outcome.answer, as: UTF8.self))
      }
      let messages = outcome.messages.split(separator: UInt8(ascii: "\n"))
      json.member("messages", messages.map { String(decoding: $0, as: UTF8.self) })
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }
}
