import MovieBox
import Synchronization

/// A movie in memory that records its reads.
final class CountingSource: RandomAccessSource {
  private let base: MemorySource
  private let log = Mutex<[ByteRange]>([])

  init(_ bytes: [UInt8]) {
    base = MemorySource(Bytes(bytes))
  }

  /// The ranges that were read, in order.
  var reads: [ByteRange] { log.withLock { $0 } }

  func identity() -> SourceIdentity { base.identity() }

  func read(_ range: ByteRange) throws(MovieError) -> Bytes {
    log.withLock { $0.append(range) }
    return try base.read(range)
  }
}
