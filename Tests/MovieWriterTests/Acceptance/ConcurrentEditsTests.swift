import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

/// Concurrent edits, as in a service: each has the same result as alone.
struct ConcurrentEditsTests {
  private static let movieCount = 64
  private static let taskCount = 8

  @Test func editsManyMoviesConcurrently() async throws {
    let movies = Self.movies
    let (one, many) = (try TemporaryFolder(), try TemporaryFolder())
    for (index, bytes) in movies.enumerated() {
      for folder in [one, many] { try folder.write(bytes, as: Self.name(index)) }
    }
    let alone = movies.indices.map { Self.edit($0, in: one) }
    let together = await withTaskGroup(of: [(Int, String)].self) { group in
      for task in 0..<Self.taskCount {
        group.addTask {
          // Each task has movies of every kind, in an order of its own.
          let own = movies.indices.filter { $0 / Self.taskCount % Self.taskCount == task }
          return (own[task...] + own[..<task]).map { ($0, Self.edit($0, in: many)) }
        }
      }
      return await group.reduce(into: [Int: String]()) { $0.merge($1) { first, _ in first } }
    }
    #expect(together.count == Self.movieCount)
    for index in movies.indices { #expect(together[index] == alone[index], "\(Self.name(index))") }
    #expect(alone.count { $0.hasPrefix("written") } > Self.movieCount / 2)
    #expect(try one.names() == many.names())
    for name in try one.names() { #expect(try one.read(name) == many.read(name), "\(name)") }
  }

  @Test func sharesOneSourceAmongTasks() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(TestMovie.talk.bytes(), as: "talk.mov")
    let source = try FileSource(path: path)
    let movie = try Movie(of: source)
    let outputs = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<Self.taskCount {
        group.addTask {
          var edit = try MovieEdit(of: movie, from: source)
          _ = try edit.add(Self.subtitles)
          let plan = try edit.outputPlan(of: source, OutputLayout(isFastStart: true, interleaving: .all))
          return try PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)).array
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(outputs.count == 1)
  }

  private static func name(_ index: Int) -> String { "\(index).mov" }

  /// Movies of every kind, two of them large enough to be copied by two threads.
  private static var movies: [[UInt8]] {
    var chance = Chance(seed: 64)
    let large = TestMovie.simple.with {
      $0.tracks[0].samples = (0..<5).map { _ in TestSample(4 << 20, duration: 50) }
    }
    return (0..<movieCount).map { index in
      switch index {
      case 1, 41: large.bytes()
      case _ where index % 4 == 2: RandomFragmentedMovie(&chance).bytes()
      case _ where index % 4 == 3: TestMovie.right.bytes()
      default: TestMovie.random(&chance).bytes()
      }
    }
  }

  private static var subtitles: SubtitleInput {
    let cues = (0..<20).map {
      Cue(startMilliseconds: 50 * $0, endMilliseconds: 50 * $0 + 40, text: StyledText("Cue \($0)"))
    }
    return SubtitleInput(cues: cues, language: LanguageTag("en"))
  }

  /// Edits a movie of the folder by a strategy that depends on its index, and returns the result in words.
  private static func edit(_ index: Int, in folder: TemporaryFolder) -> String {
    let path = folder.file(name(index))
    do {
      let source = try FileSource(path: path)
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      if index % 4 == 3 { _ = try edit.fix(for: .apple) }
      let id = try edit.add(subtitles)
      try edit.addToSubtitleGroup(id, asDefault: false)
      let isNew = index % 4 != 0
      let writer = try MovieFileWriter(
        edit,
        to: isNew
          ? .newFile(folder.file("new-\(index).mov"), overwrites: false, synchronizes: false) : .sourceFile(path),
        OutputLayout(isFastStart: index % 8 == 1, interleaving: index % 3 == 0 ? .all : .newSamples))
      try writer.write()
      return "written: \(writer.outputByteCount)"
    } catch {
      return String(describing: error).replacing(folder.path, with: "")
    }
  }
}
