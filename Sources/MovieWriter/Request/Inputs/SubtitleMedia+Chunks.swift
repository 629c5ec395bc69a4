import MovieBox

/// Samples that lie one after the other.
struct SampleChunk: Hashable, Sendable {
  /// Where the first lies; the samples of a movie's edit are fewer bytes than 4 GiB.
  let offset: UInt32
  let sampleCount: UInt32
  /// The number of the samples' description, from 1.
  var descriptionIndex: UInt32 = 1

  /// Whether an entry of `stsc` holds for both.
  func isDescribed(like other: SampleChunk) -> Bool {
    sampleCount == other.sampleCount && descriptionIndex == other.descriptionIndex
  }
}

extension SubtitleMedia {
  /// The samples in chunks, the first of which begins at `start`: all in one, or each chunk with the samples that begin
  /// less than `duration` ticks after its first.
  func chunks(from start: UInt32, lasting duration: UInt32?) -> [SampleChunk] {
    guard !sampleSizes.isEmpty else { return [] }
    guard let duration else { return [SampleChunk(offset: start, sampleCount: UInt32(clamping: sampleSizes.count))] }
    var chunks: [SampleChunk] = []
    var chunk = (offset: start, sampleCount: UInt32(0), ticks: UInt64(0))
    var durations = durationRuns.lazy.flatMap { repeatElement($0.duration, count: Int($0.sampleCount)) }.makeIterator()
    var offset = start
    for size in sampleSizes {
      if chunk.sampleCount > 0, chunk.ticks >= UInt64(duration) {
        chunks.append(SampleChunk(offset: chunk.offset, sampleCount: chunk.sampleCount))
        chunk = (offset, 0, 0)
      }
      chunk.sampleCount += 1
      chunk.ticks += UInt64(durations.next() ?? 0)
      offset &+= size
    }
    chunks.append(SampleChunk(offset: chunk.offset, sampleCount: chunk.sampleCount))
    return chunks
  }
}
