/// Bytes of a source that were read at once, for ranges that lie in them.
package struct SourceWindow: Sendable {
  /// Where in the source they are.
  package let range: ByteRange
  /// The bytes.
  package let bytes: Bytes

  /// Reads the bytes of a range; throws where the source ends before.
  package init(_ range: ByteRange, of source: some RandomAccessSource) throws {
    self.range = range
    bytes = try source.readExactly(range)
  }

  /// Which of the bytes are those of a range of the source; `nil` where they are not all there.
  package func place(of wanted: ByteRange) -> Range<Int>? {
    guard range.contains(wanted) else { return nil }
    let start = Int(wanted.offset - range.offset)  // In memory.
    return start..<start + Int(wanted.count)
  }
}
