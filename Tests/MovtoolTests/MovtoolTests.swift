import MovieBox
import TestSupport
import MovieWriter
import Testing

@testable import MovtoolCommands

struct MovtoolTests {
  @Test func versionIsOneLineOnStandardOutput() {
    let console = Console()
    #expect(console.run("--version") == .done)
    #expect(console.output.lines == ["movtool \(movtoolVersion)"])
    #expect(console.errors.text.isEmpty)
  }

  @Test func listsCommandsWithoutArguments() {
    let console = Console()
    #expect(console.run("") == .usage)
    #expect(console.output.text.isEmpty)
    #expect(console.errors.text.contains("add-subtitle IN [SUB…]"))
  }

  @Test func unknownCommandNamesTheNearestKnownOne() {
    let console = Console()
    #expect(console.run("inpsect a.mov") == .usage)
    #expect(
      console.errors.lines == [
        "movtool: unknown command inpsect; did you mean inspect?", "movtool help lists the commands",
      ])
    let help = Console()
    #expect(help.run("help nope") == .usage)
    #expect(help.errors.lines == ["movtool help: unknown command nope", "movtool help lists the commands"])
    #expect(console.output.text.isEmpty)
  }

  @Test func unknownOptionInFrontNamesTheNearestKnownOne() {
    let console = Console()
    #expect(console.run("--versoin") == .usage)
    #expect(console.errors.lines.first == "movtool: unknown option --versoin; did you mean --version?")
  }

  @Test func usageErrorIsOneLineAndPointsToTheCommandsHelp() {
    let console = Console()
    #expect(console.run("add-subtitle in.mov a.srt --langauge en") == .usage)
    #expect(
      console.errors.lines == [
        "movtool add-subtitle: unknown option --langauge; did you mean --language?", "see movtool help add-subtitle",
      ])
  }

  @Test func printsUsageErrorsAsJSONOnRequest() {
    let console = Console()
    #expect(console.run("inspect --json --depth") == .usage)
    #expect(console.errors.text.isEmpty)
    #expect(
      console.output.lines == [
        "{",
        "  \"schema\": 3,",
        "  \"command\": \"inspect\",",
        "  \"error\": {",
        "    \"code\": \"missing-value\",",
        "    \"exitCode\": 64,",
        "    \"file\": null,",
        "    \"path\": null,",
        "    \"line\": null,",
        "    \"offset\": null,",
        "    \"message\": \"--depth requires a value: N\",",
        "    \"hint\": \"see movtool help inspect\",",
        "    \"isTransient\": false",
        "  }",
        "}",
      ])
  }

  @Test func jsonAfterTheEndOfOptionsIsAFile() {
    let console = Console()
    #expect(console.run("add-subtitle -- --json") == .noInput)
    #expect(console.output.text.isEmpty)
  }

  @Test func reportsAFailedStreamButNotAClosedPipe() throws {
    let shop = try Workshop(.simple)
    for (answer, lines) in [
      (SystemError.Code.noSpace, ["standard output: cannot write: No space left on device"]), (.brokenPipe, []),
    ] {
      for command in ["inspect @in.mov", "inspect --json @in.mov", "inspect --atoms @in.mov @in.mov", "help"] {
        let console = Console(isOnDisk: true)
        console.output.failsAtWrite = 1
        console.output.failure = StreamError(stream: "standard output", systemError: SystemError("write", answer))
        let outcome = shop.run(command, console)
        #expect(outcome.exitCode == .inputOutput)
        #expect(outcome.errors == lines, "\(command)")
      }
    }
  }

  @Test func printsAnErrorThatCannotBeWrittenAsJSON() throws {
    let console = Console()
    console.output.failsAtWrite = 1
    console.output.failure = StreamError(stream: "standard output", systemError: SystemError("write", .noSpace))
    #expect(console.run("add-subtitle --json none.mov none.srt") == .inputOutput)
    #expect(console.errors.lines.first?.hasPrefix("none.mov: ") == true)
  }

  @Test func reportsClosedOutputAsAnIOError() {
    let console = Console()
    console.errors.failsAtWrite = 1
    #expect(console.run("inspect") == .inputOutput)
  }
}
