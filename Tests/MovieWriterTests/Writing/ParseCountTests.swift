import MovieBox
import Subtitles
import Synchronization
import TestSupport
import Testing

@testable import MovieWriter

/// The number of times that movie atoms are parsed: for reading, for relocating positions, and for verifying.
struct ParseCountTests {
  private func count(_ body: () throws -> Void) rethrows -> Int {
    let counter = Counter()
    try AtomTree.$didParseMovieAtom.withValue({ counter.increment() }) { try body() }
    return counter.value
  }

  private func resolutions(_ body: () throws -> Void) rethrows -> Int {
    let counter = Counter()
    try PreparedEdit.$didResolve.withValue({ counter.increment() }) { try body() }
    return counter.value
  }

  private func parses(_ movie: TestMovie, _ layout: OutputLayout, inPlace: Bool) throws -> Int {
    let folder = try TemporaryFolder()
    let path = try folder.write(movie, as: "in.mov")
    return try count {
      let source = try FileSource(path: path)
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      try edit.addToSubtitleGroup(edit.addSubtitles("en"), asDefault: false)
      let output: MovieFileWriter.Output =
        inPlace
        ? .sourceFile(path) : .newFile(folder.file("out.mov"), overwrites: false, synchronizes: false)
      let writer = try MovieFileWriter(edit, to: output, layout)
      _ = writer.plannedMovie
      _ = try writer.plannedFindings(for: .apple, fileName: path)
      try writer.write()
    }
  }

  @Test func parsesTheMovieAtomThreeTimesPerEdit() throws {
    #expect(try parses(.talk, OutputLayout(), inPlace: true) == 3)
    // An edit that cannot be made in place, and rewrites the file.
    #expect(try parses(.talk.with { $0.layout = .movieFirst }, OutputLayout(), inPlace: true) == 3)
    for layout in [
      OutputLayout(interleaving: .none), OutputLayout(), OutputLayout(interleaving: .all),
      OutputLayout(isFastStart: true), OutputLayout(isCompact: true),
    ] {
      #expect(try parses(.talk, layout, inPlace: false) == 3, "\(layout)")
    }
  }

  /// The converter and the plan each parse the converted movie atom once. A further change by the edit, such as of metadata,
  /// costs another parse.
  @Test(arguments: [(MovieType.mp4, [UInt8](), 3), (.quickTime, [], 3), (.mp4, atom("©nam") { u16(1, 0) + [65] }, 4)])
  func parsesConvertedMovieAtomsOncePerStage(_ type: MovieType, _ userData: [UInt8], _ parses: Int) throws {
    let movie = TestMovie.film(type.isQuickTime ? .iso : .quickTime).with { $0.userData = userData }
    let source = MemorySource(Bytes(movie.bytes()))
    let found = try count {
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      try edit.convert(to: type)
      _ = try edit.outputPlan()
    }
    #expect(found == parses)
  }

  /// An edit that cannot be made in place is not resolved again for the new file.
  @Test func resolvesEditsOnce() throws {
    for (name, movie) in [
      ("in place", TestMovie.talk), ("no room", TestMovie.talk.with { $0.layout = .movieFirst }),
    ] {
      #expect(try resolutions { _ = try parses(movie, OutputLayout(), inPlace: true) } == 1, "\(name)")
    }
    #expect(try resolutions { _ = try parses(.talk, OutputLayout(), inPlace: false) } == 1)
  }

  /// The new file equals that of an edit that is written to a new file from the start.
  @Test func plansTheSameNewFileAfterARefusalInPlace() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(TestMovie.talk.with { $0.layout = .movieFirst }, as: "in.mov")
    let source = try FileSource(path: path)
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.addToSubtitleGroup(edit.addSubtitles("en"), asDefault: false)
    var layout = OutputLayout()
    layout.paddingByteCount = 0
    let inPlace = try MovieFileWriter(edit, to: .sourceFile(path), layout)
    #expect(inPlace.strategy != .inPlace)
    #expect(try inPlace.plan == edit.outputPlan(layout))
  }

  @Test(arguments: [TrackRole.forced, .sdh, nil])
  func encodesSubtitlesWithARoleOnce(_ role: TrackRole?) throws {
    var edit = try MovieEdit(of: Movie(of: TestMovie.talk.source))
    var input = SubtitleInput(
      cues: [Cue(startMilliseconds: 0, endMilliseconds: 500, text: "Hi")], language: LanguageTag("en"))
    input.role = role
    input.follow = .nothing
    let counter = Counter()
    try GeneratedSubtitleTrack.$didEncode.withValue({ counter.increment() }) { _ = try edit.addSubtitles([input]) }
    #expect(counter.value == 1)
    #expect(edit.tracks.last?.containsOnlyForcedSubtitles == (role == .forced))
  }

  @Test func parsesEachMovieAtomOnceForReadingAndComparing() throws {
    let source = TestMovie.talk.source
    #expect(try count { _ = try Movie(of: source).findings(for: .apple, readingTextOf: source) } == 1)
    #expect(try count { _ = try MovieComparison(source, source) } == 2)
  }
}

/// A number that any thread may increase.
private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func increment() { count.withLock { $0 += 1 } }
}
