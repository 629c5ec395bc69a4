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
  /// The durations of the samples (`stts`).
  package let timeToSample: TimeToSampleTable
  /// The distances of presentation from decoding (`ctts`); absent if there are none.
  package let compositionOffsets: CompositionOffsetTable?
  /// The grouping of samples into chunks (`stsc`).
  package let sampleToChunk: SampleToChunkTable
  /// The size of each sample (`stsz` or `stz2`).
  package let sampleSizes: SampleSizeTable
  /// The positions of the chunks (`stco` or `co64`).
  package let chunkOffsets: ChunkOffsetTable
  /// The samples that can be decoded on their own (`stss`); absent if all can.
  package let syncSamples: SyncSampleTable?

  /// The number of samples in `stsz`. If all sizes are equal, no table entries back this number.
  package var sampleCount: Int { sampleSizes.count }

  /// The number of chunks in `stco`.
  package var chunkCount: Int { chunkOffsets.count }

  /// The sum of all durations in ticks of the media; `nil` when it does not fit in 64 bits.
  ///
  /// Costs one pass over `stts`.
  package var mediaDuration: UInt64? { timeToSample.totalDuration }

  /// The latest end of a sample's presentation, in ticks of the media: after ``mediaDuration`` if samples are shown
  /// later than they are decoded, never before it; `nil` if it does not fit in 64 bits.
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

  /// Returns the contradictions between the tables; none if the tables agree.
  ///
  /// At most a few findings a table, each naming the first place: entries and samples count from 0 in them, chunk and
  /// sample numbers that the file stores from 1. `sampleDescriptionCount` is how many entries `stsd` has; `nil` leaves
  /// that unchecked. Costs one pass over all tables.
  package func inconsistencies(sampleDescriptionCount: Int? = nil) -> [MovieError] {
    timeFindings + sampleToChunkFindings(sampleDescriptionCount) + placeFindings + syncFindings
  }

  private var timeFindings: [MovieError] {
    var findings: [MovieError] = []
    let timed = timeToSample.sampleCount
    if timed != UInt64(sampleCount) {
      findings.append(finding("stts", "covers \(timed) samples, the size table has \(sampleCount)"))
    }
    // Durations are below 2³²: those of fewer than 2³² samples always fit.
    if timed > UInt64(UInt32.max), mediaDuration == nil {
      findings.append(finding("stts", "the sum of the durations does not fit in 64 bits"))
    }
    if let shifted = compositionOffsets?.sampleCount, shifted != UInt64(sampleCount) {
      findings.append(finding("ctts", "covers \(shifted) samples, the size table has \(sampleCount)"))
    }
    return findings
  }

  private func sampleToChunkFindings(_ sampleDescriptionCount: Int?) -> [MovieError] {
    guard let first = sampleToChunk.first else {
      return chunkCount == 0 ? [] : [finding("stsc", "no entries, but there are \(chunkCount) chunks")]
    }
    if sampleToChunk.isInOrder(chunkCount: chunkCount, descriptionCount: sampleDescriptionCount ?? .max) { return [] }
    var findings: [MovieError] = []
    if first.firstChunk != 1 {
      findings.append(finding("stsc", "begins at chunk \(first.firstChunk), not at chunk 1"))
    }
    if let index = sampleToChunk.indices.dropFirst().first(where: {
      sampleToChunk[$0].firstChunk <= sampleToChunk[$0 - 1].firstChunk
    }) {
      let (before, after) = (sampleToChunk[index - 1].firstChunk, sampleToChunk[index].firstChunk)
      findings.append(finding("stsc", "entry \(index + 1) begins at chunk \(after), the entry before it at \(before)"))
    }
    if let index = sampleToChunk.firstIndex(where: { Int($0.firstChunk) > chunkCount }) {
      let start = sampleToChunk[index].firstChunk
      findings.append(finding("stsc", "entry \(index + 1) begins at chunk \(start), there are \(chunkCount)"))
    }
    if let index = sampleToChunk.firstIndex(where: { $0.sampleDescriptionIndex == 0 }) {
      findings.append(finding("stsc", "entry \(index + 1) refers to sample description 0, they count from 1"))
    }
    if let limit = sampleDescriptionCount,
      let index = sampleToChunk.firstIndex(where: { Int($0.sampleDescriptionIndex) > limit })
    {
      let named = sampleToChunk[index].sampleDescriptionIndex
      findings.append(finding("stsc", "entry \(index + 1) refers to sample description \(named), there are \(limit)"))
    }
    return findings
  }

  private var placeFindings: [MovieError] {
    var findings: [MovieError] = []
    var runs = ChunkRuns(sampleToChunk, chunkCount: chunkCount)
    var placed: Int? = runs.pass(upTo: chunkCount).samples
    for run in runs {
      guard let before = placed, let count = run.sampleCount else {
        placed = nil
        break
      }
      let (sum, overflow) = before.addingReportingOverflow(count)
      placed = overflow ? nil : sum
    }
    if placed != sampleCount {
      let number = placed.map(String.init) ?? "2^63 or more"
      findings.append(
        finding("stsc", "places \(number) samples in \(chunkCount) chunks, the size table has \(sampleCount)"))
    }
    // No chunk takes more bytes than all samples at their largest; before that no end is out of reach. What 32 bits say
    // always is before that.
    let safeOffset = UInt64.max - UInt64(sampleCount) * UInt64(UInt32.max)  // A count of 32 bits.
    if chunkOffsets.isWide,
      let chunk = chunks.first(whereOffsets: { $0.upperBound > safeOffset }, { $0.byteRange == nil })
    {
      findings.append(
        finding(
          "co64",
          "chunk \(chunk.index + 1) at \(chunk.offset) with \(chunk.byteCount) bytes ends beyond 64 bits"))
    }
    return findings
  }

  private var syncFindings: [MovieError] {
    guard let syncSamples else { return [] }
    var findings: [MovieError] = []
    if let index = syncSamples.indices.dropFirst().first(where: { syncSamples[$0] <= syncSamples[$0 - 1] }) {
      let (before, after) = (syncSamples[index - 1], syncSamples[index])
      findings.append(finding("stss", "entry \(index + 1) refers to sample \(after), the entry before it \(before)"))
    }
    if let index = syncSamples.firstIndex(where: { $0 == 0 || Int($0) > sampleCount }) {
      let number = syncSamples[index]
      findings.append(
        finding("stss", "entry \(index + 1) refers to sample \(number), they count from 1 to \(sampleCount)"))
    }
    return findings
  }

  private func finding(_ type: String, _ reason: String) -> MovieError {
    MovieError(.malformed, in: type, reason)
  }
}

