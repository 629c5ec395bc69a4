import DiskTestSupport
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Edits of real movies on a disk that may crash at any moment: the result opens as the old movie or the new one.
struct MovieCrashTests {
  // The end of the file determines whether the appended header is in one sector, or where it is split across two.
  static let cases =
    [
      CrashedMovie.Case(name: "simple", movie: .simple, end: 0),
      CrashedMovie.Case(name: "simple", movie: .simple, end: 300),
      CrashedMovie.Case(name: "talk", movie: .talk, end: 504),
      CrashedMovie.Case(name: "torture", movie: .torture, end: 100),
      CrashedMovie.Case(name: "trailer", movie: .withTrailer, end: 200),
      CrashedMovie.Case(name: "trailer", movie: .withTrailer, end: 507),
      CrashedMovie.Case(name: "fast start", movie: .talk.with { $0.layout = .movieFirst }, end: 100),
      CrashedMovie.Case(name: "fast start", movie: .torture.with { $0.layout = .movieFirst }, end: 507),
      CrashedMovie.Case(name: "space of zeros after", movie: .withSpace, end: 77),
      CrashedMovie.Case(name: "space before", movie: .simple, end: 100, earlierEdits: 1),
      CrashedMovie.Case(name: "space after", movie: .simple, end: 130, earlierEdits: 2),
      CrashedMovie.Case(name: "space before, a trailer", movie: .withTrailer, end: 300, earlierEdits: 1),
      CrashedMovie.Case(name: "fast start with space", movie: .withSpace.with { $0.layout = .spaceAfterMovie }, end: 9),
      CrashedMovie.Case(name: "zeros at the end", movie: .simple.with { $0.layout.append(.bytes(zeros(700))) }, end: 5),
    ] + (505..<512).map { CrashedMovie.Case(name: "simple", movie: .simple, end: $0) }

  @Test(arguments: cases, [SimulatedDisk.Growth.afterData, .beforeData])
  func leavesTheOldOrNewMovieAfterACrashInPlace(_ edit: CrashedMovie.Case, _ growth: SimulatedDisk.Growth) throws {
    let bytes = try edit.edited
    #expect(edit.bytes.count % 512 == edit.end)
    let disk = SimulatedDisk(["film.mov": bytes], growth: growth)
    let movie = try CrashedMovie(bytes, "film.mov", on: disk)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(movie.plan)
    #expect(disk.current == ["film.mov": movie.new])
    var counts = (old: 0, new: 0)
    for image in disk.images {
      switch try movie.state(of: try #require(image["film.mov"])) {
      case .old: counts.old += 1
      case .new: counts.new += 1
      }
    }
    #expect(counts.old > 2 && counts.new == 1)
    try movie.checkNew()
  }

