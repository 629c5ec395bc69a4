/// Text as HTML and URLs have it.
enum Markup {
  /// Text for an element or an attribute in double quotes. Characters that HTML cannot have become U+FFFD.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Bytes in base 64 (RFC 4648).
  static func base64(_ bytes: some Collection<UInt8>) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (word, count): (Int, Int) = (0, 0)
    for byte in bytes {
      word = word << 8 | Int(byte)
      count += 1
      if count == 3 {
        for shift in [18, 12, 6, 0] { text.append(letters[word >> shift & 63]) }
        (word, count) = (0, 0)
      }
    }
    if count > 0 {
      word <<= count == 1 ? 16 : 8
      for shift in [18, 12, 6].prefix(count + 1) { text.append(letters[word >> shift & 63]) }
      text += repeatElement(UInt8(ascii: "="), count: 3 - count)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A URL that holds its own bytes.
  static func dataURL(_ bytes: some Collection<UInt8>, type: String) -> String {
    "data:" + type + ";base64," + base64(bytes)
  }

  /// A text in which `{{name}}` stands for what `value` gives, and for itself where that is `nil`. What is filled in is not
  /// looked at again.
  static func filled(_ template: String, _ value: (Substring) -> String?) -> String {
    var result = ""
    var rest = template[...]
    while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
      result += rest[..<start.lowerBound]
      result += value(rest[start.upperBound..<end.lowerBound]) ?? String(rest[start.lowerBound..<end.upperBound])
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}
