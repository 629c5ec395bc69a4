import MovieBox
import TestSupport
import Testing

struct CutAtomTreeTests {
  private let whole = atom("moov") {
    atom("mvhd") { zeros(100) }
    atom("trak") {
      atom("tkhd") { zeros(84) }
      atom("mdia") { atom("mdhd") { zeros(24) } }
    }
  }

  @Test func listsAtomsThatBeginBeforeACut() throws {
    let complete = try AtomTree(Bytes(whole), at: 100)
    for count in 8...whole.count {
      let tree = try AtomTree(truncated: Bytes(Array(whole.prefix(count))), at: 100)
      let begun = complete.atoms.filter { $0.start + 8 <= count }
      #expect(tree.atoms.map(\.type) == begun.map(\.type))
      #expect(tree.atoms.map(\.start) == begun.map(\.start))
      #expect(tree.atoms.map(\.end) == begun.map { min($0.end, count) })
    }
  }

  @Test func reportsEachTruncatedAtom() throws {
    let tree = try AtomTree(truncated: Bytes(Array(whole.dropLast(10))), at: 100)
    #expect(tree.defects.map(\.offset) == [216, 316, 324])
    #expect(tree.defects.last?.path == "moov/trak[1]/mdia/mdhd")
    #expect(tree.defects.last?.reason == "declares 32 bytes, but its parent has only 22 left")
    #expect(throws: MovieError.self) { try AtomTree(Bytes(Array(whole.dropLast(10))), at: 100) }
  }

  @Test func readsACompleteAtomEqually() throws {
    let tree = try AtomTree(truncated: Bytes(whole), at: 0)
    #expect(tree.atoms == (try AtomTree(Bytes(whole), at: 0)).atoms)
    #expect(tree.defects.isEmpty)
  }

  @Test func readsTrackReferencesOfAnyTypeAsLeaves() throws {
    let tree = try AtomTree(Bytes(atom("tref") { atom("tmcd") { u32(8, 9) } }), at: 0)
    #expect(tree.atoms.map(\.type) == ["tref", "tmcd"])
    #expect(!tree[1].isContainer)
  }
}
