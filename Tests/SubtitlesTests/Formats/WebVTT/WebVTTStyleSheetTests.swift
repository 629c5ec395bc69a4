import SubtitleTestSupport
import Subtitles
import Testing

struct WebVTTStyleSheetTests {
  private static let red = StyledText.Color(red: 255, green: 0, blue: 0)
  private static let blue = StyledText.Color(red: 0, green: 0, blue: 255)

  private func read(_ css: String, _ text: String) throws -> (runs: [StyledText.Run], notices: [SubtitleNotice]) {
    let file = try readWebVTT("STYLE\n\(css)\n\n00:01.000 --> 00:02.000\n\(text)\n")
    return (file.cues[0].text.runs, file.notices)
  }

  private func style(_ css: String, _ text: String) throws -> StyledText.Style {
    let (runs, notices) = try read(css, text)
    #expect(notices.isEmpty)
    return runs.first?.style ?? .plain
  }

  @Test func selectors() throws {
    let rule = "{ color: red }"
    #expect(try style("::cue \(rule)", "a").color == Self.red)
    #expect(try style("::cue(b) \(rule)", "<b>a</b>") == StyledText.Style(isBold: true, color: Self.red))
    #expect(try style("::cue(b) \(rule)", "<i>a</i>") == StyledText.Style(isItalic: true))
    #expect(try style("::cue(.loud) \(rule)", "<c.loud>a</c>").color == Self.red)
    #expect(try style("::cue(.loud) \(rule)", "<i.loud>a</i>").color == Self.red)
    #expect(try style("::cue(.Loud) \(rule)", "<c.loud>a</c>") == .plain)
    #expect(try style("::cue(c.loud.near) \(rule)", "<c.near.x.loud>a</c>").color == Self.red)
    #expect(try style("::cue(c.loud.near) \(rule)", "<c.loud>a</c>") == .plain)
    #expect(try style("::cue(v) \(rule)", "<v Ann>a") == StyledText.Style(color: Self.red, voice: "Ann"))
    #expect(try style("::cue( * ) \(rule)", "<c>a</c>").color == Self.red)
    #expect(try style("video::cue(c)\(rule)", "<c>a</c>").color == Self.red)
  }

  @Test(arguments: ["v[voice=\"Ann Lee\"]", "v[voice='Ann Lee']", "[voice = \"Ann Lee\"]", "v.x[voice='Ann Lee']"])
  func selectsVoices(selector: String) throws {
    let css = "::cue(\(selector)) { color: red }"
    #expect(try style(css, "<v.x Ann Lee>a") == StyledText.Style(color: Self.red, voice: "Ann Lee"))
    #expect(try style(css, "<v.x Ann>a") == StyledText.Style(voice: "Ann"))
  }

  @Test func selectorsWithCommas() throws {
    for css in ["::cue(b), ::cue(i) { color: red }", "::cue(b, i){color:red}"] {
      #expect(try style(css, "<b>a</b>").color == Self.red)
      #expect(try style(css, "<i>a</i>").color == Self.red)
      #expect(try style(css, "<u>a</u>").color == nil)
    }
  }

  /// A prefix is copied for each comma after it, so only the known short prefixes may precede several selectors.
  @Test func longPrefixesAreNotRepeated() throws {
    let css = String(repeating: "x", count: 40_000) + "(" + String(repeating: ",", count: 40_000) + ") { color: red }"
    let (runs, notices) = try read(css, "<b>a</b>")
    #expect(runs.first?.style.color == nil && notices.count == 1, "\(notices.count)")
  }

  @Test(arguments: [
    ("color: #F00", StyledText.Style(color: Self.red)), ("color:#ff0000", StyledText.Style(color: Self.red)),
    ("COLOR : RED", StyledText.Style(color: Self.red)), ("color: rgb(255, 0, 0)", StyledText.Style(color: Self.red)),
    ("color: rgb(100% 0% 0%)", StyledText.Style(color: Self.red)),
    ("color: red !important", StyledText.Style(color: Self.red)),
    ("color: rgba(255,0,0,.5)", StyledText.Style(color: StyledText.Color(red: 255, green: 0, blue: 0, alpha: 128))),
    ("color: rgb(255 0 0 / 50%)", StyledText.Style(color: StyledText.Color(red: 255, green: 0, blue: 0, alpha: 128))),
    ("color: #f008", StyledText.Style(color: StyledText.Color(red: 255, green: 0, blue: 0, alpha: 0x88))),
    ("color: #ff000080", StyledText.Style(color: StyledText.Color(red: 255, green: 0, blue: 0, alpha: 0x80))),
    ("background-color: transparent", StyledText.Style(backgroundColor: .transparent)),
    ("background: blue", StyledText.Style(backgroundColor: Self.blue)),
    ("font-style: italic", StyledText.Style(isItalic: true)),
    ("font-style: oblique", StyledText.Style(isItalic: true)), ("font-weight: bold", StyledText.Style(isBold: true)),
    ("font-weight: 600", StyledText.Style(isBold: true)), ("font-weight: 599", .plain),
    ("text-decoration: underline", StyledText.Style(isUnderlined: true)),
    ("font-size: 150%", StyledText.Style(sizeInPercent: 150)), ("font-size: 100%", .plain),
    ("font-size: 1000%", StyledText.Style(sizeInPercent: 1_000)),
    ("color: red; ; font-weight: bold;", StyledText.Style(isBold: true, color: Self.red)), ("", .plain),
  ])
  func declarations(declaration: String, expected: StyledText.Style) throws {
    #expect(try style("::cue(c) { \(declaration) }", "<c>a</c>") == expected)
  }

