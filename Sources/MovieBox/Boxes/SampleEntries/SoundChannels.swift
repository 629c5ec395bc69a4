/// The channels that the configurations of codecs describe.
enum SoundChannels {
  /// The formats whose sample description says nothing of channels in ISO files: `mp4a` (ISO/IEC 14496-14, 5.6), AC-3
  /// (ETSI TS 102 366, annex F), AC-4 (ETSI TS 103 190-2, annex E), speech (3GPP TS 26.244, 6.5; 3GPP2 C.S0050), MLP,
  /// MPEG-H (ISO/IEC 23008-3, 20) and IAMF; `enca` stands for any.
  static let templates: Set<FourCC> = [
    "mp4a", "enca", "ac-3", "ec-3", "ac-4", "sawp", "sevc", "sqcp", "secb", "secw", "ssmv", "mlpa", "mha1", "mha2",
    "mhm1", "mhm2", "iamf",
  ]

  /// What the codec's configuration says; `nil` where it is missing, cut or of an unknown kind.
  static func configured(_ format: FourCC, _ configuration: (FourCC) -> Bytes?) -> UInt32? {
    switch format {
    case "mp4a": configuration("esds").flatMap(ElementaryStream.init)?.channelCount
    case "ac-3": configuration("dac3").flatMap(ac3)
    case "ec-3": configuration("dec3").flatMap(enhancedAC3)
    // Apple Lossless Format, "Magic Cookie": after version and flags.
    case "alac": configuration("alac").flatMap { count($0, at: 13) }
    // Encapsulation of Opus in ISO Base Media File Format, 4.3.2.
    case "Opus": configuration("dOps").flatMap { count($0, at: 1) }
    case "fLaC": configuration("dfLa").flatMap(flac)
    // One channel is all that these code (3GPP TS 26.071 and 26.171).
    case "samr", "sawb": 1
    default: nil
    }
  }

  private static func count(_ payload: Bytes, at offset: Int) -> UInt32? {
    payload.load(at: offset, as: UInt8.self).flatMap { $0 > 0 ? UInt32($0) : nil }
  }

  /// `STREAMINFO` (RFC 9639, 8.2), after version, flags and the header of the block.
  private static func flac(_ payload: Bytes) -> UInt32? {
    var reader = BitReader(payload)
    guard reader.skip((4 + 4 + 10) * 8 + 20) != nil else { return nil }
    return reader.read(3).map { $0 + 1 }
  }

  /// ETSI TS 102 366, F.4.
  static func ac3(_ payload: Bytes) -> UInt32? {
    var reader = BitReader(payload)
    guard reader.skip(10) != nil else { return nil }  // Sample rate, stream ID and mode.
    return coded(&reader)
  }

  /// ETSI TS 102 366, F.6: the first program, with what depends on it.
  static func enhancedAC3(_ payload: Bytes) -> UInt32? {
    var reader = BitReader(payload)
    // Data rate, number of programs; sample rate, stream ID, reserved, associated service, stream mode.
    guard reader.skip(16 + 12) != nil, let own = coded(&reader), reader.skip(3) != nil, let dependent = reader.read(4)
    else { return nil }
    guard dependent > 0 else { return own }
    // From the highest bit down: LFE2, Cvh, two pairs, Lsd/Rsd, Ts, Cs, two pairs.
    guard let places = reader.read(9) else { return nil }
    let sizes: [UInt32] = [2, 2, 1, 1, 2, 2, 2, 1, 1]
    return sizes.indices.reduce(own) { $0 + (places >> UInt32($1) & 1) * sizes[$1] }
  }

  /// `acmod` and `lfeon` (ETSI TS 102 366, 4.4.2.3).
  private static func coded(_ reader: inout BitReader) -> UInt32? {
    let counts: [UInt32] = [2, 1, 2, 3, 3, 4, 4, 5]
    guard let mode = reader.read(3), let hasEffects = reader.read(1) else { return nil }
    return counts[Int(mode)] + hasEffects
  }
}
