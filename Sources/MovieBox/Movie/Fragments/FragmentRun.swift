/// A run of samples of a fragment, with all that it leaves to defaults and to what lies before it worked out.
package struct FragmentRun: Hashable, Sendable {
  /// The run's number among those of its track, counted from 0 over all fragments.
  package let index: Int
  /// The fragment that it lies in, an index of ``MovieFragments/fragments``.
  package let fragmentIndex: Int
  /// The run as it stands in the file.
  package let table: TrackRun
  /// The defaults for fields that the run lacks.
  package let defaults: SampleDefaults
  /// The start of its samples, in bytes from the start of the file; `nil` if it is before the file's start or does not
  /// fit in 64 bits, which only happens in a broken file.
  package let offset: UInt64?
  /// The size of its samples together.
  package let byteCount: UInt64
  /// The decode time of its first sample, in ticks of the media from ``FragmentedTrack/ticksBeforeStart`` on. A time
  /// beyond 64 bits becomes the largest.
  package let decodeTime: UInt64
  /// The durations of its samples together, in ticks of the media.
  package let duration: UInt64
  /// The number of its first sample among those of the track, counted from 0, the samples of `moov` included.
  package let firstSample: Int

  /// The number of samples; may be 0.
  package var sampleCount: Int { table.count }
  /// Its samples, counted from 0 among those of the track.
  package var samples: Range<Int> { firstSample..<firstSample + table.count }
  /// The number of its samples' description in `stsd`, counted from 1 as stored.
  package var sampleDescriptionIndex: UInt32 { defaults.sampleDescriptionIndex }
  /// The end of its last sample, in ticks of the media. A time beyond 64 bits becomes the largest.
  package var endTime: UInt64 { decodeTime.addingClamped(duration) }

  /// The run without the samples from the one at `count` on.
  func prefix(_ count: Int) -> FragmentRun {
    let kept = table.prefix(count)
    return FragmentRun(
      index: index, fragmentIndex: fragmentIndex, table: kept, defaults: defaults, offset: offset,
      byteCount: kept.byteCount(of: 0..<kept.count, default: defaults.size), decodeTime: decodeTime,
      duration: kept.duration(of: 0..<kept.count, default: defaults.duration), firstSample: firstSample)
  }

  /// The number of samples that cannot be decoded on their own. Costs a pass over the samples that have flags of their
  /// own.
  package var nonSyncSampleCount: Int {
    guard !table.hasSampleFlags else {
      return (0..<table.count).count { table.sampleFlags(at: $0)?.isNonSync ?? false }
    }
    guard table.count > 0 else { return 0 }
    let first = table.firstSampleFlags ?? defaults.flags
    return (first.isNonSync ? 1 : 0) + (defaults.flags.isNonSync ? table.count - 1 : 0)
  }

  /// Its bytes; `nil` where ``offset`` is, and when their end would not fit in 64 bits.
  package var byteRange: ByteRange? { offset.flatMap { ByteRange(offset: $0, count: byteCount) } }
}

/// Walks the samples of one run.
struct FragmentRunCursor {
  private let run: FragmentRun
  private let chunkIndex: Int
  private var next = 0
  private var offset: UInt64?
  private var decodeTime: UInt64

  /// A walk from the first sample of the run.
  ///
  /// - Parameter chunkCount: how many chunks `moov` has, which runs are counted after.
  init(_ run: FragmentRun, chunkCount: Int) {
    self.run = run
    chunkIndex = chunkCount + run.index
    offset = run.offset
    decodeTime = run.decodeTime
  }

  /// The next sample of the run, `nil` after its last.
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

/// The positions of a track's samples in a fragment, and of the data that describes them elsewhere in the file.
///
/// Of tracks that the movie does not have, too: their bytes move like those of others.
package struct FragmentDataOffsets {
  /// The first byte of each run of samples, then of auxiliary information; those of no bytes are left out.
  package let starts: [UInt64]

  /// The data of `part` of the fragment with this tree. Throws for atoms that are broken, as their readers do.
  package init(of part: TrackFragment, in tree: AtomTree) throws(MovieError) {
    let base = part.baseOffset  // `nil` where positions count from nowhere.
    var starts: [UInt64] = []
    var next = base
    for trun in tree.children(of: part.atom, "trun") {
      let run = try tree.decode(TrackRun.self, at: trun)
      let start = run.dataOffset.map { distance in base.flatMap { $0.moved(by: distance) } } ?? next
      let byteCount = run.byteCount(of: 0..<run.count, default: part.defaults.size)
      if let start, byteCount > 0 { starts.append(start) }
      next = start.flatMap { ByteRange(offset: $0, count: byteCount)?.end }
    }
    for information in try part.auxiliaryInformation(in: tree) {
      starts += information.ranges.filter { $0.count > 0 }.map(\.offset)
    }
    self.starts = starts
  }
}
