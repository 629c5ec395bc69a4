/// A run of a fragment's samples, with all defaults and implied values resolved.
package struct FragmentRun: Hashable, Sendable {
  /// The index of the run among all runs of its track, from 0.
  package let index: Int
  /// The index of the fragment in ``MovieFragments/fragments``.
  package let fragmentIndex: Int
  /// The run as stored in the file.
  package let table: TrackRun
  /// The defaults for fields that the run omits.
  package let defaults: SampleDefaults
  /// The file offset of the first sample, or `nil` if the offset is negative or overflows in a damaged file.
  package let offset: UInt64?
  /// The total size of the samples in bytes.
  package let byteCount: UInt64
  /// The decode time of the first sample, in media ticks from the track's first decode time
  /// (``FragmentedTrack/ticksBeforeStart``). Saturates at `UInt64.max`.
  package let decodeTime: UInt64
  /// The total duration of the samples, in media ticks.
  package let duration: UInt64
  /// The index of the first sample among all samples of the track, counted from 0 and including the samples in
  /// `moov`.
  package let firstSample: Int

  /// The number of samples, which may be 0.
  package var sampleCount: Int { table.count }
  /// The indices of the samples among all samples of the track, from 0.
  package var samples: Range<Int> { firstSample..<firstSample + table.count }
  /// The number of the sample description in `stsd`, from 1.
  package var sampleDescriptionIndex: UInt32 { defaults.sampleDescriptionIndex }
  /// The end of the last sample, in media ticks. Saturates at `UInt64.max`.
  package var endTime: UInt64 { decodeTime.addingClamped(duration) }

  /// Returns the run limited to the first `count` samples.
  func prefix(_ count: Int) -> FragmentRun {
    let keptTable = table.prefix(count)
    return FragmentRun(
      index: index, fragmentIndex: fragmentIndex, table: keptTable, defaults: defaults, offset: offset,
      byteCount: keptTable.byteCount(of: 0..<keptTable.count, default: defaults.size), decodeTime: decodeTime,
      duration: keptTable.duration(of: 0..<keptTable.count, default: defaults.duration), firstSample: firstSample)
  }

  /// The number of samples whose decoding depends on other samples. Makes a pass over the entries if they contain
  /// flags.
  package var nonSyncSampleCount: Int {
    guard !table.hasSampleFlags else {
      return (0..<table.count).count { table.sampleFlags(at: $0)?.isNonSync ?? false }
    }
    guard table.count > 0 else { return 0 }
    let first = table.firstSampleFlags ?? defaults.flags
    return (first.isNonSync ? 1 : 0) + (defaults.flags.isNonSync ? table.count - 1 : 0)
  }

  /// The byte range of the samples, or `nil` if ``offset`` is `nil` or the end overflows.
  package var byteRange: ByteRange? { offset.flatMap { ByteRange(offset: $0, count: byteCount) } }
}

/// A cursor over the samples of a run.
struct FragmentRunCursor {
  private let run: FragmentRun
  private let chunkIndex: Int
  private var next = 0
  private var offset: UInt64?
  private var decodeTime: UInt64

  /// Creates a cursor at the first sample of the run.
  ///
  /// - Parameter chunkCount: the number of chunks in `moov`. Each run counts as a chunk after these chunks.
  init(_ run: FragmentRun, chunkCount: Int) {
    self.run = run
    chunkIndex = chunkCount + run.index
    offset = run.offset
    decodeTime = run.decodeTime
  }

  /// Returns the next sample of the run, or `nil` after the last.
  mutating func nextSample() -> Sample? {
    guard next < run.table.count else { return nil }
    let entry = run.table[next]
    let duration = entry.duration ?? run.defaults.duration
    let byteRange = offset.flatMap { ByteRange(offset: $0, count: UInt64(entry.size ?? run.defaults.size)) }
    let sample = Sample(
      index: run.firstSample + next, byteRange: byteRange, decodeTime: decodeTime, duration: duration,
      compositionOffset: Int64(entry.compositionOffset ?? 0), isSync: (entry.flags ?? run.defaults.flags).isSync,
      chunkIndex: chunkIndex, sampleDescriptionIndex: run.sampleDescriptionIndex)
    next += 1
    offset = byteRange?.end
    decodeTime = decodeTime.addingClamped(UInt64(duration))
    return sample
  }
}

/// The offsets of a track fragment's samples and auxiliary information.
///
/// Track fragments of unknown tracks also have offsets, because an edit moves the bytes of unknown tracks as well.
package struct FragmentDataOffsets {
  /// The offsets of the runs, followed by the offsets of the auxiliary information. Empty ranges are omitted.
  package let starts: [UInt64]

  /// Reads the offsets of a track fragment from its fragment's tree. Throws if an atom is damaged.
  package init(of fragment: TrackFragment, in tree: AtomTree) throws(MovieError) {
    let base = fragment.baseOffset  // `nil` if the offset overflows.
    var starts: [UInt64] = []
    var next = base
    for trun in tree.children(of: fragment.atom, "trun") {
      let run = try tree.decode(TrackRun.self, at: trun)
      let start = run.dataOffset.map { distance in base.flatMap { $0.moved(by: distance) } } ?? next
      let byteCount = run.byteCount(of: 0..<run.count, default: fragment.defaults.size)
      if let start, byteCount > 0 { starts.append(start) }
      next = start.flatMap { ByteRange(offset: $0, count: byteCount)?.end }
    }
    for information in try fragment.auxiliaryInformation(in: tree) {
      starts += information.ranges.filter { $0.count > 0 }.map(\.offset)
    }
    self.starts = starts
  }
}
