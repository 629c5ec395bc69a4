import Subtitles

/// Decodes samples of timed text (3GPP TS 26.245) from Apple's and other writers. ``Tx3gEncoder`` encodes samples.
///
/// Styles are expressed relative to opaque white text, not to the default style of the description. All formats
/// therefore yield the same attributes.
struct Tx3gDecoder {
  private let description: Tx3gDescription
  /// The style of characters without a style record.
  private let base: StyledText.Style
  /// The height of the track's region, in pixels of the track.
  private let regionHeight: Int
  private let geometry: SubtitleGeometry
  private let horizontal: Cue.Placement.Horizontal
  /// Whether the text is decoded for conversion to another format. Conversion keeps transparent styles and surrounding
  /// line breaks. For display, transparent text is visible, as in players that do not support transparency.
  var isForConversion = false

  /// Creates a decoder for the samples of a description. `format` is the type of the sample entry.
  init(_ description: Tx3gDescription, _ format: FourCC, _ track: Track) {
    self.description = description
    let box = description.defaultTextBox
    let height = box.bottom > 0 ? UInt32(box.bottom) : track.header.height >> 16
    let width = box.right > 0 ? UInt32(box.right) : track.header.width >> 16
    regionHeight = Int(min(height, 32_767))
    geometry = SubtitleGeometry(pictureWidth: width, pictureHeight: height).coveringWholePicture
      .withFontSize(.pixels(description.defaultStyle.fontSize))
    // The justification is fixed in subtitle media (QTFF) and 0 in FFmpeg's chapters. So read it only from `tx3g`
    // samples in text tracks.
    switch (track.mediaType == .text && format == "tx3g", description.horizontalJustification) {
    case (true, 0): horizontal = .left
    case (true, -1): horizontal = .right
    default: horizontal = .center
    }
    base = StyledText.Style(
      description.defaultStyle.face, color: Self.color(ofDescription: description.defaultStyle.color))
  }

  /// Returns the color in a description, or `nil` if it is white, black or transparent. White is the default. Writers
  /// set unused color fields to black or transparent.
  static func color(ofDescription color: StyledText.Color) -> StyledText.Color? {
    let isBlack = color.red == 0 && color.green == 0 && color.blue == 0
    return isBlack || color.alpha == 0 || color == .white ? nil : color
  }

  func decode(_ payload: Bytes) -> SampleText {
    if payload.isEmpty { return SampleText() }
    let (sample, damage) = Tx3gSample.reading(damaged: payload)
    // A sample with `encd` is a sample of QuickTime text. FFmpeg writes such samples for chapters, although the sample
    // description is `tx3g`.
    let encoding = sample.boxes.contains { $0.type == "encd" } ? TextEncoding.macRoman : .utf8
    let (string, replacementCount) = SampleText.string(sample.text, fallback: encoding)
    var result = SampleText()
    if let damage {
      result.problem = damage.description
    } else if replacementCount > 0 {
      result.problem = "\(replacementCount) bytes are not valid UTF-8: they are shown as U+FFFD"
    }
    let styledText = StyledText(normalizing: string, runs: runs(of: sample, in: string))
    if isForConversion { result.decodedPositions = StyledText.normalized(string)?.newPositions }
    guard let text = isForConversion ? SampleText.converted(styledText, of: sample) : SampleText.trimmed(styledText)
    else {
      return result
    }
    result.shown = [
      ShownText(
        text: text, placement: Cue.Placement(vertical: vertical(of: sample, text), horizontal: horizontal),
        isForced: sample.isForced || description.displayFlags.isSuperset(of: .forcedOnly))
    ]
    return result
  }

  // MARK: - Styles

  /// Returns the style runs of a text. Records may be unsorted, overlapping, too long or empty. If records overlap,
  /// the record that begins first applies.
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

  private func style(_ record: Tx3gStyleRecord) -> StyledText.Style {
    var style = StyledText.Style(
      record.face,
      sizeInPercent: StyledText.Style.percent(
        ofFontSize: Int(record.fontSize), relativeTo: description.defaultStyle.fontSize))
    let color = record.color
    if color == description.defaultStyle.color {
      style.color = base.color
    } else if color.alpha > 0 || isForConversion, color != .white {
      style.color = color
    }
    return style
  }

