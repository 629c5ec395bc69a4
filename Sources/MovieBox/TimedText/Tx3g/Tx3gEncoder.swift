package import Subtitles

/// Encodes a timeline as `tx3g` samples.
///
/// A sample contains styles only if they differ from the default. It contains forced flags and text boxes only if a
/// sample of the track requires them.
///
///     let encoder = Tx3gEncoder(geometry: SubtitleGeometry(pictureWidth: 1280, pictureHeight: 720))
///     let media = encoder.encode(timeline)
package struct Tx3gEncoder: Hashable, Sendable {
  /// The samples that players must show even if subtitles are off.
  package enum Forcing: Hashable, Sendable {
    /// Only the marked cues. If all cues are marked, the track is declared as forced only.
    case asMarked
    /// All cues, even if they are not marked.
    case all
  }

  /// The size of the track and the font size. If cues have other placements, the track covers the whole picture.
  package var geometry: SubtitleGeometry
  /// The samples that are marked as forced.
  package var forcing: Forcing
  /// The color of text whose style declares no color.
  package var textColor: StyledText.Color

  package init(geometry: SubtitleGeometry, forcing: Forcing = .asMarked, textColor: StyledText.Color = .white) {
    self.geometry = geometry
    self.forcing = forcing
    self.textColor = textColor
  }

  /// Encodes the samples of a timeline and their description, in linear time.
  package func encode(_ timeline: CueTimeline, limits: SubtitleLimits = SubtitleLimits()) -> SubtitleMedia {
    let isPlaced = timeline.samples.contains { $0.text != nil && $0.placement.vertical != .bottom }
    let region = isPlaced ? geometry.coveringWholePicture : geometry
    var notices = NoticeList(limits)
    let marks = forcedFlags(of: timeline.samples)
    var writer = ByteWriter()
    var sizes: [UInt32] = []
    sizes.reserveCapacity(timeline.samples.count)
    var durations: [SampleDurationRun] = []
    writer.reserve(timeline.samples.reduce(0) { $0 + 2 + ($1.text?.text.utf8.count ?? 0) })
    for sample in timeline.samples {
      let start = writer.bytes.count
      if let text = sample.text {
        let fitted = fit(text, line: sample.line, &notices)
        writer.write(UInt16(clamping: fitted.text.utf8.count))
        writer.write(utf8: fitted.text)
        writeStyles(of: fitted, line: sample.line, to: &writer, &notices)
        if sample.isForced, marks == .someSamplesForced { Tx3gBox.forced.write(to: &writer) }
        if isPlaced { textBox(of: fitted, in: sample, region).write(to: &writer) }
        if mayWrap(fitted) { Tx3gBox.softWrap.write(to: &writer) }
      } else {
        writer.write(UInt16(0))
      }
      sizes.append(UInt32(clamping: writer.bytes.count - start))
      durations.add(sample.duration)
    }
    return SubtitleMedia(
      description: .timedText(description(isPlaced ? marks.union(.verticalPlacement) : marks, region)),
      geometry: region,
      data: writer.bytes, sampleSizes: sizes, durationRuns: durations, timeScale: timeline.timeScale,
      duration: timeline.duration, notices: notices.finished)
  }

  /// Returns the display flags for forced samples. Samples contain `frcd` only if some samples are forced and others
  /// are not.
  private func forcedFlags(of samples: [TimedSample]) -> Tx3gDisplayFlags {
    if forcing == .all { return .forcedOnly }
    let shownSamples = samples.lazy.filter { $0.text != nil }
    guard shownSamples.contains(where: \.isForced) else { return [] }
    return shownSamples.allSatisfy(\.isForced) ? .forcedOnly : .someSamplesForced
  }

  private func description(_ flags: Tx3gDisplayFlags, _ region: SubtitleGeometry) -> Tx3gDescription {
    Tx3gDescription(
      displayFlags: flags, defaultTextBox: region.textBox, defaultStyle: styleRecord(from: 0, to: 0, .plain),
      boxes: [.fontTable([Tx3gFont(id: Tx3gEncoder.fontID, name: Tx3gEncoder.fontName)])])
  }

  private func fit(_ text: StyledText, line: Int, _ notices: inout NoticeList) -> StyledText {
    let fittedText = text.fitted(to: Tx3gSample.maximumTextByteCount)
    if let cut = fittedText.cut {
      notices.add(
        .textCut, line: line, lostText: cut, "\(text.excerpt) was cut to \(Tx3gSample.maximumTextByteCount) bytes")
    }
    return fittedText.text
  }

  private func writeStyles(
    of text: StyledText, line: Int, to writer: inout ByteWriter, _ notices: inout NoticeList
  ) {
    guard !text.runs.isEmpty else { return }
    let offsets = StyleOffsets(of: text.runs.filter { isVisible($0.style) }, in: text.text)
    if offsets.isAmbiguous {
      notices.add(
        .ambiguousStyleOffsets, line: line,
        "\(text.excerpt) has styles after characters beyond U+FFFF: some players will apply the styles to the wrong "
          + "characters")
    }
    guard !offsets.runs.isEmpty else { return }
    Tx3gBox.writeStyles(
      offsets.runs.map { styleRecord(from: $0.range.lowerBound, to: $0.range.upperBound, $0.style) }, to: &writer)
  }

  /// Returns the text box of a sample. If one sample needs a box, all samples need one, because the default box is at
  /// the top.
  private func textBox(of text: StyledText, in sample: TimedSample, _ region: SubtitleGeometry) -> Tx3gBox {
    .textBox(region.textBox(sample.placement.vertical, lineCount: text.lineCount))
  }

  private func mayWrap(_ text: StyledText) -> Bool {
    geometry.mayWrap(columnCount: text.text.utf8.count) && geometry.mayWrap(columnCount: text.widestLine)
  }

  private func isVisible(_ style: StyledText.Style) -> Bool {
    style.isBold || style.isItalic || style.isUnderlined || (style.color ?? textColor) != textColor
      || fontSize(style) != geometry.fontSize
  }

  /// Returns a style record. The record also repeats the default font, size and color.
  private func styleRecord(from start: Int, to end: Int, _ style: StyledText.Style) -> Tx3gStyleRecord {
    Tx3gStyleRecord(
      start: UInt16(clamping: start), end: UInt16(clamping: end), fontID: Tx3gEncoder.fontID, face: .init(style),
      fontSize: fontSize(style), color: style.color ?? textColor)
  }

  /// Returns the font size of a style in pixels.
  private func fontSize(_ style: StyledText.Style) -> UInt8 { style.fontSize(relativeTo: geometry.fontSize) }

  /// One of the two font names that subtitle media permits. Android reads a description only if the name has 5 or 10
  /// characters.
  private static let fontName = "Sans-Serif"
  private static let fontID: UInt16 = 1
}

