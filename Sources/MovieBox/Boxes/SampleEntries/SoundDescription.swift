/// A sound sample description: the body of a ``SampleEntry``, versions 0 to 2 (QTFF "Sound Sample Descriptions").
///
/// All versions begin with the same fields. In version 2, these fields have fixed values, and ``extra`` contains the
/// actual values. Use ``channelCount``, ``sampleSize`` and ``sampleRate`` instead of the stored fields.
package struct SoundDescription {
  /// The version: 0, 1 or 2.
  package var version: UInt16
  package var revision: UInt16
  /// The vendor. It is usually 0.
  package var vendor: FourCC
  /// The channel count in the common fields. It is always 3 in version 2.
  package var storedChannelCount: UInt16
  /// The sample size in the common fields, in bits. It is always 16 in version 2.
  package var storedSampleSize: UInt16
  /// The compression ID. It is -2 in version 2, and for compressed audio with a table of sample sizes.
  package var compressionID: Int16
  package var packetSize: UInt16
  /// The sample rate in the common fields, as a 16.16 number. It is always 0x10000 in version 2.
  package var storedSampleRate: UInt32
  /// The fields that the version adds.
  package var extra: VersionFields
  /// The atoms after the known fields.
  package var tail: Bytes

  /// Creates a description. `extra` must match the version.
  package init(
    version: UInt16 = 0, revision: UInt16 = 0, vendor: FourCC = FourCC(rawValue: 0), storedChannelCount: UInt16,
    storedSampleSize: UInt16 = 16, compressionID: Int16 = 0, packetSize: UInt16 = 0, storedSampleRate: UInt32,
    extra: VersionFields = .none, tail: Bytes = Bytes()
  ) {
    self.version = version
    self.revision = revision
    self.vendor = vendor
    self.storedChannelCount = storedChannelCount
    self.storedSampleSize = storedSampleSize
    self.compressionID = compressionID
    self.packetSize = packetSize
    self.storedSampleRate = storedSampleRate
    self.extra = extra
    self.tail = tail
  }

  /// Parses the body of a sample entry. Throws if the body ends too early or its version is above 2.
  package init(body: Bytes) throws(MovieError) {
    try self.init(payload: body)
  }

  package var channelCount: UInt32 {
    if case .highResolution(let fields) = extra { fields.channelCount } else { UInt32(storedChannelCount) }
  }

  /// The sample size in bits. It has little meaning for compressed audio.
  package var sampleSize: UInt32 {
    if case .highResolution(let fields) = extra { fields.bitsPerChannel } else { UInt32(storedSampleSize) }
  }

  /// The sample rate, rounded down, or 0 if the stored rate is invalid.
  ///
  /// Versions 0 and 1 cannot store rates of 65536 Hz or more. ``sampleRate(of:mediaTimeScale:)`` also finds rates that
  /// are stored elsewhere.
  package var sampleRate: UInt32 {
    guard case .highResolution(let fields) = extra else { return storedSampleRate >> 16 }
    let rate = Double(bitPattern: fields.sampleRateBits)
    guard rate >= 0, rate < 0x1p32 else { return 0 }  // The condition also rejects NaN.
    return UInt32(rate)
  }

  /// Returns the sample rate, given the format and the time scale of the media.
  ///
  /// Versions 0 and 1 cannot store rates of 65536 Hz or more. Writers store zero or the low 16 bits of the rate
  /// instead. The actual rate is in an `srat` atom (ISO/IEC 14496-12 12.2.3) or in the decoder configuration, or it
  /// equals the time scale.
  package func sampleRate(of format: FourCC, mediaTimeScale timeScale: UInt32) -> UInt32 {
    if let rate = SampleEntryAtoms(tail)["srat"]?.load(at: 4, as: UInt32.self) { return rate }
    func isTruncatedRate(_ rate: UInt32) -> Bool {
      version < 2 && rate > UInt32(UInt16.max) && sampleRate == rate & 0xFFFF
    }
    let configuredRates = configuredSampleRates(of: format)
    if !configuredRates.isEmpty, !configuredRates.contains(timeScale),
      let rate = configuredRates.last(where: { isTruncatedRate($0) || sampleRate == 0 })
    {
      return rate
    }
    return isTruncatedRate(timeScale) || sampleRate == 0 ? timeScale : sampleRate
  }

  /// Returns the sample rates in the decoder configuration. For AAC, the array contains the rate of the core and then
  /// the rate of the extension, if any. The array is empty for other formats and for unreadable configurations.
  package func configuredSampleRates(of format: FourCC) -> [UInt32] {
    let atoms = atomsWithoutWave(of: format)
    func payload(_ type: FourCC) -> Bytes? { atoms.first { $0.type == type }?.payload }
    switch format {
    case "mp4a": return payload("esds").flatMap { ElementaryStream(payload: $0) }?.sampleRates ?? []
    case "alac":
      // The payload of `alac` consists of the version, the flags and the configuration. The sample rate is the last
      // field of the configuration.
      return payload("alac")?.load(at: 24, as: UInt32.self).flatMap { $0 > 0 ? [$0] : nil } ?? []
    default: return []
    }
  }
}

