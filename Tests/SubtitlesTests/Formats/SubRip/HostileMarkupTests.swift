import SubtitleTestSupport
import Testing

@testable import Subtitles

/// Cue text designed to break the parsing of tags and overrides. Parsing always ends with text.
struct HostileMarkupTests {
  private static let characters = Array("{}<>/\\:;&#$,= yYcCibnNh8a1F\"\n\ré\u{2028}".utf8)

  /// Parses a cue and checks that its styles are within its text, in order.
  private func parse(_ text: [UInt8]) -> (text: StyledText, markup: CueMarkup, lostText: String?) {
    var markup = CueMarkup(text)
    markup.begin(0..<text.count)
    var start = 0
    for (number, line) in text.split(separator: Ascii.lineFeed, omittingEmptySubsequences: false).enumerated() {
      markup.append(line: start..<start + line.count, number: number + 1)
      start += line.count + 1
    }
    var notices = NoticeList(SubtitleLimits())
    let styled = markup.finish(&notices)
    var end = 0
    for run in styled.runs {
      #expect(run.range.lowerBound >= end && !run.range.isEmpty, "\(text)")
      end = run.range.upperBound
    }
    #expect(end <= styled.text.unicodeScalars.count, "\(text)")
    return (styled, markup, notices.finished.lazy.compactMap(\.lostText).first)
  }

  @Test(arguments: ["Hello {}: you", "{}:", "{y:", "{y:}", "{c:}", "{::", "{}}:", "a {}:\n}b", "{/}", "{}"])
  func keepsEmptyBraces(_ text: String) throws {
    let read = parse(Array(text.utf8)).text
    #expect(read == StyledText(text == "{y:}" ? "" : text))
    let file = try readSubRip("0:0:1,000 --> 0:0:2,000\nx\(text)\n")
    #expect(file.cues.count == 1)
  }

  @Test func shortensTheNoticeAboutManyOverrides() throws {
    let letters = "abcdefghijklmnopq"
    let names = letters.flatMap { one in letters.flatMap { two in letters.map { "\\z\(one)\(two)\($0)" } } }.joined()
    let file = try readSubRip("0:0:1,000 --> 0:0:2,000\n{\(names)}text\n")
    #expect(file.cues.first?.text.text == "text")
    #expect((2...70).contains(file.notices.count))
  }

  /// Texts of the significant characters in every order.
  @Test func parsesEveryShortText() {
    let characters = Array("{}:y/$<>&\\\n".utf8)
    var texts: [[UInt8]] = [[]]
    for _ in 1...4 {
      texts = texts.flatMap { text in characters.map { text + [$0] } }
      for text in texts { _ = parse(text) }
    }
    #expect(texts.count == 14_641)
    // One more character, around characters without a meaning of their own.
    for text in texts where text[0] == UInt8(ascii: "{") || text[0] == UInt8(ascii: "<") {
      for byte in characters { _ = parse(text + [byte]) }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func parsesRandomTexts(seed: UInt64) {
    var random = SubtitleRandom(seed: seed)
    for _ in 0..<250 {
      let count = random.next(below: 24)
      _ = parse((0..<count).map { _ in Self.characters[Int(random.next(below: UInt64(Self.characters.count)))] })
    }
  }

  /// Lost text is moved as often as in a growing array, not once for each tag.
  @Test func recordsLostTagsInLinearTime() {
    for (count, moveCount) in [(1, 1), (1_000, 12), (16_000, 16)] {
      let (text, markup, lostText) = parse(Array(String(repeating: "<a>", count: count).utf8))
      #expect(text.isEmpty && lostText?.utf8.count == 4 * count - 1)
      let moves = markup.findings.lostTextReallocationCount
      #expect((1...moveCount).contains(moves), "\(moves)")
    }
  }
}
