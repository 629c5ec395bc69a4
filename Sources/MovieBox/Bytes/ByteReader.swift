// Readers that cannot leave their bytes: `ByteReader` for whole numbers, `BitReader` for codecs' configurations.

/// Reads big-endian numbers and strings from bytes, one after the other.
///
/// It cannot leave its bytes. The errors that it throws count offsets from the start of those bytes; whoever knows
/// the file says where they lie with ``MovieError/inside(_:startingAt:)``.
package struct ByteReader: Sendable {
  /// All bytes, read or not.
  package let bytes: Bytes
  /// The number of bytes that were read.
  package private(set) var position = 0

  /// A reader at the start of `bytes`.
  package init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// The number of bytes that are left.
  package var remaining: Int { bytes.count - position }

  /// The next big-endian integer.
  @inlinable
  package mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(MovieError) -> T {
    guard let value = bytes.load(at: position, as: T.self) else { throw missing(MemoryLayout<T>.size) }
    advance(by: MemoryLayout<T>.size)
    return value
  }

  /// The next four-character code.
  package mutating func readFourCC() throws(MovieError) -> FourCC {
    FourCC(rawValue: try read(UInt32.self))
  }

  /// The next `count` bytes, shared, not copied.
  package mutating func readBytes(_ count: Int) throws(MovieError) -> Bytes {
    guard let slice = bytes.slice(at: position, count: count) else { throw missing(count) }
    position += count
    return slice
  }

  /// Reads the rest.
  package mutating func readRest() -> Bytes {
    let rest = bytes.dropFirst(position)
    position = bytes.count
    return rest
  }

  /// A big-endian integer that is 32 bits wide in version 0 and 64 in version 1.
  package mutating func readVersioned(_ version: UInt8) throws(MovieError) -> UInt64 {
    version == 0 ? UInt64(try read(UInt32.self)) : try read(UInt64.self)
  }

  /// An error at the current position.
  package func failure(_ code: MovieError.Code, _ reason: String) -> MovieError {
    MovieError(code, at: UInt64(position), reason)
  }

  @usableFromInline
  mutating func advance(by count: Int) { position += count }

  @usableFromInline
  func missing(_ count: Int) -> MovieError {
    failure(.truncated, "needs \(count) bytes, \(remaining) left")
  }
}

/// Reads numbers of a few bits each, the highest bit of each byte first, as codecs' configurations pack them.
package struct BitReader {
  private let bytes: Bytes
  /// The next bit.
  private var position = 0

  package init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// The number in the next `count` bits, at most 32; `nil` where there are not so many.
  package mutating func read(_ count: Int) -> UInt32? {
    precondition(count >= 0 && count <= 32, "no more than 32 bits are read at once")
    guard count <= bytes.count * 8 - position else { return nil }
    var value: UInt32 = 0
    for index in position..<position + count {
      value = value << 1 | UInt32(bytes[index / 8] >> (7 - UInt8(index % 8)) & 1)
    }
    position += count
    return value
  }

  /// Whether the next bit is set; `nil` where there is none.
  package mutating func readFlag() -> Bool? { read(1).map { $0 == 1 } }

  /// Passes over bits; `nil` where there are not so many.
  package mutating func skip(_ count: Int) -> Void? {
    guard count <= bytes.count * 8 - position else { return nil }
    position += count
    return ()
  }
}
