import DiskTestSupport
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Each call refused in turn: the target is unchanged, and no temporary file remains.
struct SinkFaultTests {
  static let media = SampleEdit.pattern(5000, from: 5)
  static let head = SampleEdit.pattern(900, from: 50)
  static let new = head + media[100..<4000] + [UInt8](repeating: 0, count: 70_000) + media[4000...]

  /// Whether a refusal of the call may be ignored, because nothing is lost or there is another way.
  static func isHarmless(_ call: String) -> Bool {
    ["", "clone", "close", "names"].contains(call) || call.hasPrefix("open unnamed")
  }

  static func plan(of source: FileSource) throws -> OutputPlan {
    try OutputPlan(
      of: source.identity(),
      [
        .generated(Bytes(head)), .source(ByteRange(100..<4000)), .zeros(70_000), .source(ByteRange(4000..<5000)),
      ])
  }

  @Test(arguments: FaultyFileSystem.Refusal.allCases, [true, false])
  func leavesNoNewFileAfterARefusedCall(_ refusal: FaultyFileSystem.Refusal, hasUnnamedFiles: Bool) throws {
    for call in 1... {
      let folder = try TemporaryFolder()
      let source = try FileSource(path: try folder.write(Self.media, as: "in.mov"))
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal, hasUnnamedFiles: hasUnnamedFiles)
      let sink = NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: true, disk: disk)
      do {
        try sink.carryOut(Self.plan(of: source), from: source)
        // Only harmless calls may be refused without an error.
        #expect(Self.isHarmless(disk.refusedCall))
        #expect(try folder.read("out.mov") == Self.new)
      } catch let error as FileError {
        #expect([.inputOutput, .cannotCreate].contains(error.code), "\(disk.refusedCall): \(error)")
        #expect(try folder.names() == ["in.mov"], "\(disk.refusedCall)")
      }
      #expect(try folder.read("in.mov") == Self.media)
      if !disk.hasRefused { break }
    }
  }

  @Test(arguments: FaultyFileSystem.Refusal.allCases, [true, false])
  func keepsTheReplacedMovieAfterARefusedCall(_ refusal: FaultyFileSystem.Refusal, hasUnnamedFiles: Bool) throws {
    for call in 1... {
      let folder = try TemporaryFolder()
      let source = try FileSource(path: try folder.write(Self.media, as: "film.mov"))
      try source.setAttribute("user.note", [1, 2])
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal, hasUnnamedFiles: hasUnnamedFiles)
      let sink = NewFileSink(path: folder.file("film.mov"), existing: .replaceSource, synchronizes: false, disk: disk)
      do {
        try sink.carryOut(Self.plan(of: source), from: source)
        #expect(Self.isHarmless(disk.refusedCall))
        #expect(try folder.read("film.mov") == Self.new)
      } catch let error as FileError {
        // The name already refers to the new movie, and the error states this.
        let isRenamed = disk.refusedCall == "sync folder"
        #expect(error.reason.contains("the new movie was written") == isRenamed)
        #expect(try folder.read("film.mov") == (isRenamed ? Self.new : Self.media), "\(disk.refusedCall): \(error)")
      }
      #expect(try folder.names() == ["film.mov"], "\(disk.refusedCall)")
      if !disk.hasRefused { break }
    }
  }

  @Test(arguments: FaultyFileSystem.Refusal.allCases, [0, 20])
  func truncatesAnEditInPlaceAfterARefusedCall(_ refusal: FaultyFileSystem.Refusal, _ torn: Int) throws {
    let edit = SampleEdit(media: 100, added: 3000, torn: torn)
    for call in 1... {
      let folder = try TemporaryFolder()
      let path = try folder.write(edit.old, as: "film.mov")
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal)
      do {
        try InPlaceCommit(path: path, disk: disk).carryOut(edit.plan(for: path))
        #expect(["", "close"].contains(disk.refusedCall))
        #expect(try folder.read("film.mov") == edit.new)
      } catch let error as FileError {
        let bytes = try folder.read("film.mov")
        if error.reason.contains("the edit was made") {
          #expect(["sync", "status of file", "status at path", "read"].contains(disk.refusedCall))
          #expect(bytes == edit.new)
        } else {
          #expect(bytes == edit.old || bytes == Array(edit.old[..<edit.kept]), "\(disk.refusedCall): \(error)")
        }
      }
      if !disk.hasRefused { break }
    }
  }

  /// An unplugged drive: nothing can be restored, and the error states what may be left.
  @Test(arguments: [FaultyFileSystem.Refusal.nothingDone, .allDone], [0, 20])
  func leavesTheOldOrNewMovieOnADisconnectedDisk(_ refusal: FaultyFileSystem.Refusal, _ torn: Int) throws {
    let edit = SampleEdit(media: 100, added: 3000, torn: torn)
    var reasons = ""
    for call in 1... {
      let folder = try TemporaryFolder()
      let path = try folder.write(edit.old, as: "film.mov")
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal, isGone: true)
      do {
        try InPlaceCommit(path: path, disk: disk).carryOut(edit.plan(for: path))
        #expect(["", "close"].contains(disk.refusedCall))
      } catch let error as FileError {
        let bytes = try folder.read("film.mov")
        #expect(bytes == edit.new || bytes.starts(with: edit.old[..<edit.kept]), "\(disk.refusedCall): \(error)")
        reasons += error.reason + "\n"
      }
      if !disk.hasRefused { break }
    }
    #expect(reasons.contains("the atom header at byte \(edit.headerOffset) may be lost"), "\(reasons)")
    #expect(reasons.contains("has free space from byte \(edit.kept)"), "\(reasons)")
  }

  @Test(
    arguments: [
      (0, ["owner"], 0o754), (1, ["owner", "group"], 0o744),
    ] as [(UInt32, [String], UInt32)])
  func grantsNoRightsIfTheOwnerCannotBeKept(_ otherGroup: UInt32, _ lost: [String], _ mode: UInt32) throws {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: try folder.write(Self.media, as: "film.mov"))
    try folder.setMode(0o6754, of: "film.mov")
    let disk = FaultyFileSystem(LocalFileSystem(), always: "set owner", with: .notPermitted) {
      $0.owner += 1
      $0.group += otherGroup
    }
    let sink = NewFileSink(path: folder.file("film.mov"), existing: .replaceSource, synchronizes: false, disk: disk)
    let report = try sink.carryOut(Self.plan(of: source), from: source)
    #expect(report.lostAttributes == lost)
    #expect(try SystemCalls.status(at: folder.file("film.mov"), followingLinks: false)?.mode == mode)
  }

  @Test(arguments: [("set attribute", ["user.note"]), ("open reading", ["extended attributes"])])
  func reportsLostAttributes(_ call: String, _ lost: [String]) throws {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: try folder.write(Self.media, as: "film.mov"))
    try source.setAttribute("user.note", [1, 2])
    let disk = FaultyFileSystem(LocalFileSystem(), always: call, with: .accessDenied)
    let sink = NewFileSink(path: folder.file("film.mov"), existing: .replaceSource, synchronizes: false, disk: disk)
    #expect(try sink.carryOut(Self.plan(of: source), from: source).lostAttributes == lost)
    #expect(try folder.read("film.mov") == Self.new)
  }

  /// The path cannot be resolved, and an error hides whether it is a symbolic link.
  @Test func reportsAStatusThatFails() throws {
    let folder = try TemporaryFolder()
    try folder.makeSymbolicLink("link.mov", to: "nowhere")
    let disk = FaultyFileSystem(LocalFileSystem(), always: "status at path")
    let error = #expect(throws: FileError.self) { try ReplacedFile.find(folder.file("link.mov"), on: disk) }
    #expect(error?.code == .cannotCreate)
    #expect(error?.reason.hasPrefix("cannot status at path") == true, "\(error?.reason ?? "")")
  }

  @Test func reportsTheFirstErrorIfCleanupFailsToo() throws {
    for (cause, left) in [("reserve", "the temporary file"), ("sync folder", "the new file")] {
      let folder = try TemporaryFolder()
      let source = try FileSource(path: try folder.write(Self.media, as: "in.mov"))
      let calls = FaultyFileSystem(LocalFileSystem(), hasUnnamedFiles: false)
      try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: true, disk: calls)
        .carryOut(Self.plan(of: source), from: source)
      let number = try #require(calls.calls.firstIndex(of: cause)) + 1
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: number, always: "remove", hasUnnamedFiles: false)
      let sink = NewFileSink(path: folder.file("new.mov"), existing: .keep, synchronizes: true, disk: disk)
      let error = #expect(throws: FileError.self) { try sink.carryOut(Self.plan(of: source), from: source) }
      let reason = error?.reason ?? ""
      #expect(reason.hasPrefix("cannot \(cause)"), "\(reason)")
      #expect(reason.contains(left), "\(reason)")
      #expect(reason.contains("cannot remove"), "\(reason)")
    }
  }

  @Test func keepsTheOldFileWhenCancelledDuringASync() throws {
    struct Cancelled: Error {}
    let folder = try TemporaryFolder()
    let source = try FileSource(path: try folder.write(Self.media, as: "film.mov"))
    let disk = FaultyFileSystem(LocalFileSystem())
    let sink = NewFileSink(path: folder.file("film.mov"), existing: .replaceSource, synchronizes: false, disk: disk)
    #expect(throws: Cancelled.self) {
      try sink.carryOut(Self.plan(of: source), from: source) { _, _ in
        if disk.calls.contains("sync") { throw Cancelled() }
      }
    }
    #expect(try folder.read("film.mov") == Self.media)
    #expect(try folder.names() == ["film.mov"])
  }

  @Test func repeatsShortReadsAndWrites() throws {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: try folder.write(Self.media, as: "in.mov"))
    let slow = FaultyFileSystem(LocalFileSystem(), isSlow: true)
    try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false, disk: slow)
      .carryOut(Self.plan(of: source), from: source)
    #expect(try folder.read("out.mov") == Self.new)

    let edit = SampleEdit(media: 100, added: 300)
    let path = try folder.write(edit.old, as: "film.mov")
    try InPlaceCommit(path: path, disk: slow).carryOut(edit.plan(for: path))
    #expect(try folder.read("film.mov") == edit.new)
  }

  @Test func syncsBeforeAndAfterTheHeaderWrite() throws {
    let edit = SampleEdit(media: 100, added: 300)
    let folder = try TemporaryFolder()
    let path = try folder.write(edit.old, as: "film.mov")
    let disk = FaultyFileSystem(LocalFileSystem())
    let report = try InPlaceCommit(path: path, disk: disk).carryOut(edit.plan(for: path))
    #expect(
      disk.calls == [
        "open updating", "status of file", "lock", "status of file", "status at path",
        // The hiding header, then the rest.
        "append", "status of file", "sync", "status of file", "truncate", "read", "write", "sync", "status of file",
        // The last check: the name, the kept bytes, the written bytes, the times.
        "status at path", "read", "read", "read", "read", "status of file",
        "write", "status of file", "sync",
        // The check after the commit.
        "status at path", "read", "read", "read", "read", "status of file", "close",
      ])
    #expect(report.syncs == 3)
    #expect(report.bytesWritten == UInt64(edit.appended.count) + 8)
  }

  @Test func syncsTheTruncationOfATornAtomAcrossSectorsFirst() throws {
    let edit = SampleEdit(media: 1024 - 52 - 8 - 4, added: 300, torn: 30)
    let folder = try TemporaryFolder()
    let path = try folder.write(edit.old, as: "film.mov")
    let disk = FaultyFileSystem(LocalFileSystem())
    let report = try InPlaceCommit(path: path, disk: disk).carryOut(edit.plan(for: path))
    let steps = disk.calls.filter { ["truncate", "append", "write", "sync"].contains($0) }
    #expect(steps == ["truncate", "sync", "append", "sync", "truncate", "write", "sync", "write", "sync"])
    #expect(report.syncs == 4)
    #expect(try folder.read("film.mov") == edit.new)
  }

  @Test func syncsTheFileBeforeAndTheFolderAfterRenaming() throws {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: try folder.write(Self.media, as: "film.mov"))
    let disk = FaultyFileSystem(LocalFileSystem())
    let report = try NewFileSink(
      path: folder.file("film.mov"), existing: .replaceSource, synchronizes: false, disk: disk
    ).carryOut(Self.plan(of: source), from: source)
    let steps = disk.calls.filter { ["lock", "write", "sync", "link", "rename", "sync folder"].contains($0) }
    // The locks of the movie and of the new file, which briefly has a name.
    #expect(steps == ["lock", "write", "write", "sync", "lock", "link", "rename", "sync folder"])
    #expect(report.syncs == 2)
  }

  @Test func syncsANewFileOnlyOnRequest() throws {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: try folder.write(Self.media, as: "in.mov"))
    let disk = FaultyFileSystem(LocalFileSystem())
    let report = try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false, disk: disk)
      .carryOut(Self.plan(of: source), from: source)
    #expect(!disk.calls.contains { $0.hasPrefix("sync") })
    #expect(disk.calls.contains("link") && !disk.calls.contains { $0.hasPrefix("rename") })
    #expect(report.syncs == 0)
    #expect(report.bytesWritten == 5800)
    #expect(report.bytesCopied == 4900)
  }
}

extension FileSource {
  func setAttribute(_ name: String, _ value: [UInt8]) throws {
    try SystemCalls.setAttribute(Array(name.utf8), of: descriptor, to: value)
  }
}
