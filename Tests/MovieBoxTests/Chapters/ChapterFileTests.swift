import MovieBox
import Subtitles
import Testing

/// Chapter lists in files: every format, read and written.
struct ChapterFileTests {
  /// Returns start, end and titles of each chapter, one per line.
  private func lines(_ list: ChapterList) -> [String] {
    list.chapters.map { chapter in
      let titles = chapter.titles.map { "\($0.text)(\($0.language?.description ?? "-"))" }.joined(separator: " ")
      return "\(chapter.startMilliseconds)-\(chapter.endMilliseconds.map(String.init) ?? "") \(titles)"
    }
  }

  private func read(_ text: String, language: LanguageTag? = nil) throws -> ChapterList {
    try ChapterList.read(Array(text.utf8), language: language)
  }

  // MARK: - Reading

  @Test(arguments: [
    "CHAPTER01=00:00:00.000\nCHAPTER01NAME=One\nCHAPTER02=00:01:00.500\nCHAPTER02NAME=Zwei ü\n",
    "CHAPTER2NAME=Zwei ü\r\nCHAPTER1=0:0:0,0\r\nchapter1name=One\r\nCHAPTER2=00:01:00.500000000",
    "00:00:00.000 One\n00:01:00.500 Zwei ü", "# total-duration: 00:11:22\n0:00 One\n\n1:00.5 - Zwei ü",
    ";FFMETADATA1\ntitle=Film\n[CHAPTER]\nSTART=0\ntitle=One\n[STREAM]\ntitle=x\n[CHAPTER]\nTIMEBASE=1/90\nSTART=5445\ntitle=Zwei ü",
    "\u{FEFF}[{\"start-time\":0,\"titles\":[{\"language\":\"und\",\"title\":\"One\"}]},{\"start-time\":6.05e1,\"titles\":[{\"title\":\"Zwei ü\"}]}]",
    "{\"version\":\"1.2.0\",\"chapters\":[{\"startTime\":60.5,\"title\":\"Zwei ü\"},{\"startTime\":0,\"title\":\"One\"},{\"startTime\":9,\"title\":\"hidden\",\"toc\":false}]}",
    "<?xml version=\"1.0\"?><!-- <!DOCTYPE x> --><!DOCTYPE Chapters SYSTEM \"m.dtd\"><Chapters><EditionEntry><ChapterAtom><ChapterUID>1</ChapterUID><ChapterTimeStart>00:00:00.000000000</ChapterTimeStart><ChapterDisplay><ChapterString>One</ChapterString></ChapterDisplay></ChapterAtom><ChapterAtom><ChapterTimeStart>00:01:00.5</ChapterTimeStart><ChapterDisplay a='>'><ChapterString>Z<![CDATA[we]]>i &#xFC;</ChapterString></ChapterDisplay></ChapterAtom></EditionEntry></Chapters>",
  ])
  func readsTheSameChaptersInEveryFormat(_ text: String) throws {
    #expect(lines(try read(text)) == ["0- One(-)", "60500- Zwei ü(-)"])
    #expect(lines(try read(text, language: LanguageTag("fr"))) == ["0- One(fr)", "60500- Zwei ü(fr)"])
  }

  @Test func readsEndsInWebVTT() throws {
    let list = try read("WEBVTT\n\n00:00.000 --> 00:10.000\nA &amp; B\n\n00:10.000 --> 00:20.000\n<b>C</b>\nD\n")
    #expect(lines(list) == ["0-10000 A & B(-)", "10000-20000 C\nD(-)"])
  }

  @Test func unescapesFFmetadata() throws {
    let list = try read(
      ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1500\nEND=2500\ntitle=a\\=b\\;c\\#d\\\\e\\\nf\n;x\n")
    #expect(lines(list) == ["1500-2500 a=b;c#d\\e\nf(-)"])
  }

  @Test func readsLanguagesAndPicturesOfHLS() throws {
    let list = try read(
      "[{\"chapter\":1,\"start-time\":0.0015,\"duration\":2,\"titles\":[{\"language\":\"en\",\"title\":\"One\"},"
        + "{\"language\":\"de\",\"title\":\"Eins\"}],\"images\":[{\"image-category\":\"x\",\"url\":\"a.jpg\"}]}]")
    #expect(lines(list) == ["2-2002 One(en) Eins(de)"] && list.chapters[0].image == .reference("a.jpg"))
    #expect(list.languages == [LanguageTag("en"), LanguageTag("de")])
  }

  @Test func readsLinksAndPicturesOfPodcasts() throws {
    let list = try read(
      "{\"chapters\":[{\"startTime\":0,\"title\":\"One\",\"img\":\"https://a.example/1.png\",\"url\":\"https://a.example\"}]}"
    )
    #expect(
      list.chapters[0].link == "https://a.example" && list.chapters[0].image == .reference("https://a.example/1.png"))
  }

