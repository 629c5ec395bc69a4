/// A range of bytes of a file, whose end is known to fit in 64 bits.
public struct ByteRange: Hashable, Sendable {
  /// The first byte, counted from the start of the file.
  public let offset: UInt64
  /// How many bytes.
  public let count: UInt64

  /// Fails when the end would not fit in 64 bits.
  @inlinable
  public init?(offset: UInt64, count: UInt64) {
    guard !offset.addingReportingOverflow(count).overflow else { return nil }
    self.offset = offset
    self.count = count
  }

  /// The bytes of a Swift range.
  @inlinable
  public init(_ range: Range<UInt64>) {
    offset = range.lowerBound
    count = range.upperBound &- range.lowerBound  // A Range's bounds are ordered.
  }

  /// One past the last byte.
  @inlinable
  public var end: UInt64 { offset &+ count }  // Checked by the initialisers.

  /// Whether all of `other` lies in this range.
  @inlinable
  public func contains(_ other: ByteRange) -> Bool {
    other.offset >= offset && other.end <= end
  }

  /// Whether the two share a byte, or one is empty and lies inside the other.
  @inlinable
  public func overlaps(_ other: ByteRange) -> Bool {
    offset < other.end && other.offset < end
  }
}

extension ByteRange {
  /// From the first of some offsets to so many bytes after the last of them; `nil` where that end does not fit in 64
  /// bits.
  package init?(_ offsets: ClosedRange<UInt64>, reaching byteCount: UInt64) {
    let (count, overflow) = (offsets.upperBound - offsets.lowerBound).addingReportingOverflow(byteCount)
    guard !overflow else { return nil }
    self.init(offset: offsets.lowerBound, count: count)
  }

  /// The range so many bytes further on; `nil` where its end does not fit in 64 bits.
  package func moved(by distance: UInt64) -> ByteRange? {
    let (start, overflow) = offset.addingReportingOverflow(distance)
    return overflow ? nil : ByteRange(offset: start, count: count)
  }
}
