import Testing

@testable import MovtoolCommands

struct ContextTests {
  private let warning = Warning(code: "c", file: "a\u{1B}[2J.srt", message: "odd")

  @Test func escapesTextFromFilesOnTheTerminal() throws {
    let console = Console()
    try console.context.print(["a\u{1B}]0;x\u{7}b"])
    try console.context.printMessage("c\rd\u{9B}")
    try console.context.warn(warning)
    #expect(console.output.text == "a\\u{1b}]0;x\\u{7}b\n")
    #expect(console.errors.text == "c\\rd\\u{9b}\nwarning: a\\u{1b}[2J.srt: odd\n")
  }

  @Test func writesColourOnlyToTerminalsThatAllowIt() throws {
    let console = Console()
    #expect(!console.context.supportsColor(console.errors))
    console.errors.terminalWidth = 80
    #expect(console.context.supportsColor(console.errors))
    console.environment["NO_COLOR"] = ""
    #expect(console.context.supportsColor(console.errors))
    console.environment["NO_COLOR"] = "1"
    #expect(!console.context.supportsColor(console.errors))
    console.environment = ["TERM": "dumb"]
    #expect(!console.context.supportsColor(console.errors))
  }

  @Test func warningLabelIsColouredOnATerminal() throws {
    let console = Console()
    console.errors.terminalWidth = 80
    try console.context.warn(warning)
    #expect(console.errors.text == "\u{1B}[33mwarning:\u{1B}[0m a\\u{1b}[2J.srt: odd\n")
  }
}
