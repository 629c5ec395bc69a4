import DiskTestSupport
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// After any crash during an edit of metadata inside the movie atom, the movie has its old title or its new one, and
/// nothing else has changed.
struct MovieSpaceCrashTests {
  /// A movie with free space, with its movie atom at some position in a sector.
  struct Case: Sendable, CustomStringConvertible {
    let place: MovieSpaceEditTests.Place
    var shift = 0
    var earlierEdits = 0
    var description: String { "\(place), shifted by \(shift), \(earlierEdits) edits before" }

    var bytes: [UInt8] {
      get throws {
        var bytes = place.movie().with { $0.layout.insert(.free(8 + shift), at: 1) }.bytes()
        for number in 0..<earlierEdits {
          let source = MemorySource(Bytes(bytes))
          bytes = try MovieSpaceEditTests.setting("Earlier \(number)", in: source, place).inPlacePlan(of: source)
            .rendered().rendered(from: source)
        }
        return bytes
      }
    }

    /// Returns the plan of an edit of these bytes on a disk.
    func plan(of bytes: [UInt8], _ title: String, on disk: any FileSystem, at path: String = "film.mov") throws
      -> InPlacePlan
    {
      let status = try #require(try disk.status(at: path, followingLinks: true))
      let source = DiskSource(bytes: Bytes(bytes), seen: status.identity)
      let plan = try MovieSpaceEditTests.setting(title, in: source, place).inPlacePlan(of: source)
      try #require(plan.form.isInMovieAtom)
      return plan
    }

    /// Returns the title of a movie after checking that only free space inside the movie atom differs otherwise.
    func title(of image: [UInt8], _ old: [UInt8]) throws -> String? {
      try #require(image.count == old.count)
      let movie = try Movie(of: MemorySource(Bytes(image)))
      let before = try Movie(of: MemorySource(Bytes(old)))
      #expect(movie.movieAtom.range == before.movieAtom.range)
      let atom = Int(movie.movieAtom.range.offset)..<Int(movie.movieAtom.range.end)
      try #require(image[..<atom.lowerBound] == old[..<atom.lowerBound], "bytes before the movie atom")
      try #require(image[atom.upperBound...] == old[atom.upperBound...], "bytes after the movie atom")
      #expect(movie.metadata.map(\.identifier) == before.metadata.map(\.identifier))
      #expect(try SecondReader(image).tracks.map(\.samples) == SecondReader(old).tracks.map(\.samples))
      let titles = MovieSpaceEditTests.titles(movie)
      #expect(titles.count == 1)
      let changes = AtomTreeComparison(before.tree, movie.tree)
      try changes.compare(before.tree.root, movie.tree.root) { finding in
        // Only the atoms that contain the title differ.
        guard case .payload(let index, _) = finding,
          ["©nam", "©cmt", "titl", "data"].contains(before.tree[index].type)
        else { throw MovieError(.planCheckFailed, "\(finding)") }
      }
      return titles.first ?? nil
    }
  }

  static let cases = MovieSpaceEditTests.Place.allCases.flatMap { place in
    [0, 1, 2].flatMap { edits in [0, 170, 340].map { Case(place: place, shift: $0, earlierEdits: edits) } }
  }

  @Test(arguments: cases, [SimulatedDisk.Growth.afterData, .beforeData])
  func leavesTheOldOrNewTitleAfterACrash(_ one: Case, _ growth: SimulatedDisk.Growth) throws {
    let bytes = try one.bytes
    let disk = SimulatedDisk(["film.mov": bytes], growth: growth)
    let old = try one.title(of: bytes, bytes)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(one.plan(of: bytes, "A longer title", on: disk))
    var titles: [String?: Int] = [:]
    for image in disk.images { titles[try one.title(of: #require(image["film.mov"]), bytes), default: 0] += 1 }
    #expect(Set(titles.keys) == [old, "A longer title"] && titles[old] ?? 0 > 1)
    #expect(try one.title(of: #require(disk.current["film.mov"]), bytes) == "A longer title")
  }

  /// A process is killed at any call, the next one edits the result, and then the machine crashes.
  @Test(arguments: cases.filter { $0.shift == 0 })
  func leavesOneOfThreeTitlesAfterAKilledAndACrashedEdit(_ one: Case) throws {
    let bytes = try one.bytes
    let old = try one.title(of: bytes, bytes)
    var titles: Set<String?> = []
    var count = 0
    for call in 1... {
      let disk = SimulatedDisk(["film.mov": bytes])
      let killed = FaultyFileSystem(disk, refusing: call, isGone: true)
      do {
        try InPlaceCommit(path: "film.mov", disk: killed).carryOut(one.plan(of: bytes, "First", on: disk))
      } catch {
        #expect(error is FileError)
      }
      let left = try #require(disk.current["film.mov"])
      try InPlaceCommit(path: "film.mov", disk: disk).carryOut(one.plan(of: left, "Second", on: disk))
      for image in disk.images { titles.insert(try one.title(of: #require(image["film.mov"]), bytes)) }
      #expect(try one.title(of: #require(disk.current["film.mov"]), bytes) == "Second")
      count += 1
      if !killed.hasRefused { break }
    }
    #expect(titles == [old, "First", "Second"] && count > 15)
  }

  @Test(arguments: FaultyFileSystem.Refusal.allCases, cases.filter { $0.shift == 0 && $0.earlierEdits < 2 })
  func keepsTheFileAfterARefusedCall(_ refusal: FaultyFileSystem.Refusal, _ one: Case) throws {
    let bytes = try one.bytes
    let folder = try TemporaryFolder()
    for call in 1... {
      let path = try folder.write(bytes, as: "film.mov")
      let plan = try one.plan(of: bytes, "New", on: LocalFileSystem(), at: path)
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal, ignoresSyncs: true)
      do {
        try InPlaceCommit(path: path, disk: disk).carryOut(plan)
        #expect(["", "close"].contains(disk.refusedCall))
        #expect(try one.title(of: folder.read("film.mov"), bytes) == "New")
      } catch let error as FileError {
        let isMade = error.reason.contains("the edit was made")
        let left = try folder.read("film.mov")
        #expect(isMade ? try one.title(of: left, bytes) == "New" : left == bytes, "\(disk.refusedCall): \(error)")
      }
      if !disk.hasRefused { break }
    }
  }
}
