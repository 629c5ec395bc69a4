/// The attributes of a tag: `color="#FFFF00" size=20`.
///
/// Names are in lower case; values without their quotation marks. An attribute without a value is left out.
struct MarkupAttributes: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  mutating func next() -> (name: String, value: String)? {
    while true {
      rest = rest.drop { !Ascii.isLetter($0) }
      guard !rest.isEmpty else { return nil }
      let name = rest.prefix { Ascii.isLetter($0) || $0 == UInt8(ascii: "-") }
      rest = rest.dropFirst(name.count).drop(while: Ascii.isBlank)
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest = rest.dropFirst().drop(while: Ascii.isBlank)
      return (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: readValue(), as: UTF8.self))
    }
  }

  private mutating func readValue() -> ArraySlice<UInt8> {
    guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      let value = rest.prefix { !Ascii.isBlank($0) }
      rest = rest.dropFirst(value.count)
      return value
    }
    let value = rest.dropFirst().prefix { $0 != quote }
    rest = rest.dropFirst(value.count + 2)
    return value
  }
}
