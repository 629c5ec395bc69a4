/// Splits a WebVTT file into blocks and assembles cues from them (WebVTT, clause 6.1).
///
/// The scan drops the blocks that browsers drop according to the specification. A notice reports each dropped block
/// with its text. The scan accepts some malformed times, as other readers do.
struct WebVTTScan {
  let text: [UInt8]
  let limits: SubtitleLimits
  private var lines: TextLines
  var cues: [Cue] = []
  var droppedCueCount = 0
  var notices: NoticeList
  private(set) var styleSheet = WebVTTStyleSheet()
  private(set) var regions: [String: WebVTTRegion] = [:]
  private(set) var clock = SegmentClock()
  /// The rule for interpreting fractions in the file, or `nil` until the scan needs it.
  private var fractions: FractionRule?
  /// The indices of cues that do not end after their start.
  private var cuesWithoutDuration: [Int] = []
  var source = WebVTTSource(header: "", cues: [])
  private(set) var language: String?
  /// The duration of each of the concatenated files in milliseconds, or `nil` if the times of later files are not
  /// shifted.
  let partMilliseconds: Int64?
  var segments: [Int] = []
  var segment = 0
  /// The line number of each header.
  var headerLines = [1]
  /// Whether the file contains comments (`NOTE`).
  private(set) var hasComments = false
  /// Whether a cue has been read. Style sheets and regions after the first cue are ignored.
  private var hasSeenCue = false

  init(text: [UInt8], limits: SubtitleLimits, notices: NoticeList, partMilliseconds: Int64? = nil) {
    self.text = text
    self.limits = limits
    self.notices = notices
    self.partMilliseconds = partMilliseconds
    lines = TextLines(unspacing: text)
  }

  typealias Line = TextLines.Line

  mutating func run() throws(SubtitleError) {
    guard WebVTTReader.isWebVTT(text), let first = lines.nextLine else { throw WebVTTReader.missingSignature }
    lines.advance(past: first)
    if lines.hasBlankLinesBetween {
      notices.add(
        .spacedLines, line: 2, "a blank line follows every line: these blank lines were ignored")
    }
    source.header = string(first) + "\n"
    var identifier = readHeader()
    while let line = lines.nextLine {
      if line.isEmpty, identifier == nil {
        lines.advance(past: line)
      } else if isHeader(line) {
        lines.advance(past: line)
        segment += 1
        headerLines.append(line.number)
        hasSeenCue = false
        identifier = readHeader()
      } else {
        try readBlock(identifier)
        identifier = nil
      }
    }
    cues.extendCuesWithoutDuration(at: cuesWithoutDuration, &notices)
    if segment > 0 {
      dropRepeatedCues()
      noteClock()
    }
  }

  var reasonForNoCues: String {
    let first = notices.finished.first.map { " (\($0))" } ?? ""
    return "no cues: no line like 00:01.000 --> 00:02.500 with text after it" + first
  }

  // MARK: - Header

  /// Whether the first line of a block is the signature of another concatenated file.
  private func isHeader(_ line: Line) -> Bool { WebVTTReader.isWebVTT(text[line.range]) && !containsArrow(line) }

  /// Reads the header up to a blank line. If a cue follows without a blank line, returns the line before the cue's
  /// times, because it is the cue's identifier.
  private mutating func readHeader() -> Line? {
    var ignoredLine: Line?  // A line that is not understood.
    while let line = lines.nextLine, !line.isEmpty {
      if containsArrow(line) {
        if !lines.hasBlankLinesBetween {
          notices.add(.missingBlankLine, line: line.number, "no blank line separates the header and this cue")
        }
        return ignoredLine
      }
      if let ignoredLine { noteLines(from: ignoredLine, to: ignoredLine, outsideCues: "the header") }
      ignoredLine = nil
      lines.advance(past: line)
      let value = text[line.range]
      if value.starts(with: TimestampMap.name.utf8) {
        clock.read(value, lineNumber: line.number, &notices)
      } else if !value.contains(UInt8(ascii: ":")), !value.contains(UInt8(ascii: "=")) {
        ignoredLine = line
      } else if segment == 0 {
        if let language = Self.language(value) { self.language = language }
        source.header += string(line) + "\n"
      }
    }
    if let ignoredLine { noteLines(from: ignoredLine, to: ignoredLine, outsideCues: "the header") }
    return nil
  }

