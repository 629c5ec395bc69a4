/// A sound sample description: the body of a ``SampleEntry``, versions 0 to 2 (QTFF "Sound Sample Descriptions").
///
/// The first fields are the same in all versions; in version 2 they hold fixed values, and the true ones follow in
/// ``extra``.
package struct SoundDescription {
  /// 0, 1 or 2.
  package var version: UInt16
  package var revision: UInt16
  /// 0.
  package var vendor: FourCC
  /// The channels as the first fields say; 3 in version 2. ``channelCount`` has the true number.
  package var storedChannelCount: UInt16
  /// The bits of a sample as the first fields say; 16 in version 2. ``sampleSize`` has the true number.
  package var storedSampleSize: UInt16
  /// -2 where compressed sound has a table of sample sizes, as in version 2.
  package var compressionID: Int16
  package var packetSize: UInt16
  /// The samples a second as the first fields say, 16.16; 0x10000 in version 2. ``sampleRate`` has the true number.
  package var storedSampleRate: UInt32
  /// The fields that the version adds.
  package var extra: Extra
  /// The atoms after the known fields.
  package var tail: Bytes

  /// A description of these values; `extra` must be what the version adds.
  package init(
    version: UInt16 = 0, revision: UInt16 = 0, vendor: FourCC = FourCC(rawValue: 0), storedChannelCount: UInt16,
    storedSampleSize: UInt16 = 16, compressionID: Int16 = 0, packetSize: UInt16 = 0, storedSampleRate: UInt32,
    extra: Extra = .none, tail: Bytes = Bytes()
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

  /// Parses the body of a sample entry. Throws when it ends early, and for versions above 2.
  package init(body: Bytes) throws(MovieError) {
    try self.init(payload: body)
  }

  /// The number of channels.
  package var channelCount: UInt32 {
    if case .highResolution(let fields) = extra { fields.channelCount } else { UInt32(storedChannelCount) }
  }

  /// The bits of a sample; says little of compressed sound.
  package var sampleSize: UInt32 {
    if case .highResolution(let fields) = extra { fields.bitsPerChannel } else { UInt32(storedSampleSize) }
  }

  /// Samples a second, rounded down; 0 where the number makes no sense.
  ///
  /// Rates from 65536 do not fit versions 0 and 1; the media's time scale has them.
  package var sampleRate: UInt32 {
    guard case .highResolution(let fields) = extra else { return storedSampleRate >> 16 }
    let rate = Double(bitPattern: fields.sampleRateBits)
    guard rate >= 0, rate < 0x1p32 else { return 0 }  // NaN is neither.
    return UInt32(rate)
  }

  /// The samples a second of sound in this format whose media has this time scale.
  ///
  /// A rate from 65536 does not fit the field of versions 0 and 1. Writers leave zero there, or the lower half of the
  /// rate. Then an atom contains the rate (`srat`, ISO/IEC 14496-12 12.2.3), the configuration of the decoder does, or
  /// the time scale is the rate.
  package func sampleRate(of format: FourCC, mediaTimeScale timeScale: UInt32) -> UInt32 {
    if let rate = SampleEntryAtoms(tail)["srat"]?.load(at: 4, as: UInt32.self) { return rate }
    func isCut(_ rate: UInt32) -> Bool {
      version < 2 && rate > UInt32(UInt16.max) && sampleRate == rate & 0xFFFF
    }
    let configured = configuredSampleRates(of: format)
    if !configured.isEmpty, !configured.contains(timeScale),
      let rate = configured.last(where: { isCut($0) || sampleRate == 0 })
    {
      return rate
    }
    return isCut(timeScale) || sampleRate == 0 ? timeScale : sampleRate
  }

  /// The samples a second that the configuration of the decoder declares: of AAC first those of its core, then those of
  /// an extended band. Empty for other formats, and if the configuration cannot be read.
  package func configuredSampleRates(of format: FourCC) -> [UInt32] {
    let atoms = atomsWithoutWave(of: format)
    func payload(_ type: FourCC) -> Bytes? { atoms.first { $0.type == type }?.payload }
    switch format {
    case "mp4a": return payload("esds").flatMap { ElementaryStream(payload: $0) }?.sampleRates ?? []
    case "alac":
      // The last field of the configuration, after version and flags.
      return payload("alac")?.load(at: 24, as: UInt32.self).flatMap { $0 > 0 ? [$0] : nil } ?? []
    default: return []
    }
  }
}

extension SoundDescription: FieldedPayload {
  /// Parses the body of a sample entry. Throws when it ends early, and for versions above 2.
  package init(payload: Bytes) throws(MovieError) {
    let version = payload.load(at: 0, as: UInt16.self) ?? 0
    guard version <= 2 else {
      throw MovieError(.unsupported, at: 0, "sound description of version \(version), newest known is 2")
    }
    self = try Self.reading(payload)
  }

  package static var unread: SoundDescription { SoundDescription(storedChannelCount: 0, storedSampleRate: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&version, "version", .number)
    try visitor.field(&revision, "revision", .number)
    try visitor.field(&vendor, "vendor", .code)
    try visitor.field(&storedChannelCount, "channels", .number)
    try visitor.field(&storedSampleSize, "sample size", .number)
    try visitor.field(&compressionID, "compression ID", .number)
    try visitor.field(&packetSize, "packet size", .number)
    try visitor.field(&storedSampleRate, "sample rate", .fixed16)
    if let unread = visitor.unreadBytes { extra = Extra(ofVersion: version, beginning: unread) }
    try extra.visit(&visitor)
    try visitor.field(&tail, nil, .rest)
  }
}

extension SoundDescription {
  /// The fields that QuickTime's versions 1 and 2 add.
  package enum Extra: Hashable, Sendable {
    /// Nothing: version 0, and version 1 of ISO files.
    case none
    /// QuickTime's version 1.
    case packets(PacketFields)
    /// QuickTime's version 2.
    case highResolution(HighResolutionFields)
  }

  /// The 16 bytes that QuickTime's version 1 adds.
  package struct PacketFields: Hashable, Sendable {
    /// Samples of one channel in a packet.
    package var samplesPerPacket: UInt32
    /// Bytes of one channel in a packet.
    package var bytesPerPacket: UInt32
    /// Bytes of all channels in a packet.
    package var bytesPerFrame: UInt32
    /// Bytes of an uncompressed sample.
    package var bytesPerSample: UInt32

    /// Fields of these values.
    package init(samplesPerPacket: UInt32, bytesPerPacket: UInt32, bytesPerFrame: UInt32, bytesPerSample: UInt32) {
      self.samplesPerPacket = samplesPerPacket
      self.bytesPerPacket = bytesPerPacket
      self.bytesPerFrame = bytesPerFrame
      self.bytesPerSample = bytesPerSample
    }
  }

  /// The 36 bytes that version 2 adds.
  package struct HighResolutionFields: Hashable, Sendable {
    /// The position of the atoms, counted from the start of the entry; 72.
    package var structureByteCount: UInt32
    /// Samples a second, as the bits of an IEEE 754 number of 64 bits.
    package var sampleRateBits: UInt64
    /// The number of channels.
    package var channelCount: UInt32
    /// 0x7F000000.
    package var always7F000000: UInt32
    /// Bits of one channel of a sample, 0 for compressed sound.
    package var bitsPerChannel: UInt32
    /// Flags that the format of the samples defines.
    package var formatFlags: UInt32
    /// Bytes of a packet, 0 where they vary.
    package var bytesPerPacket: UInt32
    /// Sample frames of a packet, 0 where they vary.
    package var framesPerPacket: UInt32

    /// Fields of these values.
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

  /// Whether these fields begin `rest`, as in QuickTime files, and not atoms, as in version 1 of ISO files.
  ///
  /// The second field would have to be over 500 MB a packet to look like the type of an atom.
  static func begin(_ rest: Bytes) -> Bool {
    guard rest.count >= byteCount, let size = rest.load(at: 0, as: UInt32.self) else { return false }
    let fits = size >= 8 && Int(exactly: size).map { $0 <= rest.count } ?? false
    let hasType = (4..<8).allSatisfy { rest[$0] >= 0x20 }
    return !(fits && hasType)
  }

  static let unread = Self(samplesPerPacket: 0, bytesPerPacket: 0, bytesPerFrame: 0, bytesPerSample: 0)

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&samplesPerPacket, "samples per packet", .number)
    try visitor.field(&bytesPerPacket, "bytes per packet", .number)
    try visitor.field(&bytesPerFrame, "bytes per frame", .number)
    try visitor.field(&bytesPerSample, "bytes per sample", .number)
  }
}

extension SoundDescription.HighResolutionFields {
  static let unread = Self(
    sampleRateBits: 0, channelCount: 0, bitsPerChannel: 0, formatFlags: 0, bytesPerPacket: 0, framesPerPacket: 0)

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&structureByteCount, nil, .number)
    try visitor.field(&sampleRateBits, "true sample rate", .number.shown { "\(Double(bitPattern: $0))" })
    try visitor.field(&channelCount, "true channels", .number)
    try visitor.field(&always7F000000, nil, .number)
    try visitor.field(&bitsPerChannel, "bits per channel", .number)
    try visitor.field(&formatFlags, "format flags", .hexadecimal)
    try visitor.field(&bytesPerPacket, "bytes per packet", .number)
    try visitor.field(&framesPerPacket, "frames per packet", .number)
  }
}

extension SoundDescription.Extra {
  /// The fields that a version adds, still to be read, where `rest` follows the first fields.
  init(ofVersion version: UInt16, beginning rest: Bytes) {
    switch version {
    case 2: self = .highResolution(.unread)
    case 1 where SoundDescription.PacketFields.begin(rest): self = .packets(.unread)
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
