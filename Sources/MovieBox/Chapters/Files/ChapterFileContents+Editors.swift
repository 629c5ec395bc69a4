// Chapter lists from editing programs: CUE sheets, Audacity, DaVinci Resolve, Premiere.
//
// All markers of Resolve and Premiere are read before they become chapters. Their frame rate and the start of their
// timeline are guessed from all markers together.

import Subtitles

extension ChapterFileContents {
  // MARK: - CUE sheets

  /// Reads a CUE sheet. Each track is a chapter that begins at its index 01. Times count 75 frames per second.
  mutating func readCUE(_ utf8: [UInt8]) throws(SubtitleError) {
    var track: (line: Int, title: String?, start: Int64?)?
    var (fileCount, hasTrack): (Int, Bool) = (0, false)
    var album: String?
    var performers: [(line: Int, text: String)] = []
    func finish(_ contents: inout ChapterFileContents) throws(SubtitleError) {
      guard let ended = track else { return }
      guard let start = ended.start else {
        return contents.note("unreadable-chapter", line: ended.line, "omitted: the track has no INDEX 01 MM:SS:FF")
      }
      try contents.add(
        Chapter(startMilliseconds: start, titles: ended.title.map { [.init($0)] } ?? []), line: ended.line)
    }
    for line in NumberedLines(utf8) where !line.text.isEmpty {
      let (command, value) = Self.command(line.text)
      switch command {
      case "FILE":
        fileCount += 1
      case "TRACK":
        try finish(&self)
        guard fileCount < 2 else {
          throw SubtitleError(
            .chapterFormat, line: line.number,
            "the CUE sheet describes several files, each with times from 0; make a list for each file")
        }
        (track, hasTrack) = ((line.number, nil, nil), true)
      case "TITLE" where hasTrack: track?.title = Self.unquoted(value)
      case "PERFORMER" where !hasTrack: album = Self.unquoted(value)
      case "PERFORMER" where Self.unquoted(value) != album:
        performers.append((line.number, Self.unquoted(value)))
      case "INDEX" where hasTrack:
        let parts = value.split(separator: " ")
        guard parts.count == 2, let number = Int(digits: parts[0]), let start = Self.cueTime(parts[1]) else {
          note("unreadable-chapter", line: line.number, "omitted: \(value) is not an index such as 01 04:31:74")
          continue
        }
        if number == 1 { track?.start = start }
      default: break
      }
    }
    try finish(&self)
    if let first = performers.first {
      note(
        "performers-left-out", line: first.line, lostText: performers.map(\.text).joined(separator: "\n"),
        "the performers of \(performers.count == 1 ? "a track are" : "\(performers.count) tracks are") omitted: "
          + "chapters have only titles")
    }
  }

  private static func command(_ line: String) -> (name: String, value: String) {
    let name = line.prefix { !$0.isWhitespace }
    return (name.uppercased(), line[name.endIndex...].trimmed)
  }

  private static func unquoted(_ value: String) -> String {
    guard value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
    return String(value.dropFirst().dropLast())
  }

