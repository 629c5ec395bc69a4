package import Subtitles

/// A `tx3g` sample description: how the samples of a subtitle track look (3GPP TS 26.245, clause 5.16).
///
/// Parses what follows the 16 bytes that every sample entry begins with (size, format, reserved, data reference index).
/// A `text` entry of QuickTime with the body of a `tx3g` entry, as FFmpeg writes to `.mov`, parses too; see
/// ``SampleEntry/holdsTimedText``.
package struct Tx3gDescription {
  /// The features that the samples require of a player.
  package var displayFlags: Tx3gDisplayFlags
  /// 0 left, 1 centre, −1 right; always 1 in subtitle media.
  package var horizontalJustification: Int8 = 1
  /// 0 top, 1 centre, −1 bottom; always −1 in subtitle media.
  package var verticalJustification: Int8 = -1
  /// The colour under the text; four zero bytes in subtitle media.
  package var background: TextColor = .transparent
  /// The box of the text, in the track's own pixels: top and left 0, bottom its height, right its width.
  package var defaultTextBox: Tx3gTextBox
  /// The style of text that no run of a sample covers.
  package var defaultStyle: Tx3gStyleRecord
  /// The font table and whatever else follows, in order.
  package var boxes: [Tx3gBox]
  /// Bytes after the last box that are not a box.
  package var tail = Bytes()

  /// The fonts of the first font table that can be read; none where there is no such table.
  package var fonts: [Tx3gFont] {
    for box in boxes {
      if let fonts = box.fonts { return fonts }
    }
    return []
  }

  /// The bytes before the boxes.
  fileprivate static let fixedByteCount = 30
}

extension SampleEntry {
  /// Whether the entry is one of 3GPP timed text, under its own name or as `text`: then a font table stands where only
  /// `tx3g` has one.
  ///
  /// The two layouts share no mark. That of QuickTime text has 13 bytes of its own and a name there.
  package var holdsTimedText: Bool {
    guard format == "text", let size = body.load(at: Tx3gDescription.fixedByteCount, as: UInt32.self) else {
      return format == "tx3g"
    }
    return body.load(at: Tx3gDescription.fixedByteCount + 4, as: UInt32.self) == FourCC("ftab").rawValue
      && UInt64(size) >= 10 && UInt64(size) <= UInt64(body.count - Tx3gDescription.fixedByteCount)
  }
}

extension Tx3gDescription: FieldedPayload {
  package static var unread: Tx3gDescription {
    let style = Tx3gStyleRecord(start: 0, end: 0, fontID: 0, face: [], fontSize: 0, color: .transparent)
    return Tx3gDescription(
      displayFlags: [], defaultTextBox: Tx3gTextBox(top: 0, left: 0, bottom: 0, right: 0), defaultStyle: style,
      boxes: [])
  }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&displayFlags, "display flags", .displayFlags)
    try visitor.field(&horizontalJustification, "horizontal justification", .number)
    try visitor.field(&verticalJustification, "vertical justification", .number)
    try visitor.field(&background, nil, .color)
    try visitor.field(&defaultTextBox, "text box", .textBox)
    try visitor.field(&defaultStyle, nil, .styleRecord)
    try visitor.field(&boxes, nil, .boxes)
    try visitor.field(&tail, nil, .rest)
  }
}

extension FieldFormat<Tx3gDisplayFlags> {
  fileprivate static var displayFlags: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in Tx3gDisplayFlags(rawValue: try reader.read()) },
      write: { $1.write($0.rawValue) }, text: { Quantity.hexadecimal($0.rawValue) })
  }
}

extension FieldFormat<TextColor> {
  fileprivate static var color: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.readTextColor() }, write: { $1.write($0) },
      text: { $0.hexadecimal(withAlpha: true) })
  }
}

