import DiskTestSupport
import MovieBox
import Testing

@testable import MovieWriter

/// After any crash, the file is the old movie or the new one.
struct InPlaceCommitCrashTests {
  // Headers at the start and the end of a sector; appended bytes that begin within a sector and at its start.
  static let edits = [
    SampleEdit(media: 100, added: 900),
    SampleEdit(media: 504 - 16, added: 1200),
    SampleEdit(media: 512 - 8, added: 10),
    SampleEdit(media: 1024 - 52 - 8, added: 1500),
    SampleEdit(media: 1024 - 52 - 8 - 3, added: 700),
    SampleEdit(media: 100, added: 900, torn: 500),
    SampleEdit(media: 100, added: 900, torn: 30),
    SampleEdit(media: 1024 - 52 - 8 - 4, added: 1300, torn: 1000),
  ]

  @Test(arguments: edits.indices)
  func leavesTheOldOrNewMovieAfterEveryCrash(_ index: Int) throws {
    let edit = Self.edits[index]
    let disk = SimulatedDisk(["film.mov": edit.old])
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(try edit.plan(for: "film.mov", on: disk))
    #expect(disk.current == ["film.mov": edit.new])
    for image in disk.images {
      let bytes = try #require(image["film.mov"])
      #expect(bytes == edit.new || edit.isOldMovie(bytes, allowingZeros: false), "\(bytes.count) bytes left")
    }
    #expect(disk.images.contains(["film.mov": edit.old]))
    #expect(disk.images.contains(["film.mov": edit.new]))
    #expect(disk.images.count >= 3)
  }

  @Test(arguments: edits.indices)
  func leavesZerosAfterTheOldMovieIfSizeComesFirst(_ index: Int) throws {
    let edit = Self.edits[index]
    let disk = SimulatedDisk(["film.mov": edit.old], growth: .beforeData)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(try edit.plan(for: "film.mov", on: disk))
    for image in disk.images {
      let bytes = try #require(image["film.mov"])
      #expect(bytes == edit.new || edit.isOldMovie(bytes, allowingZeros: true), "\(bytes.count) bytes left")
    }
  }

  @Test(arguments: edits.indices, FaultyFileSystem.Refusal.allCases)
  func leavesTheOldOrNewMovieAfterARefusalAndACrash(_ index: Int, _ refusal: FaultyFileSystem.Refusal) throws {
    let edit = Self.edits[index]
    for call in 1... {
      let disk = SimulatedDisk(["film.mov": edit.old])
      let faulty = FaultyFileSystem(disk, refusing: call, refusal)
      let plan = try edit.plan(for: "film.mov", on: disk)
      do {
        try InPlaceCommit(path: "film.mov", disk: faulty).carryOut(plan)
      } catch {
        #expect(error is FileError)
      }
      // A disk writes a sector completely or not at all; only this test writes half a header. The header is written after the
      // comparison.
      let isHalfHeader = refusal == .halfDone && faulty.refusedCall == "write" && faulty.calls[..<call].contains("read")
      for image in disk.images where !isHalfHeader {
        let bytes = try #require(image["film.mov"])
        #expect(
          bytes == edit.new || edit.isOldMovie(bytes, allowingZeros: false),
          "\(bytes.count) bytes left, call \(call), \(faulty.refusedCall)")
      }
      if !faulty.hasRefused { break }
    }
  }

  @Test func detectsAMissingSync() throws {
    let edit = SampleEdit(media: 100, added: 900)
    let disk = SimulatedDisk(["film.mov": edit.old])
    let careless = FaultyFileSystem(disk, ignoresSyncs: true)
    try InPlaceCommit(path: "film.mov", disk: careless).carryOut(try edit.plan(for: "film.mov", on: disk))
    let broken = disk.images.compactMap { $0["film.mov"] }.filter {
      $0 != edit.new && !edit.isOldMovie($0, allowingZeros: false)
    }
    #expect(!broken.isEmpty)
  }

  @Test func leavesTheOldOrNewMovieWhenTheProcessDies() throws {
    for edit in Self.edits {
      let disk = SimulatedDisk(["film.mov": edit.old])
      try InPlaceCommit(path: "film.mov", disk: disk).carryOut(try edit.plan(for: "film.mov", on: disk))
      for step in disk.steps {
        let bytes = try #require(step["film.mov"])
        #expect(bytes == edit.new || edit.isOldMovie(bytes, allowingZeros: false))
      }
    }
  }

  @Test func detectsAFileThatIsNeitherTheOldNorTheNewMovie() {
    let edit = SampleEdit(media: 100, added: 900)
    #expect(edit.isOldMovie(edit.old, allowingZeros: false))
    #expect(edit.isOldMovie(edit.old + edit.appended, allowingZeros: false))
    #expect(!edit.isOldMovie(edit.new, allowingZeros: true))
    #expect(!edit.isOldMovie(edit.old.dropLast(), allowingZeros: true))
    #expect(!edit.isOldMovie(edit.old + [UInt8](repeating: 0, count: 8), allowingZeros: false))
    #expect(!edit.isOldMovie(Array(edit.new[..<edit.kept]), allowingZeros: true))
  }
}

extension SampleEdit {
  /// Whether the bytes are the old movie followed by hidden bytes. They are hidden by the header of the appended bytes,
  /// or by the header of the torn atom. Either header may be incomplete.
  ///
  /// With `allowingZeros`, parts of the header may be zeros.
  func isOldMovie(_ bytes: some Collection<UInt8>, allowingZeros: Bool) -> Bool {
    let bytes = Array(bytes)
    guard bytes.starts(with: old[..<kept]) else { return false }
    let rest = Array(bytes[kept...])
    if rest.isEmpty || allowingZeros && rest.allSatisfy({ $0 == 0 }) { return true }
    for header in [appended, Array(old[kept...])] where header.count >= 8 && rest.count >= 8 {
      let size = header[..<4].reduce(0) { $0 << 8 | Int($1) }
      if rest[..<8] == header[..<8], size >= rest.count { return true }
    }
    return rest.count <= 24
      && rest.enumerated().allSatisfy { $1 == appended[$0] || allowingZeros && $1 == 0 }
  }
}
