// Reading of subtitle files. The encoding is detected first, and then the format is detected from the contents.

/// The contents of a subtitle file in any format.
public struct SubtitleFile: Hashable, Sendable {
  /// The cues in file order. There is at least one cue.
  public var cues: [Cue]
  /// The number of cues that were dropped because they had no text or invalid times.
  public var droppedCueCount: Int
  /// Notices about text that was repaired or dropped, and about features that cues do not support, in file order.
  public var notices: [SubtitleNotice]
  /// The language that the header of a WebVTT file declares (`Language: pt-BR`), as written, or `nil` if there is none.
  public var language: String?
  /// The number of WebVTT files that are concatenated in the file. Each has its own header.
  package var partCount = 1
  /// The numbering of the time codes in an SCC or MCC file, or `nil` if the file contains times. Time codes often begin
  /// at one hour.
  package var timecodeNumbering: Timecode.Numbering?
  /// The source of a WebVTT file, or `nil` for other formats.
  package var webVTT: WebVTTSource?
  /// The caption pairs of an SCC or MCC file or a movie, or `nil` if the cues were read from subtitles.
  package var captions: CaptionSource?

  /// Creates a file with the given cues.
  public init(cues: [Cue], droppedCueCount: Int = 0, notices: [SubtitleNotice]) {
    self.cues = cues
    self.droppedCueCount = droppedCueCount
    self.notices = notices
  }
}

/// A format of subtitle files that can be read.
public enum SubtitleFileFormat: String, Hashable, Sendable, CaseIterable {
  /// SubRip (`.srt`).
  case subRip = "SubRip"
  /// WebVTT (`.vtt`).
  case webVTT = "WebVTT"
  /// Scenarist closed captions (`.scc`).
  case scenarist = "SCC"
  /// MacCaption closed captions (`.mcc`).
  case macCaption = "MCC"

  /// The extension of file names, including the period.
  public var fileNameSuffix: String {
    switch self {
    case .subRip: ".srt"
    case .webVTT: ".vtt"
    case .scenarist: ".scc"
    case .macCaption: ".mcc"
    }
  }

  /// Detects the format from a file name, or returns `nil` if the extension is unknown.
  public init?(fileName: String) {
    let name = fileName.lowercased()
    guard let format = Self.allCases.first(where: { name.hasSuffix($0.fileNameSuffix) }) else { return nil }
    self = format
  }
}

extension SubtitleFile {
  /// Reads a subtitle file and detects its format from the first line.
  ///
  /// If the extension of `name` belongs to another format, a notice reports this. A `.vtt` file without the WebVTT
  /// signature is read as SubRip. If `encoding` is `nil`, the encoding is detected, and `language`, a BCP 47 tag,
  /// improves the detection. `partMilliseconds` is for concatenated WebVTT files whose times restart at each `WEBVTT`
  /// line. It is the duration of each concatenated file.
  ///
  /// Throws ``SubtitleError`` if the bytes are not text, if no cue is shown, or if `limits` are exceeded. The error
  /// contains the line number if it is known.
  ///
  ///     let file = try SubtitleFile.read(bytes, named: "film.en.vtt")
  public static func read(
    _ bytes: [UInt8], named name: String? = nil, encoding: TextEncoding? = nil, language: String? = nil,
    partMilliseconds: Int64? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    try read(
      bytes, named: name, encoding: encoding, language: language, partMilliseconds: partMilliseconds, channel: nil,
      limits: limits)
  }

