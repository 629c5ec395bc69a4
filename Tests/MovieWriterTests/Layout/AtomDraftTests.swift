import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct AtomDraftTests {
  @Test func rejectsAtomsOfMoreThanFourGibibytes() throws {
    // The same mebibyte many times: nothing is copied.
    let piece = AtomDraft.verbatim(Bytes([UInt8](repeating: 0, count: 1 << 20)))
    func draft(_ count: Int) -> AtomDraft {
      .container(
        head: Bytes(u32(8) + code("moov")), headerByteCount: 8, children: [AtomDraft](repeating: piece, count: count),
        tail: Bytes())
    }
    #expect(draft(2).byteCount == 2 << 20 + 8)
    #expect(throws: Never.self) { try draft(4095).requireFits32BitSize() }
    #expect { try draft(4096).requireFits32BitSize() } throws: { isMovieError($0, .limit) }
  }

  private let wild = atom("moov", header: .extended) {
    atom("mvhd") { zeros(4) }
    atom("trak", header: .extended) {
      atom("tkhd") { u8(1) }
      atom("udta") {
        atom("name") { text("a") }
        zeros(4)
      }
      u8(1, 2, 3)
    }
    atom("XXXX") { text("unknown") }
    fullAtom("meta") { fullAtom("hdlr") { zeros(20) } }
    zeros(4)
  }

  private func written(_ edits: AtomEdits, _ tree: AtomTree) -> [UInt8] {
    var writer = ByteWriter()
    edits.draft(of: tree).write(to: &writer)
    return writer.bytes
  }

  private func tree(_ bytes: [UInt8]) throws -> AtomTree {
    try AtomTree(Bytes(bytes), at: 0)
  }

  @Test func writesTheBytesOfADraft() throws {
    let tree = try tree(wild)
    var edits = AtomEdits()
    let udta = try #require((0..<tree[tree.root].subtreeEnd).first { tree[$0].type == "udta" })
    edits.replace(udta, with: atom("udta") { text("other") })
    edits.insert(atom("free"), into: tree.root)
    for changes in [AtomEdits(), edits] {
      let bytes = written(changes, tree)
      let drafted = DraftedBytes(changes.draft(of: tree))
      #expect(drafted.count == bytes.count)
      for start in 0...bytes.count {
        for end in [start, start + 1, start + 9, bytes.count] where end >= start && end <= bytes.count {
          #expect(drafted.copy(start..<end)?.array == Array(bytes[start..<end]))
          for offset in [start - 1, start, start + (wild.count - bytes.count), wild.count + 1] {
            // Equal bytes in other memory, and slices of these bytes.
            let holds =
              offset >= 0 && offset + end - start <= wild.count
              && Array(wild[offset..<offset + end - start]) == Array(bytes[start..<end])
            #expect(drafted.hasBytes(in: start..<end, equalTo: tree.bytes, at: offset) == (holds || start == end))
            #expect(drafted.hasBytes(in: start..<end, equalTo: Bytes(wild), at: offset) == (holds || start == end))
          }
        }
      }
      #expect(drafted.copy(1..<bytes.count + 1) == nil && !drafted.hasBytes(in: -1..<1, equalTo: tree.bytes, at: 0))
    }
  }

  @Test func insertsIntoManyChildrenQuickly() throws {
    let count = 40_000
    let row = atom("moov") { for _ in 0..<count { atom("trak") } }
    let tree = try tree(row)
    var edits = AtomEdits()
    for child in tree.children(of: tree.root) { edits.insert(atom("free"), into: tree.root, before: child) }
    #expect(written(edits, tree).count == row.count + 8 * count)
  }

  @Test func copiesUneditedBytesAtOnce() throws {
    let tree = try tree(wild)
    #expect(AtomEdits().isEmpty)
    #expect(AtomEdits().draft(of: tree) == .verbatim(Bytes(wild)))
    #expect(written(AtomEdits(), tree) == wild)
  }

  @Test func keepsBytesWhenReplacingAnAtomByItself() throws {
    let tree = try tree(wild)
    for index in tree.atoms.indices.dropFirst() {
      var edits = AtomEdits()
      edits.replace(index, with: tree.bytes(of: index).array)
      #expect(written(edits, tree) == wild, "\(tree.path(of: index))")
      #expect(tree.atoms.indices.filter { edits.replacement(of: $0) != nil || edits.isRemoved($0) } == [index])
    }
  }

  @Test func rewritesOnlyAncestorsOfAChange() throws {
    let tree = try tree(wild)
    var edits = AtomEdits()
    edits.replace(try #require(tree.index(at: "moov/trak/tkhd")), with: atom("tkhd") { u8(2, 3) })
    guard case .container(_, 16, let children, let tail) = edits.draft(of: tree) else {
      Issue.record("the root is a container")
      return
    }
    let isVerbatim = children.map { child in if case .verbatim = child { true } else { false } }
    #expect(isVerbatim == [true, false, true, true])
    #expect(tail.array == zeros(4))
  }

  @Test func keeps64BitSizes() throws {
    let tree = try tree(wild)
    var edits = AtomEdits()
    edits.replace(try #require(tree.index(at: "moov/trak/tkhd")), with: atom("tkhd") { zeros(100) })
    let after = try self.tree(written(edits, tree))
    #expect(after[0].headerByteCount == 16 && after[0].byteCount == wild.count + 99)
    #expect(after.index(at: "moov/trak").map { after[$0].headerByteCount } == 16)
    #expect(after.paths == tree.paths && after.defects == [])
    #expect(after.index(at: "moov/trak").map { after.tail(of: $0).array } == [1, 2, 3])
  }

  @Test func removesAtomsWithTheirChildren() throws {
    let tree = try tree(wild)
    for index in tree.atoms.indices.dropFirst() {
      var edits = AtomEdits()
      edits.remove(index)
      let after = try self.tree(written(edits, tree))
      #expect(after.atoms.count == tree.atoms.count - (tree[index].subtreeEnd - index))
      #expect(after[0].byteCount == wild.count - tree[index].byteCount)
      #expect(after.defects == [])
    }
  }

  @Test func insertsBeforeASuccessorOrTheTail() throws {
    let tree = try tree(wild)
    let udta = try #require(tree.index(at: "moov/trak/udta"))
    var edits = AtomEdits()
    edits.insert(atom("tagc") { u8(1) }, into: udta)
    edits.insert(atom("tagc") { u8(2) }, into: udta)
    edits.insert(atom("frst"), into: udta, before: tree.index(at: "moov/trak/udta/name"))
    let after = try self.tree(written(edits, tree))
    let children = after.index(at: "moov/trak/udta").map { Array(after.children(of: $0)) } ?? []
    #expect(children.map { after[$0].type } == ["frst", "name", "tagc", "tagc"])
    #expect(children.suffix(2).map { after.payload(of: $0).array } == [[1], [2]])
    #expect(after.index(at: "moov/trak/udta").map { after.tail(of: $0).array } == zeros(4))
  }

  @Test func insertsInPlaceOfARemovedAtom() throws {
    let tree = try tree(wild)
    let trak = try #require(tree.index(at: "moov/trak"))
    var edits = AtomEdits()
    edits.insert(atom("free"), into: 0, before: trak)
    edits.remove(trak)
    let after = try self.tree(written(edits, tree))
    #expect(after.children(of: 0).map { after[$0].type } == ["mvhd", "free", "XXXX", "meta"])
  }
}

extension AtomTree {
  fileprivate var paths: [String] { atoms.indices.map { path(of: $0) } }
}
