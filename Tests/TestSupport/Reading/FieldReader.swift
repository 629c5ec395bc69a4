/// Takes numbers and bytes off the content of an atom, one after the other.
struct FieldReader {
  let atom: ReadAtom
  let bytes: [UInt8]
  private(set) var position = 0

  /// Reads the content of an atom; throws when the file ends before it.
  init(_ atom: ReadAtom, _ store: ByteStore) throws {
    self.atom = atom
    bytes = try store.read(atom.contentOffset, Int(atom.byteCount) - atom.headerByteCount)
  }

  /// How many bytes are left.
  var left: Int { bytes.count - position }

  /// The next number of so many bytes, up to 8. Throws when they are not there.
  mutating func number(_ count: Int) throws -> UInt64 {
    guard let value = TestSupport.number(bytes, position, count) else {
      throw TestSupportError("\(atom.path) at byte \(atom.offset) is cut")
    }
    position += count
    return value
  }

  /// The next bytes. Throws when they are not there.
  mutating func take(_ count: Int) throws -> [UInt8] {
    guard count >= 0, count <= left else { throw TestSupportError("\(atom.path) at byte \(atom.offset) is cut") }
    position += count
    return Array(bytes[position - count..<position])
  }

  /// The next four bytes as a code.
  mutating func code() throws -> String { codeText(try take(4), 0) }

  /// Version and flags.
  mutating func fullHeader() throws -> (version: UInt64, flags: UInt64) { (try number(1), try number(3)) }
}
