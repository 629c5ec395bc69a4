import TestSupport
import Testing

@testable import MovieBox

struct FileSourceTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func readsRangesOfAFile() throws {
    let source = try FileSource(path: folder.write([1, 2, 3, 4, 5], as: "film.mov"))
    #expect(try source.identity().byteCount == 5)
    #expect(try source.read(ByteRange(1..<4)) == Bytes([2, 3, 4]))
    #expect(try source.read(ByteRange(5..<5)) == Bytes())
  }

  @Test func rejectsRangesBeyondTheEnd() throws {
    let source = try FileSource(path: folder.write([1, 2, 3], as: "film.mov"))
    for range in [ByteRange(0..<4), ByteRange(4..<4), ByteRange(0..<UInt64.max)] {
      #expect { try source.read(range) } throws: { ($0 as? MovieError)?.code == .truncated }
    }
  }

  @Test func detectsATruncatedFile() throws {
    let source = try FileSource(path: folder.write([1, 2, 3], as: "film.mov"))
    try SystemCalls.truncate(SystemCalls.open(folder.file("film.mov"), .updating), to: 2)
    #expect { try source.read(ByteRange(0..<3)) } throws: { ($0 as? FileError)?.code == .changed }
  }

  /// Reads of this size use two threads.
  @Test func readsMegabytesOnTwoThreads() throws {
    let bytes = (0..<5_000_001).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 16) }
    let source = try FileSource(path: folder.write(bytes, as: "film.mov"))
    #expect(try source.read(ByteRange(0..<5_000_001)) == Bytes(bytes))
    let range = ByteRange(3..<4_700_003)
    let joined = try Bytes(joining: [.bytes(Bytes([1])), .range(range, of: source), .zeros(200_000)])
    #expect(joined == Bytes([1] + bytes[3..<4_700_003] + [UInt8](repeating: 0, count: 200_000)))
    try SystemCalls.truncate(SystemCalls.open(folder.file("film.mov"), .updating), to: 4_999_999)
    #expect { try source.read(ByteRange(0..<5_000_001)) } throws: {
      "\($0)".hasSuffix("film.mov: was truncated before byte 5000001: it had 5000001 bytes when it was opened")
    }
  }

  @Test func changesItsIdentityWithTheFile() throws {
    let source = try FileSource(path: folder.write([1, 2, 3], as: "film.mov"))
    let before = try source.identity()
    #expect(try source.identity() == before)
    #expect(try FileSource(path: folder.file("film.mov")).identity() == before)
    let file = try SystemCalls.open(folder.file("film.mov"), .updating)
    try SystemCalls.truncate(file, to: 3)
    try SystemCalls.close(file)
    #expect(try source.identity() != before)
    #expect(try FileSource(path: folder.write([1, 2, 3], as: "other.mov")).identity() != before)
  }

  @Test func followsSymbolicLinks() throws {
    try folder.write([7], as: "film.mov")
    try folder.makeSymbolicLink("link.mov", to: "film.mov")
    #expect(try FileSource(path: folder.file("link.mov")).read(ByteRange(0..<1)) == Bytes([7]))
  }

  @Test func rejectsSpecialFiles() throws {
    try folder.makeFolder("folder")
    for path in [folder.file("missing"), folder.file("folder"), "/dev/null", ""] {
      #expect { try FileSource(path: path) } throws: { ($0 as? FileError)?.code == .noInput }
    }
  }

  @Test func namesFileAndReasonInErrors() throws {
    #expect { try FileSource(path: "/no such folder/film.mov") } throws: {
      "\($0)" == "/no such folder/film.mov: cannot open: No such file or directory"
    }
  }
}
