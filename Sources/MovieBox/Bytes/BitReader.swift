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
