package import Subtitles

/// How a run of characters looks (3GPP TS 26.245 StyleRecord, 12 bytes).
///
/// A record replaces all of font, face, size and colour of the default style, so it repeats what stays the same.
package struct Tx3gStyleRecord: Hashable, Sendable {
  /// Bits of the face. Unknown bits are kept.
  package struct Face: OptionSet, Hashable, Sendable {
    /// The byte as it stands in the file.
    package let rawValue: UInt8

    /// A face with these bits.
    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Bold, 1.
    package static let bold = Face(rawValue: 1)
    /// Italic, 2.
    package static let italic = Face(rawValue: 2)
    /// Underlined, 4.
    package static let underline = Face(rawValue: 4)
  }

  /// How many bytes a record takes.
  package static let byteCount = 12

  /// The first character, counted in code points from 0; 0 in a sample description.
  package var start: UInt16
  /// One past the last character; 0 in a sample description.
  package var end: UInt16
  /// A font of the font table.
  package var fontID: UInt16
  /// Bold, italic, underlined.
  package var face: Face
  /// The size in pixels.
  package var fontSize: UInt8
  /// The colour of the text.
  package var color: TextColor

  /// A record with these fields.
  package init(start: UInt16, end: UInt16, fontID: UInt16, face: Face, fontSize: UInt8, color: TextColor) {
    self.start = start
    self.end = end
    self.fontID = fontID
    self.face = face
    self.fontSize = fontSize
    self.color = color
  }
}

extension ByteReader {
  mutating func readTx3gStyleRecord() throws(MovieError) -> Tx3gStyleRecord {
    Tx3gStyleRecord(
      start: try read(UInt16.self), end: try read(UInt16.self), fontID: try read(UInt16.self),
      face: Tx3gStyleRecord.Face(rawValue: try read(UInt8.self)), fontSize: try read(UInt8.self),
      color: try readTextColor())
  }
}

extension ByteWriter {
  mutating func write(_ record: Tx3gStyleRecord) {
    // In two pieces: a film's subtitles may have a hundred thousand of these.
    let range = UInt64(record.start) << 48 | UInt64(record.end) << 32
    write(range | UInt64(record.fontID) << 16 | UInt64(record.face.rawValue) << 8 | UInt64(record.fontSize))
    write(record.color)
  }
}
