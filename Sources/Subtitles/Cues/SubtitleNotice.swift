/// A repair or loss of subtitles, or another fact about them that the user should know.
///
/// Readers repair files instead of rejecting them, so every repair and loss must be visible. Programs can filter
/// notices by kind. The effect of a notice declares whether text is missing.
public struct SubtitleNotice: Hashable, Sendable {
  /// The kind of a notice. The raw value is the kind's name in the output of `--json`.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The encoding was guessed from the bytes. The message contains the guess and the reason.
    case encodingGuessed = "encoding-guessed"
    /// A byte order mark contradicts the requested encoding.
    case encodingMarked = "encoding-marked"
    /// The bytes contradict the requested encoding. The requested encoding was used nevertheless.
    case encodingDoubted = "encoding-doubted"
    /// NULs or byte order marks within the text were removed.
    case strippedCharacters = "stripped-characters"
    /// Invalid characters were replaced by U+FFFD.
    case replacedCharacters = "replaced-characters"
    /// Text outside cues was dropped.
    case textOutsideCue = "text-outside-cue"
    /// A malformed timing line was dropped with its cue.
    case unreadableTiming = "unreadable-timing"
    /// A time is written in an unusual way. The message contains its interpretation.
    case unusualTime = "unusual-time"
    /// Text after the times, such as an alignment, was ignored.
    case ignoredSetting = "ignored-setting"
    /// Coordinates after the times were interpreted as the top or the bottom of the picture.
    case approximatedPlacement = "approximated-placement"
    /// A line was read as text, although it resembles times. It does not contain the arrow of the format.
    case timesAsText = "times-as-text"
    /// Text next to the times was read as part of the cue.
    case textBesideTimes = "text-beside-times"
    /// A cue that does not end after its start was dropped.
    case endNotAfterStart = "end-not-after-start"
    /// A cue that does not end after its start is shown until the next cue starts, but for at most a second.
    case endMoved = "end-moved"
    /// A cue without text was dropped.
    case emptyCue = "empty-cue"
    /// A blank line was read as part of a cue.
    case blankLineInCue = "blank-line-in-cue"
    /// A word, or a number with signs around it, was read as the number of a cue.
    case unusualNumber = "unusual-number"
    /// A blank line after every line was ignored.
    case spacedLines = "spaced-lines"
    /// No blank line precedes a cue.
    case missingBlankLine = "missing-blank-line"
    /// An escape of SubStation Alpha, `\N` or `\h`, was read as a line break or a no-break space.
    case substationEscape = "substation-escape"
    /// A drawing in SubStation Alpha commands was dropped.
    case droppedDrawing = "dropped-drawing"
    /// An override in braces, such as `{\fad(200,200)}`, was dropped.
    case droppedOverride = "dropped-override"
    /// An unknown tag was dropped, but its text was kept.
    case unknownTag = "unknown-tag"
    /// An unknown tag was kept as text.
    case tagAsText = "tag-as-text"
    /// A closing tag without its opening tag was dropped.
    case strayTag = "stray-tag"
    /// A tag was closed at the end of its cue.
    case unclosedTag = "unclosed-tag"
    /// A style that subtitle tracks do not support, such as strikethrough or a font name, was dropped.
    case inexpressibleStyle = "inexpressible-style"
    /// A rule or property of a style sheet was ignored.
    case ignoredStyleRule = "ignored-style-rule"
    /// A style sheet or region after the first cue was ignored.
    case lateDefinition = "late-definition"
    /// A cue that occurs in several segments, or several times in a file, was read only once.
    case repeatedCue = "repeated-cue"
    /// The times in the file differ from the times that its timestamp map declares (`X-TIMESTAMP-MAP`).
    case timestampMap = "timestamp-map"
    /// The times of the file restart at a second header.
    case clockRestart = "clock-restart"
    /// The times of concatenated files are shifted, but a cue begins after its file ends.
    case lateInPart = "late-in-part"
    /// The captions roll up, so several cues repeat each line.
    case rollingCaptions = "rolling-captions"
    /// The format of a file contradicts its name.
    case otherFormat = "other-format"
    /// An unknown color was dropped.
    case unknownColor = "unknown-color"
    /// A cue begins before the movie. Its start was moved to the start of the movie.
    case startClamped = "start-clamped"
    /// A cue that ends before the movie begins was dropped.
    case droppedBeforeStart = "dropped-before-start"
    /// A cue ends after the movie. Its end was moved to the end of the movie.
    case trimmedAtEnd = "trimmed-at-end"
    /// A cue that begins at or after the movie's end was dropped.
    case droppedPastEnd = "dropped-past-end"
    /// Cues begin after the movie's end. At another frame rate, all cues would fit.
    case otherFrameRate = "other-frame-rate"
    /// A cue is shorter than a tick of the time scale. It was extended to one tick, or dropped if the next cue begins
    /// too soon.
    case tooShort = "too-short"
    /// The text of overlapping cues exceeds one sample, so some cues are missing.
    case overlapTooLong = "overlap-too-long"
    /// A caption was dropped: other captions leave no room for it, or it is shorter than a frame.
    case droppedCaption = "dropped-caption"
    /// A text longer than 65 535 bytes, or a row of captions longer than 32 characters, was cut.
    case textCut = "text-cut"
    /// The placement of a cue could not be preserved.
    case placementLost = "placement-lost"
    /// Some players count UTF-16 units. They apply the styles of this cue to the wrong characters.
    case ambiguousStyleOffsets = "ambiguous-style-offsets"
    /// Captions are transmitted or appear later than requested, because the transmission of earlier captions takes
    /// time.
    case delayedCaptions = "delayed-captions"
    /// A cue with too many rows for a caption was divided into several cues.
    case dividedCue = "divided-cue"
    /// Characters that CEA-608 lacks were replaced.
    case foldedCharacters = "folded-characters"
    /// Bytes of captions have even parity, or packets have no valid checksum. The bytes were used nevertheless.
    case uncheckedBytes = "unchecked-bytes"
    /// Caption codes that have no effect were ignored.
    case ignoredCode = "ignored-code"
    /// A packet of captions is damaged.
    case damagedPacket = "damaged-packet"
    /// The file contains further caption services that were not read.
    case otherServices = "other-services"
    /// A sample of a text track is damaged. The readable text and styles were kept.
    case damagedSample = "damaged-sample"
    /// A sample of a text track has text, but no duration.
    case sampleNeverShown = "sample-never-shown"
    /// Further notices were not stored.
    case furtherNotices = "further-notices"
  }

  /// The effect of a notice on the contents of a file.
  public enum Effect: String, Hashable, Sendable, CaseIterable {
    /// The contents were repaired, or were not interpreted literally.
    case repaired
    /// The text or the duration of the cue was shortened.
    case cut
    /// Text is not shown.
    case dropped
    /// The text is shown without a style or placement, because the target format does not support it or a setting is
    /// invalid.
    case inexpressible
  }

  /// The line in the file, from 1, or 0 if the notice concerns no particular line.
  public var line: Int
  /// The kind of the notice.
  public var kind: Kind
  /// The subject of the notice, such as a tag or property. Notices with equal kinds and subjects are merged.
  public var subject: String
  /// The message, with names and numbers.
  public var message: String
  /// The complete text that is not shown, or `nil` if no text is lost.
  public var lostText: String?
  /// The numbers of notices that were not stored, by their effect on cues. Only a ``Kind/furtherNotices`` notice has
  /// such numbers. The dictionary is empty for other kinds.
  public var furtherCounts: [Effect: Int] = [:]

  /// Creates a notice.
  public init(line: Int, kind: Kind, subject: String = "", message: String, lostText: String? = nil) {
    self.line = line
    self.kind = kind
    self.subject = subject
    self.message = message
    self.lostText = lostText
  }
}

