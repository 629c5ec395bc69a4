/// What a sound sample description says: the body of a ``SampleEntry``, versions 0 to 2 (QTFF "Sound Sample
/// Descriptions").
///
/// The first fields are the same in all versions; in version 2 they hold fixed values, and the true ones follow in
/// ``extra``.
package struct SoundDescription {
  /// 0, 1 or 2.
  package var version: UInt16
  /// 0.
  package var revision: UInt16
  /// 0.
  package var vendor: FourCC
  /// The channels as the first fields say; 3 in version 2. ``channelCount`` has the true number.
  package var storedChannelCount: UInt16
  /// The bits of a sample as the first fields say; 16 in version 2. ``sampleSize`` has the true number.
  package var storedSampleSize: UInt16
  /// -2 where compressed sound has a table of sample sizes, as in version 2.
  package var compressionID: Int16
  /// 0.
  package var packetSize: UInt16
  /// The samples a second as the first fields say, 16.16; 0x10000 in version 2. ``sampleRate`` has the true number.
  package var storedSampleRate: UInt32
  /// What the version adds.
  package var extra: Extra
  /// What follows the known fields: atoms.
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
