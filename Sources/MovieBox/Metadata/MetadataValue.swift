import Subtitles

/// What a metadata item says, decoded by its type (QTFF "Well-Known Types").
public enum MetadataValue: Hashable, Sendable {
  /// A text.
  case text(String)
  /// A whole number, signed.
  case integer(Int64)
  /// A whole number, unsigned.
  case unsignedInteger(UInt64)
  /// A number.
  case number(Double)
  /// Several numbers: a point, a size, a rectangle, a polygon, a matrix.
  case numbers([Double])
  /// A number of so many, such as track 3 of 12; 0 where the total is not known.
  case part(UInt16, of: UInt16)
  /// A picture, or bytes of a type that is not known.
  case data(Bytes)

  /// What stands between texts that are one where a vocabulary knows one text alone.
  package static let listSeparator = "; "

  /// Whether a text is a list that has another.
  package static func list(_ list: String, has text: String) -> Bool {
    (listSeparator + list + listSeparator).contains(listSeparator + text + listSeparator)
  }

  /// Decodes the bytes of a well-known type; bytes that do not fit it are data.
  init(_ bytes: Bytes, typeCode: UInt32) {
    self = Self.decoded(bytes, typeCode) ?? .data(bytes)
  }

  /// Whether bytes have a form that their type can have.
  static func fits(_ bytes: Bytes, typeCode: UInt32) -> Bool {
    !known.contains(typeCode) || decoded(bytes, typeCode) != nil
  }

  private static let known: Set<UInt32> = [
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
      let numbers = numbers(bytes, ofBytes: typeCode == 23 ? 4 : 8)
      return numbers?.count == 1 ? numbers?.first.map { .number($0) } : nil
    case 70, 71: return list(bytes, ofBytes: 4, count: 2)
    case 72: return list(bytes, ofBytes: 4, count: 4)
    case 79, 83: return list(bytes, ofBytes: 8, count: 9)
    case 80: return bytes.count % 8 == 0 ? numbers(bytes, ofBytes: 4).map { .numbers($0) } : nil
    default: return nil
    }
  }

  private static func text(_ bytes: Bytes) -> MetadataValue? {
    // SAFETY: the buffer is only read during the call.
    unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }.map { .text($0) }
  }

  private static func utf16(_ bytes: Bytes) -> MetadataValue? {
    guard bytes.count % 2 == 0 else { return nil }
    // Without a byte order mark the high byte comes first.
    let order = UTF16ByteOrder(markOf: bytes)
    let text = DecodedText(utf16: bytes.dropFirst(order == nil ? 0 : 2).array[...], order ?? .bigEndian)
    return text.replacementCount == 0 ? .text(String(decoding: text.utf8, as: UTF8.self)) : nil
  }

  private static func unsigned(_ bytes: Bytes) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func signed(_ bytes: Bytes) -> Int64 {
    let unused = UInt64(64 - 8 * min(8, bytes.count))
    return Int64(bitPattern: unsigned(bytes) << unused) >> Int64(unused)
  }

  private static func numbers(_ bytes: Bytes, ofBytes size: Int) -> [Double]? {
    guard !bytes.isEmpty, bytes.count % size == 0 else { return nil }
    return stride(from: 0, to: bytes.count, by: size).compactMap { offset in
      size == 4
        ? bytes.load(at: offset, as: UInt32.self).map { Double(Float(bitPattern: $0)) }
        : bytes.load(at: offset, as: UInt64.self).map { Double(bitPattern: $0) }
    }
  }

  private static func list(_ bytes: Bytes, ofBytes size: Int, count: Int) -> MetadataValue? {
    guard bytes.count == size * count else { return nil }
    return numbers(bytes, ofBytes: size).map { .numbers($0) }
  }
}
