/// What a WebVTT file says of its cues in its own words, for tracks that hold WebVTT: more than cues of all formats have.
public struct WebVTTSource: Hashable, Sendable {
  /// The words of one cue.
  public struct CueSource: Hashable, Sendable {
    /// The line before its times; empty where there is none.
    public var identifier: String
    /// What stands behind its times.
    public var settings: String
    /// Its text, with tags.
    public var text: String
    /// When it begins on the clock that times in its text are of, in milliseconds.
    public var startMilliseconds: Int64

    /// The words of a cue.
    public init(identifier: String = "", settings: String = "", text: String, startMilliseconds: Int64) {
      self.identifier = identifier
      self.settings = settings
      self.text = text
      self.startMilliseconds = startMilliseconds
    }
  }

  /// The first line, with what else the header says, and the blocks of styles and regions.
  public var header: String
  /// The cues, in the order of the file's.
  public var cues: [CueSource]

  /// A file of these words.
  public init(header: String, cues: [CueSource]) {
    self.header = header
    self.cues = cues
  }
}

extension WebVTTSource {
  /// What the words say and cues cannot: text above the line, times inside of cues and the like.
  package var inexpressibleNotices: [SubtitleNotice] {
    var notices = NoticeList(SubtitleLimits())
    for cue in cues {
      let settings = WebVTTCueSettings(Array(cue.settings.utf8))
      for reason in settings.inexpressible(in: nil) { notices.add(.placementLost, reason, line: 0, reason) }
      var parser = WebVTTCueText(Array(cue.text.utf8))
      parser.parse(&notices)
    }
    return notices.finished.filter { $0.kind.effect == .inexpressible }
  }

  /// Whether the words can stand in a file: none of them ends its block, or looks like the times of a cue.
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