  /// A process is killed at any call, the next one edits the result, and then the machine crashes. Writes of either process
  /// may have reached the disk.
  @Test(arguments: [0, 1, 2], [SimulatedDisk.Growth.afterData, .beforeData])
  func leavesOneOfThreeMoviesAfterAKilledAndACrashedEdit(_ earlierEdits: Int, _ growth: SimulatedDisk.Growth) throws {
    let one = CrashedMovie.Case(name: "simple", movie: .simple, end: 100, earlierEdits: earlierEdits)
    let bytes = try one.edited
    let old = try SecondReader(bytes).tracks
    var cases = 0
    var images = 0
    var outcomes: Set<Int> = []
    for call in 1... {
      let disk = SimulatedDisk(["film.mov": bytes], growth: growth)
      let killed = FaultyFileSystem(disk, refusing: call, isGone: true)
      let first = try CrashedMovie(bytes, "film.mov", on: disk)
      do {
        try InPlaceCommit(path: "film.mov", disk: killed).carryOut(first.plan)
      } catch {
        #expect(error is FileError)
      }
      let left = try #require(disk.current["film.mov"])
      let second = try CrashedMovie(left, "film.mov", on: disk)
      try InPlaceCommit(path: "film.mov", disk: disk).carryOut(second.plan)
      #expect(disk.current["film.mov"] == second.new)
      for image in disk.images {
        let reader = try SecondReader(#require(image["film.mov"]))
        #expect(reader.topLevel.count { $0.type == "moov" } == 1)
        #expect(reader.tracks.prefix(old.count).map(\.samples) == old.map(\.samples))
        outcomes.insert(reader.tracks.count - old.count)
        images += 1
      }
      cases += 1
      if !killed.hasRefused { break }
    }
    print("edit after a kill, \(earlierEdits) edits before: \(cases) calls, \(images) images")
    #expect(outcomes == [0, 1, 2] && cases > 15)
  }

  /// The same one level down, as for metadata: new atoms after a header of free space, then a single header write.
  @Test(arguments: [SimulatedDisk.Growth.afterData, .beforeData], [0, 300, 500])
  func replacesAtomsInsideTheMovieAtomInOneWrite(_ growth: SimulatedDisk.Growth, _ shift: Int) throws {
    func keys(_ name: String) -> [UInt8] { fullAtom("keys") { u32(1) + atom("mdta") { text(name) } } }
    func items(_ value: String) -> [UInt8] { atom("ilst") { text(value) } }
    let (oldKeys, oldItems) = (keys("com.example.one"), items("one"))
    let space = 1200
    let meta = fullAtom("meta") { oldKeys + oldItems + atom("free") { zeros(space - 8) } }
    let before = atom("ftyp") { zeros(shift) } + atom("moov") { meta }
    let start = before.count - space - oldKeys.count - oldItems.count
    let (newKeys, newItems) = (keys("com.example.another.key"), items("another value"))
    let new = newKeys + newItems
    let content = new + atom("free") { zeros(space - 8 - new.count - 8) }
    let header = u32(oldKeys.count + oldItems.count + 8) + code("free")
    #expect(InPlacePlan.HeaderWrite.isInOneSector(UInt64(start), byteCount: 8))
    let disk = SimulatedDisk(["film.mov": before], growth: growth)
    let status = try #require(try disk.status(at: "film.mov", followingLinks: true))
    let plan = InPlacePlan(
      source: status.identity, form: .inSpaceAfter, writeOffset: UInt64(before.count - space + 8),
      contents: [.generated(Bytes(content))],
      commit: .init(
        offset: UInt64(start), expected: Bytes(Array(before[start..<start + 8])), replacement: Bytes(header)),
      requiredOldBytes: [
        .init(
          offset: UInt64(start), bytes: Bytes(Array(before[start..<start + oldKeys.count + oldItems.count + 8])))
      ],
      overwrittenByteCount: UInt64(space - 8), overwrittenHead: .init(offset: 0, bytes: Bytes()), markOffset: nil,
      truncatesBeforeWriting: false)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(plan)
    var found: Set<[UInt8]> = []
    for image in disk.images {
      let bytes = try #require(image["film.mov"])
      #expect(bytes.count == before.count)
      let reader = try SecondReader(bytes)
      let children = try #require(reader.atom("moov/meta")).children.filter { $0.type != "free" }
      #expect(children.map(\.type) == ["keys", "ilst"])
      found.insert(try children.flatMap { try reader.bytes(of: $0) })
    }
    #expect(found == [oldKeys + oldItems, new])
  }

  @Test(arguments: [TestMovie.simple, .torture.with { $0.layout = .movieFirst }])
  func importsATrackCompletelyOrNotAtAll(_ film: TestMovie) throws {
    let bytes = film.bytes()
    let disk = SimulatedDisk(["film.mov": bytes])
    let status = try #require(try disk.status(at: "film.mov", followingLinks: true))
    let source = try JoinedSource([DiskSource(bytes: Bytes(bytes), seen: status.identity), TestMovie.dub.source])
    var edit = try MovieEdit(of: Movie(of: source.sources[0]))
    let other = try Movie(of: source.sources[1])
    let ids = try edit.add([TrackInput(other.tracks[0])], of: other)
    let plan = try edit.inPlacePlan(of: source, .afterMedia)
    let new = try plan.rendered().rendered(from: source)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(plan, from: source)
    #expect(disk.current == ["film.mov": new])
    let old = try SecondReader(bytes)
    var counts = (old: 0, new: 0)
    for image in disk.images {
      let image = try #require(image["film.mov"])
      if image == new {
        counts.new += 1
        continue
      }
      counts.old += 1
      try #require(image.starts(with: bytes))
      #expect(try Movie(of: MemorySource(Bytes(image))).tree.bytes == edit.movie.tree.bytes)
      #expect(try SecondReader(image).tracks.map(\.samples) == old.tracks.map(\.samples))
    }
    #expect(counts.old > 2 && counts.new == 1)
    let dub = try SecondReader(TestMovie.dub.bytes())
    let reader = try SecondReader(new)
    try expectSameSamples(dub.tracks[0], dub, #require(reader.track(ids[0])), reader)
  }

  @Test(arguments: cases.prefix(4), [false, true])
  func leavesTheOldOrNewMovieAfterACrashOfAReplacement(_ edit: CrashedMovie.Case, _ fastStart: Bool) throws {
    let bytes = edit.bytes
    let source = MemorySource(Bytes(bytes))
    let plan = try CrashedMovie.edit(of: source).outputPlan(of: source, OutputLayout(isFastStart: fastStart))
    let new = try PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)).array
    for growth in [SimulatedDisk.Growth.afterData, .beforeData] {
      let disk = SimulatedDisk(["film.mov": bytes], growth: growth)
      try NewFileSink(path: "film.mov", existing: .replace, synchronizes: true, disk: disk)
        .carryOut(plan, from: source)
      #expect(Set(disk.images.map { $0["film.mov"] }) == [bytes, new])
    }
    let id = try #require(try SecondReader(new).tracks.last?.id)
    let allowed = AllowedChanges.adding(id).with { $0.movieMoved = fastStart }
    #expect(try differences(old: bytes, new: new, allowing: allowed).isEmpty)
  }

