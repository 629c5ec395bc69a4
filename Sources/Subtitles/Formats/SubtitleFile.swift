// A subtitle file from bytes to cues: the encoding first, then the format by the contents, then its reader.

/// The contents of a subtitle file, whatever its format.
public struct SubtitleFile: Hashable, Sendable {
  /// The cues in the order of the file, at least one.
  public var cues: [Cue]
  /// The number of cues that were dropped in reading: without text, or with invalid times.
  public var droppedCueCount: Int
  /// Notices about parts that were repaired or dropped, or that cues cannot express, in the order of the file.
  public var notices: [SubtitleNotice]
  /// The language that the header of a WebVTT file names (`Language: pt-BR`), as it stands there, or `nil` if it names
  /// none.
  public var language: String?
  /// The number of files that were put together into this one, each with a WebVTT header of its own.
  package var partCount = 1
  /// The cues of a WebVTT file in its own words; `nil` for a file of another format.
  package var webVTT: WebVTTSource?

  /// A file of these cues.
  public init(cues: [Cue], droppedCueCount: Int = 0, notices: [SubtitleNotice]) {
    self.cues = cues
    self.droppedCueCount = droppedCueCount
    self.notices = notices
  }
}

/// The formats that subtitle files are read in.
public enum SubtitleFileFormat: String, Hashable, Sendable, CaseIterable {
  /// SubRip (`.srt`).
  case subRip = "SubRip"
  /// WebVTT (`.vtt`).
  case webVTT = "WebVTT"

  /// The suffix of file names, with the point.
  public var fileNameSuffix: String {
    switch self {
    case .subRip: ".srt"
    case .webVTT: ".vtt"
    }
  }

  /// The format that a file's name says; `nil` where it says none.
  public init?(fileName: String) {
    let name = fileName.lowercased()
    guard let format = Self.allCases.first(where: { name.hasSuffix($0.fileNameSuffix) }) else { return nil }
    self = format
  }
}

extension SubtitleFile {
  /// Reads a subtitle file in whichever format it is: the first line tells, not the name.
  ///
  /// Where `name` says another format than the file is in, a notice says so; a file with the name of WebVTT but without
  /// its first line is read as the SubRip that it mostly is. `encoding` is what the file is said to be in, else it is
  /// found out; `language`, a BCP 47 tag, helps with that. `partMilliseconds` is for WebVTT files that were put
  /// together into one, and begin their times again at each `WEBVTT` line: the duration of each, by which the next is
  /// moved. Throws ``SubtitleError`` with the line where it is known: of bytes that are no text, of a file without a
  /// cue that is shown, beyond `limits`.
  ///
  ///     let file = try SubtitleFile.read(bytes, named: "film.en.vtt")
  public static func read(
    _ bytes: [UInt8], named name: String? = nil, encoding: TextEncoding? = nil, language: String? = nil,
    partMilliseconds: Int64? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    let text = try SubtitleText(bytes, encoding: encoding, language: language, limits: limits)
    let format: SubtitleFileFormat = WebVTTReader.isWebVTT(text.utf8) ? .webVTT : .subRip
    let named = name.flatMap { SubtitleFileFormat(fileName: $0) }
    var file: SubtitleFile
    do throws(SubtitleError) {
      file =
        try format == .webVTT
        ? WebVTTReader.read(text, partMilliseconds: partMilliseconds, limits: limits)
        : SubRipReader.read(text, limits: limits)
    } catch {
      guard named == .webVTT, format == .subRip, error.code == .noCues else { throw error }
      throw WebVTTReader.missingSignature
    }
    if let named, named != format {
      let notice = SubtitleNotice(
        line: 1, kind: .otherFormat,
        message: "named \(named.fileNameSuffix), but it is \(format.rawValue), and read as that")
      file.notices.insert(notice, at: 0)
    }
    if file.hasRollingCaptions {
      file.notices.append(
        SubtitleNotice(
          line: file.cues.first?.line ?? 0, kind: .rollingCaptions,
          message: "captions roll up: most cues repeat a line of the one before"))
    }
    return file
  }
}

/// The notices of one cue's text: each kind once for a subject, with a count.
struct CueNotices {
  private struct Finding {
    let kind: SubtitleNotice.Kind
    let subject: String
    let line: Int
    let message: String
    /// The text that is shown nowhere because of all of them, separated by blanks; `nil` if nothing is lost.
    var lost: [UInt8]?
    var count = 1
  }

