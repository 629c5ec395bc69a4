/// Windows' items (`Xtra`): names, each with values of little-endian numbers and texts.
package struct WindowsMetadata {
  /// A value of a name.
  struct Value {
    let name: String
    let type: UInt16
    let bytes: Bytes

    /// The value, decoded as far as its type is known: texts, whole numbers and times.
    var value: MetadataValue {
      switch type {
      case 8:
        let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).compactMap {
          bytes.load(at: $0, as: UInt16.self)?.byteSwapped
        }
        return .text(String(decoding: units.prefix { $0 != 0 }, as: UTF16.self))
      case 0x13, 0x15:
        return bytes.count == 8
          ? bytes.load(at: 0, as: UInt64.self).map { .unsignedInteger($0.byteSwapped) } ?? .data(bytes)
          : .data(bytes)
      default: return .data(bytes)
      }
    }
  }

  /// A name, as it stands, and its values, each with its head of six bytes.
  private struct Item {
    let name: Bytes
    var values: [Bytes] = []
  }

  private var items: [Item] = []
  /// Whether all bytes were understood, so that they can be written again without some values.
  package private(set) var isWhole = true

  /// Reads the payload of `Xtra`, as far as it parses.
  package init(_ payload: Bytes) {
    var position = 0
    while let size = payload.load(at: position, as: UInt32.self), size > 12,
      let item = payload.slice(at: position, count: Int(size)),
      let nameLength = item.load(at: 4, as: UInt32.self), let name = item.slice(at: 8, count: Int(nameLength))
    {
      position += Int(size)
      var found = Item(name: name)
      var rest = item.dropFirst(12 + name.count)  // A count of values, which their sizes say too.
      while let length = rest.load(at: 0, as: UInt32.self), length >= 6,
        let value = rest.slice(at: 0, count: Int(length))
      {
        found.values.append(value)
        rest = rest.dropFirst(Int(length))
      }
      if !rest.isEmpty { isWhole = false }
      items.append(found)
    }
    if position != payload.count { isWhole = false }
  }

  /// The values, in the order of the file.
  var values: [Value] {
    items.flatMap { item in
      item.values.map { value in
        Value(
          name: String(decoding: item.name.array, as: UTF8.self), type: value.load(at: 4, as: UInt16.self) ?? 0,
          bytes: value.dropFirst(6))
      }
    }
  }

  /// The payload with the values that `keeps` says, one by one; `nil` where none stays.
  package func keeping(_ keeps: [Bool]) -> [UInt8]? {
    var rest = keeps[...]
    var writer = ByteWriter()
    for item in items {
      let kept = item.values.filter { _ in rest.popFirst() ?? true }
      guard !kept.isEmpty else { continue }
      let byteCount = kept.reduce(12 + item.name.count) { $0 + $1.count }
      writer.write(UInt32(truncatingIfNeeded: byteCount))  // No more than there was.
      writer.write(UInt32(truncatingIfNeeded: item.name.count))
      writer.write(item.name)
      writer.write(UInt32(truncatingIfNeeded: kept.count))
      for value in kept { writer.write(value) }
    }
    return writer.bytes.isEmpty ? nil : writer.bytes
  }
}
