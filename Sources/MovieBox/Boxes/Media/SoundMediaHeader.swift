/// The balance of sound: the `smhd` atom (QTFF "Sound Media Information Header Atoms").
package struct SoundMediaHeader {
  /// 0.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// 8.8; negative is left.
  package var balance: Int16
  /// 0.
  package var reserved: UInt16
  /// What follows the known fields.
  package var tail: Bytes

  /// A header of these values.
  package init(version: UInt8 = 0, flags: UInt32 = 0, balance: Int16 = 0, reserved: UInt16 = 0, tail: Bytes = Bytes()) {
    self.version = version
    self.flags = flags
    self.balance = balance
    self.reserved = reserved
    self.tail = tail
  }
}

extension SoundMediaHeader: FieldedPayload {
  package static var unread: SoundMediaHeader { SoundMediaHeader() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&balance, "balance", .fixed8)
    try visitor.field(&reserved, nil, .number)
    try visitor.field(&tail, nil, .rest)
  }
}
