/// The samples of a track, those of its tables in `moov` and those of its fragments.
package struct FragmentedTrack: Sendable {
  /// The track's ID.
  package let trackID: UInt32
  /// Its tables in `moov`; mostly empty in a fragmented movie.
  package let table: SampleTable
  /// How many samples ``table`` places in chunks; those of fragments are counted after them.
  package let tableSampleCount: Int
  /// Its runs, in the order of the file.
  package let runs: [FragmentRun]
  /// How far before the media's start the first sample is decoded, in ticks; mostly 0. Decode times of runs, and all that
  /// follows from them, count from there, so that none is negative.
  package let ticksBeforeStart: UInt64
  /// When the last of its fragments ends, in ticks of the media; without fragments, when the tables end. A fragment of
  /// an empty duration counts. A time beyond 64 bits stays at the largest.
  package let endTime: UInt64

  /// All its samples, in the order of the file.
  package var samples: FragmentedSampleIndex { FragmentedSampleIndex(self) }

  /// How many samples it has in `moov` and fragments together.
  package var sampleCount: Int { runs.last?.samples.upperBound ?? tableSampleCount }
}

/// All samples of a track with their bytes and times: first those that `moov` has, then those of the fragments.
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
  package func makeIterator() -> Iterator {
    Iterator(track)
  }

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
