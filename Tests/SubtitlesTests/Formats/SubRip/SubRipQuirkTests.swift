import SubtitleTestSupport
import MovieBox
import Subtitles
import Testing

/// Real files, with a test for each defect.
struct SubRipQuirkTests {
  private static let italic = StyledText.Style(isItalic: true)
  private static let red = StyledText.Style(color: StyledText.Color(red: 255, green: 0, blue: 0))

  /// Returns the single cue of a file with this text.
  private func cue(_ text: String, timing: String = "0:0:1,000 --> 0:0:2,000") throws -> Cue {
    try #require(try readSubRip("1\n\(timing)\n\(text)\n").cues.first)
  }

  private func kinds(_ text: String, timing: String = "0:0:1,000 --> 0:0:2,000") throws -> [SubtitleNotice.Kind] {
    try readSubRip("1\n\(timing)\n\(text)\n").kinds
  }

  // MARK: - Times

  @Test func warnsOfPossibleFrameNumbers() throws {
    let frames = try readSubRip("1\n00:00:01:00 --> 00:00:02:12\nA\n")
    #expect(frames.cues.first?.endMilliseconds == 2_120)
    #expect(frames.notices.map { $0.message.hasSuffix("replace them by milliseconds") } == [true])
    let fraction = try readSubRip("1\n00:00:01,00 --> 00:00:02,12\nA\n")
    #expect(fraction.notices.map { $0.message.hasSuffix("replace them by milliseconds") } == [false])
  }

  // MARK: - Structure

  @Test func missingBlankLine() throws {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nA\n2\n0:0:3,000 --> 0:0:4,000\nB\n")
    #expect(file.texts == ["A", "B"])
    #expect(file.kinds == [.missingBlankLine])
  }

  @Test func blankLineInsideCue() throws {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nA\n\nB\n\n2\n0:0:3,000 --> 0:0:4,000\nC\n")
    #expect(file.texts == ["A\n\nB", "C"])
    #expect(file.kinds == [.blankLineInCue])
  }

  @Test func repeatedMissingAndFallingNumbers() throws {
    let file = try readSubRip(
      "9\n0:0:1,000 --> 0:0:2,000\nA\n\n9\n0:0:3,000 --> 0:0:4,000\nB\n\n0:0:5,000 --> 0:0:6,000\nC\n\n"
        + "1\n0:0:7,000 --> 0:0:8,000\nD\n")
    #expect(file.texts == ["A", "B", "C", "D"])
    #expect(file.notices.isEmpty)
  }

  @Test func reportsTextAfterANumber() throws {
    let file = try readSubRip("1 one\n0:0:1,000 --> 0:0:2,000\nA\n")
    #expect(file.notices.map(\.lostText) == ["1 one"])
  }

  @Test func sortsCues() throws {
    let file = try readSubRip("1\n0:0:3,000 --> 0:0:4,000\nB\n\n2\n0:0:1,000 --> 0:0:2,000\nA\n")
    let timeline = try CueTimeline(file.cues, movieDuration: 5, movieTimeScale: 1)
    #expect(timeline.samples.map { $0.text?.text ?? "" } == ["", "A", "", "B", ""])
  }

  @Test func mixedLineEnds() throws {
    #expect(try readSubRip("1\r\n0:0:1,000 --> 0:0:2,000\rA\nB\r\n").texts == ["A\nB"])
  }

  @Test func keepsTextBesideTheTimes() throws {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000 - Who's there?\nMe.\n")
    #expect(file.texts == ["- Who's there?\nMe."])
    #expect(file.kinds == [.textBesideTimes])
  }

  // MARK: - Times

  @Test func arrowWithoutSpaces() throws {
    let cue = try cue("A", timing: "00:00:01,000-->00:00:02,500")
    #expect([cue.startMilliseconds, cue.endMilliseconds] == [1_000, 2_500])
  }

  @Test(arguments: ["->", "–>", "—>", "→", "=>", "-- >", "--->"])
  func acceptsOtherArrowsWithNotice(arrow: String) throws {
    let file = try readSubRip("1\n00:00:01,000 \(arrow) 00:00:02,500\nA\n")
    #expect(file.times == [[1_000, 2_500]])
    #expect(file.kinds == [.unusualTime])
  }

  @Test(arguments: [(",5", 500), (",05", 50), (",005", 5), (".5", 500), (":500", 500), (",5000", 500), ("", 0)])
  func oddMillisecondDigits(fraction: String, milliseconds: Int64) throws {
    #expect(try cue("A", timing: "00:00:01\(fraction) --> 00:00:09,000").startMilliseconds == 1_000 + milliseconds)
  }