extension SubtitleNotice.Kind {
  /// The effect on the contents of the file, or `nil` if the contents were read as written.
  public var effect: SubtitleNotice.Effect? {
    switch self {
    case .encodingGuessed, .encodingMarked, .encodingDoubted, .otherFormat, .timestampMap, .clockRestart, .lateInPart,
      .rollingCaptions, .otherFrameRate, .ignoredCode, .otherServices:
      nil
    case .strippedCharacters, .replacedCharacters, .unusualTime, .timesAsText, .textBesideTimes, .blankLineInCue,
      .missingBlankLine, .substationEscape, .tagAsText, .strayTag, .unclosedTag, .approximatedPlacement, .tooShort,
      .repeatedCue, .endMoved, .unusualNumber, .spacedLines, .delayedCaptions, .dividedCue, .uncheckedBytes:
      .repaired
    case .startClamped, .trimmedAtEnd, .overlapTooLong, .textCut, .damagedSample:
      .cut
    case .textOutsideCue, .unreadableTiming, .endNotAfterStart, .emptyCue, .droppedBeforeStart, .droppedPastEnd,
      .droppedCaption, .sampleNeverShown, .damagedPacket, .furtherNotices:
      .dropped
    case .ignoredSetting, .droppedDrawing, .lateDefinition, .droppedOverride, .unknownTag, .inexpressibleStyle,
      .ignoredStyleRule, .unknownColor, .placementLost, .ambiguousStyleOffsets, .foldedCharacters:
      .inexpressible
    }
  }
}

