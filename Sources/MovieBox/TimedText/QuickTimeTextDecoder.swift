import Subtitles

/// Decodes samples of QuickTime text (QTFF "Text Sample Data"). Chapters and the subtitles of old movies have this
/// format.
///
/// An `encd` atom declares the encoding. If there is none, the encoding is guessed from the bytes. Writers set unused
/// fields to 0. This value also represents black text and left justification, so black color and left justification are
/// not always applied.
struct QuickTimeTextDecoder {
  private let base: StyledText.Style
  private let horizontal: Cue.Placement.Horizontal
  /// The font size to which sizes in percent refer, or `nil` to ignore sizes.
  private let fontSize: UInt8?

  /// Creates a decoder for the samples of a description. The description contains no font size, so sizes are in
  /// percent of `fontSize`.
  init(_ description: QuickTimeTextDescription, fontSize: UInt8? = nil) {
    self.fontSize = fontSize
    base = StyledText.Style(description.face, color: Tx3gDecoder.color(ofDescription: description.foreground))
    // The value 0 represents left justification. However, chapters without a box contain 0 in this unused field. So
    // apply the field only if there is a box.
    let hasBox = description.defaultTextBox.right > description.defaultTextBox.left
    switch description.justification {
    case -1: horizontal = .right
    case 0 where hasBox: horizontal = .left
    default: horizontal = .center
    }
  }

  /// Decodes a sample. Its layout equals the layout of `tx3g`, except for the boxes after the text.
  func decode(_ payload: Bytes) -> SampleText {
    if payload.isEmpty { return SampleText() }
    let (sample, damage) = Tx3gSample.reading(damaged: payload)
    let (string, problem) = Self.string(sample)
    var result = SampleText(problem: damage?.description ?? problem)
    let count = string.unicodeScalars.count
    var runs = StyleRuns(count: count, base: base)
    for (range, style) in styles(sample, count: count) { runs.add(range, style) }
    let styledText = StyledText(normalizing: string, runs: runs.finish())
    let isForConversion = fontSize != nil
    if isForConversion { result.decodedPositions = StyledText.normalized(string)?.newPositions }
    if let text = isForConversion ? SampleText.converted(styledText, of: sample) : SampleText.trimmed(styledText) {
      result.shown = [ShownText(text: text, placement: Cue.Placement(horizontal: horizontal))]
    }
    return result
  }

  // MARK: - Characters

  /// Decodes the text in the encoding that `encd` declares (Text Encoding Conversion Manager). Without `encd`, text
  /// after a byte order mark is UTF-16. Other text is UTF-8 if it is valid UTF-8, or Mac Roman otherwise.
  private static func string(_ sample: Tx3gSample) -> (text: String, problem: String?) {
    guard let code = sample.boxes.first(where: { $0.type == "encd" })?.payload.load(at: 0, as: UInt32.self) else {
      return withProblem(SampleText.string(sample.text, fallback: .macRoman))
    }
    // The lower half of the code is the character set. For Unicode, the upper half is the encoding form.
    let base = UInt16(truncatingIfNeeded: code)
    if (0x100..<0x200).contains(base) {
      // Current writers use the code of Unicode for UTF-8, which contains no NUL. Old writers used this code for
      // UTF-16. So read the text as UTF-16 if it contains a NUL or is not valid UTF-8.
      let isWide = sample.text.count % 2 == 0 && (sample.text.contains(0) || !isUTF8(sample.text))
      guard isWide, UTF16ByteOrder(markOf: sample.text) == nil, code >> 16 & 0xFFF != 0x800 else {
        return withProblem(SampleText.string(sample.text, fallback: .macRoman))
      }
      let text = DecodedText(utf16: sample.text.array[...], .bigEndian)
      return withProblem((String(decoding: text.utf8, as: UTF8.self), text.replacementCount))
    }
    guard let encoding = encodings[base] else {
      let told = withProblem(SampleText.string(sample.text, fallback: .macRoman))
      return (told.text, told.problem ?? "Macintosh text encoding \(base) is unknown: the text is read as Mac Roman")
    }
    guard let decodedText = encoding.decode(sample.text.array[...]) else {
      return ("", "this system does not support \(encoding.rawValue): the text is lost")
    }
    return withProblem((String(decoding: decodedText.utf8, as: UTF8.self), decodedText.replacementCount))
  }

  private static let encodings: [UInt16: TextEncoding] = [
    0: .macRoman, 1: .shiftJIS, 2: .big5, 3: .eucKR, 25: .gb18030,
  ]

  private static func withProblem(_ text: (text: String, replacementCount: Int)) -> (text: String, problem: String?) {
    (
      text.text,
      text.replacementCount > 0
        ? "\(text.replacementCount) bytes are not characters: they are shown "
          + "as U+FFFD" : nil
    )
  }

  private static func isUTF8(_ bytes: Bytes) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }

  // MARK: - Styles

  /// Returns the styles in a `styl` atom. The atom contains a table of TextEdit, and each entry applies until the start
  /// of the next entry.
  private func styles(_ sample: Tx3gSample, count: Int) -> [(Range<Int>, StyledText.Style)] {
    guard let table = sample.boxes.first(where: { $0.type == "styl" })?.payload,
      let entryCount = table.load(at: 0, as: UInt16.self), table.count >= 2 + 20 * Int(entryCount)
    else { return [] }
    var pieces: [(Range<Int>, StyledText.Style)] = []
    for entry in 0..<Int(entryCount) {
      let offset = 2 + 20 * entry
      func field(_ position: Int) -> UInt16 { table.load(at: offset + position, as: UInt16.self) ?? 0 }
      let start = Int(clamping: table.load(at: offset, as: UInt32.self) ?? 0)
      let next = entry + 1 < Int(entryCount) ? Int(clamping: table.load(at: offset + 20, as: UInt32.self) ?? 0) : count
      guard start < min(next, count) else { continue }
      // The face is the upper byte of the field, and the lower byte is a filler.
      let face = Tx3gStyleRecord.Face(rawValue: UInt8(field(10) >> 8))
      let color = StyledText.Color(
        red: UInt8(field(14) >> 8), green: UInt8(field(16) >> 8), blue: UInt8(field(18) >> 8))
      pieces.append(
        (
          start..<min(next, count),
          StyledText.Style(
            face, color: Tx3gDecoder.color(ofDescription: color), sizeInPercent: sizeInPercent(ofPoints: field(12)))
        ))
    }
    return pieces
  }

  /// Converts a font size in points to percent. Returns `nil` for the usual size.
  private func sizeInPercent(ofPoints points: UInt16) -> Int? {
    fontSize.flatMap { StyledText.Style.percent(ofFontSize: Int(points), relativeTo: $0) }
  }
}