  /// Reads a subtitle file. `channel` selects the channel of an SCC or MCC file. If `channel` is `nil`, the first
  /// channel that shows captions is read. Other formats ignore `channel`.
  package static func read(
    _ bytes: [UInt8], named name: String?, encoding: TextEncoding?, language: String?, partMilliseconds: Int64?,
    channel: CaptionChannel?, limits: SubtitleLimits
  ) throws(SubtitleError) -> SubtitleFile {
    let text = try SubtitleText(bytes, encoding: encoding, language: language, limits: limits)
    let format = SubtitleFileFormat(contents: text.utf8)
    let namedFormat = name.flatMap { SubtitleFileFormat(fileName: $0) }
    var file: SubtitleFile
    do throws(SubtitleError) {
      switch format {
      case .subRip: file = try SubRipReader.read(text, limits: limits)
      case .webVTT: file = try WebVTTReader.read(text, partMilliseconds: partMilliseconds, limits: limits)
      case .scenarist, .macCaption: file = try SubtitleFile(captions: text, format, channel, limits: limits)
      }
    } catch {
      guard format == .subRip, error.code == .noCues else { throw error }
      switch namedFormat {
      case .webVTT: throw WebVTTReader.missingSignature
      case .scenarist:
        throw SubtitleError(.format, line: 1, "SCC files begin with Scenarist_SCC V1.0; this file does not")
      case .macCaption:
        throw SubtitleError(
          .format, line: 1, "MCC files begin with File Format=MacCaption_MCC V1.0; this file does not")
      case .subRip, nil: throw error
      }
    }
    if let namedFormat, namedFormat != format {
      let notice = SubtitleNotice(
        line: 1, kind: .otherFormat,
        message:
          "the file is named \(namedFormat.fileNameSuffix), but is read as \(format.rawValue) because of its contents")
      file.notices.insert(notice, at: 0)
    }
    if file.hasRollingCaptions {
      file.notices.append(
        SubtitleNotice(
          line: file.cues.first?.line ?? 0, kind: .rollingCaptions,
          message: "captions roll up: most cues repeat a line of the previous cue"))
    }
    return file
  }
}

extension SubtitleFileFormat {
  /// Detects the format from the first line of a text. A text without a signature is read as SubRip.
  fileprivate init(contents text: [UInt8]) {
    if WebVTTReader.isWebVTT(text) {
      self = .webVTT
    } else if ScenaristReader.canRead(text) {
      self = .scenarist
    } else {
      self = MacCaptionReader.canRead(text) ? .macCaption : .subRip
    }
  }
}

extension SubtitleFile {
  /// Reads the captions of an SCC or MCC file.
  private init(
    captions text: SubtitleText, _ format: SubtitleFileFormat, _ channel: CaptionChannel?, limits: SubtitleLimits
  ) throws(SubtitleError) {
    let notices = NoticeList(limits, text.notices)
    let file =
      try format == .scenarist
      ? ScenaristReader.read(text.utf8, notices: notices) : MacCaptionReader.read(text.utf8, notices: notices)
    let captionText = try file.text(of: channel, limits: limits)
    self.init(
      cues: captionText.cues, droppedCueCount: captionText.droppedCueCount, notices: captionText.notices.finished)
    timecodeNumbering = file.numbering
    let source = CaptionSource(
      fields: file.fields, rate: file.numbering.rate, channel: captionText.channel, readCues: cues,
      repetitionFrames: file.repetitionFrames)
    captions = channel.map(source.limited) ?? source
  }

  /// Converts the time code of the movie's start to a time in the file. `milliseconds` is the time that the time code
  /// displays. SCC and MCC files round it to a frame.
  package func milliseconds(ofTimecode milliseconds: Int64) -> Int64 {
    guard let numbering = timecodeNumbering else { return milliseconds }
    return self.milliseconds(ofStart: Timecode.Start(numbering, frame: numbering.frame(displaying: milliseconds)))
  }

