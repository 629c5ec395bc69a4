import MovieBox
import MovieWriter
import Subtitles
import Testing

@testable import MovtoolCommands

struct ToolErrorTests {
  @Test func errorLineContainsFileLocationAndReason() {
    let error = MovieError(.malformed, at: 41230, in: "moov/trak[2]/stco", "claims 4000000 entries, room for 12")
    #expect(
      ToolError(error, in: "clip.mov").line
        == "clip.mov: moov/trak[2]/stco at byte 41230: claims 4000000 entries, room for 12")
    #expect(ToolError(MovieError(.notAMovie, "no moov"), in: "a.txt").line == "a.txt: no moov")
    #expect(ToolError(MovieError(.truncated, at: 8, "ends early"), in: "a").line == "a: at byte 8: ends early")
  }

  @Test func movieErrorsHaveTheirExitCodes() {
    #expect(ToolError(MovieError(.malformed, ""), in: "a").exitCode == .badData)
    #expect(ToolError(MovieError(.unsupported, ""), in: "a").exitCode == .badData)
    #expect(ToolError(MovieError(.sourceChanged, ""), in: "a").exitCode == .inputOutput)
    #expect(ToolError(MovieError(.planCheckFailed, ""), in: "a").exitCode == .internalError)
  }

  @Test func subtitleErrorNamesLineAndByte() {
    let error = ToolError(SubtitleError(.encoding, line: 6, at: 212, "not UTF-8"), about: "en.srt")
    #expect(error.line == "en.srt: line 6 at byte 212: not UTF-8")
    #expect(error.exitCode == .badData)
  }

  @Test(arguments: [
    (FileError.Code.noInput, ExitCode.noInput), (.notWritable, .cannotCreate), (.cannotCreate, .cannotCreate),
    (.exists, .cannotCreate), (.locked, .inputOutput), (.changed, .inputOutput), (.inputOutput, .inputOutput),
  ])
  func fileErrorsHaveTheirExitCodes(code: FileError.Code, exitCode: ExitCode) {
    let error = ToolError(FileError(code, "a.mov", "x"), about: "b.mov")
    #expect(error.exitCode == exitCode)
    #expect(error.line == "a.mov: x")
    #expect((error.hint != nil) == [.exists, .notWritable].contains(code))
  }

  @Test func interruptionHasItsExitCode() throws {
    let console = Console()
    try console.context.checkStop()
    console.isStopped = true
    let error = try #require(throws: Interruption.self) { try console.context.checkStop() }
    #expect(ToolError(error, about: "a.mov").exitCode == .interrupted)
  }

  @Test func reportsAnUnknownErrorAsInternal() {
    struct Strange: Error {}
    #expect(ToolError(Strange()).exitCode == .internalError)
    #expect(ToolError(Strange()).hint?.contains("error in movtool") == true)
    #expect(ToolError(MovieError(.planCheckFailed, ""), in: "a").hint?.contains("please report") == true)
    #expect(ToolError(MovieError(.malformed, ""), in: "a").hint == nil)
  }

  @Test func documentsExitCodesInTheManual() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 70, 73, 74, 130])
  }
}
