// The encoder of boxed timed metadata (`mebx`), the counterpart of BoxedMetadataDecoder.
//
// A sample refers to items by the local IDs of their keys. The encoder assigns an ID to each combination of identifier,
// type and language when it first occurs, so the sample description is complete after the last sample.

import Subtitles

/// An encoder for the samples of one `mebx` sample description.
package struct BoxedMetadataEncoder {
  /// An item that cannot be written.
  package struct Failure: Error {
    package let identifier: MetadataIdentifier
    /// The reason, as the predicate of a sentence about the item.
    package let reason: String
  }

  /// The properties that a local ID represents.
  private struct Combination: Hashable {
    let identifier: MetadataIdentifier
    let typeCode: UInt32
    let typeName: String?
    let language: LanguageTag?
  }

  /// The keys, in the order of their local IDs.
  private(set) var keys: [TimedMetadataKey] = []
  private var localIDs: [Combination: UInt32] = [:]
  /// The key of the last item. Consecutive items often have the same key.
  private var last: (key: Combination, localID: UInt32)?

  /// The sample of a gap: an item without a key and a value. An empty sample would be invalid.
  package static let gap: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0]

  package init() {}

  /// Creates an encoder that uses the keys of an existing sample description. Of equal keys, the first is used.
  package init(_ keys: [TimedMetadataKey]) {
    self.keys = keys
    for key in keys {
      let combination = Combination(
        identifier: key.identifier, typeCode: key.typeCode ?? 0, typeName: key.typeName, language: key.language)
      if localIDs[combination] == nil { localIDs[combination] = key.localID }
    }
  }

  /// Appends a sample to `data`, and assigns local IDs to the new keys. Without items, the sample is a gap.
  package mutating func encode(_ items: [MetadataItem], to data: inout ByteWriter) throws(Failure) {
    guard !items.isEmpty else {
      data.write(Self.gap)
      return
    }
    for item in items {
      guard item.identifier.space == .quickTimeMetadata else {
        throw Failure(
          identifier: item.identifier, reason: "cannot be written; use an identifier of the form mdta/com.example.key")
      }
      try write(item, to: &data)
    }
  }

  private mutating func write(_ item: MetadataItem, to data: inout ByteWriter) throws(Failure) {
    let start = data.bytes.count
    data.writeZeros(4)
    data.write(try localID(of: item))
    try writeValue(of: item, to: &data)
    guard let byteCount = UInt32(exactly: data.bytes.count - start) else {
      throw Failure(identifier: item.identifier, reason: "has a value that exceeds the largest size of an atom")
    }
    data.patch(byteCount, at: start)
  }

  /// Returns the local ID of an item's key. A new key gets the next ID. The IDs 0 and 2³² − 1 are reserved.
  private mutating func localID(of item: MetadataItem) throws(Failure) -> UInt32 {
    let combination = Combination(
      identifier: item.identifier, typeCode: item.typeCode ?? 0, typeName: item.details["type"],
      language: item.language)
    if let last, last.key == combination { return last.localID }
    if let id = localIDs[combination] {
      last = (combination, id)
      return id
    }
    let texts = [item.identifier.key, item.details["type"] ?? ""]
    guard !item.identifier.key.isEmpty, texts.allSatisfy({ !$0.utf8.contains(0) && $0.utf8.count <= 4_096 }) else {
      throw Failure(identifier: item.identifier, reason: "has an invalid key or type")
    }
    let id = UInt32(clamping: keys.count + 1)
    keys.append(TimedMetadataKey(item, localID: id))
    localIDs[combination] = id
    return id
  }

  // MARK: - Values

  private mutating func writeValue(of item: MetadataItem, to data: inout ByteWriter) throws(Failure) {
    guard item.isWellFormed else {
      let name = TimedMetadataKey(item, localID: 1).typeDescription ?? ""
      throw Failure(identifier: item.identifier, reason: "has a value that does not fit its type, \(name)")
    }
    guard !item.nestedItems.isEmpty else {
      data.write(item.bytes)
      return
    }
    var records = item.nestedItems[...]
    data.write(try structure(item.bytes, &records, of: item, depth: 0))
    guard records.isEmpty else { throw Self.mismatch(item) }
  }

  /// Returns the bytes of a structured value with the local IDs of this encoder. A structured value contains records
  /// (`cits`). The records may be inside lists (`crec`). `records` contains the remaining nested items, in file order.
  private mutating func structure(
    _ bytes: Bytes, _ records: inout ArraySlice<MetadataItem>, of item: MetadataItem, depth: Int
  ) throws(Failure) -> [UInt8] {
    // Copy a list that is nested too deeply without a change, because the decoder does not decode it either.
    guard depth < BoxedMetadataDecoder.depthLimit else { return bytes.array }
    var writer = ByteWriter()
    var list = AtomList(bytes)
    while let atom = list.next() {
      let content: [UInt8]
      switch atom.type {
      case "crec": content = try structure(atom.payload, &records, of: item, depth: depth + 1)
      case "cits":
        guard let record = records.popFirst() else { throw Self.mismatch(item) }
        var fields = ByteWriter()
        for field in record.nestedItems {
          guard field.identifier.space.rawValue == "fiel" else {
            throw Failure(identifier: field.identifier, reason: "is a field without a key")
          }
          try write(field, to: &fields)
        }
        content = fields.bytes
      default: content = atom.payload.array
      }
      writer.atom(atom.type) { $0.write(content) }
    }
    writer.write(list.rest.array)
    return writer.bytes
  }

  private static func mismatch(_ item: MetadataItem) -> Failure {
    Failure(identifier: item.identifier, reason: "has nested items that do not match the records in its bytes")
  }

  // MARK: - Sample description

  /// The sample entry for `stsd`, including its header.
  package var sampleEntry: [UInt8] {
    var writer = ByteWriter()
    writer.atom("mebx") { entry in
      entry.writeZeros(6)
      entry.write(UInt16(1))
      entry.atom("keys") { table in
        for key in keys { key.write(to: &table) }
      }
    }
    return writer.bytes
  }
}

extension TimedMetadataKey {
  fileprivate func write(to table: inout ByteWriter) {
    table.atom(FourCC(rawValue: localID)) { box in
      box.atom("keyd") { keyd in
        keyd.write(utf8: identifier.space.rawValue)
        keyd.write(utf8: identifier.key)
      }
      if let typeName {
        box.atom("dtyp") { dtyp in
          dtyp.write(UInt32(1))
          dtyp.write(utf8: typeName)
        }
        box.atom("ctps") { $0.atom("dtyp") { writeCode(to: &$0) } }
      } else {
        box.atom("dtyp") { writeCode(to: &$0) }
      }
      if let language { box.atom("loca") { $0.write(cString: language.description) } }
    }
  }

  /// Writes the code of the well-known type.
  private func writeCode(to dtyp: inout ByteWriter) {
    dtyp.write(UInt32(0))
    dtyp.write(typeCode ?? 0)
  }
}
