import Subtitles
import Testing

struct SubtitleTextTests {
  private static let cue = "1\n00:00:01,000 --> 00:00:02,000\ncafé 日本 😀\n"

  private func bytes(_ text: String, isBigEndian: Bool, mark: Bool) -> [UInt8] {
    let units = (mark ? [0xFEFF] : []) + Array(text.utf16)
    return
      units.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  private func string(_ text: SubtitleText) -> String { String(decoding: text.utf8, as: UTF8.self) }

  // MARK: - UTF-8

  @Test func readsUTF8WithAndWithoutByteOrderMark() throws {
    let plain = try SubtitleText(Array(Self.cue.utf8))
    let marked = try SubtitleText([0xEF, 0xBB, 0xBF] + Array(Self.cue.utf8))
    #expect(string(plain) == Self.cue)
    #expect(marked == plain)
    #expect(plain.encoding == .utf8)
    #expect(plain.notices.isEmpty)
  }

  @Test(
    arguments: [
      [0xC0, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5],
      [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xE2, 0x82, 0x41], [0xF0, 0x9F, 0x98, 0x41],
    ] as [[UInt8]])
  func replacesInvalidSequencesInRequestedUTF8(sequence: [UInt8]) throws {
    let bytes = Array("one\ntwo".utf8) + sequence
    let text = try SubtitleText(bytes, encoding: .utf8)
    #expect(String(validating: text.utf8, as: UTF8.self)?.hasPrefix("one\ntwo\u{FFFD}") == true)
    #expect(text.notices.map(\.kind) == [.replacedCharacters])
    #expect(text.notices.map(\.line) == [2])
    #expect(String(validating: bytes, as: UTF8.self) == nil)
  }

  @Test func replacesFewInvalidBytesInUTF8() throws {
    let bytes = Array("été".utf8) + Array("é".utf8)
    #expect(try SubtitleText(bytes + [0xE9]).encoding == .utf8)
    #expect(try SubtitleText(bytes.dropLast(2) + [0xE9]).encoding != .utf8)
    #expect(try SubtitleText(bytes + [0xE9]).notices.map(\.kind) == [.replacedCharacters])
  }

  // MARK: - UTF-16 and UTF-32

  @Test(arguments: [true, false], [true, false])
  func readsUTF16InBothOrdersWithAndWithoutMark(isBigEndian: Bool, mark: Bool) throws {
    let text = try SubtitleText(bytes(Self.cue, isBigEndian: isBigEndian, mark: mark))
    #expect(string(text) == Self.cue)
    #expect(text.encoding == (isBigEndian ? .utf16BigEndian : .utf16LittleEndian))
    #expect(text.notices.map(\.kind) == (mark ? [] : [.encodingGuessed]))
  }

  @Test func detectsUnmarkedUTF16ByZeros() throws {
    let text = "1\r\n00:00:01,000 --> 00:00:02,000\r\nЧто вы здесь делаете, 这是什么\r\n"
    #expect(string(try SubtitleText(bytes(text, isBigEndian: false, mark: false))) == text)
  }

  @Test func distinguishesNULsFromUTF16() throws {
    let text = try SubtitleText(Array("1\n0:0:1,000 --> 0:0:2,000\nA\n\0\0\0\0\0\0\0\0\0\0".utf8))
    #expect(text.encoding == .utf8)
    #expect(text.notices.map(\.kind) == [.strippedCharacters])
  }

  @Test func detectsTheByteOrderOfRequestedUTF16() throws {
    for isBigEndian in [true, false] {
      for mark in [true, false] {
        let text = try SubtitleText(bytes(Self.cue, isBigEndian: isBigEndian, mark: mark), encoding: .utf16)
        #expect(string(text) == Self.cue)
        #expect(text.notices.isEmpty)
      }
    }
  }

  @Test func replacesAnUnpairedSurrogateWithNotice() throws {
    let units = [0xFEFF] + Array("one\na".utf16) + [0xD83D]
    let text = try SubtitleText(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    #expect(string(text) == "one\na\u{FFFD}")
    #expect(text.notices.map(\.kind) == [.replacedCharacters])
    #expect(text.notices.map(\.line) == [2])
  }

  @Test func rejectsUTF32() {
    for bytes in [[0xFF, 0xFE, 0, 0, 0x31, 0, 0, 0], [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x31]] as [[UInt8]] {
      let error = #expect(throws: SubtitleError.self) { try SubtitleText(bytes) }
      #expect(error?.code == .encoding)
    }
  }

  // MARK: - Requested encodings

  @Test func usesTheRequestedEncoding() throws {
    let text = try SubtitleText([0x63, 0x61, 0x66, 0x8E], encoding: .macRoman)
    #expect(string(text) == "café")
    #expect(text.notices.isEmpty)
  }

  @Test(arguments: [(TextEncoding.windows1252, "Ã©"), (.koi8_r, "ц╘"), (.utf16, "쎩")])
  func reportsThatUTF8IsReadInTheRequestedEncoding(encoding: TextEncoding, read: String) throws {
    // The request takes precedence over detection.
    let text = try SubtitleText(Array("é".utf8), encoding: encoding)
    #expect(string(text) == read)
    #expect(
      text.notices.map(\.description) == [
        "line 1: the text is valid UTF-8 with 1 character outside ASCII, but is read as \(encoding.rawValue) as requested"
      ])
    #expect(try SubtitleText(Array("e".utf8), encoding: .windows1252).notices.isEmpty)
    #expect(try SubtitleText([0xE9], encoding: .windows1252).notices.isEmpty)
  }

  @Test func distinguishesISO2022JPFromASCII() throws {
    let bytes = Array("a\nb ".utf8) + [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42]
    let text = try SubtitleText(bytes)
    #expect(string(text) == "a\nb あ")
    #expect(text.notices.map(\.kind) == [.encodingGuessed] && text.notices.map(\.line) == [2])
    #expect(try SubtitleText(bytes, encoding: .utf8).notices.isEmpty)
    // Terminal colors.
    #expect(try SubtitleText([0x1B, 0x5B, 0x33, 0x31, 0x6D, 0x61, 0x1B]).encoding == .utf8)
  }

  @Test func reportsLettersOfNoKnownLanguage() throws {
    let noise = (0..<400).map { UInt8(0x80 + $0 * 37 % 128) }
    let text = try SubtitleText(noise)
    #expect(
      text.notices.first?.message.contains("though its letters fit no known language well; the best match is ") == true)
  }

