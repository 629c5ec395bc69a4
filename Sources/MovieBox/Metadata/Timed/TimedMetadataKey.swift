/// A key of a track of timed metadata (`mebx`): what items of its samples are about.
package struct TimedMetadataKey: Hashable, Sendable {
  /// By which number items of this key are known in the samples of a description.
  package let localID: UInt32
  /// Such as `mdta/com.apple.quicktime.video-orientation`.
  package let identifier: MetadataIdentifier
}

extension SampleEntry {
  /// The keys that a description of `mebx` names; none for another.
  package var timedMetadataKeys: [TimedMetadataKey] {
    guard format == "mebx" else { return [] }
    return Self.boxes(in: body).filter { $0.type == "keys" }.flatMap { Self.boxes(in: $0.payload) }.flatMap { key in
      Self.boxes(in: key.payload).filter { $0.type == "keyd" }.compactMap { definition in
        guard let space = definition.payload.load(at: 0, as: UInt32.self) else { return nil }
        return TimedMetadataKey(
          localID: key.type.rawValue,
          identifier: MetadataIdentifier(
            .init(rawValue: FourCC(rawValue: space).description),
            key: String(decoding: definition.payload.dropFirst(4).array, as: UTF8.self)))
      }
    }
  }

  /// Boxes one after the other, up to the first that does not fit: a key, its definition, or an item of a sample, whose
  /// type is the number of its key.
  static func boxes(in bytes: Bytes) -> [(type: FourCC, payload: Bytes)] {
    var boxes: [(type: FourCC, payload: Bytes)] = []
    var rest = bytes
    while let size = rest.load(at: 0, as: UInt32.self), size >= 8, let type = rest.load(at: 4, as: UInt32.self),
      let payload = rest.slice(at: 8, count: Int(size) - 8)
    {
      boxes.append((FourCC(rawValue: type), payload))
      rest = rest.dropFirst(Int(size))
    }
    return boxes
  }
}
