import DiskTestSupport
import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct InPlaceCommitTests {
  let folder: TemporaryFolder
  let edit = SampleEdit(media: 100, added: 2000)

  init() throws {
    folder = try TemporaryFolder()
  }

  private func code(_ call: () throws -> Void) -> FileError.Code? {
    do {
      try call()
      return nil
    } catch {
      return (error as? FileError)?.code
    }
  }

  @Test func appendsAndCommits() throws {
    let path = try folder.write(edit.old, as: "film.mov")
    let plan = try edit.plan(for: path)
    let inode = try SystemCalls.status(at: path, followingLinks: true)?.inode
    var done: [UInt64] = []
    let report = try InPlaceCommit(path: path).carryOut(plan) { bytes, planned in
      #expect(planned == plan.byteCount)
      done.append(bytes)
    }
    #expect(try folder.read("film.mov") == edit.new)
    #expect(report.bytesWritten == plan.byteCount)
    #expect(done == [24, 2024, 2024])  // The hiding header, everything, and everything synced.
    #expect(try SystemCalls.status(at: path, followingLinks: true)?.inode == inode)
  }

  @Test func writesTheRenderedPlan() throws {
    let path = try folder.write(edit.old, as: "film.mov")
    let source = try FileSource(path: path)
    let plan = edit.plan(for: try source.identity())
    try NewFileSink(path: folder.file("other.mov"), existing: .keep, synchronizes: false)
      .carryOut(plan.rendered(), from: source)
    try InPlaceCommit(path: path).carryOut(plan)
    #expect(try folder.read("film.mov") == folder.read("other.mov"))
  }

  @Test func followsASymbolicLink() throws {
    try folder.makeFolder("store")
    try folder.write(edit.old, as: "store/film.mov")
    try folder.makeSymbolicLink("link.mov", to: "store/film.mov")
    try InPlaceCommit(path: folder.file("link.mov")).carryOut(edit.plan(for: folder.file("link.mov")))
    #expect(try folder.read("store/film.mov") == edit.new)
  }

  /// A forked child process has a duplicate descriptor until it starts its program.
  @Test func releasesTheLockDespiteADuplicateDescriptor() throws {
    let path = try folder.write(edit.old, as: "film.mov")
    let disk = LocalFileSystem()
    let file = try disk.open(path, .updating)
    #expect(try disk.lock(file) == .taken)
    let copy = FileDescriptor(rawValue: dup(file.rawValue))
    try disk.close(file)
    #expect(code { try InPlaceCommit(path: path).carryOut(edit.plan(for: path)) } == nil)
    try SystemCalls.close(copy)
  }

  @Test func rejectsAFileThatAnotherProcessEdits() throws {
    let path = try folder.write(edit.old, as: "film.mov")
    let other = try SystemCalls.open(path, .reading)
    #expect(try SystemCalls.lock(other) == .taken)
    #expect(code { try InPlaceCommit(path: path).carryOut(edit.plan(for: path)) } == .locked)
    #expect(try folder.read("film.mov") == edit.old)
    try SystemCalls.close(other)
    #expect(code { try InPlaceCommit(path: path).carryOut(edit.plan(for: path)) } == nil)
  }

  @Test func rejectsAFileThatChangedSinceReading() throws {
    let path = try folder.write(edit.old, as: "film.mov")
    let plan = try edit.plan(for: path)
    try folder.write(edit.old + [1], as: "film.mov")
    #expect(code { try InPlaceCommit(path: path).carryOut(plan) } == .changed)
    #expect(try folder.read("film.mov") == edit.old + [1])
  }

  @Test func rejectsACommitOverUnexpectedBytes() throws {
    let path = try folder.write(edit.old, as: "film.mov")
    let plan = try edit.plan(for: path)
    let failure = code {
      try InPlaceCommit(path: path).carryOut(plan) { _, _ in
        // Another program writes without a lock during the edit.
        let file = try SystemCalls.open(path, .updating)
        _ = try LocalFileSystem().write(file, at: plan.commit.offset + 4, from: [0x73, 0x6B, 0x69, 0x70], 0..<4)
        try SystemCalls.close(file)
      }
    }
    #expect(failure == .changed)
    // Both programs' bytes are kept.
    let skip: [UInt8] = [0x73, 0x6B, 0x69, 0x70]
    let start = edit.headerOffset + 4
    #expect(try folder.read("film.mov") == edit.old[..<start] + skip + edit.old[(start + 4)...] + edit.appended)
  }

  /// Large movie atoms are compared on two threads.
  @Test(arguments: [8, 3_000_000, 5_999_999])
  func detectsAChangedByteInALargeMovieAtom(place: Int) throws {
    let edit = SampleEdit(media: 100, added: 2000, movie: 6_000_000)
    let path = try folder.write(edit.old, as: "film.mov")
    try InPlaceCommit(path: path).carryOut(edit.plan(for: path))
    #expect(try folder.read("film.mov") == edit.new)
    try folder.write(edit.old, as: "film.mov")
    var changed = edit.old
    changed[edit.headerOffset + place] = 0
    let failure = code {
      try InPlaceCommit(path: path).carryOut(edit.plan(for: path)) { done, _ in
        guard done == 24 else { return }  // Before the file's times are recorded, so that they reveal nothing.
        let file = try SystemCalls.open(path, .updating)
        _ = try LocalFileSystem().write(file, at: UInt64(edit.headerOffset + place), from: [0], 0..<1)
        try SystemCalls.close(file)
      }
    }
    #expect(failure == .changed)
    #expect(try folder.read("film.mov").starts(with: changed))
  }

  @Test func keepsBytesAppendedByAnotherProgram() throws {
    let path = try folder.write(edit.old, as: "film.mov")
    let plan = try edit.plan(for: path)
    let failure = code {
      try InPlaceCommit(path: path).carryOut(plan) { done, _ in
        guard done == 2024, try folder.read("film.mov").count == edit.old.count + edit.appended.count else { return }
        let file = try SystemCalls.open(path, .updating)
        let end = try SystemCalls.status(of: file).byteCount
        _ = try LocalFileSystem().write(file, at: end, from: [1, 2, 3], 0..<3)
        try SystemCalls.close(file)
      }
    }
    #expect(failure == .changed)
    #expect(try folder.read("film.mov") == edit.old + edit.appended + [1, 2, 3])
  }

  /// The error is not `changed`, but a failure of our own while another program appends.
  @Test func reportsLeftoversWhenAnotherProgramAppends() throws {
    struct Cancelled: Error {}
    let path = try folder.write(edit.old, as: "film.mov")
    let plan = try edit.plan(for: path)
    let error = #expect(throws: FileError.self) {
      try InPlaceCommit(path: path).carryOut(plan) { done, _ in
        guard done > 24 else { return }
        let file = try SystemCalls.open(path, .updating)
        let end = try SystemCalls.status(of: file).byteCount
        _ = try LocalFileSystem().write(file, at: end, from: [1], 0..<1)
        try SystemCalls.close(file)
        throw Cancelled()
      }
    }
    #expect(error?.reason.contains("another program wrote to the file") == true)
    #expect(error?.reason.contains("from byte \(plan.writeOffset) on") == true)
    #expect(try folder.read("film.mov") == edit.old + edit.appended + [1])
  }

  @Test func truncatesNothingWithoutALock() throws {
    struct Cancelled: Error {}
    let path = try folder.write(edit.old, as: "film.mov")
    let disk = FaultyFileSystem(LocalFileSystem(), locks: false)
    let error = #expect(throws: FileError.self) {
      try InPlaceCommit(path: path, disk: disk).carryOut(edit.plan(for: path)) { done, _ in
        if done > 24 { throw Cancelled() }
      }
    }
    #expect(error?.reason.contains("has no locks") == true)
    #expect(try folder.read("film.mov") == edit.old + edit.appended)
    // Without a failure, the edit succeeds.
    let again = try folder.write(edit.old, as: "again.mov")
    try InPlaceCommit(path: again, disk: disk).carryOut(edit.plan(for: again))
    #expect(try folder.read("again.mov") == edit.new)
  }

  @Test func truncatesWhenCancelledDuringASync() throws {
    struct Cancelled: Error {}
    let path = try folder.write(edit.old, as: "film.mov")
    let disk = FaultyFileSystem(LocalFileSystem())
    #expect(throws: Cancelled.self) {
      try InPlaceCommit(path: path, disk: disk).carryOut(edit.plan(for: path)) { _, _ in
        if disk.calls.contains("sync") { throw Cancelled() }
      }
    }
    #expect(try folder.read("film.mov") == edit.old)
  }

  @Test func truncatesWhenCancelled() throws {
    struct Cancelled: Error {}
    let path = try folder.write(edit.old, as: "film.mov")
    #expect(throws: Cancelled.self) {
      try InPlaceCommit(path: path).carryOut(edit.plan(for: path)) { _, _ in throw Cancelled() }
    }
    #expect(try folder.read("film.mov") == edit.old)
  }

  @Test func distinguishesMissingFromReadOnlyFiles() throws {
    let plan = edit.plan(for: SourceIdentity(byteCount: UInt64(edit.old.count), tag: ""))
    #expect(code { try InPlaceCommit(path: folder.file("film.mov")).carryOut(plan) } == .noInput)
    #expect(code { try InPlaceCommit(path: folder.path).carryOut(plan) } == .notWritable)
    #expect(!InPlaceCommit.isPossible(path: folder.file("film.mov")))
    #expect(!InPlaceCommit.isPossible(path: folder.path))
    #expect(InPlaceCommit.isPossible(path: try folder.write([1], as: "film.mov")))
  }
}
