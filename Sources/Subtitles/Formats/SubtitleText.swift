/// The text of a subtitle file as UTF-8, converted from any encoding.
///
/// A byte order mark has priority over the encoding that the caller requests. If there is neither, valid UTF-8 is read
/// as UTF-8, and text with zeros at every second byte is read as UTF-16. The encoding of other text is guessed, and a
/// notice reports the guess.
///
///     let text = try SubtitleText([0x63, 0x61, 0x66, 0xE9])
///     print(text.encoding)  // windows1252
package struct SubtitleText: Hashable, Sendable {
  /// Valid UTF-8 without NULs and byte order marks. The byte 0x1A at the end of DOS files is removed too.
  package let utf8: [UInt8]
  package let encoding: TextEncoding
  /// Notices about a guessed encoding, and about replaced or removed characters.
  package let notices: [SubtitleNotice]

  /// Decodes a file. `encoding` is the requested encoding, or `nil` to detect it. `language` is a BCP 47 tag that
  /// improves a guess of the encoding.
  ///
  /// Throws if the file is too large, is UTF-32, or has an encoding that this system does not support. Makes a few
  /// passes over the bytes.
  package init(
    _ bytes: [UInt8], encoding: TextEncoding? = nil, language: String? = nil,
    limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) {
    guard bytes.count <= limits.fileByteCount else {
      throw SubtitleError(.limit, "the file has \(bytes.count) bytes: the limit is \(limits.fileByteCount)")
    }
    var notices = NoticeList(limits)
    let choice = try SubtitleText.choice(bytes, encoding, language, &notices)
    self.encoding = choice.encoding
    let body = bytes.dropFirst(choice.markByteCount)
    guard !choice.isValidUTF8 else {
      utf8 = SubtitleText.removingMarks(Array(body), notices: &notices)
      self.notices = notices.finished
      return
    }
    guard let text = choice.encoding.decode(body) else {
      throw SubtitleError(
        .encoding,
        "the text is \(choice.encoding.rawValue)\(choice.reason.map { ", " + $0 } ?? ""), which this system does not "
          + "support; convert the file to UTF-8")
    }
    if let first = text.firstReplacement {
      let (count, verb) = (counted(text.replacementCount, "byte"), text.replacementCount == 1 ? "is" : "are")
      notices.add(
        .replacedCharacters, line: SubtitleText.line(of: first, in: text.utf8),
        "\(count) \(verb) not part of a character in \(choice.encoding.rawValue), and \(verb) replaced by U+FFFD; "
          + "this line contains the first")
    }
    utf8 = SubtitleText.removingMarks(text.utf8, notices: &notices)
    self.notices = notices.finished
  }

  // MARK: - Choosing

  private struct Choice {
    let encoding: TextEncoding
    var markByteCount = 0
    /// Whether the text requires no conversion.
    var isValidUTF8 = false
    /// The reason for guessing this encoding, or `nil` if the encoding was declared.
    var reason: String?
  }

  private static func choice(
    _ bytes: [UInt8], _ asked: TextEncoding?, _ language: String?, _ notices: inout NoticeList
  ) throws(SubtitleError) -> Choice {
    if let markedChoice = try encodingByMark(bytes) {
      if let asked, !asked.accepts(markedChoice.encoding) {
        notices.add(
          .encodingMarked, line: 1,
          "the file has the byte order mark of \(markedChoice.encoding.rawValue): it is read as \(markedChoice.encoding.rawValue) "
            + "instead of \(asked.rawValue)")
      }
      guard markedChoice.encoding == .utf8 else { return markedChoice }
      var choice = markedChoice
      choice.isValidUTF8 = ValidUTF8.firstInvalidByte(in: bytes, from: markedChoice.markByteCount) == nil
      return choice
    }
    if let asked, asked != .utf8 {
      noteValidUTF8(asked, bytes, &notices)
      return Choice(encoding: asked)
    }
    if asked == nil, let order = UTF16ByteOrder(zerosOf: bytes[...]) {
      let encoding: TextEncoding = order == .bigEndian ? .utf16BigEndian : .utf16LittleEndian
      let position = order == .bigEndian ? "first" : "second"
      notices.add(
        .encodingGuessed, line: 1,
        "the file has no byte order mark, so its encoding is a guess: it is read as \(encoding.rawValue), because the \(position) byte of most pairs is zero"
      )
      return Choice(encoding: encoding)
    }
    guard let bad = ValidUTF8.firstInvalidByte(in: bytes) else {
      guard asked == nil, let escape = iso2022JPEscape(bytes) else {
        return Choice(encoding: .utf8, isValidUTF8: true)
      }
      let reason = "because it contains escape sequences of this encoding"
      notices.add(
        .encodingGuessed, line: line(of: escape, in: bytes),
        "the encoding of the file is a guess: it is read as \(TextEncoding.iso2022JP.rawValue), \(reason)")
      return Choice(encoding: .iso2022JP, reason: reason)
    }
    let counts = ValidUTF8.counts(in: bytes)
    // If most sequences are complete, the text is UTF-8 with a few damaged bytes. In other encodings, complete UTF-8
    // sequences occur only by chance.
    if asked == .utf8 || counts.whole >= 3 * counts.broken { return Choice(encoding: .utf8) }
    let guess = EncodingGuess(bytes, language: language)
    notices.add(
      .encodingGuessed, line: line(of: bad, in: bytes),
      "the text is not UTF-8 (byte \(bad) is 0x\(String(bytes[bad], radix: 16, uppercase: true))), so its encoding is a guess: "
        + "it is read as \(guess.encoding.rawValue), \(guess.reason)")
    return Choice(encoding: guess.encoding, reason: guess.reason)
  }

  /// Adds a notice if a text is valid UTF-8, but another encoding was requested. A text in another encoding is hardly
  /// ever valid UTF-8.
  private static func noteValidUTF8(_ asked: TextEncoding, _ bytes: [UInt8], _ notices: inout NoticeList) {
    let isUTF16 = [.utf16, .utf16BigEndian, .utf16LittleEndian].contains(asked)
    guard !isUTF16 || UTF16ByteOrder(zerosOf: bytes[...]) == nil else { return }
    guard let first = bytes.firstIndex(where: { $0 >= 0x80 }), ValidUTF8.firstInvalidByte(in: bytes) == nil else {
      return
    }
    let count = ValidUTF8.counts(in: bytes).whole
    notices.add(
      .encodingDoubted, line: line(of: first, in: bytes),
      "the text is valid UTF-8 with \(counted(count, "character")) outside ASCII, but is read as \(asked.rawValue) as requested"
    )
  }

  /// Returns the position of an escape sequence that begins Japanese characters (RFC 1468), or `nil` if there is no
  /// such sequence.
  private static func iso2022JPEscape(_ bytes: [UInt8]) -> Int? {
    var start = 0
    while let escape = bytes[start...].firstIndex(of: 0x1B) {
      let sequence = bytes[(escape + 1)...].prefix(2)
      if ["$B", "$@", "(J", "(I"].contains(where: { sequence.elementsEqual($0.utf8) }) { return escape }
      start = escape + 1
    }
    return nil
  }

  private static func encodingByMark(_ bytes: [UInt8]) throws(SubtitleError) -> Choice? {
    guard !bytes.starts(with: [0xFF, 0xFE, 0, 0]), !bytes.starts(with: [0, 0, 0xFE, 0xFF]) else {
      throw SubtitleError(
        .encoding, line: 1, at: 0,
        "the text is UTF-32, which is not supported; convert the "
          + "file to UTF-8")
    }
    switch UTF16ByteOrder(markOf: bytes) {
    case .bigEndian: return Choice(encoding: .utf16BigEndian, markByteCount: 2)
    case .littleEndian: return Choice(encoding: .utf16LittleEndian, markByteCount: 2)
    case nil: return bytes.starts(with: byteOrderMark) ? Choice(encoding: .utf8, markByteCount: 3) : nil
    }
  }

  // MARK: - Text

  /// Returns the line number of the byte at `offset`, from 1. CR LF is one line break.
  static func line(of offset: Int, in bytes: [UInt8]) -> Int {
    var line = 1
    for index in 0..<offset {
      let byte = bytes[index]
      if byte == Ascii.lineFeed || byte == Ascii.carriageReturn && bytes[index + 1] != Ascii.lineFeed { line += 1 }
    }
    return line
  }

  /// Returns the text without NULs and byte order marks. Players would show these characters as boxes.
  private static func removingMarks(_ file: [UInt8], notices: inout NoticeList) -> [UInt8] {
    var bytes = file
    while bytes.last == Ascii.dosEndOfFile { bytes.removeLast() }
    func junkLength(at index: Int) -> Int {
      if bytes[index] == 0 { return 1 }
      guard bytes[index] == byteOrderMark[0], bytes.count - index >= 3 else { return 0 }
      return bytes[index + 1] == byteOrderMark[1] && bytes[index + 2] == byteOrderMark[2] ? 3 : 0
    }
    let scan = ByteScan(bytes)
    var first = scan.endOfText(from: 0)
    while first < bytes.count, junkLength(at: first) == 0 {
      first += 1
      if first < bytes.count, bytes[first] < 0x80 { first = scan.endOfText(from: first) }
    }
    guard first < bytes.count else { return bytes }
    var keptBytes = Array(bytes[..<first])
    var index = first
    var count = 0
    while index < bytes.count {
      let length = junkLength(at: index)
      if length == 0 { keptBytes.append(bytes[index]) } else { count += 1 }
      index += max(1, length)
    }
    notices.add(
      .strippedCharacters, line: line(of: first, in: bytes),
      "\(count == 1 ? "1 NUL or byte order mark" : "\(count) NULs or byte order marks") within the text "
        + "removed, the first "
        + "here")
    return keptBytes
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension TextEncoding {
  /// Whether a text in `other` satisfies a request for this encoding. A request for UTF-16 accepts both byte orders.
  fileprivate func accepts(_ other: TextEncoding) -> Bool {
    self == other || self == .utf16 && (other == .utf16BigEndian || other == .utf16LittleEndian)
  }
}
