import TestSupport
import Testing

struct ShellTests {
  @Test func capturesOutputErrorsAndCode() throws {
    let result = try Shell.run("sh", ["-c", "cat; echo problem >&2; exit 3"], input: text("answer"))
    #expect(result.outputText == "answer")
    #expect(result.errorText == "problem\n")
    #expect(result.code == 3)
  }

  @Test func endsAProgramThatTakesTooLong() {
    #expect(throws: TestSupportError.self) { try Shell.run("sleep", ["20"], timeout: 0.2) }
  }

  @Test func reportsAMissingProgram() {
    #expect(throws: TestSupportError.self) { try Shell.run("no-such-program", []) }
  }

  @Test func deletesATemporaryFolderWithItsFiles() throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let path = try #require(folder?.path)
    try folder?.write([1, 2], as: "file")
    #expect(try folder?.names() == ["file"])
    #expect(try folder?.read("file") == [1, 2])
    folder = nil
    #expect(throws: (any Error).self) { try readFile(path + "/file") }
  }
}
