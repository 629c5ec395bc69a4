import Testing

@testable import MovtoolCommands

struct InspectCommandTests {
  private func parse(_ line: String) throws -> InspectCommand {
    try InspectCommand.parse(line.split(separator: " ").map(String.init)).command
  }

  @Test func showsTheSummaryByDefault() throws {
    #expect(try parse("a.mov b.mov").files == ["a.mov", "b.mov"])
    #expect(try parse("a.mov").view == .summary)
    #expect(try parse("--json a.mov").view == .json(includesLayout: false))
    #expect(try parse("--atoms a.mov").view == .atoms(depth: nil, isJSON: false))
    #expect(try parse("--atoms --depth 3 a.mov").view == .atoms(depth: 3, isJSON: false))
    #expect(try parse("a.mov --atom moov/trak[2]").view == .atom(path: "moov/trak[2]", isHex: false))
    let selector = try TrackSelector("audio:2", option: "samples")
    #expect(try parse("a.mov --samples audio:2").view == .samples(selector, isJSON: false))
    #expect(try parse("a.mov --samples audio:2 --json").view == .samples(selector, isJSON: true))
    #expect(try parse("a.mov --atom moov --hex").view == .atom(path: "moov", isHex: true))
  }

  @Test(arguments: [
    ("", UsageError.Code.missingOperand), ("-", .notSupported), ("a --json --atom moov", .conflict),
    ("a --atom moov --atoms", .conflict), ("a --depth 2", .conflict), ("a --hex", .conflict),
    ("a --atoms --hex", .conflict), ("a --atoms --depth 0", .invalidValue), ("a --atoms --depth x", .invalidValue),
    ("a --atom=", .invalidValue), ("a --atom /moov", .invalidValue), ("a --samples video --atoms", .conflict),
    ("a --samples picture", .invalidValue),
  ])
  func rejectsInvalidOptions(line: String, code: UsageError.Code) throws {
    let error = try #require(throws: UsageError.self) { try parse(line) }
    #expect(error.code == code)
    #expect(error.command == "inspect")
  }

  @Test func showsOtherFilesAfterAMissingOne() {
    let console = Console()
    #expect(console.run("inspect a.mov b.mov") == .noInput)
    #expect(console.errors.lines == ["a.mov: no such file", "b.mov: no such file"])
  }

  @Test func printsAJSONObjectForEachFile() {
    let console = Console()
    #expect(console.run("inspect --json a.mov b.mov") == .noInput)
    #expect(console.output.text.contains("\"files\": [\n    {\n      \"file\": \"a.mov\",\n"))
    #expect(console.output.text.contains("\"file\": \"b.mov\",\n"))
    #expect(console.errors.text.isEmpty)
  }
}
