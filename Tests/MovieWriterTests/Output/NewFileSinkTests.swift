import DiskTestSupport
@testable import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct NewFileSinkTests {
  static let media = SampleEdit.pattern(5000, from: 5)
  static let new = [9, 8, 7] + media[10...]

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func plan(of source: some RandomAccessSource) throws -> OutputPlan {
    let identity = try source.identity()
    return try OutputPlan(
      of: identity, [.generated(Bytes([9, 8, 7])), .source(ByteRange(10..<identity.byteCount))])
  }

  private func sink(_ name: String, _ existing: NewFileSink.ExistingFilePolicy) -> NewFileSink {
    NewFileSink(path: folder.file(name), existing: existing, synchronizes: false)
  }

  private func replace(_ name: String) throws -> SinkReport {
    let source = try FileSource(path: folder.file(name))
    return try sink(name, .replaceSource).carryOut(plan(of: source), from: source)
  }

  private func code(_ call: () throws -> Void) -> FileError.Code? {
    do {
      try call()
      return nil
    } catch {
      return (error as? FileError)?.code
    }
  }

  // MARK: - Contents

  @Test func copiesSeveralMebibytes() throws {
    let media = SampleEdit.pattern(3_500_001, from: 5)
    let source = try FileSource(path: folder.write(media, as: "in.mov"))
    let identity = try source.identity()
    let plan = try OutputPlan(
      of: identity,
      [
        .source(ByteRange(2_000_000..<3_500_001)), .generated(Bytes(SampleEdit.pattern(1_200_000, from: 77))),
        .zeros(300_000), .source(ByteRange(1..<2_000_000)), .zeros(17),
      ])
    var done: [UInt64] = []
    let report = try sink("out.mov", .keep).carryOut(plan, from: source) { bytes, planned in
      #expect(planned == plan.byteCount)
      done.append(bytes)
    }
    let zeros = [UInt8](repeating: 0, count: 300_000)
    let whole =
      media[2_000_000...] + SampleEdit.pattern(1_200_000, from: 77) + zeros + media[1..<2_000_000] + zeros.prefix(17)
    #expect(try folder.read("out.mov") == Array(whole))
    #expect(done == done.sorted())
    #expect(done.last == plan.byteCount)
    #expect(report.bytesCopied == 3_500_000)
    #expect(report.bytesWritten == plan.byteCount - 300_000)
    #expect(try folder.names() == ["in.mov", "out.mov"])
  }

  @Test func writesAnEmptyPlan() throws {
    let source = MemorySource(Bytes())
    try sink("out.mov", .keep).carryOut(OutputPlan(of: source.identity(), []), from: source)
    #expect(try folder.read("out.mov") == [])
  }

  @Test func writesScatteredRangesInFewCalls() throws {
    let source = try FileSource(path: folder.write(SampleEdit.pattern(1_500_000, from: 5), as: "in.mov"))
    let ranges = (0..<15_000).map { OutputPlan.Content.source(ByteRange(UInt64($0) * 100..<UInt64($0) * 100 + 90)) }
    let disk = FaultyFileSystem(LocalFileSystem())
    try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false, disk: disk)
      .carryOut(OutputPlan(of: source.identity(), ranges), from: source)
    #expect(disk.calls.count { $0 == "write" } == 1_350_000 / StagedWriter.capacity + 1)
  }

  @Test func readsNeighbouringRangesTogether() throws {
    let media = SampleEdit.pattern(300_000, from: 5)
    let source = try FileSource(path: folder.write(media, as: "in.mov"))
    let contents = (0..<3000).flatMap { index -> [OutputPlan.Content] in
      let start = UInt64(index) * 100
      return [.generated(Bytes([1, 2, 3])), .source(ByteRange(start..<start + 100))]
    }
    let disk = FaultyFileSystem(LocalFileSystem())
    try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false, disk: disk)
      .carryOut(OutputPlan(of: source.identity(), contents), from: source)
    // 1024 ranges each, and one read that ends where the buffer is full.
    #expect(disk.calls.count { $0 == "read" } == 4)
    let expected = (0..<3000).flatMap { [1, 2, 3] + media[$0 * 100..<$0 * 100 + 100] }
    #expect(try folder.read("out.mov") == expected)
  }

  @Test func readsOtherSourcesInPieces() throws {
    final class Recorder: RandomAccessSource {
      let base = MemorySource(Bytes(SampleEdit.pattern(2_500_000, from: 5)))
      nonisolated(unsafe) var largest: UInt64 = 0
      func identity() -> SourceIdentity { base.identity() }
      func read(_ range: ByteRange) throws -> Bytes {
        unsafe largest = unsafe max(largest, range.count)
        return try base.read(range)
      }
    }
    let source = Recorder()
    try sink("out.mov", .keep).carryOut(plan(of: source), from: source)
    #expect(try folder.read("out.mov") == [9, 8, 7] + source.base.bytes.array[10...])
    #expect(unsafe source.largest == UInt64(StagedWriter.capacity))
  }

  @Test func sharesWholeBlocksWhereTheFileSystemCan() throws {
    let media = SampleEdit.pattern(400_000, from: 5)
    let source = try FileSource(path: folder.write(media, as: "in.mov"))
    // Shifted by 1000 bytes, and back by a multiple of the block size 4096.
    let plan = try OutputPlan(
      of: source.identity(),
      [.generated(Bytes(SampleEdit.pattern(5096, from: 9))), .source(ByteRange(1000..<399_000)), .zeros(5)])
    let disk = SharingDisk()
    let report = try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false, disk: disk)
      .carryOut(plan, from: source)
    let whole = SampleEdit.pattern(5096, from: 9) + media[1000..<399_000] + [UInt8](repeating: 0, count: 5)
    #expect(try folder.read("out.mov") == Array(whole))
    #expect(report.bytesCloned == 397_312 - 4096)
    #expect(report.bytesCloned + report.bytesCopied == 398_000)
    #expect(report.bytesWritten == plan.byteCount - report.bytesCloned)
    #expect(disk.reservations == 0)
  }

  @Test func sharesBlocksOfEachOfSeveralFiles() throws {
    let media = SampleEdit.pattern(400_000, from: 5)
    let other = SampleEdit.pattern(300_000, from: 77)
    let source = try JoinedSource([
      FileSource(path: folder.write(media, as: "in.mov")), FileSource(path: folder.write(other, as: "other.mov")),
    ])
    // A range across the end of one file and the start of the other, at different positions in their blocks.
    let shift = (4096 - 400_000 % 4096) % 4096
    let plan = try OutputPlan(
      of: source.identity(),
      [.source(ByteRange(0..<400_000)), .generated(Bytes(SampleEdit.pattern(shift, from: 9)))]
        + [.source(ByteRange(400_000..<700_000))])
    let disk = SharingDisk()
    let report = try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false, disk: disk)
      .carryOut(plan, from: source)
    #expect(try folder.read("out.mov") == media + SampleEdit.pattern(shift, from: 9) + other)
    #expect(report.bytesCloned == UInt64(400_000 / 4096 * 4096 + 300_000 / 4096 * 4096))
    let plain = try OutputPlan(of: source.identity(), [.source(ByteRange(1000..<600_000))])
    try NewFileSink(path: folder.file("plain.mov"), existing: .keep, synchronizes: false).carryOut(plain, from: source)
    #expect(try folder.read("plain.mov") == Array(media[1000...]) + Array(other[..<200_000]))
  }

  // MARK: - Names

  @Test func keepsAnExistingFile() throws {
    try folder.write([1], as: "out.mov")
    let source = MemorySource(Bytes(Self.media))
    #expect(code { try sink("out.mov", .keep).carryOut(plan(of: source), from: source) } == .exists)
    #expect(try folder.read("out.mov") == [1])
    #expect(try folder.names() == ["out.mov"])
  }

  @Test func keepsAFileCreatedMeanwhile() throws {
    let source = MemorySource(Bytes(Self.media))
    let folder = folder
    let failure = code {
      try sink("out.mov", .keep).carryOut(plan(of: source), from: source) { _, _ in
        try folder.write([1], as: "out.mov")
      }
    }
    #expect(failure == .exists)
    #expect(try folder.read("out.mov") == [1])
    #expect(try folder.names() == ["out.mov"])
  }

  @Test func replacesAnotherFileOnRequest() throws {
    try folder.write([1], as: "out.mov")
    let source = MemorySource(Bytes(Self.media))
    try sink("out.mov", .replace).carryOut(plan(of: source), from: source)
    #expect(try folder.read("out.mov") == Self.new)
    try sink("other.mov", .replace).carryOut(plan(of: source), from: source)
    #expect(try folder.read("other.mov") == Self.new)
  }

  @Test func rejectsSpecialFiles() throws {
    try folder.makeFolder("folder")
    try folder.makeSymbolicLink("dangling", to: "nothing")
    let source = MemorySource(Bytes(Self.media))
    for name in ["folder", "dangling", "missing/out.mov", "folder/", "new/", "."] {
      for policy in [NewFileSink.ExistingFilePolicy.keep, .replace] {
        #expect(code { try sink(name, policy).carryOut(plan(of: source), from: source) } == .cannotCreate, "\(name)")
      }
    }
    #expect(try folder.names() == ["dangling", "folder"])
  }

  @Test func rejectsAPlanThatDoesNotFitTheDisk() throws {
    let source = MemorySource(Bytes())
    let plan = try OutputPlan(of: source.identity(), [.zeros(1 << 62)])
    #expect(code { try sink("out.mov", .keep).carryOut(plan, from: source) } == .cannotCreate)
    #expect(try folder.names() == [])
  }

  // MARK: - Replacing the movie itself

  @Test func keepsModeOwnerAndExtendedAttributes() throws {
    try folder.write(Self.media, as: "film.mov")
    try folder.setMode(0o640, of: "film.mov")
    let source = try FileSource(path: folder.file("film.mov"))
    try source.setAttribute("user.note", [1, 2, 3])
    try source.setAttribute("user.empty", [])
    let isPrivileged = try SystemCalls.status(of: source.descriptor).owner == 0
    if isPrivileged { try SystemCalls.setOwner(source.descriptor, owner: 1234, group: 2345) }
    let old = try SystemCalls.status(of: source.descriptor)

    let report = try replace("film.mov")
    #expect(try folder.read("film.mov") == Self.new)
    let replaced = try FileSource(path: folder.file("film.mov"))
    let status = try SystemCalls.status(of: replaced.descriptor)
    #expect(status.mode == 0o640)
    #expect(status.owner == old.owner)
    #expect(status.group == old.group)
    #expect(status.inode != old.inode)
    let names = try SystemCalls.attributeNames(of: replaced.descriptor).map { String(decoding: $0, as: UTF8.self) }
    #expect(names.filter { $0.hasPrefix("user.") }.sorted() == ["user.empty", "user.note"])
    #expect(try SystemCalls.attribute(Array("user.note".utf8), of: replaced.descriptor) == [1, 2, 3])
    #expect(report.lostAttributes == [])
    #expect(report.otherHardLinks == 0)
  }

  @Test func followsASymbolicLink() throws {
    try folder.makeFolder("store")
    try folder.write(Self.media, as: "store/film.mov")
    try folder.makeSymbolicLink("link.mov", to: "store/film.mov")
    _ = try replace("link.mov")
    #expect(try folder.read("store/film.mov") == Self.new)
    let link = try SystemCalls.status(at: folder.file("link.mov"), followingLinks: false)
    #expect(link?.kind == .symbolicLink)
    #expect(try folder.names() == ["link.mov", "store"])
  }

  @Test func reportsOtherHardLinks() throws {
    try folder.write(Self.media, as: "film.mov")
    try folder.makeHardLink("other.mov", to: "film.mov")
    #expect(try replace("film.mov").otherHardLinks == 1)
    #expect(try folder.read("other.mov") == Self.media)
    #expect(try folder.read("film.mov") == Self.new)
  }

  @Test func rejectsAMovieThatAnotherProcessEdits() throws {
    try folder.write(Self.media, as: "film.mov")
    let other = try SystemCalls.open(folder.file("film.mov"), .updating)
    #expect(try SystemCalls.lock(other) == .taken)
    #expect(code { _ = try replace("film.mov") } == .locked)
    try SystemCalls.close(other)
    #expect(code { _ = try replace("film.mov") } == nil)
  }

  @Test func rejectsAMovieReplacedSinceReading() throws {
    try folder.write(Self.media, as: "film.mov")
    let source = try FileSource(path: folder.file("film.mov"))
    let plan = try plan(of: source)
    try SystemCalls.remove(folder.file("film.mov"))
    try folder.write(Self.media, as: "film.mov")
    #expect(code { try sink("film.mov", .replaceSource).carryOut(plan, from: source) } == .changed)
    try SystemCalls.remove(folder.file("film.mov"))
    #expect(code { try sink("film.mov", .replaceSource).carryOut(plan, from: source) } == .changed)
    #expect(try folder.names() == [])
  }

  @Test func rejectsAMovieThatChangesDuringTheCopy() throws {
    let folder = folder
    for cut in [nil, 2_000_000] as [UInt64?] {
      try folder.write(SampleEdit.pattern(2_500_000, from: 5), as: "in.mov")
      let source = try FileSource(path: folder.file("in.mov"))
      let failure = code {
        try sink("out.mov", .keep).carryOut(plan(of: source), from: source) { _, _ in
          let file = try SystemCalls.open(folder.file("in.mov"), .updating)
          if let cut { try SystemCalls.truncate(file, to: cut) }
          _ = try LocalFileSystem().write(file, at: 100, from: [1, 2, 3], 0..<3)
          try SystemCalls.close(file)
        }
      }
      #expect(failure == .changed)
      #expect(try folder.names() == ["in.mov"])
    }
  }

  @Test func dropsAttributesThatVerifyOldBytes() throws {
    try folder.write(Self.media, as: "film.mov")
    let source = try FileSource(path: folder.file("film.mov"))
    let kept = ["user.note", "user.xdg.origin.url"]
    let dropped = ["user.shatag.sha256", "user.checksum", "user.md5sum"]
    for name in kept + dropped { try source.setAttribute(name, [1, 2, 3]) }
    let report = try replace("film.mov")
    #expect(report.lostAttributes.sorted() == dropped.sorted())
    let new = try FileSource(path: folder.file("film.mov"))
    let names = try SystemCalls.attributeNames(of: new.descriptor).map { String(decoding: $0, as: UTF8.self) }
    #expect(names.sorted() == kept.sorted())
  }

  @Test func removesOnlyLeftoversOfAKilledProcess() throws {
    for name in [".movtool-1.tmp", ".movtool-2.tmp", ".movtool-3.txt", "movtool-4.tmp"] {
      try folder.write([1], as: name)
    }
    // A running edit holds its lock.
    let busy = try SystemCalls.open(folder.file(".movtool-2.tmp"), .updating)
    #expect(try SystemCalls.lock(busy) == .taken)
    let source = MemorySource(Bytes(Self.media))
    let disk = FaultyFileSystem(LocalFileSystem(), hasUnnamedFiles: false)
    try NewFileSink(path: folder.file("out.mov"), existing: .keep, synchronizes: false, disk: disk)
      .carryOut(plan(of: source), from: source)
    #expect(try folder.names() == [".movtool-2.tmp", ".movtool-3.txt", "movtool-4.tmp", "out.mov"])
    try SystemCalls.close(busy)
  }

  @Test func namesANewFileOnlyWhenComplete() throws {
    let source = MemorySource(Bytes(Self.media))
    for existing in [NewFileSink.ExistingFilePolicy.keep, .replace] {
      if existing == .replace { try folder.write([1], as: "out.mov") }
      let before = try folder.names()
      try sink("out.mov", existing).carryOut(plan(of: source), from: source) { _, _ in
        let names = try folder.names()
        #expect(names == before)
      }
      #expect(try folder.names() == ["out.mov"])
      #expect(try folder.read("out.mov") == Self.new)
    }
  }

  @Test func writesZerosOverOtherBytes() throws {
    let path = try folder.write([UInt8](repeating: 7, count: 200_000), as: "junk")
    let disk = LocalFileSystem()
    let file = try disk.open(path, .updating)
    var writer = StagedWriter(
      disk, to: .file(file, path: path), from: 10, byteCount: 150_000, skipsZeros: false
    ) { _ in }
    try writer.appendZeros(150_000)
    try writer.flush()
    try disk.close(file)
    let bytes = try folder.read("junk")
    #expect(bytes[10..<150_010].allSatisfy { $0 == 0 } && bytes[150_010] == 7 && bytes[9] == 7)
  }

  @Test func leavesNothingWhenCancelled() throws {
    struct Cancelled: Error {}
    let source = MemorySource(Bytes(Self.media))
    #expect(throws: Cancelled.self) {
      try sink("out.mov", .keep).carryOut(plan(of: source), from: source) { _, _ in throw Cancelled() }
    }
    #expect(try folder.names() == [])
  }
}

