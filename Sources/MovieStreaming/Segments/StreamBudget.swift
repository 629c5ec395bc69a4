import MovieBox

/// What a presentation may still have. Tables of a few bytes claim any number of samples, and tracks may share them: so
/// all tracks take from one budget.
struct StreamBudget {
  /// Two tracks may have the same media; more mean no film.
  private static let largestShare: UInt64 = 4

  private let limits: StreamLimits
  private var segmentsLeft: Int
  private var fragmentsLeft: Int
  private var bytesLeft: UInt64

  /// That of movies of so many bytes together.
  init(_ limits: StreamLimits, byteCount: UInt64) {
    self.limits = limits
    segmentsLeft = limits.segmentCount
    fragmentsLeft = limits.fragmentCount
    bytesLeft =
      byteCount.multipliedReportingOverflow(by: Self.largestShare).overflow ? .max : byteCount * Self.largestShare
  }

  mutating func takeSegments(_ count: Int = 1) throws(MovieError) {
    guard count <= segmentsLeft else {
      throw MovieError(.limit, "more than \(limits.segmentCount) segments of all tracks")
    }
    segmentsLeft -= count
  }

  mutating func takeFragment() throws(MovieError) {
    fragmentsLeft -= 1
    guard fragmentsLeft >= 0 else {
      throw MovieError(.limit, "more than \(limits.fragmentCount) fragments of all tracks")
    }
  }

  /// A sample of so many bytes; one of none counts too.
  @inline(__always)
  mutating func takeSample(_ byteCount: UInt64) throws(MovieError) {
    let (left, isOver) = bytesLeft.subtractingReportingOverflow(max(1, byteCount))
    guard !isOver else { throw Self.tooManyBytes }
    bytesLeft = left
  }

  private static var tooManyBytes: MovieError {
    MovieError(.unsupported, "the tracks have more than \(largestShare) times the bytes of the file")
  }
}