  @Test func flattensNestedChapters() throws {
    func atom(_ start: String, _ title: String, _ inner: String = "") -> String {
      "<ChapterAtom><ChapterTimeStart>\(start)</ChapterTimeStart><ChapterDisplay><ChapterString>\(title)</ChapterString>"
        + "<ChapterLanguage>ger</ChapterLanguage></ChapterDisplay>\(inner)</ChapterAtom>"
    }
    let list = try read(
      "<Chapters><EditionEntry><ChapterAtom/></EditionEntry><EditionEntry><EditionFlagDefault>1</EditionFlagDefault>"
        + atom("00:00:00", "Part", atom("00:00:00", "First") + atom("00:00:05", "Second"))
        + "</EditionEntry></Chapters>")
    #expect(lines(list) == ["0- First(de)", "5000- Second(de)"])
    #expect(Set(list.notices.map(\.code)) == ["further-editions", "chapters-together", "nested-chapters"])
  }

  @Test(arguments: [
    ("", "no-chapters"), ("hello", "chapter-format"), ("[]", "no-chapters"), ("[{]", "chapter-format"),
    ("{}", "chapter-format"),
    ("<a/>", "chapter-format"), ("<Chapters>", "chapter-format"), ("<Chapters></Chapter>", "chapter-format"),
    ("<Chapters/>", "no-chapters"), ("<!DOCTYPE a [<!ENTITY b \"c\">]><Chapters/>", "chapter-format"),
    ("<Chapters>&b;</Chapters>", "chapter-format"), ("<Chapters>&#0;</Chapters>", "chapter-format"),
    (String(repeating: "<a>", count: 100), "subtitle-limit"), ("CHAPTER01=soon\n", "no-chapters"),
    (";FFMETADATA1\n[CHAPTER]\ntitle=x\n", "no-chapters"), ("WEBVTT\n", "no-cues"),
    ("[{\"start-time\":1e99,\"titles\":[]}]", "no-chapters"),
  ])
  func rejectsOtherFiles(_ text: String, _ code: String) throws {
    let error = try #require(throws: SubtitleError.self) { try read(text) }
    #expect(error.code.rawValue == code, "\(error)")
  }

  @Test func locatesErrors() throws {
    let error = try #require(throws: SubtitleError.self) { try read("<Chapters>\n<EditionEntry>\n&x;</EditionEntry>") }
    #expect(error.line == 3 && error.reason == "XML: the entity &x; is unknown")
    let list = try read("CHAPTER01=0:00\nCHAPTER02=never\nwhat\n")
    #expect(list.notices.map(\.line) == [2, 3])
  }

  /// If no chapter of a list is usable, the error states why and where.
  @Test(arguments: [
    (
      "CHAPTER01=soon\nwhat\n", 1,
      "no readable chapter remains: soon is not a time HH:MM:SS.mmm, and 1 more"
    ),
    ("[{}]", nil, "no readable chapter remains: chapter 1 has no \"start-time\" with a number of seconds"),
    (";FFMETADATA1\n[CHAPTER]\nSTART=x\n", 2, "no readable chapter remains: the chapter has no START with a time"),
    ("[]", nil, "the file has no chapters"),
  ])
  func explainsWhyNoChapterIsLeft(_ text: String, _ line: Int?, _ reason: String) throws {
    let error = try #require(throws: SubtitleError.self) { try read(text) }
    #expect(error.line == line && error.reason == reason, "\(error)")
  }

  @Test(arguments: [
    ("{\"chapters\":[{\"startTime\":-1.5,\"title\":\"A\"},{\"startTime\":-2e0,\"title\":\"B\"}]}", "chapter 1", nil),
    ("[{\"start-time\":-1.5,\"titles\":[{\"title\":\"A\"}]}]", "chapter 1", nil),
    ("{\"schema\":2,\"chapters\":[{\"startMilliseconds\":-1500,\"titles\":[{\"title\":\"A\"}]}]}", "chapter 1", nil),
    (";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=-1500\ntitle=A\n", "the chapter", 2),
  ])
  func reportsStartsBeforeTheMovie(_ text: String, _ place: String, _ line: Int?) throws {
    let list = try read(text)
    let notice = try #require(list.notices.first)
    #expect(list.chapters.map(\.startMilliseconds) == [0] && notice.code == "negative-start" && notice.line == line)
    #expect(notice.message == "\(place) begins 1500 ms before the movie: it is moved to the start of the movie")
  }

