import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// The completions offered to a shell. `Scripts/try-completions` presses Tab in real shells.
struct CompletionTests {
  private func offered(_ line: String, _ shop: Workshop) -> [String] {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let lines = shop.run(words: ["complete", "--"] + words).output
    return lines.map { line in String(line.prefix { $0 != "\t" }) }
  }

  @Test func commandsAndOptionsComeFromTheirTables() throws {
    let shop = try Workshop(.talk)
    #expect(offered("", shop) == CommandTable.all.map { $0.name })
    #expect(offered("in", shop) == ["inspect"])
    #expect(offered("help val", shop) == ["validate"])
    #expect(offered("completions ", shop) == ["bash", "zsh", "fish"])
    for command in CommandTable.all {
      let expected = (command.manual.options + OptionSpec.commonOptions).map(\.spelling)
      #expect(offered("\(command.name) -", shop) == expected)
    }
    #expect(offered("inspect @in.mov --ato", shop) == ["--atoms", "--atom"])
  }

  @Test func completesValuesByTheirKind() throws {
    let shop = try Workshop(.talk)
    #expect(offered("inspect ", shop) == ["//files"])
    #expect(offered("set @in.mov -o ", shop) == ["//files"])
    #expect(offered("select @in.mov --subtitles ", shop) == ["on", "off"])
    #expect(
      offered("extract @in.mov --format=", shop) == [
        "--format=srt", "--format=vtt", "--format=scc", "--format=mcc", "--format=json",
      ])
    #expect(offered("validate --explain group.s", shop) == ["group.split"])
    #expect(offered("add-subtitle @in.mov --title ", shop) == [])
    #expect(offered("set @in.mov --role for", shop) == ["forced"])
    // Languages of the movie come first.
    #expect(offered("set @in.mov --language e", shop).prefix(2) == ["en", "es"])
    #expect(offered("set @missing.mov --language pt", shop) == ["pt", "pt-BR"])
    #expect(offered("set -- ", shop) == ["//files"] && offered("frobnicate ", shop) == ["//files"])
  }

  @Test func completesTracksOfTheMovie() throws {
    let shop = try Workshop(.talk)
    #expect(
      offered("set @in.mov --track ", shop) == [
        "video", "audio:en", "audio:es", "subtitle", "subtitle:es", "id:1", "id:2", "id:3", "id:4",
      ])
    #expect(offered("link @in.mov --follow audio:es=sub", shop) == ["audio:es=subtitle", "audio:es=subtitle:es"])
    #expect(offered("add-subtitle @in.mov @en.srt --follow a", shop) == ["auto", "audio:en", "audio:es"])
    // The selectors of `add-track` apply to the second file.
    try shop.folder.write(TestMovie.simple, as: "from.mov")
    #expect(offered("add-track @in.mov @from.mov --track audio", shop) == ["audio", "audio:en"])
    #expect(offered("set @missing.mov --track v", shop) == ["video"])
  }

  @Test func everyShellHasAScript() throws {
    let shop = try Workshop()
    for shell in CompletionsCommand.Shell.allCases {
      let outcome = shop.run("completions \(shell.rawValue)")
      #expect(outcome.exitCode == .done && outcome.output.joined().contains("complete -- "))
    }
    #expect(shop.run("completions tcsh").exitCode == .usage)
    #expect(shop.run("completions").exitCode == .usage)
  }

  @Test func manualPageHasEveryOption() throws {
    let page = try Workshop().run("help man").output
    func has(_ start: String) -> Bool { page.contains { $0.hasPrefix(start) } }
    func escaped(_ text: String) -> String {
      text.split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-")
    }
    for command in CommandTable.all {
      #expect(has(".SS \"" + escaped(command.name)))
      for option in command.manual.options + [.limits] {
        #expect(has("\\fB" + escaped(option.spelling) + "\\fR"), "\(command.name) \(option.spelling)")
      }
    }
  }
}
