/// The number of a fragment: the `mfhd` atom (ISO/IEC 14496-12 8.8.5).
public struct MovieFragmentHeader {
  /// 0; the only version.
  public var version: UInt8
  /// 24 bits of flags; 0.
  public var flags: UInt32
  /// Higher than that of the fragments before it, in valid files.
  public var sequenceNumber: UInt32
  /// What follows the known fields.
  public var tail: Bytes

  /// A header of these values.
  public init(version: UInt8 = 0, flags: UInt32 = 0, sequenceNumber: UInt32, tail: Bytes = Bytes()) {
    self.version = version
    self.flags = flags
    self.sequenceNumber = sequenceNumber
    self.tail = tail
  }
}

extension MovieFragmentHeader: FieldedPayload {
  /// Parses `mfhd`. Throws when the bytes end early, and for versions above 0.
  public init(payload: Bytes) throws(MovieError) {
    self = try Self.reading(payload)
  }

  /// Writes `mfhd`.
  public func write(to writer: inout ByteWriter) {
    writeFields(to: &writer)
  }

  static var unread: MovieFragmentHeader { MovieFragmentHeader(sequenceNumber: 0) }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&sequenceNumber, "sequence number", .number)
    try visitor.field(&tail, nil, .rest)
  }
}
