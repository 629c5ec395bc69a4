extension WebVTTSource {
  /// What the text says and cues cannot: text above the line, times inside of cues and the like.
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
