/// The order of the two bytes of a UTF-16 code unit.
package enum UTF16ByteOrder: Sendable {
  /// The high byte first; marked by FE FF.
  case bigEndian
  /// The low byte first; marked by FF FE.
  case littleEndian

  /// The order that a byte order mark at the start of `bytes` tells, or `nil` where there is none.
  package init?(markOf bytes: Bytes) {
    switch bytes.load(at: 0, as: UInt16.self) {
    case 0xFEFF: self = .bigEndian
    case 0xFFFE: self = .littleEndian
    default: return nil
    }
  }
}

/// UTF-16 turned into UTF-8.
package struct TranscodedUTF16: Sendable {
  /// Valid UTF-8.
  package var utf8: [UInt8] = []
  /// How many surrogates without a partner, and odd last bytes, became U+FFFD.
  package var replacementCount = 0
  /// Where in `utf8` the first of them stands.
  package var firstReplacement: Int?
}

extension Bytes {
  /// These bytes, UTF-16 without a byte order mark, as UTF-8.
  ///
  /// By hand, since decoding an array of code units with the standard library takes 40 times as long.
  package func transcodedFromUTF16(_ order: UTF16ByteOrder) -> TranscodedUTF16 {
    var result = TranscodedUTF16()
    result.utf8.reserveCapacity(count + count / 4)
    let high = order == .bigEndian ? 0 : 1
    var position = 0
    while count - position >= 2 {
      let unit = UInt32(self[position + high]) << 8 | UInt32(self[position + 1 - high])
      position += 2
      guard unit & 0xF800 == 0xD800 else {
        result.append(unit)
        continue
      }
      guard unit < 0xDC00, count - position >= 2 else {
        result.replace()
        continue
      }
      let low = UInt32(self[position + high]) << 8 | UInt32(self[position + 1 - high])
      guard low & 0xFC00 == 0xDC00 else {
        result.replace()
        continue
      }
      position += 2
      result.append(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
    }
    if position < count { result.replace() }
    return result
  }
}

extension TranscodedUTF16 {
  /// Appends the UTF-8 of a scalar value, which is no surrogate and at most 0x10FFFF.
  fileprivate mutating func append(_ scalar: UInt32) {
    if scalar < 0x80 {
      utf8.append(UInt8(truncatingIfNeeded: scalar))
      return
    }
    if scalar < 0x800 {
      utf8.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
    } else {
      if scalar < 0x10000 {
        utf8.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      } else {
        utf8.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
        utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
      }
      utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
    }
    utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
  }

  fileprivate mutating func replace() {
    if firstReplacement == nil { firstReplacement = utf8.count }
    replacementCount += 1
    append(0xFFFD)
  }
}
