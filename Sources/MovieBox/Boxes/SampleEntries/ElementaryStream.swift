/// What `esds` says of the decoder of a stream: descriptors in descriptors (ISO/IEC 14496-1, 7.2.6).
package struct ElementaryStream {
  /// The kind of coding (`objectTypeIndication`): 0x40 for MPEG-4 sound, 0x69 and 0x6B for MP3.
  package let objectType: UInt8
  /// The configuration of the decoder; `nil` where there is none.
  package let decoderConfiguration: Bytes?

  /// Parses the payload of `esds`; fails where the descriptor of the decoder is missing or cut.
  package init?(payload: Bytes) {
    guard let stream = Self.descriptor(3, in: payload.dropFirst(4)), let flags = stream.load(at: 2, as: UInt8.self)
    else { return nil }
    var skipped = 3
    if flags & 0x80 != 0 { skipped += 2 }  // The stream that this one depends on.
    if flags & 0x40 != 0 {
      guard let length = stream.load(at: skipped, as: UInt8.self) else { return nil }
      skipped += 1 + Int(length)  // A URL.
    }
    if flags & 0x20 != 0 { skipped += 2 }  // The stream of the clock.
    guard let decoder = Self.descriptor(4, in: stream.dropFirst(skipped)),
      let codec = decoder.load(at: 0, as: UInt8.self)
    else { return nil }
    objectType = codec
    decoderConfiguration = Self.descriptor(5, in: decoder.dropFirst(13))
  }

  /// The number of channels; `nil` for other codings than AAC, and where the configuration does not say it.
  var channelCount: UInt32? {
    guard [0x40, 0x66, 0x67, 0x68].contains(objectType) else { return nil }  // AAC.
    return decoderConfiguration.flatMap { AudioSpecificConfiguration($0) }?.channelCount
  }

  /// The samples a second that the configuration of AAC declares: of the core, then of an extended band; empty for other
  /// codings.
  var sampleRates: [UInt32] {
    guard [0x40, 0x66, 0x67, 0x68].contains(objectType) else { return [] }  // AAC.
    return decoderConfiguration.map(AudioSpecificConfiguration.sampleRates) ?? []
  }

  /// The kind of MPEG-4 sound (ISO/IEC 14496-3, 1.5.1): 2 for AAC-LC, 5 for HE-AAC, also where only the sync extension
  /// says so, 29 for its version 2.
  package var audioObjectType: UInt32? { decoderConfiguration.flatMap(AudioSpecificConfiguration.objectType) }

  /// The content of the first descriptor where it has this tag; its size is written in up to four groups of 7 bits.
  private static func descriptor(_ tag: UInt8, in bytes: Bytes) -> Bytes? {
    guard bytes.load(at: 0, as: UInt8.self) == tag else { return nil }
    var byteCount = 0
    for offset in 1...4 {
      guard let byte = bytes.load(at: offset, as: UInt8.self) else { return nil }
      byteCount = byteCount << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { return bytes.slice(at: offset + 1, count: byteCount) }
    }
    return nil
  }
}
