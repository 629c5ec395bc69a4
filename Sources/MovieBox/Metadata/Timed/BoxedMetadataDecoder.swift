// Samples of boxed timed metadata (`mebx`): a list of atoms whose types are the local IDs of the items' keys.
//
// A sample contains all items that are valid at its time. A sample with a single empty atom of type 0 is a gap.

import Subtitles

/// A decoder for the samples of one `mebx` sample description. It is a class, because readers copy the decoder for each
/// sample.
final class BoxedMetadataDecoder: Sendable {
  /// The properties that a key gives to its items.
  private struct Key: Sendable {
    let identifier: MetadataIdentifier
    let typeCode: UInt32?
    let language: LanguageTag?
    let details: [String: String]
  }

  private let keys: [Key]
  /// The index of the first key of each local ID.
  private let indices: [UInt32: Int]
  /// The reason why the list of keys is incomplete, or `nil` if it is complete.
  private let problem: String?

  /// The maximum depth of structured values. Deeper values are not decoded.
  static let depthLimit = 64

  init(_ entry: SampleEntry) {
    let (keys, problem) = entry.readTimedMetadataKeys()
    indices = Dictionary(keys.enumerated().map { ($1.localID, $0) }) { first, _ in first }
    self.keys = keys.map { key in
      Key(
        identifier: key.identifier, typeCode: key.typeCode, language: key.language,
        details: key.typeName.map { ["type": $0] } ?? [:])
    }
    self.problem = problem
  }

  func decode(_ bytes: Bytes, at place: TimedSamplePlace) -> DecodedTimedSample {
    var sample = DecodedTimedSample()
    sample.problem = problem
    var list = AtomList(bytes)
    while let atom = list.next() {
      if atom.type.rawValue == 0, atom.payload.isEmpty { continue }
      let item = item(atom, place, depth: 0, at: UInt64(atom.range.lowerBound))
      // Most samples have one item. An array that is created with its item reserves no memory for further items.
      if sample.items.isEmpty { sample.items = [item] } else { sample.items.append(item) }
    }
    if !list.rest.isEmpty {
      sample.problem = "the sample ends with \(list.rest.count) bytes that are not an item"
    } else if bytes.isEmpty {
      sample.problem = "the sample has no bytes; a gap is an empty item"
    }
    return sample
  }

  /// - Parameter offset: the offset of the item in the sample.
  private func item(_ atom: AtomList.Element, _ place: TimedSamplePlace, depth: Int, at offset: UInt64)
    -> MetadataItem
  {
    guard let index = indices[atom.type.rawValue] else {
      // Items without a key are kept as bytes.
      let id = MetadataIdentifier(.init(rawValue: "mebx"), key: String(atom.type.rawValue))
      return MetadataItem(id, .data(atom.payload), atom.payload, at: place.item(at: offset))
    }
    let identifier = keys[index].identifier
    let typeCode = keys[index].typeCode
    let value = typeCode.map { MetadataReader.value(atom.payload, typeCode: $0, of: identifier) } ?? .data(atom.payload)
    var nestedItems: [MetadataItem] = []
    if case .data = value, depth < Self.depthLimit {
      nestedItems = records(
        atom.payload, of: identifier, place, depth: depth + 1,
        at: offset.addingClamped(UInt64(atom.payloadRange.lowerBound - atom.range.lowerBound)))
    }
    return MetadataItem(
      identifier, value, typeCode: typeCode, atom.payload, language: keys[index].language,
      details: keys[index].details, nestedItems: nestedItems, at: place.item(at: offset))
  }

  /// Returns the records (`cits`) of a structured value with their fields, or an empty array for other values. The
  /// records may be inside lists (`crec`).
  private func records(
    _ bytes: Bytes, of identifier: MetadataIdentifier, _ place: TimedSamplePlace, depth: Int, at offset: UInt64
  ) -> [MetadataItem] {
    guard bytes.count >= 8, let first = bytes.load(at: 4, as: UInt32.self).map({ FourCC(rawValue: $0) }),
      first == "crec" || first == "cits", depth < Self.depthLimit
    else { return [] }
    return AtomList(bytes).flatMap { atom -> [MetadataItem] in
      let payloadOffset = offset.addingClamped(UInt64(atom.payloadRange.lowerBound))
      switch atom.type {
      case "crec": return records(atom.payload, of: identifier, place, depth: depth + 1, at: payloadOffset)
      case "cits":
        let fields = AtomList(atom.payload).map { field in
          item(field, place, depth: depth + 1, at: payloadOffset.addingClamped(UInt64(field.range.lowerBound)))
        }
        return [
          MetadataItem(
            identifier, .data(atom.payload), atom.payload, nestedItems: fields,
            at: place.item(at: offset.addingClamped(UInt64(atom.range.lowerBound))))
        ]
      default: return []
      }
    }
  }
}

/// The location of a sample in the file. It determines the paths and offsets of the sample's items.
struct TimedSamplePlace: Sendable {
  let trackID: UInt32?
  /// The path of the track or atom.
  let path: String
  /// The offset of the sample in the file.
  let offset: UInt64

  /// Returns the location of an item at an offset in the sample.
  func item(at offset: UInt64 = 0, number: Int = 0) -> MetadataItem.AtomLocation {
    MetadataItem.AtomLocation(
      trackID: trackID, path: path, offset: self.offset.addingClamped(offset), atom: nil, number: number)
  }
}

/// The contents of a sample.
struct DecodedTimedSample: Sendable {
  var items: [MetadataItem] = []
  /// The reason why the sample was not read completely, or `nil` if it was.
  var problem: String?
}
