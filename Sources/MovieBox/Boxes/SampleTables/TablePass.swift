/// A pass over tables of a track, from their first entry on: what costs something on a movie with a chunk for every
/// other sample, and what tests therefore count.
package enum TablePass: Sendable, Hashable, CaseIterable {
  /// Over the offsets alone (`stco`), many at a time.
  case offsets
  /// Over the sizes of all samples (`stsz`).
  case sizes
  /// Over the chunks: offsets, `stsc` and sizes.
  case chunks
  /// Over the samples: all tables.
  case samples
  /// Over the times of samples (`stts`).
  case times

  /// Called when a pass begins.
  @TaskLocal package static var didBegin: (@Sendable (TablePass) -> Void)?

  @inline(never)
  func begin() { Self.didBegin?(self) }
}
