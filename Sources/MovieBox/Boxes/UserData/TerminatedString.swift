import Subtitles

/// A NUL-terminated string. It is stored as bytes, and an invalid string is written back unchanged.
package struct TerminatedString: Hashable, Sendable {
  /// The bytes before the NUL.
  package var bytes: Bytes
  /// Whether a NUL follows the bytes. A NUL can be missing only at the end of an atom.
  package var isTerminated: Bool

  package init(bytes: Bytes, isTerminated: Bool = true) {
    self.bytes = bytes
    self.isTerminated = isTerminated
  }

  /// Creates a terminated string from text without NULs.
  package init(_ text: String) {
    self.init(bytes: Bytes(Array(text.utf8)))
  }

  /// The text, decoded as UTF-8 if it is valid UTF-8, or else as Mac Roman.
  package var text: String { bytes.utf8OrMacRomanText }
}

extension ByteReader {
  /// Reads the bytes through the next NUL, or to the end if there is no NUL.
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
  /// Writes the bytes, and the NUL if the string is terminated.
  mutating func write(_ string: TerminatedString) {
    write(string.bytes)
    if string.isTerminated { write(0 as UInt8) }
  }
}

/// Text in the encodings of movies. Decoding never fails, because invalid bytes become replacement characters.
extension Bytes {
  /// The text, decoded as UTF-8 if it is valid UTF-8, or else as Mac Roman.
  var utf8OrMacRomanText: String {
    String(validating: self, as: UTF8.self) ?? MacRoman.decode(self)
  }

  /// The text up to the first NUL, decoded as UTF-16 if it begins with a byte order mark, or else as UTF-8.
  var unicodeText: String {
    guard let order = UTF16ByteOrder(markOf: self) else { return String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
    return String(utf16: dropFirst(2).splitAtNUL(unitByteCount: 2).text, order)
  }

  /// Returns the bytes before and after the first NUL. A NUL has `unitByteCount` bytes: 1, or 2 in UTF-16.
  func splitAtNUL(unitByteCount: Int) -> (text: Bytes, rest: Bytes) {
    var end = 0
    while end + unitByteCount <= count, self[end] != 0 || unitByteCount == 2 && self[end + 1] != 0 {
      end += unitByteCount
    }
    return (slice(at: 0, count: end) ?? self, dropFirst(end + unitByteCount))
  }

  var withoutTrailingNULs: Bytes {
    let byteCount = (lastIndex { $0 != 0 } ?? -1) + 1
    return slice(at: 0, count: byteCount) ?? self
  }
}

extension String {
  /// Decodes UTF-16 without a byte order mark.
  init(utf16 bytes: Bytes, _ order: UTF16ByteOrder) {
    self.init(decoding: DecodedText(utf16: bytes.array[...], order).utf8, as: UTF8.self)
  }
}
