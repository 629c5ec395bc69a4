// Samples with equal properties are compared as runs. A film has a million samples but only a few thousand runs.

/// Consecutive samples of one chunk with equal properties.
struct SampleRun {
  /// The index of the first sample, from 0.
  var firstSample: Int
  /// The number of samples. A small table can declare any number up to 2³².
  var count: Int
  /// The decode time of the first sample, in ticks of the media time scale.
  var decodeTime: UInt64
  var duration: UInt32
  var compositionOffset: Int64
  var isSync: Bool
  /// The size of each sample as declared in the table.
  var byteCount: UInt32
  /// The index of the sample description, from 1 as stored.
  var descriptionIndex: UInt32
  /// The bytes of all samples, or `nil` if the end of the bytes exceeds 64 bits.
  var range: ByteRange?
  /// The chunk, if sound packets determine its size, or `nil` if `stsz` does. See ``ChunkLocator``.
  var packetChunk: Chunk?

  /// Returns the byte range of `count` samples, after the first `skipped` samples of the run.
  func range(skipping skipped: Int, count: Int, _ locator: ChunkLocator, _ sizes: SampleSizeTable) -> ByteRange? {
    if let packetChunk {
      return Self.range(of: firstSample + skipped..<firstSample + skipped + count, of: packetChunk, locator, sizes)
    }
    return range.flatMap {
      ByteRange(
        offset: $0.offset &+ UInt64(skipped) &* UInt64(byteCount), count: UInt64(count) &* UInt64(byteCount))
    }
  }

  fileprivate static func range(
    of samples: Range<Int>, of chunk: Chunk, _ locator: ChunkLocator, _ sizes: SampleSizeTable
  ) -> ByteRange? {
    guard let before = locator.byteCount(of: chunk.firstSample..<samples.lowerBound, of: chunk, sizes),
      let all = locator.byteCount(of: chunk.firstSample..<samples.upperBound, of: chunk, sizes), all >= before,
      let start = ByteRange(offset: chunk.offset, count: before)?.end
    else { return nil }
    return ByteRange(offset: start, count: all - before)
  }
}

/// The runs of a track: first the runs of its tables, then the runs of its fragments.
///
/// In tables, the iteration requires one step for each entry, regardless of how many samples the entry declares. In
/// fragments, it requires one step for each sample.
struct SampleRuns: Sequence, IteratorProtocol {
  let locator: ChunkLocator
  let sizes: SampleSizeTable
  private let table: SampleTable
  private let uniformSize: UInt32?
  private var chunks: ChunkSequence.Iterator
  private var chunk: Chunk?
  private var index = 0
  private var offset: UInt64?
  private var time: UInt64 = 0
  private var durations: RunLengthCursor
  private var compositions: RunLengthCursor?
  private var syncEntry = 0
  private var runs: ArraySlice<FragmentRun>
  private var run: (run: FragmentRun, next: Int, time: UInt64, offset: UInt64?)?
  private let delays: [UInt64]
  /// The number of ticks added to each decode time, so that decode times are relative to the requested origin.
  private let decodeTimeShift: UInt64
  /// Whether every sample counts as a sync sample. In text tracks, no sample depends on another sample
  /// (``SampleFlags/correctedForText``).
  private let areAllSync: Bool

  /// - Parameters:
  ///   - origin: the number of ticks by which the origin of decode times precedes the start of the media. It must be at
  ///     least ``FragmentedTrack/ticksBeforeStart``.
  ///   - isWithoutFragments: whether times and flags are converted to their values in a flattened movie.
  init(_ track: Track, _ fragmented: FragmentedTrack?, origin: UInt64 = 0, isWithoutFragments: Bool = false) {
    locator = ChunkLocator(track)
    table = track.samples
    sizes = table.sampleSizes
    if case .uniform(let size) = sizes.layout { uniformSize = size } else { uniformSize = nil }
    chunks = table.chunks.makeIterator()
    durations = RunLengthCursor(table.timeToSample)
    compositions = table.compositionOffsets.map { RunLengthCursor($0) }
    runs = fragmented?.runs[...] ?? []
    let ownOrigin = fragmented?.ticksBeforeStart ?? 0
    decodeTimeShift = origin - Swift.min(origin, ownOrigin)
    time = decodeTimeShift
    areAllSync = isWithoutFragments && fragmented != nil && track.mediaType.isText
    // Subtract the start of the track from each delay. The difference may wrap around. Adding it to the decode time
    // wraps back.
    let start = isWithoutFragments ? fragmented?.startTime ?? 0 : 0
    delays = isWithoutFragments ? fragmented?.runDelays.map { $0 &- start } ?? [] : []
  }

