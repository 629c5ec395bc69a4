/// The channels that an MPEG-4 audio decoder configuration declares (ISO/IEC 14496-3, 1.6.2.1).
///
/// For a common channel layout, the configuration contains an index into a table of counts. For another layout, a
/// program config element or the ALS configuration declares the channels. The fields before that element are parsed
/// too, because the position of the element depends on their sizes.
struct AudioSpecificConfiguration {
  /// The number of audible channels.
  let channelCount: UInt32

  /// The audio object types whose configuration is a `GASpecificConfig`, such as AAC.
  private static let advancedCodingObjectTypes: Set<UInt32> = [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23]
  /// The channel counts by channel configuration (ISO/IEC 14496-3, table 1.19). A count of 0 means that a later element
  /// declares the channels, or that the channels are unknown.
  private static let channelCounts: [UInt32] = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8, 0]

  /// Parses a configuration. Returns `nil` if the bytes end too early or do not declare the channels.
  init?(_ bytes: Bytes) {
    var reader = BitReader(bytes)
    guard var kind = Self.readObjectType(&reader), Self.skipSampleRate(&reader) != nil, let number = reader.read(4)
    else {
      return nil
    }
    let isParametricStereo = kind == 29
    if kind == 5 || isParametricStereo {
      // Skip the sample rate of the extension. The object type of the core follows it.
      guard Self.skipSampleRate(&reader) != nil, let inner = Self.readObjectType(&reader) else { return nil }
      kind = inner
    }
    var count = Self.channelCounts[Int(number)]
    if number == 0 {
      let isLossless = kind == 36
      guard isLossless || Self.advancedCodingObjectTypes.contains(kind),
        let elements = isLossless ? Self.readLosslessChannelCount(&reader) : Self.readElementChannelCount(&reader)
      else { return nil }
      count = elements
    }
    guard count > 0 else { return nil }
    channelCount = isParametricStereo && count == 1 ? 2 : count
  }

  /// Returns the audio object type (`audioObjectType`), or 5 if a sync extension marks AAC-LC as HE-AAC (1.6.5).
  static func objectType(_ bytes: Bytes) -> UInt32? {
    var reader = BitReader(bytes)
    guard let kind = readObjectType(&reader) else { return nil }
    guard kind == 2, skipSampleRate(&reader) != nil, reader.read(4) != nil, reader.skip(1) != nil,
      let dependsOnCore = reader.readFlag(), reader.skip((dependsOnCore ? 14 : 0) + 1) != nil,
      reader.read(11) == 0x2B7, readObjectType(&reader) == 5, reader.readFlag() == true
    else { return kind }
    return 5
  }

  private static func readObjectType(_ reader: inout BitReader) -> UInt32? {
    guard let kind = reader.read(5) else { return nil }
    return kind == 31 ? reader.read(6).map { 32 + $0 } : kind
  }

  /// The sample rates by their index (ISO/IEC 14496-3, table 1.18).
  private static let sampleRates: [UInt32] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]

  /// Returns the sample rate of the core, followed by the rate of any extension. The array is empty if the bytes do
  /// not declare them.
  static func sampleRates(_ bytes: Bytes) -> [UInt32] {
    var reader = BitReader(bytes)
    guard let kind = readObjectType(&reader), let core = readSampleRate(&reader), core > 0 else { return [] }
    guard kind == 5 || kind == 29, reader.skip(4) != nil, let extended = readSampleRate(&reader), extended > 0 else {
      return [core]
    }
    return [core, extended]
  }

  /// Reads a sample rate. Returns 0 for a reserved index.
  private static func readSampleRate(_ reader: inout BitReader) -> UInt32? {
    guard let index = reader.read(4) else { return nil }
    if index == 15 { return reader.read(24) }
    return sampleRates.indices.contains(Int(index)) ? sampleRates[Int(index)] : 0
  }

  private static func skipSampleRate(_ reader: inout BitReader) -> Void? { readSampleRate(&reader).map { _ in } }

  /// Reads the channel count of MPEG-4 ALS (`ALSSpecificConfig`, ISO/IEC 14496-3, 11.6.1). Some writers insert 24 bits
  /// before `ALSSpecificConfig`.
  private static func readLosslessChannelCount(_ reader: inout BitReader) -> UInt32? {
    guard reader.skip(5) != nil, let mark = reader.read(32) else { return nil }
    let name: UInt32 = 0x414C_5300  // The name is "ALS" and a NUL.
    guard mark == name || mark & 0xFF == name >> 24 && reader.read(24) == name & 0xFF_FFFF else { return nil }
    guard reader.skip(64) != nil else { return nil }
    return reader.read(16).map { $0 + 1 }
  }

  /// Reads the channel count from a program's elements (`GASpecificConfig` and `program_config_element`, 4.4.1).
  private static func readElementChannelCount(_ reader: inout BitReader) -> UInt32? {
    guard reader.skip(1) != nil, let dependsOnCore = reader.readFlag() else { return nil }
    guard reader.skip((dependsOnCore ? 14 : 0) + 1 + 4 + 2 + 4) != nil else { return nil }
    guard let front = reader.read(4), let side = reader.read(4), let back = reader.read(4),
      let effects = reader.read(2),
      reader.skip(3 + 4) != nil
    else { return nil }
    for bitCount in [4, 4, 3] {  // The flags and elements of the mono, stereo and matrix mixdown.
      guard let isPresent = reader.readFlag(), reader.skip(isPresent ? bitCount : 0) != nil else { return nil }
    }
    var count = effects
    for _ in 0..<front + side + back {
      guard let isPair = reader.readFlag(), reader.skip(4) != nil else { return nil }
      count += isPair ? 2 : 1
    }
    return count
  }
}

