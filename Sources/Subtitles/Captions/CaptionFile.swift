/// The pairs of a caption file (SCC or MCC), in both fields of line 21.
package struct CaptionFile {
  /// The pairs of the two fields, in order of their frames.
  package var fields: [[TimedCaptionPair]] = [[], []]
  /// The numbering of the file's time codes.
  var numbering: Timecode.Numbering
  /// The services of CEA-708 that the file contains, which are not decoded.
  package var digitalServices: [Int] = []
  /// Notices about the file's contents.
  var notices: NoticeList

  /// Whether an hour of time codes lasts longer than a real hour, because 29.97 frames a second are numbered without
  /// gaps.
  package var isNonDropFrame: Bool { !numbering.dropsFrames && numbering.rate.seconds == 1_001 }

  /// The cues of a channel.
  package struct Text {
    package var cues: [Cue]
    package var droppedCueCount: Int
    package var notices: NoticeList
  }

  /// Decodes a channel, by default the first one that shows captions.
  ///
  /// Throws if the channel shows nothing or exceeds `limits`.
  package func text(
    of channel: CaptionChannel? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> Text {
    var notices = notices
    var decoders: [CaptionDecoder] = []
    for (field, pairs) in fields.enumerated() {
      var decoder = CaptionDecoder(field: field, limits: limits)
      for pair in pairs { try decoder.receive(pair) }
      try decoder.finish()
      decoders.append(decoder)
      Self.addFindings(of: decoder, to: &notices)
    }
    func screens(_ channel: CaptionChannel) -> [CaptionScreen] { decoders[channel.field].screens(of: channel) }
    let candidates = channel.map { [$0] } ?? CaptionChannel.allCases
    guard let chosen = candidates.first(where: { screens($0).contains { !$0.rows.isEmpty } }) else {
      throw SubtitleError(.noCues, reasonForNoCues(decoders))
    }
    let others = decoders.flatMap(\.serviceNames).filter { $0 != chosen.rawValue }
    if !others.isEmpty {
      notices.add(
        .otherServices, line: 0,
        "\(chosen.rawValue) is read; the file also contains \(others.joined(separator: ", "))")
    }
    let cues = screens(chosen).cues(numbering.rate, &notices)
    let shown = cues.filter { $0.endMilliseconds > $0.startMilliseconds }
    for cue in cues where cue.endMilliseconds == cue.startMilliseconds {
      notices.add(.endNotAfterStart, line: cue.line, lostText: cue.text.text, "\(cue.text.excerpt) is never shown")
    }
    guard !shown.isEmpty else { throw SubtitleError(.noCues, reasonForNoCues(decoders)) }
    return Text(cues: shown, droppedCueCount: cues.count - shown.count, notices: notices)
  }

  private func reasonForNoCues(_ decoders: [CaptionDecoder]) -> String {
    let names = decoders.flatMap(\.serviceNames)
    if !names.isEmpty { return "no captions are shown; the file contains \(names.joined(separator: ", "))" }
    guard !digitalServices.isEmpty else { return "no captions" }
    let services = digitalServices.map(String.init).joined(separator: ", ")
    let noun = digitalServices.count == 1 ? "service" : "services"
    return "the captions are CEA-708 alone (\(noun) \(services)), which is not decoded; CEA-608 is"
  }

  private static func addFindings(of decoder: CaptionDecoder, to notices: inout NoticeList) {
    if decoder.parityErrors.count > 0 {
      notices.add(
        .uncheckedBytes, "parity", line: decoder.parityErrors.firstLine,
        "\(counted(decoder.parityErrors.count, "byte")) with even parity, first in this line: read without the parity bit"
      )
    }
    if decoder.overwrittenCharacters.count > 0 {
      notices.add(
        .textCut, line: decoder.overwrittenCharacters.firstLine,
        "\(counted(decoder.overwrittenCharacters.count, "character")) beyond the last column, first in this line; each "
          + "character overwrote the previous character")
    }
    if decoder.ignoredCodes.count > 0 {
      notices.add(
        .ignoredCode, line: decoder.ignoredCodes.firstLine,
        "\(counted(decoder.ignoredCodes.count, "code")) without effect on captions, first in this line: ignored")
    }
    if decoder.strayCharacters.count > 0 {
      notices.add(
        .textOutsideCue, line: decoder.strayCharacters.firstLine,
        "\(counted(decoder.strayCharacters.count, "character")) before the first control code: no caption shows them")
    }
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
