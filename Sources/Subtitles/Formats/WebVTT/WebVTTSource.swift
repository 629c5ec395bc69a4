// The source of WebVTT cues in its own words. Files are written again from it, so that settings and tags that no cue
// models are kept.

/// The source text of a WebVTT file, for tracks that hold WebVTT: more than cues of all formats have.
package struct WebVTTSource: Hashable, Sendable {
  /// The source text of one cue.
  package struct CueSource: Hashable, Sendable {
    /// The line before its times; empty where there is none.
    package var identifier: String
    /// The settings after its times.
    package var settings: String
    /// Its text, with tags.
    package var text: String
    /// The start in the file, in milliseconds: times in its text count on the same clock.
    package var startMilliseconds: Int64

    /// The cue as it was read: a text or place that was changed since says more than the source text.
    package var readCue: Cue?

    /// The source text of a cue.
    package init(identifier: String = "", settings: String = "", text: String, startMilliseconds: Int64) {
      self.identifier = identifier
      self.settings = settings
      self.text = text
      self.startMilliseconds = startMilliseconds
    }
  }

  /// The first line, with what else the header says, and the blocks of styles and regions.
  package var header: String
  /// The cues, in the order of the file's.
  package var cues: [CueSource]

  /// A file of this source text.
  package init(header: String, cues: [CueSource]) {
    self.header = header
    self.cues = cues
  }

  /// The source text of a file whose cues are these: unchanged cues keep their own words, others have
  /// words made of their text and place. `nil` for another number of cues.
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

  /// Remembers the cues as they were read.
  package mutating func setReadCues(_ cues: [Cue]) {
    guard cues.count == self.cues.count else { return }
    for index in cues.indices { self.cues[index].readCue = cues[index] }
  }

  /// Notices about features of the text that cues lack: text above the line, times inside of cues and the like.
  package var inexpressibleNotices: [SubtitleNotice] {
    var notices = NoticeList(SubtitleLimits())
    for cue in cues {
      let settings = WebVTTCueSettings(Array(cue.settings.utf8))
      for reason in settings.inexpressible { notices.add(.placementLost, reason, line: 0, reason) }
      var parser = WebVTTCueText(Array(cue.text.utf8))
      parser.parse(&notices)
    }
    return notices.finished.filter { $0.kind.effect == .inexpressible }
  }

  /// Whether the text can stand in a file: no line of it ends its block, or looks like the times of a cue.
  package var canStandInFile: Bool {
    cues.allSatisfy { cue in
      let lines = cue.text.split(separator: "\n", omittingEmptySubsequences: false)
      return !lines.contains { $0.isEmpty || $0.contains("-->") } && !cue.text.unicodeScalars.contains("\r")
        && ![cue.identifier, cue.settings].contains { $0.contains { $0.isNewline } || $0.contains("-->") }
    }
  }
}

extension WebVTTSource.CueSource {
  /// The text with the times in it moved, for a cue that begins at this time.
  package func text(startingAt milliseconds: Int64) -> String {
    let shift = milliseconds.subtractingReportingOverflow(startMilliseconds).partialValue
    guard shift != 0 else { return text }
    let bytes = Array(text.utf8)
    var moved: [UInt8] = []
    var index = 0
    while index < bytes.count {
      var reader = WebVTTTimeReader(bytes[(index + 1)...])
      if bytes[index] == UInt8(ascii: "<"), let time = reader.readTime(), reader.rest.first == UInt8(ascii: ">") {
        let new = max(0, time.addingReportingOverflow(shift).partialValue)
        moved += "<\(timeText(milliseconds: new))".utf8
        index = reader.rest.startIndex
      } else {
        moved.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: moved, as: UTF8.self)
  }
}

/// Reads WebVTT (`.vtt`) by the rules of its specification, so that the cues are the ones that a browser shows.
///
/// Tags, classes and the style sheets of the file become styles; settings and regions become places. Cues that HLS
/// repeats in several segments are taken once where segments were put together. What a browser would drop is dropped,
/// but reported in a notice with the text that is lost; `<` that begins no tag is kept as text. Times that players drop
/// are read as those of SubRip: with a comma, a short fraction, signs beside them.
///
///     let file = try SubtitleFile.read(Array("WEBVTT\n\n00:01.000 --> 00:02.500\nHello\n".utf8))
///     print(file.cues[0].text.text)  // Hello
package enum WebVTTReader {
  /// Reads a decoded file, whose notices come first. Cues keep the order of the file; they may overlap.
  ///
  /// Where files were put together into one, each with its own `WEBVTT`, `partMilliseconds` is the duration of each.
  /// Throws when the text does not begin with `WEBVTT`, when there is no cue at all, or when a limit is passed. Costs a
  /// few passes over the bytes.
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

  /// The error for a file without the signature of WebVTT.
  static let missingSignature = SubtitleError(
    .format, line: 1, at: 0, "not WebVTT: the first line does not begin with WEBVTT")

  /// Whether the text begins as WebVTT does: with `WEBVTT` and a blank, a line end or nothing (WebVTT, clause 6.1).
  static func isWebVTT(_ utf8: some Sequence<UInt8>) -> Bool {
    var rest = utf8.makeIterator()
    for byte in "WEBVTT".utf8 where rest.next() != byte { return false }
    return rest.next().map { Ascii.isBlank($0) || $0 == Ascii.lineFeed || $0 == Ascii.carriageReturn } ?? true
  }
}
