import Subtitles

/// Runs of a text in the making: pieces in order, each with all of its style.
struct StyleRuns {
  /// How characters look that no piece covers.
  private let base: TextStyle
  private let count: Int
  private(set) var runs: [StyledText.Run] = []
  /// Up to where characters have their style.
  private var end = 0

  /// Runs over a text of `count` characters.
  init(count: Int, base: TextStyle) {
    self.count = count
    self.base = base
  }

  /// Adds a piece; what earlier ones cover and what lies past the text is cut off.
  mutating func add(_ range: Range<Int>, _ style: TextStyle) {
    let start = max(range.lowerBound, end)
    let stop = min(range.upperBound, count)
    guard start < stop else { return }
    runs.appendRun(end..<start, base)
    runs.appendRun(start..<stop, style)
    end = stop
  }

  /// Ends the text.
  mutating func finish() -> [StyledText.Run] {
    runs.appendRun(end..<count, base)
    end = count
    return runs
  }
}
