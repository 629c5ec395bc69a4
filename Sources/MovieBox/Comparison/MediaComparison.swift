// The comparison of media bytes. Adjacent ranges are joined first. Both files are then read in order, in large blocks.
// Most bytes are read only once.

/// A range of bytes in the old movie, and the range of equal size in the new movie with which it is compared.
struct ComparedRange {
  /// The range in the old file.
  var range: ByteRange
  /// The start of the range in the new file.
  let newOffset: UInt64
  /// The owner of the bytes, as an index chosen by the caller.
  let owner: Int

  /// The distance from an offset in the old file to the corresponding offset in the new file. A negative distance wraps
  /// around.
  var distance: UInt64 { newOffset &- range.offset }
}

extension [ComparedRange] {
  /// Appends two ranges of equal size. If both ranges directly follow the ranges of the last element, extends the last
  /// element instead.
  mutating func append(_ old: ByteRange, _ new: ByteRange, owner: Int) {
    guard old.count > 0 else { return }
    if let last, last.owner == owner, last.range.end == old.offset, last.newOffset &+ last.range.count == new.offset {
      self[count - 1].range = ByteRange(last.range.offset..<old.end)
    } else {
      append(ComparedRange(range: old, newOffset: new.offset, owner: owner))
    }
  }

  /// Appends two sequences of ranges. Both contain the same bytes, but may divide them into different ranges. Stops at
  /// the end of the shorter sequence.
  mutating func append(_ old: [ByteRange], _ new: [ByteRange], owner: Int) {
    var (left, right) = (old[...], new[...])
    while let one = left.first, let other = right.first {
      let count = Swift.min(one.count, other.count)
      append(
        ByteRange(one.offset..<one.offset &+ count), ByteRange(other.offset..<other.offset &+ count), owner: owner)
      left.removeFirst(count)
      right.removeFirst(count)
    }
  }
}

extension ArraySlice<ByteRange> {
  /// Removes the first `count` bytes of the first range. If the range has at most `count` bytes, removes the whole
  /// range.
  fileprivate mutating func removeFirst(_ count: UInt64) {
    guard let range = popFirst(), count < range.count else { return }
    insert(ByteRange(range.offset &+ count..<range.end), at: startIndex)
  }
}

/// Compares bytes of two files in blocks.
///
/// Adjacent ranges that moved by the same ``ComparedRange/distance`` from the old to the new file are compared
/// together, even if their owners differ. If a file is compared with its copy, each block is therefore read only once
/// from each file.
struct MediaComparison<Old: RandomAccessSource, New: RandomAccessSource> {
  /// A range of differing bytes. It may contain short runs of equal bytes.
  struct Mismatch {
    /// The range in the old file.
    var range: ByteRange
    let newOffset: UInt64
  }

  let old: Old
  let new: New
  /// A function that is called before each block. An error thrown by the function ends the comparison.
  let step: () throws -> Void

  /// The number of bytes per read. A larger number does not make the comparison faster, and would make progress reports
  /// less frequent.
  static var blockByteCount: UInt64 { 1 << 20 }
  /// The maximum number of equal bytes between two differing runs that are joined into one run. Runs are joined because
  /// even different media contains some equal bytes by chance.
  private static var joinedDistance: UInt64 { 16 }
  /// The maximum number of differing runs that are stored for each owner. The maximum limits memory to some megabytes.
  /// If an owner has more runs, the reported number of differing samples is too small.
  static var mismatchLimit: Int { 100_000 }
  /// The maximum ratio of compared bytes to the size of the file. In a valid movie, a few tracks may share bytes. In a
  /// damaged movie, a million tracks could refer to the same bytes.
  static var repetitionLimit: UInt64 { 64 }

  /// Returns the number of equal bytes at the starts of both files.
  func commonStart(upTo byteCount: UInt64) throws -> UInt64 {
    try firstDifference(ByteRange(0..<byteCount), at: 0) ?? byteCount
  }

