import DiskTestSupport
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Edits that copy bytes of several files.
struct JoinedSinkTests {
  private static let movie = TestMovie.simple.bytes()
  private static let dub = TestMovie.dub.bytes()

  /// A film and a dub in a folder, and an edit that copies the dub's audio into the film.
  private struct Case {
    let folder: TemporaryFolder
    let film: FileSource
    let dub: FileSource
    let source: JoinedSource
    let edit: MovieEdit

    init(_ dubBytes: [UInt8] = JoinedSinkTests.dub) throws {
      folder = try TemporaryFolder()
      film = try FileSource(path: try folder.write(JoinedSinkTests.movie, as: "film.mov"))
      dub = try FileSource(path: try folder.write(dubBytes, as: "dub.mov"))
      source = try JoinedSource([film, dub])
      var edit = try MovieEdit(of: Movie(of: film), from: film)
      let other = try Movie(of: dub)
      _ = try edit.add([TrackInput(other.tracks[0])], of: other, from: dub)
      self.edit = edit
    }

    func expected(_ plan: OutputPlan) throws -> [UInt8] { try plan.rendered(from: source) }
  }

  @Test func writesThePlanByBothStrategies() throws {
    for output in ["film.mov", "new.mov"] {
      let one = try Case()
      let path = one.folder.file(output)
      let writer = try MovieFileWriter(
        one.edit,
        to: output == "film.mov" ? .sourceFile(path) : .newFile(path, overwrites: false, synchronizes: false))
      let plan: OutputPlan
      switch writer.verifiedPlan {
      case .inPlace(let append): plan = try append.rendered()
      case .newFile: plan = writer.plan
      }
      let expected = try one.expected(plan)
      let report = try writer.write()
      #expect(try one.folder.read(output) == expected)
      #expect(try one.folder.read("dub.mov") == Self.dub)
      let samples = UInt64(TestMovie.dub.tracks[0].samples.reduce(0) { $0 + $1.byteCount })
      #expect(writer.byteCountToWrite - writer.generatedByteCount >= samples)
      #expect(report.bytesCopied >= samples)
      if output == "film.mov" { #expect(report.bytesCopied == samples) }
    }
  }

  @Test(arguments: FaultyFileSystem.Refusal.allCases)
  func keepsTheMovieAfterARefusedCall(_ refusal: FaultyFileSystem.Refusal) throws {
    for call in 1... {
      let one = try Case()
      let plan = try one.edit.inPlacePlan(of: one.source)
      let expected = try one.expected(plan.rendered())
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal)
      do {
        try InPlaceCommit(path: one.film.path, disk: disk).carryOut(plan, from: one.source)
        #expect(["", "close"].contains(disk.refusedCall))
        #expect(try one.folder.read("film.mov") == expected)
      } catch let error as FileError {
        let isMade = error.reason.contains("the edit was made")
        #expect(try one.folder.read("film.mov") == (isMade ? expected : Self.movie), "\(disk.refusedCall): \(error)")
      }
      #expect(try one.folder.read("dub.mov") == Self.dub)
      if !disk.hasRefused { break }
    }
  }

