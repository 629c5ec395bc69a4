import MovieBox
import Synchronization
import TestSupport

/// A movie of any size that consists mostly of holes and counts requests, as over a network.
final class SegmentSource: RandomAccessSource {
  /// The number of requests, and of requested bytes.
  struct Requests: Equatable {
    var count = 0
    var byteCount: UInt64 = 0
  }

  private let movie: BuiltMovie
  private let counted = Mutex(Requests())

  init(_ movie: TestMovie) {
    self.movie = movie.build()
  }

  var byteCount: UInt64 { movie.byteCount }

  /// Returns the requests since the last call.
  func takeRequests() -> Requests {
    counted.withLock { requests in
      defer { requests = Requests() }
      return requests
    }
  }

  func identity() -> SourceIdentity {
    SourceIdentity(byteCount: movie.byteCount, tag: "\"segments\"")
  }

  func read(_ range: ByteRange) throws -> Bytes {
    counted.withLock { requests in
      requests.count += 1
      requests.byteCount += range.count
    }
    guard range.end <= movie.byteCount else { throw TestSupportError("asked for bytes past the end") }
    var bytes = [UInt8](repeating: 0, count: Int(range.count))
    for segment in movie.segments {
      let start = max(segment.offset, range.offset)
      let end = min(segment.offset + UInt64(segment.bytes.count), range.end)
      guard start < end else { continue }
      bytes.replaceSubrange(
        Int(start - range.offset)..<Int(end - range.offset),
        with: segment.bytes[Int(start - segment.offset)..<Int(end - segment.offset)])
    }
    return Bytes(bytes)
  }
}
