/// Reads big-endian numbers and strings from bytes, one after the other.
///
/// It cannot leave its bytes. The errors that it throws count offsets from the start of those bytes; whoever knows
/// the file says where they lie with ``MovieError/inside(_:startingAt:)``.
package struct ByteReader: Sendable {
  /// All bytes, read or not.
  package let bytes: Bytes
  /// How many bytes have been read.
  package private(set) var position = 0

  /// A reader at the start of `bytes`.
  package init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// How many bytes are left.
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

  /// All that is left.
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
  mutating func advance(by count: Int) {
    position += count
  }

  @usableFromInline
  func missing(_ count: Int) -> MovieError {
    failure(.truncated, "needs \(count) bytes, \(remaining) left")
  }
}