  @Test(arguments: [TestMovie.simple, .talk, .torture].map { $0.bytes() })
  func keepsTheOldMovieOnAFullDisk(_ bytes: [UInt8]) throws {
    let folder = try TemporaryFolder()
    for refusal in FaultyFileSystem.Refusal.allCases {
      for call in 1... {
        let path = try folder.write(bytes, as: "film.mov")
        let source = try FileSource(path: path)
        let edit = try CrashedMovie.edit(of: source)
        let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal, ignoresSyncs: true)
        do {
          try InPlaceCommit(path: path, disk: disk).carryOut(edit.inPlacePlan(of: source))
        } catch let error as FileError where disk.refusedCall == "write" {
          #expect(error.code == .inputOutput && error.reason.contains("No space left"), "\(error)")
          #expect(try folder.read("film.mov") == bytes, "call \(call)")
        } catch {
          #expect(disk.refusedCall != "write")
        }
        if !disk.hasRefused { break }
      }
    }
  }

  @Test(arguments: [TestMovie.simple, .talk, .torture].map { $0.bytes() })
  func leavesNoNewFileOnAFullDisk(_ bytes: [UInt8]) throws {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: try folder.write(bytes, as: "film.mov"))
    let plan = try CrashedMovie.edit(of: source).outputPlan(of: source)
    for call in 1... {
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, .halfDone, ignoresSyncs: true)
      do {
        try NewFileSink(path: folder.file("new.mov"), existing: .keep, synchronizes: true, disk: disk)
          .carryOut(plan, from: source)
      } catch let error as FileError where disk.refusedCall == "write" {
        #expect(error.code == .inputOutput && error.reason.contains("No space left"), "\(error)")
        #expect(try folder.names() == ["film.mov"], "call \(call)")
        #expect(try folder.read("film.mov") == bytes)
      } catch {
        #expect(disk.refusedCall != "write")
      }
      if !disk.hasRefused { break }
      if try folder.names().contains("new.mov") { try folder.remove("new.mov") }
    }
  }
}

extension [TestMovie.Piece] {
  fileprivate static let spaceAfterMovie: Self = [.fileType, .movie(.ordinary), .free(9000), .media(.ordinary)]
}

extension TestMovie {
  fileprivate static let withSpace = simple.with { $0.layout = .movieLast + [.free(9000)] }

  fileprivate static let withTrailer = simple.with {
    $0.layout = .movieLast + [.bytes(atom("uuid") { zeros(16) }), .bytes(text("SEFT, a vendor's trailer"))]
  }
}
