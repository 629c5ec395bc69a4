// Compares the bytes of samples. Pieces are joined into long runs first, so that two files are read in order, in large
// blocks, and each byte mostly once.

/// Bytes of the old movie that should be the same as as many bytes of the new one.
struct MediaPiece {
  /// In the old file.
  var range: ByteRange
  /// The start of the bytes in the new file.
  let newOffset: UInt64
  /// The owner of the bytes; a number of the caller's.
  let owner: Int

  /// The distance from a place in the old file to its place in the new one, wrapping if it is negative.
  var distance: UInt64 { newOffset &- range.offset }
}

extension [MediaPiece] {
  /// Appends equally many bytes of both files, or extends the last piece if they follow it in both.
  mutating func append(_ old: ByteRange, _ new: ByteRange, owner: Int) {
    guard old.count > 0 else { return }
    if let last, last.owner == owner, last.range.end == old.offset, last.newOffset &+ last.range.count == new.offset {
      self[count - 1].range = ByteRange(last.range.offset..<old.end)
    } else {
      append(MediaPiece(range: old, newOffset: new.offset, owner: owner))
    }
  }

  /// Appends the bytes of runs that belong together in their order, whatever their bounds, as far as both go.
  mutating func append(_ old: [ByteRange], _ new: [ByteRange], owner: Int) {
    var (left, right) = (old[...], new[...])
    while let one = left.first, let other = right.first {
      let count = Swift.min(one.count, other.count)
      append(
        ByteRange(one.offset..<one.offset &+ count), ByteRange(other.offset..<other.offset &+ count), owner: owner)
      left.cut(count)
      right.cut(count)
    }
  }
}

extension ArraySlice<ByteRange> {
  /// Drops so many bytes of the first range, and the range when none is left.
  fileprivate mutating func cut(_ count: UInt64) {
    guard let range = popFirst(), count < range.count else { return }
    insert(ByteRange(range.offset &+ count..<range.end), at: startIndex)
  }
}

/// Compares bytes of two files in blocks.
///
/// Bytes of neighbouring pieces that lie at the same distance in the other file are compared at once, whatever they
/// belong to: a file against a copy of it costs one read of each block on both sides.
struct MediaComparison<Old: RandomAccessSource, New: RandomAccessSource> {
  /// Bytes that differ, with a few between them that do not.
  struct Mismatch {
    /// In the old file.
    var range: ByteRange
    let newOffset: UInt64
  }

  let old: Old
  let new: New
  /// Called before each block; what it throws ends the work.
  let step: () throws -> Void

  /// The number of bytes per read. Larger blocks are not faster, and progress is reported after each.
  static var blockByteCount: UInt64 { 1 << 20 }
  /// Runs of different bytes that are no further apart are one: unlike media has equal bytes by chance.
  private static var joinedDistance: UInt64 { 16 }
  /// No more runs are kept for each owner, some megabytes; counts of samples are then too small.
  static var mismatchLimit: Int { 100_000 }
  /// The number of times that the same bytes are compared for different samples. Tracks of a valid movie may share
  /// bytes once or twice; a broken one could refer to all of them a million times.
  static var repetitionLimit: UInt64 { 64 }

  /// Returns the number of equal bytes at the starts of both files.
  func commonStart(upTo byteCount: UInt64) throws -> UInt64 {
    try firstDifference(ByteRange(0..<byteCount), at: 0) ?? byteCount
  }

  /// The first byte of `range` that is another one in the new file from `newOffset` on, counted from the start of the
  /// old file; `nil` where there is none. Both lie in their files.
  func firstDifference(_ range: ByteRange, at newOffset: UInt64) throws -> UInt64? {
    var difference: UInt64?
    try forEachDifferentBlock(of: range, newOffset &- range.offset) { offset, left, right in
      difference = left.indices.first { left[$0] != right[$0] }.map { offset &+ UInt64($0) }
      return difference == nil
    }
    return difference
  }

