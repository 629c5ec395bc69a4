import DiskTestSupport
import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Large plans, which two threads carry out.
struct StripedCopyTests {
  private let folder: TemporaryFolder
  private let media = SampleEdit.pattern(20_000_003, from: 5)

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Returns a plan of small and large pieces of every kind, none of which ends at a stripe boundary.
  private func plan(of source: some RandomAccessSource) throws -> OutputPlan {
    var contents: [OutputPlan.Content] = [.generated(Bytes(SampleEdit.pattern(1_300_001, from: 77)))]
    for index in 0..<4000 {
      let start = UInt64(index) * 1000
      contents += [.source(ByteRange(start..<start + 999)), .generated(Bytes([1, 2, 3]))]
    }
    contents += [.zeros(2_500_000), .source(ByteRange(4_000_001..<20_000_000)), .zeros(5)]
    return try OutputPlan(of: source.identity(), contents)
  }

  private func sink(_ disk: any FileSystem = LocalFileSystem()) -> NewFileSink {
    NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false, disk: disk)
  }

  private func expected(_ plan: OutputPlan) throws -> [UInt8] {
    try plan.rendered(from: MemorySource(Bytes(media)))
  }

  @Test func writesThePlanFromAnySource() throws {
    let file = try FileSource(path: folder.write(media, as: "in.mov"))
    let plan = try plan(of: file)
    try #require(plan.byteCount > StripedCopy<FileSource>.smallestPlan)
    var done: UInt64 = 0
    let report = try sink().carryOut(plan, from: file) { now, planned in
      #expect(now <= planned)
      done = max(done, now)
    }
    #expect(try folder.read("out.mov") == expected(plan))
    #expect(done == plan.byteCount)
    #expect(report.bytesCopied == 4000 * 999 + 15_999_999)
    // Complete stripes of zeros are not written.
    #expect(plan.byteCount - report.bytesWritten > 1 << 20 && plan.byteCount - report.bytesWritten <= 2_500_000)

    try FileManager.default.removeItem(atPath: folder.file("out.mov"))
    let memory = MemorySource(Bytes(media))
    try sink().carryOut(self.plan(of: memory), from: memory)
    #expect(try folder.read("out.mov") == expected(plan))
  }

  @Test(arguments: [20, 40, 60, 80])
  func leavesNothingAfterAnErrorOnEitherThread(call: Int) throws {
    let file = try FileSource(path: folder.write(media, as: "in.mov"))
    let plan = try plan(of: file)
    let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, servesTwoThreads: true)
    #expect(throws: FileError.self) { try sink(disk).carryOut(plan, from: file) }
    #expect(["read", "write"].contains(disk.refusedCall))
    #expect(try folder.names() == ["in.mov"])
  }

  @Test func namesASourceThatEndsEarly() throws {
    let path = try folder.write(media, as: "in.mov")
    let file = try FileSource(path: path)
    let plan = try plan(of: file)
    let disk = FaultyFileSystem(LocalFileSystem(), servesTwoThreads: true)
    disk.beforeCall = { call in
      // After the check that the movie matches the plan.
      if call == "reserve" { unsafe truncate(path, 19_000_000) }
    }
    #expect { try sink(disk).carryOut(plan, from: file) } throws: { error in
      (error as? FileError)?.code == .changed
    }
    #expect(try folder.names() == ["in.mov"])
  }

  @Test func stopsBothThreadsWhenCancelled() throws {
    struct Cancelled: Error {}
    let file = try FileSource(path: folder.write(media, as: "in.mov"))
    let plan = try plan(of: file)
    #expect(throws: Cancelled.self) {
      try sink().carryOut(plan, from: file) { _, _ in throw Cancelled() }
    }
    #expect(try folder.names() == ["in.mov"])
  }

  @Test func usesOneThreadForSmallPlans() throws {
    let file = try FileSource(path: folder.write(media, as: "in.mov"))
    let large = try plan(of: file)
    let disk = FaultyFileSystem(LocalFileSystem())
    try sink(disk).carryOut(large, from: file)
    #expect(try folder.read("out.mov") == expected(large))
    // Every buffer is full, except the last buffer and the buffer before the zeros.
    let writes = disk.calls.count { $0 == "write" }
    #expect(writes <= Int(large.byteCount) / StagedWriter.capacity + 2)
  }
}
