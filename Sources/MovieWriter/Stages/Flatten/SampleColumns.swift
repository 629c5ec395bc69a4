import MovieBox

/// The sizes of all samples of a track. Equal sizes are stored as one size, and different sizes as the words of `stsz`.
struct SampleSizeColumn: Sendable {
  /// The number of samples.
  private(set) var count = 0
  /// The size of all samples, or `nil` if sizes differ or there are no samples.
  private(set) var commonSize: UInt32?
  /// The sizes as big-endian words, or no words if all sizes are equal.
  private var words: [UInt32] = []

  /// The sizes of all samples as big-endian words.
  var bigEndianWords: [UInt32] {
    commonSize.map { [UInt32](repeating: $0.bigEndian, count: count) } ?? words
  }

  /// Appends samples of one size.
  mutating func append(_ size: UInt32, count addedCount: Int = 1) {
    guard addedCount > 0 else { return }
    if count == 0 || commonSize == size {
      commonSize = size
    } else {
      listSizes()
      words.append(contentsOf: repeatElement(size.bigEndian, count: addedCount))
    }
    count += addedCount
  }

  /// Appends samples whose sizes are big-endian words.
  mutating func append(bigEndianWords added: [UInt32]) {
    guard let first = added.first else { return }
    if count == 0 || commonSize != nil, added.allSatisfy({ $0 == first }) {
      append(UInt32(bigEndian: first), count: added.count)
    } else {
      listSizes()
      words += added
      count += added.count
    }
  }

  /// Replaces the common size by a list of the sizes so far, because a different size follows.
  private mutating func listSizes() {
    words = bigEndianWords
    commonSize = nil
  }
}

/// The properties of all samples of a track, with one column for each table of `stbl`.
///
/// Flattening appends the samples of fragments to the samples of `moov`. Like most tables, columns contain runs of
/// equal values, and consecutive samples share a chunk. Therefore, the memory is proportional to the size of the
/// resulting tables and not to the number of samples.
struct SampleColumns: Sendable {
  /// The numbers of runs whose decode time differs from the end of the previous samples.
  struct TimeAdjustments: Hashable, Sendable {
    /// The number of gaps. The last sample before a gap is extended.
    var lengthenedCount = 0
    /// The number of overlaps. The last sample before an overlap is shortened.
    var shortenedCount = 0
    /// The number of runs that begin before the start of the last sample. Their samples are delayed.
    var delayedCount = 0
  }

  private(set) var chunks: [ChunkPlace] = []
  private(set) var durations = RunLengths<UInt32>()
  private(set) var compositionOffsets = RunLengths<Int32>()
  private(set) var sizes = SampleSizeColumn()
  /// Whether each sample is a sync sample.
  private(set) var syncs = RunLengths<Bool>()
  /// The `sdtp` byte of each sample.
  private(set) var dependencies = RunLengths<UInt8>()
  /// The number of padding bits of each sample (`padb`).
  private(set) var paddings = RunLengths<UInt8>()
  /// The degradation priority of each sample (`stdp`).
  private(set) var priorities = RunLengths<UInt16>()
  private(set) var adjustments = TimeAdjustments()
  /// The number of samples that `moov` lists.
  let tableSampleCount: Int
  /// Whether the samples are text. Text samples are always sync samples, even if fragments declare otherwise.
  private let isText: Bool

  /// The decode time at which the last sample ends, on the clock of the fragments.
  private var time: UInt64
  /// The ticks by which samples are decoded later than the fragments declare. It is 0 until decode times decrease.
  private var delay: UInt64 = 0
  /// The file offset at which the last chunk ends, or `nil` if the chunk is from `moov` and must not be extended.
  private var chunkEnd: UInt64?

  /// The number of samples.
  var sampleCount: Int { sizes.count }

  /// Creates columns with the samples of a track that `moov` lists.
  init(_ track: FragmentedTrack, of media: MediaType, in stbl: Int, of tree: AtomTree) {
    self.init(
      track.table, sampleCount: track.tableSampleCount, from: track.startTime ?? 0, of: media, in: stbl, of: tree)
  }

  /// Creates columns with the first samples of a table.
  init(_ table: SampleTable, sampleCount: Int, from start: UInt64, of media: MediaType, in stbl: Int, of tree: AtomTree)
  {
    isText = media.isText
    tableSampleCount = sampleCount
    time = start
    for entry in table.timeToSample {
      let count = Swift.min(tableSampleCount - durations.count, Int(entry.sampleCount))
      durations.append(entry.duration, count: count)
      time = time.addingClamped(UInt64(count) &* UInt64(entry.duration))  // The sum fits in 64 bits.
    }
    durations.fill(to: tableSampleCount, with: 0)
    if let offsets = table.compositionOffsets {
      for entry in offsets {
        let remainingCount = tableSampleCount - compositionOffsets.count
        compositionOffsets.append(entry.offset, count: Swift.min(remainingCount, Int(entry.sampleCount)))
      }
    }
    compositionOffsets.fill(to: tableSampleCount, with: 0)
    if case .uniform(let size) = table.sampleSizes.layout {
      sizes.append(size, count: tableSampleCount)
    } else {
      for size in table.sampleSizes.prefix(tableSampleCount) { sizes.append(size) }
    }
    if let numbers = table.syncSamples, !isText {
      // Sample numbers count from 1. Readers that step through the samples skip a number that decreases and never reach
      // a number past the end, so this function ignores such numbers too.
      for number in numbers where Int(number) > syncs.count {
        guard Int(number) <= tableSampleCount else { break }
        syncs.append(false, count: Int(number) - 1 - syncs.count)
        syncs.append(true)
      }
    }
    syncs.fill(to: tableSampleCount, with: isText || table.syncSamples == nil)
    for chunk in table.chunks {
      let count = Swift.min(chunk.sampleCount, tableSampleCount - chunk.firstSample)
      guard count > 0 || chunk.sampleCount == 0 else { break }
      chunks.append(
        ChunkPlace(
          offset: chunk.offset, sampleCount: UInt32(clamping: count),
          sampleDescriptionIndex: chunk.sampleDescriptionIndex))
    }
    readDependencies(in: stbl, of: tree)
  }

