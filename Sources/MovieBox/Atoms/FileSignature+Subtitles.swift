import Subtitles

// Subtitles that are not read here.
extension FileSignature {
  /// The format of a text that is none of the two that are read, or `nil` if it is not known.
  static func otherSubtitles(_ text: ArraySlice<UInt8>) -> FileSignature? {
    let words = String(decoding: text, as: UTF8.self).lowercased()
    let start = words.drop(while: \.isWhitespace)
    let line = start.prefix { !$0.isNewline }
    let marks: [(FileSignature, String)] = [
      (.subStation, "[script info]"), (.sami, "<sami"), (.scenarist, "scenarist_scc"), (.vobSub, "# vobsub index"),
      (.subViewer, "[information]"), (.richText, "{\\rtf"), (.macCaption, "file format=maccaption"),
      (.whisperTable, "start\tend\ttext"), (.realText, "<window"), (.spruceSTL, "$fontname"),
      (.spruceSTL, "$timeoffset"), (.jacoSub, "#timeres"), (.jacoSub, "#t1"),
    ]
    if let known = marks.first(where: { start.hasPrefix($0.1) }) { return known.0 }
    if start.hasPrefix("<"), ["<tt ", "<tt>", "<tt\n", "<tt\r", "<tt\t", "<tt:tt"].contains(where: words.contains) {
      return .timedTextMarkup
    }
    if start.hasPrefix("{") || start.hasPrefix("[") {
      if words.contains("\"wiremagic\"") || words.contains("\"tstartms\"") { return .youTubeJSON }
      let members = words.filter { !$0.isWhitespace }
      if members.hasPrefix("{\"text\":") || ["\"segments\":[", "\"transcription\":["].contains(where: members.contains)
      {
        return .whisperJSON
      }
    }
    if start.hasPrefix("<"), words.contains("<timedtext") || words.contains("<transcript>") { return .youTubeXML }
    if text.dropFirst(3).starts(with: "STL".utf8), text.dropFirst(8).starts(with: ".01".utf8) { return .ebuSTL }
    if isFrames(line) { return .microDVD }
    // Comments and settings may come first.
    let lines = start.split(whereSeparator: \.isNewline)
    let first = lines.first { !$0.hasPrefix("//") && !$0.hasPrefix("#") && !$0.hasPrefix("$") }
    if let first, let format = formatOfLine(first) { return format }
    let times = line.split(separator: ",", omittingEmptySubsequences: false)
    if times.count == 2, times.allSatisfy(isTime) { return .subViewer }
    if line.first == "[", let end = line.firstIndex(of: "]") {
      let tag = line[line.index(after: line.startIndex)..<end]
      let name = tag.prefix { $0 != ":" }
      if ["ar", "al", "ti", "au", "by", "re", "ve", "offset", "length"].contains(name), name.count < tag.count {
        return .lyrics
      }
      if isTime("0:" + tag) { return .lyrics }
    }
    return nil
  }

  /// `0:00:01.000`, with two or three digits of fraction.
  private static func isTime(_ text: some StringProtocol) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let seconds = parts.last?.split(separator: "."), seconds.count == 2 else { return false }
    return (parts.prefix(2).map { String($0) } + seconds.map { String($0) }).allSatisfy {
      (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy(Ascii.isDigit)
    }
  }

  /// `{25}{50}` at the start.
  private static func isFrames(_ line: Substring) -> Bool {
    let parts = line.prefix(40).split(separator: "}", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3
      && parts.prefix(2).allSatisfy { part in
        part.first == "{" && part.count > 1 && part.dropFirst().utf8.allSatisfy(Ascii.isDigit)
      }
  }

  /// The format that has a line of times like this one, or `nil` if none is known.
  private static func formatOfLine(_ line: Substring) -> FileSignature? {
    if let rest = line.skipping("["), let second = rest.skippingDigits()?.skipping("]["),
      second.skippingDigits(orNone: true)?.hasPrefix("]") == true
    {
      return .mpl2
    }
    if let rest = line.skippingDigits()?.skipping(",")?.skippingBlanks().skippingDigits()?.skipping(","),
      rest.skippingBlanks().hasPrefix("\"")
    {
      return .phoenix
    }
    if let rest = line.skipping("@")?.skippingDigits()?.skipping(" @")?.skippingDigits(), rest.hasPrefix(" ") {
      return .jacoSub
    }
    guard let clock = line.skippingClock() else { return nil }
    if let first = clock.skipping(".")?.skippingDigits()?.skipping(" "),
      first.skippingClock()?.skipping(".")?.skippingDigits()?.hasPrefix(" ") == true
    {
      return .jacoSub
    }
    if let first = (clock.skipping(":") ?? clock.skipping(";") ?? clock.skipping("."))?.skippingDigits()?
      .skippingBlanks().skipping(","),
      let second = first.skippingBlanks().skippingClock(),
      let text = (second.skipping(":") ?? second.skipping(";") ?? second.skipping("."))?.skippingDigits(),
      text.skippingBlanks().hasPrefix(",")
    {
      return .spruceSTL
    }
    // The number of a line on the screen may stand after the time.
    let text = clock.skipping(",")?.skippingDigits() ?? clock
    return (text.skipping(":") ?? text.skipping("=")).map { $0.first?.isNumber != true } == true ? .tmPlayer : nil
  }
}

extension Substring {
  /// The text after a prefix, or `nil` if it begins otherwise.
  fileprivate func skipping(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }

  /// The text after blanks, if it begins with any.
  fileprivate func skippingBlanks() -> Substring { drop { $0 == " " || $0 == "\t" } }

  /// The text after digits, or `nil` if it begins with none.
  fileprivate func skippingDigits(orNone: Bool = false) -> Substring? {
    let rest = drop { $0.isASCII && $0.isNumber }
    return orNone || rest.startIndex > startIndex ? rest : nil
  }

  /// The text after hours, minutes and seconds, or `nil` if it begins otherwise.
  fileprivate func skippingClock() -> Substring? {
    skippingDigits()?.skipping(":")?.skippingDigits()?.skipping(":")?.skippingDigits()
  }
}
