import DiskTestSupport
import MovieBox
import Synchronization
import TestSupport
import Testing

@testable import MovieWriter

struct StreamSinkTests {
  /// The output of a sink.
  private final class Received: @unchecked Sendable {  // Used by one thread.
    var bytes: [UInt8] = []
    var blocks: [Int] = []
    var beforeBlock: (Int) throws -> Void = { _ in }

    var sink: StreamSink {
      StreamSink { [self] block in
        try beforeBlock(blocks.count)
        bytes += block
        blocks.append(block.count)
      }
    }
  }

  private struct Refused: Error {}

  private static let capacity = StagedWriter.capacity
  private let folder: TemporaryFolder
  private let received = Received()

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Returns a plan of new bytes, two pieces of media, and zeros that would be a hole in a file.
  private func plan(of source: some RandomAccessSource) throws -> OutputPlan {
    let identity = try source.identity()
    let middle = identity.byteCount / 2
    return try OutputPlan(
      of: identity,
      [
        .source(ByteRange(middle..<identity.byteCount)), .generated(Bytes(SampleEdit.pattern(1_200_000, from: 77))),
        .zeros(300_001), .source(ByteRange(1..<middle)), .zeros(17),
      ])
  }

  @Test func streamsTheBytesOfTheNewFile() throws {
    let source = try FileSource(path: folder.write(SampleEdit.pattern(3_500_001, from: 5), as: "in.mov"))
    let plan = try plan(of: source)
    var done: [UInt64] = []
    let report = try received.sink.carryOut(plan, from: source) { bytes, planned in
      #expect(planned == plan.byteCount)
      done.append(bytes)
    }
    try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false).carryOut(plan, from: source)
    #expect(try received.bytes == folder.read("out.mov"))
    let blockCount = Int(plan.byteCount) / Self.capacity + 1
    #expect(received.blocks.dropLast().allSatisfy { $0 == Self.capacity } && received.blocks.count == blockCount)
    #expect(done.count == blockCount && done.last == plan.byteCount)
    #expect(report.bytesWritten == plan.byteCount && report.bytesCopied == 3_500_000 && report.syncs == 0)
    #expect(try folder.names() == ["in.mov", "out.mov"])
  }

  @Test(arguments: [0, 1, capacity - 1, capacity, capacity + 1, 2 * capacity])
  func sendsNoEmptyLastBlock(_ count: Int) throws {
    let source = MemorySource(Bytes(SampleEdit.pattern(count, from: 5)))
    let plan = try OutputPlan(of: source.identity(), [.source(ByteRange(0..<UInt64(count)))])
    try received.sink.carryOut(plan, from: source)
    #expect(received.bytes == source.bytes.array)
    #expect(received.blocks.count == (count + Self.capacity - 1) / Self.capacity && !received.blocks.contains(0))
  }

  @Test func readsSeveralMoviesInOrder() throws {
    let files = try [5, 6].map { try FileSource(path: folder.write(SampleEdit.pattern(1000, from: $0), as: "\($0)")) }
    let source = try JoinedSource(files)
    let plan = try OutputPlan(of: source.identity(), [.source(ByteRange(900..<1100)), .source(ByteRange(0..<10))])
    #expect(plan.extents.count == 3)
    try received.sink.carryOut(plan, from: source)
    #expect(
      received.bytes == SampleEdit.pattern(1000, from: 5)[900...] + SampleEdit.pattern(100, from: 6)
        + SampleEdit.pattern(10, from: 5))
  }

  @Test func sendsNothingFromAChangedSource() throws {
    let path = try folder.write(SampleEdit.pattern(5000, from: 5), as: "in.mov")
    let source = try FileSource(path: path)
    let plan = try plan(of: source)
    try append(1, to: "in.mov")
    #expect(throws: changed("the movie has changed since it was read; nothing was written")) {
      try received.sink.carryOut(plan, from: source)
    }
    #expect(received.blocks.isEmpty)
  }

  @Test(arguments: [nil, 0, 3_500_000, 3_500_002] as [UInt64?])
  func neverCompletesTheOutputOfAChangingSource(_ size: UInt64?) throws {
    let source = try FileSource(path: folder.write(SampleEdit.pattern(3_500_001, from: 5), as: "in.mov"))
    let plan = try plan(of: source)
    received.beforeBlock = { [folder] index in
      guard index == 0 else { return }
      let file = try SystemCalls.open(folder.file("in.mov"), .updating)
      if let size { try SystemCalls.truncate(file, to: size) }
      _ = try LocalFileSystem().write(file, at: 100, from: [1, 2, 3], 0..<3)
      try SystemCalls.close(file)
    }
    do {
      try received.sink.carryOut(plan, from: source)
      Issue.record("a changed movie was streamed")
    } catch let error as FileError {
      #expect(error.code == .changed)
    }
    #expect(received.bytes.count < plan.byteCount)
  }

  @Test func checksTheSourceAfterTheLastRead() throws {
    let source = try FileSource(path: folder.write(SampleEdit.pattern(5000, from: 5), as: "in.mov"))
    let disk = FaultyFileSystem(LocalFileSystem())
    disk.beforeCall = { [folder] call in
      do {
        if call.hasPrefix("read") { try folder.write(SampleEdit.pattern(5001, from: 6), as: "in.mov") }
      } catch {
        Issue.record(error)
      }
    }
    let sink = StreamSink(disk: disk) { [received] block in received.bytes += block }
    let plan = try OutputPlan(of: source.identity(), [.source(ByteRange(0..<5000))])
    #expect { try sink.carryOut(plan, from: source) } throws: { ($0 as? FileError)?.code == .changed }
    #expect(disk.calls == ["read"] && received.bytes.isEmpty)
  }

  @Test func reportsAChangingObject() throws {
    final class Object: RandomAccessSource {
      let tag = Mutex("1")
      func identity() -> SourceIdentity { SourceIdentity(byteCount: 3_000_000, tag: tag.withLock { $0 }) }
      func read(_ range: ByteRange) -> Bytes { Bytes([UInt8](repeating: 7, count: Int(range.count))) }
    }
    let object = Object()
    let plan = try plan(of: object)
    received.beforeBlock = { _ in object.tag.withLock { $0 = "2" } }
    #expect { try received.sink.carryOut(plan, from: object) } throws: { isMovieError($0, .sourceChanged) }
    #expect(received.bytes.count < plan.byteCount)
  }

  @Test func stopsWhenTheReceiverThrows() throws {
    let source = MemorySource(Bytes(SampleEdit.pattern(3_000_000, from: 5)))
    received.beforeBlock = { index in if index == 1 { throw Refused() } }
    #expect(throws: Refused.self) { try received.sink.carryOut(plan(of: source), from: source) }
    #expect(received.blocks.count == 1)
  }

  @Test func stopsWhenCancelled() throws {
    let source = MemorySource(Bytes(SampleEdit.pattern(3_000_000, from: 5)))
    #expect(throws: Refused.self) {
      try received.sink.carryOut(plan(of: source), from: source) { _, _ in throw Refused() }
    }
    #expect(received.blocks.count == 1)
  }

  private func changed(_ reason: String) -> FileError {
    FileError(.changed, folder.file("in.mov"), reason)
  }

  private func append(_ count: Int, to name: String) throws {
    try folder.write(folder.read(name) + SampleEdit.pattern(count, from: 9), as: name)
  }
}
