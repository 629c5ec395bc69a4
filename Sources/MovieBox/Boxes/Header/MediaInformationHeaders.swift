// The small headers in `minf`: `vmhd`, `smhd`, `nmhd`, and the `gmin` and `text` atoms in QuickTime's `gmhd`. Edits
// write these headers with their default values.

/// The graphics mode of video: the `vmhd` atom (QTFF "Video Media Information Header Atoms").
package struct VideoMediaHeader {
  package var version: UInt8 = 0
  /// The 24 bits of flags. The standard requires the value 1.
  package var flags: UInt32 = 1
  /// The graphics mode. 0 copies pixels, and 0x40 copies pixels with dithering.
  package var graphicsMode: UInt16 = 0
  /// The red component of the color that the graphics mode uses.
  package var red: UInt16 = 0
  /// The green component of the color.
  package var green: UInt16 = 0
  /// The blue component of the color.
  package var blue: UInt16 = 0
  package var tail = Bytes()

  package init() {}
}

extension VideoMediaHeader: FieldedPayload {
  package static var placeholder: VideoMediaHeader { VideoMediaHeader() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
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
  /// The balance, as an 8.8 number. Negative values shift the sound to the left.
  package var balance: Int16 = 0
  package var reserved: UInt16 = 0
  package var tail = Bytes()

  package init() {}
}

extension SoundMediaHeader: FieldedPayload {
  package static var placeholder: SoundMediaHeader { SoundMediaHeader() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    try visitor.field(&balance, "balance", .fixed8)
    try visitor.field(&reserved, nil, .number)
    try visitor.field(&tail, nil, .rest)
  }
}

/// The header of media whose type has no parameters, such as text: the `nmhd` atom (ISO/IEC 14496-12 "Null Media Header
/// Box").
package struct NullMediaHeader {
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  package var tail = Bytes()

  package init() {}
}

extension NullMediaHeader: FieldedPayload {
  package static var placeholder: NullMediaHeader { NullMediaHeader() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    try visitor.field(&tail, nil, .rest)
  }
}

/// The graphics mode and balance of media without another media header: the `gmin` atom in `gmhd` (QTFF "Base Media
/// Info Atoms").
package struct BaseMediaInfo {
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// The graphics mode. 0x40 copies pixels with dithering.
  package var graphicsMode: UInt16 = 0x40
  /// The red component of the color that the graphics mode uses.
  package var red: UInt16 = 0x8000
  /// The green component of the color.
  package var green: UInt16 = 0x8000
  /// The blue component of the color.
  package var blue: UInt16 = 0x8000
  /// The balance, as an 8.8 number. Negative values shift the sound to the left.
  package var balance: Int16 = 0
  package var reserved: UInt16 = 0
  package var tail = Bytes()

  package init() {}
}

extension BaseMediaInfo: FieldedPayload {
  package static var placeholder: BaseMediaInfo { BaseMediaInfo() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    try visitor.field(&graphicsMode, "graphics mode", .number)
    try visitor.field(&red, "red", .number)
    try visitor.field(&green, "green", .number)
    try visitor.field(&blue, "blue", .number)
    try visitor.field(&balance, "balance", .fixed8)
    try visitor.field(&reserved, nil, .number)
    try visitor.field(&tail, nil, .rest)
  }
}

/// The matrix of text: the `text` atom in `gmhd`. QuickTime requires the atom in chapter tracks (QTFF "Text Media
/// Information").
package struct TextMediaInfo {
  /// The matrix of the text, normally the identity.
  package var matrix = Matrix.identity
  package var tail = Bytes()

  package init() {}
}

extension TextMediaInfo: FieldedPayload {
  package static var placeholder: TextMediaInfo { TextMediaInfo() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&matrix, "matrix", .matrix)
    try visitor.field(&tail, nil, .rest)
  }
}