  /// Returns the value of `Language: pt-BR`, or `nil` for other lines.
  private static func language(_ line: ArraySlice<UInt8>) -> String? {
    guard let colon = line.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }) else { return nil }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased().filter { $0 != " " }
    let value = line[(colon + 1)...].drop(while: Ascii.isBlank).prefix { !Ascii.isBlank($0) }
    return name == "language" && !value.isEmpty ? String(decoding: value, as: UTF8.self) : nil
  }

  // MARK: - Blocks

  /// Reads a cue, a comment, a style sheet or a region. A block ends at a blank line, or before the next line with
  /// times.
  private mutating func readBlock(_ before: Line?) throws(SubtitleError) {
    guard let first = before ?? lines.nextLine else { return }
    if before == nil {
      lines.advance(past: first)
      if containsArrow(first) { return try readCue(first, identifier: nil) }
    }
    if let second = lines.nextLine, containsArrow(second) {
      lines.advance(past: second)
      return try readCue(second, identifier: first)
    }
    let body = readBody()
    let last = body.last ?? first
    let name = text[first.range]
    if begins(name, with: "NOTE", isWholeLine: false) {
      hasComments = true  // Comments are for the authors of the file.
    } else if begins(name, with: "STYLE", isWholeLine: true) || begins(name, with: "REGION", isWholeLine: true) {
      readDefinition(isStyle: name.first == UInt8(ascii: "S"), body, first)
    } else {
      noteLines(from: first, to: last, outsideCues: "text outside cues")
    }
  }

  private mutating func readDefinition(isStyle: Bool, _ body: [Line], _ first: Line) {
    guard !hasSeenCue else {
      notices.add(
        .lateDefinition, line: first.number,
        "\(isStyle ? "STYLE" : "REGION") after the first cue was ignored, as in players")
      return
    }
    source.header += "\n\(string(first))\n\(String(decoding: joined(body), as: UTF8.self))\n"
    if isStyle {
      styleSheet.add(joined(body), line: first.number + 1, limits, &notices)
    } else if let region = WebVTTRegion(joined(body)) {
      if regions.count < limits.styleRuleCount { regions[region.identifier] = region }
      if !region.ignored.isEmpty {
        let list = region.ignored.joined(separator: " ")
        notices.add(.ignoredSetting, "REGION", line: first.number, "\(excerpt(list.utf8)) of the region was ignored")
      }
    } else {
      notices.add(.ignoredSetting, "id", line: first.number, "a region without an id was ignored")
    }
  }

  /// Reads the lines before a blank line or another block.
  private mutating func readBody() -> [Line] {
    var body: [Line] = []
    while let line = lines.nextLine, !line.isEmpty, !containsArrow(line) {
      if isHeader(line), isFollowedByHeader(line) { break }
      lines.advance(past: line)
      body.append(line)
    }
    return body
  }

  /// Whether a blank line or a timestamp map follows the line. Only then is the line a signature.
  private func isFollowedByHeader(_ line: Line) -> Bool {
    var rest = lines
    rest.advance(past: line)
    guard let next = rest.nextLine else { return false }
    return next.isEmpty || text[next.range].starts(with: TimestampMap.name.utf8)
  }

  private func containsArrow(_ line: Line) -> Bool {
    var dashes = 0
    for byte in text[line.range] {
      if byte == UInt8(ascii: ">"), dashes >= 2 { return true }
      dashes = byte == UInt8(ascii: "-") ? dashes + 1 : 0
    }
    return false
  }

  private func begins(_ line: ArraySlice<UInt8>, with name: String, isWholeLine: Bool) -> Bool {
    guard line.starts(with: name.utf8) else { return false }
    let rest = line.dropFirst(name.utf8.count)
    return isWholeLine ? rest.allSatisfy(Ascii.isBlank) : rest.first.map(Ascii.isBlank) ?? true
  }

  // MARK: - Cues

  private mutating func readCue(_ line: Line, identifier: Line?) throws(SubtitleError) {
    let body = readBody()
    hasSeenCue = true
    if let next = lines.nextLine, !next.isEmpty, !body.isEmpty, !lines.hasBlankLinesBetween {
      notices.add(.missingBlankLine, line: next.number, "no blank line precedes this line: the previous cue ends here")
    }
    guard let timing = readTiming(line) else {
      droppedCueCount += 1
      notices.add(
        .unreadableTiming, line: line.number, lostText: lostText([line] + body),
        "times \(excerpt(text[line.range])) are malformed: the cue was dropped"
          + (body.first.map { " with \(counted(body.count, "line")) of text: \(excerpt(text[$0.range]))" } ?? ""))
      return
    }
    if timing.isUnusual {
      notices.add(
        .unusualTime, line: line.number,
        "times \(excerpt(text[line.range])), which players drop, were read as "
          + "\(timeText(milliseconds: timing.startMilliseconds)) to \(timeText(milliseconds: timing.endMilliseconds))")
    }
    if let words = timing.text {
      notices.add(
        .textBesideTimes, line: line.number,
        "\(excerpt(text[words])) next to the times was read as the cue's "
          + "first line")
    }
    for line in body where SubRipTiming.looksLikeTiming(text, line.range) {
      notices.add(.timesAsText, line: line.number, "\(excerpt(text[line.range])) resembles times, but was read as text")
    }
    let payload = joined(body, after: timing.text.map { [text[$0]] } ?? [])
    var parser = WebVTTCueText(payload, styleSheet: styleSheet, line: line.number + 1)
    let styled = parser.parse(&notices)
    guard !styled.isEmpty else {
      droppedCueCount += 1
      notices.add(.emptyCue, line: line.number, "a cue without text was dropped")
      return
    }
    guard cues.count < limits.cueCount else {
      throw SubtitleError(.limit, line: line.number, "more than \(limits.cueCount) cues")
    }
    if timing.endMilliseconds <= timing.startMilliseconds { cuesWithoutDuration.append(cues.count) }
    let shift = partMilliseconds.map { segmentShift($0) } ?? clock.shiftInMilliseconds
    cues.append(
      Cue(
        startMilliseconds: timing.startMilliseconds + shift, endMilliseconds: timing.endMilliseconds + shift,
        text: styled,
        placement: readPlacement(timing.settings, line: line.number), line: line.number))
    segments.append(segment)
    source.cues.append(
      WebVTTSource.CueSource(
        identifier: identifier.map(string) ?? "", settings: String(decoding: text[timing.settings], as: UTF8.self),
        text: String(decoding: payload, as: UTF8.self), startMilliseconds: timing.startMilliseconds))
  }

  /// Parses the times of a line. Also accepts known deviations from the specification.
  private mutating func readTiming(_ line: Line) -> WebVTTTiming? {
    if let timing = WebVTTTiming(text, line.range) { return timing }
    let fractions = self.fractions ?? surveyFractions()
    self.fractions = fractions
    return WebVTTTiming(lenient: text, line.range, fractions)
  }

  /// Determines the rule for interpreting fractions from all times of the file.
  private func surveyFractions() -> FractionRule {
    var survey = FractionSurvey()
    var lines = TextLines(text)
    while let line = lines.nextLine {
      lines.advance(past: line)
      guard containsArrow(line), let timing = SubRipTiming(text, line.range) else { continue }
      survey.add(timing.startTime, timing.endTime, line: line.number)
    }
    return survey.rule
  }

  private mutating func readPlacement(_ range: Range<Int>, line: Int) -> Cue.Placement {
    guard !range.isEmpty else { return .standard }
    let settings = WebVTTCueSettings(text[range])
    if !settings.malformed.isEmpty {
      let list = settings.malformed.joined(separator: " ")
      notices.add(.ignoredSetting, line: line, "the malformed setting \(excerpt(list.utf8)) was ignored")
    }
    let region = settings.region.flatMap { regions[$0] }
    if let name = settings.region, region == nil {
      notices.add(
        .ignoredSetting, "region", line: line,
        "the region setting was ignored, because the file has no region \(excerpt(name.utf8))")
    }
    if let lost = settings.inexpressible { notices.add(.placementLost, lost.name, line: line, lost.effect) }
    let placement = settings.placement(in: region)
    if settings.isApproximated(in: region) {
      notices.add(
        .approximatedPlacement, settings.captionRow == nil ? "" : SubtitleNotice.rowSubject, line: line,
        "\(excerpt(text[range].drop(while: Ascii.isBlank))) was read as \(placement.vertical.description)")
    }
    return placement
  }

  // MARK: - Text

  private func string(_ line: Line) -> String { String(decoding: text[line.range], as: UTF8.self) }

  private func joined(_ body: [Line], after first: [ArraySlice<UInt8>] = []) -> [UInt8] {
    Array((first + body.map { text[$0.range] }).joined(separator: [Ascii.lineFeed]))
  }

  private func lostText(_ body: [Line]) -> String? {
    body.isEmpty ? nil : String(decoding: joined(body), as: UTF8.self)
  }

  private mutating func noteLines(from first: Line, to last: Line, outsideCues location: String) {
    let all = text[first.range.lowerBound..<last.range.upperBound]
    notices.add(
      .textOutsideCue, line: first.number, lostText: String(decoding: all, as: UTF8.self),
      "dropped \(counted(last.number - first.number + 1, "line")) of \(location): \(excerpt(text[first.range]))")
  }
}
