/// A string that a NUL ends in the file, kept as its bytes so that an odd one is written back as it was.
package struct TerminatedString: Hashable, Sendable {
  /// The bytes before the NUL; they hold none.
  package var bytes: Bytes
  /// Whether a NUL follows. Only what stands last in an atom can lack it.
  package var isTerminated: Bool

  /// A string of these bytes.
  package init(bytes: Bytes, isTerminated: Bool = true) {
    self.bytes = bytes
    self.isTerminated = isTerminated
  }

  /// The UTF-8 of `text`, which holds no NUL, and a NUL.
  package init(_ text: String) {
    self.init(bytes: Bytes(Array(text.utf8)))
  }

  /// The bytes read as UTF-8, or as Mac Roman where they are not UTF-8.
  package var text: String { bytes.utf8OrMacRomanText }
}

extension ByteReader {
  /// Reads up to and including the next NUL, or all that is left where there is none.
  mutating func readTerminatedString() throws(MovieError) -> TerminatedString {
    guard let byteCount = bytes.dropFirst(position).firstIndex(of: 0) else {
      return TerminatedString(bytes: readRest(), isTerminated: false)
    }
    let string = TerminatedString(bytes: try readBytes(byteCount))
    _ = try read(UInt8.self)
    return string
  }
}

extension ByteWriter {
  /// Writes the bytes, and the NUL where there was one.
  mutating func write(_ string: TerminatedString) {
    write(string.bytes)
    if string.isTerminated { write(0 as UInt8) }
  }
}
