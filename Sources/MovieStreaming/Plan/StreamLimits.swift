import MovieBox
import Synchronization

/// How large a presentation may be before it is refused.
package struct StreamLimits: Hashable, Sendable {
  /// No track may have more samples.
  package var sampleCount = 30_000_000
  /// All tracks together may have no more segments: ten tracks of three days, of six seconds each.
  package var segmentCount = 400_000
  /// All tracks together may have no more fragments, of which each group of pictures is one, but for short ones.
  package var fragmentCount = 500_000
  /// All text together may have no more cues, those counted twice that are in two renditions: ten times what a track may
  /// have.
  package var cueCount = 2_000_000
  /// All segments of text together may have no more bytes: cues are in each segment that they are shown in.
  package var textByteCount = 512 << 20

  package init() {}
}

/// What a presentation may still have. Tables of a few bytes claim any number of samples, and tracks may share them: so
/// all tracks take from one budget, also those that are cut at the same time.
final class StreamBudget: Sendable {
  /// Two tracks may have the same media; more mean no film.
  private static let largestShare: UInt64 = 4

  private let limits: StreamLimits
  private let segmentsLeft: Atomic<Int>
  private let fragmentsLeft: Atomic<Int>
  private let bytesLeft: Atomic<Int64>

  /// That of movies of so many bytes together.
  init(_ limits: StreamLimits, byteCount: UInt64) {
    self.limits = limits
    segmentsLeft = Atomic(limits.segmentCount)
    fragmentsLeft = Atomic(limits.fragmentCount)
    let (product, isOver) = byteCount.multipliedReportingOverflow(by: Self.largestShare)
    bytesLeft = Atomic(isOver ? .max : Int64(clamping: product))
  }

  /// Refuses a track that claims more samples than it may take, before anyone walks them.
  func check(_ samples: FragmentedTrack, ofTrack id: UInt32) throws(MovieError) {
    let count = samples.sampleCount
    guard count <= limits.sampleCount else {
      throw MovieError(.limit, "\(count) samples of track \(id), the limit is \(limits.sampleCount)")
    }
    guard Int64(count) <= bytesLeft.load(ordering: .relaxed) else { throw Self.tooManyBytes }
  }

  func takeSegments(_ count: Int = 1) throws(MovieError) {
    guard segmentsLeft.wrappingSubtract(count, ordering: .relaxed).newValue >= 0 else {
      throw MovieError(.limit, "more than \(limits.segmentCount) segments of all tracks")
    }
  }

  /// A fragment of so many samples, which have so many bytes; samples of no bytes count too.
  func takeFragment(_ sampleCount: Int, _ byteCount: UInt64) throws(MovieError) {
    guard fragmentsLeft.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 else {
      throw MovieError(.limit, "more than \(limits.fragmentCount) fragments of all tracks")
    }
    try take(max(Int64(clamping: byteCount), Int64(sampleCount)))
  }

  /// The samples of a track of text. Costs a pass over their sizes, where these differ.
  func takeText(_ samples: FragmentedTrack) throws(MovieError) {
    let sizes = samples.table.sampleSizes
    let stored = sizes.byteCount(of: 0..<min(sizes.count, samples.tableSampleCount))
    let byteCount = samples.runs.reduce(stored) { $0.addingClamped($1.byteCount) }
    try take(max(Int64(clamping: byteCount), Int64(samples.sampleCount)))
  }

  private func take(_ count: Int64) throws(MovieError) {
    guard bytesLeft.load(ordering: .relaxed) >= count,
      bytesLeft.wrappingSubtract(count, ordering: .relaxed).newValue >= 0
    else { throw Self.tooManyBytes }
  }

  private static let tooManyBytes = MovieError(
    .unsupported, "the tracks have more than \(largestShare) times the bytes of the file")
}
