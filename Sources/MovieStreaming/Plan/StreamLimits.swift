import MovieBox
import Synchronization

/// The limits of a presentation. A presentation that exceeds a limit is rejected.
package struct StreamLimits: Hashable, Sendable {
  /// The largest number of samples in a track.
  package var sampleCount = 30_000_000
  /// The largest number of segments in all tracks: ten tracks of three days, in segments of six seconds.
  package var segmentCount = 400_000
  /// The largest number of fragments in all tracks. Short groups of pictures are joined in one fragment.
  package var fragmentCount = 500_000
  /// The largest number of cues in all renditions: ten times the limit for a track.
  package var cueCount = 2_000_000
  /// The largest total size of all text segments. Each segment contains all cues that are shown during the segment.
  package var textByteCount = 512 << 20

  package init() {}
}

/// The remaining budget of a presentation.
///
/// Tables of a few bytes can declare any number of samples, and tracks can share tables. So all tracks use the same
/// budget, even if two threads segment them at the same time.
final class StreamBudget: Sendable {
  /// The largest total size of all samples, as a multiple of the file size. Two tracks can share media, but in real
  /// films the multiple is smaller.
  private static let largestByteCountFactor: UInt64 = 4

  private let limits: StreamLimits
  private let segmentsLeft: Atomic<Int>
  private let fragmentsLeft: Atomic<Int>
  private let bytesLeft: Atomic<Int64>

  /// Creates the budget for movies with a total of `byteCount` bytes.
  init(_ limits: StreamLimits, byteCount: UInt64) {
    self.limits = limits
    segmentsLeft = Atomic(limits.segmentCount)
    fragmentsLeft = Atomic(limits.fragmentCount)
    let (product, isOver) = byteCount.multipliedReportingOverflow(by: Self.largestByteCountFactor)
    bytesLeft = Atomic(isOver ? .max : Int64(clamping: product))
  }

  /// Throws if a track declares more samples than the budget allows. Does not iterate over the samples.
  func check(_ samples: FragmentedTrack, ofTrack id: UInt32) throws(MovieError) {
    let count = samples.sampleCount
    guard count <= limits.sampleCount else {
      throw MovieError(.limit, "track \(id) has \(count) samples; the limit is \(limits.sampleCount)")
    }
    guard Int64(count) <= bytesLeft.load(ordering: .relaxed) else { throw Self.sampleByteCountError }
  }

  func consumeSegments(_ count: Int = 1) throws(MovieError) {
    guard segmentsLeft.wrappingSubtract(count, ordering: .relaxed).newValue >= 0 else {
      throw MovieError(.limit, "the tracks have more than \(limits.segmentCount) segments")
    }
  }

  /// Subtracts a fragment from the budget. An empty sample counts as one byte.
  func consumeFragment(_ sampleCount: Int, _ byteCount: UInt64) throws(MovieError) {
    guard fragmentsLeft.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 else {
      throw MovieError(.limit, "the tracks have more than \(limits.fragmentCount) fragments")
    }
    try consumeBytes(max(Int64(clamping: byteCount), Int64(sampleCount)))
  }

  /// Subtracts the samples of a text track from the budget. Makes a pass over the sample sizes, unless all are equal.
  func consumeText(_ samples: FragmentedTrack) throws(MovieError) {
    let sizes = samples.table.sampleSizes
    let stored = sizes.byteCount(of: 0..<min(sizes.count, samples.tableSampleCount))
    let byteCount = samples.runs.reduce(stored) { $0.addingClamped($1.byteCount) }
    try consumeBytes(max(Int64(clamping: byteCount), Int64(samples.sampleCount)))
  }

  private func consumeBytes(_ count: Int64) throws(MovieError) {
    guard bytesLeft.load(ordering: .relaxed) >= count,
      bytesLeft.wrappingSubtract(count, ordering: .relaxed).newValue >= 0
    else { throw Self.sampleByteCountError }
  }

  private static let sampleByteCountError = MovieError(
    .unsupported, "the samples of the tracks add up to more than \(largestByteCountFactor) times the size of the file")
}
