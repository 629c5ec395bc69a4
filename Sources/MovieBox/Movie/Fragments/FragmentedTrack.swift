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
