import MovieWriter
import TestSupport
import Testing

@testable import MovtoolCommands

struct AddSubtitleCommandTests {
  private func parse(_ line: String) throws -> AddSubtitleCommand {
    try AddSubtitleCommand.parse(line.split(separator: " ").map(String.init)).command
  }

  @Test func editsInPlaceByDefault() throws {
    let command = try parse("in.mov en.srt")
    #expect(command.movie == "in.mov")
    #expect(command.subtitles.map(\.file) == ["en.srt"])
    #expect(command.options.target == .input)
    #expect(!command.isFastStart && !command.isInterleaved && command.existingTrackPolicy == .keep)
    #expect(!command.options.isDryRun && !command.options.isStrict)
    #expect(command.options.progress == .auto)
  }

  @Test func acceptsCommandOptionsAnywhere() throws {
    for line in [
      "--fast-start --interleave --replace --dry-run --strict --json --progress none --force --sync -o out.mov in.mov "
        + "en.srt",
      "in.mov en.srt -o out.mov --sync --force --progress=none --json --strict --dry-run --replace --interleave "
        + "--fast-start",
    ] {
      let command = try parse(line)
      #expect(command.options.target == .newFile("out.mov", mayOverwrite: true, waitsForDisk: true))
      #expect(command.isFastStart && command.isInterleaved && command.existingTrackPolicy == .replace)
      #expect(command.options.isDryRun && command.options.isStrict)
      #expect(command.options.isJSON && command.options.progress == .none)
    }
  }

  @Test(arguments: [
    ("", UsageError.Code.missingOperand), ("- en.srt", .notSupported),
    ("en.srt in.mov", .invalidValue), ("in.mov en.srt --sync", .conflict),
    ("in.mov en.srt -o - --sync", .conflict), ("in.mov en.srt -o=", .missingValue),
    ("in.mov en.srt --force", .conflict), ("in.mov en.srt --append --fast-start", .conflict),
    ("in.mov en.srt --append -o out.mov", .conflict),
    ("in.mov en.srt --append --interleave", .conflict), ("in.mov en.srt --encoding klingon", .invalidValue),
    ("in.mov en.srt --scale 0", .invalidValue), ("in.mov en.srt --scale 101", .invalidValue),
    ("in.mov en.srt --timecode-base 01:00:00:12@12", .invalidValue), ("in.mov en.srt --font-size 0", .invalidValue),
    ("in.mov en.srt --font-size 256", .invalidValue), ("in.mov en.srt --font-size 101%", .invalidValue),
    ("in.mov en.srt --progress bar", .invalidValue),
    ("in.mov a.srt --language english", .invalidValue),
    ("in.mov a.srt --language=", .invalidValue), ("in.mov a.srt --offset soon", .invalidValue),
    ("in.mov a.srt --title=", .invalidValue), ("in.mov a.srt --characteristic=", .invalidValue),
    ("in.mov a.srt --characteristic é", .invalidValue), ("in.mov a.srt --follow sound", .invalidValue),
    ("in.mov a.srt --forced-for id:0", .invalidValue),
  ])
  func rejectsInvalidOptions(line: String, code: UsageError.Code) throws {
    let error = try #require(throws: UsageError.self) { try parse(line) }
    #expect(error.code == code, "\(error.message)")
    #expect(error.command == "add-subtitle")
  }

  @Test func rejectsAnInputAsTheOutputBeforeReading() {
    for (line, links) in [
      ("add-subtitle in.mov en.srt -o in.mov", [:]), ("add-subtitle in.mov en.srt --force -o en.srt", [:]),
      ("add-subtitle in.mov en.srt -o ./in.mov", ["./in.mov": "in.mov"]),
      ("add-subtitle link.mov en.srt -o in.mov", ["link.mov": "in.mov"]),
    ] {
      let console = Console()
      console.links = links
      #expect(console.run(line) == .usage)
      #expect(console.errors.lines.count == 2)
      #expect(console.errors.lines.last == "see movtool help add-subtitle")
    }
  }

  @Test func missingMovieIsNamed() {
    let console = Console()
    #expect(console.run("add-subtitle in.mov en.srt") == .noInput)
    #expect(console.errors.lines == ["in.mov: no such file"])
    #expect(console.output.text.isEmpty)
  }

  @Test func unknownLanguageIsAWarning() throws {
    let shop = try Workshop(.simple)
    try shop.write("film.srt", ["A"])
    let outcome = shop.run("add-subtitle @in.mov @film.srt --dry-run")
    #expect(
      outcome.errors.first
        == "warning: film.srt: the language is unknown, so \"und\" is written; --language sets it, movtool set "
        + "afterwards"
    )
  }
}
