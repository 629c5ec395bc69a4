package import Subtitles

/// A QuickTime `text` sample description: the appearance of a text track's samples, including chapters (QTFF "Text
/// Sample Description").
///
/// The payload begins after the 16 bytes that are common to all sample entries. Many writers omit the last fields, and
/// missing fields are read as zero. Some `text` entries contain the fields of `tx3g` instead.
/// ``SampleEntry/isTimedText`` detects these entries.
package struct QuickTimeTextDescription: Hashable, Sendable {
  /// The display flags, which differ from the flags of `tx3g`.
  package let displayFlags: UInt32
  /// The alignment: 0 for left, 1 for center, or −1 for right.
  package let justification: Int32
  /// The background color. QuickTime colors are opaque.
  package let background: StyledText.Color
  /// The text box, in pixels of the track.
  package let defaultTextBox: Tx3gTextBox
  /// The bits for bold, italic and underlined text, and for outline, shadow, condensed and extended text.
  package let face: Tx3gStyleRecord.Face
  /// The text color.
  package let foreground: StyledText.Color
  /// Whether the description names a font.
  package let hasFontName: Bool

  /// Reads the fields from the bytes after the data reference index. Missing fields are zero.
  package init(entryBody body: Bytes) {
    func field(_ offset: Int) -> UInt16 { body.load(at: offset, as: UInt16.self) ?? 0 }
    func edge(_ offset: Int) -> Int16 { Int16(bitPattern: field(offset)) }
    func color(_ offset: Int) -> StyledText.Color {
      // Each color component has 16 bits. Only its upper eight bits are kept.
      StyledText.Color(
        red: UInt8(field(offset) >> 8), green: UInt8(field(offset + 2) >> 8), blue: UInt8(field(offset + 4) >> 8))
    }
    displayFlags = body.load(at: 0, as: UInt32.self) ?? 0
    justification = body.load(at: 4, as: Int32.self) ?? 0
    background = color(8)
    defaultTextBox = Tx3gTextBox(top: edge(14), left: edge(16), bottom: edge(18), right: edge(20))
    face = Tx3gStyleRecord.Face(rawValue: UInt8(truncatingIfNeeded: field(32)))
    foreground = color(37)
    // The font name is a Pascal string, so its first byte is its length.
    hasFontName = (body.load(at: 43, as: UInt8.self) ?? 0) > 0
  }
}
