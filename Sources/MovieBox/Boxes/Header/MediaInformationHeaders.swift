/// How video is drawn: the `vmhd` atom (QTFF "Video Media Information Header Atoms").
package struct VideoMediaHeader {
  /// 0.
  package var version: UInt8
  /// 24 bits of flags; 1.
  package var flags: UInt32
  /// The transfer mode; 0 copies, 0x40 copies with dithering.
  package var graphicsMode: UInt16
  /// The red of the color that the mode may use.
  package var red: UInt16
  /// The green of that color.
  package var green: UInt16
  /// The blue of that color.
  package var blue: UInt16
  /// What follows the known fields.
  package var tail: Bytes

  /// A header of these values.
  package init(
    version: UInt8 = 0, flags: UInt32 = 1, graphicsMode: UInt16 = 0, red: UInt16 = 0, green: UInt16 = 0,
    blue: UInt16 = 0, tail: Bytes = Bytes()
  ) {
    self.version = version
    self.flags = flags
    self.graphicsMode = graphicsMode
    self.red = red
    self.green = green
    self.blue = blue
    self.tail = tail
  }
}

extension VideoMediaHeader: FieldedPayload {
  package static var unread: VideoMediaHeader { VideoMediaHeader() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&graphicsMode, "graphics mode", .number)
    try visitor.field(&red, "red", .number)
    try visitor.field(&green, "green", .number)
    try visitor.field(&blue, "blue", .number)
    try visitor.field(&tail, nil, .rest)
  }
}

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

/// Where text is drawn: the `text` atom in `gmhd`, which QuickTime wants for chapters (QTFF "Text Media Information").
package struct TextMediaInfo {
  /// The matrix of the text; should change nothing.
  package var matrix: Matrix
  /// What follows the matrix.
  package var tail: Bytes

  /// Fields of these values.
  package init(matrix: Matrix = .identity, tail: Bytes = Bytes()) {
    self.matrix = matrix
    self.tail = tail
  }
}

extension TextMediaInfo: FieldedPayload {
  package static var unread: TextMediaInfo { TextMediaInfo() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&matrix, "matrix", .matrix)
    try visitor.field(&tail, nil, .rest)
  }
}
