import Subtitles

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

/// Text in the encodings that movies use. Nothing here fails: an odd byte becomes a replacement character.
extension Bytes {
  /// The bytes read as UTF-8, or as Mac Roman where they are not UTF-8.
  var utf8OrMacRomanText: String {
    String(validating: self, as: UTF8.self) ?? MacRoman.decode(self)
  }

  /// UTF-16 where the bytes begin with a byte order mark for it, else UTF-8; up to the first NUL.
  var unicodeText: String {
    guard let order = UTF16ByteOrder(markOf: self) else { return String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
    return String(utf16: dropFirst(2).splitAtNUL(unitByteCount: 2).text, order)
  }

  /// Splits the bytes at the first NUL of one or two bytes, and returns the bytes before and after it.
  func splitAtNUL(unitByteCount: Int) -> (text: Bytes, rest: Bytes) {
    var end = 0
    while end + unitByteCount <= count, self[end] != 0 || unitByteCount == 2 && self[end + 1] != 0 {
      end += unitByteCount
    }
    return (slice(at: 0, count: end) ?? self, dropFirst(end + unitByteCount))
  }

  /// The bytes without the NULs at their end.
  var withoutTrailingNULs: Bytes {
    let byteCount = (lastIndex { $0 != 0 } ?? -1) + 1
    return slice(at: 0, count: byteCount) ?? self
  }
}

extension String {
  /// The text of UTF-16 without a byte order mark.
  init(utf16 bytes: Bytes, _ order: UTF16ByteOrder) {
    self.init(decoding: DecodedText(utf16: bytes.array[...], order).utf8, as: UTF8.self)
  }
}
