#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's converter of text encodings, iconv of POSIX.
enum TextConverter {
  /// Converts text to UTF-8 from the first of these encodings that the system knows; `nil` where it knows none, as a
  /// static program does where the C library's converters are not installed.
  static func convertToUTF8(_ bytes: [UInt8], from encodings: [String]) -> DecodedText? {
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
          // SAFETY: both pointers lie in buffers that outlive the call, with as many bytes left as the counts say.
          let result = unsafe iconv(converter, &from, &left, &to, &room)
          let code = result == -1 ? errno : 0
          return (source.count - position - left, target.count - room, code)
        }
      }
      text.utf8 += buffer[..<written]
      position += read
      if failure == EILSEQ || failure == EINVAL || failure != 0 && failure != E2BIG || read == 0 && written == 0 {
        text.replace()
        position += 1
      }
    }
    return text
  }
}
