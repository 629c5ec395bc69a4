import Subtitles

/// Text in the encodings that movies use. Nothing here fails: an odd byte becomes a replacement character.
extension Bytes {
  /// The bytes read as UTF-8, or as Mac Roman where they are not UTF-8.
  var utf8OrMacRomanText: String {
    String(validating: self, as: UTF8.self) ?? MacRoman.decode(self)
  }

  /// UTF-16 where the bytes begin with a byte order mark for it, else UTF-8; up to the first NUL.
  var unicodeText: String {
    switch load(at: 0, as: UInt16.self) {
    case 0xFEFF: return utf16Text { $0 }
    case 0xFFFE: return utf16Text { $0.byteSwapped }
    default: return String(decoding: prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The bytes without the NULs at their end.
  var withoutTrailingNULs: Bytes {
    let byteCount = (lastIndex { $0 != 0 } ?? -1) + 1
    return slice(at: 0, count: byteCount) ?? self
  }

  private func utf16Text(order: (UInt16) -> UInt16) -> String {
    var units: [UInt16] = []
    var position = 2  // After the byte order mark.
    while let unit = load(at: position, as: UInt16.self), unit != 0 {
      units.append(order(unit))
      position += 2
    }
    return String(decoding: units, as: UTF16.self)
  }
}
