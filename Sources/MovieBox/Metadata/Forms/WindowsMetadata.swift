import Subtitles

/// The metadata of Windows (`Xtra`): a list of names, each with little-endian numbers or texts as values.
///
/// An edit decodes the values one by one, and copies unchanged values byte for byte.
package struct WindowsMetadata {
  struct Value {
    let name: String
    let type: UInt16
    let bytes: Bytes
  }

  /// A name as stored, and its values, each including its header of six bytes.
  private struct Item {
    let name: Bytes
    var values: [Bytes] = []
  }

  /// The types of values: UTF-16 text, 64-bit integer, time in units of 100 ns since the start of 1601 (FILETIME), and
  /// identifier (GUID).
  static let textType: UInt16 = 8
  static let numberType: UInt16 = 0x13
  static let timeType: UInt16 = 0x15
  static let identifierType: UInt16 = 0x48

  private var items: [Item] = []
  /// Whether the parser understood all bytes. If it did not, the values cannot be changed.
  package private(set) var isComplete = true

  /// Parses the payload of `Xtra` as far as possible.
  package init(_ payload: Bytes) {
    var position = 0
    while let size = payload.load(at: position, as: UInt32.self), size > 12,
      let item = payload.slice(at: position, count: Int(size)),
      let nameLength = item.load(at: 4, as: UInt32.self), let name = item.slice(at: 8, count: Int(nameLength))
    {
      position += Int(size)
      var found = Item(name: name)
      // Skips the count of values, because the sizes of the values are sufficient.
      var rest = item.dropFirst(12 + name.count)
      while let length = rest.load(at: 0, as: UInt32.self), length >= 6,
        let value = rest.slice(at: 0, count: Int(length))
      {
        found.values.append(value)
        rest = rest.dropFirst(Int(length))
      }
      if !rest.isEmpty { isComplete = false }
      items.append(found)
    }
    if position != payload.count { isComplete = false }
  }

  var values: [Value] {
    items.flatMap { item in
      item.values.map { value in
        Value(
          name: String(decoding: item.name.array, as: UTF8.self), type: value.load(at: 4, as: UInt16.self) ?? 0,
          bytes: value.dropFirst(6))
      }
    }
  }

  /// Changes the values in order, and adds each new value after the existing values of its name. Returns `nil` if no
  /// value remains.
  ///
  /// The details of each new or changed value contain its type. Unchanged values are copied as stored.
  package func changing(
    _ contents: [MetadataContent?], adding new: [(name: String, content: MetadataContent)]
  ) -> [UInt8]? {
    var rest = contents[...]
    var items = items
    for index in items.indices {
      items[index].values = items[index].values.compactMap { value in
        guard let content = rest.popFirst() else { return value }
        return content.map(Self.value)
      }
    }
    for (name, content) in new {
      let known = items.firstIndex { String(decoding: $0.name.array, as: UTF8.self) == name }
      if known == nil { items.append(Item(name: Bytes(Array(name.utf8)))) }
      items[known ?? items.count - 1].values.append(Self.value(content))
    }
    var writer = ByteWriter()
    for item in items where !item.values.isEmpty {
      let byteCount = item.values.reduce(12 + item.name.count) { $0 + $1.count }
      writer.write(UInt32(clamping: byteCount))
      writer.write(UInt32(clamping: item.name.count))
      writer.write(item.name)
      writer.write(UInt32(clamping: item.values.count))
      for value in item.values { writer.write(value) }
    }
    return writer.bytes.isEmpty ? nil : writer.bytes
  }

  private static func value(_ content: MetadataContent) -> Bytes {
    var writer = ByteWriter()
    writer.write(UInt32(clamping: content.bytes.count + 6))
    writer.write(type(of: content.details) ?? textType)
    writer.write(content.bytes)
    return Bytes(writer.bytes)
  }

  /// Returns the type code that the details of an item contain, or `nil` if they contain none.
  static func type(of details: [String: String]) -> UInt16? { details["type"].flatMap { UInt16($0) } }

  static func usualType(of name: String) -> UInt16 { name == "WM/SharedUserRating" ? numberType : textType }

  /// Encodes a value with the type code `type`, or returns `nil` if this type cannot express the value.
  static func bytes(_ value: MetadataValue, type: UInt16) -> Bytes? {
    switch type {
    case textType:
      guard let text = value.stringValue, !text.unicodeScalars.contains("\0") else { return nil }
      return Bytes((Array(text.utf16) + [0]).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    case numberType: return value.wholeNumber.flatMap { UInt64(exactly: $0) }.map(littleEndian)
    case timeType:
      if let number = value.wholeNumber.flatMap({ UInt64(exactly: $0) }), number > 9999 { return littleEndian(number) }
      guard let seconds = value.stringValue.flatMap({ MetadataDate($0) })?.secondsSince1970,
        let ticks = UInt64(exactly: ((seconds + 11_644_473_600) * 10_000_000).rounded())
      else { return nil }
      return littleEndian(ticks)
    case identifierType:
      guard let digits = value.stringValue?.filter({ !"{-}".contains($0) }), digits.utf8.count == 32 else { return nil }
      return Hexadecimal.bytes(digits.utf8).map { bytes in Bytes(identifierOrder.map { bytes[$0] }) }
    default: return value.bytes(ofType: 0)
    }
  }

  static func value(_ bytes: Bytes, type: UInt16) -> MetadataValue {
    switch type {
    case textType:
      let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).compactMap {
        bytes.load(at: $0, as: UInt16.self)?.byteSwapped
      }
      return .text(String(decoding: units.prefix { $0 != 0 }, as: UTF16.self))
    case numberType, timeType:
      return bytes.count == 8
        ? bytes.load(at: 0, as: UInt64.self).map { .unsignedInteger($0.byteSwapped) } ?? .data(bytes) : .data(bytes)
    case identifierType where bytes.count == 16:
      let digits = identifierOrder.map { Hexadecimal.digits(bytes[$0], atLeast: 2, uppercase: true) }
      let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
      return .text(groups.map { digits[$0].joined() }.joined(separator: "-"))
    default: return .data(bytes)
    }
  }

  /// The byte order of an identifier. Its first three groups are little-endian numbers.
  private static let identifierOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]

  private static func littleEndian(_ number: UInt64) -> Bytes {
    Bytes((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) })
  }
}