extension SoundDescription: FieldedPayload {
  /// Parses the body of a sample entry. Throws if the body ends too early or its version is above 2.
  package init(payload: Bytes) throws(MovieError) {
    let version = payload.load(at: 0, as: UInt16.self) ?? 0
    guard version <= 2 else {
      throw MovieError(
        .unsupported, at: 0, "the sound description has version \(version): the newest known version is 2")
    }
    self = try Self.reading(payload)
  }

  package static var placeholder: SoundDescription { SoundDescription(storedChannelCount: 0, storedSampleRate: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&version, "version", .number)
    try visitor.field(&revision, "revision", .number)
    try visitor.field(&vendor, "vendor", .code)
    try visitor.field(&storedChannelCount, "channels", .number)
    try visitor.field(&storedSampleSize, "sample size", .number)
    try visitor.field(&compressionID, "compression ID", .number)
    try visitor.field(&packetSize, "packet size", .number)
    try visitor.field(&storedSampleRate, "sample rate", .fixed16)
    if let unread = visitor.unreadBytes { extra = VersionFields(placeholderForVersion: version, before: unread) }
    try extra.visit(&visitor)
    try visitor.field(&tail, nil, .rest)
  }
}

extension SoundDescription {
  /// The fields that versions 1 and 2 of QuickTime add.
  package enum VersionFields: Hashable, Sendable {
    /// No fields, as in version 0 and in version 1 of ISO files.
    case none
    /// The fields of QuickTime's version 1.
    case packets(PacketFields)
    /// The fields of QuickTime's version 2.
    case highResolution(HighResolutionFields)
  }

  /// The 16 bytes that QuickTime's version 1 adds.
  package struct PacketFields: Hashable, Sendable {
    /// The number of samples in a packet, per channel.
    package var samplesPerPacket: UInt32
    /// The number of bytes in a packet, per channel.
    package var bytesPerPacket: UInt32
    /// The number of bytes in a packet, for all channels.
    package var bytesPerFrame: UInt32
    /// The size of an uncompressed sample in bytes.
    package var bytesPerSample: UInt32

    package init(samplesPerPacket: UInt32, bytesPerPacket: UInt32, bytesPerFrame: UInt32, bytesPerSample: UInt32) {
      self.samplesPerPacket = samplesPerPacket
      self.bytesPerPacket = bytesPerPacket
      self.bytesPerFrame = bytesPerFrame
      self.bytesPerSample = bytesPerSample
    }
  }

