package import Subtitles

/// A `tx3g` sample description: how the samples of a subtitle track look (3GPP TS 26.245, clause 5.16).
///
/// Parses what follows the 16 bytes that every sample entry begins with (size, format, reserved, data reference index).
/// A `text` entry of QuickTime with the body of a `tx3g` entry, as FFmpeg writes to `.mov`, parses too; see
/// ``SampleEntry/holdsTimedText``.
package struct Tx3gDescription {
  /// What the samples need of a player.
  package var displayFlags: Tx3gDisplayFlags
  /// 0 left, 1 centre, −1 right; always 1 in subtitle media.
  package var horizontalJustification: Int8
  /// 0 top, 1 centre, −1 bottom; always −1 in subtitle media.
  package var verticalJustification: Int8
  /// The colour under the text; four zero bytes in subtitle media.
  package var background: TextColor
  /// Where text stands, in the track's own pixels: top and left 0, bottom its height, right its width.
  package var defaultTextBox: Tx3gTextBox
  /// How text looks that no run of a sample covers.
  package var defaultStyle: Tx3gStyleRecord
  /// The font table and whatever else follows, in order.
  package var boxes: [Tx3gBox]
  /// Bytes after the last box that are not a box.
  package var tail: Bytes

  /// A description with these fields. The defaults are those that subtitle media prescribe.
  package init(
    displayFlags: Tx3gDisplayFlags, horizontalJustification: Int8 = 1, verticalJustification: Int8 = -1,
    background: TextColor = .transparent, defaultTextBox: Tx3gTextBox, defaultStyle: Tx3gStyleRecord,
    boxes: [Tx3gBox], tail: Bytes = Bytes()
  ) {
    self.displayFlags = displayFlags
    self.horizontalJustification = horizontalJustification
    self.verticalJustification = verticalJustification
    self.background = background
    self.defaultTextBox = defaultTextBox
    self.defaultStyle = defaultStyle
    self.boxes = boxes
    self.tail = tail
  }

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