  /// Converts the time code of the movie's start to a time in the file, in milliseconds.
  ///
  /// Time codes restart after a day. If the first cue precedes the start by more than half a day, the movie begins on
  /// the day before the cue, and the result is negative.
  package func milliseconds(ofStart start: Timecode.Start) -> Int64 {
    let numbering = start.numbering
    let time = numbering.rate.milliseconds(ofFrame: start.frame)
    let day = numbering.rate.milliseconds(ofFrame: numbering.framesPerDay)
    let first = cues.map(\.startMilliseconds).min() ?? 0
    return first < time ? time - (time - max(first, 0) + day / 2) / day * day : time
  }
}
/// Collects the notices about the text of one cue. Notices with equal kinds and subjects are merged and counted.
struct CueNotices {
  private struct Finding {
    let kind: SubtitleNotice.Kind
    let subject: String
    let line: Int
    let message: String
    /// The lost text of all merged notices, separated by blanks, or `nil` if no text is lost.
    var lost: [UInt8]?
    var count = 1
  }

  private var findings: [Finding] = []
  private static let maximumCount = 64
  /// The number of reallocations of the lost text.
  private(set) var lostTextReallocationCount = 0

  /// Adds a notice, or merges it with an earlier notice. `lost` is the text that is not shown.
  mutating func add(
    _ kind: SubtitleNotice.Kind, _ subject: String = "", line: Int, lost: ArraySlice<UInt8>? = nil,
    _ message: () -> String
  ) {
    // Every five bytes of a file, such as `</a1>`, may cause a notice with a new subject. Therefore, the number of
    // separate notices is limited. All further notices of one kind are merged, regardless of their subjects.
    let subject = findings.count < Self.maximumCount ? subject : ""
    let knownIndex = findings.firstIndex { $0.kind == kind && $0.subject == subject }
    if let knownIndex { findings[knownIndex].count += 1 }
    let index = knownIndex ?? findings.count
    if knownIndex == nil { findings.append(Finding(kind: kind, subject: subject, line: line, message: message())) }
    guard let lost else { return }
    // Append the text in place. Copying it for each tag would take quadratic time.
    let room = findings[index].lost?.capacity
    if findings[index].lost == nil { findings[index].lost = [] } else { findings[index].lost?.append(Ascii.space) }
    findings[index].lost?.append(contentsOf: lost)
    if findings[index].lost?.capacity != room { lostTextReallocationCount += 1 }
  }

  func add(to notices: inout NoticeList) {
    for finding in findings {
      let more = finding.count > 1 ? " (and \(finding.count - 1) more in this cue)" : ""
      notices.add(
        finding.kind, finding.subject, line: finding.line,
        lostText: finding.lost.map { String(decoding: $0, as: UTF8.self) }, finding.message + more)
    }
  }
}

// Captions that roll up, as in YouTube's speech recognition. Each line occurs in three cues: in its own cue, in a cue
// of 10 ms without word times, and above the next line in the next line's cue.
extension SubtitleFile {
  /// Whether most cues begin with the last lines of the previous cue, and without a gap after the previous cue.
  package var hasRollingCaptions: Bool {
    guard cues.count > 3 else { return false }
    var otherCount = 0
    var newLineCount = 0
    var previous: (lines: [String], end: Int64)?
    for cue in cues {
      let lines = cue.text.lines.map(\.text)
      if let previous {
        let shownCount = Self.shownLineCount(cue, lines, after: previous)
        if shownCount == 0 { otherCount += 1 } else if shownCount < lines.count { newLineCount += 1 }
      }
      guard otherCount * 3 < cues.count else { return false }
      previous = (lines, cue.endMilliseconds)
    }
    // If only one text is repeated, the captions do not roll up.
    return newLineCount * 4 >= cues.count
  }

  /// Returns a file in which each line of rolling captions is shown once, from its first cue until the next line
  /// appears.
  ///
  /// A line is removed from a cue if the previous cue ends with this line and there is no gap between the cues. If a
  /// new line follows the line in the cue, a gap of up to five seconds is permitted. Cues without remaining text are
  /// dropped. ``droppedCueCount`` does not change. Only the notice about rolling captions is removed.
  ///
  ///     let file = try SubtitleFile.read(bytes, named: "talk.en.vtt").unrolled()
  public func unrolled() -> SubtitleFile { unrolled(isCaptions: captions != nil) }