  /// Reads `sdtp`, `padb` and `stdp`. Each contains one field for each sample.
  private mutating func readDependencies(in stbl: Int, of tree: AtomTree) {
    let tables = SampleFlagTables(in: stbl, of: tree)
    for sample in 0..<min(tableSampleCount, tables.sampleCount) {
      dependencies.append(tables.dependencies(of: sample))
      paddings.append(tables.padding(of: sample))
      priorities.append(tables.priority(of: sample))
    }
    dependencies.fill(to: tableSampleCount, with: 0)
    paddings.fill(to: tableSampleCount, with: 0)
    priorities.fill(to: tableSampleCount, with: 0)
  }

  /// Adds the samples of a run.
  ///
  /// - Parameters:
  ///   - delay: the ticks to add to the decode times that the fragment declares.
  ///   - ownDependencies: the bytes of the samples in the fragment's `sdtp`, or `nil` if the fragment has no `sdtp`.
  mutating func append(_ run: FragmentRun, delay: UInt64, ownDependencies: Bytes?) throws(MovieError) {
    guard run.sampleCount > 0 else { return }
    guard run.sampleCount <= Int(UInt32.max) - sampleCount else {
      throw MovieError(.limit, "the track has more than 2³² samples")
    }
    try join(run.decodeTime, delay: delay)
    addChunks(run)
    let (table, defaults) = (run.table, run.defaults)
    if let ownDependencies {
      for byte in ownDependencies.prefix(run.sampleCount) { dependencies.append(byte) }
    }
    if !table.forEachRun(of: .duration, { durations.append($0, count: $1) }) {
      durations.append(defaults.duration, count: run.sampleCount)
    }
    if !table.forEachRun(of: .compositionOffset, { compositionOffsets.append(Int32(bitPattern: $0), count: $1) }) {
      compositionOffsets.append(0, count: run.sampleCount)
    }
    if let words = table.sizeWords {
      sizes.append(bigEndianWords: words)
    } else {
      sizes.append(defaults.size, count: run.sampleCount)
    }
    if !table.forEachRun(of: .flags, { append(SampleFlags(rawValue: $0), count: $1) }) {
      append(table.firstSampleFlags ?? defaults.flags)
      append(defaults.flags, count: run.sampleCount - 1)
    }
    time = time.addingClamped(run.duration)
  }

  /// Appends the flags of consecutive samples.
  private mutating func append(_ sampleFlags: SampleFlags, count: Int = 1) {
    let flags = isText ? sampleFlags.correctedForText : sampleFlags
    syncs.append(flags.isSync, count: count)
    // Fill `dependencies` only for samples without an entry in the fragment's `sdtp`. These entries were appended
    // before.
    dependencies.fill(to: syncs.count, with: flags.dependencyByte)
    paddings.append(flags.paddingBitCount, count: count)
    priorities.append(flags.degradationPriority, count: count)
  }

  /// Changes the duration of the last sample so that it ends when a run begins. The samples of the run keep their
  /// decode times, although `stts` cannot express gaps. If decode times decrease, the run is delayed
  /// (``FragmentedTrack/delays``).
  private mutating func join(_ start: UInt64, delay: UInt64) throws(MovieError) {
    if delay != 0, delay != self.delay { adjustments.delayedCount += 1 }
    self.delay = delay
    let target = start.addingClamped(delay)
    guard target != time, let last = durations.last else { return }
    let lastStart = time &- Swift.min(time, UInt64(last))
    guard let duration = UInt32(exactly: target &- Swift.min(target, lastStart)) else {
      throw MovieError(
        .unsupported, "a gap of \(target - time) ticks between fragments is longer than a sample can last")
    }
    if target > time { adjustments.lengthenedCount += 1 } else { adjustments.shortenedCount += 1 }
    durations.replaceLast(by: duration)
    time = target
  }

  /// Adds a chunk for a run, or extends the last chunk if the run follows it without a gap.
  private mutating func addChunks(_ run: FragmentRun) {
    let offset = run.offset ?? 0  // Only empty runs have no offset, because misplaced samples are rejected.
    let count = UInt32(clamping: run.sampleCount)
    if let last = chunks.last, chunkEnd == offset, last.sampleDescriptionIndex == run.sampleDescriptionIndex,
      !last.sampleCount.addingReportingOverflow(count).overflow
    {
      chunks[chunks.count - 1].sampleCount += count
    } else {
      chunks.append(
        ChunkPlace(offset: offset, sampleCount: count, sampleDescriptionIndex: run.sampleDescriptionIndex))
    }
    chunkEnd = run.byteRange?.end ?? offset
  }
}
