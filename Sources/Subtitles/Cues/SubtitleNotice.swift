/// Something about subtitles that was repaired, dropped or cannot be expressed.
public struct SubtitleNotice: Hashable, Sendable {
  /// The kind of a notice. The raw value is the name that `--json` shows.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The encoding was found out from the bytes; the message says which was taken and why.
    case encodingGuessed = "encoding-guessed"
    /// A byte order mark says another encoding than was asked for.
    case encodingMarked = "encoding-marked"
    /// The bytes say another encoding than was asked for, which was taken all the same.
    case encodingDoubted = "encoding-doubted"
    /// NULs or byte order marks inside the text were taken out.
    case strippedCharacters = "stripped-characters"
    /// Invalid characters became U+FFFD.
    case replacedCharacters = "replaced-characters"
    /// Text that belongs to no cue was dropped.
    case textOutsideCue = "text-outside-cue"
    /// A line that is meant as a timing line cannot be understood; its cue was dropped.
    case unreadableTiming = "unreadable-timing"
    /// A time was written oddly; the message says how it was understood.
    case unusualTime = "unusual-time"
    /// Something after the times (an alignment, say) was ignored.
    case ignoredSetting = "ignored-setting"
    /// Coordinates after the times were taken for the top or the bottom of the picture.
    case approximatedPlacement = "approximated-placement"
    /// A line that looks like times, but has no arrow of the format, was taken as text.
    case timesAsText = "times-as-text"
    /// Text beside the times was taken as part of the cue.
    case textBesideTimes = "text-beside-times"
    /// A cue that does not end after its start was dropped.
    case endNotAfterStart = "end-not-after-start"
    /// A cue that does not end after its start is shown until a later cue starts, for a second at most.
    case endMoved = "end-moved"
    /// A cue without text was dropped.
    case emptyCue = "empty-cue"
    /// A blank line was taken as part of a cue.
    case blankLineInCue = "blank-line-in-cue"
    /// A word, or a number in signs, before the times was taken for the cue's number.
    case unusualNumber = "unusual-number"
    /// Every line is followed by a blank one, which was left out.
    case spacedLines = "spaced-lines"
    /// A cue began without a blank line before it.
    case missingBlankLine = "missing-blank-line"
    /// An escape of SubStation Alpha, `\N` or `\h`, was taken as a line break or a no-break space.
    case substationEscape = "substation-escape"
    /// A picture in the drawing commands of SubStation Alpha was dropped.
    case droppedDrawing = "dropped-drawing"
    /// An override in braces, such as `{\fad(200,200)}`, was dropped.
    case droppedOverride = "dropped-override"
    /// A tag that is not known was dropped and the text in it kept.
    case unknownTag = "unknown-tag"
    /// An unknown tag was kept as text.
    case tagAsText = "tag-as-text"
    /// A closing tag without its opening tag was dropped.
    case strayTag = "stray-tag"
    /// A tag was closed at the end of its cue.
    case unclosedTag = "unclosed-tag"
    /// A style that subtitles of a movie cannot have (struck out, a font's name or size) was dropped.
    case inexpressibleStyle = "inexpressible-style"
    /// A rule or property of a style sheet was ignored.
    case ignoredStyleRule = "ignored-style-rule"
    /// A style sheet or region after the first cue was ignored.
    case lateDefinition = "late-definition"
    /// A cue that stands in several segments, or in a file more than once, was taken once.
    case repeatedCue = "repeated-cue"
    /// Times lie otherwise on the clock of a transport stream than in the file.
    case timestampMap = "timestamp-map"
    /// The clock starts again at a header inside a file.
    case clockRestart = "clock-restart"
    /// A cue of a part begins after the duration of the parts.
    case lateInPart = "late-in-part"
    /// Captions roll up, so that lines stand in several cues.
    case rollingCaptions = "rolling-captions"
    /// A file is of another format than its name says.
    case otherFormat = "other-format"
    /// A colour that cannot be understood was dropped.
    case unknownColor = "unknown-color"
    /// A cue that begins before the movie was cut to begin with it.
    case startClamped = "start-clamped"
    /// A cue that ends before the movie begins was dropped.
    case droppedBeforeStart = "dropped-before-start"
    /// A cue that ends after the movie was cut to end with it.
    case trimmedAtEnd = "trimmed-at-end"
    /// A cue that begins at or after the movie's end was dropped.
    case droppedPastEnd = "dropped-past-end"
    /// Cues begin after the movie's end, and all lie inside if times of another frame rate are scaled.
    case otherFrameRate = "other-frame-rate"
    /// A cue too short for the time scale was made a tick long, or dropped where there is no room.
    case tooShort = "too-short"
    /// The text of overlapping cues does not fit one sample; some cues are missing in it.
    case overlapTooLong = "overlap-too-long"
    /// A text longer than 65 535 bytes was cut.
    case textCut = "text-cut"
    /// A cue could not stand where it belongs.
    case placementLost = "placement-lost"
    /// Players that count UTF-16 units style other characters of this cue than is meant.
    case ambiguousStyleOffsets = "ambiguous-style-offsets"
    /// A sample of a text track is damaged; what can be read of it was kept.
    case damagedSample = "damaged-sample"
    /// A sample of a text track has a text and no time to be shown in.
    case sampleNeverShown = "sample-never-shown"
    /// More notices than are kept.
    case furtherNotices = "further-notices"
  }

  /// The effect on the contents of the file.
  public enum Effect: String, Hashable, Sendable, CaseIterable {
    /// The contents were read in another way than they are written.
    case repaired
    /// The cue is shown, but with part of its text or for part of its time.
    case cut
    /// Text of it is not shown.
    case dropped
    /// Its text is shown, but not as it should look: the other format has no word for it, or a setting is not valid.
    case inexpressible
  }

  /// The line of the file, from 1; 0 where none applies.
  public var line: Int
  /// The kind of the notice.
  public var kind: Kind
  /// Distinguishes notices of the same kind: the tag, the override, the property. Those of the same kind and subject
  /// are merged.
  public var subject: String
  /// The notice in words, with names and numbers.
  public var message: String
  /// The text that the movie does not show because of it, whole; `nil` where none is lost.
  public var lostText: String?
  /// Of ``Kind/furtherNotices``, how many were not kept, by what they are about; else empty.
  public var furtherCounts: [Effect: Int] = [:]

  /// A notice about `line`.
  public init(line: Int, kind: Kind, subject: String = "", message: String, lostText: String? = nil) {
    self.line = line
    self.kind = kind
    self.subject = subject
    self.message = message
    self.lostText = lostText
  }
}

