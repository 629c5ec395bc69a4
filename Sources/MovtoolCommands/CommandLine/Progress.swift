import MovieBox

/// The progress display: a bar if standard error is a terminal, or lines of JSON on request.
///
/// The bar appears after half a second, is redrawn at most ten times a second, and is erased at the end.
final class Progress {
  /// The values of `--progress`.
  enum Mode: String, CaseIterable, Sendable {
    /// A bar if standard error is a terminal.
    case auto
    case none
    /// `{"done":…,"total":…,"secondsLeft":…}`, one object per line.
    case json
  }

  private static let delayInNanoseconds: UInt64 = 500_000_000
  private static let intervalInNanoseconds: UInt64 = 100_000_000

  private var mode: Mode
  private let stream: any TextSink
  private let clock: () -> UInt64
  private let startInNanoseconds: UInt64
  private let width: Int
  private var lastUpdateInNanoseconds: UInt64?
  private var lastByteCount: UInt64?

  /// Starts the clock.
  init(_ mode: Mode, in context: Context) {
    stream = context.errors
    clock = context.clock
    startInNanoseconds = context.clock()
    width = context.errors.terminalWidth ?? 0
    let hasBar = width > 0 && context.environment("TERM") != "dumb"
    self.mode = mode == .auto && !hasBar ? .none : mode
  }

  /// Reports that `done` of `total` bytes are processed.
  func update(_ done: UInt64, of total: UInt64) {
    guard mode != .none else { return }
    let currentTime = clock()
    switch mode {
    case .none: return
    case .json:
      let isLast = done >= total && lastByteCount != done
      guard isLast || isDue(currentTime) else { return }
    case .auto:
      guard currentTime &- startInNanoseconds >= Self.delayInNanoseconds, isDue(currentTime) else { return }
    }
    lastUpdateInNanoseconds = currentTime
    lastByteCount = done
    write(mode == .json ? jsonLine(done, total, currentTime) : bar(done, total, currentTime))
  }

  /// Erases the bar. Must be called before anything else is printed, even after a failure.
  func finish() {
    guard mode == .auto, lastUpdateInNanoseconds != nil else { return }
    lastUpdateInNanoseconds = nil
    write(Array("\r\u{1B}[K".utf8))
  }

  /// Writes to the stream. A failed write ends the display but not the command.
  private func write(_ bytes: [UInt8]) {
    do {
      try stream.write(bytes)
    } catch {
      mode = .none
    }
  }

  private func isDue(_ now: UInt64) -> Bool {
    lastUpdateInNanoseconds.map { now &- $0 >= Self.intervalInNanoseconds } ?? true
  }

  /// Returns the remaining time in seconds at the average speed, rounded up, or `nil` if no bytes have been processed.
  private func remainingSeconds(_ done: UInt64, _ total: UInt64, _ now: UInt64) -> UInt64? {
    guard done > 0, done <= total else { return nil }
    let (product, low) = (now &- startInNanoseconds).multipliedFullWidth(by: total - done)
    guard product < done else { return nil }
    let nanoseconds = done.dividingFullWidth((product, low)).quotient
    return nanoseconds / 1_000_000_000 + (nanoseconds % 1_000_000_000 == 0 ? 0 : 1)
  }

  private func jsonLine(_ done: UInt64, _ total: UInt64, _ now: UInt64) -> [UInt8] {
    var json = JSONWriter(.compact)
    json.object {
      $0.member("done", done)
      $0.member("total", total)
      $0.member("secondsLeft", remainingSeconds(done, total, now))
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private func bar(_ done: UInt64, _ total: UInt64, _ now: UInt64) -> [UInt8] {
    let share = Self.percentage(done, of: total)
    let remainingTime = remainingSeconds(done, total, now).map { ", \(Quantity.seconds($0)) left" } ?? ""
    let percentage = String(repeating: " ", count: share < 10 ? 2 : share < 100 ? 1 : 0) + "\(share) %"
    let text = "\(Quantity.bytes(done)) of \(Quantity.bytes(total))\(remainingTime)"
    // The last cell of the terminal's line stays empty, because some terminals start a new line after it.
    let room = min(30, width - percentage.count - text.count - 5)
    var line = percentage
    if room >= 5 {
      let filled = room * share / 100
      line += " [" + String(repeating: "#", count: filled) + String(repeating: ".", count: room - filled) + "]"
    }
    line = String((line + " " + text).prefix(max(0, width - 1)))
    return Array(("\r" + line + "\u{1B}[K").utf8)
  }

  private static func percentage(_ done: UInt64, of total: UInt64) -> Int {
    guard total > 0, done < total else { return 100 }
    let (high, low) = done.multipliedFullWidth(by: 100)
    return Int(total.dividingFullWidth((high, low)).quotient)  // The result is below 100.
  }
}
