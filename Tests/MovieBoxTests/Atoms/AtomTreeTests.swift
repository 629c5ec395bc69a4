import MovieBox
import TestSupport
import Testing

struct AtomTreeTests {
  @Test func listsAtomsBeforeTheirChildren() throws {
    let tree = try AtomTree(
      atom("moov") {
        atom("mvhd") { zeros(4) }
        atom("trak") { atom("tkhd") }
        atom("XXXX") { u8(1, 2) }
        atom("trak") { atom("tkhd") }
      })
    #expect(
      tree.paths == [
        "moov", "moov/mvhd", "moov/trak[1]", "moov/trak[1]/tkhd", "moov/XXXX", "moov/trak[2]", "moov/trak[2]/tkhd",
      ])
    #expect(tree.atoms.map(\.depth) == [0, 1, 1, 2, 1, 1, 2])
    #expect(tree.atoms.map(\.parent) == [nil, 0, 0, 2, 0, 0, 5])
    #expect(Array(tree.children(of: 0)) == [1, 2, 4, 5])
    #expect(tree.children(of: 0, "trak") == [2, 5])
    #expect(Array(tree.children(of: 4)) == [])
    #expect(tree.payload(of: 4).array == [1, 2])
    #expect(tree.descendant(of: 0, "trak", "tkhd") == 3)
    #expect(tree.descendant(of: 0, "trak", "mdia") == nil)
    #expect(tree.defects == [])
  }

  @Test func findsEveryAtomByItsPath() throws {
    let movie = TestMovie.torture.bytes()
    let moov = try #require(try SecondReader(movie).atom("moov"))
    let tree = try AtomTree(
      Bytes(movie).slice(at: Int(moov.offset), count: Int(moov.byteCount)) ?? Bytes(), at: moov.offset)
    #expect(tree.atoms.count > 100)
    for index in tree.atoms.indices { #expect(tree.index(at: tree.path(of: index)) == index) }
    #expect(tree.reassembled == tree.bytes.array)
    #expect(tree.range(of: tree.root) == ByteRange(moov.offset..<moov.end))
  }

  @Test func resolvesPathsWithoutNumbersToTheFirst() throws {
    let tree = try AtomTree(
      atom("moov") {
        atom("trak") { atom("tkhd") }
        atom("trak")
        atom("ilst") { atom(numbered: 2) }
      })
    #expect(tree.index(at: "moov") == 0 && tree.index(at: "moov[1]") == 0)
    #expect(tree.index(at: "moov/trak") == 1 && tree.index(at: "moov/trak[1]") == 1)
    #expect(tree.index(at: "moov/trak[2]") == 3)
    #expect(tree.index(at: "moov/ilst/0x00000002") == 5)
    for path in [
      "", "/", "trak", "moov/trak[3]", "moov/trak[0]", "moov/trak[-1]", "moov/trak[", "moov/trak[x]", "moov[2]",
      "moov/mdia", "moov/trak/tkhd/x", "moov/trak[99999999999999999999]", "moov/trak[-9223372036854775808]",
      "moov/trak[1", "moov/trak1]",
    ] {
      #expect(tree.index(at: path) == nil, "\(path)")
    }
  }

  @Test func reads64BitSizesAtEveryLevel() throws {
    let bytes = atom("moov", header: .extended) {
      atom("trak", header: .extended) { atom("tkhd", header: .extended) { u8(7) } }
    }
    let tree = try AtomTree(bytes)
    #expect(tree.atoms.map(\.headerByteCount) == [16, 16, 16])
    #expect(tree.payload(of: 2).array == [7])
    #expect(tree.reassembled == bytes)
  }

  @Test func extendsARootOfSizeZeroToTheEnd() throws {
    let tree = try AtomTree(atom("moov", header: .toTheEnd) { atom("free") { u8(1, 2, 3) } })
    #expect(tree.paths == ["moov", "moov/free"])
    #expect(tree[0].byteCount == 19)
  }

  @Test func readsWideFreeSkipAndUserTypesAsLeaves() throws {
    let bytes = atom("moov") {
      atom("wide")
      atom("free") { zeros(3) }
      atom("skip")
      atom("uuid") { zeros(20) }
      atom("uuid") { zeros(2) }
    }
    let tree = try AtomTree(bytes)
    #expect(tree.paths.count == 6 && tree.defects == [])
    #expect(tree.reassembled == bytes)
  }

  @Test(arguments: [0, 1, 3, 4, 7])
  func readsTrailingBytesAsATail(count: Int) throws {
    let odd = [UInt8](repeating: 0xAB, count: count)
    let bytes = atom("moov") {
      atom("udta") {
        atom("name") { text("x") }
        odd
      }
      odd
    }
    let tree = try AtomTree(bytes)
    #expect(tree.tail(of: 0).array == odd && tree.tail(of: 1).array == odd)
    #expect(tree.defects == [])
    #expect(tree.reassembled == bytes)
  }

  @Test(arguments: [4, 8, 12, 100])
  func endsUserDataAtZeros(count: Int) throws {
    let bytes = atom("moov") {
      atom("udta") {
        atom("name")
        zeros(count)
      }
    }
    let tree = try AtomTree(bytes)
    #expect(tree.paths == ["moov", "moov/udta", "moov/udta/name"])
    #expect(tree.tail(of: 1).count == count)
    #expect(tree.defects == [])
    #expect(tree.reassembled == bytes)
  }

  @Test func reportsAChildLargerThanItsParent() throws {
    let bytes = atom("moov") {
      atom("free")
      atom("trak", claiming: 17) { u8(1, 2, 3, 4, 5, 6, 7, 8) }
    }
    let tree = try AtomTree(bytes)
    #expect(tree.paths == ["moov", "moov/free"])
    #expect(tree.tail(of: 0).count == 16)
    #expect(
      tree.defects == [
        MovieError(.malformed, at: 16, in: "moov/trak", "declares 17 bytes, but its parent has only 16 left")
      ])
    #expect(tree.reassembled == bytes)
    let exact = try AtomTree(atom("moov") { atom("XXXX", claiming: 16) { zeros(8) } })
    #expect(exact.defects == [] && exact.paths == ["moov", "moov/XXXX"])
  }

  @Test(arguments: [2, 7] as [UInt64])
  func reportsASizeBelowItsHeader(size: UInt64) throws {
    let tree = try AtomTree(atom("moov") { atom("trak", claiming: size) })
    #expect(tree.paths == ["moov"])
    #expect(
      tree.defects == [
        MovieError(.malformed, at: 8, in: "moov", "an atom declares a size of \(size) bytes, less than its header")
      ])
  }

  @Test func acceptsASizeOfZeroOnlyAtTheTop() throws {
    let tree = try AtomTree(atom("moov") { atom("trak", header: .toTheEnd) { zeros(8) } })
    #expect(tree.paths == ["moov"])
    #expect(tree.defects.map(\.path) == ["moov/trak"])
  }

  @Test(arguments: [1 << 63, UInt64.max, 1 << 63 - 1, 1 << 32, 15, 0] as [UInt64])
  func reportsFalse64BitSizes(size: UInt64) throws {
    let bytes = atom("moov") { atom("trak", claiming: size, header: .extended) }
    let tree = try AtomTree(bytes)
    #expect(tree.paths == ["moov"] && tree.defects.count == 1)
    #expect(tree.reassembled == bytes)
    #expect(throws: MovieError.self) { try AtomTree(atom("moov", claiming: size, header: .extended)) }
  }

  @Test func rejectsATruncatedRoot() {
    for bytes in [[], zeros(7), u32(9) + code("moov"), u32(1) + code("moov") + zeros(4)] as [[UInt8]] {
      #expect(throws: MovieError.self) { try AtomTree(bytes) }
    }
  }

  @Test func locatesPayloadErrorsInTheFile() throws {
    let tree = try AtomTree(Bytes(atom("moov") { atom("mvhd") { u8(9, 0, 0, 0) } }), at: 1000)
    #expect(
      throws: MovieError(.unsupported, at: 1016, in: "moov/mvhd", "version 9 is unknown: the newest known version is 1")
    ) {
      try tree.decode(MovieHeader.self, at: 1)
    }
  }
}
