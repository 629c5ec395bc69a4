// Samples of boxed timed metadata (`mebx`): a list of atoms whose types are the local IDs of the items' keys.
//
// A sample contains all items that are valid at its time. A sample with a single empty atom of type 0 is a gap.

import Subtitles

/// A decoder for the samples of one `mebx` sample description.
struct BoxedMetadataDecoder: Sendable {
  /// The first key of each local ID.
  private let keysByID: [UInt32: TimedMetadataKey]
  /// The reason why the list of keys is incomplete, or `nil` if it is complete.
  private let problem: String?

  /// The maximum depth of structured values. Deeper values stay bytes.
  static let depthLimit = 64

  init(_ entry: SampleEntry) {
    let (keys, problem) = entry.readTimedMetadataKeys()
    keysByID = Dictionary(keys.map { ($0.localID, $0) }) { first, _ in first }
    self.problem = problem
  }

  func decode(_ bytes: Bytes, at place: TimedSamplePlace) -> DecodedTimedSample {
    var sample = DecodedTimedSample()
    sample.problem = problem
    var list = AtomList(bytes)
    while let atom = list.next() {
      if atom.type.rawValue == 0, atom.payload.isEmpty { continue }
      sample.items.append(item(atom, place, depth: 0, at: UInt64(atom.range.lowerBound)))
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
    guard let key = keysByID[atom.type.rawValue] else {
      // Items without a key are kept as bytes.
      let id = MetadataIdentifier(.init(rawValue: "mebx"), key: String(atom.type.rawValue))
      return MetadataItem(id, .data(atom.payload), atom.payload, at: place.item(at: offset))
    }
    let value = key.typeCode.map { MetadataReader.value(atom.payload, typeCode: $0, of: key.identifier) }
    var item = MetadataItem(
      key.identifier, value ?? .data(atom.payload), typeCode: key.typeCode, atom.payload, language: key.language,
      details: key.typeName.map { ["type": $0] } ?? [:], at: place.item(at: offset))
    if case .data = item.value, depth < Self.depthLimit {
      item.nestedItems = records(
        atom.payload, of: key, place, depth: depth + 1,
        at: offset.addingClamped(UInt64(atom.payloadRange.lowerBound - atom.range.lowerBound)))
    }
    return item
  }

  /// Returns the records of a structured value (`cits`) with their fields, or an empty array for other values. A
  /// `crec` contains records.
  private func records(
    _ bytes: Bytes, of key: TimedMetadataKey, _ place: TimedSamplePlace, depth: Int, at offset: UInt64
  ) -> [MetadataItem] {
    guard bytes.count >= 8, let first = bytes.load(at: 4, as: UInt32.self).map({ FourCC(rawValue: $0) }),
      first == "crec" || first == "cits", depth < Self.depthLimit
    else { return [] }
    return AtomList(bytes).flatMap { atom -> [MetadataItem] in
      let payloadOffset = offset.addingClamped(UInt64(atom.payloadRange.lowerBound))
      switch atom.type {
      case "crec": return records(atom.payload, of: key, place, depth: depth + 1, at: payloadOffset)
      case "cits":
        var record = MetadataItem(
          key.identifier, .data(atom.payload), atom.payload,
          at: place.item(at: offset.addingClamped(UInt64(atom.range.lowerBound))))
        record.nestedItems = AtomList(atom.payload).map { field in
          item(field, place, depth: depth + 1, at: payloadOffset.addingClamped(UInt64(field.range.lowerBound)))
        }
        return [record]
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
