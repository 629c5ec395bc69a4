extension ElementaryStream {
  /// A codec that needs no configuration, by the number that MPEG-4 has for it (`objectTypeIndication`).
  package enum PlainObjectType: UInt8, Sendable {
    /// MPEG-1 layer 3 sound.
    case mp3 = 0x6B
    /// JPEG pictures.
    case jpeg = 0x6C
    /// PNG pictures.
    case png = 0x6D
  }

  /// Such a codec, where the payload of `esds` names one.
  package static func plainObjectType(of payload: Bytes) -> PlainObjectType? {
    ElementaryStream(payload: payload).flatMap { PlainObjectType(rawValue: $0.objectType) }
  }

  /// The atom for a stream of such a codec.
  package static func atom(_ type: PlainObjectType) -> SampleEntryAtoms.Atom {
    // The kind of stream, and a bit that is always set; sizes and rates are not known.
    let kind: UInt8 = type == .mp3 ? 0x15 : 0x11
    let decoder = [type.rawValue, kind] + [UInt8](repeating: 0, count: 3 + 4 + 4)
    let synchronization: [UInt8] = [0x06, 1, 0x02]  // As in all MP4 files (ISO/IEC 14496-14, 3.1.2).
    let stream = [0, 0, 0, 0x04, UInt8(clamping: decoder.count)] + decoder + synchronization
    return SampleEntryAtoms.Atom("esds", Bytes([0, 0, 0, 0, 0x03, UInt8(clamping: stream.count)] + stream))
  }
}
