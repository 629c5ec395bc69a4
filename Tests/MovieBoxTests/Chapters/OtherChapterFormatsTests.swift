import MovieBox
import Subtitles
import TestSupport
import Testing

/// Chapter formats of other programs that are read but not written.
struct OtherChapterFormatsTests {
  private func read(_ text: String, rate: ChapterFrameRate? = nil) throws -> ChapterList {
    try ChapterList.read(
      Array(text.utf8), encoding: nil, language: nil, frameRate: rate, limits: SubtitleLimits())
  }

  private func lines(_ list: ChapterList) -> [String] {
    list.chapters.map { "\($0.startMilliseconds)-\($0.endMilliseconds.map(String.init) ?? "") \($0.title() ?? "")" }
  }

  private func error(_ text: String) throws -> SubtitleError {
    try #require(throws: SubtitleError.self) { try read(text) }
  }

  // MARK: - JSON

  @Test(arguments: [
    // yt-dlp
    #"{"id":"x","webpage_url":"https://a.example","chapters":[{"start_time":0.0,"title":"One","end_time":65.5},{"start_time":65.5,"title":"Two","end_time":90}]}"#,
    // ffprobe
    #"{"chapters":[{"id":0,"time_base":"1/1000","start":0,"start_time":"0.000000","end":65500,"end_time":"65.500000","tags":{"title":"One"}},{"id":1,"time_base":"1/1000","start":65500,"start_time":"65.500000","end":90000,"end_time":"90.000000","tags":{"title":"Two"}}]}"#,
    // Audnexus
    #"{"asin":"B0","brandIntroDurationMs":2043,"chapters":[{"lengthMs":65500,"startOffsetMs":0,"startOffsetSec":0,"title":"One"},{"lengthMs":24500,"startOffsetMs":65500,"startOffsetSec":65,"title":"Two"}],"isAccurate":true}"#,
    // Audible
    #"{"content_metadata":{"chapter_info":{"chapters":[{"length_ms":65500,"start_offset_ms":0,"start_offset_sec":0,"title":"One"},{"length_ms":24500,"start_offset_ms":65500,"title":"Two"}]}},"response_groups":[]}"#,
    // audiobookshelf
    #"{"tags":[],"title":"Book","chapters":[{"id":0,"start":0,"end":65.5,"title":"One"},{"id":1,"start":65.5,"end":90,"title":"Two"}]}"#,
    #"{"media":{"chapters":[{"id":0,"start":0,"end":65.5,"title":"One"},{"id":1,"start":65.5,"end":90,"title":"Two"}]}}"#,
    ";ABMETADATA1\n#audiobookshelf v2\ntitle=Book\n[CHAPTER]\nstart=0\nend=65.5\ntitle=One\n[CHAPTER]\nstart=65.5\nend=90\ntitle=Two\n",
  ])
  func readsChaptersOfVideosAndAudiobooks(_ text: String) throws {
    let list = try read(text)
    #expect(lines(list) == ["0-65500 One", "65500-90000 Two"] && list.notices.isEmpty, "\(list)")
  }

  @Test func flattensPartsOfAudible() throws {
    let inner =
      #"[{"start_offset_ms":0,"length_ms":10,"title":"1"},{"start_offset_ms":5000,"length_ms":10,"title":"2"}]"#
    let list = try read(
      #"{"content_metadata":{"chapter_info":{"chapters":[{"start_offset_ms":0,"length_ms":9000,"title":"Part","chapters":\#(inner)}]}}}"#
    )
    #expect(lines(list) == ["0-10 1", "5000-5010 2"])
    #expect(list.notices.map(\.code) == ["chapters-together", "nested-chapters"])
  }

  @Test func locatesErrorsInJSON() throws {
    let broken = try error("{\n\"chapters\": [\n{\"start_time\": 0,}\n]}")
    #expect(broken.line == 3 && broken.offset != nil)
    #expect(try error(#"{"id":"x","extractor":"youtube","chapters":null}"#).code.rawValue == "no-chapters")
    let list = try read(#"{"chapters":[{"start_time":0,"title":"One"},{"start_time":"soon","title":"Two"}]}"#)
    #expect(list.notices.map(\.message) == [#"omitted: chapter 2 has no "start_time" with a time"#])
  }

  // MARK: - Audio

  @Test func readsTracksOfACUESheet() throws {
    let sheet = """
      REM GENRE Rock
      PERFORMER "Band"
      TITLE "Album"
      FILE "album.flac" WAVE
        TRACK 01 AUDIO
          TITLE "One"
          PERFORMER "Band"
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE "Two"
          PERFORMER "Guest"
          INDEX 00 01:03:00
          INDEX 01 01:05:37
        TRACK 03 AUDIO
          INDEX 01 100:00:00
      """
    let list = try read(sheet)
    #expect(lines(list) == ["0- One", "65493- Two", "6000000- "])
    #expect(list.notices.map { "\($0.code) \($0.line ?? 0)" } == ["performers-left-out 11"])
  }

  @Test func rejectsASheetOfSeveralFiles() throws {
    let sheet =
      "FILE \"a.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nFILE \"b.wav\" WAVE\nTRACK 02 AUDIO\nINDEX 01 00:00:00\n"
    let error = try error(sheet)
    #expect(error.line == 5 && error.code.rawValue == "chapter-format")
    let list = try read("FILE \"a\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:99\nTRACK 02 AUDIO\nINDEX 01 0:1:0")
    #expect(lines(list) == ["1000- "] && list.notices.map(\.line) == [3, 2])
  }

  @Test func readsLabelsOfAudacity() throws {
    let list = try read("0.000000\t0.000000\tOne\n65.500000\t90.000000\tTwo\n\\\t100.0\t200.0\n1,5\t1,5\tComma\nwhat\n")
    #expect(lines(list) == ["0- One", "1500- Comma", "65500-90000 Two"])
    #expect(list.notices.map(\.line) == [5])
  }

  // MARK: - Timelines

  private static let rate = ChapterFrameRate(frames: 24_000, seconds: 1_001)

  @Test func readsMarkersOfResolve() throws {
    let list = """
      TITLE: Timeline 1
      FCM: NON-DROP FRAME

      001  001      V     C        01:00:00:00 01:00:00:01 01:00:00:00 01:00:00:01
       |C:ResolveColorBlue |M:One |D:1

      002  001      V     C        01:01:05:12 01:01:05:13 01:01:05:12 01:01:05:13
       A note |C:ResolveColorRed |M:Two |D:48
      """
    let guessed = try read(list)
    #expect(lines(guessed) == ["0- One", "65480-67400 Two"])
    #expect(
      guessed.notices.map { "\($0.code) \($0.line ?? 0)" } == [
        "frame-rate-guessed 4", "timeline-start 4", "text-left-out 7",
      ])
    // At 23.976 frames per second, a minute of timecode lasts longer.
    let known = try read(list, rate: Self.rate)
    #expect(lines(known) == ["0- One", "65566-67568 Two"])
    #expect(known.notices.map(\.code) == ["timeline-start", "text-left-out"])
  }

