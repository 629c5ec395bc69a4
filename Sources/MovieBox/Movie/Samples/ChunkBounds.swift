/// The bounds of a track's non-empty chunks, in table order. The chunks must be in this file, and `stsz` must declare
/// the sizes of their samples.
///
/// The bounds are read in blocks. Reading them requires less time than reading chunks, because only offsets and sizes
/// are stored.
struct ChunkBounds {
  typealias Bounds = (start: UInt64, end: UInt64)

  /// The number of chunks in a block. A block and its table bytes fit in the first-level cache.
  private static var blockCount: Int { 256 }

  private let offsets: ChunkOffsetTable
  private let sizes: SampleSizeTable
  private let entries: SampleToChunkTable
  /// Whether the tables contain only 32-bit words and agree with each other. No entry then needs a check.
  private let areTablesPlain: Bool
  private var cursor: ChunkCursor
  /// The position in plain tables. `entry` is the index of the next `stsc` entry, and `runEnd` is the index of the first
  /// chunk of this entry, or the number of chunks if there is no further entry.
  private var next = (entry: 0, chunk: 0, sample: 0, runEnd: 0, samplesPerChunk: 0)

  /// Reads the bounds of a track's chunks. Returns `nil` if `stco` and `stsz` alone do not determine the bounds of all
  /// chunks.
  private init?(_ track: Track) {
    let locator = ChunkLocator(track)
    guard locator.hasNoLegacyAudioPackets, !locator.hasExternalChunks else { return nil }
    TablePass.chunks.begin()
    offsets = track.samples.chunkOffsets
    sizes = track.samples.sampleSizes
    entries = track.samples.sampleToChunk
    areTablesPlain = sizes.layout == .words && !offsets.isWide && track.samples.hasConsistentChunks
    cursor = ChunkCursor(track.samples)
  }

  /// Whether no chunks of the tracks overlap. The chunks of each track must be in file order. `false` means that chunks
  /// overlap, or that the bounds of some chunks are unknown.
  static func areSeparate(_ tracks: [Track]) -> Bool {
    var sources: [ChunkBounds] = []
    for track in tracks {
      guard let source = ChunkBounds(track) else { return false }
      sources.append(source)
    }
    /// A block of bounds for each track.
    var blocks = [Bounds](repeating: (0, 0), count: tracks.count * blockCount)
    var cursors = sources.indices.map { BlockCursor(block: $0 * blockCount) }
    // SAFETY: the positions of a cursor are within the block of its track, because `refill` returns at most
    // `blockCount`.
    return unsafe blocks.withUnsafeMutableBufferPointer { blocks in
      unsafe cursors.withUnsafeMutableBufferPointer { cursors in
        for index in 0..<cursors.count { unsafe cursors[index].refill(blocks, from: &sources[index]) }
        var lastEnd: UInt64 = 0
        while true {
          var (first, start, following) = (0, UInt64.max, UInt64.max)
          for index in 0..<cursors.count {
            let other = unsafe cursors[index].start
            if other < start {
              (first, start, following) = (index, other, start)
            } else {
              following = Swift.min(following, other)
            }
          }
          guard start < .max else { return true }
          // Read the chunks of this track up to the next chunk of another track. They follow each other in the file.
          var position = unsafe cursors[first].position
          let end = unsafe cursors[first].end
          repeat {
            let bounds = unsafe blocks[position]
            guard bounds.start >= lastEnd else { return false }
            lastEnd = bounds.end
            position &+= 1
            guard position < end else {
              unsafe cursors[first].refill(blocks, from: &sources[first])
              break
            }
            unsafe cursors[first].position = position
            unsafe cursors[first].start = blocks[position].start
          } while unsafe blocks[position].start < following
        }
      }
    }
  }

  /// The next bounds in the block of a track.
  private struct BlockCursor {
    /// The index at which the block begins.
    let block: Int
    var position = 0
    /// The index after the last bounds of the block.
    var end = 0
    /// The offset of the next chunk, or `UInt64.max` after the last chunk.
    var start = UInt64.max

    init(block: Int) {
      self.block = block
    }

    @unsafe
    mutating func refill(_ blocks: UnsafeMutableBufferPointer<Bounds>, from source: inout ChunkBounds) {
      position = block
      // SAFETY: `blocks` has room for `blockCount` bounds from `block` on.
      let indices = block..<block + ChunkBounds.blockCount
      let count = unsafe source.fill(UnsafeMutableBufferPointer(rebasing: blocks[indices]))
      end = block + count
      start = unsafe count > 0 ? blocks[block].start : .max
    }
  }

  /// Reads the bounds of the next chunks into a block, and returns the number of bounds.
  @unsafe
  private mutating func fill(_ block: UnsafeMutableBufferPointer<Bounds>) -> Int {
    if areTablesPlain { return unsafe fillFromPlainTables(block) }
    var count = 0
    while count < block.count, let element = cursor.next() {
      let (start, byteCount) = (offsets[element.chunk], sizes.byteCount(ofChunk: element.samples))
      let (end, overflow) = start.addingReportingOverflow(byteCount)
      guard byteCount > 0, !overflow else { continue }
      // SAFETY: the loop ends when the block is full.
      unsafe block[count] = (start, end)
      count &+= 1
    }
    return count
  }

  @unsafe
  private mutating func fillFromPlainTables(_ block: UnsafeMutableBufferPointer<Bounds>) -> Int {
    let (chunkCount, entryCount) = (offsets.count, entries.count)
    var (entry, chunk, sample, runEnd, samplesPerChunk) = next
    var count = 0
    // SAFETY: the initializers of the tables checked that their entries are within the bytes. The entries of `stsc` are
    // ascending, their chunks are in `offsets`, and `sizes` has a size for each of their samples
    // (``SampleTable/hasConsistentChunks``). The loop ends when the block is full.
    unsafe offsets.payload.withUnsafeBytes { offsets in
      unsafe sizes.payload.withUnsafeBytes { sizes in
        unsafe entries.payload.withUnsafeBytes { entries in
          while count < block.count, chunk < chunkCount {
            if chunk == runEnd {
              let position = 8 &+ entry &* 12
              samplesPerChunk = Int(
                UInt32(bigEndian: unsafe entries.loadUnaligned(fromByteOffset: position &+ 4, as: UInt32.self)))
              entry &+= 1
              runEnd =
                entry < entryCount
                ? Int(UInt32(bigEndian: unsafe entries.loadUnaligned(fromByteOffset: position &+ 12, as: UInt32.self)))
                  &- 1 : chunkCount
            }
            let start = UInt64(
              UInt32(bigEndian: unsafe offsets.loadUnaligned(fromByteOffset: 8 &+ chunk &* 4, as: UInt32.self)))
            var end = start
            let lastSample = sample &+ samplesPerChunk
            while sample < lastSample {
              let size = unsafe sizes.loadUnaligned(fromByteOffset: 12 &+ sample &* 4, as: UInt32.self)
              end &+= UInt64(UInt32(bigEndian: size))  // The table has fewer than 2³² sizes of 32 bits.
              sample &+= 1
            }
            unsafe block[count] = (start, end)
            count &+= end > start ? 1 : 0
            chunk &+= 1
          }
        }
      }
    }
    next = (entry, chunk, sample, runEnd, samplesPerChunk)
    return count
  }
}
