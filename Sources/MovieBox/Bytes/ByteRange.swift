/// A range of bytes of a file, whose end is known to fit in 64 bits.
public struct ByteRange: Hashable, Sendable {
  /// The first byte, counted from the start of the file.
  public let offset: UInt64
  /// The number of bytes.
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
  public func contains(_ other: ByteRange) -> Bool { other.offset >= offset && other.end <= end }

  /// Whether the two share a byte, or one is empty and lies inside the other.
  @inlinable
  public func overlaps(_ other: ByteRange) -> Bool { offset < other.end && other.offset < end }
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

/// Ranges of bytes, as few as have all their bytes: in order, and none touches the next.
package struct ByteRangeSet: Hashable, Sendable {
  package let ranges: [ByteRange]

  /// The bytes of some ranges, which may touch and share bytes. Costs a sort, in place where nobody else has the array.
  package init(_ ranges: consuming [ByteRange]) {
    ranges.sort { $0.offset < $1.offset }
    self.init(inOrder: ranges)
  }

  /// The set of ranges in the order of their first bytes. It stores merged ranges only: a movie's million chunks are a
  /// few ranges.
  package init(inOrder ranges: some Sequence<ByteRange>) {
    var all: [ByteRange] = []
    for range in ranges {
      if let joined = all.last?.joined(with: range) {
        all[all.count - 1] = joined
      } else {
        all.append(range)
      }
    }
    self.ranges = all
  }

  /// The number of bytes in the set.
  package var byteCount: UInt64 {
    ranges.reduce(0) { $0 &+ $1.count }  // They share no bytes, so the sum fits where the last end does.
  }

  /// Returns the parts within a range, in order. Costs a binary search and the parts that are read.
  package func parts(of range: ByteRange) -> some Sequence<ByteRange> {
    ranges[ranges.firstIndex(endingAfter: range.offset)...].lazy.prefix { $0.offset < range.end }
      .compactMap { $0.intersection(range) }
  }
}

extension [ByteRange] {
  /// The index of the first range that ends after `offset`; the end where none does. Their ends must be in order.
  package func firstIndex(endingAfter offset: UInt64) -> Int {
    partitioningIndex { $0.end > offset }
  }
}

extension ByteRange {
  /// This range and one that begins in it, or at its end, as one; `nil` for another.
  ///
  /// - Parameters:
  ///   - gap: how many bytes after its end the other may begin at most.
  ///   - limit: how many bytes both may have together.
  package func joined(with next: ByteRange, over gap: UInt64 = 0, upTo limit: UInt64 = .max) -> ByteRange? {
    let furthest = Swift.max(end, next.end)
    guard next.offset >= offset, next.offset <= end.addingClamped(gap), furthest - offset <= limit else { return nil }
    return ByteRange(offset..<furthest)
  }

  /// This range and the one that begins at its end as one; `nil` for another.
  package func followed(by next: ByteRange) -> ByteRange? {
    end == next.offset ? ByteRange(offset..<next.end) : nil
  }

  /// The bytes of both; `nil` where they share none.
  package func intersection(_ other: ByteRange) -> ByteRange? {
    let (start, stop) = (Swift.max(offset, other.offset), Swift.min(end, other.end))
    return start < stop ? ByteRange(start..<stop) : nil
  }
}

extension Sequence {
  /// Finds elements that share bytes, given the order of their first bytes: calls `report` with each that overlaps an
  /// earlier one, and with the earlier one that reaches furthest.
  @inline(__always)
  func forEachOverlap(by range: (Element) -> ByteRange, _ report: (_ element: Element, _ before: Element) -> Void) {
    var furthest: Element?
    for element in self {
      if let furthest, range(furthest).overlaps(range(element)) { report(element, furthest) }
      if furthest.map({ range(element).end > range($0).end }) ?? true { furthest = element }
    }
  }
}