  @Test func prefersAByteOrderMarkToTheRequest() throws {
    let text = try SubtitleText([0xEF, 0xBB, 0xBF] + Array("é".utf8), encoding: .windows1252)
    #expect(string(text) == "é")
    #expect(text.notices.map(\.kind) == [.encodingMarked])
  }

  @Test func replacesInvalidBytesWithNotice() throws {
    let text = try SubtitleText([0x61, 0x0A, 0x81, 0x8D], encoding: .windows1252)
    #expect(string(text) == "a\n\u{FFFD}\u{FFFD}")
    #expect(text.notices.map(\.kind) == [.replacedCharacters])
    #expect(text.notices.map(\.line) == [2])
    #expect(text.notices.first?.message.hasPrefix("2 bytes are not part of a character in windows-1252") == true)
  }

  // MARK: - Guesses

  @Test func reportsAGuessWithPlaceAndReason() throws {
    let text = try SubtitleText(Array("1\r\n00:00:01,000 --> 00:00:02,000\r\ncaf".utf8) + [0xE9, 0x0A])
    #expect(string(text).hasSuffix("café\n"))
    #expect(text.notices.map(\.kind) == [.encodingGuessed])
    #expect(text.notices.map(\.line) == [3])
    #expect(
      text.notices.first?.message
        == "the text is not UTF-8 (byte 37 is 0xE9), so its encoding is a guess: it is read as windows-1252, in which its letters best fit French"
    )
  }

  @Test func removesNULsAndInnerByteOrderMarksWithNotice() throws {
    let text = try SubtitleText(Array("a\nA\0B\u{FEFF}C\0\n\n\0\0\0\0".utf8))
    #expect(string(text) == "a\nABC\n\n")
    #expect(text.notices.map(\.kind) == [.strippedCharacters])
    #expect(text.notices.map(\.line) == [2])
  }

  @Test func rejectsAFileBeyondTheLimit() throws {
    var limits = SubtitleLimits()
    limits.fileByteCount = 4
    #expect(try SubtitleText([0x61, 0x61, 0x61, 0x61], limits: limits).utf8.count == 4)
    #expect(throws: SubtitleError.self) { try SubtitleText([0x61, 0x61, 0x61, 0x61, 0x61], limits: limits) }
  }
}
