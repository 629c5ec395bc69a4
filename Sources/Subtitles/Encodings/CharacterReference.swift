/// A character written as HTML writes it: `&amp;`, `&#39;`, `&#x1F600;`.
struct CharacterReference {
  /// The character.
  let scalar: Unicode.Scalar
  /// The number of bytes of the reference, `&` and `;` included.
  let byteCount: Int

  /// The longest that is looked for; longer names there are none.
  private static let longest = 12

  /// The reference at `start`, where an `&` stands, before `end`. Fails when the text is none: no such name, no
  /// semicolon, a number that is not a character or a control character.
  init?(_ bytes: [UInt8], at start: Int, end: Int) {
    let window = bytes[start..<min(end, start + CharacterReference.longest)]
    guard let semicolon = window.firstIndex(of: UInt8(ascii: ";")), semicolon > start + 2 else { return nil }
    byteCount = semicolon + 1 - start
    let body = bytes[start + 1..<semicolon]
    if body.first == UInt8(ascii: "#") {
      guard let scalar = CharacterReference.scalar(number: body.dropFirst()) else { return nil }
      self.scalar = scalar
      return
    }
    guard body.allSatisfy({ Ascii.isLetter($0) || Ascii.isDigit($0) }),
      let scalar = CharacterReference.names[String(decoding: body, as: UTF8.self)]
    else { return nil }
    self.scalar = scalar
  }

  /// Returns the character that the number between `&#` and `;` stands for; `nil` for other text, and for control
  /// characters.
  private static func scalar(number digits: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let isHexadecimal = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    let text = String(decoding: isHexadecimal ? digits.dropFirst() : digits, as: UTF8.self)
    guard let value = UInt32(digits: text, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(value) else {
      return nil
    }
    let isControl = value < 0x20 && value != 0x0A && value != 0x09 || (0x7F..<0xA0).contains(value)
    return isControl ? nil : scalar
  }

  private static let names: [String: Unicode.Scalar] = {
    var names: [String: Unicode.Scalar] = [:]
    for entry in CharacterReferenceNames.list.split(separator: ";") {
      let words = entry.split(separator: " ")
      guard words.count == 2, let scalar = UInt32(words[1], radix: 16).flatMap(Unicode.Scalar.init) else { continue }
      names[String(words[0])] = scalar
    }
    return names
  }()
}
