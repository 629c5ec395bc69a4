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
    /// Where the next line begins.
    fileprivate let next: Int

    var isEmpty: Bool { range.isEmpty }
  }

  private let text: [UInt8]
  private var position = 0
  private var number = 1

  init(_ text: [UInt8]) {
    self.text = text
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

  /// Goes on after `line`, which is the one that came up.
  mutating func take(_ line: Line) {
    position = line.next
    number = line.number + 1
  }
}
