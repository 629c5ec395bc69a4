/// The byte pairs of a caption file (SCC or MCC), in both fields of line 21.
package struct CaptionFile {
  /// The byte pairs of the two fields, in order of their times.
  package var fields: [[TimedCaptionPair]] = [[], []]
  /// The numbering of the file's time codes.
  var numbering: Timecode.Numbering
  /// The numbers of the CEA-708 services in the file. These services are not decoded.
  package var digitalServices: [Int] = []
  /// Notices about the file's contents.
  var notices: NoticeList
  /// The number of damaged packets that were skipped, and the error in the first damaged packet.
  var damagedPackets = (count: 0, first: SubtitleError?.none)
  /// The maximum distance of a repeated control code from the first code, in frames that can contain the field. In MCC
  /// files, it is above 1, because some packets contain no pair.
  var repetitionFrames: Int64 = 1

  /// Drops a line that does not begin with a time code, with a notice. Throws if the line begins with a digit, because
  /// its time code is then damaged. `description` ends the notice's sentence about the line.
  mutating func dropLine(_ line: ArraySlice<UInt8>, _ number: Int, _ description: String) throws(SubtitleError) {
    guard line.first.map(Ascii.isDigit) != true else {
      throw SubtitleError(
        .malformed, line: number, "\(excerpt(line)) does not begin with a time code such as 01:00:00:00")
    }
    notices.add(
      .textOutsideCue, line: number, lostText: String(decoding: line, as: UTF8.self),
      "\(excerpt(line)) \(description): it was dropped")
  }

  /// The cues of a channel.
  package struct Text {
    package var channel: CaptionChannel
    package var cues: [Cue]
    package var droppedCueCount: Int
    package var notices: NoticeList
  }

  /// Decodes a channel, by default the first channel that shows captions.
  ///
  /// Throws if the channel shows nothing or exceeds `limits`.
  package func text(
    of channel: CaptionChannel? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> Text {
    var notices = notices
    let decoded = try DecodedCaptions(
      fields, unitsPerFrame: numbering.rate.pairDistance, repetitionFrames: repetitionFrames, limits: limits)
    for finding in decoded.findings(of: channel) {
      notices.add(finding.kind, finding.subject, line: finding.line, finding.message)
    }
    guard let chosen = decoded.channel(channel) else {
      if let channel, !decoded.serviceNames.isEmpty {
        throw SubtitleError(
          .noCues,
          "\(channel.rawValue) shows no captions; the file contains \(decoded.serviceNames.joined(separator: ", "))")
      }
      throw noCuesError(decoded)
    }
    if channel == nil, let notice = decoded.noticeAboutServices(except: chosen, of: "the file") {
      notices.add(notice.kind, line: 0, notice.message)
    }
    let cues = decoded.screens(of: chosen).cues(numbering.rate, &notices)
    let shown = cues.filter { $0.endMilliseconds > $0.startMilliseconds }
    for cue in cues where cue.endMilliseconds == cue.startMilliseconds {
      notices.add(.endNotAfterStart, line: cue.line, lostText: cue.text.text, "\(cue.text.excerpt) is never shown")
    }
    guard !shown.isEmpty else { throw noCuesError(decoded) }
    return Text(channel: chosen, cues: shown, droppedCueCount: cues.count - shown.count, notices: notices)
  }

  /// Returns the error for a file that shows nothing. If packets were skipped, the error contains the line and the
  /// damage of the first of these packets.
  private func noCuesError(_ decoded: DecodedCaptions) -> SubtitleError {
    let reason = decoded.reasonForNoCues(digitalServices, of: "the file")
    guard let first = damagedPackets.first else { return SubtitleError(.noCues, reason) }
    return SubtitleError(
      .noCues, line: first.line,
      "\(reason); \(counted(damagedPackets.count, "packet")) \(damagedPackets.count == 1 ? "was" : "were") skipped: "
        + "\(first.reason) (this line contains the first)")
  }
}

/// The lines of a text that are not blank.
struct CaptionLines: Sequence, IteratorProtocol {
  private let text: [UInt8]
  private var position = 0
  private var number = 0

  init(_ text: [UInt8]) {
    self.text = text
  }

  /// Returns the next line without blanks at its start and end, and its line number from 1. CR, LF and CR LF end a
  /// line.
  mutating func next() -> (line: ArraySlice<UInt8>, number: Int)? {
    while position < text.count {
      number += 1
      let end = text[position...].firstIndex { $0 == Ascii.lineFeed || $0 == Ascii.carriageReturn } ?? text.count
      var line = text[position..<end]
      let isPair = end + 1 < text.count && text[end] == Ascii.carriageReturn && text[end + 1] == Ascii.lineFeed
      position = end + (isPair ? 2 : 1)
      while let first = line.first, Ascii.isBlank(first) { line.removeFirst() }
      while let last = line.last, Ascii.isBlank(last) { line.removeLast() }
      if !line.isEmpty { return (line, number) }
    }
    return nil
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit in ASCII, or `nil` for other bytes.
  var hexadecimalValue: UInt8? {
    if Ascii.isDigit(self) { return self - UInt8(ascii: "0") }
    let letter = self | 0x20
    return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter) ? letter - UInt8(ascii: "a") + 10 : nil
  }
}