extension StyledText {
  /// The number of columns of the widest line. Wide characters (East Asian, emoji) count as two columns.
  fileprivate var widestLine: Int {
    var widestColumnCount = 0
    var columns = 0
    for scalar in text.unicodeScalars {
      if scalar == "\n" {
        columns = 0
        continue
      }
      columns += scalar.value >= 0x1100 && scalar.isWide ? 2 : 1
      widestColumnCount = max(widestColumnCount, columns)
    }
    return widestColumnCount
  }

  /// Returns the text without trailing line breaks, cut at a character boundary to at most `byteCount` bytes of
  /// UTF-8. Also returns the removed text.
  fileprivate func fitted(to byteCount: Int) -> (text: StyledText, cut: String?) {
    let isCut = text.utf8.count > byteCount
    guard isCut || text.utf8.last == Ascii.lineFeed else { return (self, nil) }
    var keptBytes = Array(text.utf8.prefix(byteCount))
    if isCut {
      // Removes an incomplete character. It consists of its first byte and some continuation bytes.
      let next = text.utf8[text.utf8.index(text.utf8.startIndex, offsetBy: byteCount)]
      if next & 0xC0 == 0x80 {
        while let last = keptBytes.popLast(), last & 0xC0 == 0x80 {}
      }
    }
    let cut = isCut ? String(decoding: text.utf8.dropFirst(keptBytes.count), as: UTF8.self) : nil
    while keptBytes.last == Ascii.lineFeed { keptBytes.removeLast() }
    let scalarCount = keptBytes.count { $0 & 0xC0 != 0x80 }
    let clippedRuns = runs.prefix { $0.range.lowerBound < scalarCount }.map { run in
      Run(run.range.lowerBound..<min(run.range.upperBound, scalarCount), run.style)
    }
    return (StyledText(String(decoding: keptBytes, as: UTF8.self), checkedRuns: clippedRuns), cut)
  }
}

extension Unicode.Scalar {
  /// Whether the character is East Asian or an emoji. These characters are about as wide as high (UAX 11, roughly).
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1_F300...0x1_FAFF, 0x2_0000...0x3_FFFD:
      true
    default: false
    }
  }
}