extension SubtitleNotice {
  /// Returns the number of notices with an effect on cues that this notice represents. The number is 0 or 1, or higher
  /// if this notice is a summary. Notices about packets and pairs of captions are not counted.
  public func count(_ effect: Effect) -> Int {
    if kind == .furtherNotices { return furtherCounts[effect] ?? 0 }
    return Self.effectOnCues(kind, subject) == effect ? 1 : 0
  }

  /// Returns the effect of a notice on cues, or `nil` if the notice concerns packets or pairs of captions.
  fileprivate static func effectOnCues(_ kind: Kind, _ subject: String) -> Effect? {
    kind == .damagedPacket || subject == pairsSubject ? nil : kind.effect
  }
}

extension SubtitleNotice {
  /// The subject of a notice about lost pairs of captions, which need not contain a whole cue.
  package static let pairsSubject = "pairs"
  /// The subject of a notice about the width of a WebVTT cue.
  static let widthSubject = "size"
  /// The subject of a notice about the negative line number of a WebVTT cue.
  static let rowSubject = "line"

  /// Whether the notice also applies if the cues become captions. Captions wrap at 32 characters regardless of a cue's
  /// width, and negative line numbers select their rows.
  package var appliesToCaptions: Bool {
    switch (kind, subject) {
    case (.placementLost, Self.widthSubject), (.approximatedPlacement, Self.rowSubject): false
    default: true
    }
  }
}

extension SubtitleNotice: CustomStringConvertible {
  /// The line and the message, such as `line 12: override {\an8} was dropped`.
  public var description: String { line > 0 ? "line \(line): \(message)" : message }
}

extension SubtitleNotice {
  /// Summarizes notices for the user. Notices with equal kinds and subjects become one line. The line contains the
  /// first message, and the number and lines of the further notices.
  ///
  /// For example, `line 12: a cue without text was dropped (and 2 more like it: lines 40, 41)`.
  public static func summary(of notices: [SubtitleNotice]) -> [String] {
    struct Likeness: Hashable {
      let kind: Kind
      let subject: String
    }
    var likenesses: [Likeness] = []
    var groups: [Likeness: [SubtitleNotice]] = [:]
    for notice in notices {
      let likeness = Likeness(kind: notice.kind, subject: notice.subject)
      if groups[likeness] == nil { likenesses.append(likeness) }
      groups[likeness, default: []].append(notice)
    }
    return likenesses.compactMap { likeness in
      guard let group = groups[likeness], let first = group.first else { return nil }
      let others = group.dropFirst()
      guard !others.isEmpty else { return first.description }
      let named = others.map(\.line).filter { $0 > 0 }.prefix(10).map(String.init).joined(separator: ", ")
      let noun = others.count == 1 ? "line" : "lines"
      let lines = named.isEmpty ? "" : ": \(noun) \(named)" + (others.count > 10 ? ", …" : "")
      return "\(first) (and \(others.count) more like it\(lines))"
    }
  }
}

/// Collects notices, up to the maximum number.
package struct NoticeList {
  private let limit: Int
  private var storedNotices: [SubtitleNotice] = []
  /// The number of notices that were not stored. `furtherCounts` contains their numbers by effect.
  private var furtherCount = 0
  private var furtherCounts: [SubtitleNotice.Effect: Int] = [:]

  /// Creates a list that begins with earlier notices.
  package init(_ limits: SubtitleLimits, _ first: [SubtitleNotice] = []) {
    limit = limits.noticeCount
    storedNotices = first
  }

  package mutating func add(
    _ kind: SubtitleNotice.Kind, _ subject: String = "", line: Int, lostText: String? = nil,
    _ message: @autoclosure () -> String
  ) {
    if storedNotices.count < limit {
      storedNotices.append(
        SubtitleNotice(line: line, kind: kind, subject: subject, message: message(), lostText: lostText))
    } else {
      furtherCount += 1
      if let effect = SubtitleNotice.effectOnCues(kind, subject) { furtherCounts[effect, default: 0] += 1 }
    }
  }

  /// Adds the notices of another list.
  package mutating func append(_ other: NoticeList) {
    for notice in other.storedNotices {
      add(notice.kind, notice.subject, line: notice.line, lostText: notice.lostText, notice.message)
    }
    furtherCount += other.furtherCount
    furtherCounts.merge(other.furtherCounts, uniquingKeysWith: +)
  }

  /// The notices sorted by line, followed by a summary of the notices that were not stored.
  package var finished: [SubtitleNotice] {
    let ordered = storedNotices.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
    guard furtherCount > 0 else { return ordered.map(\.element) }
    var last = SubtitleNotice(line: 0, kind: .furtherNotices, message: "\(furtherCount) more notices are not shown")
    last.furtherCounts = furtherCounts
    return ordered.map(\.element) + [last]
  }
}
