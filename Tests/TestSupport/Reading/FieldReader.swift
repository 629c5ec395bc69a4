/// A reader that takes numbers and bytes from the content of an atom in order.
struct FieldReader {
  let atom: ReadAtom
  let bytes: [UInt8]
  private(set) var position = 0

  /// Reads the content of an atom. Throws if the file ends before it.
  init(_ atom: ReadAtom, _ store: ByteStore) throws {
    self.atom = atom
    bytes = try store.read(atom.contentOffset, Int(atom.byteCount) - atom.headerByteCount)
  }

  /// The number of remaining bytes.
  var left: Int { bytes.count - position }

  /// Returns the next number of up to 8 bytes. Throws if there are fewer.
  mutating func number(_ count: Int) throws -> UInt64 {
    guard let value = TestSupport.number(bytes, position, count) else {
      throw TestSupportError("\(atom.path) at byte \(atom.offset) is cut")
    }
    position += count
    return value
  }

  /// Returns the next bytes. Throws if there are fewer.
  mutating func take(_ count: Int) throws -> [UInt8] {
    guard count >= 0, count <= left else { throw TestSupportError("\(atom.path) at byte \(atom.offset) is cut") }
    position += count
    return Array(bytes[position - count..<position])
  }

  /// Returns the next four bytes as a code.
  mutating func code() throws -> String { codeText(try take(4), 0) }

  /// Returns version and flags.
  mutating func fullHeader() throws -> (version: UInt64, flags: UInt64) { (try number(1), try number(3)) }
}