  // MARK: - Placement

  /// Returns the vertical placement of a text. If the display flags enable text boxes, the text box determines it
  /// (QTFF "Subtitle track header size and placement"). Otherwise, the placement is the bottom.
  private func vertical(of sample: Tx3gSample, _ text: StyledText) -> Cue.Placement.Vertical {
    guard description.displayFlags.contains(.verticalPlacement), regionHeight > 0 else { return .bottom }
    let box = sample.textBox ?? description.defaultTextBox
    let (top, bottom) = (Int(box.top), Int(box.bottom))
    guard top > 0 else { return .top }
    let lineCount = text.lineCount
    if top == Int(geometry.textBox(.bottom, lineCount: lineCount).top) { return .bottom }
    if top == Int(geometry.textBox(.middle, lineCount: lineCount).top) { return .middle }
    // Some writers place subtitles in a strip of 10 to 20 % of the height, instead of 15 %.
    if bottom >= regionHeight, (80...90).contains(top * 100 / regionHeight) { return .bottom }
    return .fromTop(hundredthsOfPercent: min(10_000, (top * 10_000 + regionHeight / 2) / regionHeight))
  }
}

/// Converts the offsets of style records to code points.
///
/// Offsets should count code points (3GPP TS 26.245, clause 5.2), but some writers count UTF-16 units. If a record
/// ends after the last code point, but not after the last unit, the offsets count units.
private struct UnitOffsets {
  /// For each UTF-16 unit and for the end, the index of the code point, or `nil` if offsets count code points.
  private var scalarIndices: [Int]?

  init(_ text: String, scalarCount: Int, _ records: [Tx3gStyleRecord]) {
    let lastRecordEnd = records.lazy.map { Int($0.end) }.max() ?? 0
    guard lastRecordEnd > scalarCount, lastRecordEnd <= text.utf16.count else { return }
    var map: [Int] = []
    for (index, scalar) in text.unicodeScalars.enumerated() {
      map.append(index)
      if scalar.value > 0xFFFF { map.append(index) }
    }
    map.append(scalarCount)
    scalarIndices = map
  }

  subscript(offset: UInt16) -> Int {
    guard let scalarIndices else { return Int(offset) }
    return Int(offset) < scalarIndices.count ? scalarIndices[Int(offset)] : scalarIndices[scalarIndices.count - 1]
  }
}

// The conversion of faces and font sizes in style records and TextEdit's style tables.

extension Tx3gStyleRecord.Face {
  init(_ style: StyledText.Style) {
    self = []
    if style.isBold { insert(.bold) }
    if style.isItalic { insert(.italic) }
    if style.isUnderlined { insert(.underline) }
  }
}

extension StyledText.Style {
  init(_ face: Tx3gStyleRecord.Face, color: StyledText.Color? = nil, sizeInPercent: Int? = nil) {
    self.init(
      isBold: face.contains(.bold), isItalic: face.contains(.italic), isUnderlined: face.contains(.underline),
      color: color, sizeInPercent: sizeInPercent)
  }

  /// Returns the font size in pixels, given the usual size. The result is rounded and limited to 1…255.
  func fontSize(relativeTo usual: UInt8) -> UInt8 {
    guard let percent = sizeInPercent else { return usual }
    return UInt8(clamping: Swift.max(1, (Int(usual) * Swift.min(Swift.max(0, percent), 25_500) + 50) / 100))
  }

  /// Returns a font size in percent of the usual size, or `nil` if the size is 0 or the usual size.
  static func percent(ofFontSize size: Int, relativeTo usual: UInt8) -> Int? {
    guard usual > 0, size > 0, size != Int(usual) else { return nil }
    return (size * 100 + Int(usual) / 2) / Int(usual)
  }
}

extension StyledText {
  /// The number of lines.
  var lineCount: Int { text.utf8.count { $0 == Ascii.lineFeed } + 1 }
}
