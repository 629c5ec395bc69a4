import MovieBox
import MovieWriter

/// Contents in groups whose ranges lie so close in the source that one read of them all is quicker than one of each.
struct GatheredContents: Sequence, IteratorProtocol {
  /// A call costs as much as reading this many bytes that are not wanted.
  private static let largestGap: UInt64 = 16 << 10
  private static let largestSpan: UInt64 = 256 << 10

  struct Group {
    let range: Range<Int>
    /// The bytes to read; `nil` where each range is read for itself.
    let span: ByteRange?
  }

  private let contents: [OutputPlan.Content]
  private var position = 0

  init(_ contents: [OutputPlan.Content]) {
    self.contents = contents
  }

  mutating func next() -> Group? {
    guard position < contents.count else { return nil }
    let start = position
    var span: ByteRange?
    var rangeCount = 0
    while position < contents.count {
      if case .source(let range) = contents[position] {
        if let known = span {
          guard let joined = known.joined(with: range, over: Self.largestGap, upTo: Self.largestSpan) else { break }
          span = joined
        } else {
          span = range
        }
        rangeCount += 1
      }
      position += 1
    }
    return Group(range: start..<position, span: rangeCount > 1 ? span : nil)
  }
}
