import MovieBox
import Testing

@testable import movtool

struct ToolErrorTests {
  @Test func lineNamesFilePlaceAndReason() {
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
    #expect(ToolError(MovieError(.planCheckFailed, ""), in: "a").exitCode == .ownFault)
  }

  @Test func unforeseenErrorIsOurOwnFault() {
    struct Strange: Error {}
    #expect(ToolError(Strange()).exitCode == .ownFault)
  }

  @Test func exitCodesAreThoseOfTheManual() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 70, 73, 74, 130])
  }
}
