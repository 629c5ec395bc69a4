import Subtitles

/// Bytes in URIs as `%` and two hexadecimal digits (RFC 3986, 2.1).
package enum PercentEncoding {
  /// The bytes that a text means. A `%` that begins nothing of this form is `nil` for a strict reader, and itself for
  /// others.
  package static func decoded(_ text: some Sequence<UInt8>, isStrict: Bool = true) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = Hexadecimal.bytes(rest.prefix(2))?.first else {
        if isStrict { return nil }
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// Bytes as text, with those that are not plain encoded.
  package static func encoded(_ bytes: some Sequence<UInt8>, where isPlain: (UInt8) -> Bool) -> String {
    var text = ""
    for byte in bytes {
      if isPlain(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + Hexadecimal.digits(byte, atLeast: 2, uppercase: true)
      }
    }
    return text
  }

  /// Whether a URI has the character as it is anywhere (RFC 3986, 2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    Ascii.isLetter(byte) || Ascii.isDigit(byte) || "-._~".utf8.contains(byte)
  }
}
