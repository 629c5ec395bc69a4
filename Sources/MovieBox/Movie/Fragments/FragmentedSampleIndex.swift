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
