/// The tables that say where a track's samples lie and when they are shown (`stbl`), joined.
///
///     let table = SampleTable(
///       timeToSample: stts, compositionOffsets: nil, sampleToChunk: stsc, sampleSizes: stsz, chunkOffsets: stco,
///       syncSamples: nil)
///     for chunk in table.chunks { print(chunk.offset, chunk.byteCount) }
///     for sample in table.samples.prefix(12) { print(sample.decodeTime) }
///
/// Tables of a broken file may contradict one another. Everything here then stays within what all of them cover, and
/// ``inconsistencies(sampleDescriptionCount:)`` says what is wrong.
package struct SampleTable: Hashable, Sendable {
  /// How long each sample lasts (`stts`).
  package let timeToSample: TimeToSampleTable
  /// How far presentation lies from decoding (`ctts`); absent where the two are the same.
  package let compositionOffsets: CompositionOffsetTable?
  /// How samples are gathered in chunks (`stsc`).
  package let sampleToChunk: SampleToChunkTable
  /// The size of each sample (`stsz` or `stz2`).
  package let sampleSizes: SampleSizeTable
  /// Where the chunks are (`stco` or `co64`).
  package let chunkOffsets: ChunkOffsetTable
  /// Which samples can be decoded on their own (`stss`); absent where all can.
  package let syncSamples: SyncSampleTable?

  /// Joins the tables of one track.
  package init(
    timeToSample: TimeToSampleTable, compositionOffsets: CompositionOffsetTable?, sampleToChunk: SampleToChunkTable,
    sampleSizes: SampleSizeTable, chunkOffsets: ChunkOffsetTable, syncSamples: SyncSampleTable?
  ) {
    self.timeToSample = timeToSample
    self.compositionOffsets = compositionOffsets
    self.sampleToChunk = sampleToChunk
    self.sampleSizes = sampleSizes
    self.chunkOffsets = chunkOffsets
    self.syncSamples = syncSamples
  }

  /// How many samples there are, as `stsz` says. Where all sizes are equal, no table entries back this number.
  package var sampleCount: Int { sampleSizes.count }

  /// How many chunks there are, as `stco` says.
  package var chunkCount: Int { chunkOffsets.count }

  /// The sum of all durations in ticks of the media; `nil` when it does not fit in 64 bits.
  ///
  /// Costs one pass over `stts`.
  package var mediaDuration: UInt64? { timeToSample.totalDuration }

  /// When the last sample to be shown ends, in ticks of the media: after ``mediaDuration`` where samples are shown
  /// later than they are decoded, never before it; `nil` when it does not fit in 64 bits.
  ///
  /// Costs one pass over `stts` and `ctts`.
  package var compositionEnd: UInt64? {
    TablePass.times.begin()
    guard var end = mediaDuration, compositionOffsets != nil else { return mediaDuration }
    var time: UInt64 = 0
    forEachSpan(of: .max) { count, duration, offset in
      // The last of samples with one duration and one offset ends last. The sum of all durations fits.
      time &+= UInt64(count) &* UInt64(duration)
      if let offset = UInt64(exactly: offset) { end = max(end, time.addingClamped(offset)) }
    }
    return end
  }

  /// The first `count` samples, as far as `stts` has them, in runs of one duration and one offset; samples past `ctts`
  /// have none.
  @inline(__always)
  func forEachSpan(of count: UInt64, _ body: (_ count: UInt32, _ duration: UInt32, _ offset: Int32) -> Void) {
    var durations = RunLengthCursor(timeToSample)
    var offsets = compositionOffsets.map { RunLengthCursor($0) }
    var left = count
    while left > 0, let run = durations.next(atMost: UInt32(clamping: left)) {
      left &-= UInt64(run.count)
      var leftOfRun = run.count
      while leftOfRun > 0 {
        let step = offsets?.next(atMost: leftOfRun) ?? (leftOfRun, 0)
        body(step.count, run.value, Int32(bitPattern: step.value))
        leftOfRun &-= step.count
      }
    }
  }

  /// The size of all samples together.
  ///
  /// Costs one pass over the sizes, or nothing where all are equal.
  package var totalByteCount: UInt64 { sampleSizes.totalByteCount }

  /// No chunk is larger than this; `nil` when it does not fit in 64 bits. Costs one pass over sizes and over `stsc`.
  package var chunkByteCountBound: UInt64? {
    let longest = sampleToChunk.largestSampleCount
    let (product, overflow) = UInt64(longest).multipliedReportingOverflow(by: UInt64(sampleSizes.largest))
    return overflow ? nil : product
  }

  /// The chunks, one after the other.
  package var chunks: ChunkSequence { ChunkSequence(table: self) }

  /// The samples, one after the other or by number or time.
  package var samples: SampleIndex { SampleIndex(self) }
}
