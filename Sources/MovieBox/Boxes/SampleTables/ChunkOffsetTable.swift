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
  @inlinable
  public subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "index of a chunk outside the table")
    // count × width bytes are there: the initialiser checked.
    return isWide
      ? payload.entry(at: 8 &+ index &* 8, as: UInt64.self)
      : UInt64(payload.entry(at: 8 &+ index &* 4, as: UInt32.self))
  }
}
