package import MovieBox
package import MovieWriter
import Synchronization

/// An edit of one movie, to which several commands of a host add their changes. Nothing is written.
///
/// Each command line reads the movie, edits it and writes it, so several command lines would read and write it several
/// times. A host can instead run the commands on this value, and then write, send or read the plan of the edited movie.
package final class CommandEdit: Sendable {
  /// The error of a call while another call uses the edit.
  package struct Busy: Error {}

  private struct State {
    var edit: MovieEdit?
    var isBusy = false
  }

  private let movie: String
  private let source: any RandomAccessSource
  private let state = Mutex(State())

  /// Begins an edit of a movie. Command lines use the name `movie` for it.
  package init(of movie: String, _ source: any RandomAccessSource) {
    self.movie = movie
    self.source = source
  }

  /// Runs a command that edits. Returns its outcome with the plan of the edited movie, or without a plan if the command
  /// failed or was refused. The edit is then unchanged.
  ///
  /// The answer of the command is the answer of `--dry-run`. Throws ``Busy`` if another call uses the edit.
  package func apply(_ words: [String], in host: CommandHost) throws(Busy) -> (
    outcome: CommandHost.Outcome, plan: PlannedSource?
  ) {
    let isBusy = state.withLock { state in
      defer { state.isBusy = true }
      return state.isBusy
    }
    guard !isBusy else { throw Busy() }
    let step = EditStep(movie, state.withLock { $0.edit })
    defer {
      state.withLock { state in
        if let result = step.result { state.edit = result.edit }
        state.isBusy = false
      }
    }
    var host = host
    host.inputs[movie] = source
    var words = words
    words.insert(contentsOf: ["-o=-", "--dry-run"], at: min(1, words.count))
    let outcome = host.run(words, step)
    return (outcome, step.result?.plan)
  }

  /// Whether a command edits one movie, so that ``apply(_:in:)`` can run it.
  package static func isPossible(_ command: String?) -> Bool {
    CommandTable.all.contains { entry in
      entry.name == command
        && ["dry-run", "keep-start", "o"].allSatisfy { name in
          entry.manual.options.contains { $0.name == name }
        }
    }
  }
}

// Functions that write the edited movie of a `CommandEdit`, given its plan.
extension CommandHost {
  /// Writes a planned movie to a new file, or to an existing file if `overwrites` is true. The file appears when it is
  /// complete.
  package func write(_ movie: PlannedSource, to path: String, overwrites: Bool) throws {
    try NewFileSink(path: path, existing: overwrites ? .replace : .keep, synchronizes: false)
      .carryOut(movie.plan, from: movie.base) { _, _ in try checkStop() }
  }

  /// Passes a planned movie to ``receiveOutput``.
  package func send(_ movie: PlannedSource) throws {
    guard let receiveOutput else { throw UsageError(.missingValue, "receive_output is missing") }
    let output = ReceivingSink(receive: receiveOutput)
    try StreamSink(output.write).carryOut(movie.plan, from: movie.base) { _, _ in try checkStop() }
  }

  private func checkStop() throws {
    if isStopped() { throw Interruption() }
  }
}
