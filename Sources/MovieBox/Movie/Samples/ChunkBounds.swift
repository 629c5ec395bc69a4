/// The bounds of a track's non-empty chunks, in table order. The chunks must be in this file, and `stsz` must declare
/// the sizes of their samples.
///
/// The bounds are read in blocks. Reading them requires less time than reading chunks, because only offsets and sizes
/// are stored.
struct ChunkBounds {
  /// The number of chunks in a block. A block and its table bytes fit in the first-level cache.
  private static var blockCount: Int { 256 }

  private let offsets: ChunkOffsetTable
  private let sizes: SampleSizeTable
  private let entries: SampleToChunkTable
  /// Whether the tables contain only 32-bit words and agree with each other, so that no entry needs a check.
  private let areTablesPlain: Bool
  private var cursor: ChunkCursor
  /// The position in plain tables. `runEnd` is the index after the last chunk of the entry before `entry`.
  private var next = (entry: 0, chunk: 0, sample: 0, runEnd: 0, samplesPerChunk: 0)
  private var block = [(start: UInt64, end: UInt64)](repeating: (0, 0), count: Self.blockCount)
  private var position = 0
  private var count = 0

  /// The offset of the current chunk, or `UInt64.max` after the last chunk.
  private(set) var start = UInt64.max
  /// The end of the current chunk. The end is undefined after the last chunk.
  private(set) var end: UInt64 = 0

  /// Reads the bounds of a track's chunks. Returns `nil` if `stco` and `stsz` alone do not determine the bounds of all
  /// chunks.
  init?(_ track: Track) {
    let locator = ChunkLocator(track)
    guard locator.hasNoPackets, !locator.hasExternalChunks else { return nil }
    TablePass.chunks.begin()
    offsets = track.samples.chunkOffsets
    sizes = track.samples.sampleSizes
    entries = track.samples.sampleToChunk
    areTablesPlain = sizes.layout == .words && !offsets.isWide && track.samples.hasConsistentChunks
    cursor = ChunkCursor(track.samples)
    advance()
  }

  @inline(__always)
  mutating func advance() {
    if position == count { fillBlock() }
    guard position < count else { return start = .max }
    (start, end) = block[position]
    position &+= 1
  }

  /// Advances to the first chunk at or after `offset`, but at least to the next chunk. Returns the end of the last chunk
  /// before it, or `nil` if two of the skipped chunks overlap.
  mutating func advance(to offset: UInt64) -> UInt64? {
    var lastEnd = end
    advance()
    while start < offset {
      guard start >= lastEnd else { return nil }
      lastEnd = end
      advance()
    }
    return lastEnd
  }

  private mutating func fillBlock() {
    position = 0
    count = 0
    if areTablesPlain { return fillBlockFromPlainTables() }
    while count < Self.blockCount, let element = cursor.next() {
      append(offsets[element.chunk], sizes.byteCount(ofChunk: element.samples))
    }
  }

  private mutating func fillBlockFromPlainTables() {
    let (chunkCount, entryCount) = (offsets.count, entries.count)
    var (entry, chunk, sample, runEnd, samplesPerChunk) = next
    var filledCount = 0
    // SAFETY: the initializers of the tables checked that their entries are within the bytes. The entries of `stsc` are
    // ascending, their chunks are in `offsets`, and `sizes` has a size for each of their samples
    // (``SampleTable/hasConsistentChunks``).
    unsafe offsets.payload.withUnsafeBytes { offsets in
      unsafe sizes.payload.withUnsafeBytes { sizes in
        unsafe entries.payload.withUnsafeBytes { entries in
          unsafe block.withUnsafeMutableBufferPointer { block in
            while filledCount < Self.blockCount, chunk < chunkCount {
              if chunk == runEnd {
                let position = 8 &+ entry &* 12
                samplesPerChunk = Int(
                  UInt32(bigEndian: unsafe entries.loadUnaligned(fromByteOffset: position &+ 4, as: UInt32.self)))
                entry &+= 1
                runEnd =
                  entry < entryCount
                  ? Int(
                    UInt32(bigEndian: unsafe entries.loadUnaligned(fromByteOffset: position &+ 12, as: UInt32.self)))
                    &- 1 : chunkCount
              }
              let offset = UInt64(
                UInt32(bigEndian: unsafe offsets.loadUnaligned(fromByteOffset: 8 &+ chunk &* 4, as: UInt32.self)))
              var end = offset
              for _ in 0..<samplesPerChunk {
                let size = unsafe sizes.loadUnaligned(fromByteOffset: 12 &+ sample &* 4, as: UInt32.self)
                end &+= UInt64(UInt32(bigEndian: size))  // The table has fewer than 2³² sizes of 32 bits.
                sample &+= 1
              }
              unsafe block[filledCount] = (offset, end)
              filledCount &+= end > offset ? 1 : 0
              chunk &+= 1
            }
          }
        }
      }
    }
    next = (entry, chunk, sample, runEnd, samplesPerChunk)
    count = filledCount
  }

  /// Adds a chunk to the block, unless the chunk is empty or its end overflows.
  @inline(__always)
  private mutating func append(_ offset: UInt64, _ byteCount: UInt64) {
    let (chunkEnd, overflow) = offset.addingReportingOverflow(byteCount)
    guard byteCount > 0, !overflow else { return }
    block[count] = (offset, chunkEnd)
    count &+= 1
  }
}
