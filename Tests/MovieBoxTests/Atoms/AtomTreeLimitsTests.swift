import MovieBox
import TestSupport
import Testing

struct AtomTreeLimitsTests {
  private func nested(_ depth: Int) -> [UInt8] {
    (1..<depth).reduce(atom("moov")) { inner, _ in atom("moov") { inner } }
  }

  private func limits(_ change: (inout MovieLimits) -> Void) -> MovieLimits {
    var limits = MovieLimits()
    change(&limits)
    return limits
  }

  @Test func limitsTheDepthOfAtoms() throws {
    #expect(try AtomTree(nested(32)).atoms.count == 32)
    #expect { try AtomTree(nested(33)) } throws: { ($0 as? MovieError)?.code == .limit }
    let three = limits { $0.depth = 3 }
    #expect(try AtomTree(nested(3), limits: three).atoms.count == 3)
    #expect { try AtomTree(nested(4), limits: three) } throws: { ($0 as? MovieError)?.code == .limit }
  }

  @Test func limitsTheNumberOfAtoms() throws {
    let five = limits { $0.atomCount = 5 }
    func row(_ count: Int) -> [UInt8] { atom("moov") { for _ in 0..<count { atom("free") } } }
    #expect(try AtomTree(row(4), limits: five).atoms.count == 5)
    #expect(throws: MovieError(.limit, at: 40, "there are more than 5 atoms")) { try AtomTree(row(5), limits: five) }
  }

  @Test func limitsTheNumberOfListedDefects() throws {
    let two = limits { $0.defectCount = 2 }
    let tree = try AtomTree(
      atom("moov") { for _ in 0..<3 { atom("trak") { atom("mdia", claiming: 99) } } }, limits: two)
    #expect(tree.defects.count == 2 && tree.hasUnlistedDefects)
    #expect(tree.atoms.count == 4)
  }

  /// A defect beyond the limit may hide a track.
  @Test func rejectsMoviesWithTooManyDefects() throws {
    let source = MemorySource(Bytes(movie { atom("moov") { atom("udta") { atom("dref") } } }))
    #expect { try Movie(of: source, limits: limits { $0.defectCount = 0 }) } throws: {
      ($0 as? MovieError)?.code == .limit
    }
    #expect { try Movie(of: source, limits: limits { $0.defectCount = 1 }) } throws: {
      ($0 as? MovieError)?.reason == "has no mvhd"
    }
  }

  @Test func limitsTheSizeOfTheMovieAtom() throws {
    let bytes = smallestMovie.bytes()
    let moov = try #require(try SecondReader(bytes).atom("moov"))
    let source = MemorySource(Bytes(bytes))
    #expect(try Movie(of: source, limits: limits { $0.movieByteCount = moov.byteCount }).tracks.count == 1)
    #expect { try Movie(of: source, limits: limits { $0.movieByteCount = moov.byteCount - 1 }) } throws: {
      ($0 as? MovieError)?.code == .limit
    }
  }

  @Test func limitsTheNumberOfTopLevelAtoms() throws {
    let two = limits { $0.topLevelAtomCount = 2 }
    func layout(_ count: Int) throws -> FileLayout {
      try FileLayout(of: MemorySource(Bytes((0..<count).flatMap { _ in atom("free") })), limits: two)
    }
    #expect(try layout(2).atoms.count == 2)
    #expect { try layout(3) } throws: { ($0 as? MovieError)?.code == .limit }
  }

  @Test func readsDeeplyNestedContainersQuickly() throws {
    // Half a megabyte of nested headers.
    var bytes: [UInt8] = []
    for index in 0..<60_000 { bytes += u32((60_000 - index) * 8) + code("trak") }
    #expect { try AtomTree(bytes) } throws: { ($0 as? MovieError)?.code == .limit }
  }

  @Test func findsTheLastOfManyAtomsQuickly() throws {
    let count = 300_000
    let tree = try AtomTree(atom("moov") { Array(repeating: atom("free"), count: count).flatMap { $0 } })
    #expect(tree.index(at: "moov/free[\(count)]") == count)
    #expect(tree.index(at: "moov/free[\(count + 1)]") == nil)
    #expect(tree.path(of: count) == "moov/free[\(count)]")
    let paths = tree.children(of: tree.root, "free").map { tree.path(of: $0) }
    #expect(paths.count == count && paths.last == "moov/free[\(count)]")
  }

  /// The children of the first types are counted in a list, and the children of further types in a dictionary.
  @Test func numbersChildrenOfManyTypes() throws {
    let types = (0..<40).map { String(UnicodeScalar(UInt8(ascii: "A") + UInt8($0))) + "xyz" }
    let children = (types + types.reversed() + types.prefix(1)).map { atom($0) }
    let inner = atom("udta") { children.flatMap { $0 } }
    let tree = try AtomTree(atom("moov") { atom("Axyz") + inner + atom("trak") { atom("hxyz") } + atom("Axyz") })
    for (offset, type) in (types + types.reversed() + types.prefix(1)).enumerated() {
      let index = 3 + offset
      let number = offset < 40 ? 1 : offset < 80 ? 2 : 3
      #expect(tree[index].number == number && !tree[index].isOnlyOfType)
      #expect(tree.path(of: index) == "moov/udta/\(type)[\(number)]")
    }
    #expect(tree.index(at: "moov/trak/hxyz").map { tree[$0].isOnlyOfType } == true)
    #expect(tree.path(of: 1) == "moov/Axyz[1]" && tree.path(of: tree.atoms.count - 1) == "moov/Axyz[2]")
  }

  @Test func namesDefectsAfterManyAtomsQuickly() throws {
    let count = 100_000
    let broken = (0..<100).flatMap { _ in atom("trak") { atom("mdia", claiming: 99) } }
    let deep = (0..<28).reduce(broken) { inner, _ in atom("moov") { inner } }
    let tree = try AtomTree(
      atom("moov") { Array(repeating: atom("free"), count: count).flatMap { $0 } + atom("moov") + deep })
    #expect(tree.defects.count == 100)
    #expect(tree.defects.last?.path.hasPrefix("moov/moov[2]/moov/") == true)
    #expect(tree.defects.last?.path.hasSuffix("moov/trak[100]/mdia") == true)
  }
}
