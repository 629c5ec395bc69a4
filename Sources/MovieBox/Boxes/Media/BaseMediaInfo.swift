/// How media without a header of its own is drawn and heard: the `gmin` atom in `gmhd` (QTFF "Base Media Info Atoms").
package struct BaseMediaInfo {
  /// 0.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// The transfer mode; 0x40 copies with dithering.
  package var graphicsMode: UInt16
  /// The red of the color that the mode may use.
  package var red: UInt16
  /// The green of that color.
  package var green: UInt16
  /// The blue of that color.
  package var blue: UInt16
  /// 8.8; negative is left.
  package var balance: Int16
  /// 0.
  package var reserved: UInt16
  /// What follows the known fields.
  package var tail: Bytes

  /// Fields of these values; without any, those that most writers use.
  package init(
    version: UInt8 = 0, flags: UInt32 = 0, graphicsMode: UInt16 = 0x40, red: UInt16 = 0x8000, green: UInt16 = 0x8000,
    blue: UInt16 = 0x8000, balance: Int16 = 0, reserved: UInt16 = 0, tail: Bytes = Bytes()
  ) {
    self.version = version
    self.flags = flags
    self.graphicsMode = graphicsMode
    self.red = red
    self.green = green
    self.blue = blue
    self.balance = balance
    self.reserved = reserved
    self.tail = tail
  }
}

extension BaseMediaInfo: FieldedPayload {
  package static var unread: BaseMediaInfo { BaseMediaInfo() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&graphicsMode, "graphics mode", .number)
    try visitor.field(&red, "red", .number)
    try visitor.field(&green, "green", .number)
    try visitor.field(&blue, "blue", .number)
    try visitor.field(&balance, "balance", .fixed8)
    try visitor.field(&reserved, nil, .number)
    try visitor.field(&tail, nil, .rest)
  }
}
