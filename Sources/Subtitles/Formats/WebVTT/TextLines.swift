/// Reads the lines of a text one by one; CR, LF and CR LF end one.
///
/// Nothing is kept of the lines, so that a file of nothing but line ends takes no room.
struct TextLines {
  /// A line without its end.
  struct Line {
    /// The bytes of the text.
    let range: Range<Int>
    /// The number, from 1.
    let number: Int
    /// The start of the next line.
    fileprivate let next: Int

    var isEmpty: Bool { range.isEmpty }
  }

  private let text: [UInt8]
  private var position = 0
  private var number = 1
  /// Whether a blank line after each line is left out.
  let isSpaced: Bool

  init(_ text: [UInt8], isSpaced: Bool = false) {
    self.text = text
    self.isSpaced = isSpaced
  }

  /// The lines of a text; where each is followed by a blank one, without these.
  init(unspacing text: [UInt8]) {
    self.init(text, isSpaced: Self.isSpaced(text))
  }

  /// Whether no two lines follow one another without a blank one between, in a text of more than two lines with times.
  private static func isSpaced(_ text: [UInt8]) -> Bool {
    var lines = TextLines(text)
    var count = 0
    var isAfterLine = false
    var hasArrow = false
    while let line = lines.upcoming {
      lines.take(line)
      guard line.isEmpty || !isAfterLine else { return false }
      isAfterLine = !line.isEmpty
      if isAfterLine { count += 1 }
      hasArrow = hasArrow || SubRipTiming.arrow(text, line.range) != nil
    }
    return count > 2 && hasArrow
  }

  /// The next line; `nil` at the end of the text.
  var upcoming: Line? {
    guard position < text.count else { return nil }
    var end = position
    while end < text.count, text[end] != Ascii.lineFeed, text[end] != Ascii.carriageReturn { end += 1 }
    var next = min(end + 1, text.count)
    if end < text.count, text[end] == Ascii.carriageReturn, next < text.count, text[next] == Ascii.lineFeed {
      next += 1
    }
    return Line(range: position..<end, number: number, next: next)
  }

  /// Continues after `line`.
  mutating func take(_ line: Line) {
    position = line.next
    number = line.number + 1
    if isSpaced, !line.isEmpty, let blank = upcoming, blank.isEmpty { (position, number) = (blank.next, number + 1) }
  }
}