  @Test func leavesNoNewFileAfterARefusedCall() throws {
    for call in 1... {
      let one = try Case()
      let plan = try one.edit.outputPlan(of: one.source)
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call)
      let sink = NewFileSink(path: one.film.path, existing: .replaceSource, synchronizes: true, disk: disk)
      let expected = try one.expected(plan)
      do {
        try sink.carryOut(plan, from: one.source)
        #expect(try one.folder.read("film.mov") == expected)
      } catch let error as FileError {
        let isRenamed = error.reason.contains("the new movie was written")
        #expect(try one.folder.read("film.mov") == (isRenamed ? expected : Self.movie), "\(disk.refusedCall): \(error)")
      }
      #expect(try one.folder.names() == ["dub.mov", "film.mov"], "\(disk.refusedCall)")
      if !disk.hasRefused { break }
    }
  }

  @Test func namesAnotherMovieThatChanged() throws {
    let one = try Case()
    let append = try one.edit.inPlacePlan(of: one.source)
    let whole = try one.edit.outputPlan(of: one.source)
    try one.folder.write(Self.dub + [0], as: "dub.mov.new")
    let file = try SystemCalls.open(one.dub.path, .updating)
    _ = try LocalFileSystem().write(file, at: 100, from: [1, 2, 3], 0..<3)
    try SystemCalls.close(file)
    func expectChanged(_ carryOut: () throws -> Void) {
      #expect {
        try carryOut()
      } throws: { error in
        let error = error as? FileError
        return error?.code == .changed && error?.path == one.dub.path
      }
    }
    expectChanged { try InPlaceCommit(path: one.film.path).carryOut(append, from: one.source) }
    expectChanged {
      try NewFileSink(path: one.folder.file("new.mov"), existing: .keep, synchronizes: false)
        .carryOut(whole, from: one.source)
    }
    #expect(try one.folder.read("film.mov") == Self.movie)
  }

  @Test func truncatesIfAnotherMovieChangesDuringTheCopy() throws {
    let one = try Case()
    let plan = try one.edit.inPlacePlan(of: one.source)
    #expect {
      try InPlaceCommit(path: one.film.path).carryOut(plan, from: one.source) { _, _ in
        let file = try SystemCalls.open(one.dub.path, .updating)
        _ = try LocalFileSystem().write(file, at: 100, from: [1, 2, 3], 0..<3)
        try SystemCalls.close(file)
      }
    } throws: { error in
      (error as? FileError)?.code == .changed && (error as? FileError)?.path == one.dub.path
    }
    #expect(try one.folder.read("film.mov") == Self.movie)
  }

  @Test func requiresTheSourcesOfOtherMovies() throws {
    let one = try Case()
    let plan = try one.edit.inPlacePlan(of: one.source)
    #expect(throws: FileError.self) { try InPlaceCommit(path: one.film.path).carryOut(plan) }
    #expect(throws: FileError.self) { try InPlaceCommit(path: one.film.path).carryOut(plan, from: one.film) }
    #expect(try one.folder.read("film.mov") == Self.movie)
  }

  @Test func importsATrackOfTheMovieItself() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.movie, as: "film.mov")
    let film = try FileSource(path: path)
    var edit = try MovieEdit(of: Movie(of: film), from: film)
    let ids = try edit.add([TrackInput(edit.movie.tracks[1])], of: edit.movie, from: film)
    try MovieFileWriter(edit, to: .sourceFile(path)).write()
    let new = try SecondReader(path: path)
    try expectSameSamples(#require(new.track(2)), new, #require(new.track(ids[0])), new)
  }

  /// The media of the other movie is copied through one buffer, with calls of its size.
  @Test func streamsALargeTrack() throws {
    let other = TestMovie.dub.with {
      $0.tracks[0].samples = .varied(50, around: 200_000, duration: 1024)
      $0.tracks[0].chunking = [3]
    }
    let one = try Case(other.bytes())
    let plan = try one.edit.inPlacePlan(of: one.source)
    #expect(plan.generatedByteCount < 20_000 && plan.byteCount > 9_000_000)
    let disk = FaultyFileSystem(LocalFileSystem())
    let expected = try one.expected(plan.rendered())
    try InPlaceCommit(path: one.film.path, disk: disk).carryOut(plan, from: one.source)
    #expect(try one.folder.read("film.mov") == expected)
    let bufferCount = Int(plan.byteCount) / StagedWriter.capacity + 1
    // Three reads for each buffer: one for the copy, and two for the comparison of both files.
    #expect(disk.calls.count { $0 == "read" } <= 3 * bufferCount + 30)
    #expect(disk.calls.count { $0 == "write" } <= bufferCount + 4)
  }
}
