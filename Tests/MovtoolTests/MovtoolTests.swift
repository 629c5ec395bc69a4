import Testing

@testable import movtool

struct MovtoolTests {
  @Test func versionIsOneLineOnStandardOutput() {
    let console = Console()
    #expect(console.run("--version") == .done)
    #expect(console.output.lines == ["movtool \(Movtool.version)"])
    #expect(console.errors.text.isEmpty)
  }

  @Test func noArgumentsIsAMistakeAndShowsTheCommands() {
    let console = Console()
    #expect(console.run("") == .usage)
    #expect(console.output.text.isEmpty)
    #expect(console.errors.text.contains("add-subtitle IN SUB…"))
  }

  @Test func unknownCommandNamesTheNearestKnownOne() {
    let console = Console()
    #expect(console.run("inpsect a.mov") == .usage)
    #expect(console.errors.lines == ["movtool: unknown command inpsect; did you mean inspect?", "see movtool help"])
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

  @Test func usageErrorIsJSONWhenAskedFor() {
    let console = Console()
    #expect(console.run("inspect --json --depth") == .usage)
    #expect(console.errors.text.isEmpty)
    #expect(
      console.output.lines == [
        "{",
        "  \"schema\": 1,",
        "  \"error\": {",
        "    \"code\": \"missing-value\",",
        "    \"exitCode\": 64,",
        "    \"file\": null,",
        "    \"path\": null,",
        "    \"line\": null,",
        "    \"offset\": null,",
        "    \"message\": \"--depth wants a value: N\",",
        "    \"hint\": \"see movtool help inspect\"",
        "  }",
        "}",
      ])
  }

  @Test func jsonAfterTheEndOfOptionsIsAFile() {
    let console = Console()
    #expect(console.run("add-subtitle -- --json") == .usage)
    #expect(console.output.text.isEmpty)
  }

  @Test func closedOutputIsAnInputOutputError() {
    let console = Console()
    console.errors.failsAtWrite = 1
    #expect(console.run("inspect") == .inputOutput)
  }
}
