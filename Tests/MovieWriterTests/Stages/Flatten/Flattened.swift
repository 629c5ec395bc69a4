import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// A fragmented test movie, and the movie without fragments that an edit made of it.
struct Flattened {
  /// The movie header for fragments: video 1, audio 2, without samples.
  static let header = TestMovie.simple.initial.with { $0.dialect = .iso }

  let edit: MovieEdit
  let resolved: ResolvedEdit
  let source: MemorySource
  let plan: OutputPlan
  /// The new file in the second reader.
  let new: SecondReader
  /// The new file in our reader.
  let movie: Movie

  init(
    _ fragments: [TestFragment], of header: TestMovie = Flattened.header, extends: [UInt32: [Int]] = [:],
    after: [UInt8] = [], _ layout: OutputLayout = OutputLayout(), keepingStart: Bool = false,
    _ change: (inout MovieEdit) throws -> Void = { _ in }
  ) throws {
    try self.init(
      header.bytes(fragments: fragments, extends: extends) + after, layout, keepingStart: keepingStart, change)
  }

  init(
    _ bytes: [UInt8], _ layout: OutputLayout = OutputLayout(), keepingStart: Bool = false,
    _ change: (inout MovieEdit) throws -> Void = { _ in }
  ) throws {
    source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source), from: source, keepingStart: keepingStart)
    edit.flatten()
    try change(&edit)
    self.edit = edit
    resolved = try edit.resolved(isInterleaved: false)
    plan = try edit.outputPlan(of: source, layout)
    let output = try plan.rendered(from: source)
    new = try SecondReader(output)
    movie = try Movie(of: MemorySource(Bytes(output)))
    #expect(!movie.isFragmented)
    // Empty edits are kept, and an edit of missing media becomes empty, even the last one.
    let known = Set(try Movie(of: source).findings.map(\.rule.id)).union(["edit.last-empty"])
    #expect(Set(movie.findings.map(\.rule.id)).subtracting(known) == [])
    for track in movie.tracks {
      let count = track.sampleDescriptions.entries.count
      #expect(track.samples.inconsistencies(sampleDescriptionCount: count).isEmpty)
    }
  }

  /// The messages of notes about fragments.
  var notices: [String] { edit.notices.filter { $0.kind == .fragments }.map(\.message) }
  /// The messages of warnings.
  var warnings: [String] { edit.notices.filter(\.isWarning).map(\.message) }

  func samples(_ id: UInt32) throws -> [ReadSample] { try #require(new.track(id)).samples }

  /// Returns the bytes of each sample.
  func contents(_ id: UInt32) throws -> [[UInt8]] { try samples(id).map { try new.bytes(of: $0) } }

  /// Returns the content of an atom in `stbl` or in another atom of a track, or `nil` if there is none.
  func content(_ id: UInt32, _ type: String, in path: String = "/mdia/minf/stbl") throws -> [UInt8]? {
    try new.atom("moov/trak#\(id)\(path)/\(type)").map { try new.content(of: $0) }
  }

  /// Returns the whole new file.
  func output() throws -> [UInt8] { try plan.rendered(from: source) }

  /// Returns the edits of a track.
  func edits(_ id: UInt32) -> [EditList.Entry]? { movie.track(id)?.editList?.entries }

  /// The types of the top-level atoms.
  var types: [String] { new.topLevel.map(\.type) }
}

extension Flattened {
  /// Returns the checker's error if a track has other edits than flattening produces.
  func error(
    withEdits edits: [EditList.Entry], of id: UInt32, keepingStart: Bool = false
  ) throws -> MovieError? {
    let old = try #require(resolved.stages.flattened)
    let track = try #require(old.movie.track(id))
    let elst = try #require(old.movie.tree.descendant(of: track.atom, "edts", "elst"))
    var changes = AtomEdits()
    changes.replace(elst, with: EditList(entries: edits).atom("elst"))
    var writer = ByteWriter()
    changes.draft(of: old.movie.tree).write(to: &writer)
    var stages = MovieStages(old)
    stages.current = try old.movie.replacingMovieAtom(with: Bytes(writer.take()))
    let changed = ResolvedEdit(stages, requested: keepingStart ? resolved.requested : nil)
    let layout = OutputLayout()
    let plan = try MoviePlanner(resolved: changed, source: source).newFilePlan(layout)
    do {
      try PlanChecker.check(plan, of: changed, strategy: .rewrite(layout), source: source)
      return nil
    } catch {
      return error as? MovieError
    }
  }
}

/// Returns the contents of a track's test samples, numbered from `first`.
func contents(_ samples: [TestSample], track: UInt32, from first: Int = 1) -> [[UInt8]] {
  samples.enumerated().map { TestFragment.content($1, track: track, number: first + $0) }
}