extension SubtitleNotice.Kind {
  /// The effect on the contents of the file, or `nil` if they were read as written.
  public var effect: SubtitleNotice.Effect? {
    switch self {
    case .encodingGuessed, .encodingMarked, .encodingDoubted, .otherFormat, .timestampMap, .clockRestart, .lateInPart,
      .rollingCaptions, .otherFrameRate:
      nil
    case .strippedCharacters, .replacedCharacters, .unusualTime, .timesAsText, .textBesideTimes, .blankLineInCue,
      .missingBlankLine, .substationEscape, .tagAsText, .strayTag, .unclosedTag, .approximatedPlacement, .tooShort,
      .repeatedCue, .endMoved, .unusualNumber, .spacedLines:
      .repaired
    case .startClamped, .trimmedAtEnd, .overlapTooLong, .textCut, .damagedSample:
      .cut
    case .textOutsideCue, .unreadableTiming, .endNotAfterStart, .emptyCue, .droppedBeforeStart, .droppedPastEnd,
      .sampleNeverShown, .furtherNotices:
      .dropped
    case .ignoredSetting, .droppedDrawing, .lateDefinition, .droppedOverride, .unknownTag, .inexpressibleStyle,
      .ignoredStyleRule, .unknownColor, .placementLost, .ambiguousStyleOffsets:
      .inexpressible
    }
  }
}

extension SubtitleNotice {
  /// Returns the number of notices that this one represents: 1 or 0, or more for a summary of notices that were not
  /// kept.
  public func count(_ effect: Effect) -> Int {
    kind == .furtherNotices ? furtherCounts[effect] ?? 0 : kind.effect == effect ? 1 : 0
  }
}

extension SubtitleNotice: CustomStringConvertible {
  /// Line and message: `line 12: override {\an8} dropped`.
  public var description: String { line > 0 ? "line \(line): \(message)" : message }
}

extension SubtitleNotice {
  /// The notices for a person: one line for those that are alike, that of the first, with the number and lines of the
  /// others.
  ///
  /// `line 12: cue without text dropped (and 2 more like it: lines 40, 41)`.
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

/// Notices in the making, at most as many as the limits allow.
package struct NoticeList {
  private let limit: Int
  private var kept: [SubtitleNotice] = []
  /// The number of notices that were not kept, and their numbers by kind.
  private var furtherCount = 0
  private var furtherCounts: [SubtitleNotice.Effect: Int] = [:]

  /// A list that begins with notices made before.
  package init(_ limits: SubtitleLimits, _ first: [SubtitleNotice] = []) {
    limit = limits.noticeCount
    kept = first
  }

  package mutating func add(
    _ kind: SubtitleNotice.Kind, _ subject: String = "", line: Int, lostText: String? = nil,
    _ message: @autoclosure () -> String
  ) {
    if kept.count < limit {
      kept.append(SubtitleNotice(line: line, kind: kind, subject: subject, message: message(), lostText: lostText))
    } else {
      furtherCount += 1
      if let effect = kind.effect { furtherCounts[effect, default: 0] += 1 }
    }
  }

  /// The notices ordered by line, and a summary of the notices that were not kept.
  package var finished: [SubtitleNotice] {
    let ordered = kept.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
    guard furtherCount > 0 else { return ordered.map(\.element) }
    var last = SubtitleNotice(line: 0, kind: .furtherNotices, message: "\(furtherCount) more notices are not shown")
    last.furtherCounts = furtherCounts
    return ordered.map(\.element) + [last]
  }
}
