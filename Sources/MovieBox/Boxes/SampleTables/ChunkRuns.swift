// If this type were in the file of `SampleToChunkTable`, the optimizer would inline `skipRuns` into its callers. The
// inlining would cost 3 % of the instructions of an edit (a movie of three hours, measured with callgrind).

/// The runs of `stsc` in order. They contain only chunks that exist.
///
/// Invalid entries are corrected, so the runs are contiguous from chunk 0 to the last chunk. An entry that begins
/// before the previous entry takes effect at the next chunk. The first entry also applies to any chunks before it.
struct ChunkRuns: Sequence, IteratorProtocol {
  struct Run {
    /// The chunks, counted from 0. The range may be empty.
    let chunks: Range<Int>
    let samplesPerChunk: Int
    let sampleDescriptionIndex: UInt32

    /// The number of samples in the run, or `nil` if it overflows.
    var sampleCount: Int? {
      let (product, overflow) = chunks.count.multipliedReportingOverflow(by: samplesPerChunk)
      return overflow ? nil : product
    }
  }

  private let table: SampleToChunkTable
  private let chunkCount: Int
  private var entryIndex = 0
  private var chunk = 0
  /// The entry at index `entryIndex`, or `nil` after the last entry. The preceding run ends before the entry's first
  /// chunk.
  private var followingEntry: SampleToChunkTable.Entry?

  init(_ table: SampleToChunkTable, chunkCount: Int) {
    self.table = table
    self.chunkCount = chunkCount
    followingEntry = table.first
  }

  @inline(__always)
  mutating func next() -> Run? {
    guard let current = followingEntry, chunk < chunkCount else { return nil }
    let start = chunk
    entryIndex &+= 1
    followingEntry = entryIndex < table.count ? table[entryIndex] : nil
    let end = followingEntry.map { Int($0.firstChunk) - 1 } ?? chunkCount
    chunk = Swift.min(Swift.max(start, end), chunkCount)
    return Run(
      chunks: start..<chunk, samplesPerChunk: Int(current.samplesPerChunk),
      sampleDescriptionIndex: current.sampleDescriptionIndex)
  }

  /// Skips whole runs that end at or before chunk `endChunk` and contain at most `sampleLimit` samples in total.
  /// Returns the numbers of skipped chunks and samples. Stops at an entry that is out of order.
  ///
  /// Some writers create an entry for every second chunk. Skipping many runs in one call is therefore faster than
  /// iterating.
  mutating func skipRuns(upTo endChunk: Int, sampleLimit: Int = .max) -> (chunks: Int, samples: Int) {
    let start = chunk
    var samples: UInt64 = 0
    var next = entryIndex
    var end = chunk
    let limit = Swift.min(endChunk, chunkCount)
    // SAFETY: the initializer of the table checked that `count` entries of 12 bytes follow the first 8 bytes.
    unsafe table.payload.withUnsafeBytes { buffer in
      while next &+ 1 < table.count {
        let position = 8 &+ next &* 12
        let followingEntry = Int(
          UInt32(bigEndian: unsafe buffer.loadUnaligned(fromByteOffset: position &+ 12, as: UInt32.self)))
        guard followingEntry &- 1 >= end, followingEntry &- 1 <= limit else { return }
        let each = UInt64(
          UInt32(bigEndian: unsafe buffer.loadUnaligned(fromByteOffset: position &+ 4, as: UInt32.self)))
        let (sum, overflow) = samples.addingReportingOverflow(UInt64(followingEntry &- 1 &- end) &* each)
        guard !overflow, sum <= UInt64(sampleLimit) else { return }
        (samples, end, next) = (sum, followingEntry &- 1, next &+ 1)
      }
    }
    guard next > entryIndex else { return (0, 0) }
    (entryIndex, chunk) = (next, end)
    followingEntry = table[next]
    return (end - start, Int(samples))
  }

