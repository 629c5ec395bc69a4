import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

/// Hostile input is read or rejected in linear time, and every loss is reported.
struct HostileWebVTTTests {
  private static let pieces = [
    "WEBVTT", "WEBVTT\n", "\n", "\n\n", "\r", "\r\n", "00:01.000 --> 00:02.000", "00:00:01.000 --> 00:00:02.000 line:0",
    " --> ", "-->", "NOTE ", "STYLE\n", "REGION\nid:a ", "::cue(b) { color: red }", "::cue(", "{", "}", "/*", "*/",
    "[voice=",
    "X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:", "9999999999", "<b>", "</b>", "<v Ann>", "<ruby>", "<rt>", "</ruby>",
    "<",
    ">", "&", "&#x41;", "&#", ";", " line:", "-1", "50%", ",end", " region:a", " position:", " size:1%", "text", "é",
    "\t",
    "\u{2028}", "\u{C}", ":", ".", "0", "<00:01.000>", "<c.red.bg_blue>",
  ]

  @Test func survivesRandomPieces() throws {
    var generator = Chance(seed: 20_261_122)
    for _ in 0..<3_000 {
      var text = Bool.random(using: &generator) ? "WEBVTT\n\n" : ""
      for _ in 0..<Int.random(in: 1...60, using: &generator) {
        text += Self.pieces.randomElement(using: &generator) ?? ""
      }
      do {
        let file = try readWebVTT(whole: text)
        #expect(file.cues.allSatisfy { $0.endMilliseconds > $0.startMilliseconds && !$0.text.isEmpty })
        for cue in file.cues { #expect(StyledText(cue.text.text, runs: cue.text.runs) == cue.text) }
      } catch {
        #expect([.format, .noCues].contains(error.code), "\(text.debugDescription): \(error)")
      }
    }
  }

  @Test func survivesRandomBytes() {
    var generator = Chance(seed: 20_261_123)
    for _ in 0..<500 {
      let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = try? WebVTTReader.read(Array("WEBVTT\n\n00:01.000 --> 00:02.000\n".utf8) + noise)
    }
  }

  @Test func survivesEveryTruncation() {
    let text =
      "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:1,LOCAL:00:00.000\n\nSTYLE\n::cue(v[voice='A']) { color: #f00 }\n\n"
      + "REGION\nid:a lines:2\n\n1\n00:01.000 --> 00:02.000 region:a align:left\n<v A>a &amp; <b.x>b</b>\n"
    let bytes = Array(text.utf8)
    for count in 0...bytes.count { _ = try? WebVTTReader.read(Array(bytes[..<count])) }
  }

  /// Each input would take many minutes in quadratic time.
  @Test(arguments: [
    "<", "<b>", "<b", "&", "&#", "<v a", "</b>", "<ruby><rt>", "<c.a", ".a", "\n00:01.000 --> 00:02.000 ", "\n", "-",
    "--",
    " line:0", ":", "<c.red>x", "WEBVTT\n", "\n\nWEBVTT\n\n00:01.000 --> 00:02.000\na",
  ])
  func readsRepeatedPiecesInLinearTime(piece: String) throws {
    let count = 100_000 / piece.utf8.count
    let head = "WEBVTT\n\n00:01.000 --> 00:02.000\na"
    let file = try readWebVTT(whole: head + String(repeating: piece, count: count))
    #expect(!file.cues.isEmpty)
    _ = try? readWebVTT(whole: "WEBVTT\n\n00:01.000 --> 00:02.000 " + String(repeating: piece, count: count))
  }

  @Test(arguments: [
    "::cue(b){color:red}", "::cue(", "{", "}", "(", ",", "/*", "*/", ";", "a:b;", "::cue(.a", "@", "[", "\n::cue",
  ])
  func readsRepeatedStyleSheetPiecesInLinearTime(piece: String) throws {
    let css = String(repeating: piece, count: 50_000 / piece.utf8.count)
    for css in [css, "::cue(b) { " + css, "::cue(" + css + ") { }"] {
      #expect(try readWebVTT("STYLE\n\(css)\n\n00:01.000 --> 00:02.000\na\n").texts == ["a"])
    }
  }

  @Test func limitsTheNumberOfCues() throws {
    var limits = SubtitleLimits()
    limits.cueCount = 3
    func read(_ count: Int) throws(SubtitleError) -> SubtitleFile {
      let text = "WEBVTT\n\n" + String(repeating: "00:01.000 --> 00:02.000\na\n\n", count: count)
      return try WebVTTReader.read(Array(text.utf8), limits: limits)
    }
    #expect(try read(3).cues.count == 3)
    #expect(throws: SubtitleError(.limit, line: 12, "more than 3 cues")) { try read(4) }
  }
}
