import Subtitles

// Chapter formats that consist of lines of text.
extension ChapterFileContents {
  /// Reads WebVTT with a chapter in each cue.
  mutating func readWebVTT(_ bytes: [UInt8], _ limits: SubtitleLimits) throws(SubtitleError) {
    let file = try SubtitleFile.read(bytes, named: nil, limits: limits)
    notices += file.notices.prefix(100).map { .init($0.kind.rawValue, line: $0.line > 0 ? $0.line : nil, $0.message) }
    var ends: [Int64] = []
    for cue in file.cues {
      // A cue that begins before the end of an earlier cue is a nested chapter.
      ends.removeAll { $0 <= cue.startMilliseconds }
      ends = ends.suffix(XMLReader.maximumDepth)
      try add(
        Chapter(
          startMilliseconds: Swift.max(0, cue.startMilliseconds), endMilliseconds: cue.endMilliseconds,
          titles: [.init(cue.text.text)]),
        depth: ends.count(where: { $0 >= cue.endMilliseconds }), line: cue.line > 0 ? cue.line : nil)
      ends.append(cue.endMilliseconds)
    }
  }

  /// Reads the text format of OGM tools. The line with a chapter's name may precede the line with its time. Chapter
  /// numbers may have any number of digits.
  mutating func readOGM(_ utf8: [UInt8]) throws(SubtitleError) {
    var starts: [(number: String, milliseconds: Int64, line: Int)] = []
    var names: [String: String] = [:]
    for line in NumberedLines(utf8) where !line.text.isEmpty && !line.text.hasPrefix("#") {
      guard let equals = line.text.firstIndex(of: "="), line.text.uppercased().hasPrefix("CHAPTER") else {
        note(
          "unreadable-chapter", line: line.number,
          "omitted: the line is neither CHAPTERnn=TIME nor "
            + "CHAPTERnnNAME=TITLE")
        continue
      }
      let key = line.text[..<equals].dropFirst(7).trimmed.uppercased()
      let value = line.text[line.text.index(after: equals)...].trimmed
      let number = String(key.prefix { $0.isNumber })
      switch key.dropFirst(number.count) {
      case "NAME" where !number.isEmpty: names[number] = value
      case "" where !number.isEmpty:
        if let time = ChapterTime.milliseconds(value) {
          starts.append((number, time, line.number))
        } else {
          note("unreadable-chapter", line: line.number, "omitted: \(value) is not a time HH:MM:SS.mmm")
        }
      default:
        note(
          "unreadable-chapter", line: line.number,
          "omitted: the line is neither CHAPTERnn=TIME nor "
            + "CHAPTERnnNAME=TITLE")
      }
    }
    for start in starts {
      try add(
        Chapter(
          startMilliseconds: start.milliseconds, titles: names[start.number].map { [.init($0)] } ?? []),
        line: start.line)
    }
  }

  /// Reads the chapter sections of ffmpeg's metadata. The files of audiobookshelf have the same syntax, but their times
  /// are in seconds.
  mutating func readFFmetadata(_ utf8: [UInt8], isInSeconds: Bool = false) throws(SubtitleError) {
    var section: FFmetadataSection?
    for (line, text) in FFmetadataLines(utf8) {
      if text.hasPrefix("[") {
        try addSection(section)
        section = text.uppercased().hasPrefix("[CHAPTER]") ? FFmetadataSection(line: line) : nil
        continue
      }
      guard section != nil, let (key, value) = FFmetadataLines.pair(text) else { continue }
      switch key.uppercased() {
      case "TIMEBASE":
        let parts = value.split(separator: "/").map { UInt64($0.trimmed) }
        if parts.count == 2, let numerator = parts[0], let denominator = parts[1], denominator > 0 {
          section?.timeBase = (numerator, denominator)
        } else {
          note(
            "unreadable-chapter", line: line,
            "TIMEBASE \(value) is not a fraction such as 1/1000: "
              + "1/1000000000 is used")
        }
      case "START" where isInSeconds: section?.setMilliseconds(\.start, ofSeconds: value)
      case "END" where isInSeconds: section?.setMilliseconds(\.end, ofSeconds: value)
      case "START": section?.start = Int64(value.trimmed)
      case "END": section?.end = Int64(value.trimmed)
      case "TITLE": section?.title = value
      default: break
      }
    }
    try addSection(section)
  }

  private mutating func addSection(_ section: FFmetadataSection?) throws(SubtitleError) {
    guard let section else { return }
    func time(_ ticks: Int64?) -> Int64? {
      ticks.flatMap { ChapterTime.milliseconds(ticks: $0, section.timeBase.0, over: section.timeBase.1) }
    }
    guard let start = time(section.start) else {
      return note("unreadable-chapter", line: section.line, "omitted: the chapter has no START with a time")
    }
    try add(
      Chapter(
        startMilliseconds: start, endMilliseconds: time(section.end), titles: section.title.map { [.init($0)] } ?? []),
      at: "the chapter", line: section.line)
  }
}

/// A chapter section of ffmpeg's metadata.
private struct FFmetadataSection {
  let line: Int
  /// The time base. ffmpeg assumes nanoseconds if a file declares none.
  var timeBase: (numerator: UInt64, denominator: UInt64) = (1, 1_000_000_000)
  var start: Int64?
  var end: Int64?
  var title: String?

  /// Sets a time given in seconds.
  mutating func setMilliseconds(_ time: WritableKeyPath<FFmetadataSection, Int64?>, ofSeconds text: String) {
    timeBase = (1, 1_000)
    self[keyPath: time] = ChapterTime.milliseconds(ofSeconds: text.trimmed)
  }
}

/// The lines of ffmpeg's metadata, without comments. A line that ends with a backslash continues on the next line.
private struct FFmetadataLines: Sequence, IteratorProtocol {
  private let utf8: [UInt8]
  private var position = 0
  private var number = 1

  init(_ utf8: [UInt8]) {
    self.utf8 = utf8
  }

  mutating func next() -> (line: Int, text: String)? {
    while position < utf8.count {
      let (start, line) = (position, number)
      while position < utf8.count, utf8[position] != Ascii.lineFeed {
        if utf8[position] == UInt8(ascii: "\\"), position + 1 < utf8.count {
          position += 1
          if utf8[position] == Ascii.carriageReturn, position + 1 < utf8.count, utf8[position + 1] == Ascii.lineFeed {
            position += 1
          }
          if utf8[position] == Ascii.lineFeed { number += 1 }
        }
        position += 1
      }
      var text = utf8[start..<Swift.min(position, utf8.count)]
      if text.last == Ascii.carriageReturn { text.removeLast() }
      position += 1
      number += 1
      guard let first = text.first, first != UInt8(ascii: ";"), first != UInt8(ascii: "#") else { continue }
      return (line, String(decoding: text, as: UTF8.self))
    }
    return nil
  }

  /// Splits a line at the first unescaped `=` and removes the backslashes.
  static func pair(_ text: String) -> (key: String, value: String)? {
    var parts = [String.UnicodeScalarView(), String.UnicodeScalarView()]
    var part = 0
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        parts[part].append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "=", part == 0 {
        part = 1
      } else {
        parts[part].append(scalar)
      }
    }
    return part == 1 ? (String(parts[0]), String(parts[1])) : nil
  }
}
