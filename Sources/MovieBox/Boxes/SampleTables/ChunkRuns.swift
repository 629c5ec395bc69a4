// In a file of its own: beside `SampleToChunkTable` the optimizer inlines `pass` into its callers, which costs 3 % of the
// instructions of an edit (a movie of three hours, callgrind).

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

    /// The number of samples of the run; `nil` if it does not fit an `Int`.
    var sampleCount: Int? {
      let (product, overflow) = chunks.count.multipliedReportingOverflow(by: samplesPerChunk)
      return overflow ? nil : product
    }
  }

  private let table: SampleToChunkTable
  private let chunkCount: Int
  private var entry = 0
  private var chunk = 0
  /// The entry at `entry`, read for the bound of the run before it; `nil` past the last.
  private var following: SampleToChunkTable.Entry?

  init(_ table: SampleToChunkTable, chunkCount: Int) {
    self.table = table
    self.chunkCount = chunkCount
    following = table.first
  }

  @inline(__always)
  mutating func next() -> Run? {
    guard let current = following, chunk < chunkCount else { return nil }
    let start = chunk
    entry &+= 1
    following = entry < table.count ? table[entry] : nil
    let end = following.map { Int($0.firstChunk) - 1 } ?? chunkCount
    chunk = Swift.min(Swift.max(start, end), chunkCount)
    return Run(
      chunks: start..<chunk, samplesPerChunk: Int(current.samplesPerChunk),
      sampleDescriptionIndex: current.sampleDescriptionIndex)
  }

  /// Passes over the next runs as far as they end no later than a chunk, and hold no more than `most` samples together;
  /// gives how many chunks and samples they hold. Stops at entries that are out of order.
  ///
  /// Programs that start a chunk whenever tracks alternate write an entry for every second chunk.
  mutating func pass(upTo wanted: Int, most: Int = .max) -> (chunks: Int, samples: Int) {
    let start = chunk
    var samples: UInt64 = 0
    var next = entry
    var end = chunk
    let limit = Swift.min(wanted, chunkCount)
    // SAFETY: the table's initialiser made sure that `count` entries of 12 bytes follow the first 8.
    unsafe table.payload.withUnsafeBytes { buffer in
      while next &+ 1 < table.count {
        let place = 8 &+ next &* 12
        let following = Int(
          UInt32(bigEndian: unsafe buffer.loadUnaligned(fromByteOffset: place &+ 12, as: UInt32.self)))
        guard following &- 1 >= end, following &- 1 <= limit else { return }
        let each = UInt64(UInt32(bigEndian: unsafe buffer.loadUnaligned(fromByteOffset: place &+ 4, as: UInt32.self)))
        let (sum, overflow) = samples.addingReportingOverflow(UInt64(following &- 1 &- end) &* each)
        guard !overflow, sum <= UInt64(most) else { return }
        (samples, end, next) = (sum, following &- 1, next &+ 1)
      }
    }
    guard next > entry else { return (0, 0) }
    (entry, chunk) = (next, end)
    following = table[next]
    return (end - start, Int(samples))
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

  /// Passes over the chunks before one, run by run.
  mutating func skip(to wanted: Int) {
    while chunk < wanted {
      if run.map({ chunk == $0.chunks.upperBound }) ?? false {
        let passed = runs.pass(upTo: wanted, most: sampleCount &- sample)
        chunk &+= passed.chunks
        sample &+= passed.samples
        run = runs.next()
        if passed.chunks > 0 { continue }
      }
      while let current = run, chunk >= current.chunks.upperBound { run = runs.next() }
      guard let run else { return }
      let count = Swift.min(run.chunks.upperBound, wanted) &- chunk
      let (samples, overflow) = count.multipliedReportingOverflow(by: run.samplesPerChunk)
      let left = sampleCount &- sample
      guard !overflow, samples <= left else {
        // Where samples run out, chunk by chunk, once.
        while chunk < wanted, next() != nil {}
        return
      }
      sample &+= samples
      chunk &+= count
    }
  }

  /// The next chunk; `nil` after the last, or when a chunk that should hold samples finds none left.
  @inline(__always)
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
