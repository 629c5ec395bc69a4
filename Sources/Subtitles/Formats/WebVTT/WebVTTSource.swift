// The source text of WebVTT cues. A file is written from its source text, because cues do not support all settings and
// tags.

/// The source text of a WebVTT file or track. It contains settings and tags that cues do not support.
package struct WebVTTSource: Hashable, Sendable {
  /// The source text of one cue.
  package struct CueSource: Hashable, Sendable {
    /// The line before the times, or an empty string if there is none.
    package var identifier: String
    /// The settings after the times.
    package var settings: String
    /// The text with its tags.
    package var text: String
    /// The start of the cue in the original file, in milliseconds. If the cue has moved, the times in its text are
    /// shifted by the difference.
    package var startMilliseconds: Int64

    /// The cue that was read from this source. If a caller changes the text or placement of the cue, the source is
    /// outdated.
    package var readCue: Cue?

    package init(identifier: String = "", settings: String = "", text: String, startMilliseconds: Int64) {
      self.identifier = identifier
      self.settings = settings
      self.text = text
      self.startMilliseconds = startMilliseconds
    }
  }

  /// The header: the first line, the other header lines, and the style and region blocks.
  package var header: String
  /// The sources of the cues in file order.
  package var cues: [CueSource]

  package init(header: String, cues: [CueSource]) {
    self.header = header
    self.cues = cues
  }

  /// Returns the source of a file that contains `cues`, or `nil` if the number of cues has changed. An unchanged cue
  /// keeps its source. The source of a changed cue is generated from its text and placement.
  package func matching(_ cues: [Cue]) -> WebVTTSource? {
    guard cues.count == self.cues.count else { return nil }
    var source = self
    for (index, cue) in cues.enumerated() {
      guard let read = self.cues[index].readCue, read.text != cue.text || read.placement != cue.placement else {
        continue
      }
      source.cues[index].settings = String(cue.placement.webVTTSettings.dropFirst())
      source.cues[index].text = String(decoding: cue.text.webVTT, as: UTF8.self)
    }
    return source
  }

  /// Returns `cues` for captions. If the settings of an unchanged cue contain a negative line number, the cue is placed
  /// in the caption row that the number selects, counted from the last row.
  package func placedInCaptionRows(_ cues: [Cue]) -> [Cue] {
    guard cues.count == self.cues.count else { return cues }
    return zip(cues, self.cues).map { cue, source in
      guard source.readCue?.placement == cue.placement,
        let row = WebVTTCueSettings(Array(source.settings.utf8)).captionRow
      else { return cue }
      var placed = cue
      placed.placement.vertical = .fromTop(hundredthsOfPercent: CaptionArea.hundredthsOfPercent(ofRow: row))
      return placed
    }
  }

  package mutating func setReadCues(_ cues: [Cue]) {
    guard cues.count == self.cues.count else { return }
    for index in cues.indices { self.cues[index].readCue = cues[index] }
  }

  /// Notices about features of the source that cues do not support, such as ruby and times within cues.
  package var inexpressibleNotices: [SubtitleNotice] {
    var notices = NoticeList(SubtitleLimits())
    for cue in cues {
      let settings = WebVTTCueSettings(Array(cue.settings.utf8))
      if let lost = settings.inexpressible { notices.add(.placementLost, lost.name, line: 0, lost.effect) }
      var parser = WebVTTCueText(Array(cue.text.utf8))
      parser.parse(&notices)
    }
    return notices.finished.filter { $0.kind.effect == .inexpressible }
  }

  /// Whether the source is valid in a file. No line may end its block or resemble a timing line.
  package var isValidInFile: Bool {
    cues.allSatisfy { cue in
      let lines = cue.text.split(separator: "\n", omittingEmptySubsequences: false)
      return !lines.contains { $0.isEmpty || $0.contains("-->") } && !cue.text.unicodeScalars.contains("\r")
        && ![cue.identifier, cue.settings].contains { $0.contains { $0.isNewline } || $0.contains("-->") }
    }
  }
}

extension WebVTTSource.CueSource {
  /// Returns the text of a cue that begins at `milliseconds`. The times in the text are shifted with the cue.
  package func text(startingAt milliseconds: Int64) -> String {
    let shift = milliseconds.subtractingReportingOverflow(startMilliseconds).partialValue
    guard shift != 0 else { return text }
    let bytes = Array(text.utf8)
    var movedText: [UInt8] = []
    var index = 0
    while index < bytes.count {
      var reader = WebVTTTimeReader(bytes[(index + 1)...])
      if bytes[index] == UInt8(ascii: "<"), let time = reader.readTime(), reader.rest.first == UInt8(ascii: ">") {
        let new = max(0, time.addingReportingOverflow(shift).partialValue)
        movedText += "<\(timeText(milliseconds: new))".utf8
        index = reader.rest.startIndex
      } else {
        movedText.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: movedText, as: UTF8.self)
  }
}

/// Reads WebVTT (`.vtt`) according to the specification. The cues equal the cues in a browser.
///
/// Tags, classes and style sheets become styles, and settings and regions become placements. In concatenated HLS
/// segments, repeated cues are read only once. Text that browsers drop is dropped too, but a notice reports the lost
/// text. There are two exceptions. A `<` that begins no tag is kept as text. Times with known deviations of SubRip,
/// such as a comma or a short fraction, are accepted.
///
///     let file = try SubtitleFile.read(Array("WEBVTT\n\n00:01.000 --> 00:02.500\nHello\n".utf8))
///     print(file.cues[0].text.text)  // Hello
package enum WebVTTReader {
  /// Reads a decoded file. `notices` contains the notices of the decoding, and further notices are appended. The cues
  /// are in file order and may overlap.
  ///
  /// If several files with a `WEBVTT` line were concatenated, `partMilliseconds` is the duration of each file. Throws
  /// if the text does not begin with `WEBVTT`, if there are no cues, or if a limit is exceeded. Makes a few passes over
  /// the bytes.
  package static func read(
    _ text: SubtitleText, partMilliseconds: Int64? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    var scan = WebVTTScan(
      text: text.utf8, limits: limits, notices: NoticeList(limits, text.notices), partMilliseconds: partMilliseconds)
    try scan.run()
    guard !scan.cues.isEmpty else { throw SubtitleError(.noCues, scan.reasonForNoCues) }
    var file = SubtitleFile(
      cues: scan.cues, droppedCueCount: scan.droppedCueCount, notices: scan.notices.finished)
    file.language = scan.language
    file.partCount = scan.segment + 1
    file.webVTT = scan.source
    file.webVTT?.setReadCues(scan.cues)
    return file
  }

  /// The error for a file without the WebVTT signature.
  static let missingSignature = SubtitleError(
    .format, line: 1, at: 0, "the file is not WebVTT: the first line does not begin with WEBVTT")

  /// Whether a text begins with the WebVTT signature: `WEBVTT` and then a blank, a line break or the end (WebVTT,
  /// clause 6.1).
  static func isWebVTT(_ utf8: some Sequence<UInt8>) -> Bool {
    var rest = utf8.makeIterator()
    for byte in "WEBVTT".utf8 where rest.next() != byte { return false }
    return rest.next().map { Ascii.isBlank($0) || $0 == Ascii.lineFeed || $0 == Ascii.carriageReturn } ?? true
  }
}
