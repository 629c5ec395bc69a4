import DiskTestSupport
import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// References are followed to files in the movie's folder and below only.
struct ExternalMediaFolderTests {
  private static let bytes = TestSample.pattern(track: 9, number: 1, byteCount: 3000)

  /// A folder with a movie in `films/` whose pictures are in the referenced file.
  private struct Case {
    let root: TemporaryFolder
    let path: String
    let source: FileSource
    var edit: MovieEdit

    init(_ reference: [UInt8], in root: TemporaryFolder) throws {
      self.root = root
      try root.makeFolder("films")
      let movie = TestMovie.referring.with {
        $0.tracks.removeLast()
        $0.tracks[0].dataReferences = [reference]
      }
      path = try root.write(movie, as: "films/film.mov")
      source = try FileSource(path: path)
      edit = try MovieEdit(of: source)
    }

    init(_ url: String, in root: TemporaryFolder) throws {
      try self.init(urlReference(url), in: root)
    }

    mutating func takeIn() throws -> [ExternalFile] {
      try edit.makeSelfContained(ExternalMediaFolder(of: path).open)
    }
  }

  private func expectRefusal(
    _ reference: [UInt8], in root: TemporaryFolder, _ reason: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    var one = try Case(reference, in: root)
    let error = try #require(throws: MovieError.self, sourceLocation: location) { _ = try one.takeIn() }
    #expect(
      error.code == .unsupported && error.path.hasPrefix("moov/trak/mdia/minf/dinf/dref/"), sourceLocation: location)
    #expect(error.offset ?? 0 > 36, sourceLocation: location)
    #expect(
      error.reason.replacingOccurrences(of: root.path, with: "ROOT")
        == "the media of track 1 \(reason); move the file to the movie's folder and refer to it by name, or keep the reference",
      sourceLocation: location)
    #expect(one.edit.isEmpty, sourceLocation: location)
  }

  private func expectNoInput(
    _ reference: [UInt8], in root: TemporaryFolder, _ name: String, _ reason: String,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    var one = try Case(reference, in: root)
    let error = try #require(throws: FileError.self, sourceLocation: location) { _ = try one.takeIn() }
    #expect(error.code == .noInput && error.path == root.file("films/" + name), sourceLocation: location)
    #expect(error.reason == reason, sourceLocation: location)
  }

  @Test func copiesMediaFromTheMoviesFolder() throws {
    let root = try TemporaryFolder()
    try root.makeFolder("films/parts")
    let resolved = try SystemCalls.resolve(root.path)
    let references = [
      ("media one.mov", urlReference("media%20one.mov")),
      ("media one.mov", urlReference("file://\(resolved)/films/media%20one.mov")),
      ("parts/two.mov", urlReference("./parts/two.mov")),
      ("media one.mov", aliasReference("media one.mov", levels: (1, 1))),
      ("parts/two.mov", aliasReference("two.mov", levels: (1, 2), posixPath: "/elsewhere/films/parts/two.mov")),
      ("media one.mov", aliasReference("media one.mov", posixPath: "/Users/who/media one.mov")),
    ]
    for (name, reference) in references {
      try root.write(Self.bytes, as: "films/" + name)
      var one = try Case(reference, in: root)
      let files = try one.takeIn()
      #expect(files.map(\.name) == [root.file("films/" + name)])
      let output = root.file("out.mov")
      try MovieFileWriter(one.edit, to: .newFile(output, overwrites: true, synchronizes: false)).write()
      let allowed = AllowedChanges().with {
        $0.takenIn = [1: [1: ByteStore(Self.bytes)]]
        $0.mediaDataRearranged = true
      }
      #expect(
        try differences(old: SecondReader(path: one.path), new: SecondReader(path: output), allowing: allowed) == [])
      try root.remove("films/" + name)
    }
  }

  @Test func rejectsPathsOutsideTheFolder() throws {
    let root = try TemporaryFolder()
    try root.write(Self.bytes, as: "media.mov")
    let outside = "outside the movie's folder, and is not followed"
    try expectRefusal(urlReference("../media.mov"), in: root, "is in ../media.mov, \(outside)")
    try expectRefusal(urlReference("parts/../../media.mov"), in: root, "is in parts/../../media.mov, \(outside)")
    try expectRefusal(urlReference("/etc/hostname"), in: root, "is in /etc/hostname, \(outside)")
    try expectRefusal(urlReference("file:///etc/hostname"), in: root, "is in /etc/hostname, \(outside)")
    try expectRefusal(urlReference("file://\(root.path)/media.mov"), in: root, "is in ROOT/media.mov, \(outside)")
    try expectRefusal(
      urlReference("file://\(root.path)/films/../media.mov"), in: root, "is in ROOT/films/../media.mov, \(outside)")
    // A folder whose name begins with the name of the movie's folder.
    try expectRefusal(
      urlReference("file://\(root.path)/films2/media.mov"), in: root, "is in ROOT/films2/media.mov, \(outside)")
    try expectRefusal(
      urlReference("http://example.org/a.mov"), in: root, "is in http://example.org/a.mov, \(outside)")
    try expectRefusal(
      aliasReference("media.mov", levels: (2, 1)), in: root, "is in ../media.mov, \(outside)")
    try expectRefusal(
      fullAtom("rsrc") { zeros(160) }, in: root, "is in a resource fork, which only a Macintosh can read")
    try expectRefusal(
      fullAtom("alis"), in: root, "is in another file, but the reference does not name that file")
  }

  @Test func followsSymbolicLinksInsideTheFolderOnly() throws {
    let root = try TemporaryFolder()
    try root.write(Self.bytes, as: "media.mov")
    try root.makeFolder("films/parts")
    try root.write(Self.bytes, as: "films/parts/media.mov")
    try root.makeSymbolicLink("films/inside.mov", to: "parts/media.mov")
    try root.makeSymbolicLink("films/outside.mov", to: "../media.mov")
    try root.makeSymbolicLink("films/up", to: "..")
    try root.makeSymbolicLink("films/round", to: "../films/parts")
    for name in ["inside.mov", "round/media.mov"] {
      var one = try Case(name, in: root)
      #expect(try one.takeIn().map(\.name) == [root.file("films/parts/media.mov")])
    }
    for name in ["outside.mov", "up/media.mov"] {
      try expectRefusal(
        urlReference(name), in: root,
        "is in ROOT/films/\(name), a link that leaves the movie's folder and is not followed")
    }
  }

  @Test func usesTheRealFolderOfALinkedMovie() throws {
    let root = try TemporaryFolder()
    var one = try Case("media.mov", in: root)
    try root.write(Self.bytes, as: "films/media.mov")
    try root.makeSymbolicLink("link.mov", to: "films/film.mov")
    let files = try one.edit.makeSelfContained(ExternalMediaFolder(of: root.file("link.mov")).open)
    #expect(files.map(\.name) == [try SystemCalls.resolve(root.file("films/media.mov"))])
    #expect(throws: FileError.self) { try ExternalMediaFolder(of: root.file("gone.mov")) }
  }

  @Test func rejectsAReferenceToTheMovieItself() throws {
    let root = try TemporaryFolder()
    let itself = "which is the movie itself"
    try expectRefusal(
      urlReference("film.mov"), in: root, "has a reference to ROOT/films/film.mov, \(itself)")
    try root.makeHardLink("films/other.mov", to: "films/film.mov")
    try root.makeSymbolicLink("films/link.mov", to: "film.mov")
    for name in ["other.mov", "link.mov"] {
      let one = try Case(name, in: root)  // Rewrites the movie, so the hard link must be created again.
      if name == "other.mov" {
        try root.remove("films/other.mov")
        try root.makeHardLink("films/other.mov", to: "films/film.mov")
      }
      var edit = one.edit
      let error = try #require(throws: MovieError.self) {
        _ = try edit.makeSelfContained(ExternalMediaFolder(of: one.path).open)
      }
      #expect(error.reason.contains("films/\(name), \(itself)"))
    }
  }

  @Test(.timeLimit(.minutes(5))) func opensOnlyRegularFiles() throws {
    let root = try TemporaryFolder()
    let track = "the media of track 1"
    try root.makeFolder("films/folder")
    try expectNoInput(
      urlReference("folder"), in: root, "folder", "is a folder, not an ordinary file; track 1 refers to it")
    try expectNoInput(
      urlReference("gone.mov"), in: root, "gone.mov",
      "cannot find: No such file or directory; \(track) is in this file")
    try expectNoInput(
      urlReference("gone/gone.mov"), in: root, "gone/gone.mov",
      "cannot find: No such file or directory; \(track) is in this file")
    #expect(try Shell.run("/usr/bin/mkfifo", [root.file("films/pipe")]).code == 0)
    try expectNoInput(
      urlReference("pipe"), in: root, "pipe", "is a pipe, not an ordinary file; track 1 refers to it")
    try root.makeSymbolicLink("films/loop", to: "loop")
    try expectNoInput(
      urlReference("loop"), in: root, "loop",
      "cannot find: Too many levels of symbolic links; \(track) is in this file")
  }

  @Test func recognizesLinksToOneFile() throws {
    let root = try TemporaryFolder()
    try root.write(TestMovie.referring, as: "film.mov")
    try root.write(Self.bytes, as: "media one.mov")
    try root.makeFolder("b")
    try root.makeSymbolicLink("b/two.wav", to: "../media one.mov")
    let source = try FileSource(path: root.file("film.mov"))
    var edit = try MovieEdit(of: source)
    let files = try edit.makeSelfContained(ExternalMediaFolder(of: source.path).open)
    #expect(files.map(\.name) == [root.file("media one.mov")])
  }

  @Test func namesAFileThatChangesBeforeCopying() throws {
    let root = try TemporaryFolder()
    try root.write(TestMovie.referring, as: "film.mov")
    for (name, bytes) in TestMovie.mediaFiles {
      if name.hasPrefix("b/") { try root.makeFolder("b") }
      try root.write(bytes, as: name)
    }
    let source = try FileSource(path: root.file("film.mov"))
    var edit = try MovieEdit(of: source)
    let files = try edit.makeSelfContained(ExternalMediaFolder(of: source.path).open)
    let joined = try JoinedSource([source] + files.map(\.source))
    let plan = try edit.outputPlan(of: joined)
    let file = try SystemCalls.open(root.file("b/two.wav"), .updating)
    _ = try LocalFileSystem().write(file, at: 100, from: [1, 2, 3], 0..<3)
    try SystemCalls.close(file)
    #expect {
      try NewFileSink(path: root.file("out.mov"), existing: .keep, synchronizes: false).carryOut(plan, from: joined)
    } throws: { error in
      (error as? FileError)?.code == .changed
    }
    #expect(try root.names() == ["b", "film.mov", "media one.mov"])
  }
}

