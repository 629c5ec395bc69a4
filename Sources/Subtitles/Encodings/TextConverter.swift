#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Text conversion by the system: iconv of POSIX.
///
/// Only the multibyte encodings of East Asia require iconv. Single-byte encodings and UTF-16 are decoded without it.
enum TextConverter {
  /// Converts text to UTF-8 from the first of `encodings` that iconv supports. Returns `nil` if iconv supports none of
  /// them. This is the case in a static program on a system without the converter files of the C library.
  static func convertToUTF8(_ bytes: [UInt8], from encodings: [String]) -> DecodedText? {
    for encoding in encodings {
      // SAFETY: the C strings outlive the call. On failure, the call returns a pointer whose bits are all set.
      guard let converter = unsafe iconv_open("UTF-8", encoding), Int(bitPattern: converter) != -1 else {
        continue
      }
      defer { unsafe iconv_close(converter) }
      return unsafe convert(bytes, with: converter)
    }
    return nil
  }

  @unsafe
  private static func convert(_ bytes: [UInt8], with converter: iconv_t) -> DecodedText {
    var text = DecodedText()
    text.utf8.reserveCapacity(bytes.count * 2)
    var source = bytes
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    var position = 0
    while position < source.count {
      let (read, written, failure) = unsafe source.withUnsafeMutableBytes { source in
        unsafe buffer.withUnsafeMutableBytes { target in
          var from = unsafe source.baseAddress?.advanced(by: position).assumingMemoryBound(to: CChar.self)
          var to = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
          var left = source.count - position
          var room = target.count
          // SAFETY: both pointers are within buffers that outlive the call, and the counts do not exceed the remaining
          // bytes.
          let result = unsafe iconv(converter, &from, &left, &to, &room)
          let code = result == -1 ? errno : 0
          return (source.count - position - left, target.count - room, code)
        }
      }
      text.utf8 += buffer[..<written]
      position += read
      if failure == EILSEQ || failure == EINVAL || failure != 0 && failure != E2BIG || read == 0 && written == 0 {
        text.appendReplacement()
        position += 1
      }
    }
    return text
  }
}

/// The byte order of a UTF-16 code unit.
package enum UTF16ByteOrder: Sendable {
  /// The high byte is first. The byte order mark is FE FF.
  case bigEndian
  /// The low byte is first. The byte order mark is FF FE.
  case littleEndian

  /// Detects the byte order from a byte order mark, or returns `nil` if there is no mark.
  package init?(markOf bytes: some Collection<UInt8>) {
    // Don't compare with an array. This function is called for each sample, and an array would allocate memory.
    var iterator = bytes.makeIterator()
    switch (iterator.next(), iterator.next()) {
    case (0xFE, 0xFF): self = .bigEndian
    case (0xFF, 0xFE): self = .littleEndian
    default: return nil
    }
  }
}

extension DecodedText {
  /// Decodes UTF-16 without a byte order mark.
  ///
  /// The decoder is written by hand, because decoding with the standard library takes 40 times as long.
  package init(utf16 bytes: ArraySlice<UInt8>, _ order: UTF16ByteOrder) {
    self.init()
    utf8.reserveCapacity(bytes.count + bytes.count / 4)
    let end = bytes.endIndex
    let high = order == .bigEndian ? 0 : 1
    var position = bytes.startIndex
    func unit() -> UInt32 { UInt32(bytes[position + high]) << 8 | UInt32(bytes[position + 1 - high]) }
    while end - position >= 2 {
      let first = unit()
      position += 2
      guard first & 0xF800 == 0xD800 else {
        append(first)
        continue
      }
      guard first < 0xDC00, end - position >= 2 else {
        appendReplacement()
        continue
      }
      let second = unit()
      guard second & 0xFC00 == 0xDC00 else {
        appendReplacement()
        continue
      }
      position += 2
      append(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
    }
    if position < end { appendReplacement() }
  }

  /// Appends a scalar value in UTF-8. It must not be a surrogate, and must be at most 0x10FFFF.
  private mutating func append(_ scalar: UInt32) {
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
}