/// One sample of a track: its bytes, its times and how it can be decoded.
package struct Sample: Hashable, Sendable {
  /// The sample's number, counted from 0.
  package let index: Int
  /// Its bytes in the file that holds them; `nil` when their end would not fit in 64 bits, which only a broken file
  /// asks for.
  package let byteRange: ByteRange?
  /// The decode time, in ticks of the media from the media's start. A time beyond 64 bits becomes the largest.
  package let decodeTime: UInt64
  /// The duration, in ticks of the media; 0 if `stts` ends before this sample.
  package let duration: UInt32
  /// Presentation time minus decode time, in ticks of the media; 0 when `ctts` does not reach this sample.
  package let compositionOffset: Int64
  /// Whether it can be decoded on its own.
  package let isSync: Bool
  /// Its chunk's place in `stco`, counted from 0.
  package let chunkIndex: Int
  /// The number of its description in `stsd`, counted from 1 as stored. May be wrong in a broken file.
  package let sampleDescriptionIndex: UInt32

  /// The presentation time, in ticks of the media from the media's start, before edit lists. A time beyond 63 bits
  /// becomes the largest.
  package var presentationTime: Int64 { Self.presentationTime(decodedAt: decodeTime, offset: compositionOffset) }

  /// Returns the presentation time of a sample with these times.
  static func presentationTime(decodedAt decodeTime: UInt64, offset: Int64) -> Int64 {
    let (sum, overflow) = Int64(clamping: decodeTime).addingReportingOverflow(offset)
    return overflow ? .max : sum  // Decode times are not negative: only the upper end can be passed.
  }
}

/// The samples that can be decoded on their own (`stss`), or almost (`stps`, partial sync samples of QuickTime).
///
/// A movie without `stss` has only sync samples; one with an empty `stss` has none. A view: a number is computed from
/// the bytes when asked for.
package struct SyncSampleTable: AtomPayload {
  /// All bytes after the atom's header, numbers and tail.
  package let payload: Bytes
  /// The number of listed samples.
  package let count: Int

  /// Reads the table; throws when the bytes have no room for the numbers that it claims.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    count = try reader.readEntryCount(bitsPerEntry: 32)
    self.payload = payload
  }
}

extension SyncSampleTable: EntryTable {
  /// The number of a listed sample, counted from 1 as stored; `index` must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    return payload.entry(at: 8 &+ index &* 4, as: UInt32.self)  // count × 4 bytes are there: the initialiser checked.
  }
}
