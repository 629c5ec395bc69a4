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
    /// Where the atoms begin, counted from the start of the entry; 72.
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
  /// What a version adds, with fields that are still to be read, where `rest` follows the first fields.
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
