import Foundation
import MovieBox
import TestSupport
import Testing

struct SystemCallsTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func namesOperationAndReasonInErrors() {
    #expect("\(SystemError("write", .noSpace))" == "cannot write: No space left on device")
    #expect("\(SystemError("write", .init(rawValue: 99_999)))".hasPrefix("cannot write: "))
  }

  @Test func endsTheProcessOnTheSecondStopSignal() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      SystemCalls.catchStopSignals()
      kill(getpid(), SIGTERM)
      while SystemCalls.receivedStopSignal != SIGTERM { usleep(1000) }
      kill(getpid(), SIGTERM)
      sleep(10)
    }
  }

  @Test func defersStopSignalsWhileHeld() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      SystemCalls.catchStopSignals()
      SystemCalls.setStopSignals(areHeld: true)
      for _ in 0..<3 {
        kill(getpid(), SIGTERM)
        usleep(10_000)
      }
      guard SystemCalls.receivedStopSignal == SIGTERM else { exit(7) }
      SystemCalls.setStopSignals(areHeld: false)
      kill(getpid(), SIGTERM)
      usleep(100_000)
      kill(getpid(), SIGTERM)
      sleep(10)
    }
  }

  @Test func renamesToAnUnusedNameOnly() throws {
    try folder.write([1], as: "a")
    try folder.write([2], as: "b")
    #expect { try SystemCalls.rename(folder.file("a"), toUnused: folder.file("b")) } throws: {
      ($0 as? SystemError)?.code == .exists
    }
    #expect(try folder.read("b") == [2])
    try SystemCalls.rename(folder.file("a"), toUnused: folder.file("c"))
    #expect(try folder.names() == ["b", "c"])
  }

  @Test func holdsTheLockUntilTheFileIsClosed() throws {
    let path = try folder.write([1], as: "a")
    let first = try SystemCalls.open(path, .reading)
    let second = try SystemCalls.open(path, .updating)
    #expect(try SystemCalls.lock(first) == .taken)
    #expect(try SystemCalls.lock(second) == .heldByAnother)
    try SystemCalls.close(first)
    #expect(try SystemCalls.lock(second) == .taken)
    try SystemCalls.close(second)
  }

  @Test func reservesSpaceWithoutChangingTheSize() throws {
    let path = try folder.write([1], as: "a")
    let file = try SystemCalls.open(path, .updating)
    try SystemCalls.reserve(file, byteCount: 1 << 20)
    #expect(try SystemCalls.status(of: file).byteCount == 1)
    try SystemCalls.close(file)
  }

  @Test func detectsHoles() throws {
    let path = try folder.write([UInt8](repeating: 0, count: 4), as: "a")
    let file = try SystemCalls.open(path, .updating)
    try SystemCalls.truncate(file, to: 1 << 20)
    #expect(!SystemCalls.isHole(file, from: 0))
    // A file system without holes never reports any.
    let knowsHoles = SystemCalls.isHole(file, from: 64 << 10)
    let last: [UInt8] = [0]
    try unsafe last.withUnsafeBytes { buffer in
      _ = try unsafe SystemCalls.write(file, at: (1 << 20) - 1, from: buffer)
    }
    #expect(!SystemCalls.isHole(file, from: 64 << 10))  // Written zeros are not a hole.
    #expect(!knowsHoles || SystemCalls.isHole(file, from: 1 << 20))
    try SystemCalls.close(file)
  }

  @Test func writesToAStream() throws {
    // A file opened for writing serves as the stream, from position 0.
    let path = try folder.write([], as: "a")
    let file = try SystemCalls.open(path, .updating)
    try SystemCalls.write([1, 2, 3], to: file)
    try SystemCalls.write([], to: file)
    try SystemCalls.write([4], to: file)
    try SystemCalls.close(file)
    #expect(try folder.read("a") == [1, 2, 3, 4])
    #expect(!SystemCalls.isTerminal(file))
    #expect(SystemCalls.terminalWidth(file) == nil)
  }

  @Test func rejectsPositionsBeyondTheSystemsRange() throws {
    let path = try folder.write([1], as: "a")
    let file = try SystemCalls.open(path, .updating)
    #expect(throws: SystemError.self) { try SystemCalls.truncate(file, to: UInt64.max) }
    #expect(throws: SystemError.self) { try SystemCalls.reserve(file, byteCount: UInt64.max) }
    try SystemCalls.close(file)
  }

  @Test func readsTheEnvironment() {
    #expect(SystemCalls.environment("PATH")?.isEmpty == false)
    #expect(SystemCalls.environment("MOVTOOL NO SUCH VARIABLE") == nil)
  }

  @Test func readsAMonotonicClock() {
    let first = SystemCalls.monotonicNanoseconds()
    #expect(first > 0)
    #expect(SystemCalls.monotonicNanoseconds() >= first)
  }
}
