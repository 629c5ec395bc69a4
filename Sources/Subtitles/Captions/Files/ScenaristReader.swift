/// Reads Scenarist closed captions (`.scc`).
///
/// A line contains a time code and the pairs that are transmitted from this time on, one pair in each frame. A colon
/// before the frame number means that 29.97 frames a second are numbered without gaps. A semicolon, comma or point
/// means drop-frame numbers. If a line begins before all pairs of the previous line are sent, its pairs are sent after
/// them.
package enum ScenaristReader {
  private static let signature = "scenarist_scc"

  /// Whether a text begins with the signature of the format, regardless of case.
  package static func canRead(_ text: [UInt8]) -> Bool {
    var lines = CaptionLines(text)
    guard let first = lines.next() else { return false }
    return first.line.prefix(signature.utf8.count).map { $0 | 0x20 }.elementsEqual(signature.utf8.map { $0 | 0x20 })
  }

  /// Reads a text without decoding the captions.
  ///
  /// Throws an error with the line number if a time code is invalid or if a word does not have four hexadecimal digits.
  package static func read(_ text: [UInt8], notices: NoticeList) throws(SubtitleError) -> CaptionFile {
    try read(text, notices: notices, numbering: nil)
  }

  /// Reads a text with the requested numbering of time codes. By default, the separators in the time codes determine
  /// the numbering.
  static func read(
    _ text: [UInt8], notices: NoticeList, numbering requested: Timecode.Numbering?
  ) throws(SubtitleError) -> CaptionFile {
    var file = CaptionFile(numbering: requested ?? .nonDropFrame, notices: notices)
    var lastStart: Int64?
    var nextFrame: Int64 = 0
    var delays = (count: 0, longest: Int64(0), firstLine: 0)
    for (line, number) in CaptionLines(text).dropFirst() {
      guard let (code, isDropFrame, rest) = Timecode.parse(line) else {
        try file.dropLine(line, number, "does not begin with a time code")
        continue
      }
      if requested == nil, lastStart == nil { file.numbering = isDropFrame ? .dropFrame : .nonDropFrame }
      let numbering = file.numbering
      if let fault = code.fault(numbering) { throw SubtitleError(.malformed, line: number, "time code: \(fault)") }
      if requested == nil, isDropFrame != numbering.dropsFrames {
        file.notices.add(
          .unusualTime, "numbering", line: number,
          "the separator before the frame number differs from the separator of the first time code: it is read like that "
            + "separator"
        )
      }
      if code.isSkipped(numbering) {
        file.notices.add(
          .unusualTime, "skipped", line: number,
          "\(code.text(isDropFrame: true)) does not exist in drop-frame time codes: it is read as the next frame")
      }
      let start = numbering.frame(of: code, after: lastStart ?? 0)
      if let lastStart, start < lastStart {
        file.notices.add(
          .unusualTime, "back", line: number,
          "\(code.text(isDropFrame: isDropFrame)) is before the previous time code: its captions follow the previous captions"
        )
      } else if start < nextFrame {
        if delays.count == 0 { delays.firstLine = number }
        (delays.count, delays.longest) = (delays.count + 1, max(delays.longest, nextFrame - start))
      }
      lastStart = start
      nextFrame = max(nextFrame, start)
      try addWords(rest, number, &nextFrame, to: &file)
    }
    if delays.count > 0 {
      file.notices.add(
        .delayedCaptions, line: delays.firstLine,
        "\(counted(delays.count, "line")) \(delays.count == 1 ? "begins" : "begin") before the previous line is sent, and "
          + "\(delays.count == 1 ? "is" : "are") delayed by up to \(counted(Int(delays.longest), "frame")); this line is "
          + "the first")
    }
    return file
  }

  private static func addWords(
    _ text: ArraySlice<UInt8>, _ line: Int, _ frame: inout Int64, to file: inout CaptionFile
  ) throws(SubtitleError) {
    for word in text.split(whereSeparator: Ascii.isBlank) {
      var value: UInt16 = 0
      for byte in word.prefix(5) {
        guard let digit = byte.hexadecimalValue else {
          throw SubtitleError(.malformed, line: line, "\(excerpt(word)) is not a word of four hexadecimal digits")
        }
        value = value << 4 | UInt16(digit)
      }
      guard word.count == 4 else {
        throw SubtitleError(
          .malformed, line: line, "\(excerpt(word)) has \(counted(word.count, "digit")); a word has four")
      }
      let pair = CaptionPair(UInt8(value >> 8), UInt8(truncatingIfNeeded: value))
      file.fields[0].append(TimedCaptionPair(time: frame, pair, line: line))
      frame += 1
    }
  }
}

/// Writes pairs as Scenarist closed captions (`.scc`) with drop-frame time codes.
package enum ScenaristWriter {
  /// Writes the pairs of the first field. They must be in the order of their frames.
  ///
  /// Pairs in consecutive frames share a line. A command that changes the mode or the screen begins a new line, because
  /// ffmpeg gives all pairs of a line the time of the line. If several pairs share a frame, only the first one is
  /// written.
  package static func write(_ pairs: [TimedCaptionPair]) -> [UInt8] { write(pairs, .dropFrame) }

  /// Writes pairs with time codes of this numbering. `start` is the time code of frame 0, as a number of frames.
  static func write(_ pairs: [TimedCaptionPair], _ numbering: Timecode.Numbering, from start: Int64 = 0) -> [UInt8] {
    var bytes = Array("Scenarist_SCC V1.0\n".utf8)
    var last: (frame: Int64, pair: CaptionPair)?
    for timed in pairs {
      if let last, timed.time <= last.frame { continue }
      let beginsPart = timed.pair.changesModeOrScreen && !timed.pair.hasSameCodes(as: last?.pair)
      if beginsPart || last.map({ $0.frame + 1 == timed.time }) != true {
        let code = numbering.code(ofFrame: timed.time, from: start).text(isDropFrame: numbering.dropsFrames)
        bytes += Array((last == nil ? "\n" : "\n\n").utf8) + Array(code.utf8) + [Ascii.tab]
      } else {
        bytes.append(Ascii.space)
      }
      let pair = timed.pair.withOddParity
      bytes.appendHexadecimal(pair.first)
      bytes.appendHexadecimal(pair.second)
      last = (timed.time, timed.pair)
    }
    return bytes + [Ascii.lineFeed]
  }
}

extension [UInt8] {
  /// Appends a byte as two hexadecimal digits, in lower case unless `uppercase` is set.
  mutating func appendHexadecimal(_ byte: UInt8, uppercase: Bool = false) {
    for digit in [byte >> 4, byte & 0x0F] {
      append(digit < 10 ? digit + 0x30 : digit - 10 + (uppercase ? 0x41 : 0x61))
    }
  }
}
