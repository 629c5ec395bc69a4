import Testing

@testable import MovtoolCommands

struct TerminalTextTests {
  @Test func escapesControlCharacters() {
    #expect(TerminalText.sanitized("a\u{1B}[31mb") == "a\\u{1b}[31mb")
    #expect(TerminalText.sanitized("a\nb\r\tc") == "a\\nb\\r\\tc")
    #expect(TerminalText.sanitized("\u{0}\u{7F}\u{80}\u{9F}") == "\\u{0}\\u{7f}\\u{80}\\u{9f}")
  }

  @Test func escapesBidirectionalMarks() {
    #expect(TerminalText.sanitized("a\u{202E}vtt.exe\u{2066}\u{2028}") == "a\\u{202e}vtt.exe\\u{2066}\\u{2028}")
  }

  @Test func keepsOrdinaryText() {
    for text in ["", "Ünïcödé", "日本語", "עברית", "👩‍👩‍👧", "\u{A0}~ \u{20}", "e\u{301}"] {
      #expect(TerminalText.sanitized(text) == text)
    }
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}\u{323}", 1), ("日本", 4), ("한국", 4), ("ｶﾅ", 2), ("ＡＢ", 4), ("🎬", 2),
    ("👩‍👩‍👧", 2), ("🇪🇸", 2), ("❤\u{FE0F}", 2), ("a\u{200B}b", 2), ("\u{1100}\u{1161}", 2), ("…", 1),
  ])
  func measuresTextWidthInCells(text: String, width: Int) {
    #expect(TerminalText.width(of: text) == width)
  }
}
