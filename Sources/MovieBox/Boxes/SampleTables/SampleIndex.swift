/// The samples of a track with their byte ranges and times, in decoding order.
///
/// The index contains the samples that `stsz` lists and `stsc` assigns to a chunk of `stco`. If the tables disagree,
/// the index contains only the samples that all tables contain.
///
/// Use ``SampleTable/chunks`` instead if you do not need single samples. A track of uncompressed audio may declare
/// billions of samples in small tables.
package struct SampleIndex: Sequence, Sendable {
  private let table: SampleTable

  /// Creates the index for the tables of a track.
  package init(_ table: SampleTable) {
    self.table = table
  }

  /// Returns an iterator at the first sample.
  package func makeIterator() -> Iterator {
    TablePass.samples.begin()
    return Iterator(table)
  }

  /// Calls `body` with each sample. A `for` loop would copy each sample. Copying 800 000 samples takes noticeable time.
  package func forEach(_ body: (Sample) throws(MovieError) -> Void) throws(MovieError) {
    var samples = makeIterator()
    while let sample = samples.next() { try body(sample) }
  }

  /// Calls `body` with the index, presentation time and duration of each sync sample.
  ///
  /// If the track has a sync sample table, the samples between sync samples are not visited: each run of the tables is
  /// skipped in one step.
  ///
  /// - Parameter count: the number of samples in the track. Larger sync sample numbers are ignored.
  package func forEachSync(
    of count: Int, _ body: (_ index: Int, _ presentationTime: Int64, _ duration: UInt32) throws(MovieError) -> Void
  ) throws(MovieError) {
    guard let listed = table.syncSamples else {
      return try forEach { sample throws(MovieError) in
        try body(sample.index, sample.presentationTime, sample.duration)
      }
    }
    var decodeTimes = DecodeTimeCursor(table.timeToSample)
    var durations = RunLengthCursor(table.timeToSample)
    var offsets = table.compositionOffsets.map { RunLengthCursor($0) }
    var passedCount = 0
    // Sync sample numbers that are out of order are skipped. A number beyond the last sample ends the loop.
    for number in listed where number > passedCount {
      guard number <= count else { break }
      let index = Int(number) - 1
      let duration = durations.value(after: index - passedCount) ?? 0
      let offset = Int64(Int32(bitPattern: offsets?.value(after: index - passedCount) ?? 0))
      passedCount = index + 1
      try body(
        index, Sample.presentationTime(decodedAt: decodeTimes.decodeTime(of: index), offset: offset), duration)
    }
  }
}

extension SampleIndex {
  package struct Iterator: IteratorProtocol, Sendable {
    private let offsets: ChunkOffsetTable
    private let sizes: SampleSizeTable
    private let syncSamples: SyncSampleTable?
    private let areAllSync: Bool
    private var chunks: ChunkCursor
    private var durations: RunLengthCursor
    private var compositionOffsets: RunLengthCursor?
    private var chunk: ChunkCursor.Element?
    /// The index of the next sample.
    private var index = 0
    /// The offset of the next sample, or `nil` if it overflows.
    private var offset: UInt64?
    private var decodeTime: UInt64 = 0
    private var syncEntry = 0
    /// The index of the next sync sample, or -1 if there is none.
    private var nextSync = -1

    init(_ table: SampleTable) {
      offsets = table.chunkOffsets
      sizes = table.sampleSizes
      syncSamples = table.syncSamples
      areAllSync = table.syncSamples == nil
      chunks = ChunkCursor(table)
      durations = RunLengthCursor(table.timeToSample)
      compositionOffsets = table.compositionOffsets.map { RunLengthCursor($0) }
      enterNextChunk()
      findNextSync(from: 0)
    }

    /// Returns the next sample, or `nil` after the last.
    @inline(__always)
    package mutating func next() -> Sample? {
      while let current = chunk, index >= current.samples.upperBound { enterNextChunk() }
      guard let chunk else { return nil }
      let byteRange = offset.flatMap { ByteRange(offset: $0, count: UInt64(sizes.size(at: index))) }
      let duration = durations.next() ?? 0
      let isListed = nextSync == index
      if isListed { findNextSync(from: index + 1) }
      let sample = Sample(
        index: index, byteRange: byteRange, decodeTime: decodeTime, duration: duration,
        compositionOffset: Int64(Int32(bitPattern: compositionOffsets?.next() ?? 0)), isSync: isListed || areAllSync,
        chunkIndex: chunk.chunk, sampleDescriptionIndex: chunk.sampleDescriptionIndex)
      index &+= 1
      offset = byteRange?.end
      decodeTime = decodeTime.addingClamped(UInt64(duration))
      return sample
    }

    private mutating func enterNextChunk() {
      chunk = chunks.next()
      offset = chunk.map { offsets[$0.chunk] }
    }

    /// Finds the next sync sample at or after `first`. Sync sample numbers that are out of order are skipped.
    private mutating func findNextSync(from first: Int) {
      nextSync = -1
      guard let syncSamples else { return }
      while syncEntry < syncSamples.count, nextSync < first {
        nextSync = Int(syncSamples[syncEntry]) - 1
        syncEntry += 1
      }
      if nextSync < first { nextSync = -1 }
    }
  }
}
