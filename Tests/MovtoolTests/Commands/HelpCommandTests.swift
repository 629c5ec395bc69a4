import Testing

@testable import MovtoolCommands

struct HelpCommandTests {
  @Test func helpWithoutACommandListsAllCommands() {
    for line in ["help", "--help", "-h"] {
      let console = Console()
      #expect(console.run(line) == .done)
      for command in CommandTable.all { #expect(console.output.text.contains("  \(command.name) ")) }
      #expect(console.errors.text.isEmpty)
    }
  }

  @Test func helpOfEachCommandBeginsWithTwoOrThreeExamples() {
    for command in CommandTable.all {
      let manual = command.manual
      let console = Console()
      #expect(console.run("help \(command.name)") == .done)
      #expect((2...3).contains(manual.examples.count))
      #expect(console.output.lines.prefix(2) == ["Examples:", "  \(manual.examples[0].line)"])
      for option in manual.options {
        let isShown = console.output.text.contains("  \(option.usage) ")
        #expect(isShown, "\(option.spelling)")
      }
    }
  }

  @Test func helpFitsATerminal() {
    for command in CommandTable.all {
      for line in HelpText.manual(of: command) + HelpText.overview() {
        #expect(TerminalText.width(of: line) <= 100, "\(line)")
      }
    }
  }

  @Test func helpOfAnOptionOrAnExampleIsALineOfSixtyColumns() {
    for command in CommandTable.all {
      for option in command.manual.options + OptionSpec.commonOptions {
        #expect(TerminalText.width(of: option.help) <= 60, "\(command.name) \(option.spelling): \(option.help)")
      }
      let texts = [command.manual.summary] + command.manual.examples.map(\.effect)
      for text in texts { #expect(TerminalText.width(of: text) <= 60, "\(command.name): \(text)") }
    }
  }

  @Test func acceptsTheHelpOptionBesideErrors() {
    for line in ["inspect -h", "inspect --help", "add-subtitle --nonsense -h", "add-subtitle a --help"] {
      let console = Console()
      #expect(console.run(line) == .done)
      #expect(console.output.lines.first == "Examples:")
    }
  }

  @Test func helpAfterTheEndOfOptionsIsAFile() {
    #expect(Console().run("add-subtitle -- --help") == .noInput)
  }

  @Test func helpOfAnUnknownCommandNamesTheNearestKnownOne() {
    let console = Console()
    #expect(console.run("help add-subtitel") == .usage)
    #expect(console.errors.lines.first?.hasSuffix("did you mean add-subtitle?") == true)
    #expect(Console().run("help inspect help") == .usage)
  }

  @Test func examplesOfEachCommandParse() throws {
    for command in CommandTable.all {
      for example in command.manual.examples {
        let words = example.line.split(separator: " ").map(String.init).filter { !["<", ">"].contains($0.prefix(1)) }
        #expect(words.prefix(2) == ["movtool", command.name])
        #expect(throws: Never.self) { try command.parse(Array(words.dropFirst(2))) }
      }
    }
  }
}
