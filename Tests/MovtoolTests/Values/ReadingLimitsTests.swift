import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

struct ReadingLimitsTests {
  @Test func changesNamedLimitsOnly() throws {
    let limits = try ReadingLimits("cues=7,movie-bytes=2G,depth=256,notices=0")
    #expect(limits.subtitles.cueCount == 7)
    #expect(limits.movie.movieByteCount == 2 << 30)
    #expect(limits.movie.depth == 256)
    #expect(limits.subtitles.noticeCount == 0)
    #expect(limits.movie.atomCount == MovieLimits().atomCount)
    #expect(try ReadingLimits("sample-bytes=3k").subtitles.sampleByteCount == 3072)
    #expect(try ReadingLimits("sample-bytes=3M").subtitles.sampleByteCount == 3 << 20)
  }

  @Test func trimsBlanksInQuotes() throws {
    let limits = try ReadingLimits(" cues=7,  notices = 3 ")
    #expect(limits.subtitles.cueCount == 7 && limits.subtitles.noticeCount == 3)
  }

  @Test(arguments: [
    " ", "cues=1 2", "", "cues", "cues=", "cues=-1", "cues=1.5", "cues=K", "cues=1T", "cues=1,",
    "cues=18446744073709551616",
    "cues=18446744073709551615", "movie-bytes=99999999999G", "depth=257", "cue=1", "=1",
  ])
  func rejectsInvalidLimits(_ text: String) {
    #expect(throws: UsageError.self) { try ReadingLimits(text) }
  }

  @Test func unknownNameNamesTheNearest() throws {
    let error = try #require(throws: UsageError.self) { try ReadingLimits("cue=1") }
    #expect(error.message == "--limits cue=1: unknown name cue; did you mean cues?")
  }

  @Test func setsAndReadsEachLimitByName() throws {
    for name in ReadingLimits.all {
      let limits = try ReadingLimits("\(name.name)=123")
      #expect(name.value(limits) == 123)
      for other in ReadingLimits.all where other.name != name.name {
        #expect(other.value(limits) == other.value(ReadingLimits()))
      }
    }
  }

  /// Every limit of the libraries can be set.
  @Test func coversEveryLimitOfTheLibraries() {
    let all: [Any] = [MovieLimits(), SubtitleLimits(), StreamLimits()]
    let fields = all.reduce(0) { $0 + Mirror(reflecting: $1).children.count }
    #expect(ReadingLimits.all.count == fields)
    #expect(Set(ReadingLimits.all.map(\.name)).count == fields)
  }

  @Test(arguments: [
    "inspect @in.mov --limits depth=2", "inspect @in.mov --atoms --limits depth=2",
    "inspect @in.mov --atom moov/mvhd --limits movie-bytes=10", "validate @in.mov --limits atoms=3",
    "add-subtitle @in.mov @en.srt --limits cues=1", "add-subtitle @in.mov @en.srt --limits file-bytes=1",
    "add-subtitle @in.mov @en.srt --limits sample-bytes=1",
    "add-subtitle @in.mov @en.srt --limits movie-milliseconds=1",
    "add-subtitle @in.mov @en.srt --limits top-level-atoms=1", "select @in.mov --limits atoms=3",
    "set @in.mov --track video --title X --limits atoms=3", "diff @in.mov @in.mov --limits atoms=3",
    "extract @in.mov --limits atoms=3", "remove @in.mov --track video --limits atoms=3",
  ])
  func appliesLimitsInEveryCommand(_ line: String) throws {
    let workshop = try Workshop(.simple)
    let before = try workshop.folder.read("in.mov")
    let outcome = workshop.run(line)
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.last == "movtool help limits lists the limits")
    #expect(try workshop.folder.read("in.mov") == before)
  }

  @Test func acceptsMoreWithARaisedLimit() throws {
    let workshop = try Workshop(.simple)
    #expect(workshop.run("add-subtitle @in.mov @en.srt --limits cues=2").exitCode == .done)
    #expect(workshop.run("extract @in.mov -o - --limits cues=1").exitCode == .badData)
    #expect(workshop.run("extract @in.mov -o - --limits cues=2").exitCode == .done)
  }

  @Test func requiresAtLeastOneDefect() throws {
    let outcome = try Workshop(.right).run("validate @in.mov --limits defects=0")
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains("at least 1") == true)
  }

  /// No sum overflows with the largest limits.
  @Test func acceptsTheLargestLimits() throws {
    for name in ReadingLimits.all {
      let workshop = try Workshop(.simple)
      let limits = " --limits \(name.name)=\(name.largest)"
      #expect(workshop.run("add-subtitle @in.mov @en.srt" + limits).exitCode == .done, "\(name.name)")
      #expect(workshop.run("extract @in.mov -o -" + limits).exitCode == .done, "\(name.name)")
      #expect(workshop.run("inspect @in.mov" + limits).exitCode == .done, "\(name.name)")
      #expect(workshop.run("validate @in.mov" + limits).exitCode.rawValue <= 1, "\(name.name)")
    }
  }

  @Test func listsLimitsInHelp() {
    let console = Console()
    #expect(console.run("help limits") == .done)
    for name in ReadingLimits.all { #expect(console.output.text.contains("\(name.name)=")) }
    #expect(
      console.output.text.contains("\n  20000 ") && console.output.text.contains("chapters of a movie or a list\n"))
    for line in [
      "bytes of a GPX or JSON file", "elements of a GPX file", "elements inside elements of a GPX file",
      "groups of a route", "values inside values of a JSON file",
    ] {
      #expect(console.output.text.contains("  \(line)\n"), "\(line)")
    }
    #expect(Console().run("help inspect") == .done)
  }
}