  @Test func acceptsBlanksInsideTimes() throws {
    let file = try readSubRip("1\n00: 00: 01, 000 --> 00 : 00 : 02,500\nA\n")
    #expect(file.times == [[1_000, 2_500]])
    #expect(file.kinds == [.unusualTime])
  }

  @Test func carriesSecondsAndMinutesAbove59() throws {
    #expect(try cue("A", timing: "00:00:75,000 --> 00:61:00,000").startMilliseconds == 75_000)
  }

  @Test func hoursBeyond99AndNegativeTimes() throws {
    #expect(try cue("A", timing: "100:00:00,000 --> 101:00:00,000").startMilliseconds == 360_000_000)
    let negative = try readSubRip("1\n-00:00:01,000 --> 00:00:02,000\nA\n")
    let timeline = try CueTimeline(negative.cues, movieDuration: 5, movieTimeScale: 1)
    #expect(timeline.samples.map(\.duration) == [2_000, 3_000])
    #expect(timeline.notices.map(\.kind) == [.startClamped])
  }

  @Test func endBeforeStartKeepsItsText() throws {
    let file = try readSubRip("1\n0:0:2,000 --> 0:0:1,000\nKept <i>words</i>\n\n2\n0:0:3,000 --> 0:0:4,000\nB\n")
    #expect(file.texts == ["Kept words", "B"])
    #expect(file.notices.map(\.kind) == [.endMoved])
    #expect(file.notices.map(\.lostText) == [nil])
  }

  // MARK: - Forced cues and placement

  @Test func readsExclamationMarksAsForced() throws {
    let cue = try cue("A", timing: "0:0:1,000 --> 0:0:2,000 !!!")
    #expect(cue.isForced)
  }

