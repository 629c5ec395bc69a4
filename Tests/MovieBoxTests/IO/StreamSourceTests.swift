import Dispatch
import Foundation
import TestSupport
import Testing

@testable import MovieBox

struct StreamSourceTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func waitsForAPipeAndReadsItToItsEnd() throws {
    let path = folder.file("pipe")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    DispatchQueue.global().async {
      guard let pipe = FileHandle(forWritingAtPath: path) else { return }
      pipe.write(Data("1\n".utf8))
      pipe.write(Data(repeating: 0x61, count: 200_000))
      pipe.closeFile()
    }
    let bytes = try #require(try StreamSource.read(path, atMost: 1 << 20))
    #expect(bytes.count == 200_002 && bytes.array.prefix(2) == [0x31, 0x0A])
  }

  /// Without a writer, a request to stop must end the wait.
  @Test func waitsForAPipeWithoutAWriterUntilStopped() throws {
    let path = folder.file("pipe")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    struct Stopped: Error {}
    var asked = 0
    #expect(throws: Stopped.self) {
      try StreamSource.read(path, atMost: 100) {
        asked += 1
        if asked == 3 { throw Stopped() }
      }
    }
    #expect(asked == 3)
  }

  /// A shell passes the output of a command as an unnamed pipe, whose writer may have ended already.
  @Test func readsAPipeOfTheProcessByDescriptor() throws {
    let pipe = Pipe()
    pipe.fileHandleForWriting.write(Data("1\n".utf8))
    try pipe.fileHandleForWriting.close()
    let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
    #expect(try StreamSource.read(path, atMost: 100)?.array == [0x31, 0x0A])
  }

  @Test func rejectsAStreamBeyondTheLimit() throws {
    #expect { try StreamSource.read("/dev/zero", atMost: 100_000) } throws: { error in
      (error as? MovieError)?.code == .limit
    }
  }

  @Test func readsARegularFileOnlyOnRequest() throws {
    let path = try folder.write([1, 2, 3], as: "file")
    #expect(try StreamSource.read(path, atMost: 100) == nil)
    #expect(try StreamSource.read(path, atMost: 100, acceptsOrdinaryFiles: true)?.array == [1, 2, 3])
    #expect(try StreamSource.read(folder.file("none"), atMost: 100, acceptsOrdinaryFiles: true) == nil)
  }
}
