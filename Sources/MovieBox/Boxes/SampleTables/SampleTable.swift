/// The sample tables of a track (`stbl`). Together, they define the positions and presentation times of the samples.
///
///     let table = SampleTable(
///       timeToSample: stts, compositionOffsets: nil, sampleToChunk: stsc, sampleSizes: stsz, chunkOffsets: stco,
///       syncSamples: nil)
///     for chunk in table.chunks { print(chunk.offset, chunk.byteCount) }
///     for sample in table.samples.prefix(12) { print(sample.decodeTime) }
///
/// The tables of a damaged file may contradict one another. Iterations visit only samples that all tables contain, and
/// ``inconsistencies(sampleDescriptionCount:)`` lists the contradictions.
package struct SampleTable: Hashable, Sendable {
  /// The durations of the samples (`stts`).
  package let timeToSample: TimeToSampleTable
  /// The composition offsets (`ctts`), or `nil` if the track has none.
  package let compositionOffsets: CompositionOffsetTable?
  /// The assignment of samples to chunks (`stsc`).
  package let sampleToChunk: SampleToChunkTable
  /// The sizes of the samples (`stsz` or `stz2`).
  package let sampleSizes: SampleSizeTable
  /// The offsets of the chunks (`stco` or `co64`).
  package let chunkOffsets: ChunkOffsetTable
  /// The sync samples (`stss`), or `nil` if all samples are sync samples.
  package let syncSamples: SyncSampleTable?
  /// The values that are computed once from the table, and that all its copies share.
  let facts = SampleTableFacts()

  /// The number of samples in `stsz`. If all sizes are equal, the file stores no sizes, so any number is possible.
  package var sampleCount: Int { sampleSizes.count }

  /// The number of chunks in `stco`.
  package var chunkCount: Int { chunkOffsets.count }

  /// The total duration of the samples, in media ticks, or `nil` if it overflows.
  ///
  /// Makes one pass over `stts`.
  package var mediaDuration: UInt64? { timeToSample.totalDuration }

  /// The latest end of a sample's presentation, in media ticks, or `nil` if it overflows. The end is at least
  /// ``mediaDuration``. It is later than ``mediaDuration`` if composition offsets delay the last samples.
  ///
  /// Makes one pass over `stts` and `ctts`.
  package var compositionEnd: UInt64? {
    TablePass.times.begin()
    guard var end = mediaDuration, compositionOffsets != nil else { return mediaDuration }
    var time: UInt64 = 0
    forEachSampleRun(ofFirst: .max) { count, duration, offset in
      // In a run of equal durations and offsets, the last sample ends last. The sum cannot overflow, because the sum of
      // all durations fits in 64 bits.
      time &+= UInt64(count) &* UInt64(duration)
      if let offset = UInt64(exactly: offset) { end = max(end, time.addingClamped(offset)) }
    }
    return end
  }

  /// Calls `body` with each run of samples that have equal durations and composition offsets. Stops after `count`
  /// samples, or if `stts` ends. Samples after the end of `ctts` have offset 0.
  @inline(__always)
  func forEachSampleRun(ofFirst count: UInt64, _ body: (_ count: UInt32, _ duration: UInt32, _ offset: Int32) -> Void) {
    var durations = RunLengthCursor(timeToSample)
    var offsets = compositionOffsets.map { RunLengthCursor($0) }
    var remainingCount = count
    while remainingCount > 0, let run = durations.next(atMost: UInt32(clamping: remainingCount)) {
      remainingCount &-= UInt64(run.count)
      var leftOfRun = run.count
      while leftOfRun > 0 {
        let step = offsets?.next(atMost: leftOfRun) ?? (leftOfRun, 0)
        body(step.count, run.value, Int32(bitPattern: step.value))
        leftOfRun &-= step.count
      }
    }
  }

  /// The total size of all samples.
  ///
  /// Makes one pass over the sizes, or requires constant time if all sizes are equal.
  package var totalByteCount: UInt64 { sampleSizes.totalByteCount }

  /// An upper bound for the size of a chunk, or `nil` if the bound overflows. The first use makes one pass over the
  /// sizes and one over `stsc`.
  package var maximumChunkByteCount: UInt64? {
    let largestCount = facts.summary(of: sampleToChunk).largestSampleCount
    let (product, overflow) = UInt64(largestCount).multipliedReportingOverflow(
      by: UInt64(facts.sizeBound(of: sampleSizes)))
    return overflow ? nil : product
  }

  /// The chunks, in the order of `stco`.
  package var chunks: ChunkSequence { ChunkSequence(table: self) }

  /// The samples, in decoding order.
  package var samples: SampleIndex { SampleIndex(self) }

  /// Returns the contradictions between the tables. The array is empty if the tables agree.
  ///
  /// The array contains only a few errors for each table, because only the first contradiction of each type is
  /// reported. Entries, chunks and samples are numbered from 1. `sampleDescriptionCount` is the number of entries in
  /// `stsd`. If `sampleDescriptionCount` is `nil`, references to sample descriptions are not checked. Makes one pass
  /// over all tables.
  package func inconsistencies(sampleDescriptionCount: Int? = nil) -> [MovieError] {
    timeFindings + sampleToChunkFindings(sampleDescriptionCount) + positionFindings + syncFindings
  }

  private var timeFindings: [MovieError] {
    var findings: [MovieError] = []
    let timedCount = timeToSample.sampleCount
    if timedCount != UInt64(sampleCount) {
      findings.append(finding("stts", "covers \(timedCount) samples, but the size table has \(sampleCount)"))
    }
    // Durations are below 2³², so the sum of fewer than 2³² durations cannot overflow.
    if timedCount > UInt64(UInt32.max), mediaDuration == nil {
      findings.append(finding("stts", "the sum of the durations does not fit in 64 bits"))
    }
    if let shifted = compositionOffsets?.sampleCount, shifted != UInt64(sampleCount) {
      findings.append(finding("ctts", "covers \(shifted) samples, but the size table has \(sampleCount)"))
    }
    return findings
  }

  private func sampleToChunkFindings(_ sampleDescriptionCount: Int?) -> [MovieError] {
    guard let first = sampleToChunk.first else {
      return chunkCount == 0 ? [] : [finding("stsc", "has no entries, but there are \(chunkCount) chunks")]
    }
    let summary = facts.summary(of: sampleToChunk)
    if summary.isValid(chunkCount: chunkCount, descriptionCount: sampleDescriptionCount ?? .max) { return [] }
    var findings: [MovieError] = []
    if first.firstChunk != 1 {
      findings.append(finding("stsc", "begins at chunk \(first.firstChunk), not at chunk 1"))
    }
    if let index = sampleToChunk.indices.dropFirst().first(where: {
      sampleToChunk[$0].firstChunk <= sampleToChunk[$0 - 1].firstChunk
    }) {
      let (before, after) = (sampleToChunk[index - 1].firstChunk, sampleToChunk[index].firstChunk)
      findings.append(
        finding(
          "stsc", "entry \(index + 1) begins at chunk \(after), but the previous entry begins at chunk \(before)"))
    }
    if let index = sampleToChunk.firstIndex(where: { Int($0.firstChunk) > chunkCount }) {
      let start = sampleToChunk[index].firstChunk
      findings.append(finding("stsc", "entry \(index + 1) begins at chunk \(start), but there are only \(chunkCount)"))
    }
    if let index = sampleToChunk.firstIndex(where: { $0.sampleDescriptionIndex == 0 }) {
      findings.append(
        finding(
          "stsc", "entry \(index + 1) refers to sample description 0, but sample descriptions are numbered from 1"))
    }
    if let limit = sampleDescriptionCount,
      let index = sampleToChunk.firstIndex(where: { Int($0.sampleDescriptionIndex) > limit })
    {
      let named = sampleToChunk[index].sampleDescriptionIndex
      findings.append(
        finding("stsc", "entry \(index + 1) refers to sample description \(named), but there are only \(limit)"))
    }
    return findings
  }

  private var positionFindings: [MovieError] {
    var findings: [MovieError] = []
    let placedCount = assignedSampleCount
    if placedCount != sampleCount {
      let number = placedCount.map(String.init) ?? "2^63 or more"
      findings.append(
        finding(
          "stsc", "places \(number) samples in \(chunkCount) chunks, but the size table lists \(sampleCount) samples"))
    }
    // A chunk that begins at or below `safeOffset` cannot end past 2⁶⁴, even if it contains all samples and each has
    // the maximum size. 32-bit offsets are always below `safeOffset`.
    let safeOffset = UInt64.max - UInt64(sampleCount) * UInt64(UInt32.max)  // The count has at most 32 bits.
    if chunkOffsets.isWide,
      let chunk = chunks.first(whereOffsets: { $0.upperBound > safeOffset }, { $0.byteRange == nil })
    {
      findings.append(
        finding(
          "co64",
          "chunk \(chunk.index + 1) at \(chunk.offset) has \(chunk.byteCount) bytes: its end does not fit in 64 bits"))
    }
    return findings
  }

  private var syncFindings: [MovieError] {
    guard let syncSamples else { return [] }
    var findings: [MovieError] = []
    if let index = syncSamples.indices.dropFirst().first(where: { syncSamples[$0] <= syncSamples[$0 - 1] }) {
      let (before, after) = (syncSamples[index - 1], syncSamples[index])
      findings.append(
        finding(
          "stss", "entry \(index + 1) refers to sample \(after), but the previous entry refers to sample \(before)"))
    }
    if let index = syncSamples.firstIndex(where: { $0 == 0 || Int($0) > sampleCount }) {
      let number = syncSamples[index]
      findings.append(
        finding(
          "stss", "entry \(index + 1) refers to sample \(number), but samples are numbered from 1 to \(sampleCount)"))
    }
    return findings
  }

  private func finding(_ type: String, _ reason: String) -> MovieError {
    MovieError(.malformed, in: type, reason)
  }
}

