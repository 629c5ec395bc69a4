import SubtitleTestSupport
import Subtitles
import Testing

/// The rules for files. The tests have the names of the public WebVTT tests (web-platform-tests,
/// webvtt/parsing/file-parsing).
struct WebVTTFileTests {
  private static let cue = "00:01.000 --> 00:02.000\nA\n"

  private func code(_ text: String) -> SubtitleError.Code? {
    do {
      _ = try readWebVTT(whole: text)
      return nil
    } catch {
      return error.code
    }
  }

  // MARK: - Signature and header

  @Test(arguments: ["WEBVTT\n\n", "\u{FEFF}WEBVTT\n\n", "WEBVTT \n\n", "WEBVTT\t\n\n", "WEBVTT - a title\n\n"])
  func signatureBomSpaceTab(signature: String) throws {
    let file = try readWebVTT(whole: signature + Self.cue)
    #expect(file.texts == ["A"])
    #expect(file.notices.isEmpty)
  }

  @Test(arguments: ["WEBVT", "WEBVTTx\n\n", "webvtt\n\n", " WEBVTT\n\n", "\nWEBVTT\n\n", ""])
  func signatureInvalid(signature: String) {
    #expect(code(signature + "\n\n" + Self.cue) == .format)
  }

  @Test(arguments: ["WEBVTT", "WEBVTT\n", "WEBVTT ", "WEBVTT\t", "WEBVTT\r\n"])
  func signatureNoNewlineHasNoCues(file: String) {
    #expect(code(file) == .noCues)
  }

  @Test func signatureTimings() throws {
    let file = try readWebVTT(whole: "WEBVTT 00:01.000 --> 00:02.000\nA\n\n00:03.000 --> 00:04.000\nB\n")
    #expect(file.texts == ["B"])
    #expect(file.notices.map(\.lostText) == ["A"])
  }

  @Test func headerTimings() throws {
    let file = try readWebVTT(whole: "WEBVTT\n00:01.000 --> 00:02.000\nA\n")
    #expect(file.texts == ["A"])
    #expect(file.kinds == [.missingBlankLine])
  }

  @Test func headerTimingsAfterAnIdentifier() throws {
    let file = try readWebVTT(whole: "WEBVTT\n1\n00:01.000 --> 00:02.000\nA\n")
    #expect(file.texts == ["A"])
    #expect(file.kinds == [.missingBlankLine])
  }

  @Test func headerGarbage() throws {
    let file = try readWebVTT(whole: "WEBVTT\nKind: captions\nLanguage: en\nsome words\n\n" + Self.cue)
    #expect(file.texts == ["A"])
    #expect(file.notices.map(\.kind) == [.textOutsideCue])
    #expect(file.notices.map(\.lostText) == ["some words"])
  }

  // MARK: - Lines

  @Test(arguments: ["\n", "\r", "\r\n"])
  func newlines(end: String) throws {
    let text = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\nA\nB\n\n\n00:03.000 --> 00:04.000\nC"
    let file = try readWebVTT(whole: text.replacing("\n", with: end))
    #expect(file.texts == ["A\nB", "C"])
    #expect(file.cues.map(\.line) == [4, 9])
    #expect(file.notices.isEmpty)
  }

  @Test func mixedNewlines() throws {
    let file = try readWebVTT(whole: "WEBVTT\r\r00:01.000 --> 00:02.000\nA\r\nB\r\n\r00:03.000 --> 00:04.000\rC\n")
    #expect(file.texts == ["A\nB", "C"])
  }

  @Test func whitespaceCharsAreNoBlankLine() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.000\nA\n \nB\n")
    #expect(file.texts == ["A\n \nB"])
  }

  @Test func removesNulls() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.000\nA\0B\n")
    #expect(file.texts == ["AB"])
    #expect(file.kinds == [.strippedCharacters])
  }

  // MARK: - Blocks

  @Test func ids() throws {
    let file = try readWebVTT(
      " leading\n\(Self.cue)\ntrailing \n\(Self.cue)\n--\n\(Self.cue)\n->\n\(Self.cue)\nNOTE\n\(Self.cue)")
    #expect(file.texts == ["A", "A", "A", "A", "A"])
    #expect(file.notices.isEmpty)
  }

  @Test func rejectsATwoLineIdentifier() throws {
    let file = try readWebVTT("one\ntwo\n\(Self.cue)")
    #expect(file.texts == ["A"])
    #expect(file.notices.map(\.lostText) == ["one\ntwo"])
    #expect(file.kinds == [.textOutsideCue])
  }

  @Test func arrows() throws {
    let file = try readWebVTT(
      "-->\n\(Self.cue)foo-->\n\(Self.cue)-->foo\n\(Self.cue)--->\n\(Self.cue)-->-->\n\(Self.cue)\(Self.cue)\n"
        + "00:00:00.000 -a -->\n\n00:00:00.000 --a -->\n\n00:00:00.000 - -->\n\n00:00:00.000 -- -->\n")
    #expect(file.texts == ["A", "A", "A", "A", "A", "A"])
    #expect(file.droppedCueCount == 9)
    #expect(file.kinds == [.unreadableTiming, .missingBlankLine])
  }

  @Test func reportsTextLostAfterABlankLine() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.000\nA\n\nB\nC\n")
    #expect(file.texts == ["A"])
    #expect(file.notices.map(\.lostText) == ["B\nC"])
    #expect(file.notices.map(\.line) == [6])
  }

  @Test(arguments: ["NOTE", "NOTE a comment", "NOTE\ta comment\nof two lines", "NOTE\nwords"])
  func comments(note: String) throws {
    let file = try readWebVTT("\(note)\n\n\(Self.cue)\n\(note)\n")
    #expect(file.texts == ["A"])
    #expect(file.notices.isEmpty)
  }

  @Test func noteNeedsABlankAfterIt() throws {
    #expect(try readWebVTT("NOTEs\nmore\n\n\(Self.cue)").notices.map(\.lostText) == ["NOTEs\nmore"])
  }

  @Test func cueWithoutText() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.000\n\n\(Self.cue)\n00:03.000 --> 00:04.000\n  <b> </b>\n")
    #expect(file.texts == ["A"])
    #expect(file.droppedCueCount == 2)
    #expect(file.notices.map(\.kind) == [.emptyCue, .emptyCue])
  }

  @Test func movesTheEndOfACueThatDoesNotEndAfterItsStart() throws {
    let file = try readWebVTT("00:02.000 --> 00:02.000\nkept\n\n00:02.000 --> 00:02.001\nA\n")
    #expect(file.texts == ["kept", "A"] && file.times[0] == [2_000, 3_000])
    #expect(file.notices.map(\.lostText) == [nil])
    #expect(file.kinds == [.endMoved])
  }

  @Test func rejectsEmptyAndOtherFiles() {
    #expect(code("") == .format)
    #expect(code("1\n00:00:01,000 --> 00:00:02,000\nA\n") == .format)
  }

  @Test func readsOtherEncodings() throws {
    let text = "WEBVTT\n\n00:01.000 --> 00:02.000\nça va\n"
    let units = Array("\u{FEFF}\(text)".utf16)
    let utf16: [UInt8] = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try WebVTTReader.read(utf16).texts == ["ça va"])
    let latin = text.unicodeScalars.map { UInt8($0.value) }
    let file = try WebVTTReader.read(latin)
    #expect(file.texts == ["ça va"])
    #expect(file.kinds == [.encodingGuessed])
  }
}