  mutating func next() -> SampleRun? { nextTableRun() ?? nextFragmentRun() }

  // MARK: - Tables

  private mutating func nextTableRun() -> SampleRun? {
    while index >= chunk?.samples.upperBound ?? 0 {
      guard let next = chunks.next() else {
        chunk = nil
        return nil
      }
      chunk = next
      index = next.firstSample
      offset = next.offset
    }
    guard let chunk else { return nil }
    var count = chunk.samples.upperBound - index
    // Samples beyond the end of a table have no duration and no composition offset.
    let duration = durations.currentRun() ?? (0, .max)
    let compositionRun = compositions?.currentRun() ?? (0, .max)
    count = Swift.min(count, Int(duration.count), Int(compositionRun.count))
    let isSync = isSync(shorteningRun: &count)
    let size = uniformSize ?? sizes[index]
    if uniformSize == nil {
      var same = 1
      while same < count, sizes[index + same] == size { same += 1 }
      count = same
    }
    let (total, overflow) = UInt64(count).multipliedReportingOverflow(by: UInt64(size))
    var newRun = SampleRun(
      firstSample: index, count: count, decodeTime: time, duration: duration.value,
      compositionOffset: Int64(Int32(bitPattern: compositionRun.value)),
      isSync: isSync, byteCount: size, descriptionIndex: chunk.sampleDescriptionIndex,
      range: overflow ? nil : offset.flatMap { ByteRange(offset: $0, count: total) })
    if !locator.hasNoLegacyAudioPackets {
      newRun.packetChunk = chunk
      newRun.range = SampleRun.range(of: index..<index + count, of: chunk, locator, sizes)
    }
    offset = overflow ? nil : offset.flatMap { ByteRange(offset: $0, count: total)?.end }
    index += count
    durations.skip(UInt32(clamping: count))
    compositions?.skip(UInt32(clamping: count))
    time = time.addingClamped(UInt64(count).multipliedClamped(by: UInt64(duration.value)))
    return newRun
  }

  /// Whether the sample at `index` is a sync sample. Shortens `count` to the samples with the same answer.
  private mutating func isSync(shorteningRun count: inout Int) -> Bool {
    guard let sync = table.syncSamples, !areAllSync else { return true }
    while syncEntry < sync.count, Int(sync[syncEntry]) <= index { syncEntry += 1 }
    guard syncEntry < sync.count else { return false }
    // Sample numbers count from 1. The loop skipped all entries up to `index`, so the distance is not negative.
    let distance = Int(sync[syncEntry]) - 1 - index
    count = distance == 0 ? 1 : Swift.min(count, distance)
    return distance == 0
  }

  // MARK: - Fragments

  private mutating func nextFragmentRun() -> SampleRun? {
    while run.map({ $0.next >= $0.run.sampleCount }) ?? true {
      guard let next = runs.popFirst() else { return nil }
      let delay = delays.indices.contains(next.index) ? delays[next.index] : 0
      run = (next, 0, (next.decodeTime &+ delay).addingClamped(decodeTimeShift), next.offset)
    }
    guard let current = run else { return nil }
    let entry = current.run.table[current.next]
    let duration = entry.duration ?? current.run.defaults.duration
    let size = entry.size ?? current.run.defaults.size
    let range = current.offset.flatMap { ByteRange(offset: $0, count: UInt64(size)) }
    run = (current.run, current.next + 1, current.time.addingClamped(UInt64(duration)), range?.end)
    return SampleRun(
      firstSample: current.run.firstSample + current.next, count: 1, decodeTime: current.time, duration: duration,
      compositionOffset: Int64(entry.compositionOffset ?? 0),
      isSync: areAllSync || (entry.flags ?? current.run.defaults.flags).isSync, byteCount: size,
      descriptionIndex: current.run.sampleDescriptionIndex, range: range)
  }
}

extension UInt64 {
  fileprivate func multipliedClamped(by other: UInt64) -> UInt64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
