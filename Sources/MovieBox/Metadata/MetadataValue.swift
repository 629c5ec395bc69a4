import Subtitles

/// The value of a metadata item, decoded according to its type (QTFF "Well-Known Types").
///
/// If bytes do not match their declared type, the value is ``data(_:)``, so no value is lost or misread.
public enum MetadataValue: Hashable, Sendable {
  /// A text.
  case text(String)
  /// A whole number, signed.
  case integer(Int64)
  /// A whole number, unsigned.
  case unsignedInteger(UInt64)
  /// A number.
  case number(Double)
  /// Several numbers, such as a point, a size, a rectangle, a polygon or a matrix.
  case numbers([Double])
  /// A number and a total, such as track 3 of 12. The total is 0 if it is unknown.
  case part(UInt16, of: UInt16)
  /// A picture, or bytes of an unknown type.
  case data(Bytes)

  /// The separator that joins several texts in vocabularies with one text per item.
  package static let listSeparator = "; "

  /// Whether a text of joined values contains a value.
  package static func isValue(_ text: String, inList list: String) -> Bool {
    (listSeparator + list + listSeparator).contains(listSeparator + text + listSeparator)
  }

  /// Decodes the bytes of a well-known type. Bytes that do not match the type become `.data`.
  init(_ bytes: Bytes, typeCode: UInt32) {
    self = Self.decoded(bytes, typeCode) ?? .data(bytes)
  }

  /// Whether bytes are valid for a type. Unknown types accept any bytes.
  static func isValid(_ bytes: Bytes, typeCode: UInt32) -> Bool {
    !knownTypeCodes.contains(typeCode) || decoded(bytes, typeCode) != nil
  }

  /// Whether a type is a whole number.
  package static func isWholeNumber(typeCode: UInt32) -> Bool {
    [21, 22, 65, 66, 67, 74, 75, 76, 77, 78].contains(typeCode)
  }

  private static let knownTypeCodes: Set<UInt32> = [
    1, 2, 4, 5, 21, 22, 23, 24, 65, 66, 67, 70, 71, 72, 74, 75, 76, 77, 78, 79, 80, 83,
  ]

  private static func decoded(_ bytes: Bytes, _ typeCode: UInt32) -> MetadataValue? {
    switch typeCode {
    case 1, 4: return text(bytes)
    case 2, 5: return utf16(bytes)
    case 21: return [1, 2, 3, 4, 8].contains(bytes.count) ? .integer(signed(bytes)) : nil
    case 22: return [1, 2, 3, 4, 8].contains(bytes.count) ? .unsignedInteger(unsigned(bytes)) : nil
    case 65, 66, 67, 74:
      return bytes.count == [65: 1, 66: 2, 67: 4, 74: 8][typeCode] ? .integer(signed(bytes)) : nil
    case 75, 76, 77, 78:
      return bytes.count == [75: 1, 76: 2, 77: 4, 78: 8][typeCode] ? .unsignedInteger(unsigned(bytes)) : nil
    case 23, 24:
      let numbers = numbers(bytes, byteCount: typeCode == 23 ? 4 : 8)
      return numbers?.count == 1 ? numbers?.first.map { .number($0) } : nil
    case 70, 71: return list(bytes, byteCount: 4, count: 2)
    case 72: return list(bytes, byteCount: 4, count: 4)
    case 79, 83: return list(bytes, byteCount: 8, count: 9)
    case 80: return bytes.count % 8 == 0 ? numbers(bytes, byteCount: 4).map { .numbers($0) } : nil
    default: return nil
    }
  }

  private static func text(_ bytes: Bytes) -> MetadataValue? {
    // SAFETY: the buffer is only read during the call.
    unsafe bytes.withUnsafeBytes { buffer in
      // ASCII is always valid, and needs no slower validation.
      let isASCII = unsafe buffer.reduce(0) { $0 | $1 } < 0x80
      return isASCII ? unsafe String(decoding: buffer, as: UTF8.self) : unsafe String(validating: buffer, as: UTF8.self)
    }.map { .text($0) }
  }

  private static func utf16(_ bytes: Bytes) -> MetadataValue? {
    guard bytes.count % 2 == 0 else { return nil }
    // Without a byte order mark, the text is big-endian.
    let order = UTF16ByteOrder(markOf: bytes)
    let text = DecodedText(utf16: bytes.dropFirst(order == nil ? 0 : 2).array[...], order ?? .bigEndian)
    return text.replacementCount == 0 ? .text(String(decoding: text.utf8, as: UTF8.self)) : nil
  }

  private static func unsigned(_ bytes: Bytes) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func signed(_ bytes: Bytes) -> Int64 {
    let unusedBitCount = UInt64(64 - 8 * min(8, bytes.count))
    return Int64(bitPattern: unsigned(bytes) << unusedBitCount) >> Int64(unusedBitCount)
  }