  /// Returns the offset of the first byte of `range` in the old file that differs in the new file, or `nil` if all
  /// bytes are equal. `newOffset` is the start of the range in the new file. Both ranges must lie within their files.
  func firstDifference(_ range: ByteRange, at newOffset: UInt64) throws -> UInt64? {
    var difference: UInt64?
    var files = FileComparison(old, new)
    try forEachDifferentBlock(of: range, newOffset &- range.offset, &files) { offset, left, right in
      difference = left.indices.first { left[$0] != right[$0] }.map { offset &+ UInt64($0) }
      return difference == nil
    }
    return difference
  }

  /// Compares a range of the old file with its counterpart in the new file. Calls `body` with the offset and contents
  /// of each block that differs, until `body` returns `false`.
  private func forEachDifferentBlock(
    of range: ByteRange, _ distance: UInt64, _ files: inout FileComparison?, _ body: (UInt64, Bytes, Bytes) -> Bool
  ) throws {
    var position = range.offset
    while position < range.end {
      try step()
      let block = ByteRange(position..<Swift.min(range.end, position &+ Self.blockByteCount))
      position = block.end
      if try files?.isEqual(block, distance) ?? false { continue }
      let left = try old.readExactly(block)
      let right = try new.readExactly(ByteRange(offset: block.offset &+ distance, count: block.count))
      if left != right, !body(block.offset, left, right) { return }
    }
  }

  /// Sorts the ranges by distance and offset, and returns the differing ranges by owner.
  ///
  /// - Parameter commonStart: the number of bytes at the start of both files that are known to be equal.
  func mismatches(_ sorted: inout [ComparedRange], commonStart: UInt64) throws -> [Int: [Mismatch]] {
    let sizes = (old: try old.identity().byteCount, new: try new.identity().byteCount)
    var mismatches: [Int: [Mismatch]] = [:]
    func add(_ mismatch: Mismatch, _ owner: Int) -> Bool {
      guard mismatches[owner, default: []].count < Self.mismatchLimit else { return false }
      mismatches[owner, default: []].append(mismatch)
      return true
    }
    sorted.sort { ($0.distance, $0.range.offset) < ($1.distance, $1.range.offset) }
    var first = sorted.startIndex
    var budget = sizes.old.multipliedReportingOverflow(by: Self.repetitionLimit)
    budget = budget.overflow ? (.max, false) : budget
    var files = FileComparison(old, new)
    while first < sorted.endIndex {
      // Compare adjacent and overlapping ranges together if they moved by the same number of bytes.
      var end = first
      var reach = sorted[first].range.end
      while end < sorted.endIndex, sorted[end].distance == sorted[first].distance, sorted[end].range.offset <= reach {
        reach = Swift.max(reach, sorted[end].range.end)
        end += 1
      }
      let group = sorted[first..<end]
      let distance = sorted[first].distance
      let whole = ByteRange(sorted[first].range.offset..<reach)
      first = end
      // If only one file ends before a byte, the byte counts as a difference. If both files end before it, the byte is
      // ignored.
      let oldEnd = Swift.max(whole.offset, Swift.min(whole.end, sizes.old))
      let newStart = whole.offset &+ distance
      let newCount = newStart < sizes.new ? Swift.min(whole.count, sizes.new - newStart) : 0
      let newEnd = whole.offset &+ newCount
      let both = whole.offset..<Swift.min(oldEnd, newEnd)
      guard budget.partialValue >= both.upperBound - both.lowerBound else {
        throw MovieError(
          .limit, at: whole.offset,
          "samples share bytes so often that the comparison would read more than \(Self.repetitionLimit) times "
            + "the file size")
      }
      budget.partialValue -= both.upperBound - both.lowerBound
      let start = distance == 0 ? Swift.max(both.lowerBound, Swift.min(commonStart, both.upperBound)) : both.lowerBound
      var runs = try differentRanges(ByteRange(start..<both.upperBound), distance, &files)
      if oldEnd != newEnd { runs.append(ByteRange(both.upperBound..<Swift.max(oldEnd, newEnd))) }
      Self.assign(ByteRangeSet(runs), to: group) { range, owner in
        add(Mismatch(range: range, newOffset: range.offset &+ distance), owner)
      }
    }
    return mismatches
  }

