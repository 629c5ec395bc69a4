/// The samples of a track with their bytes and times, in decoding order.
///
/// Holds the samples that `stsz` has and that `stsc` places in a chunk of `stco`; where the tables disagree that is
/// fewer than one of them claims. A walk costs a few steps a sample; a look-up a pass over the run-length
/// tables, plus the sizes of the samples before it in its chunk.
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

  /// The sample at `index`, counted from 0; `nil` when there is none or no chunk holds it.
  package func sample(at index: Int) -> Sample? {
    guard index >= 0, index < table.sampleCount, let place = place(of: index) else { return nil }
    let start = table.chunkOffsets[place.chunk].addingReportingOverflow(
      table.sampleSizes.byteCount(of: place.firstSample..<index))
    let size = UInt64(table.sampleSizes[index])
    let time = time(of: index)
    return Sample(
      index: index, byteRange: start.overflow ? nil : ByteRange(offset: start.partialValue, count: size),
      decodeTime: time.start, duration: time.duration, compositionOffset: compositionOffset(of: index),
      isSync: isSync(index), chunkIndex: place.chunk, sampleDescriptionIndex: place.sampleDescriptionIndex)
  }

  /// The sample that is decoded at `time` or began before it and lasts beyond it, in ticks of the media; `nil` past the
  /// end. A sample of no duration is never found.
  package func sample(atDecodeTime time: UInt64) -> Sample? {
    var start: UInt64 = 0
    var first: UInt64 = 0
    for entry in table.timeToSample {
      let (count, duration) = (UInt64(entry.sampleCount), UInt64(entry.duration))
      if duration > 0 {
        let steps = (time - start) / duration
        if steps < count {
          return Int(exactly: first &+ steps).flatMap(sample(at:))  // See TimeToSampleTable.sampleCount.
        }
      }
      start += count &* duration  // At most `time`, since `steps` is at least `count`.
      first &+= count
    }
    return nil
  }

  private struct Place {
    let chunk: Int
    let firstSample: Int
    let sampleDescriptionIndex: UInt32
  }

  private func place(of index: Int) -> Place? {
    var first = 0
    for run in ChunkRuns(table.sampleToChunk, chunkCount: table.chunkCount) where run.samplesPerChunk > 0 {
      let count = run.sampleCount ?? .max
      if index - first < count {
        let chunk = (index - first) / run.samplesPerChunk
        return Place(
          chunk: run.chunks.lowerBound + chunk, firstSample: first + chunk * run.samplesPerChunk,
          sampleDescriptionIndex: run.sampleDescriptionIndex)
      }
      first += count  // At most `index`.
    }
    return nil
  }

  private func time(of index: Int) -> (start: UInt64, duration: UInt32) {
    var start: UInt64 = 0
    var left = UInt64(index)
    for entry in table.timeToSample {
      let steps = Swift.min(left, UInt64(entry.sampleCount))
      start = start.addingClamped(steps &* UInt64(entry.duration))  // A product of two 32-bit numbers.
      left -= steps
      if steps < UInt64(entry.sampleCount) { return (start, entry.duration) }
    }
    return (start, 0)
  }

  private func compositionOffset(of index: Int) -> Int64 {
    guard let compositionOffsets = table.compositionOffsets else { return 0 }
    var left = UInt64(index)
    for entry in compositionOffsets {
      if left < UInt64(entry.sampleCount) { return Int64(entry.offset) }
      left -= UInt64(entry.sampleCount)
    }
    return 0
  }

  private func isSync(_ index: Int) -> Bool {
    guard let syncSamples = table.syncSamples else { return true }
    return syncSamples.first { Int($0) > index }.map { Int($0) == index + 1 } ?? false
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
    /// Where the next sample begins; `nil` beyond 64 bits.
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