/// A sample of a track, with its byte range and times.
package struct Sample: Hashable, Sendable {
  /// The maximum duration of a generated sample. FFmpeg reads durations in `stts` as signed numbers.
  package static let longestDuration = UInt32(Int32.max)

  /// The index of the sample, from 0.
  package let index: Int
  /// The byte range of the sample in the file, or `nil` if the end of the range overflows in a damaged file.
  package let byteRange: ByteRange?
  /// The decode time, in media ticks from the start of the media. Saturates at `UInt64.max`.
  package let decodeTime: UInt64
  /// The duration, in media ticks, or 0 if `stts` ends before this sample.
  package let duration: UInt32
  /// The presentation time minus the decode time, in media ticks, or 0 if `ctts` ends before this sample.
  package let compositionOffset: Int64
  /// Whether the sample can be decoded without other samples.
  package let isSync: Bool
  /// The index of the chunk in `stco`, from 0.
  package let chunkIndex: Int
  /// The number of the sample description in `stsd`, from 1. It may be out of range in a damaged file.
  package let sampleDescriptionIndex: UInt32

  /// The presentation time, in media ticks from the start of the media, before edit lists. Saturates at `Int64.max`.
  package var presentationTime: Int64 { Self.presentationTime(decodedAt: decodeTime, offset: compositionOffset) }

  /// Returns the sum of a decode time and a composition offset. Saturates at `Int64.max`.
  static func presentationTime(decodedAt decodeTime: UInt64, offset: Int64) -> Int64 {
    let (sum, overflow) = Int64(clamping: decodeTime).addingReportingOverflow(offset)
    return overflow ? .max : sum  // Decode times are not negative, so the sum can overflow only at the upper end.
  }
}

/// The sync samples (`stss`), or the partial sync samples of QuickTime (`stps`).
///
/// If a track has no `stss`, all samples are sync samples. If `stss` is empty, no sample is a sync sample. The table
/// is a view of the bytes: a number is decoded when it is accessed.
package struct SyncSampleTable: AtomPayload {
  /// The bytes after the atom's header, including numbers and tail.
  package let payload: Bytes
  /// The number of listed samples.
  package let count: Int

  /// Reads the table. Throws if the declared numbers do not fit in the bytes.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upToVersion: 0)
    count = try reader.readEntryCount(bitsPerEntry: 32)
    self.payload = payload
  }
}

extension SyncSampleTable: EntryTable {
  /// The number of a listed sample, from 1. `index` must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "the index of the entry is outside the table")
    return payload.entry(at: 8 &+ index &* 4, as: UInt32.self)  // The initializer checked that the bytes are available.
  }
}