/// The channels that codec configurations declare.
enum SoundChannels {
  /// The formats whose sample descriptions declare no usable channel count in ISO files.
  ///
  /// They are `mp4a` (ISO/IEC 14496-14, 5.6), AC-3 (ETSI TS 102 366, annex F), AC-4 (ETSI TS 103 190-2, annex E),
  /// speech (3GPP TS 26.244, 6.5; 3GPP2 C.S0050), MLP, MPEG-H (ISO/IEC 23008-3, 20) and IAMF. The list contains `enca`,
  /// because encrypted audio may have one of these formats.
  static let formatsWithTemplateCounts: Set<FourCC> = [
    "mp4a", "enca", "ac-3", "ec-3", "ac-4", "sawp", "sevc", "sqcp", "secb", "secw", "ssmv", "mlpa", "mha1", "mha2",
    "mhm1", "mhm2", "iamf",
  ]

  /// Returns the number of channels from the codec's configuration. Returns `nil` if the codec is unknown, or if its
  /// configuration is missing or truncated.
  static func configuredCount(_ format: FourCC, _ configuration: (FourCC) -> Bytes?) -> UInt32? {
    switch format {
    case "mp4a": configuration("esds").flatMap(ElementaryStream.init)?.channelCount
    case "ac-3": configuration("dac3").flatMap(ac3ChannelCount)
    case "ec-3": configuration("dec3").flatMap(enhancedAC3ChannelCount)
    // The layout is defined in Apple Lossless Format, "Magic Cookie". The payload begins with version and flags.
    case "alac": configuration("alac").flatMap { channelCount(in: $0, at: 13) }
    // The layout is defined in Encapsulation of Opus in ISO Base Media File Format, 4.3.2.
    case "Opus": configuration("dOps").flatMap { channelCount(in: $0, at: 1) }
    case "fLaC": configuration("dfLa").flatMap(flacChannelCount)
    // AMR and AMR-WB are always mono (3GPP TS 26.071 and 26.171).
    case "samr", "sawb": 1
    default: nil
    }
  }

  private static func channelCount(in payload: Bytes, at offset: Int) -> UInt32? {
    payload.load(at: offset, as: UInt8.self).flatMap { $0 > 0 ? UInt32($0) : nil }
  }

  /// Reads the channel count of `STREAMINFO` (RFC 9639, 8.2). The version, the flags and the block's header precede it.
  private static func flacChannelCount(_ payload: Bytes) -> UInt32? {
    var reader = BitReader(payload)
    guard reader.skip((4 + 4 + 10) * 8 + 20) != nil else { return nil }
    return reader.read(3).map { $0 + 1 }
  }

  /// Reads the channel count of `dac3` (ETSI TS 102 366, F.4).
  static func ac3ChannelCount(_ payload: Bytes) -> UInt32? {
    var reader = BitReader(payload)
    // Skip the sample rate, the stream ID and the mode.
    guard reader.skip(10) != nil else { return nil }
    return codedChannelCount(&reader)
  }

  /// Reads the channel count of the first program of `dec3`, including its dependent substreams (ETSI TS 102 366,
  /// F.6).
  static func enhancedAC3ChannelCount(_ payload: Bytes) -> UInt32? {
    var reader = BitReader(payload)
    // Skip the data rate, the number of programs, the sample rate, the stream ID, a reserved bit, the associated
    // service and the stream mode.
    guard reader.skip(16 + 12) != nil, let ownCount = codedChannelCount(&reader), reader.skip(3) != nil,
      let dependent = reader.read(4)
    else { return nil }
    guard dependent > 0 else { return ownCount }
    // Each bit declares a speaker or a pair of speakers. From the highest, the bits are LFE2, Cvh, two pairs, Lsd/Rsd,
    // Ts, Cs and two pairs.
    guard let channelBits = reader.read(9) else { return nil }
    let sizes: [UInt32] = [2, 2, 1, 1, 2, 2, 2, 1, 1]
    return sizes.indices.reduce(ownCount) { $0 + (channelBits >> UInt32($1) & 1) * sizes[$1] }
  }

  /// Reads the channel count from `acmod` and `lfeon` (ETSI TS 102 366, 4.4.2.3).
  private static func codedChannelCount(_ reader: inout BitReader) -> UInt32? {
    let counts: [UInt32] = [2, 1, 2, 3, 3, 4, 4, 5]
    guard let mode = reader.read(3), let hasEffects = reader.read(1) else { return nil }
    return counts[Int(mode)] + hasEffects
  }
}
