/// The header of media that needs none, such as text: the `nmhd` atom (ISO/IEC 14496-12 "Null Media Header Box").
package struct NullMediaHeader {
  /// 0.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// What follows the known fields.
  package var tail: Bytes

  /// A header of these values.
  package init(version: UInt8 = 0, flags: UInt32 = 0, tail: Bytes = Bytes()) {
    self.version = version
    self.flags = flags
    self.tail = tail
  }
}

extension NullMediaHeader: FieldedPayload {
  package static var unread: NullMediaHeader { NullMediaHeader() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&tail, nil, .rest)
  }
}
