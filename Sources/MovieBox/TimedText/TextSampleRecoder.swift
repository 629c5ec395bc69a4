import Subtitles

/// Converts samples of one text format to another format, one by one. The number and the times of samples do not
/// change.
///
/// All samples share one new description. Its default style is plain text, so text in any other style becomes a run.
package struct TextSampleRecoder: Sendable {
  /// A target format.
  package enum Format: Hashable, Sendable {
    /// `tx3g` (3GPP TS 26.245).
    case timedText
    /// QuickTime text (QTFF "Text Media").
    case quickTimeText

    fileprivate var sampleEntryType: FourCC { self == .timedText ? "tx3g" : "text" }
  }

  /// A converted sample.
  package struct Sample {
    /// The bytes of the converted sample.
    package let bytes: [UInt8]
    /// Names of the features that the new format does not support.
    package let omitted: Set<String>
    /// The types of unknown boxes in the old sample.
    package let unknownTypes: UnknownBoxTypes
    /// A description of the text or styles that could not be decoded or encoded, or `nil` if there are none.
    package let problem: String?
  }

  /// The description of the new samples.
  package let entry: SampleEntry
  /// Names of the drawing features in the old description that the new description does not support.
  package let omittedFromDescription: [String]
  private let format: Format
  private let reader: ConversionTextDecoder
  private let fontSize: UInt8
  /// The unsupported WebVTT features, or `nil` for other formats.
  private let webVTT: UnsupportedWebVTTFeatures?

  /// Creates a recoder for the samples of a description, or returns `nil` if the format is not a supported text format.
  ///
  /// Throws if the description is malformed.
  package init?(_ old: SampleEntry, of track: Track, as format: Format) throws(MovieError) {
    self.format = format
    webVTT = old.format == "wvtt" ? UnsupportedWebVTTFeatures(entryBody: old.body) : nil
    let timedText = old.isTimedText ? try Tx3gDescription(payload: old.body) : nil
    let quickTime = old.format == "text" && timedText == nil ? QuickTimeTextDescription(entryBody: old.body) : nil
    omittedFromDescription =
      quickTime.map(Self.omitted) ?? timedText.map(Self.omitted) ?? webVTT?.descriptionFeatures ?? []
    let size = (width: track.header.width >> 16, height: track.header.height >> 16)
    let trackBox = Tx3gTextBox(
      top: 0, left: 0, bottom: Int16(clamping: size.height), right: Int16(clamping: size.width))
    let box = timedText?.defaultTextBox ?? quickTime?.defaultTextBox ?? trackBox
    let justification = timedText.map { Int32($0.horizontalJustification) } ?? quickTime?.justification ?? 1
    // QuickTime text descriptions contain no font size. So assume a third of the box's height, because a subtitle strip
    // is as high as three lines (QTFF "Subtitle track header size and placement").
    let usualFontSize = UInt8(clamping: Swift.min(36, Swift.max(12, (Int(box.bottom) - Int(box.top)) / 3)))
    fontSize = timedText.map(\.defaultStyle.fontSize).flatMap { $0 > 0 ? $0 : nil } ?? usualFontSize
    guard let reader = try ConversionTextDecoder(old, of: track, fontSize: fontSize) else { return nil }
    self.reader = reader
    let body =
      format == .timedText
      ? Self.timedTextBody(box, justification, fontSize: fontSize) : Self.quickTimeBody(box, justification)
    entry = SampleEntry(
      format: format.sampleEntryType, dataReferenceIndex: old.dataReferenceIndex, body: Bytes(body))
  }

  /// Returns the dropped features of a QuickTime text description. `tx3g` supports the text box, the justification
  /// and the styles of samples.
  private static func omitted(_ old: QuickTimeTextDescription) -> [String] {
    var omittedFeatures: [String] = []
    if old.background != StyledText.Color(red: 0, green: 0, blue: 0) { omittedFeatures.append("the background color") }
    // The ignored flags are "do not display", "do not scale", "use the movie's background" and "antialias" (QTFF "Text
    // Sample Description").
    if old.displayFlags & ~0x200B != 0 { omittedFeatures.append("display flags (scrolling, drop shadow, keyed text)") }
    if old.hasFontName { omittedFeatures.append("the font") }
    return omittedFeatures
  }

  private static func omitted(_ old: Tx3gDescription) -> [String] {
    old.displayFlags.isEmpty ? [] : ["display flags (scrolling, filled background)"]
  }

  /// The names of `tx3g` boxes and QuickTime text atoms (3GPP TS 26.245 5.17.1; QTFF "Text Sample Extensions").
  private static let boxNames: [FourCC: String] = [
    "hlit": "highlights", "hclr": "highlight colors", "krok": "karaoke", "dlay": "scroll delays", "tbox": "text boxes",
    "blnk": "blinking text", "frcd": "forced subtitle flags", "ftab": "font tables", "drpo": "drop shadows",
    "drpt": "drop shadow transparency", "imag": "images", "metr": "font metrics",
  ]

  private func omitted(from sample: Bytes) -> (names: Set<String>, unknownTypes: UnknownBoxTypes) {
    if let webVTT { return webVTT.unsupportedFeatures(in: sample) }
    var (names, unknownTypes): (Set<String>, UnknownBoxTypes) = ([], UnknownBoxTypes())
    for box in Tx3gSample.reading(damaged: sample).sample.boxes where !Self.handledTypes.contains(box.type) {
      if let name = Self.boxNames[box.type] { names.insert(name) } else { unknownTypes.insert(box.type) }
    }
    return (names, unknownTypes)
  }

  /// The atoms that are converted, or that determine the characters and lines of the converted text.
  private static let handledTypes: Set<FourCC> = ["href", "styl", "encd", "twrp"]

  /// Returns the body of a `tx3g` description whose default style is plain text.
  private static func timedTextBody(_ box: Tx3gTextBox, _ justification: Int32, fontSize: UInt8) -> [UInt8] {
    var writer = ByteWriter()
    Tx3gDescription(
      displayFlags: [], horizontalJustification: Int8(clamping: justification), defaultTextBox: box,
      defaultStyle: Tx3gStyleRecord(start: 0, end: 0, fontID: 1, face: [], fontSize: fontSize, color: .white),
      boxes: [.fontTable([Tx3gFont(id: 1, name: "Sans-Serif")])]
    ).write(to: &writer)
    return writer.bytes
  }

  /// Returns the body of a QuickTime text description (QTFF "Text Sample Description") without a font name.
  private static func quickTimeBody(_ box: Tx3gTextBox, _ justification: Int32) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt32(0))  // Display flags.
    writer.write(justification)
    writer.writeZeros(6)  // Background.
    writer.write(box)
    writer.writeZeros(8 + 2 + 2 + 1 + 2)  // Reserved, font number, face, reserved.
    for _ in 0..<3 { writer.write(UInt16.max) }  // White text.
    writer.write(UInt8(0))
    return writer.bytes
  }

  /// Converts a sample. Reports problems in the result instead of throwing.
  package func recode(_ old: Bytes) -> Sample {
    let reading = reader.read(old)
    let problem = reading.problem
    let (names, unknownTypes) = self.omitted(from: old)
    var omittedFeatures = names
    func sample(_ bytes: [UInt8], _ problem: String?) -> Sample {
      Sample(bytes: bytes, omitted: omittedFeatures, unknownTypes: unknownTypes, problem: problem)
    }
    guard let text = reading.text else { return sample([0, 0], problem) }
    guard let byteCount = UInt16(exactly: text.text.utf8.count) else {
      return sample([0, 0], "a text of more than 65535 bytes is omitted")
    }
    // QuickTime colors have no transparency, so the text becomes opaque.
    if format == .quickTimeText, text.runs.contains(where: { $0.style.color.map { $0.alpha < 255 } ?? false }) {
      omittedFeatures.insert("text transparency")
    }
    var writer = ByteWriter()
    writer.write(byteCount)
    writer.write(utf8: text.text)
    writeStyles(of: text, to: &writer)
    if webVTT == nil {
      // A link has an identical format in `tx3g` and QuickTime text, so only its range changes.
      for box in Tx3gSample.reading(damaged: old).sample.boxes where box.type == "href" {
        Self.link(box, reading.decodedPositions).write(to: &writer)
      }
    }
    return sample(writer.bytes, problem)
  }

  /// Returns a link whose range is mapped to the new positions.
  private static func link(_ href: Tx3gBox, _ decodedPositions: [Int]?) -> Tx3gBox {
    guard let decodedPositions, let start = href.payload.load(at: 0, as: UInt16.self),
      let end = href.payload.load(at: 2, as: UInt16.self)
    else { return href }
    func newPosition(_ offset: UInt16) -> UInt16 {
      let known = Int(offset) < decodedPositions.count ? decodedPositions[Int(offset)] : decodedPositions.last ?? 0
      return UInt16(clamping: known)
    }
    var writer = ByteWriter()
    writer.write(newPosition(start))
    writer.write(newPosition(end))
    writer.write(href.payload.dropFirst(4))
    return Tx3gBox("href", payload: Bytes(writer.take()), hasWideSize: href.hasWideSize)
  }

  private func writeStyles(of text: StyledText, to writer: inout ByteWriter) {
    switch format {
    case .timedText:
      let runs = text.runs.prefix(Int(UInt16.max))
      if !runs.isEmpty { Tx3gBox.writeStyles(runs.map(record), to: &writer) }
    case .quickTimeText:
      // Declare the encoding by `encd`, because some readers assume a Macintosh encoding without it.
      writer.atom("encd") { $0.write(UInt32(0x100)) }
      let runs = Self.runs(of: text)
      guard runs.count > 1 || runs.first.map({ $0.style != .plain }) ?? false else { return }
      writer.atom("styl") { styl in
        styl.write(UInt16(clamping: runs.count))
        for run in runs.prefix(Int(UInt16.max)) { writeStyle(run.style, from: run.start, to: &styl) }
      }
    }
  }

  private func record(_ run: StyledText.Run) -> Tx3gStyleRecord {
    Tx3gStyleRecord(
      start: UInt16(clamping: run.range.lowerBound), end: UInt16(clamping: run.range.upperBound), fontID: 1,
      face: Tx3gStyleRecord.Face(run.style), fontSize: run.style.fontSize(relativeTo: fontSize),
      color: run.style.color ?? .white)
  }

  /// Writes an entry of TextEdit's style table. An entry contains the start, line height, ascent, font, face with a
  /// filler, size and color.
  private func writeStyle(_ style: StyledText.Style, from start: Int, to writer: inout ByteWriter) {
    writer.write(UInt32(clamping: start))
    writer.writeZeros(2 + 2 + 2)
    writer.write(UInt16(Tx3gStyleRecord.Face(style).rawValue) << 8)
    writer.write(UInt16(style.fontSize(relativeTo: fontSize)))
    // The color field of black, transparent text is unused, so write white instead.
    let color = style.color.flatMap { $0 == .transparent ? nil : $0 } ?? .white
    for component in [color.red, color.green, color.blue] { writer.write(UInt16(component) * 0x101) }
  }

  /// Divides the whole text into runs with one style each.
  private static func runs(of text: StyledText) -> [(start: Int, style: StyledText.Style)] {
    var runs: [(start: Int, style: StyledText.Style)] = []
    var end = 0
    for run in text.runs {
      if end < run.range.lowerBound { runs.append((end, .plain)) }
      runs.append((run.range.lowerBound, run.style))
      end = run.range.upperBound
    }
    if end < text.text.unicodeScalars.count { runs.append((end, .plain)) }
    return runs
  }
}
