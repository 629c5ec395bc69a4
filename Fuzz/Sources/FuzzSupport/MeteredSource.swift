import MovieBox
import Synchronization

/// A movie in memory. It is a finding if more than a certain multiple of its size is read.
final class MeteredSource: RandomAccessSource {
  let bytes: Bytes
  private let base: MemorySource
  private let readByteCount = Mutex<UInt64>(0)

  /// The maximum number of bytes that a fuzzer may read from one movie, as a multiple of the movie's size.
  private static let allowedMultiple: UInt64 = 400

  init(_ bytes: Bytes) {
    self.bytes = bytes
    base = MemorySource(bytes)
  }

  convenience init(_ array: [UInt8]) {
    self.init(Bytes(array))
  }

  func identity() -> SourceIdentity { base.identity() }

  func read(_ range: ByteRange) throws -> Bytes {
    let sum = readByteCount.withLock { sum in
      sum += range.count
      return sum
    }
    let allowed = (UInt64(bytes.count) + 4096) * Self.allowedMultiple
    if sum > allowed { fault("\(sum) bytes read of a movie of \(bytes.count)") }
    return try base.read(range)
  }
}
