/// The file offsets of the chunks: `stco`, or `co64` with 64-bit offsets.
///
/// A view of the bytes: an offset is decoded when it is accessed.
package struct ChunkOffsetTable: Hashable, Sendable {
  /// The bytes after the atom's header, including offsets and tail.
  package let payload: Bytes
  package let count: Int
  /// Whether offsets have 64 bits (`co64`) instead of 32 (`stco`).
  package let isWide: Bool

  /// Reads a `co64` table if `isWide` is `true`, or else an `stco` table. Throws if the declared offsets do not fit
  /// in the bytes.
  package init(payload: Bytes, isWide: Bool) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upToVersion: 0)
    count = try reader.readEntryCount(bitsPerEntry: isWide ? 64 : 32)
    self.payload = payload
    self.isWide = isWide
  }

  /// The bytes after the last offset. Usually there are none.
  package var tail: Bytes { payload.dropFirst(8 &+ count &* (isWide ? 8 : 4)) }
}

extension ChunkOffsetTable: EntryTable {
  /// The offset of the chunk at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "the index of the chunk is outside the table")
    // The initializer checked that `count` × width bytes are available.
    return isWide
      ? payload.entry(at: 8 &+ index &* 8, as: UInt64.self)
      : UInt64(payload.entry(at: 8 &+ index &* 4, as: UInt32.self))
  }
}

extension ChunkOffsetTable {
  /// The number of chunks in a block. The offsets of a block fit in the first-level cache.
  static var blockCount: Int { 1024 }

  /// The smallest and largest offset of each block of ``blockCount`` chunks. Makes one vectorized pass.
  var blockBounds: [ClosedRange<UInt64>] {
    TablePass.offsets.begin()
    return stride(from: 0, to: count, by: Self.blockCount).compactMap { start in
      bounds(of: start..<Swift.min(count, start &+ Self.blockCount))
    }
  }

  /// Returns the smallest and largest offset of a range of chunks, or `nil` if the range is empty or outside the
  /// table.
  package func bounds(of chunks: Range<Int>) -> ClosedRange<UInt64>? {
    guard chunks.lowerBound >= 0, chunks.upperBound <= count else { return nil }
    let start = 8 &+ chunks.lowerBound &* (isWide ? 8 : 4)
    if isWide { return payload.bounds(of: UInt64.self, at: start, count: chunks.count, stride: 8) }
    return payload.bounds(of: UInt32.self, at: start, count: chunks.count, stride: 4).map {
      UInt64($0.lowerBound)...UInt64($0.upperBound)
    }
  }

  /// Returns the index of the first chunk from `start` on that was not moved by `distance` bytes or whose offset is
  /// outside `range`. Returns ``count`` if there is no such chunk.
  ///
  /// A chunk was moved by `distance` bytes if its offset minus its offset in `other` equals `distance`, modulo 2⁶⁴.
  package func firstChunk(
    from start: Int, notMovedBy distance: UInt64, relativeTo other: ChunkOffsetTable, inside range: ClosedRange<UInt64>
  ) -> Int {
    if start == 0 { TablePass.offsets.begin() }
    switch (isWide, other.isWide) {
    case (true, true):
      return firstChunk(UInt64.self, from: start, notMovedBy: distance, relativeTo: other, inside: range)
    case (false, false):
      return firstChunk(UInt32.self, from: start, notMovedBy: distance, relativeTo: other, inside: range)
    default:
      let shared = Swift.max(0, start)..<Swift.max(0, start, Swift.min(count, other.count))
      return shared.first { self[$0] &- other[$0] != distance || !range.contains(self[$0]) } ?? count
    }
  }

  @inline(__always)
  private func firstChunk<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Number.Type, from start: Int, notMovedBy distance: UInt64, relativeTo other: ChunkOffsetTable,
    inside range: ClosedRange<UInt64>
  ) -> Int {
    let end = Swift.min(count, other.count)
    guard start >= 0, start < end else { return count }
    // SAFETY: the initializer of each table checked that `count` numbers follow its first 8 bytes.
    return unsafe payload.withUnsafeBytes { mine in
      unsafe other.payload.withUnsafeBytes { theirs in
        let length = range.upperBound &- range.lowerBound
        for index in start..<end {
          let position = 8 &+ index &* MemoryLayout<Number>.size
          let here = UInt64(Number(bigEndian: unsafe mine.loadUnaligned(fromByteOffset: position, as: Number.self)))
          let there = UInt64(Number(bigEndian: unsafe theirs.loadUnaligned(fromByteOffset: position, as: Number.self)))
          // The difference of an offset below the range wraps around to a number above `length`, so one comparison is
          // sufficient.
          guard here &- there == distance, here &- range.lowerBound <= length else { return index }
        }
        return count
      }
    }
  }

  /// Whether the offsets are in ascending order. Makes one vectorized pass.
  package var areOffsetsInOrder: Bool {
    TablePass.offsets.begin()
    return isWide
      ? payload.isAscending(UInt64.self, at: 8, count: count) : payload.isAscending(UInt32.self, at: 8, count: count)
  }
}
