import MovieBox
import Synchronization

/// A movie in memory that is asked for no more than a bounded multiple of its bytes.
final class MeteredSource: RandomAccessSource {
  let bytes: Bytes
  private let base: MemorySource
  private let readByteCount = Mutex<UInt64>(0)

  /// How many times over the bytes may be read by all that a fuzzer does with one movie.
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
