public import MovieBox

/// Encodes a timeline as `tx3g` samples.
///
///     let encoder = Tx3gEncoder(geometry: SubtitleGeometry(pictureWidth: 1280, pictureHeight: 720))
///     let media = encoder.encode(timeline)
public struct Tx3gEncoder: Hashable, Sendable {
  /// Which samples are shown although subtitles are off.
  public enum Forcing: Hashable, Sendable {
    /// Those that are marked; a track where all are marked becomes one of forced samples only.
    case asMarked
    /// All, whatever is marked.
    case all
  }

  /// Size of the track and of its letters.
  public var geometry: SubtitleGeometry
  /// Which samples are forced.
  public var forcing: Forcing
  /// The colour of text that has none of its own.
  public var textColor: TextColor

  /// An encoder with these choices.
  public init(geometry: SubtitleGeometry, forcing: Forcing = .asMarked, textColor: TextColor = .white) {
    self.geometry = geometry
    self.forcing = forcing
    self.textColor = textColor
  }

  /// The samples of a timeline, and what describes them. Costs one pass over the text.
  public func encode(_ timeline: CueTimeline, limits: SubtitleLimits = SubtitleLimits()) -> Tx3gMedia {
    var notices = NoticeList(limits)
    let marks = forcingMarks(of: timeline.samples)
    var writer = ByteWriter()
    var sizes: [UInt32] = []
    sizes.reserveCapacity(timeline.samples.count)
    var durations: [Tx3gMedia.DurationRun] = []
    for sample in timeline.samples {
      let start = writer.bytes.count
      write(sample, hasMark: sample.isForced && marks == .someSamplesForced, to: &writer, notices: &notices)
      sizes.append(UInt32(clamping: writer.bytes.count - start))
      if let last = durations.last, last.duration == sample.duration, last.sampleCount < UInt32.max {
        durations[durations.count - 1].sampleCount += 1
      } else {
        durations.append(Tx3gMedia.DurationRun(sampleCount: 1, duration: sample.duration))
      }
    }
    return Tx3gMedia(
      description: description(marks), data: writer.bytes, sampleSizes: sizes, durationRuns: durations,
      timeScale: timeline.timeScale, duration: timeline.duration, notices: notices.finished)
  }

  /// The display flags that say which samples are forced; `frcd` stands in samples only where some are and some not.
  private func forcingMarks(of samples: [TimedSample]) -> Tx3gDisplayFlags {
    if forcing == .all { return .forcedOnly }
    let shown = samples.lazy.filter { $0.text != nil }
    guard shown.contains(where: \.isForced) else { return [] }
    return shown.allSatisfy(\.isForced) ? .forcedOnly : .someSamplesForced
  }

  private func description(_ marks: Tx3gDisplayFlags) -> Tx3gDescription {
    Tx3gDescription(
      displayFlags: marks, defaultTextBox: geometry.textBox, defaultStyle: record(0, 0, .plain),
      boxes: [.fontTable([Tx3gFont(id: Tx3gEncoder.fontID, name: Tx3gEncoder.fontName)])])
  }

  private func write(
    _ sample: TimedSample, hasMark: Bool, to writer: inout ByteWriter, notices: inout NoticeList
  ) {
    let fitted = (sample.text ?? StyledText("")).fitted(to: Tx3gSample.longestText)
    if fitted.isCut {
      notices.add(.textCut, line: sample.line, "\(fitted.text.excerpt) cut to \(Tx3gSample.longestText) bytes")
    }
    let runs = fitted.text.runs.filter { isVisible($0.style) }
    let offsets = StyleOffsets(of: runs, in: fitted.text.text)
    if offsets.isAmbiguous {
      notices.add(
        .ambiguousStyleOffsets, line: sample.line,
        "\(fitted.text.excerpt) has styles after characters beyond U+FFFF: some players style other letters")
    }
    var boxes: [Tx3gBox] = []
    if !offsets.runs.isEmpty {
      boxes.append(
        .styles(offsets.runs.map { record($0.range.lowerBound, $0.range.upperBound, $0.style) }))
    }
    if hasMark { boxes.append(.forced) }
    writer.write(UInt16(clamping: fitted.text.text.utf8.count))
    writer.write(utf8: fitted.text.text)
    for box in boxes { box.write(to: &writer) }
  }

  private func isVisible(_ style: TextStyle) -> Bool {
    style.isBold || style.isItalic || style.isUnderlined || (style.color ?? textColor) != textColor
  }

  /// A style record, which repeats what stays the same: font, size and colour.
  private func record(_ start: Int, _ end: Int, _ style: TextStyle) -> Tx3gStyleRecord {
    var face: Tx3gStyleRecord.Face = []
    if style.isBold { face.insert(.bold) }
    if style.isItalic { face.insert(.italic) }
    if style.isUnderlined { face.insert(.underline) }
    return Tx3gStyleRecord(
      start: UInt16(clamping: start), end: UInt16(clamping: end), fontID: Tx3gEncoder.fontID, face: face,
      fontSize: geometry.fontSize, color: style.color ?? textColor)
  }

  /// One of the two names that subtitle media allow; readers on Android know a description by their lengths.
  private static let fontName = "Sans-Serif"
  private static let fontID: UInt16 = 1
}

extension StyledText {
  /// The text without line breaks at its end, cut between characters to at most `byteCount` bytes of UTF-8.
  fileprivate func fitted(to byteCount: Int) -> (text: StyledText, isCut: Bool) {
    let isCut = text.utf8.count > byteCount
    guard isCut || text.utf8.last == Ascii.lineFeed else { return (self, false) }
    var kept = Array(text.utf8.prefix(byteCount))
    if isCut {
      // Continuation bytes, and the first byte of the character that they belong to, unless it is whole.
      let next = text.utf8[text.utf8.index(text.utf8.startIndex, offsetBy: byteCount)]
      if next & 0xC0 == 0x80 {
        while let last = kept.popLast(), last & 0xC0 == 0x80 {}
      }
    }
    while kept.last == Ascii.lineFeed { kept.removeLast() }
    let scalarCount = kept.count { $0 & 0xC0 != 0x80 }
    let clipped = runs.prefix { $0.range.lowerBound < scalarCount }.map { run in
      Run(run.range.lowerBound..<min(run.range.upperBound, scalarCount), run.style)
    }
    return (StyledText(String(decoding: kept, as: UTF8.self), checkedRuns: clipped), isCut)
  }
}
