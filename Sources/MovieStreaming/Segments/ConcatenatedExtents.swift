import MovieBox
import MovieWriter

/// Contents in groups whose ranges lie so close in the source that one read of them all is quicker than one of each.
struct ConcatenatedExtents: Sequence, IteratorProtocol {
  /// A call costs as much as reading this many bytes that are not wanted.
  private static let largestGap: UInt64 = 16 << 10
  private static let largestSpan: UInt64 = 256 << 10

  struct Group {
    let range: Range<Int>
    /// The bytes to read; `nil` where each range is read for itself.
    let span: ByteRange?
  }

  private let contents: ArraySlice<OutputPlan.Content>
  private var position: Int

  init(_ contents: ArraySlice<OutputPlan.Content>) {
    self.contents = contents
    position = contents.startIndex
  }

  /// Gives all contents in their order: `read` gets the bytes that were read for several ranges at once, and which of
  /// them are those of a range; `other` gets all else.
  func forEach(
    of source: some RandomAccessSource, read: (Bytes, Range<Int>) throws -> Void,
    other: (OutputPlan.Content) throws -> Void
  ) throws {
    for group in self {
      guard let span = group.span else {
        for content in contents[group.range] { try other(content) }
        continue
      }
      let bytes = try source.readExactly(span)
      for content in contents[group.range] {
        if case .source(let range) = content {
          let start = Int(range.offset - span.offset)  // All ranges of a group lie in its span, which is in memory.
          try read(bytes, start..<start + Int(range.count))
        } else {
          try other(content)
        }
      }
    }
  }

  mutating func next() -> Group? {
    guard position < contents.endIndex else { return nil }
    let start = position
    var span: ByteRange?
    var rangeCount = 0
    while position < contents.endIndex {
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