  /// The 36 bytes that version 2 adds.
  package struct HighResolutionFields: Hashable, Sendable {
    /// The number of bytes from the start of the entry to its atoms, always 72.
    package var structureByteCount: UInt32
    /// The sample rate, as the bits of a 64-bit IEEE 754 number.
    package var sampleRateBits: UInt64
    package var channelCount: UInt32
    /// A constant, 0x7F000000.
    package var always7F000000: UInt32
    /// The number of bits in a sample of one channel, or 0 for compressed audio.
    package var bitsPerChannel: UInt32
    /// The flags of the sample format. For `lpcm`, they declare floating-point, big-endian or signed samples, among
    /// other properties.
    package var formatFlags: UInt32
    /// The size of a packet in bytes, or 0 if it varies.
    package var bytesPerPacket: UInt32
    /// The number of audio frames in a packet, or 0 if it varies.
    package var framesPerPacket: UInt32

    package init(
      structureByteCount: UInt32 = 72, sampleRateBits: UInt64, channelCount: UInt32,
      always7F000000: UInt32 = 0x7F00_0000, bitsPerChannel: UInt32, formatFlags: UInt32, bytesPerPacket: UInt32,
      framesPerPacket: UInt32
    ) {
      self.structureByteCount = structureByteCount
      self.sampleRateBits = sampleRateBits
      self.channelCount = channelCount
      self.always7F000000 = always7F000000
      self.bitsPerChannel = bitsPerChannel
      self.formatFlags = formatFlags
      self.bytesPerPacket = bytesPerPacket
      self.framesPerPacket = framesPerPacket
    }
  }
}

extension SoundDescription.PacketFields {
  static let byteCount = 16

  /// Whether `rest` begins with the fields of QuickTime's version 1. In ISO files, `rest` begins with atoms instead.
  ///
  /// The fields would be mistaken for an atom only if a packet had more than 500 MB.
  static func areAtStart(of rest: Bytes) -> Bool {
    guard rest.count >= byteCount, let size = rest.load(at: 0, as: UInt32.self) else { return false }
    let fits = size >= 8 && Int(exactly: size).map { $0 <= rest.count } ?? false
    let hasType = (4..<8).allSatisfy { rest[$0] >= 0x20 }
    return !(fits && hasType)
  }

  static let placeholder = Self(samplesPerPacket: 0, bytesPerPacket: 0, bytesPerFrame: 0, bytesPerSample: 0)

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&samplesPerPacket, "samples per packet", .number)
    try visitor.field(&bytesPerPacket, "bytes per packet", .number)
    try visitor.field(&bytesPerFrame, "bytes per frame", .number)
    try visitor.field(&bytesPerSample, "bytes per sample", .number)
  }
}

extension SoundDescription.HighResolutionFields {
  static let placeholder = Self(
    sampleRateBits: 0, channelCount: 0, bitsPerChannel: 0, formatFlags: 0, bytesPerPacket: 0, framesPerPacket: 0)

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&structureByteCount, nil, .number)
    try visitor.field(&sampleRateBits, "true sample rate", .number.withText { "\(Double(bitPattern: $0))" })
    try visitor.field(&channelCount, "true channels", .number)
    try visitor.field(&always7F000000, nil, .number)
    try visitor.field(&bitsPerChannel, "bits per channel", .number)
    try visitor.field(&formatFlags, "format flags", .hexadecimal)
    try visitor.field(&bytesPerPacket, "bytes per packet", .number)
    try visitor.field(&framesPerPacket, "frames per packet", .number)
  }
}

extension SoundDescription.VersionFields {
  /// Creates placeholders for the fields of a version. Version 1 has fields only if `rest`, the bytes after the common
  /// fields, begins with them.
  init(placeholderForVersion version: UInt16, before rest: Bytes) {
    switch version {
    case 2: self = .highResolution(.placeholder)
    case 1 where SoundDescription.PacketFields.areAtStart(of: rest): self = .packets(.placeholder)
    default: self = .none
    }
  }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    switch self {
    case .none: break
    case .packets(var fields):
      try fields.visit(&visitor)
      self = .packets(fields)
    case .highResolution(var fields):
      try fields.visit(&visitor)
      self = .highResolution(fields)
    }
  }
}
