import Testing

@testable import MovtoolCommands

struct ArgumentsTests {
  private let table = [
    OptionSpec("language", value: "TAG", scope: .operand, "language"),
    OptionSpec("tag", value: "NAME", scope: .operand, isRepeatable: true, "tag"),
    OptionSpec("sdh", scope: .operand, "for the deaf"),
    OptionSpec("offset", value: "TIME", "offset"),
    OptionSpec("strict", "strict"),
    OptionSpec("o", value: "FILE", "output"),
  ]

  private func parse(_ line: String) throws -> Arguments {
    try Arguments(line.split(separator: " ").map(String.init), table: table, firstInput: 1)
  }

  private func failure(_ line: String) throws -> UsageError {
    try #require(throws: UsageError.self) { try parse(line) }
  }

  @Test func optionsAndOperandsMayBeMixed() throws {
    let arguments = try parse("--strict in.mov --offset 5 a.srt -o out.mov b.srt")
    #expect(arguments.operands == ["in.mov", "a.srt", "b.srt"])
    #expect(arguments.contains("strict"))
    #expect(arguments.value("offset") == "5")
    #expect(arguments.value("o") == "out.mov")
  }

  @Test func valueFollowsTheNameOrAnEqualsSign() throws {
    #expect(try parse("--offset 5").value("offset") == "5")
    #expect(try parse("--offset=5").value("offset") == "5")
    #expect(try parse("--offset=a=b").value("offset") == "a=b")
    #expect(try parse("--offset=").value("offset") == "")
    #expect(try parse("-o=x.mov").value("o") == "x.mov")
  }

  @Test func valueMayBeginWithADash() throws {
    #expect(try parse("--offset -1.5").value("offset") == "-1.5")
    #expect(try parse("--offset=--strict").value("offset") == "--strict")
    #expect(try parse("-o -").value("o") == "-")
  }

  @Test func reportsAMissingValueBeforeAnotherOption() throws {
    let error = try failure("--offset --strict in.mov")
    #expect(error.code == .missingValue)
    #expect(error.message.contains("--offset=--strict"))
    #expect(try failure("--offset -o x").code == .missingValue)
    #expect(try failure("--offset -o=x").code == .missingValue)
    #expect(try failure("--offset --").code == .missingValue)
    #expect(try failure("-o").code == .missingValue)
  }

  @Test func twoDashesEndTheOptions() throws {
    let arguments = try parse("in.mov -- --strict -x --")
    #expect(arguments.operands == ["in.mov", "--strict", "-x", "--"])
    #expect(!arguments.contains("strict"))
  }

  @Test func acceptsASingleDashAsAnOperand() throws {
    #expect(try parse("-").operands == ["-"])
  }

  @Test(arguments: [
    ("--langauge", "--language"), ("--lang", "--language"), ("--ofset=5", "--offset"), ("-strict", "--strict"),
    ("--STRICT", "--strict"),
  ])
  func unknownOptionNamesTheNearestKnownOne(word: String, nearest: String) throws {
    let error = try failure(word)
    #expect(error.code == .unknownOption)
    #expect(error.message.hasSuffix("did you mean \(nearest)?"))
  }

  @Test func suggestsNothingForAnUnknownOptionWithoutASimilarName() throws {
    #expect(try failure("--zebra").message == "unknown option --zebra")
  }

  @Test func flagTakesNoValue() throws {
    #expect(try failure("--strict=yes").code == .unexpectedValue)
  }

  @Test func rejectsARepeatedOptionUnlessRepeatable() throws {
    #expect(try failure("--strict --strict").code == .repeatedOption)
    #expect(try failure("--offset 1 a b --offset 2").code == .repeatedOption)
    #expect(try failure("in a --sdh --sdh").code == .repeatedOption)
    #expect(try parse("--tag a --tag b").values("tag", forInput: 0) == ["a", "b"])
  }

  @Test func appliesAnOptionBeforeTheFirstInputToAllInputs() throws {
    for line in ["--language en in a b", "in --language en a b"] {
      let arguments = try parse(line)
      #expect(arguments.value("language", forInput: 0) == "en")
      #expect(arguments.value("language", forInput: 1) == "en")
    }
  }

  @Test func appliesAnOptionAfterAnInputToThatInput() throws {
    let arguments = try parse("--language en in a b --language es --sdh c")
    #expect((0...2).map { arguments.value("language", forInput: $0) } == ["en", "es", "en"])
    #expect((0...2).map { arguments.contains("sdh", forInput: $0) } == [false, true, false])
  }

  @Test func listsCommonValuesBeforeAnInputsOwn() throws {
    let arguments = try parse("--tag a in x y --tag b")
    #expect(arguments.values("tag", forInput: 0) == ["a"])
    #expect(arguments.values("tag", forInput: 1) == ["a", "b"])
  }
}
