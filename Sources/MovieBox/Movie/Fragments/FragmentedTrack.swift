// A track's samples in `moov` and in fragments, as one sequence.

/// The samples of a track: those in the tables of `moov`, then those in fragments.
package struct FragmentedTrack: Sendable {
  package let trackID: UInt32
  /// The sample tables in `moov`, which are usually empty in a fragmented movie.
  package let table: SampleTable
  /// The number of samples that ``table`` assigns to chunks. The samples of fragments are numbered after them.
  package let tableSampleCount: Int
  /// The runs, in file order.
  package let runs: [FragmentRun]
  /// The number of ticks by which the first decode time precedes the start of the media; usually 0. Decode times of
  /// runs count from that time, so none is negative.
  package let ticksBeforeStart: UInt64
  /// The end of the last fragment, in media ticks, or the end of the tables without fragments. Includes a fragment of
  /// an empty duration. The largest value if it overflows.
  package let endTime: UInt64

  /// All samples, in file order.
  package var samples: FragmentedSampleIndex { FragmentedSampleIndex(self) }

  /// The number of samples in `moov` and in fragments.
  package var sampleCount: Int { runs.last?.samples.upperBound ?? tableSampleCount }
}

/// All samples of a track with byte ranges and times: the samples of `moov`, then those of fragments.
///
/// The samples are like those of a ``SampleIndex``. The chunk index of a sample in a fragment is that of its run,
/// after the chunks of `moov`. Decode times follow the fragments, so there may be gaps between runs. Walking costs a
/// few steps for each sample.
package struct FragmentedSampleIndex: Sequence, Sendable {
  private let track: FragmentedTrack

  init(_ track: FragmentedTrack) {
    self.track = track
  }

  /// Returns an iterator at the first sample.
  package func makeIterator() -> Iterator { Iterator(track) }

  /// The number of samples.
  package var underestimatedCount: Int { track.sampleCount }

  package struct Iterator: IteratorProtocol {
    private var tableSamples: SampleIndex.Iterator
    private let runs: [FragmentRun]
    private let chunkCount: Int
    private var nextRun = 0
    private var run: FragmentRunCursor?
    private var isInTable = true

    init(_ track: FragmentedTrack) {
      tableSamples = track.table.samples.makeIterator()
      runs = track.runs
      chunkCount = track.table.chunkCount
    }

    /// Returns the next sample, or `nil` after the last.
    package mutating func next() -> Sample? {
      if isInTable {
        if let sample = tableSamples.next() { return sample }
        isInTable = false
      }
      while true {
        if let sample = run?.nextSample() { return sample }
        guard nextRun < runs.count else { return nil }
        run = FragmentRunCursor(runs[nextRun], chunkCount: chunkCount)
        nextRun += 1
      }
    }
  }
}