  /// People write a dash between time and title. Programs write the title verbatim.
  @Test func keepsTheDashOfATitle() throws {
    let list = ChapterList([Chapter(startMilliseconds: 0, title: "- A"), Chapter(startMilliseconds: 500, title: "— B")])
    let again = try ChapterList.read(list.written(as: .mp4chaps).bytes)
    #expect(again.chapters.map { $0.title() } == ["- A", "— B"])
    #expect(lines(try read("00:00:00 - A\n1:05 — B\n")) == ["0- A(-)", "65000- B(-)"])
  }

  /// A combining mark forms a character with the one before it, but escapes apply to scalars.
  @Test(arguments: ChapterFileFormat.allCases)
  func escapesCharactersBeforeCombiningMarks(_ format: ChapterFileFormat) throws {
    let title = "a=\u{301} b;\u{301} c#\u{301} d\\\u{301} e&\u{301} f<\u{301} g>\u{301} h\"\u{301}"
    let list = ChapterList([Chapter(startMilliseconds: 0, title: title)], durationMilliseconds: 1_000)
    let again = try ChapterList.read(list.written(as: format).bytes)
    #expect(again.chapters.map { $0.title().map { Array($0.unicodeScalars) } } == [Array(title.unicodeScalars)])
  }

  @Test func reportsPicturesThatAFormatDrops() {
    let inMovie = ChapterList([Chapter(startMilliseconds: 0, titles: [.init("A")], image: .inMovie(byteCount: 9))])
    let named = ChapterList([Chapter(startMilliseconds: 0, titles: [.init("A")], image: .reference("a.jpg"))])
    for format in ChapterFileFormat.allCases {
      let names = format == .hls || format == .podcast
      #expect(inMovie.written(as: format).notices.map(\.code) == ["pictures-left-out"])
      #expect(named.written(as: format).notices.map(\.code) == (names ? [] : ["pictures-left-out"]))
    }
  }

  // MARK: - Writing

  private static let english = ["en"].compactMap { LanguageTag($0) }
  private static let german = ["de"].compactMap { LanguageTag($0) }

  private static let list = ChapterList(
    [
      Chapter(
        startMilliseconds: 0,
        titles: [.init("A & <b>; = # \\", language: LanguageTag("en")), .init("Ä", language: LanguageTag("de"))],
        link: "https://a.example"),
      Chapter(
        startMilliseconds: 61_250,
        titles: [.init("Two\nlines", language: LanguageTag("en")), .init("Zwei", language: LanguageTag("de"))]),
    ], durationMilliseconds: 90_000)

  @Test(arguments: ChapterFileFormat.allCases)
  func roundTripsWrittenLists(_ format: ChapterFileFormat) throws {
    let written = Self.list.written(as: format)
    let read = try ChapterList.read(written.bytes)
    #expect(read.chapters.map(\.startMilliseconds) == [0, 61_250])
    #expect(read.chapters.map { $0.title(preferring: Self.english) } == ["A & <b>; = # \\", "Two lines"])
    let hasLanguages = format == .hls || format == .matroska
    #expect(read.languages == (hasLanguages ? [LanguageTag("en"), LanguageTag("de")] : [nil]))
    let left = [hasLanguages ? nil : "languages-left-out", format == .podcast ? nil : "links-left-out"].compactMap {
      $0
    }
    #expect(written.notices.map(\.code) == left)
    let german = try ChapterList.read(Self.list.written(as: format, preferring: Self.german).bytes)
    #expect(german.chapters.map { $0.title(preferring: Self.german) } == ["Ä", "Zwei"])
    #expect(read.chapters[0].link == (format == .podcast ? "https://a.example" : nil))
    if ![.ogm, .mp4chaps].contains(format) { #expect(read.chapters.map(\.endMilliseconds) == [61_250, 90_000]) }
  }

  @Test func writesOGMNumbersOfAnyLength() throws {
    let list = ChapterList((0..<101).map { Chapter(startMilliseconds: Int64($0) * 1_000, title: "x") })
    let lines = String(decoding: list.written(as: .ogm).bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines[0] == "CHAPTER01=00:00:00.000" && lines[198] == "CHAPTER100=00:01:39.000")
  }
}
