/// The positions of the chunks, in bytes from the start of their file (`stco`, or `co64` with offsets of 64 bits).
///
/// A view: an offset is computed from the bytes when asked for.
package struct ChunkOffsetTable: Hashable, Sendable {
  /// All bytes after the atom's header, offsets and tail.
  package let payload: Bytes
  /// The number of chunks.
  package let count: Int
  /// Whether offsets have 64 bits (`co64`), not 32 (`stco`).
  package let isWide: Bool

  /// Reads a `co64` when `isWide`, else an `stco`; throws when the bytes have no room for the offsets that it claims.
  package init(payload: Bytes, isWide: Bool) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    count = try reader.readEntryCount(bitsPerEntry: isWide ? 64 : 32)
    self.payload = payload
    self.isWide = isWide
  }

  /// The bytes after the last offset; mostly none.
  package var tail: Bytes { payload.dropFirst(8 &+ count &* (isWide ? 8 : 4)) }
}

extension ChunkOffsetTable: EntryTable {
  /// The offset of the chunk at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "index of a chunk outside the table")
    // count × width bytes are there: the initialiser checked.
    return isWide
      ? payload.entry(at: 8 &+ index &* 8, as: UInt64.self)
      : UInt64(payload.entry(at: 8 &+ index &* 4, as: UInt32.self))
  }
}

extension ChunkOffsetTable {
  /// The number of chunks per block: as many offsets as fit into the first cache.
  private static var blockCount: Int { 1024 }

  /// Calls `body` with one block of chunks after the other, and the smallest and the largest of their offsets: most
  /// questions are answered by these, at a twentieth of the cost of a look at each chunk. Ends where it gives `false`.
  @inline(__always)
  package func forEachBlock(_ body: (_ chunks: Range<Int>, _ bounds: ClosedRange<UInt64>) -> Bool) {
    TablePass.offsets.begin()
    for start in stride(from: 0, to: count, by: Self.blockCount) {
      let chunks = start..<Swift.min(count, start &+ Self.blockCount)
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

  /// The first chunk from `start` on that does not lie in `range`, or is not as far from the same chunk in another
  /// table as `distance`, wrapping; the number of chunks where there is none.
  package func firstChunk(
    from start: Int, notAt distance: UInt64, from other: ChunkOffsetTable, in range: ClosedRange<UInt64>
  ) -> Int {
    if start == 0 { TablePass.offsets.begin() }
    switch (isWide, other.isWide) {
    case (true, true): return firstChunk(UInt64.self, from: start, notAt: distance, from: other, in: range)
    case (false, false): return firstChunk(UInt32.self, from: start, notAt: distance, from: other, in: range)
    default:
      let shared = Swift.max(0, start)..<Swift.max(0, start, Swift.min(count, other.count))
      return shared.first { self[$0] &- other[$0] != distance || !range.contains(self[$0]) } ?? count
    }
  }

  @inline(__always)
  private func firstChunk<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Number.Type, from start: Int, notAt distance: UInt64, from other: ChunkOffsetTable,
    in range: ClosedRange<UInt64>
  ) -> Int {
    let end = Swift.min(count, other.count)
    guard start >= 0, start < end else { return count }
    // SAFETY: each table has `count` numbers after its first 8 bytes, as the initialiser made sure.
    return unsafe payload.withUnsafeBytes { mine in
      unsafe other.payload.withUnsafeBytes { theirs in
        for index in start..<end {
          let place = 8 &+ index &* MemoryLayout<Number>.size
          let here = UInt64(Number(bigEndian: unsafe mine.loadUnaligned(fromByteOffset: place, as: Number.self)))
          let there = UInt64(Number(bigEndian: unsafe theirs.loadUnaligned(fromByteOffset: place, as: Number.self)))
          guard here &- there == distance, range.contains(here) else { return index }
        }
        return count
      }
    }
  }

  /// Whether no chunk begins before the one that the table has before it. Costs one pass, which vectorises.
  package var areInOrder: Bool {
    TablePass.offsets.begin()
    return isWide
      ? payload.isAscending(UInt64.self, at: 8, count: count) : payload.isAscending(UInt32.self, at: 8, count: count)
  }
}
