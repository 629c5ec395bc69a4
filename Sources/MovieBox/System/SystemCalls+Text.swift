#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Text that the system's converter, iconv of POSIX, has turned into UTF-8.
package struct ConvertedText: Sendable {
  /// Valid UTF-8.
  package var utf8: [UInt8] = []
  /// How many bytes are no part of a character and became U+FFFD.
  package var replacementCount = 0
  /// Where in `utf8` the first of them stands.
  package var firstReplacement: Int?
}

extension SystemCalls {
  /// Converts text to UTF-8 from the first of these encodings that the system knows; `nil` where it knows none, as a
  /// static program does where the C library's converters are not installed.
  package static func convertToUTF8(_ bytes: [UInt8], from encodings: [String]) -> ConvertedText? {
    for encoding in encodings {
      // SAFETY: the C strings live through the call; all ones, not null, are its answer for "none".
      guard let converter = unsafe iconv_open("UTF-8", encoding), Int(bitPattern: converter) != -1 else {
        continue
      }
      defer { unsafe iconv_close(converter) }
      return unsafe convert(bytes, with: converter)
    }
    return nil
  }

  @unsafe
  private static func convert(_ bytes: [UInt8], with converter: iconv_t) -> ConvertedText {
    var text = ConvertedText()
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
          // SAFETY: both pointers lie in buffers that outlive the call, with as many bytes left as the counts say.
          let result = unsafe iconv(converter, &from, &left, &to, &room)
          let code = result == -1 ? errno : 0
          return (source.count - position - left, target.count - room, code)
        }
      }
      text.utf8 += buffer[..<written]
      position += read
      if failure == EILSEQ || failure == EINVAL || failure != 0 && failure != E2BIG || read == 0 && written == 0 {
        if text.firstReplacement == nil { text.firstReplacement = text.utf8.count }
        text.replacementCount += 1
        text.utf8 += [0xEF, 0xBF, 0xBD]
        position += 1
      }
    }
    return text
  }
}
