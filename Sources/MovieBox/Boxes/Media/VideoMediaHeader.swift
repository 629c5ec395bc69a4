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
