import MovieBox
import Subtitles
import Testing

/// Chapter lists in video descriptions, show notes, set lists and lecture notes.
struct ChapterTextListTests {
  /// A list, its chapters (`start title` or `start-end title`, in seconds), and the notices with their lines.
  struct Example: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    let chapters: [String]
    var notices: [String] = []

    init(_ name: String, _ text: String, _ chapters: [String], notices: [String] = []) {
      (self.name, self.text, self.chapters, self.notices) = (name, text, chapters, notices)
    }

    var testDescription: String { name }
  }

  private static func read(_ text: String) throws -> ChapterList { try ChapterList.read(Array(text.utf8)) }

  private static func seconds(_ milliseconds: Int64) -> String {
    milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(milliseconds / 1_000).\(milliseconds % 1_000)"
  }

  private static func lines(_ list: ChapterList) -> [String] {
    list.chapters.map { chapter in
      let end = chapter.endMilliseconds.map { "-" + seconds($0) } ?? ""
      return "\(seconds(chapter.startMilliseconds))\(end) \(chapter.title() ?? "")"
    }
  }

  private static func notices(_ list: ChapterList) -> [String] {
    list.notices.map { "\($0.code) \($0.line.map(String.init) ?? "-")" }
  }

  @Test func keepsTheFirstChapterOfATime() throws {
    let list = try Self.read("0:00 Intro\n1:05 Coffee\n2:30 Work\n\n1:05 is loud, headphone users beware\n")
    #expect(Self.lines(list) == ["0 Intro", "65 Coffee", "150 Work"])
    #expect(list.notices.contains { $0.message.contains("\"is loud, headphone users beware\" is omitted") })
  }

  @Test(arguments: [
    "0:00 Intro | 1:05 Two | 2:30 Three", "Intro 0:00 | Two 1:05 | Three 2:30", "0:00 Intro 1:05 Two 2:30 Three",
    "(0:00) Intro (1:05) Two (2:30) Three", "0:00 Intro, 1:05 Two, 2:30 Three",
    "0:00 | Intro | 1:05 | Two | 2:30 | Three",
    "Intro (0:00) Two (1:05) Three (2:30)", "0:00 Intro • 1:05 Two\n2:30 Three",
    "0:00 - Intro - 1:05 - Two - 2:30 - Three",
    "00:00:00 Intro / 00:01:05 Two / 00:02:30 Three\n",
  ]) func readsAListInOneLine(_ text: String) throws {
    let list = try Self.read(text)
    #expect(Self.lines(list) == ["0 Intro", "65 Two", "150 Three"] && list.notices.isEmpty, "\(list.notices)")
  }

  @Test func reportsProseBeforeAListInOneLine() throws {
    let list = try Self.read("In this video: 0:00 Intro 1:05 Two 2:30 Three")
    #expect(Self.lines(list) == ["0 Intro", "65 Two", "150 Three"])
    #expect(list.notices.map(\.code) == ["text-left-out"] && list.notices.first?.lostText == "In this video:")
  }

  @Test(arguments: [
    ("0:00 Meeting at 9:30 sharp", ["0 Meeting at 9:30 sharp"], ["several-times-in-line 1"]),
    ("0:00 Intro\n1:05 Meeting at 9:30, 10:30, 11:30", ["0 Intro", "65 Meeting at 9:30, 10:30, 11:30"], []),
    ("0:00 - 1:05 Intro\n1:05 - 2:00 Two", ["0-65 Intro", "65-120 Two"], []),
    ("0:00 Intro | 5:00 Two | 1:05 Three", ["0 Intro | 5:00 Two | 1:05 Three"], ["several-times-in-line 1"]),
  ]) func keepsATimeInATitle(_ text: String, _ chapters: [String], _ notices: [String]) throws {
    let list = try Self.read(text)
    #expect(Self.lines(list) == chapters && Self.notices(list) == notices)
  }

  @Test(arguments: ["3:45 A\n4:02 B\n3:10 C\n", "A 3:45\nB 4:02\nC 3:10\n", "1. A (3:45)\n2. B (4:02)\n3. C (3:10)\n"])
  func reportsTimesThatMayBeDurations(_ text: String) throws {
    let list = try Self.read(text)
    #expect(Self.lines(list) == ["190 C", "225 A", "242 B"])
    #expect(Self.notices(list) == ["times-may-be-lengths 1", "chapters-out-of-order 3"])
    #expect(list.notices.first?.message.contains("lengths") == true)
    let inOrder = try Self.read("0:00 A\n4:02 B\n3:10 C\n")
    #expect(Self.notices(inOrder) == ["chapters-out-of-order 3"])
  }

  @Test(arguments: [
    ("0:00 Intro\n1:05 Two\n* 5:00 pm we go live", "* 5:00 pm we go live"),
    ("0:00 Intro\n1:05 Two\n\n(9:30 was the best moment)", "(9:30 was the best moment)"),
    ("• 0:00 Intro\n• 1:05 Two\n5:00 pm sharp", "5:00 pm sharp"),
    ("1. 0:00 Intro\n2. 1:05 Two\n- 5:00 pm sharp", "- 5:00 pm sharp"),
    ("[0:00] Intro\n[1:05] Two\n> 5:00 someone wrote", "> 5:00 someone wrote"),
  ]) func ignoresALaterLineOfAnotherShape(_ text: String, _ prose: String) throws {
    let list = try Self.read(text)
    #expect(Self.lines(list) == Self.two)
    #expect(list.notices.map(\.code) == ["text-left-out"] && list.notices.first?.lostText == prose)
    #expect(list.notices.first?.message.contains("the characters before the time differ") == true)
  }

  @Test(arguments: [
    "0:00 Intro\n- 1:05 Two\n2:30 Three", "🎬 0:00 Intro\n🎸 1:05 Two\n2:30 Three",
    "- 0:00 Intro\n1:05 Two\n- 2:30 Three",
    "1. 0:00 Intro\n2. 1:05 Two\n10) 2:30 Three",
  ]) func acceptsOtherShapesInsideAList(_ text: String) throws {
    #expect(try Self.read(text).chapters.count == 3)
  }

  @Test func ignoresWordsBeforeAListOfOneLine() throws {
    let list = try Self.read("Chapters: 0:00 Intro, 1:05 Two, 2:30 Three")
    #expect(Self.lines(list) == ["0 Intro", "65 Two", "150 Three"])
    #expect(list.notices.map(\.lostText) == ["Chapters:"])
  }

  @Test func splitsLinesAtHTMLBreaks() throws {
    let list = try Self.read("0:00 Intro<br>1:05 Two <3<BR/>\n2:30 Three<br />")
    #expect(Self.lines(list) == ["0 Intro", "65 Two <3", "150 Three"] && list.notices.isEmpty)
  }

  @Test func keepsEmojiWithVariationSelectors() throws {
    let list = try Self.read("⏱️ 0:00 Intro\n🎬 1:05 Two\n")
    #expect(Self.lines(list) == ["0 ⏱️ Intro", "65 🎬 Two"])
    #expect(try Self.lines(Self.read("▶️ 0:00 Intro\n▶️ 1:05 Two\n")) == Self.two)
  }

  @Test func readsEndsAfterNumberedTitles() throws {
    let list = try Self.read("1. Intro 0:00 – 1:05\n2. Two 1:05 – 2:30\n")
    #expect(Self.lines(list) == ["0-65 Intro", "65-150 Two"])
  }

  @Test func recordsLinesOfChapters() throws {
    #expect(try Self.read("A list\n0:00 Intro\n\n1:05 Two\n").lines == [0: 2, 65_000: 4])
    #expect(try Self.read("CHAPTER01=00:00:00.000\nCHAPTER01NAME=A\n").lines == [0: 1])
    #expect(try Self.read("WEBVTT\n\n00:01.000 --> 00:02.000\nA\n").lines == [1_000: 3])
  }

  @Test(arguments: examples) func readsCommonChapterLists(_ example: Example) throws {
    let list = try Self.read(example.text)
    #expect(Self.lines(list) == example.chapters)
    #expect(Self.notices(list) == example.notices)
    // Files of Windows, and of editors that write a byte order mark.
    let windows = try Self.read(
      "\u{FEFF}"
        + example.text.split(separator: "\n", omittingEmptySubsequences: false)
        .joined(separator: "\r\n"))
    #expect(Self.lines(windows) == example.chapters)
    #expect(Self.notices(windows) == example.notices)
  }

  private static let two = ["0 Intro", "65 Two"]

  static let examples: [Example] = separators + ranges + marks + timesLast + prose + scripts

  /// Separators after the time in every line, which do not belong to titles.
  private static let separators =
    ["|", "→", "•", "~", ":", "->", "=", "/", "–", "-", "—", "=>", "»", ">", "::", "·", "||", "―", "►", "｜", "‣", "➡"]
    .map { sign in
      Example("separator \(sign)", "0:00 \(sign) Intro\n1:05 \(sign) Two\n", two)
    } + [
      Example("colon right after the time", "0:00: Intro\n1:05: Two\n", two),
      Example("dash without blanks", "0:00-Intro\n1:05-Two\n", two),
      Example("bar without blanks", "00:00|Intro\n01:05|Two", two),
      Example("bracket right after the time", "0:00) Intro\n1:05) Two", two),
      Example("tabs", "0:00\tIntro\n1:05\tTwo", two),
      Example("mixed signs", "0:00 - Intro\n1:05 – Two\n2:00: Three", two + ["120 Three"]),
      Example("sign of one title alone", "0:00 Intro\n1:05 / Two\n", ["0 Intro", "65 / Two"]),
      Example("table of Markdown", "| 0:00 | Intro |\n| 1:05 | Two |", two),
      Example("emoji as separator", "0:00 ▶️ Intro\n1:05 ▶️ Two", two),
      Example("negative number as title", "0:00 -5 degrees\n1:05 Two", ["0 -5 degrees", "65 Two"]),
      Example("empty title", "0:00 -\n1:05 - Two", ["0 ", "65 Two"]),
      Example("titles with dashes inside", "0:00 Intro - One\n1:05 Two - Three", ["0 Intro - One", "65 Two - Three"]),
      Example(
        "a program's times with a separator", "00:00:00.000 | Intro\n00:01:05.000 | Two", two,
        notices: ["separator-left-out 1"]),
      Example(
        "a program's titles with signs", "00:00:00.000 - Intro\n00:01:05.000 Two", ["0 - Intro", "65 Two"]),
    ]

  /// Lines with a second time, which is the end.
  private static let ranges = [
    Example("range", "0:00 - 1:05 Intro\n1:05 - 2:00 Two", ["0-65 Intro", "65-120 Two"]),
    Example("range without blanks", "0:00–1:05 Intro\n1:05–2:00 Two", ["0-65 Intro", "65-120 Two"]),
    Example("range in brackets", "[0:00 - 1:05] Intro\n[1:05 - 2:00] Two", ["0-65 Intro", "65-120 Two"]),
    Example("range of brackets", "[0:00] - [1:05] Intro\n[1:05] - [2:00] Two", ["0-65 Intro", "65-120 Two"]),
    Example("range with arrows", "0:00 → 1:05: Intro\n1:05 → 2:00: Two", ["0-65 Intro", "65-120 Two"]),
    Example("range in words", "0:00 to 1:05 - Intro\n1:05 to 2:00 - Two", ["0-65 Intro", "65-120 Two"]),
    Example("columns", "0:00\t1:05\tIntro\n1:05\t2:00\tTwo", ["0-65 Intro", "65-120 Two"]),
    Example(
      "last without an end", "0:00 - 1:05 Intro\n1:05 - 2:00 Two\n2:00 End", ["0-65 Intro", "65-120 Two", "120 End"]),
    Example("durations", "0:00 (1:05) Intro\n1:05 (0:55) Two\n", ["0-65 Intro", "65-120 Two"]),
    Example(
      "recogniser", "[00:00:01.000 --> 00:00:03.000]  Hello\n[00:00:03.000 --> 00:00:04.500]  You",
      ["1-3 Hello", "3-4.500 You"]),
    Example("second time in one title", "0:00 Intro\n1:05 10:30 News", ["0 Intro", "65 10:30 News"]),
    Example(
      "end before the start", "0:00 - 1:05 Intro\n1:05 - 0:20 Two\n2:00 - 3:00 Three",
      ["0-65 Intro", "65 Two", "120-180 Three"], notices: ["unreadable-end 2"]),
  ]

  /// Bullets, numbers and brackets before and around the time.
  private static let marks =
    [
      "• %", "- %", "* %", "▪ %", "► %", "✅ %", "1. %", "1) %", "1.%", "(1) %", "#1 %", "01 - %", "[%]", "(%)", "【%】",
      "<%>", "{%}", "**%**", "`%`", "⏱️ %",
    ]
    .map { mark in
      Example(
        "mark \(mark)",
        ["0:00", "1:05"].map { mark.replacing("%", with: $0) }.enumerated().map { "\($1) \($0 == 0 ? "Intro" : "Two")" }
          .joined(separator: "\n"), two)
    } + [
      Example("counted", "1. 0:00 Intro\n2. 1:05 Two\n10. 2:00 Ten", two + ["120 Ten"]),
      Example("counted by emoji", "1️⃣ 0:00 Intro\n2️⃣ 1:05 Two", two),
      Example("counted in brackets", "[1] 0:00 Intro\n[2] 1:05 Two", two),
      Example("emoji that differ", "🎬 0:00 Intro\n🎸 1:05 Two", ["0 🎬 Intro", "65 🎸 Two"]),
      Example(
        "words before", "Chapter 1 - 0:00 - The Boy\nChapter 2 - 1:05 - The Girl",
        ["0 Chapter 1 The Boy", "65 Chapter 2 The Girl"]),
      Example(
        "links of Markdown", "[0:00](https://a.example/w?t=0) Intro\n[1:05](https://a.example/w?t=65) Two", two,
        notices: ["links-left-out 1"]),
      Example("sections", "1.1 0:00 Intro\n1.2 1:05 Two", ["0 1.1 Intro", "65 1.2 Two"]),
      Example("line in brackets", "(0:00 Intro)\n(1:05 Two)", two),
      Example("quoted titles", "0:00 \"Intro\"\n1:05 \"Two\"", ["0 \"Intro\"", "65 \"Two\""]),
    ]

  /// Lines with the time after the title.
  private static let timesLast =
    ["% - @", "%: @", "% (@)", "% [@]", "% … @", "% ........ @", "%\t@", "% | @", "% @", "- % – @"].map { form in
      Example(
        "time last: \(form)",
        [("Intro", "0:00"), ("Two", "1:05")].map { form.replacing("%", with: $0).replacing("@", with: $1) }
          .joined(separator: "\n"), two)
    } + [
      Example("time last, counted", "1. Intro 0:00\n2. Two 1:05\n3. 99 Luftballons 2:00", two + ["120 99 Luftballons"]),
      Example("time last, title with a number", "7 Years 0:00\n24 Hours 1:05", ["0 7 Years", "65 24 Hours"]),
      Example("time last, range", "Intro 0:00 - 1:05\nTwo 1:05 - 2:00", ["0-65 Intro", "65-120 Two"]),
      Example("time last, questions", "Why? 0:00\nWhat. 1:05", ["0 Why?", "65 What."]),
      Example("title in the next line", "0:00\nIntro\n1:05\nTwo\n", two),
      Example("title in the line before", "Intro\n0:00\nTwo\n1:05\n", two),
      Example(
        "durations of a set list", "Song A 3:45\nSong B 2:10\nSong C 5:00", ["130 Song B", "225 Song A", "300 Song C"],
        notices: ["times-may-be-lengths 1", "chapters-out-of-order 2"]),
    ]

  /// Text before, between and after the chapters.
  private static let prose = [
    Example(
      "description of a video",
      """
      Welcome to my channel! Today we bake bread at 20:00.

      Timestamps:
      0:00 Intro
      1:05 Two

      Follow me: https://a.example/me
      #baking #bread
      """, two, notices: ["text-left-out 1", "text-left-out 7"]),
    Example(
      "notes between", "0:00 Intro\nwith Anna\n1:05 Two\n", two, notices: ["text-left-out 2"]),
    Example(
      "lecture", "Lecture 3 — Groups\n00:00:00 Intro\n00:01:05 Two\n01:02:03 Questions\n", two + ["3723 Questions"],
      notices: ["text-left-out 1"]),
    Example("comment of mp4chaps", "# total-duration: 00:11:22\n0:00 Intro\n1:05 Two", two),
    Example(
      "heading of Markdown", "## Chapters\n- 0:00 Intro\n- 1:05 Two", two, notices: ["text-left-out 1"]),
    Example(
      "not in order", "1:05 Two\n0:00 Intro", two, notices: ["chapters-out-of-order 2"]),
    Example("one chapter", "Hello.\n0:00 Intro\nBye.", ["0 Intro"], notices: ["text-left-out 1", "text-left-out 3"]),
    Example("time of a day in a title", "0:00 Intro\n1:05 Two at 5:30pm", ["0 Intro", "65 Two at 5:30pm"]),
    Example("time of a day before prose", "5:30pm doors open\n0:00 Intro\n1:05 Two", two, notices: ["text-left-out 1"]),
  ]

  /// Other scripts and spellings of times.
  private static let scripts = [
    Example("Japanese", "0:00オープニング\n1:05「本編」", ["0 オープニング", "65 「本編」"]),
    Example("full width", "００：００ 始まり\n０１：０５ 終わり", ["0 始まり", "65 終わり"]),
    Example("Arabic digits", "٠:٠٠ مقدمة\n١:٠٥ النهاية", ["0 مقدمة", "65 النهاية"]),
    Example("Hebrew with marks", "\u{200F}0:00 - פתיחה\n\u{200F}1:05 - סוף", ["0 פתיחה", "65 סוף"]),
    Example("emoji in titles", "0:00 🎬 Intro\n1:05 🎸 Two", ["0 🎬 Intro", "65 🎸 Two"]),
    Example("hours", "0:00:00 Intro\n0:01:05 Two\n1:00:00 Three\n10:00:00 Ten", two + ["3600 Three", "36000 Ten"]),
    Example("minutes past the hour", "0:00 Intro\n1:05 Two\n75:30 Three", two + ["4530 Three"]),
    Example("units", "0h00m00s Intro\n0h01m05s Two\n1h02m03s Three", two + ["3723 Three"]),
    Example("fractions", "0:00.5 Intro\n1:05,25 Two", ["0.500 Intro", "65.250 Two"]),
    Example("nonbreaking blanks", "0:00\u{A0}–\u{A0}Intro\n1:05\u{A0}–\u{A0}Two", two),
    Example("blank lines", "\n\n0:00 Intro\n\n\n1:05 Two\n\n", two),
    Example(
      "frames of GPAC", "00:00:00:00 Intro\n00:01:05:12 Two", ["0 Intro", "65.480 Two"],
      notices: ["frame-rate-guessed 1"]),
    Example("frames with their rate", "00:00:00;00/50 Intro\n00:01:05;25/50 Two", ["0 Intro", "65.500 Two"]),
    Example("milliseconds after a colon", "00:00:00:000 Intro\n00:01:05:250 Two", ["0 Intro", "65.250 Two"]),
  ]

  /// Every short line is a chapter or causes a notice, and no line makes the reader fail.
  @Test func readsEveryShortLine() {
    let pieces = ["1:05", "-", " ", "[", "]", "*", ".", "A"]
    var lines = [""]
    for _ in 0..<5 {
      lines = lines.flatMap { line in pieces.map { line + $0 } }
      if lines[0].utf8.count > 20 { break }
      for chunk in stride(from: 0, to: lines.count, by: 64) {
        _ = Result {
          try Self.read((["0:00 Start"] + lines[chunk..<min(chunk + 64, lines.count)]).joined(separator: "\n"))
        }
      }
      for line in lines.prefix(600) { _ = Result { try Self.read(line) } }
    }
  }

  @Test func quotesDroppedText() throws {
    let list = try Self.read("Welcome!\nSecond line\n0:00 Intro\n")
    #expect(list.notices.map(\.lostText) == ["Welcome!\nSecond line"])
    #expect(
      list.notices.map(\.message) == [
        "not a chapter: the line has no time where the other lines have a time: \"Welcome!\", and 1 more line"
      ])
  }

  @Test(arguments: ["hello\n", "The show begins at 20:00.\n", "5:30pm doors\n", "1:65 Intro\n", "a 1:2:3:4:5"])
  func rejectsTextWithoutChapters(_ text: String) throws {
    let error = try #require(throws: SubtitleError.self) { try Self.read(text) }
    #expect(error.code.rawValue == "chapter-format" && (error.line != nil || error.offset != nil), "\(error)")
  }

  /// SubRip is read as cues, even if its times resemble a list.
  @Test func readsCuesAsSubRip() throws {
    let numbered = "1\n00:00:00,000 --> 00:00:01,000\nOne\n\n2\n00:00:01,000 --> 00:00:02,000\nTwo\n"
    let bare = "00:00:00,000 --> 00:00:01,000\nOne\n\n00:00:01,000 --> 00:00:02,000\nTwo\n"
    for text in [numbered, bare] { #expect(Self.lines(try Self.read(text)) == ["0-1 One", "1-2 Two"]) }
  }

  /// Reading takes linear time for any text.
  @Test(arguments: ["0:00 ", "[", "1.", "0:00 - ", "(", "a ", "0", "-", ":", "\u{200F}", "0:00 (", "**", "\t0:00"])
  func readsLongTextsInLinearTime(_ piece: String) {
    for text in [String(repeating: piece, count: 100_000), String(repeating: piece + "\n", count: 19_000)] {
      _ = Result { try Self.read(text) }
    }
  }
}