  private static func cueTime(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int64(digits: $0) }
    guard parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2],
      minutes < 1_000_000, seconds < 60, frames < 75
    else { return nil }
    return (minutes * 60 + seconds) * 1_000 + (frames * 1_000 + 37) / 75
  }

  // MARK: - Audacity

  /// Reads labels of Audacity. Each label consists of a start, an end and a title, separated by tabs. Times are in
  /// seconds.
  mutating func readAudacity(_ utf8: [UInt8]) throws(SubtitleError) {
    for line in NumberedLines(utf8) where !line.text.isEmpty {
      if line.text.hasPrefix("\\") { continue }  // The line declares the frequency range of the previous label.
      guard let (start, end, title) = Self.label(line.text) else {
        note(
          "unreadable-chapter", line: line.number,
          "omitted: the line is not a label of START, END and TITLE "
            + "separated by tabs")
        continue
      }
      try add(Chapter(startMilliseconds: start, endMilliseconds: end, titles: [.init(title)]), line: line.number)
    }
  }

  /// Parses a label of Audacity, or returns `nil` for other lines.
  static func label(_ line: String) -> (startMilliseconds: Int64, endMilliseconds: Int64, title: String)? {
    let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    func time(_ text: Substring) -> Int64? {
      guard let point = text.firstIndex(where: { $0 == "." || $0 == "," }) else { return nil }
      return ChapterTime.milliseconds(ofSeconds: text[..<point] + "." + text[text.index(after: point)...])
    }
    guard parts.count >= 2, let start = time(parts[0]), let end = time(parts[1]) else { return nil }
    return (start, end, parts.count == 3 ? parts[2].trimmed : "")
  }

  // MARK: - Markers on timelines

  private struct Marker {
    let line: Int
    let start: ChapterTimestamp
    var end: ChapterTimestamp?
    var frameCount: Int64?
    var name: String
    var comment = ""
  }

  /// Reads markers of DaVinci Resolve: events of an edit decision list, each followed by its name (`|M:`).
  mutating func readResolve(_ utf8: [UInt8], _ rate: ChapterFrameRate?) throws(SubtitleError) {
    var markers: [Marker] = []
    var event: (line: Int, start: ChapterTimestamp)?
    for line in NumberedLines(utf8) where !line.text.isEmpty {
      let words = line.text.split(separator: " ", maxSplits: 12)
      if words.count >= 8, Int(digits: words[0]) != nil {
        guard let start = Self.timecode(words[6]) else {
          throw SubtitleError(
            .chapterFormat, line: line.number, "\(words[6]) is not a timecode HH:MM:SS:FF of an edit decision list")
        }
        event = (line.number, start)
      } else if let name = line.text.firstRange(of: "|M:"), let (number, start) = event {
        let rest = line.text[name.upperBound...]
        let title = rest.prefix { $0 != "|" }
        var marker = Marker(line: number, start: start, name: title.trimmed)
        if let length = rest.firstRange(of: "|D:") {
          marker.frameCount = Int64(digits: rest[length.upperBound...].prefix { $0.isNumber })
        }
        marker.comment = line.text.prefix { $0 != "|" }.trimmed
        markers.append(marker)
        event = nil
      }
    }
    guard !markers.isEmpty else {
      throw SubtitleError(
        .noChapters, line: 1, "the edit decision list has no markers (|M:NAME); export the markers of the timeline")
    }
    try add(markers, rate)
  }

  private static func timecode(_ text: some StringProtocol) -> ChapterTimestamp? {
    let scalars = Array(text.unicodeScalars)
    // In drop-frame timecodes, Premiere separates all numbers with semicolons.
    let isDropFrame = scalars.contains(";")
    var parts = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      let isLast = !scalars[(index + 1)...].contains { $0 == ";" || $0 == ":" }
      parts.append(scalar == ";" || scalar == ":" ? isLast && isDropFrame ? ";" : ":" : scalar)
    }
    let time = ChapterTimestamp(Array(parts), at: 0)
    guard let time, time.range.count == scalars.count, scalars.count <= 16, time.frames != nil else { return nil }
    return time
  }

  /// Reads a table of markers from Premiere. Each row contains a name, a description, timecodes and a marker type.
  mutating func readPremiere(_ table: MarkerTable, _ rate: ChapterFrameRate?) throws(SubtitleError) {
    var (markers, otherMarkers): ([Marker], [Marker]) = ([], [])
    for row in table.rows {
      func field(_ column: Int?) -> String {
        guard let column, row.fields.indices.contains(column) else { return "" }
        return row.fields[column]
      }
      guard let start = Self.timecode(field(table.startColumn)) else {
        note(
          "unreadable-chapter", line: row.line, "omitted: \"\(field(table.startColumn))\" is not a timecode HH:MM:SS:FF"
        )
        continue
      }
      var marker = Marker(line: row.line, start: start, name: field(table.nameColumn))
      marker.end = Self.timecode(field(table.endColumn))
      marker.comment = field(table.commentColumn)
      if table.isChapter(row) { markers.append(marker) } else { otherMarkers.append(marker) }
    }
    // If some markers have the type for chapters, ignore all other markers. Otherwise, use all markers, because some
    // users mark chapters with markers of another type.
    if markers.isEmpty { (markers, otherMarkers) = (otherMarkers, []) }
    if let first = otherMarkers.first {
      note(
        "text-left-out", line: first.line,
        lostText: otherMarkers.map { "\($0.name) \($0.comment)".trimmed }.joined(separator: "\n"),
        (otherMarkers.count == 1
          ? "omitted: a marker is not a chapter marker: "
          : "omitted: \(otherMarkers.count) markers are not chapter markers: ")
          + "\"\(first.name.isEmpty ? first.comment : first.name)\"")
    }
    try add(markers, rate)
  }

  /// Adds markers with times relative to the start of their timeline.
  private mutating func add(_ markers: [Marker], _ rate: ChapterFrameRate?) throws(SubtitleError) {
    guard let first = markers.first else { return }
    let clock = FrameClock(markers.flatMap { [$0.start.frames, $0.end?.frames].compactMap(\.self) }, rate)
    if clock.isGuessed { note("frame-rate-guessed", line: first.line, clock.assumedRateMessage) }
    // A timeline often begins at 01:00:00:00, to leave room for a leader. So subtract the full hours before the first
    // marker from all times.
    let hours = (markers.map(\.start.milliseconds).min() ?? 0) / 3_600_000
    var base: ChapterTimestamp?
    if hours > 0 {
      base = ChapterTimestamp(Array("\(hours):00:00:00".unicodeScalars), at: 0)
      note(
        "timeline-start", line: first.line,
        "no timecode is before \(hours.padded(to: 2)):00:00:00: this time is used as the start of the movie")
    }
    for marker in markers {
      let start = clock.editorMilliseconds(marker.start, from: base)
      var end = marker.end.map { clock.editorMilliseconds($0, from: base) }
      if let count = marker.frameCount, count > 1 { end = start.addingClamped(clock.milliseconds(ofFrames: count)) }
      try add(
        Chapter(
          startMilliseconds: start, endMilliseconds: end,
          titles: [.init(marker.name.isEmpty ? marker.comment : marker.name)]),
        line: marker.line)
    }
    noteComments(markers.filter { !$0.name.isEmpty && !$0.comment.isEmpty }.map { ($0.line, $0.comment) })
  }

  private mutating func noteComments(_ comments: [(line: Int, text: String)]) {
    guard let first = comments.first else { return }
    note(
      "text-left-out", line: first.line, lostText: comments.map(\.text).joined(separator: "\n"),
      "the comments of \(comments.count == 1 ? "a marker are" : "\(comments.count) markers are") omitted, such as "
        + "\"\(first.text.prefix(100))\": chapters have only titles")
  }

  /// Reads the markers of a sequence in the XML format of Final Cut Pro 7. Premiere exports this format.
  mutating func readXMEML(_ root: XMLElement) throws(SubtitleError) {
    let sequences = root.descendants(named: "sequence").filter { $0.first("marker") != nil }
    guard let sequence = sequences.first else {
      throw SubtitleError(.noChapters, line: root.line, "the <xmeml> has no sequence with markers")
    }
    if let other = sequences.dropFirst().first {
      note("further-editions", line: other.line, "the markers of \(sequences.count - 1) more sequences are omitted")
    }
    guard let base = sequence.first("rate")?.first("timebase").flatMap({ UInt64(digits: $0.text.trimmed) }),
      (1...1_000).contains(base)
    else {
      throw SubtitleError(
        .chapterFormat, line: sequence.line, "the <sequence> has no <rate> with a <timebase> in frames per second")
    }
    let isNTSC = sequence.first("rate")?.first("ntsc")?.text.trimmed.uppercased() == "TRUE"
    func time(_ element: XMLElement?) -> Int64? {
      element.flatMap { Int64($0.text.trimmed) }.flatMap { frames in
        frames < 0
          ? nil : ChapterTime.milliseconds(ticks: frames, isNTSC ? 1_001 : 1, over: isNTSC ? base * 1_000 : base)
      }
    }
    var comments: [(line: Int, text: String)] = []
    for marker in sequence.all("marker") {
      guard let start = time(marker.first("in")) else {
        note("unreadable-chapter", line: marker.line, "omitted: the marker has no <in> with a number of frames")
        continue
      }
      let (name, comment) = (marker.first("name")?.text.trimmed ?? "", marker.first("comment")?.text.trimmed ?? "")
      try add(
        Chapter(
          startMilliseconds: start, endMilliseconds: time(marker.first("out")),
          titles: [.init(name.isEmpty ? comment : name)]),
        line: marker.line)
      if !name.isEmpty, !comment.isEmpty { comments.append((marker.line, comment)) }
    }
    noteComments(comments)
  }
}

extension XMLElement {
  /// Returns all descendant elements with a name, in document order.
  func descendants(named name: String) -> [XMLElement] {
    var (matches, pendingElements): ([XMLElement], [XMLElement]) = ([], [self])
    while let element = pendingElements.popLast() {
      if element.name == name { matches.append(element) }
      pendingElements += element.children.reversed()
    }
    return matches
  }
}