extension FieldFormat<Tx3gTextBox> {
  fileprivate static var textBox: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.readTx3gTextBox() }, write: { $1.write($0) },
      text: { "top \($0.top), left \($0.left), bottom \($0.bottom), right \($0.right)" })
  }
}

extension FieldFormat<Tx3gStyleRecord> {
  fileprivate static var styleRecord: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.readTx3gStyleRecord() }, write: { $1.write($0) },
      text: { "font \($0.fontID), size \($0.fontSize)" })
  }
}

extension FieldFormat<[Tx3gBox]> {
  fileprivate static var boxes: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.readTx3gBoxes() },
      write: { boxes, writer in for box in boxes { box.write(to: &writer) } },
      text: { boxes in "\(boxes.count)" })
  }
}

/// The display flags of a `tx3g` sample description. Unknown bits are kept.
///
/// The `text` entries of QuickTime have a flag word of their own with other meanings.
package struct Tx3gDisplayFlags: OptionSet, Hashable, Sendable {
  /// The word as it stands in the file.
  package let rawValue: UInt32

  /// Flags with these bits.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Text boxes are obeyed; without it text stands at the bottom (QuickTime File Format, subtitle media).
  package static let verticalPlacement = Tx3gDisplayFlags(rawValue: 0x2000_0000)
  /// Some samples are forced: they carry `frcd`.
  package static let someSamplesForced = Tx3gDisplayFlags(rawValue: 0x4000_0000)
  /// Every sample is forced. Never written alone: see ``forcedOnly``.
  package static let allSamplesForced = Tx3gDisplayFlags(rawValue: 0x8000_0000)
  /// The flags of a track with forced samples only: 0xC0000000, since the bit for all must come with the bit for some.
  package static let forcedOnly: Tx3gDisplayFlags = [.someSamplesForced, .allSamplesForced]
}

/// A rectangle that text is laid out in, in pixels of the track (3GPP TS 26.245 BoxRecord).
///
/// The fields stand in the order top, left, bottom, right.
package struct Tx3gTextBox: Hashable, Sendable {
  /// The upper edge, counted down from the top of the track.
  package var top: Int16
  /// The left edge.
  package var left: Int16
  /// The lower edge.
  package var bottom: Int16
  /// The right edge.
  package var right: Int16

  /// A rectangle with these edges.
  package init(top: Int16, left: Int16, bottom: Int16, right: Int16) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }
}

extension ByteReader {
  mutating func readTx3gTextBox() throws(MovieError) -> Tx3gTextBox {
    Tx3gTextBox(
      top: try read(Int16.self), left: try read(Int16.self), bottom: try read(Int16.self), right: try read(Int16.self))
  }
}

extension ByteWriter {
  mutating func write(_ box: Tx3gTextBox) {
    write(box.top)
    write(box.left)
    write(box.bottom)
    write(box.right)
  }
}

/// The style of a run of characters (3GPP TS 26.245 StyleRecord, 12 bytes).
///
/// A record replaces all of font, face, size and colour of the default style, so it repeats what stays the same.
package struct Tx3gStyleRecord: Hashable, Sendable {
  /// Bits of the face. Unknown bits are kept.
  package struct Face: OptionSet, Hashable, Sendable {
    /// The byte as it stands in the file.
    package let rawValue: UInt8

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

  /// The number of bytes of a record.
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

extension ByteReader {
  mutating func readTextColor() throws(MovieError) -> TextColor {
    let word = try read(UInt32.self)
    return TextColor(
      red: UInt8(truncatingIfNeeded: word >> 24), green: UInt8(truncatingIfNeeded: word >> 16),
      blue: UInt8(truncatingIfNeeded: word >> 8), alpha: UInt8(truncatingIfNeeded: word))
  }
}

extension ByteWriter {
  mutating func write(_ color: TextColor) {
    let upper = UInt32(color.red) << 24 | UInt32(color.green) << 16
    write(upper | UInt32(color.blue) << 8 | UInt32(color.alpha))
  }
}
