package import Subtitles

/// A `tx3g` sample description: the appearance of a subtitle track's samples (3GPP TS 26.245, clause 5.16).
///
/// The payload begins after the 16 bytes that are common to all sample entries: size, format, reserved bytes and data
/// reference index. In `.mov` files, FFmpeg writes the fields into `text` entries. ``SampleEntry/isTimedText`` detects
/// these entries.
package struct Tx3gDescription {
  /// The features that a player must support to show the samples.
  package var displayFlags: Tx3gDisplayFlags
  /// The horizontal alignment: 0 for left, 1 for center, or −1 for right. It is always 1 in subtitle media.
  package var horizontalJustification: Int8 = 1
  /// The vertical alignment: 0 for top, 1 for center, or −1 for bottom. It is always −1 in subtitle media.
  package var verticalJustification: Int8 = -1
  /// The background color. In subtitle media, it is four zero bytes.
  package var background: StyledText.Color = .transparent
  /// The text box, in pixels of the track. It covers the whole track, so its top and left are 0.
  package var defaultTextBox: Tx3gTextBox
  /// The style of text outside the style runs of a sample.
  package var defaultStyle: Tx3gStyleRecord
  /// The font table and any other boxes, in file order.
  package var boxes: [Tx3gBox]
  /// The bytes after the last box.
  package var tail = Bytes()

  /// The fonts of the first readable font table. The array is empty if there is none.
  package var fonts: [Tx3gFont] {
    for box in boxes {
      if let fonts = box.fonts { return fonts }
    }
    return []
  }

  /// The size of the fields before the boxes.
  fileprivate static let fixedByteCount = 30
}

extension SampleEntry {
  /// Whether the entry contains the fields of 3GPP timed text. `tx3g` entries always do. A `text` entry does if it
  /// contains a font table at the offset that `tx3g` defines.
  ///
  /// No field declares whether a `text` entry contains QuickTime text or 3GPP timed text. In QuickTime text, the last
  /// fields and a font name are at the offset of the font table.
  package var isTimedText: Bool {
    guard format == "text", let size = body.load(at: Tx3gDescription.fixedByteCount, as: UInt32.self) else {
      return format == "tx3g"
    }
    return body.load(at: Tx3gDescription.fixedByteCount + 4, as: UInt32.self) == FourCC("ftab").rawValue
      && UInt64(size) >= 10 && UInt64(size) <= UInt64(body.count - Tx3gDescription.fixedByteCount)
  }
}

extension Tx3gDescription: FieldedPayload {
  package static var placeholder: Tx3gDescription {
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

extension FieldFormat<StyledText.Color> {
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
/// The flags of QuickTime's `text` entries have different meanings.
package struct Tx3gDisplayFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Players must use the text boxes. Without this flag, players show text at the bottom (QuickTime File Format,
  /// subtitle media).
  package static let verticalPlacement = Tx3gDisplayFlags(rawValue: 0x2000_0000)
  /// Some samples are forced and contain `frcd`.
  package static let someSamplesForced = Tx3gDisplayFlags(rawValue: 0x4000_0000)
  /// Every sample is forced. Files that set this flag must also set ``someSamplesForced``, as ``forcedOnly`` does.
  package static let allSamplesForced = Tx3gDisplayFlags(rawValue: 0x8000_0000)
  /// The flags of a track with only forced samples, 0xC0000000.
  package static let forcedOnly: Tx3gDisplayFlags = [.someSamplesForced, .allSamplesForced]
}

/// A rectangle for text, in pixels of the track (3GPP TS 26.245 BoxRecord).
///
/// The fields are in file order: top, left, bottom, right.
package struct Tx3gTextBox: Hashable, Sendable {
  /// The distance of the top edge from the top of the track.
  package var top: Int16
  /// The left edge.
  package var left: Int16
  /// The bottom edge.
  package var bottom: Int16
  /// The right edge.
  package var right: Int16
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

/// The style of a run of characters, in 12 bytes (3GPP TS 26.245 StyleRecord).
///
/// A record contains a font, a face, a size and a color. The four values replace the values of the default style. A
/// record also stores the values that equal the default.
package struct Tx3gStyleRecord: Hashable, Sendable {
  /// The face, as a set of bits. Unknown bits are kept.
  package struct Face: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    package static let bold = Face(rawValue: 1)
    package static let italic = Face(rawValue: 2)
    package static let underline = Face(rawValue: 4)
  }

  /// The size of a record in bytes.
  package static let byteCount = 12

  /// The index of the first character, counted in code points, or 0 in a sample description.
  package var start: UInt16
  /// The index after the last character, counted in code points, or 0 in a sample description.
  package var end: UInt16
  /// The ID of a font in the font table.
  package var fontID: UInt16
  package var face: Face
  /// The size in pixels.
  package var fontSize: UInt8
  /// The text color.
  package var color: StyledText.Color
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
    // Two large writes replace seven small writes, because the subtitles of a film may have a hundred thousand
    // records.
    let range = UInt64(record.start) << 48 | UInt64(record.end) << 32
    write(range | UInt64(record.fontID) << 16 | UInt64(record.face.rawValue) << 8 | UInt64(record.fontSize))
    write(record.color)
  }
}

extension ByteReader {
  mutating func readTextColor() throws(MovieError) -> StyledText.Color {
    let word = try read(UInt32.self)
    return StyledText.Color(
      red: UInt8(truncatingIfNeeded: word >> 24), green: UInt8(truncatingIfNeeded: word >> 16),
      blue: UInt8(truncatingIfNeeded: word >> 8), alpha: UInt8(truncatingIfNeeded: word))
  }
}

extension ByteWriter {
  mutating func write(_ color: StyledText.Color) {
    let upper = UInt32(color.red) << 24 | UInt32(color.green) << 16
    write(upper | UInt32(color.blue) << 8 | UInt32(color.alpha))
  }
}
