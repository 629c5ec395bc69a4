import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// An edit of a fragmented movie in memory, and its result.
struct FragmentedMovieTrial {
  let old: [UInt8]
  let new: [UInt8]
  let edit: MovieEdit
  let source: MemorySource
  let plan: OutputPlan

  init(
    _ bytes: [UInt8], _ layout: OutputLayout = OutputLayout(), _ change: (inout MovieEdit) throws -> Void
  ) throws {
    old = bytes
    source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try change(&edit)
    self.edit = edit
    plan = try edit.outputPlan(of: source, layout)
    new = try plan.rendered(from: source)
  }

  /// Returns the top-level atoms of a type in the old and in the new movie.
  func atoms(_ type: String) throws -> (old: [ReadAtom], new: [ReadAtom]) {
    (
      try SecondReader(old).topLevel.filter { $0.type == type },
      try SecondReader(new).topLevel.filter { $0.type == type }
    )
  }

  /// The types of the new movie's top-level atoms.
  var types: [String] {
    get throws { try SecondReader(new).topLevel.map(\.type) }
  }

  /// Returns the bytes of an atom of the new movie.
  func bytes(of atom: ReadAtom) -> [UInt8] { Array(new[Int(atom.offset)..<Int(atom.end)]) }

  /// Whether the checker rejects the plan with a range of its output replaced.
  func isRefused(_ range: Range<UInt64>, as bytes: [UInt8]) throws -> Bool {
    let resolved = try (edit.keepingFragments(for: OutputLayout()) ?? edit).resolved(isInterleaved: false)
    let before = plan.extents(in: ByteRange(0..<range.lowerBound)).map(\.content)
    let after = plan.extents(in: ByteRange(range.upperBound..<plan.byteCount)).map(\.content)
    do {
      let wrong = try OutputPlan(of: plan.source, before + [.generated(Bytes(bytes))] + after)
      try PlanChecker.check(wrong, of: resolved, strategy: .rewrite(OutputLayout()), source: source)
      return false
    } catch let error as MovieError {
      return error.code == .planCheckFailed
    }
  }

  /// Whether the checker rejects the plan with a top-level atom changed by `spoil`.
  func isRefused(_ atom: ReadAtom, _ spoil: (inout [UInt8]) throws -> Void) throws -> Bool {
    var bytes = bytes(of: atom)
    try spoil(&bytes)
    return try isRefused(atom.offset..<atom.end, as: bytes)
  }
}

extension [UInt8] {
  /// Changes the size in an atom's header.
  mutating func resize(by distance: Int, at start: Int = 0) {
    let size = self[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } + distance
    replaceSubrange(start..<start + 4, with: u32(size))
  }
}
