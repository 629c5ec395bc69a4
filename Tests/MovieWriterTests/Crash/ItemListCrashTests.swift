import DiskTestSupport
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// After any crash during an edit inside `meta`, the movie contains the old value or the new one, and nothing else has
/// changed.
struct ItemListCrashTests {
  /// A movie with free space next to its item list.
  struct Case: Sendable, CustomStringConvertible {
    var besideKeys = false
    var shift = 0
    var earlierEdits = 0
    var description: String { "\(besideKeys ? "keys" : "items"), shifted by \(shift), \(earlierEdits) edits before" }

    var bytes: [UInt8] {
      get throws {
        var bytes = TestMovie.withSpace(zeros(700), besideKeys: besideKeys)
          .with { $0.layout.insert(.free(8 + shift), at: 1) }.bytes()
        for number in 0..<earlierEdits {
          let source = MemorySource(Bytes(bytes))
          bytes = try ItemListCrashTests.edit(of: source, "Earlier \(number)").inPlacePlan(of: source).rendered()
            .rendered(from: source)
        }
        return bytes
      }
    }
  }

  static let cases = [false, true].flatMap { besideKeys in
    [0, 1, 2].flatMap { edits in
      [0, 170, 340].map { Case(besideKeys: besideKeys, shift: $0, earlierEdits: edits) }
    }
  }

  private static func edit(of source: some RandomAccessSource, _ title: String) throws -> MovieEdit {
    var edit = try MovieEdit(of: Movie(of: source))
    try edit.setMetadata(#require(MetadataInput("common/title", title)))
    return edit
  }

  private static func plan(of bytes: [UInt8], _ title: String, on disk: any FileSystem, at path: String = "film.mov")
    throws
    -> InPlacePlan
  {
    let status = try #require(try disk.status(at: path, followingLinks: true))
    let source = DiskSource(bytes: Bytes(bytes), seen: status.identity)
    let plan = try edit(of: source, title).inPlacePlan(of: source)
    try #require(plan.form.isInMovieAtom)
    return plan
  }

  /// Returns the title of a movie after checking that only free space in one `meta` differs from `old` otherwise.
  private func title(of image: [UInt8], _ old: [UInt8]) throws -> String? {
    try #require(image.count == old.count)
    let movie = try Movie(of: MemorySource(Bytes(image)))
    let before = try SecondReader(old)
    let meta = try #require(before.atom("moov/udta/meta") ?? before.atom("moov/meta"))
    let list = Int(meta.offset) + 8..<Int(meta.end)
    let isAsItWas =
      image[..<list.lowerBound] == old[..<list.lowerBound] && image[list.upperBound...] == old[list.upperBound...]
    try #require(isAsItWas, "bytes beside the list")
    let items = movie.metadata
    #expect(items.count == 2 && items.last?.stringValue == (items.last?.typeCode == 21 ? "120" : "7"))
    #expect(try SecondReader(image).tracks.map(\.samples) == before.tracks.map(\.samples))
    return items.first?.stringValue
  }

  @Test(arguments: cases, [SimulatedDisk.Growth.afterData, .beforeData])
  func leavesOldOrNewItemsAfterACrash(_ one: Case, _ growth: SimulatedDisk.Growth) throws {
    let bytes = try one.bytes
    let disk = SimulatedDisk(["film.mov": bytes], growth: growth)
    let old = try title(of: bytes, bytes)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(Self.plan(of: bytes, "A longer title", on: disk))
    var titles: [String?: Int] = [:]
    for image in disk.images { titles[try title(of: #require(image["film.mov"]), bytes), default: 0] += 1 }
    #expect(Set(titles.keys) == [old, "A longer title"] && titles[old] ?? 0 > 1)
    #expect(try title(of: #require(disk.current["film.mov"]), bytes) == "A longer title")
  }

  /// A process is killed at any call, the next one edits the result, and then the machine crashes.
  @Test(arguments: cases.filter { $0.shift == 0 })
  func leavesOneOfThreeTitlesAfterAKilledAndACrashedEdit(_ one: Case) throws {
    let bytes = try one.bytes
    let old = try title(of: bytes, bytes)
    var titles: Set<String?> = []
    var cases = 0
    for call in 1... {
      let disk = SimulatedDisk(["film.mov": bytes])
      let killed = FaultyFileSystem(disk, refusing: call, isGone: true)
      do {
        try InPlaceCommit(path: "film.mov", disk: killed).carryOut(Self.plan(of: bytes, "First", on: disk))
      } catch {
        #expect(error is FileError)
      }
      let left = try #require(disk.current["film.mov"])
      try InPlaceCommit(path: "film.mov", disk: disk).carryOut(Self.plan(of: left, "Second", on: disk))
      for image in disk.images { titles.insert(try title(of: #require(image["film.mov"]), bytes)) }
      #expect(try title(of: #require(disk.current["film.mov"]), bytes) == "Second")
      cases += 1
      if !killed.hasRefused { break }
    }
    #expect(titles == [old, "First", "Second"] && cases > 15)
  }

  @Test(arguments: FaultyFileSystem.Refusal.allCases, [0, 1])
  func keepsTheFileAfterARefusedCall(_ refusal: FaultyFileSystem.Refusal, _ earlierEdits: Int) throws {
    let bytes = try Case(earlierEdits: earlierEdits).bytes
    let folder = try TemporaryFolder()
    for call in 1... {
      let path = try folder.write(bytes, as: "film.mov")
      let plan = try Self.plan(of: bytes, "New", on: LocalFileSystem(), at: path)
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal, ignoresSyncs: true)
      do {
        try InPlaceCommit(path: path, disk: disk).carryOut(plan)
        #expect(["", "close"].contains(disk.refusedCall))
        #expect(try title(of: folder.read("film.mov"), bytes) == "New")
      } catch let error as FileError {
        let isMade = error.reason.contains("the edit was made")
        let left = try folder.read("film.mov")
        #expect(isMade ? try title(of: left, bytes) == "New" : left == bytes, "\(disk.refusedCall): \(error)")
      }
      if !disk.hasRefused { break }
    }
  }
}