/// A disk that pretends to share blocks by copying them.
private final class SharingDisk: FileSystem, @unchecked Sendable {
  private let base = LocalFileSystem()
  private(set) var reservations = 0

  func clone(_ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64) -> Bool {
    var buffer = [UInt8](repeating: 0, count: Int(range.count))
    do {
      guard range.offset % 4096 == 0, offset % 4096 == 0, range.count % 4096 == 0 else { return false }
      _ = try base.readAll(source, at: range.offset, into: &buffer, [0..<buffer.count])
      try base.writeAll(target, at: offset, from: buffer, 0..<buffer.count)
      return true
    } catch {
      return false
    }
  }

  func volume(of path: String) throws(SystemError) -> VolumeStatus {
    VolumeStatus(freeByteCount: 20_000, blockSize: 4096)
  }

  func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError) { reservations += 1 }

  func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor {
    try base.open(path, access)
  }
  func close(_ file: FileDescriptor) throws(SystemError) { try base.close(file) }
  func status(of file: FileDescriptor) throws(SystemError) -> FileStatus { try base.status(of: file) }
  func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus? {
    try base.status(at: path, followingLinks: followingLinks)
  }
  func resolve(_ path: String) throws(SystemError) -> String { try base.resolve(path) }
  func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int { try base.read(file, at: offset, into: &buffer, ranges) }
  func write(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) -> Int { try base.write(file, at: offset, from: buffer, range) }
  func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError) {
    try base.truncate(file, to: byteCount)
  }
  func synchronize(_ file: FileDescriptor) throws(SystemError) { try base.synchronize(file) }
  func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) { try base.synchronizeFolder(folder) }
  func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome { try base.lock(file) }
  func append(_ file: FileDescriptor, _ bytes: [UInt8]) throws(SystemError) -> Int {
    try base.append(file, bytes)
  }
  func canLink(_ file: FileDescriptor) -> Bool { base.canLink(file) }
  func link(_ file: FileDescriptor, to path: String) throws(SystemError) { try base.link(file, to: path) }
  func names(in folder: String, prefix: String, suffix: String) throws(SystemError) -> [String] {
    try base.names(in: folder, prefix: prefix, suffix: suffix)
  }
  func rename(_ path: String, replacing target: String) throws(SystemError) {
    try base.rename(path, replacing: target)
  }
  func rename(_ path: String, toUnused target: String) throws(SystemError) { try base.rename(path, toUnused: target) }
  func makeFolder(_ path: String) throws(SystemError) { throw SystemError("make the folder", .unsupported) }
  func removeFolder(_ path: String) throws(SystemError) { throw SystemError("remove the folder", .unsupported) }
  func remove(_ path: String) throws(SystemError) { try base.remove(path) }
  func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError) {}
  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError) {}
  func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]] { [] }
  func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8] { [] }
  func setAttribute(_ name: [UInt8], of file: FileDescriptor, to value: [UInt8]) throws(SystemError) {}
}
