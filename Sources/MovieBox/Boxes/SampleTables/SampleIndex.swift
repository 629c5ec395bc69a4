/// The samples of a track with their bytes and times, in decoding order.
///
/// Holds the samples that `stsz` has and that `stsc` places in a chunk of `stco`; where the tables disagree that is
/// fewer than one of them claims. A walk costs a few steps a sample.
///
/// A track of uncompressed sound may claim billions of samples in a few bytes of tables: walk ``SampleTable/chunks``
/// where chunks will do.
package struct SampleIndex: Sequence, Sendable {
  private let table: SampleTable

  /// The samples of a track with these tables.
  package init(_ table: SampleTable) {
    self.table = table
  }

  /// A walk from the first sample.
  package func makeIterator() -> Iterator {
    TablePass.samples.begin()
    return Iterator(table)
  }

  /// Calls `body` with each sample. What a loop does, without a copy of each: of 800 000 that is felt.
  package func forEach(_ body: (Sample) throws(MovieError) -> Void) throws(MovieError) {
    var samples = makeIterator()
    while let sample = samples.next() { try body(sample) }
  }

  /// Calls `body` with each sample that can be decoded on its own: its number, when it is shown and how long it lasts.
  ///
  /// Where these are listed, the others cost a step for each run of times.
  ///
  /// - Parameter count: how many samples a walk has.
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
    var passed = 0
    // Passes over numbers that are out of order, and ends at one beyond the samples, as the walk does.
    for number in listed where number > passed {
      guard number <= count else { break }
      let index = Int(number) - 1
      let duration = durations.value(after: index - passed) ?? 0
      let offset = Int64(Int32(bitPattern: offsets?.value(after: index - passed) ?? 0))
      passed = index + 1
      try body(
        index, Sample.presentationTime(decodedAt: decodeTimes.decodeTime(of: index), offset: offset), duration)
    }
  }
}

extension SampleIndex {
  /// Walks the samples.
  package struct Iterator: IteratorProtocol {
    private let offsets: ChunkOffsetTable
    private let sizes: SampleSizeTable
    private let syncSamples: SyncSampleTable?
    private let areAllSync: Bool
    private var chunks: ChunkCursor
    private var durations: RunLengthCursor
    private var compositionOffsets: RunLengthCursor?
    private var chunk: ChunkCursor.Place?
    /// The number of the next sample.
    private var index = 0
    /// The position of the next sample; `nil` beyond 64 bits.
    private var offset: UInt64?
    private var decodeTime: UInt64 = 0
    private var syncEntry = 0
    /// The number of the next sample that `stss` lists; -1 where there is none.
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

    /// The next sample, `nil` after the last.
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

    /// Passes over numbers that are out of order.
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
