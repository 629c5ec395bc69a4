/// The codec and its configuration, as an `esds` atom declares them in nested descriptors (ISO/IEC 14496-1, 7.2.6).
package struct ElementaryStream {
  /// The object type (`objectTypeIndication`): 0x40 for MPEG-4 audio, 0x69 and 0x6B for MP3.
  package let objectType: UInt8
  /// The decoder configuration, or `nil` if the descriptor contains none.
  package let decoderConfiguration: Bytes?

  /// Parses the payload of `esds`. Returns `nil` if the decoder descriptor is missing or truncated.
  package init?(payload: Bytes) {
    guard let stream = Self.descriptor(3, in: payload.dropFirst(4)), let flags = stream.load(at: 2, as: UInt8.self)
    else { return nil }
    var skipped = 3
    if flags & 0x80 != 0 { skipped += 2 }  // The ID of a stream on which this stream depends.
    if flags & 0x40 != 0 {
      guard let length = stream.load(at: skipped, as: UInt8.self) else { return nil }
      skipped += 1 + Int(length)  // A URL.
    }
    if flags & 0x20 != 0 { skipped += 2 }  // The ID of the clock reference stream.
    guard let decoder = Self.descriptor(4, in: stream.dropFirst(skipped)),
      let codec = decoder.load(at: 0, as: UInt8.self)
    else { return nil }
    objectType = codec
    decoderConfiguration = Self.descriptor(5, in: decoder.dropFirst(13))
  }

  /// The number of channels. It is `nil` if the codec is not AAC, or if the configuration does not declare the
  /// channels.
  var channelCount: UInt32? {
    guard [0x40, 0x66, 0x67, 0x68].contains(objectType) else { return nil }  // These are the object types of AAC.
    return decoderConfiguration.flatMap { AudioSpecificConfiguration($0) }?.channelCount
  }

  /// The sample rate of the AAC core, followed by the rate of any extension. The array is empty for other codecs.
  var sampleRates: [UInt32] {
    guard [0x40, 0x66, 0x67, 0x68].contains(objectType) else { return [] }  // These are the object types of AAC.
    return decoderConfiguration.map(AudioSpecificConfiguration.sampleRates) ?? []
  }

  /// The audio object type (ISO/IEC 14496-3, 1.5.1): 2 for AAC-LC, 5 for HE-AAC, or 29 for HE-AAC v2. HE-AAC is
  /// recognized even if only the sync extension declares it.
  package var audioObjectType: UInt32? { decoderConfiguration.flatMap(AudioSpecificConfiguration.objectType) }

  /// Returns the content of the first descriptor if its tag is `tag`. The descriptor encodes its size in up to four
  /// groups of 7 bits.
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

  /// An object type (`objectTypeIndication`) of a codec that needs no decoder configuration.
  package enum PlainObjectType: UInt8, Sendable {
    case mpeg2PicturesSimple = 0x60
    case mpeg2PicturesMain = 0x61
    case mpeg2PicturesSNR = 0x62
    case mpeg2PicturesSpatial = 0x63
    case mpeg2PicturesHigh = 0x64
    case mpeg2Pictures422 = 0x65
    /// MPEG-2 audio, layers I to III. Its sample rates are half of the MPEG-1 rates.
    case mpeg2Sound = 0x69
    case mpeg1Pictures = 0x6A
    /// MPEG-1 audio, layers I to III, such as MP2 and MP3.
    case mpeg1Sound = 0x6B
    case jpeg = 0x6C
    case png = 0x6D

    /// Whether the codec is an audio codec.
    package var isSound: Bool { self == .mpeg1Sound || self == .mpeg2Sound }
    /// Whether the codec is MPEG-1 or MPEG-2 video.
    package var isMPEGPictures: Bool { !isSound && self != .jpeg && self != .png }
  }

  /// Returns the object type in the payload of `esds`, or `nil` if the codec needs a decoder configuration.
  package static func plainObjectType(of payload: Bytes) -> PlainObjectType? {
    ElementaryStream(payload: payload).flatMap { PlainObjectType(rawValue: $0.objectType) }
  }

  /// Returns the `esds` atom for a stream of this type.
  package static func atom(_ type: PlainObjectType) -> SampleEntryAtoms.Atom {
    // The byte contains the stream type and a bit that is always set. The buffer size and bit rates are unknown, so
    // they are 0.
    let kind: UInt8 = type.isSound ? 0x15 : 0x11
    let decoder = [type.rawValue, kind] + [UInt8](repeating: 0, count: 3 + 4 + 4)
    let synchronization: [UInt8] = [0x06, 1, 0x02]  // All MP4 files contain this descriptor (ISO/IEC 14496-14, 3.1.2).
    let stream = [0, 0, 0, 0x04, UInt8(clamping: decoder.count)] + decoder + synchronization
    return SampleEntryAtoms.Atom("esds", Bytes([0, 0, 0, 0, 0x03, UInt8(clamping: stream.count)] + stream))
  }
}