  private var found: [Finding] = []
  private static let largestCount = 64
  /// The number of times that the lost text was moved to a larger allocation.
  private(set) var lostTextReallocationCount = 0

  /// Notes a finding; `lost` is what is shown nowhere because of it.
  mutating func add(
    _ kind: SubtitleNotice.Kind, _ subject: String = "", line: Int, lost: ArraySlice<UInt8>? = nil,
    _ message: () -> String
  ) {
    // The tag or override that a notice is about comes from the file, and can be a new one every five bytes: beyond a
    // few, notices are merged into one.
    let subject = found.count < Self.largestCount ? subject : ""
    let known = found.firstIndex { $0.kind == kind && $0.subject == subject }
    if let known { found[known].count += 1 }
    let index = known ?? found.count
    if known == nil { found.append(Finding(kind: kind, subject: subject, line: line, message: message())) }
    guard let lost else { return }
    // Appended where it is: a copy for each of many tags would cost their number squared.
    let room = found[index].lost?.capacity
    if found[index].lost == nil { found[index].lost = [] } else { found[index].lost?.append(Ascii.space) }
    found[index].lost?.append(contentsOf: lost)
    if found[index].lost?.capacity != room { lostTextReallocationCount += 1 }
  }

  func add(to notices: inout NoticeList) {
    for finding in found {
      let more = finding.count > 1 ? " (and \(finding.count - 1) more in this cue)" : ""
      notices.add(
        finding.kind, finding.subject, line: finding.line,
        lostText: finding.lost.map { String(decoding: $0, as: UTF8.self) }, finding.message + more)
    }
  }
}

// Captions that roll up, as YouTube makes them of speech: each line stands in a cue of its own time, in one of ten
// milliseconds without the words' times, and above the next line.
extension SubtitleFile {
  /// Whether most cues begin with what the cue before ends with, and follow it without a gap.
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
    // A text that is repeated alone does not roll.
    return newLineCount * 4 >= cues.count
  }

  /// The file with each line of captions that roll up once: from its first cue until the next line appears.
  ///
  /// A line is left out of a cue if the cue before ends with it and no gap lies between them, or one of five seconds at
  /// most if a new line is below. Drops cues without text. Keeps ``droppedCueCount`` and all notices except the one on
  /// rolling captions.
  ///
  ///     let file = try SubtitleFile.read(bytes, named: "talk.en.vtt").unrolled()
  public func unrolled() -> SubtitleFile {
    var file = self
    file.cues = []
    let sources = webVTT?.cues.count == cues.count ? webVTT?.cues : nil
    file.webVTT?.cues = []
    var previous: (lines: [String], end: Int64)?
    for (index, cue) in cues.enumerated() {
      let lines = cue.text.lines
      // A blank cue shows nothing, so no line that was shown before lasts until its end.
      guard !lines.isEmpty else {
        previous = nil
        continue
      }
      let texts = lines.map(\.text)
      let shownCount = previous.map { Self.shownLineCount(cue, texts, after: $0) } ?? 0
      previous = (texts, cue.endMilliseconds)
      guard shownCount < lines.count else {
        // Nothing new: what is shown stays for as long.
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

  /// Returns the number of lines at the start of a cue that the cue before showed already, and that roll up.
  ///
  /// A line alone that comes again after a gap is said again. Above a new line, it may stay over a pause of the speaker.
  private static func shownLineCount(
    _ cue: Cue, _ lines: [String], after previous: (lines: [String], end: Int64)
  ) -> Int {
    let count = overlap(previous.lines, lines)
    let (gap, overflows) = cue.startMilliseconds.subtractingReportingOverflow(previous.end)
    return !overflows && gap <= (count < lines.count ? 5_000 : 50) ? count : 0
  }

  /// Returns the number of lines at the end of one cue that begin the next.
  private static func overlap(_ first: [String], _ second: [String]) -> Int {
    let longest = min(first.count, second.count, 8)
    return stride(from: longest, to: 0, by: -1).first { first.suffix($0).elementsEqual(second.prefix($0)) } ?? 0
  }
}

extension StyledText {
  /// The lines that are not blank, without blanks at their ends.
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
