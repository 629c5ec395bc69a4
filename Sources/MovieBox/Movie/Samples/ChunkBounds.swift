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
  private var cursor: ChunkCursor
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

  private mutating func fillBlock() {
    let (offsets, sizes) = (offsets, sizes)
    position = 0
    count = 0
    guard case .words = sizes.layout, !offsets.isWide else {
      while count < Self.blockCount, let element = cursor.next() {
        append(offsets[element.chunk], sizes.byteCount(ofChunk: element.samples))
      }
      return
    }
    let (sampleCount, chunkCount) = (sizes.count, offsets.count)
    // SAFETY: the initializers of the tables checked that `chunkCount` offsets follow the first 8 bytes and
    // `sampleCount` sizes follow the first 12 bytes. The loop checks each index.
    unsafe offsets.payload.withUnsafeBytes { offsets in
      unsafe sizes.payload.withUnsafeBytes { sizes in
        while count < Self.blockCount, let element = cursor.next() {
          guard element.chunk < chunkCount, element.samples.upperBound <= sampleCount else { return }
          let word = unsafe offsets.loadUnaligned(fromByteOffset: 8 &+ element.chunk &* 4, as: UInt32.self)
          var byteCount: UInt64 = 0
          for sample in element.samples {
            let size = unsafe sizes.loadUnaligned(fromByteOffset: 12 &+ sample &* 4, as: UInt32.self)
            byteCount &+= UInt64(UInt32(bigEndian: size))
          }
          append(UInt64(UInt32(bigEndian: word)), byteCount)
        }
      }
    }
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
