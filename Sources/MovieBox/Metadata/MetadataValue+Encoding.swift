// Values as bytes of a well-known type (QTFF "Well-Known Types").
extension MetadataValue {
  /// The value as bytes of a type; `nil` where the type cannot hold it. A text that says a number is one, and a text for
  /// a type that is not known is hexadecimal digits. `byteCount` is how long a whole number is where the type leaves it
  /// open.
  package func bytes(ofType code: UInt32, byteCount: Int? = nil) -> Bytes? {
    switch code {
    case 1, 4: return stringValue.map { Bytes(Array($0.utf8)) }
    case 2, 5: return stringValue.map { Self.bytes($0.utf16) }
    case 21, 22:
      guard let number = wholeNumber else { return nil }
      let widths = byteCount.map { [$0] } ?? [1, 2, 4, 8]
      return widths.lazy.compactMap { Self.bytes(number, ofBytes: $0, isSigned: code == 21) }.first
    case 65, 66, 67, 74:
      return wholeNumber.flatMap { Self.bytes($0, ofBytes: [65: 1, 66: 2, 67: 4, 74: 8][code] ?? 8, isSigned: true) }
    case 75, 76, 77, 78:
      return wholeNumber.flatMap { Self.bytes($0, ofBytes: [75: 1, 76: 2, 77: 4, 78: 8][code] ?? 8, isSigned: false) }
    case 23, 24: return Self.bytes(list, ofBytes: code == 23 ? 4 : 8, count: 1)
    case 70, 71: return Self.bytes(list, ofBytes: 4, count: 2)
    case 72: return Self.bytes(list, ofBytes: 4, count: 4)
    case 79, 83: return Self.bytes(list, ofBytes: 8, count: 9)
    case 80: return list.count.isMultiple(of: 2) ? Self.bytes(list, ofBytes: 4, count: list.count) : nil
    default:
      if case .data(let bytes) = self { return bytes }
      return stringValue.flatMap { Hexadecimal.bytes($0.utf8) }.map { Bytes($0) }
    }
  }

  /// The code of the type that a value of its kind has where nothing else says one.
  package var usualTypeCode: UInt32 {
    switch self {
    case .text, .part: 1
    case .integer: 21
    case .unsignedInteger: 22
    case .number: 24
    case .numbers(let numbers): [2: 70, 4: 72, 9: 79][numbers.count] ?? 80
    case .data: 0
    }
  }

  /// A text, or a number as text; `nil` for bytes.
  package var stringValue: String? {
    switch self {
    case .text(let text): text
    case .integer(let number): String(number)
    case .unsignedInteger(let number): String(number)
    case .number(let number): number.description
    case .numbers(let numbers): numbers.map(\.description).joined(separator: " ")
    case .part(let number, let count): count == 0 ? String(number) : "\(number)/\(count)"
    case .data: nil
    }
  }

  /// A whole number, or a text that is one.
  package var wholeNumber: Int128? {
    switch self {
    case .integer(let number): Int128(number)
    case .unsignedInteger(let number): Int128(number)
    default: stringValue.flatMap { Int128($0) }
    }
  }

  /// A number, a list of them, or a text that is one.
  private var list: [Double] {
    if case .numbers(let numbers) = self { return numbers }
    let words = stringValue?.split(separator: " ") ?? []
    let numbers = words.compactMap { Double($0) }
    return numbers.count == words.count ? numbers : []
  }

  /// The number of a part and of all, as iTunes writes them: `3`, or `3/12`.
  package var part: (number: UInt16, count: UInt16)? {
    if case .part(let number, let count) = self { return (number, count) }
    let words = stringValue?.split(separator: "/", omittingEmptySubsequences: false) ?? []
    let numbers = words.compactMap { UInt16($0) }
    guard numbers.count == words.count, 1...2 ~= numbers.count else { return nil }
    return (numbers[0], numbers.count == 2 ? numbers[1] : 0)
  }

  private static func bytes(_ number: Int128, ofBytes count: Int, isSigned: Bool) -> Bytes? {
    guard [1, 2, 3, 4, 8].contains(count) else { return nil }
    let bits = Int128(count * 8)
    let range = isSigned ? -(Int128(1) << (bits - 1))..<(Int128(1) << (bits - 1)) : 0..<(Int128(1) << bits)
    guard range.contains(number) else { return nil }
    var writer = ByteWriter()
    for byte in (0..<count).reversed() { writer.write(UInt8(truncatingIfNeeded: number >> Int128(byte * 8))) }
    return Bytes(writer.bytes)
  }

  private static func bytes(_ numbers: [Double], ofBytes size: Int, count: Int) -> Bytes? {
    guard numbers.count == count, count > 0, size == 8 || numbers.allSatisfy({ Float($0).isFinite || !$0.isFinite })
    else {
      return nil
    }
    var writer = ByteWriter()
    for number in numbers {
      if size == 4 { writer.write(Float(number).bitPattern) } else { writer.write(number.bitPattern) }
    }
    return Bytes(writer.bytes)
  }

  private static func bytes(_ units: some Sequence<UInt16>) -> Bytes {
    var writer = ByteWriter()
    for unit in units { writer.write(unit) }
    return Bytes(writer.bytes)
  }
}
