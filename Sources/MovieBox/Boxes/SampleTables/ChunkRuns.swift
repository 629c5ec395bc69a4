/// The runs of `stsc`, in order, cut to the chunks that there are.
///
/// Whatever the entries say, the runs follow one another from chunk 0 on and none passes the last chunk: an entry that
/// begins before the one it follows takes over at once, the first entry also has the chunks before its own first.
struct ChunkRuns: Sequence, IteratorProtocol {
  struct Run {
    /// Counted from 0; may be empty.
    let chunks: Range<Int>
    let samplesPerChunk: Int
    let sampleDescriptionIndex: UInt32

    /// How many samples the run holds; `nil` when the number does not fit an `Int`.
    var sampleCount: Int? {
      let (product, overflow) = chunks.count.multipliedReportingOverflow(by: samplesPerChunk)
      return overflow ? nil : product
    }
  }

  private let table: SampleToChunkTable
  private let chunkCount: Int
  private var entry = 0
  private var chunk = 0

  init(_ table: SampleToChunkTable, chunkCount: Int) {
    self.table = table
    self.chunkCount = chunkCount
  }

  mutating func next() -> Run? {
    guard entry < table.count, chunk < chunkCount else { return nil }
    let start = chunk
    let current = table[entry]
    entry += 1
    let following = entry < table.count ? Int(table[entry].firstChunk) - 1 : chunkCount
    chunk = Swift.min(Swift.max(start, following), chunkCount)
    return Run(
      chunks: start..<chunk, samplesPerChunk: Int(current.samplesPerChunk),
      sampleDescriptionIndex: current.sampleDescriptionIndex)
  }
}

/// Walks the chunks and tells which samples each holds, without looking at the samples' sizes.
struct ChunkCursor {
  struct Place {
    let chunk: Int
    let samples: Range<Int>
    let sampleDescriptionIndex: UInt32
  }

  private var runs: ChunkRuns
  private var run: ChunkRuns.Run?
  private var chunk = 0
  private var sample = 0
  private let sampleCount: Int

  init(_ table: SampleTable) {
    runs = ChunkRuns(table.sampleToChunk, chunkCount: table.chunkCount)
    run = runs.next()
    sampleCount = table.sampleCount
  }

  /// The next chunk; `nil` after the last, or when a chunk that should hold samples finds none left.
  mutating func next() -> Place? {
    while let current = run, chunk >= current.chunks.upperBound { run = runs.next() }
    guard let run else { return nil }
    let left = sampleCount - sample
    guard left > 0 || run.samplesPerChunk == 0 else { return nil }
    let end = sample + min(run.samplesPerChunk, left)
    defer {
      chunk += 1
      sample = end
    }
    return Place(chunk: chunk, samples: sample..<end, sampleDescriptionIndex: run.sampleDescriptionIndex)
  }
}