/// Edits that copy external media, on disks that refuse calls or crash.
struct ExternalMediaSinkTests {
  private struct Case {
    let folder: TemporaryFolder
    let film: FileSource
    let source: JoinedSource
    let edit: MovieEdit
    let old: [UInt8]

    init() throws {
      folder = try TemporaryFolder()
      old = TestMovie.mixed.bytes()
      film = try FileSource(path: try folder.write(old, as: "film.mov"))
      try folder.makeFolder("b")
      for (name, bytes) in TestMovie.mediaFiles { try folder.write(bytes, as: name) }
      var edit = try MovieEdit(of: film)
      let files = try edit.makeSelfContained(ExternalMediaFolder(of: film.path).open)
      source = try JoinedSource([film] + files.map(\.source))
      self.edit = edit
    }

    func expectMediaFilesUnchanged(at location: SourceLocation = #_sourceLocation) throws {
      for (name, bytes) in TestMovie.mediaFiles {
        #expect(try folder.read(name) == bytes, sourceLocation: location)
      }
    }
  }

  @Test func leavesNoNewFileAfterARefusedCall() throws {
    for call in 1... {
      let one = try Case()
      let plan = try one.edit.outputPlan(of: one.source)
      let expected = try plan.rendered(from: one.source)
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call)
      let sink = NewFileSink(path: one.folder.file("out.mov"), existing: .keep, synchronizes: true, disk: disk)
      do {
        try sink.carryOut(plan, from: one.source)
        #expect(try one.folder.read("out.mov") == expected)
      } catch {
        #expect(error is FileError)
        #expect(try one.folder.names() == ["b", "film.mov", "media one.mov"], "\(disk.refusedCall)")
      }
      #expect(try one.folder.read("film.mov") == one.old)
      try one.expectMediaFilesUnchanged()
      if !disk.hasRefused { break }
    }
  }

  @Test(arguments: FaultyFileSystem.Refusal.allCases)
  func keepsTheMovieAfterARefusedCall(_ refusal: FaultyFileSystem.Refusal) throws {
    for call in 1... {
      let one = try Case()
      let plan = try one.edit.inPlacePlan(of: one.source)
      let expected = try plan.rendered().rendered(from: one.source)
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, refusal)
      do {
        try InPlaceCommit(path: one.film.path, disk: disk).carryOut(plan, from: one.source)
        #expect(try one.folder.read("film.mov") == expected)
      } catch let error as FileError {
        let isMade = error.reason.contains("the edit was made")
        #expect(try one.folder.read("film.mov") == (isMade ? expected : one.old), "\(disk.refusedCall): \(error)")
      }
      try one.expectMediaFilesUnchanged()
      if !disk.hasRefused { break }
    }
  }

  @Test(arguments: [SimulatedDisk.Growth.afterData, .beforeData])
  func copiesAllMediaOrNoneAfterEveryCrash(_ growth: SimulatedDisk.Growth) throws {
    let bytes = TestMovie.mixed.bytes()
    let disk = SimulatedDisk(["film.mov": bytes], growth: growth)
    let status = try #require(try disk.status(at: "film.mov", followingLinks: true))
    let film = DiskSource(bytes: Bytes(bytes), seen: status.identity)
    var edit = try MovieEdit(of: film)
    let files = try edit.makeSelfContained { try ExternalTrial.file($0, TestMovie.mediaFiles) }
    let source = try JoinedSource([film] + files.map(\.source))

    let append = try edit.inPlacePlan(of: source)
    let appended = try append.rendered().rendered(from: source)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(append, from: source)
    var news = 0
    for image in disk.images {
      let left = try #require(image["film.mov"])
      if left == appended {
        news += 1
      } else {
        #expect(left.starts(with: bytes))
        #expect(try SecondReader(left).tracks.map(\.samples) == SecondReader(bytes).tracks.map(\.samples))
      }
    }
    #expect(news == 1 && disk.images.count > 3)

    let plan = try edit.outputPlan(of: source)
    let whole = try plan.rendered(from: source)
    let other = SimulatedDisk(growth: growth)
    try NewFileSink(path: "new.mov", existing: .keep, synchronizes: true, disk: other).carryOut(plan, from: source)
    #expect(Set(other.images.map { $0["new.mov"] }) == [nil, whole])
  }
}
