import DiskTestSupport
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Many edits of one movie of realistic size: the file grows once, and everything keeps its position.
struct RepeatedEditTests {
  /// Returns a movie with a movie atom of about this size, mostly user data of another program.
  private static func movie(_ layout: [TestMovie.Piece], movieByteCount: Int) -> TestMovie {
    TestMovie.simple.with {
      $0.layout = layout
      $0.userData = atom("XYZW") { [UInt8](repeating: 0x5A, count: movieByteCount) }
    }
  }

  /// An hour of subtitles.
  private static let cues = (0..<1500).map { index in
    Cue(
      startMilliseconds: Int64(index) * 2400, endMilliseconds: Int64(index) * 2400 + 2000,
      text: StyledText("Line \(index) of what is said, as long as such lines are."))
  }

  private static var count: Int { 20 }

  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let layout: [TestMovie.Piece]
    let position: InPlacePlan.Position
    /// The allowed growth of the file, in sizes of the movie atom.
    let movieAtoms: Double
  }

  static let cases = [
    Case(description: "movie atom last", layout: .movieLast, position: .keepingFastStart, movieAtoms: 2),
    Case(
      description: "movie atom last, then a vendor's",
      layout: .movieLast + [.bytes(atom("uuid") { zeros(16) + text("vendor") })], position: .keepingFastStart,
      movieAtoms: 2),
    Case(description: "fast start, --append", layout: .movieFirst, position: .afterMedia, movieAtoms: 3.6),
  ]

  @Test(arguments: cases, [2_000, 9_000_000])
  func growsTheFileOnceForTwentyEdits(_ one: Case, _ movieByteCount: Int) throws {
    let folder = try TemporaryFolder()
    let movie = Self.movie(one.layout, movieByteCount: movieByteCount)
    let old = movie.bytes()
    let path = try folder.write(old, as: "film.mov")
    var samples = 0
    var forms: [InPlacePlan.Form] = []
    var movieAtom = 0
    for number in 0..<Self.count {
      let source = try FileSource(path: path)
      var edit = try MovieEdit(of: source)
      // Large and small edits, and edits that change no samples.
      if number % 3 == 2 {
        try edit.setTitle("Title \(number)", of: 2)
      } else {
        let cues = number % 3 == 0 && movieByteCount > 1_000_000 ? Self.cues : [.hello]
        samples += cues.count * 64
        _ = try edit.add(SubtitleInput(cues: cues, language: LanguageTag("en")))
      }
      let writer = try MovieFileWriter(edit, to: .sourceFile(path), movieAtom: one.position)
      guard case .inPlace(let plan) = writer.verifiedPlan else {
        Issue.record("edit \(number) is not made in place")
        return
      }
      forms.append(plan.form)
      try writer.write()
      movieAtom = Int(try Movie(of: FileSource(path: path)).movieAtom.range.count)
    }
    let new = try folder.read("film.mov")
    let bound = one.movieAtoms * Double(movieAtom) + Double(samples) + Double(old.count) / 20 + 32768
    print(
      "twenty edits, \(one), moov of \(movieAtom): \(new.count - old.count) bytes more, \(Int(bound)) allowed; "
        + forms.map(\.rawValue).joined(separator: " "))
    #expect(Double(new.count - old.count) <= bound)
    #expect(forms.filter(\.appends).count == 1)
    let (before, after) = (try SecondReader(old), try SecondReader(new))
    for (left, right) in zip(before.tracks, after.tracks) {
      #expect(left.samples.count == right.samples.count && left.id == right.id)
      try expectSameSamples(left, before, right, after)
    }
    #expect(
      after.topLevel.filter { $0.type == "uuid" }.count == before.topLevel.filter { $0.type == "uuid" }.count)
    #expect(try after.bytes(of: #require(after.atom("moov/udta/XYZW"))).count == movieByteCount + 8)
  }

  /// A process dies at any call while it edits a movie of realistic size. The result is the old movie or the new one, and
  /// the next edit can be made in place.
  @Test(arguments: [
    (0, InPlacePlan.Position.keepingFastStart), (1, .keepingFastStart), (2, .keepingFastStart), (0, .afterMedia),
  ])
  func keepsALargeMovieIntactWhenKilledAtAnyCall(_ earlierEdits: Int, _ position: InPlacePlan.Position) throws {
    let folder = try TemporaryFolder()
    let layout: [TestMovie.Piece] = position == .keepingFastStart ? .movieLast : .movieFirst
    var bytes = Self.movie(layout, movieByteCount: 9_000_000).bytes()
    for _ in 0..<earlierEdits {
      let source = MemorySource(Bytes(bytes))
      bytes = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source).rendered().rendered(from: source)
    }
    let count = try SecondReader(bytes).tracks.count
    // A sample of the calls in debug builds, in which each byte costs more.
    #if DEBUG
      let step = 29
    #else
      let step = 3
    #endif
    var outcomes: Set<Int> = []
    for call in stride(from: 1, to: .max, by: step) {
      let path = try folder.write(bytes, as: "film.mov")
      let source = try FileSource(path: path)
      let plan = try MovieEdit.addingSubtitles(to: source, language: "fr").inPlacePlan(of: source, position)
      let disk = FaultyFileSystem(LocalFileSystem(), refusing: call, isGone: true)
      do {
        try InPlaceCommit(path: path, disk: disk).carryOut(plan)
      } catch {
        #expect(error is FileError)
      }
      let left = try FileSource(path: path)
      let edit = try MovieEdit.addingSubtitles(to: left, language: "de")
      #expect(edit.movie.movieAtom.range.count > 9_000_000)
      outcomes.insert(edit.movie.tracks.count - count)
      // The next edit can be made in place.
      #expect(try MovieEdit.inPlaceBlocker(of: edit.movie, in: left, position) == nil, "call \(call)")
      if !disk.hasRefused { break }
    }
    #expect(outcomes == [0, 1])
  }

  /// The machine crashes at any moment of an edit of a movie of realistic size.
  @Test(
    arguments: [
      (0, InPlacePlan.Position.keepingFastStart), (1, .keepingFastStart), (2, .keepingFastStart), (0, .afterMedia),
    ],
    [SimulatedDisk.Growth.afterData, .beforeData])
  func keepsALargeMovieIntactAfterAPowerLoss(
    _ edits: (Int, InPlacePlan.Position), _ growth: SimulatedDisk.Growth
  ) throws {
    let (earlierEdits, position) = edits
    try HeavyTests.require("a movie of 9 MB on a dying disk")
    let layout: [TestMovie.Piece] = position == .keepingFastStart ? .movieLast : .movieFirst
    var bytes = Self.movie(layout, movieByteCount: 9_000_000).bytes()
    for _ in 0..<earlierEdits {
      let source = MemorySource(Bytes(bytes))
      bytes = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source).rendered().rendered(from: source)
    }
    let old = try SecondReader(bytes).tracks
    var outcomes: [Int: Int] = [:]
    func look(_ image: [UInt8]) throws {
      let reader = try SecondReader(image)
      #expect(reader.topLevel.count { $0.type == "moov" } == 1)
      #expect(reader.tracks.prefix(old.count).map(\.samples) == old.map(\.samples))
      let source = MemorySource(Bytes(image))
      let edit = try MovieEdit.addingSubtitles(to: source, language: "de")
      #expect(try MovieEdit.inPlaceBlocker(of: edit.movie, in: source, position) == nil)
      outcomes[reader.tracks.count - old.count, default: 0] += 1
    }
    let disk = SimulatedDisk(["film.mov": bytes], growth: growth, sector: 1 << 20) { try look($0["film.mov"] ?? []) }
    let status = try #require(try disk.status(at: "film.mov", followingLinks: true))
    let source = DiskSource(bytes: Bytes(bytes), seen: status.identity)
    let plan = try MovieEdit.addingSubtitles(to: source, language: "fr").inPlacePlan(of: source, position)
    try InPlaceCommit(path: "film.mov", disk: disk).carryOut(plan)
    try disk.visitAll()
    print("a power loss at 9 MB, \(plan.form), \(growth): \(outcomes.sorted { $0.key < $1.key }.map(\.value)) images")
    #expect(outcomes.keys.sorted() == [0, 1])
    #expect(outcomes[0] ?? 0 > 20)
  }

  @Test func rewritesAFastStartMovieOnceForSeveralEdits() throws {
    let folder = try TemporaryFolder()
    let old = Self.movie(.movieFirst, movieByteCount: 3000).bytes()
    let path = try folder.write(old, as: "film.mov")
    var forms: [String] = []
    for number in 0..<6 {
      let source = try FileSource(path: path)
      let edit = try MovieEdit.addingSubtitles(to: source, language: ["en", "fr", "de"][number % 3])
      let writer = try MovieFileWriter(edit, to: .sourceFile(path))
      if case .inPlace(let plan) = writer.verifiedPlan {
        forms.append(plan.form.rawValue)
      } else {
        forms.append("rewritten")
      }
      try writer.write()
      let movie = try Movie(of: FileSource(path: path))
      #expect(movie.layout.isFastStart)
    }
    #expect(forms == ["rewritten", "inSpaceAfter", "inSpaceBefore", "inSpaceAfter", "inSpaceBefore", "rewritten"])
    let tracks = try SecondReader(folder.read("film.mov")).tracks
    #expect(tracks.count == 2 + 6)
  }

  /// Samples of tracks that are added and removed do not accumulate before the movie atom of a fast-start movie.
  @Test func keepsFastStartForTracksThatAreAddedAndRemoved() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.movie(.movieFirst, movieByteCount: 3000).bytes(), as: "film.mov")
    var rewritten = 0
    for number in 0..<60 {
      let source = try FileSource(path: path)
      var edit = try MovieEdit(of: source)
      if number % 2 == 0 { _ = try edit.addSubtitles("en") } else { try edit.remove(edit.tracks.map(\.id).max() ?? 0) }
      let writer = try MovieFileWriter(edit, to: .sourceFile(path))
      if case .newFile = writer.verifiedPlan { rewritten += 1 }
      try writer.write()
      #expect(try Movie(of: FileSource(path: path)).layout.isFastStart, "edit \(number)")
    }
    print("sixty edits of a fast-start movie: \(rewritten) rewrites")
    #expect(rewritten < 20)
  }

  @Test(arguments: [UInt32(0), 24, 10, 4096])
  func leavesTheRequestedSpaceForLaterEdits(_ padding: UInt32) throws {
    let source = TestMovie.simple.with { $0.layout = .movieFirst }.source
    var layout = OutputLayout()
    layout.paddingByteCount = padding
    let new = try MovieEdit.addingSubtitles(to: source).outputPlan(of: source, layout).rendered(from: source)
    let reader = try SecondReader(new)
    let movie = try #require(reader.topLevel.firstIndex { $0.type == "moov" })
    let next = reader.topLevel[movie + 1]
    // Space smaller than the movie atom is only useful inside it, for metadata.
    let isBeside = padding > 1_000
    #expect(isBeside ? next.type == "free" && next.byteCount == UInt64(padding) : next.type == "mdat")
    func spaceInside(_ reader: SecondReader) -> Int {
      reader.atoms.count { $0.type == "free" && $0.path.hasPrefix("moov") }
    }
    #expect(spaceInside(reader) == (padding == 0 || isBeside ? 0 : 1))
    // Repeated: the old space is replaced, not extended.
    let again = MemorySource(Bytes(new))
    let twice = try MovieEdit.addingSubtitles(to: again).outputPlan(of: again, layout).rendered(from: again)
    let last = try SecondReader(twice)
    #expect(last.topLevel.count { $0.type == "free" } == (isBeside ? 1 : 0))
    #expect(spaceInside(last) == (padding == 0 || isBeside ? 0 : 1))
  }

  @Test func keepsFreeSpaceWithDataInRealMovies() throws {
    let corpus = try Corpus.require()
    var found = 0
    for path in corpus.movies.map(\.path) {
      let source = try FileSource(path: path)
      let layout = try FileLayout(of: source)
      let kept = try layout.atoms.filter {
        try $0.isFreeSpace && !$0.isTruncated && $0.payloadRange.count > 0 && $0.range.count < 8 << 20
          && FreeSpace.contents(of: $0.payloadRange, in: source) == .data
      }
      guard !kept.isEmpty, (try? MovieEdit(of: Movie(of: source))) != nil,
        let edit = try? MovieEdit.addingSubtitles(to: source)
      else { continue }
      var plans: [OutputPlan] = [try edit.outputPlan(of: source)]
      for position in [InPlacePlan.Position.keepingFastStart, .afterMedia] {
        if case .plan(let plan, _) = try EditPlanner(edit).inPlaceDecision(of: source, position) {
          plans.append(try plan.rendered())
        }
      }
      for plan in plans {
        let planned = PlannedSource(plan, of: source)
        let new = try FileLayout(of: planned).atoms.filter(\.isFreeSpace)
        for atom in kept {
          let bytes = try source.readExactly(atom.range)
          #expect(
            try new.contains { try $0.range.count == atom.range.count && planned.readExactly($0.range) == bytes },
            "\(path): free space at byte \(atom.range.offset)")
        }
      }
      found += kept.count
    }
    print("\(found) atoms of free space that hold data stay")
    #expect(found > 3)
  }
}
