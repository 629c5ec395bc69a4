import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Removing chapters removes the atoms that it empties, and no atom that was empty before.
struct ChapterRemovalTests {
  private static let nero = fullAtom("chpl", version: 1) { u32(0) + u8(1) + u64(0) + pascalString("One") }

  /// Returns a movie whose references and user data only concern chapters, and one with additional empty atoms.
  private static func movie(_ dialect: TestMovie.Dialect) -> TestMovie {
    TestMovie.podcast(dialect).with {
      $0.userData = nero
      $0.tracks.append(TestTrack(.video, id: 5).with { $0.trackAtoms = atom("tref") {} })
    }
  }

  private func allowed(emptied: Bool) -> AllowedChanges {
    AllowedChanges().with {
      ($0.removedTracks, $0.references) = ([2, 3, 4], [1: ["chap"]])
      $0.removedAtoms = ["moov/udta/chpl"]
      if emptied { $0.removedAtoms.formUnion(["moov/udta", "moov/trak#1/tref"]) }
      $0.mediaDataRearranged = true
    }
  }

  private func edit(_ movie: TestMovie, _ change: (inout MovieEdit) throws -> Void) throws -> [[UInt8]] {
    var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    try change(&edit)
    return try [edit.outputPlan(of: movie.source), edit.inPlacePlan(of: movie.source).rendered()].map {
      try $0.rendered(from: movie.source)
    }
  }

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func removesEmptiedAtomsOnly(_ dialect: TestMovie.Dialect) throws {
    let movie = Self.movie(dialect)
    for bytes in try edit(movie, { _ = try $0.removeChapters() }) {
      #expect(try differences(old: movie.bytes(), new: bytes, allowing: allowed(emptied: true)) == [])
      let new = try Movie(of: MemorySource(Bytes(bytes)))
      #expect(new.tree.child(of: new.tree.root, "udta") == nil)
      let references = new.tracks.map { new.tree.children(of: $0.atom, "tref").count }
      #expect(new.tracks.map(\.id) == [1, 5] && references == [0, 1])
    }
  }

  /// Atoms with other contents are kept, and so are all atoms when chapters are set.
  @Test func keepsAtomsWithOtherContents() throws {
    let movie = Self.movie(.iso).with {
      $0.userData = atom("©nam") { internationalText("A name") } + Self.nero
      $0.tracks[0].references.append(TestReference("cdsc", 5))
    }
    for bytes in try edit(movie, { _ = try $0.removeChapters() }) {
      #expect(try differences(old: movie.bytes(), new: bytes, allowing: allowed(emptied: false)) == [])
      let new = try Movie(of: MemorySource(Bytes(bytes)))
      #expect(new.tree.child(of: new.tree.root, "udta") != nil && new.tracks[0].referenced("cdsc") == [5])
    }
    for bytes in try edit(
      Self.movie(.iso),
      {
        try $0.setChapters([Chapter(startMilliseconds: 0, title: "A")], writesNero: false)
      })
    {
      let new = try Movie(of: MemorySource(Bytes(bytes)))
      #expect(new.tree.child(of: new.tree.root, "udta") != nil)
    }
  }

  /// The checker rejects a plan that removes more than the emptied atoms.
  @Test(arguments: [
    ("an empty list of references", "moov/trak/tref", true), ("references to something else", "moov/trak/tref", false),
    ("user data with a name", "moov/udta", false),
  ]) func rejectsPlansThatRemoveMore(_ name: String, _ path: String, isEmpty: Bool) throws {
    let movie = Self.movie(.iso).with {
      if path == "moov/udta" { $0.userData = atom("©nam") { internationalText("A name") } + Self.nero }
      if !isEmpty, path != "moov/udta" { $0.tracks[0].references.append(TestReference("cdsc", 5)) }
    }
    let source = movie.source
    let old = try Movie(of: source)
    var edit = try MovieEdit(of: old, from: source)
    try edit.removeChapters()
    let resolved = try edit.resolved(isInterleaved: false)
    func check(_ edits: AtomEdits) throws {
      let draft = DraftedBytes(edits.draft(of: old.tree))
      let planned = try AtomTree(try #require(draft.copy(0..<draft.count)), at: 0)
      try AtomChangePolicy.edit(of: resolved).check(.init(old.tree), .init(planned))
    }
    try check(resolved.edits)
    // The same edit, with another atom removed by mistake.
    let parent = path == "moov/udta" ? old.tree.root : try #require(isEmpty ? old.tracks.last : old.tracks.first).atom
    var edits = resolved.edits
    edits.remove(try #require(old.tree.child(of: parent, path == "moov/udta" ? "udta" : "tref")))
    let error = #expect(throws: MovieError.self) { try check(edits) }
    #expect(error?.code == .planCheckFailed, "\(name)")
  }
}
