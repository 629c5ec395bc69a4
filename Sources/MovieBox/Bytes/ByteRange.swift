/// A range of bytes in a file. Its end always fits in 64 bits.
public struct ByteRange: Hashable, Sendable {
  /// The offset of the first byte from the start of the file.
  public let offset: UInt64
  /// The number of bytes.
  public let count: UInt64

  /// Creates a range, or returns `nil` if its end overflows.
  @inlinable
  public init?(offset: UInt64, count: UInt64) {
    guard !offset.addingReportingOverflow(count).overflow else { return nil }
    self.offset = offset
    self.count = count
  }

  /// Creates a range from a Swift range.
  @inlinable
  public init(_ range: Range<UInt64>) {
    offset = range.lowerBound
    // The subtraction cannot overflow, because the bounds of a Range are ordered.
    count = range.upperBound &- range.lowerBound
  }

  /// The offset after the last byte.
  @inlinable
  public var end: UInt64 { offset &+ count }  // The initializers checked that the sum does not overflow.

  /// Whether this range contains all of `other`.
  @inlinable
  public func contains(_ other: ByteRange) -> Bool { other.offset >= offset && other.end <= end }

  /// Whether the ranges have a byte in common. An empty range overlaps another range only if it lies strictly inside
  /// the other range.
  @inlinable
  public func overlaps(_ other: ByteRange) -> Bool { offset < other.end && other.offset < end }
}

extension ByteRange {
  /// Creates a range that begins at the lowest offset and ends `byteCount` bytes after the highest offset. Returns
  /// `nil` if the end overflows.
  package init?(_ offsets: ClosedRange<UInt64>, extendedBy byteCount: UInt64) {
    let (count, overflow) = (offsets.upperBound - offsets.lowerBound).addingReportingOverflow(byteCount)
    guard !overflow else { return nil }
    self.init(offset: offsets.lowerBound, count: count)
  }

  /// Returns the range moved forward by `distance`, or `nil` if its end overflows.
  package func moved(by distance: UInt64) -> ByteRange? {
    let (start, overflow) = offset.addingReportingOverflow(distance)
    return overflow ? nil : ByteRange(offset: start, count: count)
  }
}

/// A set of bytes, stored as ranges in ascending order. No two ranges overlap or touch.
package struct ByteRangeSet: Hashable, Sendable {
  /// The ranges, in ascending order.
  package let ranges: [ByteRange]

  /// Creates the union of ranges that may overlap. Sorts the array in place if it has no other owner.
  package init(_ ranges: consuming [ByteRange]) {
    ranges.sort { $0.offset < $1.offset }
    self.init(inOrder: ranges)
  }

  /// Creates the union of ranges that are sorted by offset. Adjacent ranges are merged, so the million chunks of a
  /// movie are stored as few ranges.
  package init(inOrder ranges: some Sequence<ByteRange>) {
    var joinedRanges: [ByteRange] = []
    for range in ranges {
      if let joined = joinedRanges.last?.joined(with: range) {
        joinedRanges[joinedRanges.count - 1] = joined
      } else {
        joinedRanges.append(range)
      }
    }
    self.ranges = joinedRanges
  }

  /// The number of bytes in the set.
  package var byteCount: UInt64 {
    ranges.reduce(0) { $0 &+ $1.count }  // The sum cannot overflow, because the ranges are disjoint.
  }

  /// Returns the intersection of the set and a range, as ranges in ascending order. Requires a binary search and a pass
  /// over the result.
  package func ranges(within range: ByteRange) -> some Sequence<ByteRange> {
    ranges[ranges.firstIndex(endingAfter: range.offset)...].lazy.prefix { $0.offset < range.end }
      .compactMap { $0.intersection(range) }
  }
}

extension [ByteRange] {
  /// Returns the index of the first range that ends after `offset`, or `endIndex` if there is no such range. The ranges
  /// must be sorted by their ends.
  package func firstIndex(endingAfter offset: UInt64) -> Int {
    partitioningIndex { $0.end > offset }
  }
}

extension ByteRange {
  /// Returns the union with `next`. Returns `nil` if `next` begins before this range or too far after its end, or if
  /// the union is too large.
  ///
  /// - Parameters:
  ///   - maximumGap: the maximum distance between the end of this range and the start of `next`.
  ///   - maximumByteCount: the maximum size of the union.
  package func joined(with next: ByteRange, maximumGap: UInt64 = 0, maximumByteCount: UInt64 = .max) -> ByteRange? {
    let unionEnd = Swift.max(end, next.end)
    guard next.offset >= offset, next.offset <= end.addingClamped(maximumGap), unionEnd - offset <= maximumByteCount
    else { return nil }
    return ByteRange(offset..<unionEnd)
  }

  /// Returns the union with `next`, or `nil` if `next` does not begin at the end of this range.
  package func joined(withAdjacent next: ByteRange) -> ByteRange? {
    end == next.offset ? ByteRange(offset..<next.end) : nil
  }

  /// Returns the bytes in both ranges, or `nil` if the ranges have no bytes in common.
  package func intersection(_ other: ByteRange) -> ByteRange? {
    let (start, stop) = (Swift.max(offset, other.offset), Swift.min(end, other.end))
    return start < stop ? ByteRange(start..<stop) : nil
  }
}

extension Sequence {
  /// Calls `report` for each element that overlaps an earlier element. If the element overlaps several earlier
  /// elements, `earlier` is the earlier element that ends last. The elements must be sorted by the offsets of their
  /// ranges.
  @inline(__always)
  func forEachOverlap(by range: (Element) -> ByteRange, _ report: (_ element: Element, _ earlier: Element) -> Void) {
    var lastEnding: Element?
    for element in self {
      if let lastEnding, range(lastEnding).overlaps(range(element)) { report(element, lastEnding) }
      if lastEnding.map({ range(element).end > range($0).end }) ?? true { lastEnding = element }
    }
  }
}
