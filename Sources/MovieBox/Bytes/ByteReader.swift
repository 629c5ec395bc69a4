// Readers that check bounds: `ByteReader` for integers and strings, `BitReader` for codec configurations.

/// A reader of consecutive big-endian integers and strings.
///
/// Every read is bounds-checked. Offsets in errors count from the start of the reader's bytes. Callers that know the
/// file offset of the bytes add it with ``MovieError/located(inside:startingAt:)``.
package struct ByteReader: Sendable {
  /// All bytes, including the bytes that have been read.
  package let bytes: Bytes
  /// The number of bytes that have been read.
  package private(set) var position = 0

  /// Creates a reader at the start of `bytes`.
  package init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// The number of unread bytes.
  package var remaining: Int { bytes.count - position }

  @inlinable
  package mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(MovieError) -> T {
    guard let value = bytes.load(at: position, as: T.self) else { throw missingBytesError(MemoryLayout<T>.size) }
    advance(by: MemoryLayout<T>.size)
    return value
  }

  package mutating func readFourCC() throws(MovieError) -> FourCC {
    FourCC(rawValue: try read(UInt32.self))
  }

  /// Reads `count` bytes. The bytes are shared and not copied.
  package mutating func readBytes(_ count: Int) throws(MovieError) -> Bytes {
    guard let slice = bytes.slice(at: position, count: count) else { throw missingBytesError(count) }
    position += count
    return slice
  }

  package mutating func readRest() -> Bytes {
    let rest = bytes.dropFirst(position)
    position = bytes.count
    return rest
  }

  /// Reads a big-endian integer of 32 bits in version 0 and 64 bits in version 1.
  package mutating func readVersioned(_ version: UInt8) throws(MovieError) -> UInt64 {
    version == 0 ? UInt64(try read(UInt32.self)) : try read(UInt64.self)
  }

  /// Returns an error at the current position.
  package func failure(_ code: MovieError.Code, _ reason: String) -> MovieError {
    MovieError(code, at: UInt64(position), reason)
  }

  @usableFromInline
  mutating func advance(by count: Int) { position += count }

  @usableFromInline
  func missingBytesError(_ count: Int) -> MovieError {
    failure(.truncated, "needs \(count) bytes, but only \(remaining) remain")
  }
}

/// A reader of integers with any number of bits, as in codec configurations. The highest bit of each byte is read
/// first.
package struct BitReader {
  private let bytes: Bytes
  /// The number of bits that have been read.
  private var position = 0

  package init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// Reads an integer of at most 32 bits, or returns `nil` if too few bits remain.
  package mutating func read(_ count: Int) -> UInt32? {
    precondition(count >= 0 && count <= 32, "at most 32 bits can be read at once")
    guard count <= bytes.count * 8 - position else { return nil }
    var value: UInt32 = 0
    for index in position..<position + count {
      value = value << 1 | UInt32(bytes[index / 8] >> (7 - UInt8(index % 8)) & 1)
    }
    position += count
    return value
  }

  /// Reads a bit, or returns `nil` at the end.
  package mutating func readFlag() -> Bool? { read(1).map { $0 == 1 } }

  /// Skips `count` bits. Returns `nil` if fewer bits remain.
  package mutating func skip(_ count: Int) -> Void? {
    guard count <= bytes.count * 8 - position else { return nil }
    position += count
    return ()
  }
}
