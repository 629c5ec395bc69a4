import Subtitles
import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovtoolCommands

struct SubtitleRequestTests {
  @Test(arguments: ["--default --autoselect off", "--default --role commentary"])
  func selectsADefaultAutomatically(_ options: String) throws {
    let outcome = try Workshop(.right).run("add-subtitle @in.mov @en.srt --language fr " + options)
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains("use one option") == true)
  }

  private func requests(_ line: String) throws -> [SubtitleRequest] {
    try AddSubtitleCommand.parse(line.split(separator: " ").map(String.init)).command.subtitles
  }

  private func request(_ line: String) throws -> SubtitleRequest {
    try #require(try requests("in.mov " + line).first)
  }

  @Test func assumesOnlyAutomaticFollowing() throws {
    let plain = try request("film.srt")
    #expect(plain.language == nil && plain.languageOrigin == .unknown)
    #expect(plain.title == nil && plain.fullTrackSelector == nil && plain.characteristics.isEmpty)
    #expect(!plain.isSDH && !plain.isForced && !plain.isDefault)
    #expect(plain.follow == .auto && plain.timing == CueTiming())
    #expect(plain.encoding == nil && plain.fontSize == nil && !plain.isPlain)
    #expect(plain.warnings.map(\.code) == ["language-unknown"])
  }

  @Test func optionsBecomeValues() throws {
    let full = try request(
      "a.srt --language PT_br --title Legendas --sdh --default --characteristic x.y --follow audio:2 --offset -0.5")
    #expect(full.language?.description == "pt-BR" && full.languageOrigin == .option)
    #expect(full.title == "Legendas" && full.isSDH && full.isDefault)
    #expect(full.characteristics == [MediaCharacteristic(rawValue: "x.y")])
    #expect(full.follow == .selected(try TrackSelector("audio:2", option: "follow")))
    #expect(full.timing == CueTiming(offsetMilliseconds: -500))
    #expect(full.warnings.isEmpty)
    #expect(try request("a.srt --follow none").follow == .none)
  }

  @Test func parsesReadingOptions() throws {
    let request = try request(
      "a.srt --encoding sjis --scale 25/23.976 --timecode-base 01:00:00:00 --font-size 6% --plain")
    #expect(request.encoding == .shiftJIS && request.isPlain)
    #expect(request.fontSize == .percentOfPictureHeight(6))
    #expect(request.timing.scale == CueTiming.Scale(25 * 1_001, over: 24_000))
    #expect(request.timecodeBase?.milliseconds == 3_600_000)
    #expect(try self.request("a.srt --font-size 48").fontSize == .pixels(48))
  }

  @Test func titlesAreOneLineWithoutControls() throws {
    for control in ["\n", "\t", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}"] {
      let error = try #require(throws: UsageError.self) { try SubtitleRequest.title("a\(control)b") }
      #expect(error.message == "--title must be one line of text without control characters")
    }
    // Bidirectional marks are part of the text; they are escaped on terminals.
    for title in ["a\u{202E}b", "\u{A0}", "e\u{301}", "עברית"] { #expect(try SubtitleRequest.title(title) == title) }
  }

  @Test func unknownEncodingNamesTheNearest() throws {
    let error = try #require(throws: UsageError.self) { try request("a.srt --encoding windows-1259") }
    #expect(error.message.hasSuffix("; did you mean windows-1250?"))
    #expect(error.message.contains("shift_jis"))
  }

  @Test func suggestsTagsForLanguageNames() throws {
    let shop = try Workshop(.simple)
    for (name, tag) in [("English", "en"), ("portuguese", "pt")] {
      let outcome = shop.run("add-subtitle @in.mov @en.srt --language \(name)")
      #expect(outcome.exitCode == .usage)
      #expect(outcome.errors.first?.contains("--language \(name): use the tag \(tag)") == true)
    }
  }

  @Test func languageAndRoleComeFromTheFileName() throws {
    let named = try request("dir/film.es-419.sdh.srt")
    #expect(named.language?.description == "es-419" && named.languageOrigin == .fileName && named.isSDH)
    #expect(named.warnings.isEmpty)
  }

  @Test func prefersOptionsToTheFileName() throws {
    let request = try request("film.en.sdh.srt --language fr --forced")
    #expect(request.language?.description == "fr")
    #expect(request.isForced && !request.isSDH)
    #expect(try self.request("film.en.sdh.srt --language fr").isSDH)
  }

  @Test func forcedForImpliesForced() throws {
    let request = try request("en.srt --forced-for subtitle:en")
    #expect(request.isForced && request.fullTrackSelector?.text == "subtitle:en")
  }

  @Test func appliesAnOptionToTheSubtitleFileBeforeIt() throws {
    let all = try requests(
      "--title All in.mov --characteristic x.a en.srt --sdh es.srt --title Own --characteristic x.b fr.srt")
    #expect(all.map(\.title) == ["All", "Own", "All"])
    #expect(all.map(\.isSDH) == [true, false, false])
    #expect(all.map { $0.characteristics.map(\.rawValue) } == [["x.a"], ["x.a", "x.b"], ["x.a"]])
    #expect(all.map(\.language?.description) == ["en", "es", "fr"])
  }

  @Test func unregisteredTwoLetterLanguageIsAWarning() throws {
    #expect(try request("a.srt --language jp").warnings.map(\.code) == ["language-unregistered"])
    #expect(try request("a.srt --language ja").warnings.isEmpty)
    #expect(try request("a.srt --language yue").warnings.isEmpty)
  }
}