  private static func numbers(_ bytes: Bytes, byteCount size: Int) -> [Double]? {
    guard !bytes.isEmpty, bytes.count % size == 0 else { return nil }
    return stride(from: 0, to: bytes.count, by: size).compactMap { offset in
      size == 4
        ? bytes.load(at: offset, as: UInt32.self).map { Double(Float(bitPattern: $0)) }
        : bytes.load(at: offset, as: UInt64.self).map { Double(bitPattern: $0) }
    }
  }

  private static func list(_ bytes: Bytes, byteCount size: Int, count: Int) -> MetadataValue? {
    guard bytes.count == size * count else { return nil }
    return numbers(bytes, byteCount: size).map { .numbers($0) }
  }
}

// Encodes values as well-known types (QTFF "Well-Known Types").
extension MetadataValue {
  /// Encodes the value as a well-known type, or returns `nil` if the type cannot express the value.
  ///
  /// A text is converted to a number if the type requires a number. If the type is unknown, the text must consist of
  /// hexadecimal digits. `byteCount` is the size of a whole number if the type does not determine the size.
  package func bytes(ofType code: UInt32, byteCount: Int? = nil) -> Bytes? {
    switch code {
    case 1, 4: return stringValue.map { Bytes(Array($0.utf8)) }
    case 2, 5: return stringValue.map { Self.bytes($0.utf16) }
    case 21, 22:
      guard let number = wholeNumber else { return nil }
      let widths = byteCount.map { [$0] } ?? [1, 2, 4, 8]
      return widths.lazy.compactMap { Self.bytes(number, byteCount: $0, isSigned: code == 21) }.first
    case 65, 66, 67, 74:
      return wholeNumber.flatMap { Self.bytes($0, byteCount: [65: 1, 66: 2, 67: 4, 74: 8][code] ?? 8, isSigned: true) }
    case 75, 76, 77, 78:
      return wholeNumber.flatMap {
        Self.bytes($0, byteCount: [75: 1, 76: 2, 77: 4, 78: 8][code] ?? 8, isSigned: false)
      }
    case 23, 24: return Self.bytes(list, byteCount: code == 23 ? 4 : 8, count: 1)
    case 70, 71: return Self.bytes(list, byteCount: 4, count: 2)
    case 72: return Self.bytes(list, byteCount: 4, count: 4)
    case 79, 83: return Self.bytes(list, byteCount: 8, count: 9)
    case 80: return list.count.isMultiple(of: 2) ? Self.bytes(list, byteCount: 4, count: list.count) : nil
    default:
      if case .data(let bytes) = self { return bytes }
      return stringValue.flatMap { Hexadecimal.bytes($0.utf8) }.map { Bytes($0) }
    }
  }

  /// The default type code for values of this case.
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

  /// The text, or the number as text, or `nil` for bytes.
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

  /// The whole number, or `nil` for other values. The number may be stored as text.
  package var wholeNumber: Int128? {
    switch self {
    case .integer(let number): Int128(number)
    case .unsignedInteger(let number): Int128(number)
    default: stringValue.flatMap { Int128($0) }
    }
  }

  /// The numbers, or an empty array for other values. The numbers may be stored as text.
  private var list: [Double] {
    if case .numbers(let numbers) = self { return numbers }
    let words = stringValue?.split(separator: " ") ?? []
    let numbers = words.compactMap { Double($0) }
    return numbers.count == words.count ? numbers : []
  }

  /// The number and the total in the notation of iTunes, `3` or `3/12`, or `nil` for other values.
  package var part: (number: UInt16, count: UInt16)? {
    if case .part(let number, let count) = self { return (number, count) }
    let words = stringValue?.split(separator: "/", omittingEmptySubsequences: false) ?? []
    let numbers = words.compactMap { UInt16($0) }
    guard numbers.count == words.count, 1...2 ~= numbers.count else { return nil }
    return (numbers[0], numbers.count == 2 ? numbers[1] : 0)
  }

  private static func bytes(_ number: Int128, byteCount count: Int, isSigned: Bool) -> Bytes? {
    guard [1, 2, 3, 4, 8].contains(count) else { return nil }
    let bits = Int128(count * 8)
    let range = isSigned ? -(Int128(1) << (bits - 1))..<(Int128(1) << (bits - 1)) : 0..<(Int128(1) << bits)
    guard range.contains(number) else { return nil }
    var writer = ByteWriter()
    for byte in (0..<count).reversed() { writer.write(UInt8(truncatingIfNeeded: number >> Int128(byte * 8))) }
    return Bytes(writer.bytes)
  }

  private static func bytes(_ numbers: [Double], byteCount size: Int, count: Int) -> Bytes? {
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