  /// Returns a file in which each line of rolling captions is shown once. If the cues are CEA-608 captions, each line
  /// is placed in the row in which it first appears.
  package func unrolled(isCaptions: Bool) -> SubtitleFile {
    var file = self
    file.cues = []
    file.captions = nil
    let sources = webVTT?.cues.count == cues.count ? webVTT?.cues : nil
    file.webVTT?.cues = []
    var previous: (lines: [String], end: Int64)?
    for (index, cue) in cues.enumerated() {
      let lines = cue.text.lines
      // A blank cue clears the screen, so no line of an earlier cue is still shown.
      guard !lines.isEmpty else {
        previous = nil
        continue
      }
      let texts = lines.map(\.text)
      let shownCount = previous.map { Self.shownLineCount(cue, texts, after: $0) } ?? 0
      previous = (texts, cue.endMilliseconds)
      guard shownCount < lines.count else {
        // If a cue contains no new line, extend the cue before it instead of adding a cue.
        if let last = file.cues.indices.last {
          file.cues[last].endMilliseconds = max(file.cues[last].endMilliseconds, cue.endMilliseconds)
        }
        continue
      }
      if shownCount > 0, let last = file.cues.indices.last,
        file.cues[last].startMilliseconds < cue.startMilliseconds
      {
        file.cues[last].endMilliseconds = min(file.cues[last].endMilliseconds, cue.startMilliseconds)
      }
      var kept = cue
      kept.text = StyledText.joined(Array(lines.dropFirst(shownCount)))
      if isCaptions { kept.placement.vertical = cue.placement.vertical.droppingRows(shownCount) }
      file.cues.append(kept)
      if var source = sources?[index] {
        if kept.text != cue.text { source.text = String(decoding: kept.text.webVTT, as: UTF8.self) }
        source.readCue = kept
        file.webVTT?.cues.append(source)
      }
    }
    file.notices.removeAll { $0.kind == .rollingCaptions }
    return file
  }

  /// Returns the number of lines at the start of a cue that roll up from the previous cue.
  ///
  /// If a cue repeats only one line after a gap, the line was spoken again. If a new line follows in the cue, the old
  /// line remained visible while the speaker paused.
  private static func shownLineCount(
    _ cue: Cue, _ lines: [String], after previous: (lines: [String], end: Int64)
  ) -> Int {
    let count = overlapLineCount(previous.lines, lines)
    let (gap, overflows) = cue.startMilliseconds.subtractingReportingOverflow(previous.end)
    return !overflows && gap <= (count < lines.count ? 5_000 : 50) ? count : 0
  }

  /// Returns the number of lines at the end of one cue that equal the lines at the start of the next cue.
  private static func overlapLineCount(_ first: [String], _ second: [String]) -> Int {
    let lineLimit = min(first.count, second.count, 8)
    return stride(from: lineLimit, to: 0, by: -1).first { first.suffix($0).elementsEqual(second.prefix($0)) } ?? 0
  }
}

extension StyledText {
  /// The lines that are not blank, without surrounding blanks.
  fileprivate var lines: [StyledText] {
    var lines: [StyledText] = []
    let scalars = Array(text.unicodeScalars)
    for line in scalars.split(separator: "\n") {
      guard let first = line.firstIndex(where: { !$0.properties.isWhitespace }),
        let last = line.lastIndex(where: { !$0.properties.isWhitespace })
      else { continue }
      let range = first..<last + 1
      let kept = runs.compactMap { run -> Run? in
        let shared = run.range.clamped(to: range)
        return shared.isEmpty ? nil : Run(shared.lowerBound - first..<shared.upperBound - first, run.style)
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[range])
      lines.append(StyledText(String(text), checkedRuns: kept))
    }
    return lines
  }
}
