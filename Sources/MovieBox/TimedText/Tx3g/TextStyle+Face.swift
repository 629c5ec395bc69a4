import Subtitles

// Faces and font sizes, as style records and TextEdit's tables have them.

extension Tx3gStyleRecord.Face {
  /// The face of a style.
  init(_ style: TextStyle) {
    self = []
    if style.isBold { insert(.bold) }
    if style.isItalic { insert(.italic) }
    if style.isUnderlined { insert(.underline) }
  }
}

extension TextStyle {
  /// The style of a face.
  init(_ face: Tx3gStyleRecord.Face, color: TextColor? = nil, sizeInPercent: Int? = nil) {
    self.init(
      isBold: face.contains(.bold), isItalic: face.contains(.italic), isUnderlined: face.contains(.underline),
      color: color, sizeInPercent: sizeInPercent)
  }

  /// Its font size where the usual one is this: to the nearest, between 1 and 255.
  func fontSize(whereUsual usual: UInt8) -> UInt8 {
    guard let percent = sizeInPercent else { return usual }
    return UInt8(clamping: Swift.max(1, (Int(usual) * Swift.min(Swift.max(0, percent), 25_500) + 50) / 100))
  }

  /// A font size in percent of the usual one; `nil` for that itself, and for 0.
  static func percent(ofFontSize size: Int, whereUsual usual: UInt8) -> Int? {
    guard usual > 0, size > 0, size != Int(usual) else { return nil }
    return (size * 100 + Int(usual) / 2) / Int(usual)
  }
}

extension StyledText {
  /// How many lines it has.
  var lineCount: Int { text.utf8.count { $0 == Ascii.lineFeed } + 1 }
}