  @Test func resetsStyles() throws {
    #expect(try style("::cue(b) { font-weight: normal; color: red }", "<b>a</b>") == StyledText.Style(color: Self.red))
    #expect(try style("::cue(i) { font-style: normal }", "<i>a</i>") == .plain)
    #expect(try style("::cue(u) { text-decoration: none }", "<u>a</u>") == .plain)
  }

  @Test func prefersSpecificThenLaterSelectors() throws {
    #expect(try style("::cue(c.x) { color: red } ::cue(c) { color: blue }", "<c.x>a</c>").color == Self.red)
    #expect(try style("::cue(.x) { color: red } ::cue(.y) { color: blue }", "<c.x.y>a</c>").color == Self.blue)
    #expect(
      try style("::cue(.x) { color: red } ::cue(.y) { color: blue } ::cue(.x) { color: red }", "<c.x.y>a</c>").color
        == Self.red)
    #expect(try style("::cue(c) { color: red } ::cue { color: blue }", "<c>a</c>").color == Self.red)
    #expect(try style("::cue(.lime) { color: red }", "<c.lime>a</c>").color == Self.red)
  }

  @Test func inheritsStyles() throws {
    let (runs, _) = try read("::cue { color: blue } ::cue(b) { color: red }", "x<b>y<i>z</i></b>")
    #expect(runs.map(\.style.color) == [Self.blue, Self.red, Self.red])
  }

  @Test func combinesStyleSheets() throws {
    let file = try readWebVTT(
      "STYLE\n::cue(b) { color: red }\n\nNOTE x\n\nSTYLE \n::cue(b) { font-style: italic }\n\n00:01.000 --> 00:02.000\n<b>a\n"
    )
    #expect(file.cues[0].text.runs[0].style == StyledText.Style(isBold: true, isItalic: true, color: Self.red))
  }

  @Test(arguments: [
    ("::cue { color: red; font-family: Arial; line-height: 2 }", 2), ("::cue { color: nocolor }", 1),
    ("::cue { text-decoration: line-through }", 1), ("::cue { color }", 1), ("::cue(#id) { color: red }", 1),
    ("::cue(b i) { color: red }", 1), ("::cue(:past) { color: red }", 1), ("::cue() { color: red }", 1),
    ("::cue([lang=en]) { color: red }", 1), ("::cue-region { color: red }", 1), ("p { color: red }", 1),
    ("@import url(x.css);", 1), ("@media print { p", 1), ("::cue", 1), ("::cue { font-weight: 1001 }", 1),
    ("::cue { font-size: 1001% }", 1), ("::cue { font-size: 0% }", 1), ("::cue { font-size: 12px }", 1),
    ("::cue { color: rgb(1,2) }", 1), ("::cue { color: rgb(nan,0,0) }", 1), ("::cue(v[voice=\"]) { color: red }", 1),
  ])
  func reportsUnsupportedRules(css: String, count: Int) throws {
    let notices = try read(css, "a").notices
    #expect(notices.map(\.kind) == Array(repeating: .ignoredStyleRule, count: count))
    #expect(notices.allSatisfy { $0.line == 4 })
  }

  @Test func reportsLinesOfNotices() throws {
    let css = "/* a\n comment { */\n::cue(b) {\n  font-family: x;\n\tcolor: red;\n  zoom: 2\n}\np { }"
    let (_, notices) = try read(css, "a")
    #expect(notices.map(\.line) == [7, 9, 11])
  }

  @Test func endsUnfinishedRulesWithTheBlock() throws {
    #expect(try style("::cue(b) { color: red", "<b>a</b>").color == Self.red)
    #expect(try style("::cue(b) { color: red /*", "<b>a</b>").color == Self.red)
  }

  @Test func ignoresStyleSheetsAfterACue() throws {
    let file = try readWebVTT(
      "00:01.000 --> 00:02.000\n<b>a\n\nSTYLE\n::cue(b) { color: red }\n\n00:01.000 --> 00:02.000\n<b>b\n")
    #expect(file.cues.map { $0.text.runs[0].style.color } == [nil, nil])
    #expect(file.kinds == [.unclosedTag, .lateDefinition])
  }

  @Test func limitsTheNumberOfRules() throws {
    var limits = SubtitleLimits()
    limits.styleRuleCount = 2
    let css = (1...3).map { "::cue(.c\($0)) { color: red }\n" }.joined()
    let text = "WEBVTT\n\nSTYLE\n\(css)\n00:01.000 --> 00:02.000\n<c.c2>a</c><c.c3>b</c>\n"
    let file = try WebVTTReader.read(Array(text.utf8), limits: limits)
    #expect(file.cues[0].text.runs == [StyledText.Run(0..<1, StyledText.Style(color: Self.red))])
    #expect(file.notices.map(\.kind) == [.ignoredStyleRule])
  }
}