  /// Returns the differing runs within `range`, in order.
  private func differentRanges(
    _ range: ByteRange, _ distance: UInt64, _ files: inout FileComparison?
  ) throws -> [ByteRange] {
    var runs: [ByteRange] = []
    try forEachDifferentBlock(of: range, distance, &files) { offset, left, right in
      for index in left.indices where left[index] != right[index] {
        let byte = offset &+ UInt64(index)
        if let last = runs.last, byte - last.end <= Self.joinedDistance {
          runs[runs.count - 1] = ByteRange(last.offset..<byte + 1)
        } else if runs.count < Self.mismatchLimit {
          runs.append(ByteRange(byte..<byte + 1))
        }
      }
      return true
    }
    return runs
  }

  /// Splits the differing runs by the owners of their bytes. Calls `body` with each range and its owner. If `body`
  /// returns `false`, skips the rest of the owner's range.
  private static func assign(
    _ runs: ByteRangeSet, to comparedRanges: ArraySlice<ComparedRange>, _ body: (ByteRange, Int) -> Bool
  ) {
    guard !runs.ranges.isEmpty else { return }
    for comparedRange in comparedRanges {
      for range in runs.ranges(within: comparedRange.range) {
        guard body(range, comparedRange.owner) else { break }
      }
    }
  }
}

/// Compares ranges of two files in a small buffer. New memory for each block would take longer to allocate than to
/// fill.
private struct FileComparison {
  private let old: FileSource
  private let new: FileSource
  /// Room for the bytes of the old file, and then for the bytes of the new file. It grows to the largest range.
  private var buffer: [UInt8] = []

  /// The number of bytes of each file that are read at once. The buffer fits in the second-level cache.
  private static var partByteCount: Int { 64 << 10 }

  /// Returns `nil` if one of the sources is not a file.
  init?(_ old: some RandomAccessSource, _ new: some RandomAccessSource) {
    guard let old = old as? FileSource, let new = new as? FileSource else { return nil }
    (self.old, self.new) = (old, new)
  }

  /// Whether a range of the old file equals the range of the new file at a distance.
  mutating func isEqual(_ range: ByteRange, _ distance: UInt64) throws -> Bool {
    let room = Int(Swift.min(range.count, UInt64(Self.partByteCount)))
    if buffer.count < 2 * room { buffer = [UInt8](repeating: 0, count: 2 * room) }
    var position = range.offset
    while position < range.end {
      let part = ByteRange(position..<Swift.min(range.end, position &+ UInt64(Self.partByteCount)))
      position = part.end
      guard let other = ByteRange(offset: part.offset &+ distance, count: part.count) else { return false }
      let (old, new, count) = (old, new, Int(part.count))
      // SAFETY: each half of the buffer has room for the part, because no part has more than `room` bytes.
      let isEqual = try unsafe buffer.withUnsafeMutableBytes { buffer in
        let one = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        let two = unsafe UnsafeMutableRawBufferPointer(
          rebasing: buffer[room..<room + count])
        try unsafe old.read(part, into: one)
        try unsafe new.read(other, into: two)
        return unsafe SystemMemory.areEqual(UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(two))
      }
      guard isEqual else { return false }
    }
    return true
  }
}

extension RandomAccessSource {
  fileprivate func readExactly(_ range: ByteRange?) throws -> Bytes {
    guard let range else { throw MovieError(.truncated, "a position exceeds 64 bits") }
    return try readExactly(range)
  }
}
