import MovieBox

/// A chunk as the sample tables have it: samples that lie one after the other.
struct ChunkPlace: Hashable, Sendable {
  /// Where the first of them begins in the file as it is.
  let offset: UInt64
  var sampleCount: UInt32
  /// Counted from 1.
  let sampleDescriptionIndex: UInt32
}

// The atoms that list all chunks of a track. `head` is version and flags, `tail` what follows the entries.
extension [ChunkPlace] {
  /// `stsc`: runs of chunks with as many samples of the same description (ISO/IEC 14496-12 8.7.4).
  func sampleToChunk(head: Bytes, tail: Bytes = Bytes()) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("stsc") { stsc in
      stsc.write(head)
      let start = stsc.bytes.count
      stsc.write(UInt32(0))
      var entryCount: UInt32 = 0
      var last: ChunkPlace?
      for (index, chunk) in enumerated() {
        if let last, last.sampleCount == chunk.sampleCount,
          last.sampleDescriptionIndex == chunk.sampleDescriptionIndex
        {
          continue
        }
        last = chunk
        entryCount += 1
        stsc.write(UInt32(clamping: index + 1))
        stsc.write(chunk.sampleCount)
        stsc.write(chunk.sampleDescriptionIndex)
      }
      stsc.patch(entryCount, at: start)
      stsc.write(tail)
    }
    return writer.take()
  }

  /// `co64` when asked for or where an offset needs it, else `stco` (8.7.5).
  func chunkOffsets(
    wide isWanted: Bool, head: Bytes, tail: Bytes = Bytes()
  ) -> (type: FourCC, atom: [UInt8]) {
    let isWide = isWanted || contains { $0.offset > UInt64(UInt32.max) }
    let type: FourCC = isWide ? "co64" : "stco"
    var writer = ByteWriter()
    writer.atom(type) { table in
      table.write(head)
      table.write(UInt32(clamping: count))
      for chunk in self {
        if isWide { table.write(chunk.offset) } else { table.write(UInt32(truncatingIfNeeded: chunk.offset)) }
      }
      table.write(tail)
    }
    return (type, writer.take())
  }
}
