import MovieBox

extension SubtitleMedia {
  /// The samples in chunks, the first of which begins at `start`: all in one, or each chunk with the samples that begin
  /// less than `duration` ticks after its first.
  func chunks(from start: UInt32, lasting duration: UInt32?) -> [ChunkPlace] {
    guard !sampleSizes.isEmpty else { return [] }
    guard let duration else {
      return [ChunkPlace(offset: UInt64(start), sampleCount: UInt32(clamping: sampleSizes.count))]
    }
    var chunks: [ChunkPlace] = []
    var chunk = (offset: UInt64(start), sampleCount: UInt32(0), ticks: UInt64(0))
    var durations = durationRuns.lazy.flatMap { repeatElement($0.duration, count: Int($0.sampleCount)) }.makeIterator()
    var offset = UInt64(start)
    for size in sampleSizes {
      if chunk.sampleCount > 0, chunk.ticks >= UInt64(duration) {
        chunks.append(ChunkPlace(offset: chunk.offset, sampleCount: chunk.sampleCount))
        chunk = (offset, 0, 0)
      }
      chunk.sampleCount += 1
      chunk.ticks += UInt64(durations.next() ?? 0)
      offset &+= UInt64(size)  // Of media in memory.
    }
    chunks.append(ChunkPlace(offset: chunk.offset, sampleCount: chunk.sampleCount))
    return chunks
  }
}
