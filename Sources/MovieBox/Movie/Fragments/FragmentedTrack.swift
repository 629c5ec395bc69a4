// The samples of a track in `moov` and in its fragments as one sequence.

/// The samples of a track, those of its tables in `moov` and those of its fragments.
package struct FragmentedTrack: Sendable {
  /// The track's ID.
  package let trackID: UInt32
  /// Its tables in `moov`; mostly empty in a fragmented movie.
  package let table: SampleTable
  /// The number of samples that ``table`` places in chunks. The samples of fragments are counted after them.
  package let tableSampleCount: Int
  /// Its runs, in the order of the file.
  package let runs: [FragmentRun]
  /// The distance of the first decode time before the media's start, in ticks; mostly 0. Decode times of runs count
  /// from there, so that none is negative.
  package let ticksBeforeStart: UInt64
  /// The end of the last fragment, in ticks of the media; without fragments, the end of the tables. A fragment of an
  /// empty duration counts. A time beyond 64 bits becomes the largest.
  package let endTime: UInt64

  /// All its samples, in the order of the file.
  package var samples: FragmentedSampleIndex { FragmentedSampleIndex(self) }

  /// The number of samples in `moov` and fragments together.
  package var sampleCount: Int { runs.last?.samples.upperBound ?? tableSampleCount }
}

/// All samples of a track with their bytes and times: first the samples of `moov`, then the fragments'.
///
/// The samples are as those of a ``SampleIndex``; the chunk of one in a fragment is the number of its run, counted
/// after the chunks of `moov`. Decode times are what the fragments say: there may be gaps between runs. A walk costs a
/// few steps a sample.
package struct FragmentedSampleIndex: Sequence, Sendable {
  private let track: FragmentedTrack

  init(_ track: FragmentedTrack) {
    self.track = track
  }

  /// A walk from the first sample.
  package func makeIterator() -> Iterator { Iterator(track) }

  /// The number of samples.
  package var underestimatedCount: Int { track.sampleCount }

  /// Walks the samples.
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

    /// The next sample, `nil` after the last.
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
