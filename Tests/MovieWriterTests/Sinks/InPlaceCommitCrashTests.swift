import MovieBox
import Testing

@testable import MovieWriter

/// Whatever dies and whenever, the file is the old movie or the new one.
struct InPlaceCommitCrashTests {
  // Headers at the start and at the end of a sector, appended bytes that begin in the middle of one and on its edge.
  static let edits = [
    SampleEdit(media: 100, added: 900),
    SampleEdit(media: 504 - 16, added: 1200),
    SampleEdit(media: 512 - 8, added: 10),
    SampleEdit(media: 1024 - 52 - 8, added: 1500),
    SampleEdit(media: 1024 - 52 - 8 - 3, added: 700),
    SampleEdit(media: 100, added: 900, torn: 500),
    SampleEdit(media: 100, added: 900, torn: 3),
    SampleEdit(media: 1024 - 52 - 8 - 4, added: 1300, torn: 1000),
  ]

  @Test(arguments: edits.indices)
  func everyCrashLeavesTheOldMovieOrTheNewOne(_ index: Int) throws {
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
  func fileSystemThatGrowsBeforeItWritesLeavesZerosBehindTheOldMovie(_ index: Int) throws {
    let edit = Self.edits[index]
    let disk = SimulatedDisk(["film.mov": edit.old], growth: .beforeData)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(try edit.plan(for: "film.mov", on: disk))
    for image in disk.images {
      let bytes = try #require(image["film.mov"])
      #expect(bytes == edit.new || edit.isOldMovie(bytes, allowingZeros: true), "\(bytes.count) bytes left")
    }
  }

  @Test(arguments: edits.indices, FaultyDisk.Refusal.allCases)
  func crashAfterAnyRefusedCallLeavesTheOldMovieOrTheNewOne(_ index: Int, _ refusal: FaultyDisk.Refusal) throws {
    let edit = Self.edits[index]
    for call in 1... {
      let disk = SimulatedDisk(["film.mov": edit.old])
      let faulty = FaultyDisk(disk, refusing: call, refusal)
      let plan = try edit.plan(for: "film.mov", on: disk)
      do {
        try InPlaceCommit(path: "film.mov", disk: faulty).carryOut(plan)
      } catch {
        #expect(error is FileError)
      }
      // A sector is written whole or not at all: half a header comes from the test, not from a disk. The header is
      // what is written after the comparison.
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

  @Test func simulationFindsAMissingSync() throws {
    let edit = SampleEdit(media: 100, added: 900)
    let disk = SimulatedDisk(["film.mov": edit.old])
    let careless = FaultyDisk(disk, ignoresSyncs: true)
    try InPlaceCommit(path: "film.mov", disk: careless).carryOut(try edit.plan(for: "film.mov", on: disk))
    let broken = disk.images.compactMap { $0["film.mov"] }.filter {
      $0 != edit.new && !edit.isOldMovie($0, allowingZeros: false)
    }
    #expect(!broken.isEmpty)
  }

  @Test func processThatDiesLeavesTheOldMovieOrTheNewOne() throws {
    for edit in Self.edits {
      let disk = SimulatedDisk(["film.mov": edit.old])
      try InPlaceCommit(path: "film.mov", disk: disk).carryOut(try edit.plan(for: "film.mov", on: disk))
      for step in disk.steps {
        let bytes = try #require(step["film.mov"])
        #expect(bytes == edit.new || edit.isOldMovie(bytes, allowingZeros: false))
      }
    }
  }

  @Test func judgeRefusesWhatIsNeitherMovie() {
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
  /// Whether the bytes are the old movie, with a whole or torn `free` atom or the beginning of its header behind it.
  ///
  /// With zeros allowed, any sector of what stands behind may be zeros.
  func isOldMovie(_ bytes: some Collection<UInt8>, allowingZeros: Bool) -> Bool {
    let bytes = Array(bytes)
    if bytes == old { return true }
    guard bytes.starts(with: old[..<kept]) else { return false }
    let rest = Array(bytes[kept...])
    if appended.starts(with: rest) || old[kept...].starts(with: rest) { return true }
    guard allowingZeros, rest.count <= max(appended.count, old.count - kept) else { return false }
    var start = 0
    while start < rest.count {
      let end = min(rest.count, ((kept + start) / 512 + 1) * 512 - kept)
      let sector = rest[start..<end]
      let written = start < appended.count ? appended[start..<min(end, appended.count)] : []
      guard sector.allSatisfy({ $0 == 0 }) || written.starts(with: sector) else { return false }
      start = end
    }
    return true
  }
}
