import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Edits of real movies on a disk that may die at any moment: what is left opens as the old movie or as the new one.
struct MovieCrashTests {
  // The end of the file decides where the appended header falls: in one sector, or across two at each of its bytes.
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
    ] + (505..<512).map { CrashedMovie.Case(name: "simple", movie: .simple, end: $0) }

  @Test(arguments: cases, [SimulatedDisk.Growth.afterData, .beforeData])
  func editInPlaceLeavesTheOldMovieOrTheNewOne(_ edit: CrashedMovie.Case, _ growth: SimulatedDisk.Growth) throws {
    let bytes = edit.bytes
    #expect(bytes.count % 512 == edit.end)
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

  @Test(arguments: [TestMovie.simple, .torture.with { $0.layout = .movieFirst }])
  func trackOfAnotherMovieIsThereOrNot(_ film: TestMovie) throws {
    let bytes = film.bytes()
    let disk = SimulatedDisk(["film.mov": bytes])
    let status = try #require(try disk.status(at: "film.mov", followingLinks: true))
    let source = try JoinedSource([DiskSource(bytes: Bytes(bytes), seen: status.identity), TestMovie.dub.source])
    var edit = try MovieEdit(of: Movie(of: source.sources[0]))
    let other = try Movie(of: source.sources[1])
    let ids = try edit.add([ImportedTrack(other.tracks[0])], of: other)
    let plan = try edit.inPlacePlan(of: source, .behindMedia)
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
  func newFileLeavesTheOldMovieOrTheNewOne(_ edit: CrashedMovie.Case, _ fastStart: Bool) throws {
    let bytes = edit.bytes
    let source = MemorySource(Bytes(bytes))
    let plan = try CrashedMovie.edit(of: source).remuxPlan(of: source, RemuxLayout(isFastStart: fastStart))
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
  func fullDiskLeavesTheOldMovie(_ bytes: [UInt8]) throws {
    let folder = try TemporaryFolder()
    for refusal in FaultyDisk.Refusal.allCases {
      for call in 1... {
        let path = try folder.write(bytes, as: "film.mov")
        let source = try FileSource(path: path)
        let edit = try CrashedMovie.edit(of: source)
        let disk = FaultyDisk(SystemDisk(), refusing: call, refusal)
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
  func fullDiskLeavesNoNewFile(_ bytes: [UInt8]) throws {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: try folder.write(bytes, as: "film.mov"))
    let plan = try CrashedMovie.edit(of: source).remuxPlan(of: source)
    for call in 1... {
      let disk = FaultyDisk(SystemDisk(), refusing: call, .halfDone)
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

extension TestMovie {
  fileprivate static let withTrailer = simple.with {
    $0.layout = .movieLast + [.bytes(atom("uuid") { zeros(16) }), .bytes(text("SEFT, a vendor's trailer"))]
  }
}
