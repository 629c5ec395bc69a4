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
    // An item of a sample has the number of its key for its type, and so has the definition of the key.
    return AtomList(body).filter { $0.type == "keys" }.flatMap { AtomList($0.payload) }.flatMap { key in
      AtomList(key.payload).filter { $0.type == "keyd" }.compactMap { definition in
        guard let space = definition.payload.load(at: 0, as: UInt32.self) else { return nil }
        return TimedMetadataKey(
          localID: key.type.rawValue,
          identifier: MetadataIdentifier(
            .init(rawValue: FourCC(rawValue: space).description),
            key: String(decoding: definition.payload.dropFirst(4).array, as: UTF8.self)))
      }
    }
  }
}