/// The XML document in which a Sony camera describes a recording. The document is stored in a top-level `meta` atom
/// with the handler `nrtm` ("non-real-time metadata").
///
/// The document describes the camera's recording and not the edited movie. Its properties are therefore read but
/// never written.
struct CameraXML {
  /// The properties by key.
  private(set) var properties: [(key: String, text: String)] = []

  /// The maximum size of a document. The documents of cameras have a few kilobytes.
  static let largestByteCount = 1 << 20

  /// The attributes that the parser reads, each with its element and the key of the property.
  private static let attributes: [(element: String, attribute: String, key: String)] = [
    ("CreationDate", "value", "CreationDate"), ("Device", "manufacturer", "Device.manufacturer"),
    ("Device", "modelName", "Device.modelName"), ("Device", "serialNo", "Device.serialNo"),
    ("Lens", "modelName", "Lens.modelName"), ("Title", "usAscii", "Title"),
  ]

  /// Parses the document, or returns `nil` if the bytes are not the document of a Sony camera.
  init?(_ bytes: Bytes) {
    guard let utf8 = Self.document(in: bytes) else { return nil }
    var texts: [String: String] = [:]
    do throws(SubtitleError) {
      var reader = XMLReader(utf8, code: .chapterFormat)
      guard try reader.nextElement(atDepth: 1), Self.localName(reader) == "NonRealTimeMeta" else { return nil }
      var elements: Set<String> = []
      while try reader.nextElement(atDepth: 2) {
        let name = Self.localName(reader)
        // If several elements have one name, only the first describes the camera.
        guard elements.insert(name).inserted else { continue }
        for (element, attribute, key) in Self.attributes where element == name {
          texts[key] = try reader.attribute(Array(attribute.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
      }
    } catch {
      return nil
    }
    for (_, _, key) in Self.attributes {
      if let text = texts[key], !text.isEmpty { properties.append((key, text)) }
    }
  }

  /// Returns the name of the current element without its prefix.
  private static func localName(_ reader: XMLReader) -> String {
    String(decoding: reader.name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
  }

  /// Returns the XML document, or `nil` if the bytes do not begin with one. Version and flags may precede the
  /// document.
  static func document(in bytes: Bytes) -> [UInt8]? {
    guard bytes.count <= largestByteCount else { return nil }
    let start = bytes.prefix(8).firstIndex { $0 == UInt8(ascii: "<") || $0 == 0xEF }
    guard let start else { return nil }
    var utf8 = Array(bytes.dropFirst(start - bytes.startIndex))
    if utf8.starts(with: [0xEF, 0xBB, 0xBF]) { utf8.removeFirst(3) }
    while utf8.last == 0 { utf8.removeLast() }
    return utf8.first == UInt8(ascii: "<") ? utf8 : nil
  }

  /// Whether bytes begin like an XML document.
  static func isDocument(_ head: Bytes) -> Bool {
    let text = head.prefix { $0 != 0 }
    return [Array("<?xml".utf8), [0xEF, 0xBB, 0xBF] + Array("<?xml".utf8)].contains { text.starts(with: $0) }
  }
}