  /// Reads a range of the old file, and what stands so far from it in the new one; gives `body` each block that differs,
  /// after its offset, until that answers `false`.
  private func forEachDifferentBlock(
    of range: ByteRange, _ distance: UInt64, _ body: (UInt64, Bytes, Bytes) -> Bool
  ) throws {
    var position = range.offset
    while position < range.end {
      try step()
      let block = ByteRange(position..<Swift.min(range.end, position &+ Self.blockByteCount))
      position = block.end
      let left = try old.readExactly(block)
      let right = try new.readExactly(ByteRange(offset: block.offset &+ distance, count: block.count))
      if left != right, !body(block.offset, left, right) { return }
    }
  }

  /// The bytes that differ, by owner.
  ///
  /// - Parameter commonStart: so many bytes at the start of both files are known to be the same.
  func mismatches(_ pieces: [MediaPiece], commonStart: UInt64) throws -> [Int: [Mismatch]] {
    let sizes = (old: try old.identity().byteCount, new: try new.identity().byteCount)
    var found: [Int: [Mismatch]] = [:]
    func add(_ mismatch: Mismatch, _ owner: Int) -> Bool {
      guard found[owner, default: []].count < Self.mismatchLimit else { return false }
      found[owner, default: []].append(mismatch)
      return true
    }
    let sorted = pieces.sorted { ($0.distance, $0.range.offset) < ($1.distance, $1.range.offset) }
    var first = sorted.startIndex
    var budget = sizes.old.multipliedReportingOverflow(by: Self.repetitionLimit)
    budget = budget.overflow ? (.max, false) : budget
    while first < sorted.endIndex {
      // All pieces that touch one another, or share bytes, at one distance.
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
      // What lies past the end of one file only differs; what is past both is nowhere.
      let oldEnd = Swift.max(whole.offset, Swift.min(whole.end, sizes.old))
      let newStart = whole.offset &+ distance
      let newCount = newStart < sizes.new ? Swift.min(whole.count, sizes.new - newStart) : 0
      let newEnd = whole.offset &+ newCount
      let both = whole.offset..<Swift.min(oldEnd, newEnd)
      guard budget.partialValue >= both.upperBound - both.lowerBound else {
        throw MovieError(
          .limit, at: whole.offset,
          "samples share bytes so often that more than \(Self.repetitionLimit) times the file would have to be read")
      }
      budget.partialValue -= both.upperBound - both.lowerBound
      let start = distance == 0 ? Swift.max(both.lowerBound, Swift.min(commonStart, both.upperBound)) : both.lowerBound
      var runs = try differing(ByteRange(start..<both.upperBound), distance)
      if oldEnd != newEnd { runs.append(ByteRange(both.upperBound..<Swift.max(oldEnd, newEnd))) }
      Self.assign(ByteRangeSet(runs), to: group) { range, owner in
        add(Mismatch(range: range, newOffset: range.offset &+ distance), owner)
      }
    }
    return found
  }

  /// The runs of bytes in `range` that differ, in order.
  private func differing(_ range: ByteRange, _ distance: UInt64) throws -> [ByteRange] {
    var runs: [ByteRange] = []
    try forEachDifferentBlock(of: range, distance) { offset, left, right in
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

  /// Assigns to each piece the runs in it.
  private static func assign(
    _ runs: ByteRangeSet, to pieces: ArraySlice<MediaPiece>, _ give: (ByteRange, Int) -> Bool
  ) {
    guard !runs.ranges.isEmpty else { return }
    for piece in pieces {
      for part in runs.parts(of: piece.range) {
        guard give(part, piece.owner) else { break }
      }
    }
  }
}

extension RandomAccessSource {
  fileprivate func readExactly(_ range: ByteRange?) throws -> Bytes {
    guard let range else { throw MovieError(.truncated, "a place beyond 64 bits") }
    return try readExactly(range)
  }
}
