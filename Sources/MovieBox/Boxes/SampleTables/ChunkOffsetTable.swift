/// Where each chunk begins, in bytes from the start of its file (`stco`, or `co64` with offsets of 64 bits).
///
/// A view: an offset is computed from the bytes when asked for.
public struct ChunkOffsetTable: Hashable, Sendable {
  /// All bytes after the atom's header, offsets and tail.
  public let payload: Bytes
  /// How many chunks.
  public let count: Int
  /// Whether offsets have 64 bits (`co64`), not 32 (`stco`).
  public let isWide: Bool

  /// Reads a `co64` when `isWide`, else an `stco`; throws when the bytes have no room for the offsets that it claims.
  public init(payload: Bytes, isWide: Bool) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    count = try reader.readEntryCount(bitsPerEntry: isWide ? 64 : 32)
    self.payload = payload
    self.isWide = isWide
  }

  /// What stands after the last offset; mostly nothing.
  public var tail: Bytes {
    payload.dropFirst(8 &+ count &* (isWide ? 8 : 4))
  }
}

extension ChunkOffsetTable: EntryTable {
  /// The offset of the chunk at `index`, which must be below `count`.
  @inlinable @inline(__always)
  public subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "index of a chunk outside the table")
    // count × width bytes are there: the initialiser checked.
    return isWide
      ? payload.entry(at: 8 &+ index &* 8, as: UInt64.self)
      : UInt64(payload.entry(at: 8 &+ index &* 4, as: UInt32.self))
  }
}

extension ChunkOffsetTable {
  /// Calls `body` with one block of chunks after the other, and the smallest and the largest of their offsets: most
  /// questions are answered by these, at a twentieth of the cost of a look at each chunk. Ends where it gives `false`.
  @inline(__always)
  package func forEachBlock(
    of blockCount: Int = 1024, _ body: (_ chunks: Range<Int>, _ bounds: ClosedRange<UInt64>) -> Bool
  ) {
    for start in stride(from: 0, to: count, by: blockCount) {
      let chunks = start..<Swift.min(count, start &+ blockCount)
      guard let bounds = bounds(of: chunks) else { continue }
      guard body(chunks, bounds) else { return }
    }
  }

  /// The smallest and the largest offset of some chunks; `nil` for none.
  package func bounds(of chunks: Range<Int>) -> ClosedRange<UInt64>? {
    guard chunks.lowerBound >= 0, chunks.upperBound <= count else { return nil }
    let start = 8 &+ chunks.lowerBound &* (isWide ? 8 : 4)
    if isWide { return payload.bounds(of: UInt64.self, at: start, count: chunks.count, stride: 8) }
    return payload.bounds(of: UInt32.self, at: start, count: chunks.count, stride: 4).map {
      UInt64($0.lowerBound)...UInt64($0.upperBound)
    }
  }

  /// What is added to the offsets of some chunks in another table to get those here, wrapping; `nil` where it is not the
  /// same for all.
  package func distance(from other: ChunkOffsetTable, of chunks: Range<Int>) -> UInt64? {
    guard chunks.lowerBound >= 0, chunks.upperBound <= Swift.min(count, other.count), let first = chunks.first else {
      return nil
    }
    let distance = self[first] &- other[first]
    var deviation: UInt64 = 0
    for chunk in chunks { deviation |= self[chunk] &- other[chunk] ^ distance }
    return deviation == 0 ? distance : nil
  }

  /// Whether no chunk begins before the one that the table has before it. Costs one pass, which vectorises.
  package var areInOrder: Bool {
    isWide
      ? payload.isAscending(UInt64.self, at: 8, count: count) : payload.isAscending(UInt32.self, at: 8, count: count)
  }
}
