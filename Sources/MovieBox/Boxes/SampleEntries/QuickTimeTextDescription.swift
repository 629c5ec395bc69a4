package import Subtitles

/// A `text` sample description of QuickTime: how the samples of a text track look, chapters among them (QTFF "Text
/// Sample Description").
///
/// Parses what follows the 16 bytes that every sample entry begins with. Many writers leave the end away, so whatever
/// is missing counts as zero. A `text` entry with the body of a `tx3g` entry is another thing: see
/// ``SampleEntry/holdsTimedText``.
package struct QuickTimeTextDescription: Hashable, Sendable {
  /// Flags of its own, which are not those of `tx3g`.
  package let displayFlags: UInt32
  /// 0 left, 1 centre, −1 right.
  package let justification: Int32
  /// The colour under the text; QuickTime colours are opaque.
  package let background: TextColor
  /// The box of the text, in the track's own pixels.
  package let defaultTextBox: Tx3gTextBox
  /// Bold, italic, underlined; further bits are outline, shadow, condensed, extended.
  package let face: Tx3gStyleRecord.Face
  /// The colour of the text.
  package let foreground: TextColor
  /// Whether a font is named.
  package let namesFont: Bool

  /// Reads the bytes after the entry's data reference index, as far as they go.
  package init(entryBody body: Bytes) {
    func field(_ offset: Int) -> UInt16 { body.load(at: offset, as: UInt16.self) ?? 0 }
    func edge(_ offset: Int) -> Int16 { Int16(bitPattern: field(offset)) }
    func color(_ offset: Int) -> TextColor {
      // Sixteen bits a component: the upper eight are the colour that a byte holds.
      TextColor(
        red: UInt8(field(offset) >> 8), green: UInt8(field(offset + 2) >> 8), blue: UInt8(field(offset + 4) >> 8))
    }
    displayFlags = body.load(at: 0, as: UInt32.self) ?? 0
    justification = body.load(at: 4, as: Int32.self) ?? 0
    background = color(8)
    defaultTextBox = Tx3gTextBox(top: edge(14), left: edge(16), bottom: edge(18), right: edge(20))
    face = Tx3gStyleRecord.Face(rawValue: UInt8(truncatingIfNeeded: field(32)))
    foreground = color(37)
    // A Pascal string.
    namesFont = (body.load(at: 43, as: UInt8.self) ?? 0) > 0
  }
}
