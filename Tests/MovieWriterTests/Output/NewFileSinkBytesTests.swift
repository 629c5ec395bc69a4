import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Writing one or several files from memory, all or none.
struct NewFileSinkBytesTests {
  private func sink(_ path: String, _ existing: NewFileSink.ExistingFilePolicy = .keep) -> NewFileSink {
    NewFileSink(path: path, existing: existing, synchronizes: false)
  }

  @Test func writesBytesAsAFile() throws {
    let folder = try TemporaryFolder()
    try sink(folder.file("a")).write(Bytes([1, 2, 3]))
    try sink(folder.file("b")).write(Bytes())
    #expect(try folder.read("a") == [1, 2, 3] && folder.read("b") == [])
    #expect(throws: FileError.self) { try sink(folder.file("a")).write(Bytes([4])) }
    #expect(try folder.read("a") == [1, 2, 3])
  }

  @Test func writesAllFilesOrNone() throws {
    let folder = try TemporaryFolder()
    func files(_ last: String) -> [(sink: NewFileSink, bytes: Bytes)] {
      ["a", "b", last].map { (sink(folder.file($0)), Bytes([7])) }
    }
    #expect(throws: FileError.self) { try NewFileSink.write(files("none/c")) }
    #expect(try folder.names() == [])
    // A repeated name is detected when the second file is written.
    #expect(throws: FileError.self) { try NewFileSink.write(files("a")) }
    #expect(try folder.names() == [])
    try NewFileSink.write(files("c"))
    #expect(try folder.names() == ["a", "b", "c"])
  }

  @Test func reportsReplacedFiles() throws {
    let folder = try TemporaryFolder()
    try folder.write([1], as: "old")
    let files: [(sink: NewFileSink, bytes: Bytes)] = [
      (sink(folder.file("old"), .replace), Bytes([2])), (sink(folder.file("new")), Bytes([3])),
      (sink(folder.file("new")), Bytes([4])),
    ]
    do {
      try NewFileSink.write(files)
      Issue.record("the same name was written twice")
    } catch {
      #expect((error as? FileError)?.reason.hasSuffix("; already written: \(folder.file("old"))") ?? false)
    }
    #expect(try folder.names() == ["old"] && folder.read("old") == [2])
  }
}
