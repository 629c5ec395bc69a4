import MovieBox

/// What all samples of a track are, as the tables of `moov` have it: one column for each table.
///
/// Costs memory in proportion to the tables that come of it: values are run lengths, places are chunks.
struct SampleColumns: Sendable {
  /// How the decode times of runs fit what lies before them.
  struct Seams: Hashable, Sendable {
    /// A run begins later than the one before it ends: the last sample before it lasts longer now.
    var lengthenedCount = 0
    /// A run begins earlier: the last sample before it is shorter now.
    var shortenedCount = 0
    /// It begins before that sample does: its samples are decoded later now, after those before them.
    var delayedCount = 0
  }

  private(set) var places: [ChunkPlace] = []
  private(set) var durations = RunLengths<UInt32>()
  private(set) var compositionOffsets = RunLengths<Int32>()
  private(set) var sizes = RunLengths<UInt32>()
  /// Whether samples can be decoded on their own.
  private(set) var syncs = RunLengths<Bool>()
  /// The byte of each sample in `sdtp`.
  private(set) var dependencies = RunLengths<UInt8>()
  /// The bits of each sample in `padb`.
  private(set) var paddings = RunLengths<UInt8>()
  /// The number of each sample in `stdp`.
  private(set) var priorities = RunLengths<UInt16>()
  private(set) var seams = Seams()
  /// How many samples `moov` had.
  let tableSampleCount: Int
  /// Whether the samples are texts, which need no others, whatever fragments say.
  private let isText: Bool

  /// When the last sample ends, counted as fragments do.
  private var time: UInt64
  /// How much later samples are decoded than the fragments say: 0 but where times went back.
  private var delay: UInt64 = 0
  /// Where the last chunk ends; `nil` for one of `moov`, which stays as it is.
  private var placeEnd: UInt64?

  /// How many samples there are.
  var sampleCount: Int { sizes.count }

  /// The samples that `moov` has of a track.
  init(_ track: FragmentedTrack, of media: MediaType, in stbl: Int, of tree: AtomTree) {
    self.init(
      track.table, sampleCount: track.tableSampleCount, from: track.startTime ?? 0, of: media, in: stbl, of: tree)
  }

  /// The first samples of a table.
  init(_ table: SampleTable, sampleCount: Int, from start: UInt64, of media: MediaType, in stbl: Int, of tree: AtomTree)
  {
    isText = media.isText
    tableSampleCount = sampleCount
    time = start
    for entry in table.timeToSample {
      let count = Swift.min(tableSampleCount - durations.count, Int(entry.sampleCount))
      durations.append(entry.duration, count: count)
      time = time.addingClamped(UInt64(count) &* UInt64(entry.duration))  // A product of two 32-bit numbers.
    }
    durations.fill(to: tableSampleCount, with: 0)
    if let offsets = table.compositionOffsets {
      for entry in offsets {
        let left = tableSampleCount - compositionOffsets.count
        compositionOffsets.append(entry.offset, count: Swift.min(left, Int(entry.sampleCount)))
      }
    }
    compositionOffsets.fill(to: tableSampleCount, with: 0)
    if case .uniform(let size) = table.sampleSizes.layout {
      sizes.append(size, count: tableSampleCount)
    } else {
      for size in table.sampleSizes.prefix(tableSampleCount) { sizes.append(size) }
    }
    if let numbers = table.syncSamples, !isText {
      // Counted from 1. Whoever walks the samples passes over one that goes back, and waits for one past the end.
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
      places.append(
        ChunkPlace(
          offset: chunk.offset, sampleCount: UInt32(clamping: count),
          sampleDescriptionIndex: chunk.sampleDescriptionIndex))
    }
    readDependencies(in: stbl, of: tree)
  }

  /// `sdtp`, `padb` and `stdp`, which have a field for each sample.
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
  ///   - delay: how much later they are decoded than the fragment says.
  ///   - ownDependencies: bytes of the samples in the fragment's own `sdtp`, where it has one.
  mutating func append(_ run: FragmentRun, delay: UInt64, ownDependencies: Bytes?) throws(MovieError) {
    guard run.sampleCount > 0 else { return }
    guard run.sampleCount <= Int(UInt32.max) - sampleCount else {
      throw MovieError(.limit, "more than 2³² samples in a track")
    }
    try join(run.decodeTime, delay: delay)
    place(run)
    let (table, defaults) = (run.table, run.defaults)
    if let ownDependencies {
      for byte in ownDependencies.prefix(run.sampleCount) { dependencies.append(byte) }
    }
    if table.hasEntryFields {
      for entry in table { append(entry, defaults) }
    } else if let first = table.first {
      // The entries have no fields: only the flags of the first may differ.
      append(first, defaults)
      if let second = table.dropFirst().first { append(second, defaults, count: table.count - 1) }
    }
  }

  private mutating func append(_ entry: TrackRun.Entry, _ defaults: SampleDefaults, count: Int = 1) {
    let duration = entry.duration ?? defaults.duration
    let own = entry.flags ?? defaults.flags
    let flags = isText ? own.correctedForText : own
    durations.append(duration, count: count)
    compositionOffsets.append(entry.compositionOffset ?? 0, count: count)
    sizes.append(entry.size ?? defaults.size, count: count)
    syncs.append(flags.isSync, count: count)
    // Those that the fragment's own table has are there already.
    dependencies.fill(to: sampleCount, with: flags.dependencyByte)
    paddings.append(flags.paddingBitCount, count: count)
    priorities.append(flags.degradationPriority, count: count)
    time = time.addingClamped(UInt64(count) &* UInt64(duration))  // A product of two 32-bit numbers.
  }

  /// Makes the samples so far end where a run begins, so that its samples keep their decode times: `stts` knows no
  /// gaps. Where times go back, the run is delayed (``FragmentedTrack/delays``).
  private mutating func join(_ start: UInt64, delay: UInt64) throws(MovieError) {
    if delay != 0, delay != self.delay { seams.delayedCount += 1 }
    self.delay = delay
    let target = start.addingClamped(delay)
    guard target != time, let last = durations.last else { return }
    let lastStart = time &- Swift.min(time, UInt64(last))
    guard let duration = UInt32(exactly: target &- Swift.min(target, lastStart)) else {
      throw MovieError(
        .unsupported, "a gap of \(target - time) ticks between fragments is longer than a sample can last")
    }
    if target > time { seams.lengthenedCount += 1 } else { seams.shortenedCount += 1 }
    durations.replaceLast(by: duration)
    time = target
  }

  /// A run is a chunk, or goes on with the one before it.
  private mutating func place(_ run: FragmentRun) {
    let offset = run.offset ?? 0  // Nowhere only without bytes: what is misplaced was refused.
    let count = UInt32(clamping: run.sampleCount)
    if let last = places.last, placeEnd == offset, last.sampleDescriptionIndex == run.sampleDescriptionIndex,
      !last.sampleCount.addingReportingOverflow(count).overflow
    {
      places[places.count - 1].sampleCount += count
    } else {
      places.append(
        ChunkPlace(offset: offset, sampleCount: count, sampleDescriptionIndex: run.sampleDescriptionIndex))
    }
    placeEnd = run.byteRange?.end ?? offset
  }
}