  /// Continues with the entry that contains chunk `target`, and returns the number of samples before the entry's first
  /// chunk. Returns `nil` without a change if the chunk is not close enough to the last entry, or if the entries are
  /// not valid.
  mutating func moveFromEnd(to target: Int, _ facts: SampleTableFacts) -> (chunk: Int, samples: UInt64)? {
    guard target < chunkCount else { return nil }
    let index = table.partitioningIndex { Int($0.firstChunk) > target &+ 1 } - 1
    guard index > entryIndex, table.count - index < index - entryIndex else { return nil }
    let summary = facts.summary(of: table)
    guard let total = summary.sampleCountBeforeLast, Int(summary.lastFirstChunk) <= chunkCount else { return nil }
    var following: UInt64 = 0
    for next in index..<table.count - 1 {
      let (current, end) = (table[next], table[next + 1].firstChunk)
      following &+= UInt64(end &- current.firstChunk) &* UInt64(current.samplesPerChunk)  // A part of the total.
    }
    (entryIndex, chunk, followingEntry) = (index, Int(table[index].firstChunk) - 1, table[index])
    return (chunk, total - following)
  }
}

/// A cursor over the chunks of a track. It counts the samples of each chunk, but does not read sample sizes.
struct ChunkCursor {
  struct Element {
    let chunk: Int
    let samples: Range<Int>
    let sampleDescriptionIndex: UInt32
  }

  private let facts: SampleTableFacts
  private var runs: ChunkRuns
  private var run: ChunkRuns.Run?
  private var chunk = 0
  private var sample = 0
  private let sampleCount: Int

  init(_ table: SampleTable) {
    facts = table.facts
    runs = ChunkRuns(table.sampleToChunk, chunkCount: table.chunkCount)
    run = runs.next()
    sampleCount = table.sampleCount
  }

  /// The number of chunks that are skipped run by run, because a search for their entry would not be faster.
  private static var shortDistance: Int { 1024 }

  /// Skips the chunks before chunk `firstChunk`, run by run.
  mutating func skip(to firstChunk: Int) {
    if firstChunk &- chunk > Self.shortDistance { skipNearEnd(to: firstChunk) }
    while chunk < firstChunk {
      if run.map({ chunk == $0.chunks.upperBound }) ?? false {
        let passed = runs.skipRuns(upTo: firstChunk, sampleLimit: sampleCount &- sample)
        chunk &+= passed.chunks
        sample &+= passed.samples
        run = runs.next()
        if passed.chunks > 0 { continue }
      }
      while let current = run, chunk >= current.chunks.upperBound { run = runs.next() }
      guard let run else { return }
      let count = Swift.min(run.chunks.upperBound, firstChunk) &- chunk
      let (samples, overflow) = count.multipliedReportingOverflow(by: run.samplesPerChunk)
      let left = sampleCount &- sample
      guard !overflow, samples <= left else {
        // `stsz` lists fewer samples than the run contains, so advance chunk by chunk within the run.
        while chunk < firstChunk, next() != nil {}
        return
      }
      sample &+= samples
      chunk &+= count
    }
  }

  /// Skips all runs before the run that contains chunk `firstChunk`. Counts the skipped samples from the end of the
  /// tables. Does nothing if `firstChunk` is far from the end, or if `stsz` has too few samples.
  private mutating func skipNearEnd(to firstChunk: Int) {
    var target = runs
    guard let (start, samples) = target.moveFromEnd(to: firstChunk, facts),
      let skipped = Int(exactly: samples), skipped <= sampleCount
    else { return }
    (runs, chunk, sample) = (target, start, skipped)
    run = runs.next()
  }

  /// Returns the next chunk, or `nil` if no chunks or no samples remain.
  @inline(__always)
  mutating func next() -> Element? {
    while let current = run, chunk >= current.chunks.upperBound { run = runs.next() }
    guard let run else { return nil }
    let remainingCount = sampleCount - sample
    guard remainingCount > 0 || run.samplesPerChunk == 0 else { return nil }
    let end = sample + min(run.samplesPerChunk, remainingCount)
    defer {
      chunk += 1
      sample = end
    }
    return Element(chunk: chunk, samples: sample..<end, sampleDescriptionIndex: run.sampleDescriptionIndex)
  }
}