  @Test(arguments: 1...9)
  func placesACueByAnOverride(digit: Int) throws {
    let cue = try cue("{\\an\(digit)}A")
    #expect(cue.placement == Cue.Placement(keypad: digit))
    #expect(cue.placement.vertical == [.bottom, .middle, .top][(digit - 1) / 3])
    #expect(cue.placement.horizontal == [.left, .center, .right][(digit - 1) % 3])
    #expect(cue.text == StyledText("A"))
    #expect(try kinds("{\\an\(digit)}A").isEmpty)
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 3), (5, 7), (6, 8), (7, 9), (9, 4), (10, 5), (11, 6)])
  func placesACueByAnOlderOverride(number: Int, digit: Int) throws {
    #expect(try cue("{\\a\(number)}A").placement == Cue.Placement(keypad: digit))
  }

  @Test(arguments: ["an0", "a4", "a12", "an", "an88"])
  func dropsAnInvalidPlacementWithNotice(override: String) throws {
    #expect(try cue("{\\\(override)}A").placement == .standard)
    #expect(try kinds("{\\\(override)}A") == [.droppedOverride])
  }

  @Test func usesTheFirstPlacement() throws {
    #expect(try cue("{\\an8}A\n{\\an8}B").placement.vertical == .top)
    #expect(try kinds("{\\an8}A\n{\\an8}B").isEmpty)
    #expect(try cue("{\\an8}A\n{\\an2}B").placement.vertical == .top)
    #expect(try kinds("{\\an8}A\n{\\an2}B") == [.droppedOverride])
  }

  @Test func convertsCoordinatesToTopOrBottom() throws {
    let file = try readSubRip(
      "1\n0:0:1,000 --> 0:0:2,000 X1:100 X2:600 Y1:20 Y2:80\nUp\n\n"
        + "2\n0:0:3,000 --> 0:0:4,000  X1:100 X2:600 Y1:440 Y2:520\nDown\n\n"
        + "3\n0:0:5,000 --> 0:0:6,000 x1:1 x2:2 y1:1 y2:2\n{\\an5}Middle\n")
    #expect(file.cues.map(\.placement.vertical) == [.top, .bottom, .middle])
    #expect(file.kinds == [.approximatedPlacement])
    #expect(file.notices.map(\.line) == [2, 6])
  }

  // MARK: - Tags

  @Test func tagsInBraces() throws {
    #expect(try cue("{b}a{/b} {I}b{/I}").text.runs.map(\.style) == [StyledText.Style(isBold: true), Self.italic])
    #expect(try kinds("{b}a{/b} {I}b{/I}").isEmpty)
    #expect(try cue("{ b } {bb} {").text.text == "{ b } {bb} {")
  }

  @Test func styleOverridesOfSubStationAlpha() throws {
    let text = try cue("{\\i1}a{\\i0}b{\\b1\\u1}c{\\r}d{\\c&H0000FF&}e{\\1c&HFF0000&}f{\\c}g").text
    #expect(text.text == "abcdefg")
    #expect(
      text.runs == [
        StyledText.Run(0..<1, Self.italic), StyledText.Run(2..<3, StyledText.Style(isBold: true, isUnderlined: true)),
        StyledText.Run(4..<5, Self.red),
        StyledText.Run(5..<6, StyledText.Style(color: StyledText.Color(red: 0, green: 0, blue: 255))),
      ])
  }

  @Test(arguments: ["\\fad(1,2)", "\\pos(1,2)", "\\k20", "\\fnArial", "\\i2", "\\c&Hxx&", "\\p1", "\\"])
  func dropsOtherOverridesWithNotice(override: String) throws {
    #expect(try cue("{\(override)}A").text == StyledText("A"))
    #expect(try kinds("{\(override)}A") == (override == "\\" ? [] : [.droppedOverride]))
  }

  @Test func stylesOfMicroDVD() throws {
    let text = try cue("{y:i}a\nb\n{Y:b}{c:$0000FF}c\nd").text
    #expect(text.text == "a\nb\nc\nd")
    #expect(text.runs.map(\.range) == [0..<2, 4..<6, 6..<7])
    #expect(text.runs.map(\.style.isItalic) == [true, false, false])
    #expect(text.runs.map(\.style.isBold) == [false, true, true])
    #expect(text.runs[1].style.color == Self.red.color)
    #expect(try cue("{y:x} {c:red} {note: this}").text.text == "{y:x} {c:red} {note: this}")
  }

  @Test func nestedTags() throws {
    #expect(
      try cue("<i>a<b>b</b></i>").text.runs.map(\.style) == [
        Self.italic, StyledText.Style(isBold: true, isItalic: true),
      ])
  }

  @Test func crossedTags() throws {
    let styles = try cue("<i>a<b>b</i>c</b>").text.runs.map(\.style)
    #expect(styles == [Self.italic, StyledText.Style(isBold: true, isItalic: true), StyledText.Style(isBold: true)])
  }

  @Test func unclosedTags() throws {
    #expect(try cue("<i>a").text.runs == [StyledText.Run(0..<1, Self.italic)])
    #expect(try kinds("<i>a") == [.unclosedTag])
  }

  @Test func emphasisOfHTML() throws {
    #expect(
      try cue("<em>a</em><strong>b</strong>").text.runs.map(\.style) == [Self.italic, StyledText.Style(isBold: true)])
  }

  @Test(arguments: ["#FF0000", "FF0000", "red", "#f00", "Red"])
  func coloursByNameAndNumber(color: String) throws {
    #expect(try cue("<font color=\"\(color)\">a</font>").text.runs == [StyledText.Run(0..<1, Self.red)])
  }

  @Test func keepsUnpairedUnknownTags() throws {
    #expect(try cue("<sighs> Oh, <someone@example.org>").text.text == "<sighs> Oh, <someone@example.org>")
    #expect(try kinds("<sighs> Oh") == [.tagAsText])
    #expect(
      SubtitleNotice.Kind.tagAsText.effect == .repaired && SubtitleNotice.Kind.unknownTag.effect == .inexpressible)
    #expect(try readSubRip("0:0:1,000 --> 0:0:2,000\n<sighs>\n").notices.map(\.lostText) == [nil])
  }

  @Test func reportsPairedUnknownTagsAndKeepsTheirText() throws {
    let file = try readSubRip("0:0:1,000 --> 0:0:2,000\n<x1 y>a</x1>\n")
    #expect(file.texts == ["a"])
    #expect(file.notices.map(\.lostText) == ["<x1 y> </x1>"])
  }

  @Test func readsManyUnknownTagsQuickly() throws {
    let file = try readSubRip("0:0:1,000 --> 0:0:2,000\n" + String(repeating: "<x>", count: 20_000) + "\n")
    #expect(file.texts.map(\.utf8.count) == [60_000])
  }

  // MARK: - Characters

  @Test func lineBreaksAsTagsAndEscapes() throws {
    #expect(try cue("a<br>b<BR/>c\\Nd").text.text == "a\nb\nc\nd")
    #expect(try kinds("a<br>b").isEmpty)
    #expect(try kinds("a\\Nb\\Nc") == [.substationEscape])
    #expect(SubtitleNotice.Kind.substationEscape.effect == .repaired)
    // OCR programs read a capital I as a bar, and paths are lowercase.
    #expect(try cue("| am in C:\\new").text.text == "| am in C:\\new")
  }

  @Test func hardBlanksOfSubStationAlpha() throws {
    #expect(try cue("\\h\\ha").text.text == "\u{A0}\u{A0}a")
    #expect(try kinds("\\h\\ha") == [.substationEscape])
  }

  @Test(arguments: ["C:\\new\\home", "C:\\home", "(C:\\New)", "\\\\server\\home", "docs\\text\\home", "a\\\\Nb"])
  func keepsBackslashesInPaths(path: String) throws {
    #expect(try cue("see \(path) now").text.text == "see \(path) now")
    #expect(try kinds("see \(path) now").isEmpty)
  }

  @Test func readsEscapesBesideOverrides() throws {
    #expect(try cue("{\\i1}Ann:\\Nb{\\i0}\\h\\Nc").text.text == "Ann:\nb\u{A0}\nc")
  }

  @Test func trimsBlanksBeforeLineBreaks() throws {
    let cue = try cue("<i>Hello </i>\\Nworld <br>now")
    #expect(cue.text == StyledText("Hello\nworld\nnow", runs: [StyledText.Run(0..<5, Self.italic)]))
    #expect(try self.cue("<i>Hello  \\N world</i>").text.runs == [StyledText.Run(0..<12, Self.italic)])
    let written = SubRipWriter.write([cue])
    #expect(try SubRipReader.read(written.bytes).cues.map(\.text) == [cue.text])
  }

  @Test func dropsDrawingsWithNotice() throws {
    let file = try readSubRip(
      "1\n0:0:1,000 --> 0:0:2,000\n{\\p1}m 0 0 l 100 0 100 -1.5{\\p0}Shown\n\n"
        + "2\n0:0:2,000 --> 0:0:3,000\n{\\an7\\p2}m 0 0 b 1 2\nn 3 4 p 5 s 6 c\n\n"
        + "3\n0:0:3,000 --> 0:0:4,000\nml 5\n")
    #expect(file.texts == ["Shown", "ml 5"])
    #expect(file.notices.map(\.kind) == [.droppedDrawing, .emptyCue, .droppedDrawing])
    #expect(file.notices.map(\.lostText) == ["m 0 0 l 100 0 100 -1.5", nil, "m 0 0 b 1 2 n 3 4 p 5 s 6 c"])
    #expect(SubtitleNotice.Kind.droppedDrawing.effect == .inexpressible)
  }

  @Test(
    arguments: [
      ("&lt;b&gt;", "<b>"), ("&amp;", "&"), ("a&nbsp;b", "a\u{A0}b"), ("&#39;&apos;&quot;", "''\""), ("&#x1F600;", "😀"),
      ("&#X41;", "A"), ("&eacute;&rlm;&hellip;", "é\u{200F}…"), ("a&#10;b", "a\nb"), ("&amp;lt;", "&lt;"),
    ])
  func characterReferences(written: String, meant: String) throws {
    #expect(try cue(written).text.text == meant)
    #expect(try kinds(written).isEmpty)
  }

  @Test(
    arguments: [
      "AT&T", "R&D; yes", "&#0;", "&#xD800;", "&#1114112;", "&#7;", "&;", "&#;", "&#x;", "&#+5;", "&Eacut;", "a &",
      "&amp",
    ])
  func keepsInvalidCharacterReferences(text: String) throws {
    #expect(try cue(text).text.text == text)
  }

  @Test func removesNULs() throws {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nA\0B\n\0\0")
    #expect(file.texts == ["AB"])
    #expect(file.kinds == [.strippedCharacters])
  }

  @Test func removesInnerByteOrderMarksOnly() throws {
    let file = try readSubRip(
      "1\n0:0:1,000 --> 0:0:2,000\n\u{FEFF}A\u{200B}\u{200C}\u{200D}\u{200E}\u{200F}\u{2060}B\n")
    #expect(
      file.cues.map { Array($0.text.text.unicodeScalars.map(\.value)) } == [
        [0x41, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0x42]
      ])
    #expect(file.kinds == [.strippedCharacters])
  }

  @Test func trimsTrailingBlanks() throws {
    #expect(try cue("A \t\nB\t ").text.text == "A\nB")
  }
}
