// The small headers in `minf` by kind of media: `vmhd`, `smhd` and `nmhd`, and `gmin` and `text` in QuickTime's `gmhd`.
// Edits write them with the defaults here.

/// The drawing mode of video: the `vmhd` atom (QTFF "Video Media Information Header Atoms").
package struct VideoMediaHeader {
  package var version: UInt8 = 0
  /// 24 bits of flags; 1.
  package var flags: UInt32 = 1
  /// The transfer mode; 0 copies, 0x40 copies with dithering.
  package var graphicsMode: UInt16 = 0
  /// The red of the color that the mode may use.
  package var red: UInt16 = 0
  /// The green of that color.
  package var green: UInt16 = 0
  /// The blue of that color.
  package var blue: UInt16 = 0
  package var tail = Bytes()

  package init() {}
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
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// 8.8; negative is left.
  package var balance: Int16 = 0
  package var reserved: UInt16 = 0
  package var tail = Bytes()

  package init() {}
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
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  package var tail = Bytes()

  package init() {}
}

extension NullMediaHeader: FieldedPayload {
  package static var unread: NullMediaHeader { NullMediaHeader() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&tail, nil, .rest)
  }
}

/// The presentation of media without a header of its own: the `gmin` atom in `gmhd` (QTFF "Base Media Info Atoms").
package struct BaseMediaInfo {
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// The transfer mode; 0x40 copies with dithering.
  package var graphicsMode: UInt16 = 0x40
  /// The red of the color that the mode may use.
  package var red: UInt16 = 0x8000
  /// The green of that color.
  package var green: UInt16 = 0x8000
  /// The blue of that color.
  package var blue: UInt16 = 0x8000
  /// 8.8; negative is left.
  package var balance: Int16 = 0
  package var reserved: UInt16 = 0
  package var tail = Bytes()

  package init() {}
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

/// The matrix of text: the `text` atom in `gmhd`, which QuickTime requires for chapters (QTFF "Text Media
/// Information").
package struct TextMediaInfo {
  /// The matrix of the text; should change nothing.
  package var matrix = Matrix.identity
  package var tail = Bytes()

  package init() {}
}

extension TextMediaInfo: FieldedPayload {
  package static var unread: TextMediaInfo { TextMediaInfo() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&matrix, "matrix", .matrix)
    try visitor.field(&tail, nil, .rest)
  }
}
