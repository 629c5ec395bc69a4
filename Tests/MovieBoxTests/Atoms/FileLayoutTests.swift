import MovieBox
import TestSupport
import Testing

struct FileLayoutTests {
  private func layout(_ bytes: [UInt8]) throws -> FileLayout {
    try FileLayout(of: MemorySource(Bytes(bytes)))
  }

  @Test func readsAllThreeFormsOfSizes() throws {
    let bytes = movie {
      atom("wide")
      atom("mdat", header: .extended) { zeros(4) }
      atom("free") { zeros(2) }
      atom("skip")
      atom("moov", header: .toTheEnd) { zeros(5) }
    }
    let layout = try layout(bytes)
    #expect(layout.atoms.map(\.type) == ["wide", "mdat", "free", "skip", "moov"])
    #expect(layout.atoms.map(\.sizeField) == [.compact, .wide, .compact, .compact, .toEndOfFile])
    #expect(layout.atoms.map(\.isFreeSpace) == [false, false, true, true, false])
    #expect(layout.atoms.map(\.range.offset) == [0, 8, 28, 38, 46])
    #expect(layout.atoms[1].payloadRange == ByteRange(24..<28))
    #expect(layout.atoms[4].range == ByteRange(46..<59))
    #expect(layout.trailing == nil)
  }

  @Test func readsUserTypesWithBothHeaders() throws {
    let name = Array(UInt8(1)...16)
    for form in [HeaderForm.ordinary, .extended] {
      let atoms = try layout(atom("uuid", header: form) { name + zeros(4) }).atoms
      #expect(atoms.map(\.userType) == [Bytes(name)])
    }
    #expect(try layout(atom("uuid") { zeros(15) }).atoms.map(\.userType) == [nil])
  }

  @Test(arguments: 1...7)
  func readsStrayBytesAsTrailing(count: Int) throws {
    let layout = try layout(atom("moov") + [UInt8](repeating: 9, count: count))
    #expect(layout.atoms.count == 1)
    #expect(layout.trailing == ByteRange(8..<UInt64(8 + count)))
    #expect(layout.trailingDefect != nil)
  }

  @Test func readsInvalidAtomsAsTrailing() throws {
    for trailer in [zeros(20), u32(7) + code("free"), u32(99) + code("Samp"), text("SEFT, a vendor's trailer")] {
      let layout = try layout(atom("moov") + trailer)
      #expect(layout.atoms.map(\.type) == ["moov"])
      #expect(layout.trailing?.count == UInt64(trailer.count))
    }
    let none = try layout([])
    #expect(none.atoms.isEmpty && none.trailing == nil)
  }

  @Test func findsLeftoversOfAnEditAfterATrailer() throws {
    let trailer = text("SEFT, a vendor's trailer")
    let hiding = atom("free") { FreeSpace.mark + zeros(50) + atom("moov") { zeros(100) } }
    for count in [12, 13, 23, 24, 25, hiding.count - 1, hiding.count] {
      let layout = try layout(atom("moov") + trailer + hiding.prefix(count))
      #expect(layout.trailing == ByteRange(8..<UInt64(8 + trailer.count)))
      #expect(layout.leftoverFreeSpace?.count == UInt64(count))
    }
    // Free space of another program.
    let foreign = atom("free") { atom("mdat") { zeros(20) } }
    #expect(try self.layout(atom("moov") + trailer + foreign).leftoverFreeSpace == nil)
    // Not distinguishable from a trailer, free space that ends before the file, or free space with other contents.
    for other in [Array(hiding.prefix(11)), hiding + [0], atom("free") { zeros(100) }, atom("free") { atom("uuid") }] {
      let layout = try layout(atom("moov") + trailer + other)
      #expect(layout.leftoverFreeSpace == nil)
      #expect(layout.trailing?.count == UInt64(trailer.count + other.count))
    }
    #expect(try self.layout(atom("moov") + hiding).leftoverFreeSpace == nil, "there it is an atom")
  }

  @Test func explainsTrailingBytes() throws {
    func claim(_ trailer: [UInt8]) throws -> UInt64? { try layout(atom("moov") + trailer).trailingAtomByteCount }
    #expect(try claim(zeros(7)) == 0)
    #expect(try claim(zeros(8)) == nil)
    #expect(try claim(u32(7) + code("abcd")) == nil)
    #expect(try claim(u32(99) + code("abcd")) == 99)
    #expect(try claim(u32(1) + code("abcd") + zeros(7)) == 0)
    #expect(try claim(u32(1) + code("abcd") + u64(15)) == nil)
    #expect(try claim(u32(1) + code("abcd") + u64(1 << 40)) == 1 << 40)
  }

  @Test func acceptsTruncatedKnownAtoms() throws {
    for type in ["mdat", "moov", "free"] {
      let layout = try layout(atom("ftyp") + atom(type, claiming: 1000) { zeros(4) })
      #expect(layout.atoms.last?.claimedByteCount == 1000)
      #expect(layout.atoms.last?.range == ByteRange(8..<20))
      #expect(layout.atoms.last?.isTruncated == true)
    }
    let exact = try layout(atom("mdat", claiming: 12) { zeros(4) })
    #expect(exact.atoms.last?.isTruncated == false)
    let huge = try layout(atom("mdat", claiming: .max, header: .extended))
    #expect(huge.atoms.last?.claimedByteCount == .max)
  }

  @Test func readsOnceAtTheStartThenOneHeaderEachThenTheMovie() throws {
    // 64 KiB of media, so that everything after it is beyond the first read.
    let built = TestMovie.simple.with {
      $0.layout = [
        .fileType, .media(.ordinary), .bytes(atom("skip") { zeros(70_000) }), .free(40), .movie(.ordinary),
        .bytes(atom("uuid") { zeros(40) }),
      ]
    }.build()
    let source = CountingSource(built.bytes)
    let movie = try Movie(of: source)
    let atoms = movie.layout.atoms
    #expect(source.reads.first == ByteRange(0..<65536))
    let beyond = atoms.filter { $0.range.offset > 65536 }
    #expect(beyond.count == 3)
    #expect(source.reads.dropFirst().prefix(3).map(\.offset) == beyond.map(\.range.offset))
    #expect(source.reads.dropFirst().prefix(3).allSatisfy { $0.count <= 32 })
    #expect(source.reads.dropFirst(4) == [movie.movieAtom.range])
  }

  @Test func readsASmallMovieOnce() throws {
    let source = CountingSource(TestMovie.talk.bytes())
    #expect(try Movie(of: source).tracks.count == 4)
    #expect(source.reads.count == 1)
  }

  @Test func neverReadsMedia() throws {
    let source = CountingSource(
      TestMovie.simple.with { $0.layout = [.fileType, .movie(.ordinary), .free(80_000), .media(.ordinary)] }.bytes())
    let movie = try Movie(of: source)
    let media = try #require(movie.layout.first("mdat"))
    #expect(source.reads.allSatisfy { !$0.overlaps(media.payloadRange) || $0.count <= 32 })
  }
}