  @Test func locatesErrorsInEditDecisionLists() throws {
    let none = try error(
      "TITLE: Cut\nFCM: NON-DROP FRAME\n001 AX V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00\n")
    #expect(none.code.rawValue == "no-chapters" && none.line == 1)
    let wrong = try error(
      "TITLE: Cut\nFCM: NON-DROP FRAME\n001 AX V C 00:00:00:00 00:00:01:00 soon 00:00:01:00\n |C:x |M:y |D:1\n")
    #expect(wrong.line == 3)
  }

  @Test(arguments: ["\t", ",", ";"]) func readsMarkersOfPremiere(_ delimiter: String) throws {
    let table = [
      "Marker Name", "Description", "In", "Out", "Duration", "Marker Type",
      "One", "", "00:00:00:00", "00:00:00:00", "00:00:00:00", "Chapter",
      "\"Two \"\"2\"\"\"", "A note", "00:01:05:12", "00:01:06:12", "00:00:01:00", "Chapter",
      "Fix", "", "00:00:30:00", "00:00:30:00", "00:00:00:00", "Comment",
    ]
    let rows = stride(from: 0, to: table.count, by: 6).map { table[$0..<$0 + 6].joined(separator: delimiter) }
    let list = try read(rows.joined(separator: "\r\n"))
    #expect(lines(list) == ["0- One", "65480-66480 Two \"2\""])
    #expect(
      list.notices.map { "\($0.code) \($0.line ?? 0)" } == [
        "text-left-out 4", "frame-rate-guessed 2", "text-left-out 3",
      ])
  }

  /// Column titles are in the user's language, in the same order. Drop-frame timecodes have semicolons.
  @Test func readsMarkersOfPremiereInOtherLanguages() throws {
    let list = try read(
      "Markername\tBeschreibung\tIn\tOut\tDauer\tMarkertyp\n\tEins\t00;00;00;00\t00;00;00;00\t00;00;00;00\tKommentar\n"
        + "Zwei\t\t00;01;00;02\t00;01;00;02\t00;00;00;00\tKommentar\n",
      rate: ChapterFrameRate(frames: 30_000, seconds: 1_001))
    #expect(lines(list) == ["0- Eins", "60060- Zwei"])
    let german = try read("標記\t描述\t入點\t出點\t時長\t類型\nOne\t\t00:00:01:00\t00:00:01:00\t00:00:00:00\tx\n")
    #expect(lines(german) == ["1000- One"])
  }

  @Test func readsMarkersOfASequence() throws {
    func sequence(_ rate: String, _ markers: String) -> String {
      "<?xml version=\"1.0\"?>\n<!DOCTYPE xmeml>\n<xmeml version=\"4\">\n<project><children><sequence id=\"1\">\n\(rate)\n"
        + "<name>Cut</name><media><video><track><clipitem><marker><in>5</in></marker></clipitem></track></video></media>\n"
        + "\(markers)</sequence></children></project></xmeml>"
    }
    let rate = "<rate><timebase>30</timebase><ntsc>TRUE</ntsc></rate>"
    let markers =
      "<marker><comment>why</comment><name>One</name><in>0</in><out>-1</out></marker>\n"
      + "<marker><comment>Two</comment><name></name><in>1800</in><out>3600</out></marker>\n"
    let list = try read(sequence(rate, markers))
    #expect(lines(list) == ["0- One", "60060-120120 Two"])
    #expect(list.notices.map(\.code) == ["text-left-out"])
    #expect(try error(sequence("", markers)).line == 4)
    #expect(try error(sequence(rate, "")).code.rawValue == "no-chapters")
    #expect(try error("<fcpxml/>").line == 1)
  }

  @Test func ignoresTheLastPicturesDurationInTheFrameRate() throws {
    func rate(_ durations: [Int]) throws -> ChapterFrameRate? {
      let pictures = durations.map { TestSample(content: [1], duration: $0) }
      let movie = TestMovie(tracks: [TestTrack(.video, id: 1).with { $0.samples = pictures }])
      return ChapterFrameRate(of: try Movie(of: MemorySource(Bytes(movie.bytes()))).tracks[0])
    }
    let even = try #require(try rate([20, 20, 20, 20]))
    for last in [7, 90] { #expect(try rate([20, 20, 20, last]) == even) }
    for others in [[20, 20, 7, 20], [20, 20, 7, 7]] { #expect(try rate(others) == nil) }
  }
}
