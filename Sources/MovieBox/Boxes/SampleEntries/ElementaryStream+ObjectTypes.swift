extension ElementaryStream {
  /// A codec that needs no configuration, by the number that MPEG-4 has for it (`objectTypeIndication`).
  package enum PlainObjectType: UInt8, Sendable {
    case mpeg2PicturesSimple = 0x60
    case mpeg2PicturesMain = 0x61
    case mpeg2PicturesSNR = 0x62
    case mpeg2PicturesSpatial = 0x63
    case mpeg2PicturesHigh = 0x64
    case mpeg2Pictures422 = 0x65
    /// Sound of MPEG-2, of all layers: MPEG-1's at half the rates of samples.
    case mpeg2Sound = 0x69
    case mpeg1Pictures = 0x6A
    /// Sound of MPEG-1, of all layers: MP3 and MP2.
    case mpeg1Sound = 0x6B
    case jpeg = 0x6C
    case png = 0x6D

    /// Whether it is sound.
    package var isSound: Bool { self == .mpeg1Sound || self == .mpeg2Sound }
    /// Whether it is pictures of MPEG-1 or MPEG-2.
    package var isMPEGPictures: Bool { !isSound && self != .jpeg && self != .png }
  }

  /// Such a codec, where the payload of `esds` names one.
  package static func plainObjectType(of payload: Bytes) -> PlainObjectType? {
    ElementaryStream(payload: payload).flatMap { PlainObjectType(rawValue: $0.objectType) }
  }

  /// The atom for a stream of such a codec.
  package static func atom(_ type: PlainObjectType) -> SampleEntryAtoms.Atom {
    // The kind of stream, and a bit that is always set; sizes and rates are not known.
    let kind: UInt8 = type.isSound ? 0x15 : 0x11
    let decoder = [type.rawValue, kind] + [UInt8](repeating: 0, count: 3 + 4 + 4)
    let synchronization: [UInt8] = [0x06, 1, 0x02]  // As in all MP4 files (ISO/IEC 14496-14, 3.1.2).
    let stream = [0, 0, 0, 0x04, UInt8(clamping: decoder.count)] + decoder + synchronization
    return SampleEntryAtoms.Atom("esds", Bytes([0, 0, 0, 0, 0x03, UInt8(clamping: stream.count)] + stream))
  }
}
