import Subtitles

/// Reads samples of timed text (3GPP TS 26.245), as Apple and others write them: the way back of ``Tx3gEncoder``.
///
/// Styles are given as they differ from opaque white letters, whatever the description's own style is: the same
/// attributes come out of every format.
struct Tx3gDecoder {
  private let description: Tx3gDescription
  /// The style of characters that no record covers.
  private let base: TextStyle
  /// The height of the track's region, in its own pixels.
  private let regionHeight: Int
  private let geometry: SubtitleGeometry
  private let horizontal: CuePlacement.Horizontal
  /// Whether the text is written in another format. Then it is transparent where a record says so, and keeps line breaks
  /// around it; else it is visible, as in players that know no transparency.
  var isForConversion = false

  /// A decoder of the samples that `description`, of an entry of this format, describes.
  init(_ description: Tx3gDescription, _ format: FourCC, _ track: Track) {
    self.description = description
    let box = description.defaultTextBox
    let height = box.bottom > 0 ? UInt32(box.bottom) : track.header.height >> 16
    let width = box.right > 0 ? UInt32(box.right) : track.header.width >> 16
    regionHeight = Int(min(height, 32_767))
    geometry = SubtitleGeometry(pictureWidth: width, pictureHeight: height).overWholePicture
      .with(.pixels(description.defaultStyle.fontSize))
    // Justification is fixed in subtitle media (QTFF), and zero in FFmpeg's chapters; it counts in the timed text of
    // others.
    switch (track.mediaType == .text && format == "tx3g", description.horizontalJustification) {
    case (true, 0): horizontal = .left
    case (true, -1): horizontal = .right
    default: horizontal = .center
    }
    base = TextStyle(
      description.defaultStyle.face, color: Self.color(ofDescription: description.defaultStyle.color))
  }

  /// Black or transparent text is what writers leave in a field that they do not use.
  static func color(ofDescription color: TextColor) -> TextColor? {
    let isBlack = color.red == 0 && color.green == 0 && color.blue == 0
    return isBlack || color.alpha == 0 || color == .white ? nil : color
  }

  /// The text of a sample.
  func decode(_ payload: Bytes) -> SampleText {
    if payload.isEmpty { return SampleText() }
    let (sample, damage) = Tx3gSample.reading(damaged: payload)
    // An `encd` stands in samples of QuickTime text alone; FFmpeg's chapters have both layouts at once.
    let encoding = sample.boxes.contains { $0.type == "encd" } ? TextEncoding.macRoman : .utf8
    let (string, replacementCount) = SampleText.string(sample.text, fallback: encoding)
    var answer = SampleText()
    if let damage {
      answer.problem = damage.description
    } else if replacementCount > 0 {
      answer.problem = "\(replacementCount) bytes are not UTF-8, shown as U+FFFD"
    }
    let styled = StyledText(normalizing: string, runs: runs(of: sample, in: string))
    if isForConversion { answer.places = StyledText.normalized(string)?.places }
    guard let text = isForConversion ? SampleText.converted(styled, of: sample) : SampleText.trimmed(styled) else {
      return answer
    }
    answer.shown = [
      ShownText(
        text: text, placement: CuePlacement(vertical: vertical(of: sample, text), horizontal: horizontal),
        isForced: sample.isForced || description.displayFlags.isSuperset(of: .forcedOnly))
    ]
    return answer
  }

  // MARK: - Styles

  /// The runs of a text. Records may be in any order, overlap, run over or be empty: of two, the one that begins first
  /// keeps its letters.
  private func runs(of sample: Tx3gSample, in text: String) -> [StyledText.Run] {
    let records = sample.styleRecords
    guard !records.isEmpty || base != .plain else { return [] }
    let count = text.unicodeScalars.count
    var runs = StyleRuns(count: count, base: base)
    let offsets = UnitOffsets(text, scalarCount: count, records)
    for record in records.enumerated().sorted(by: { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }) {
      let (start, end) = (offsets[record.element.start], offsets[record.element.end])
      if start < end { runs.add(start..<end, style(record.element)) }
    }
    return runs.finish()
  }

  private func style(_ record: Tx3gStyleRecord) -> TextStyle {
    var style = TextStyle(
      record.face,
      sizeInPercent: TextStyle.percent(
        ofFontSize: Int(record.fontSize), whereUsual: description.defaultStyle.fontSize))
    let color = record.color
    if color == description.defaultStyle.color {
      style.color = base.color
    } else if color.alpha > 0 || isForConversion, color != .white {
      style.color = color
    }
    return style
  }

  // MARK: - Placement

  /// Returns the vertical position of the text: from the top of its box if text boxes count (QTFF "Subtitle track
  /// header size and placement"), else at the bottom.
  private func vertical(of sample: Tx3gSample, _ text: StyledText) -> CuePlacement.Vertical {
    guard description.displayFlags.contains(.verticalPlacement), regionHeight > 0 else { return .bottom }
    let box = sample.textBox ?? description.defaultTextBox
    let (top, bottom) = (Int(box.top), Int(box.bottom))
    guard top > 0 else { return .top }
    let lineCount = text.lineCount
    if top == Int(geometry.textBox(.bottom, lineCount: lineCount).top) { return .bottom }
    if top == Int(geometry.textBox(.middle, lineCount: lineCount).top) { return .middle }
    // Other writers make the strip at the bottom 10 to 20 % high.
    if bottom >= regionHeight, (80...90).contains(top * 100 / regionHeight) { return .bottom }
    return .below(hundredthsOfPercent: min(10_000, (top * 10_000 + regionHeight / 2) / regionHeight))
  }
}

/// Turns the offsets of style records into code points.
///
/// They are code points (3GPP TS 26.245, clause 5.2), but some writers count UTF-16 units. Where a record ends past the
/// last code point and not past the last unit, units are meant.
private struct UnitOffsets {
  /// The code point of each UTF-16 unit, and the end; `nil` where offsets are code points.
  private var scalarOfUnit: [Int]?

  init(_ text: String, scalarCount: Int, _ records: [Tx3gStyleRecord]) {
    let furthest = records.lazy.map { Int($0.end) }.max() ?? 0
    guard furthest > scalarCount, furthest <= text.utf16.count else { return }
    var map: [Int] = []
    for (index, scalar) in text.unicodeScalars.enumerated() {
      map.append(index)
      if scalar.value > 0xFFFF { map.append(index) }
    }
    map.append(scalarCount)
    scalarOfUnit = map
  }

  subscript(offset: UInt16) -> Int {
    guard let scalarOfUnit else { return Int(offset) }
    return Int(offset) < scalarOfUnit.count ? scalarOfUnit[Int(offset)] : scalarOfUnit[scalarOfUnit.count - 1]
  }
}

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
  /// The number of lines.
  var lineCount: Int { text.utf8.count { $0 == Ascii.lineFeed } + 1 }
}
