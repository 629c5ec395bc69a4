// A track's samples in `moov` and in fragments, as one sequence.

/// The samples of a track: first the samples in the tables of `moov`, then the samples in fragments.
package struct FragmentedTrack: Sendable {
  package let trackID: UInt32
  /// The sample tables in `moov`. They are usually empty in a fragmented movie.
  package let table: SampleTable
  /// The number of samples that ``table`` assigns to chunks. The samples in fragments are numbered after these samples.
  package let tableSampleCount: Int
  /// The runs, in file order.
  package let runs: [FragmentRun]
  /// The number of ticks from the first decode time to the start of the media. It is usually 0. Decode times of runs
  /// count from the first decode time, so they are never negative.
  package let ticksBeforeStart: UInt64
  /// The end of the last fragment, in media ticks, or the end of the tables if there are no fragments. Fragments with
  /// an empty duration are included. Saturates at `UInt64.max`.
  package let endTime: UInt64

  /// All samples, in file order.
  package var samples: FragmentedSampleIndex { FragmentedSampleIndex(self) }

  /// The number of samples in `moov` and in fragments.
  package var sampleCount: Int { runs.last?.samples.upperBound ?? tableSampleCount }
}

/// All samples of a track with byte ranges and times. The samples of `moov` precede the samples of fragments.
///
/// For a sample in a fragment, the chunk index is the index of its run, counted after the chunks of `moov`. Decode
/// times are taken from the fragments, so there may be gaps between runs. An iteration takes constant time for each
/// sample.
package struct FragmentedSampleIndex: Sequence, Sendable {
  private let track: FragmentedTrack

  init(_ track: FragmentedTrack) {
    self.track = track
  }

  /// Returns an iterator at the first sample.
  package func makeIterator() -> Iterator { Iterator(track) }

  /// The number of samples.
  package var underestimatedCount: Int { track.sampleCount }

  package struct Iterator: IteratorProtocol, Sendable {
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
