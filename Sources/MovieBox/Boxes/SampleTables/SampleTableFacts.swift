import Synchronization

/// Values that are computed from all entries of a track's sample tables at the first use.
///
/// A film of three hours may have a chunk for every sample, so a pass over a table costs as much as the rest of a
/// command. Tables never change, so copies of a ``SampleTable`` share the values, and each pass is made once.
final class SampleTableFacts: Sendable {
  private struct Values {
    var chunkRuns: SampleToChunkTable.Summary?
    var sizeBound: UInt32?
    var blockBounds: [ClosedRange<UInt64>]?
  }

  private let values = Mutex(Values())

  /// Returns the summary of the track's `stsc`.
  func summary(of table: SampleToChunkTable) -> SampleToChunkTable.Summary {
    values.withLock { values in
      if let summary = values.chunkRuns { return summary }
      let summary = table.summary
      values.chunkRuns = summary
      return summary
    }
  }

  /// Returns an upper bound for the sizes in the track's `stsz`.
  func sizeBound(of table: SampleSizeTable) -> UInt32 {
    values.withLock { values in
      if let size = values.sizeBound { return size }
      let size = table.sizeBound
      values.sizeBound = size
      return size
    }
  }

  /// Returns the bounds of each block of the track's chunk offsets.
  func blockBounds(of table: ChunkOffsetTable) -> [ClosedRange<UInt64>] {
    values.withLock { values in
      if let bounds = values.blockBounds { return bounds }
      let bounds = table.blockBounds
      values.blockBounds = bounds
      return bounds
    }
  }
}

extension SampleTableFacts: Hashable {
  /// The values are derived from the tables, so they never make two tables different.
  static func == (left: SampleTableFacts, right: SampleTableFacts) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension SampleTable {
  /// Computes all ``facts``.
  func computeFacts() {
    _ = facts.summary(of: sampleToChunk)
    _ = facts.sizeBound(of: sampleSizes)
    _ = facts.blockBounds(of: chunkOffsets)
  }

  /// Calls `body` with each block of chunks and its smallest and largest offset, until `body` returns `false`.
  ///
  /// Most searches can exclude a whole block by its smallest and largest offset.
  package func forEachChunkBlock(_ body: (_ chunks: Range<Int>, _ bounds: ClosedRange<UInt64>) -> Bool) {
    for (block, bounds) in facts.blockBounds(of: chunkOffsets).enumerated() {
      let start = block &* ChunkOffsetTable.blockCount
      guard body(start..<Swift.min(chunkCount, start &+ ChunkOffsetTable.blockCount), bounds) else { return }
    }
  }
}

extension SampleTable {
  /// The number of samples that `stsc` assigns to the chunks, or `nil` if it overflows.
  var assignedSampleCount: Int? {
    let summary = facts.summary(of: sampleToChunk)
    if let last = sampleToChunk.last, let before = summary.sampleCountBeforeLast, Int(last.firstChunk) <= chunkCount {
      let count = UInt64(chunkCount - Int(last.firstChunk) + 1) * UInt64(last.samplesPerChunk)  // Both have 32 bits.
      let (sum, overflow) = before.addingReportingOverflow(count)
      return overflow ? nil : Int(exactly: sum)
    }
    var sum = 0
    for run in ChunkRuns(sampleToChunk, chunkCount: chunkCount) {
      guard let count = run.sampleCount else { return nil }
      let (next, overflow) = sum.addingReportingOverflow(count)
      if overflow { return nil }
      sum = next
    }
    return sum
  }

  /// The number of samples that belong to a chunk. An iteration over ``samples`` visits only these samples.
  var placedSampleCount: Int { assignedSampleCount.map { Swift.min($0, sampleCount) } ?? sampleCount }

  /// Whether the entries of `stsc` are in order, every chunk in `stco` belongs to an entry, and `stsz` has a size for
  /// every sample of the chunks.
  var hasConsistentChunks: Bool {
    let summary = facts.summary(of: sampleToChunk)
    guard summary.isAscending, Int(summary.lastFirstChunk) <= chunkCount, let assigned = assignedSampleCount else {
      return false
    }
    return assigned <= sampleCount
  }
}
