/// The number of a fragment: the `mfhd` atom (ISO/IEC 14496-12 8.8.5).
package struct MovieFragmentHeader {
  /// 0; the only version.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// Higher than that of the fragments before it, in valid files.
  package var sequenceNumber: UInt32
  /// What follows the known fields.
  package var tail: Bytes

  /// A header of these values.
  package init(version: UInt8 = 0, flags: UInt32 = 0, sequenceNumber: UInt32, tail: Bytes = Bytes()) {
    self.version = version
    self.flags = flags
    self.sequenceNumber = sequenceNumber
    self.tail = tail
  }
}

extension MovieFragmentHeader: FieldedPayload {
  package static var unread: MovieFragmentHeader { MovieFragmentHeader(sequenceNumber: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&sequenceNumber, "sequence number", .number)
    try visitor.field(&tail, nil, .rest)
  }
}
