import MovieBox
import MovieStreaming
import TestSupport
import Testing

struct StreamFolderTests {
  @Test func folderHasTheFilesOfThePlan() throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    var last: (UInt64, UInt64) = (0, 0)
    try streamed.plan.write(to: folder.file("out"), from: streamed.source) { last = ($0, $1) }
    #expect(last.0 == last.1 && last.1 == streamed.plan.byteCount)
    for file in streamed.plan.files {
      #expect(try folder.read("out/" + file.path) == streamed.bytes(file.path), "\(file.path)")
    }
  }

  @Test func folderThatIsNotEmptyIsKept() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("out")
    try folder.write([1], as: "out/mine")
    let streamed = try Streamed(StreamableMovie.talk)
    #expect(throws: FileError.self) { try streamed.plan.write(to: folder.file("out"), from: streamed.source) }
    #expect(try folder.names() == ["out"])
    try streamed.plan.write(to: folder.file("out"), from: streamed.source, existing: .replace)
    #expect(try folder.read("out/mine") == [1])
    try streamed.plan.write(to: folder.file("out"), from: streamed.source, existing: .replace)
  }

  /// Cancelled after any number of bytes, nothing is left, and the playlist that players open was not there.
  @Test func cancelledWorkLeavesNothing() throws {
    struct Stop: Error {}
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    for share in [0, 1, 5, 9] as [UInt64] {
      #expect(throws: Stop.self) {
        try streamed.plan.write(to: folder.file("out"), from: streamed.source) { done, planned in
          if done >= planned / 10 * share {
            let isThere = try SystemCalls.status(at: folder.file("out/main.m3u8"), followingLinks: false) != nil
            #expect(!isThere)
            throw Stop()
          }
        }
      }
      #expect(try folder.names() == [])
    }
  }
}
