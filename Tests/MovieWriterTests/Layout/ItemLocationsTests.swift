import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct ItemLocationsTests {
  /// An item of an `iloc`, and its encoding.
  private struct Item {
    var method = 0
    var dataReference = 0
    var base: UInt64 = 0
    var extents: [UInt64]
    var byteCount: UInt64 = 1
  }

  private func number(_ value: UInt64, _ width: Int) -> [UInt8] {
    width == 0 ? [] : width == 4 ? u32(Int(value)) : u64(value)
  }

  private func payload(
    version: Int, offset: Int, length: Int = 4, base: Int, index: Int = 0, _ items: [Item]
  ) -> Bytes {
    Bytes(
      movie {
        u32(version << 24)
        u16(offset << 12 | length << 8 | base << 4 | index)
        version == 2 ? u32(items.count) : u16(items.count)
        for (id, item) in items.enumerated() {
          version == 2 ? u32(id) : u16(id)
          if version > 0 { u16(item.method) }
          u16(item.dataReference)
          number(item.base, base)
          u16(item.extents.count)
          for extent in item.extents {
            if version > 0 { number(1, index) }
            number(extent, offset)
            number(item.byteCount, length)
          }
        }
      })
  }

  /// A plan that moves bytes 100 to 200 by 1000 and bytes 200 to 300 by 5000, and drops the others.
  private var plan: OutputPlan {
    get throws {
      try OutputPlan(
        of: SourceIdentity(byteCount: 1000, tag: ""),
        [.zeros(1100), .source(ByteRange(100..<200)), .zeros(4000), .source(ByteRange(200..<300))])
    }
  }

  private func relocated(_ payload: Bytes) throws -> Bytes {
    Bytes(try ItemLocations(payload: payload).relocated(by: plan))
  }

  @Test(arguments: 0...2, [0, 4, 8])
  func relocatesEveryVersionAndWidth(version: Int, width: Int) throws {
    for length in [0, 4, 8] {
      for index in [0, 4, 8] {
        // A base only, an offset only, and both.
        func make(_ shift: UInt64) -> [Bytes] {
          var made: [Bytes] = []
          if width > 0 {
            made.append(
              payload(
                version: version, offset: 0, length: length, base: width, index: index,
                [Item(base: 120 + shift, extents: [0])]))
            made.append(
              payload(
                version: version, offset: width, length: length, base: 0, index: index,
                [Item(extents: [120 + shift, 150 + shift])]))
            made.append(
              payload(
                version: version, offset: width, length: length, base: 4, index: index,
                [Item(base: 100, extents: [20 + shift, 0 + shift]), Item(base: 0, extents: [199 + shift])]))
          }
          return made
        }
        #expect(try make(0).map { try relocated($0) } == make(1000))
      }
    }
  }

  @Test func changesOnlyFilePositions() throws {
    for item in [
      Item(method: 1, extents: [120]), Item(method: 2, extents: [120]), Item(dataReference: 1, extents: [120]),
    ] {
      let bytes = payload(version: 1, offset: 4, base: 4, [item])
      #expect(try relocated(bytes) == bytes)
    }
    let gone = payload(
      version: 1, offset: 8, base: 8, [Item(extents: [5, 999, 5000]), Item(base: .max, extents: [.max, 1])])
    #expect(try relocated(gone) == gone)
  }

  @Test func keepsOneBaseForPartsThatMoveApart() throws {
    let apart = payload(version: 0, offset: 4, base: 4, [Item(base: 90, extents: [20, 120])])
    #expect(try relocated(apart) == payload(version: 0, offset: 4, base: 4, [Item(base: 90, extents: [1020, 5120])]))
  }

  @Test func rejectsAPositionThatDoesNotFit() throws {
    let far = try OutputPlan(
      of: SourceIdentity(byteCount: 1000, tag: ""), [.zeros(1 << 32 - 101), .source(ByteRange(100..<102))])
    func moved(_ old: UInt64) throws -> Bytes {
      Bytes(
        try ItemLocations(payload: payload(version: 0, offset: 4, base: 0, [Item(extents: [old])])).relocated(by: far))
    }
    let last = try #require(far.outputOffset(ofSource: 101))
    #expect(last == 1 << 32 - 100)
    let edge = try OutputPlan(
      of: SourceIdentity(byteCount: 1000, tag: ""), [.zeros(1 << 32 - 1), .source(ByteRange(100..<102))])
    let item = { (old: UInt64) in self.payload(version: 0, offset: 4, base: 0, [Item(extents: [old])]) }
    #expect(try Bytes(ItemLocations(payload: item(100)).relocated(by: edge)) == item(1 << 32 - 1))
    #expect { try ItemLocations(payload: item(101)).relocated(by: edge) } throws: { isMovieError($0, .unsupported) }
    #expect(try moved(100) == item(last - 1))
  }

  @Test func rejectsOtherVersionsAndWidths() {
    #expect { try ItemLocations(payload: Bytes(u32(3 << 24) + zeros(20))) } throws: { isMovieError($0, .unsupported) }
    #expect { try ItemLocations(payload: Bytes(u32(0) + u16(0x5000) + zeros(20))) } throws: {
      isMovieError($0, .malformed)
    }
  }

  @Test func throwsOnEveryTruncation() {
    let whole = payload(
      version: 1, offset: 4, base: 8, index: 4, [Item(base: 1, extents: [1, 2]), Item(extents: [3])])
    for count in 0..<whole.count {
      #expect(throws: MovieError.self) { try ItemLocations(payload: whole.slice(at: 0, count: count) ?? Bytes()) }
    }
  }

  @Test func readsEmptyExtentsQuickly() throws {
    // 10 000 items of 65 535 empty extents each.
    var bytes = u32(0) + u16(0x0040, 10_000)
    for id in 0..<10_000 { bytes += u16(id, 0) + u32(120) + u16(0xFFFF) }
    let moved = try relocated(Bytes(bytes))
    #expect(moved.load(at: 12, as: UInt32.self) == 1120)
    #expect(throws: MovieError.self) { try ItemLocations(payload: Bytes(u32(2 << 24) + u16(0) + u32(-1))) }
  }

  @Test func rejectsSplittingAnExtent() throws {
    func item(_ offset: UInt64, _ byteCount: UInt64) -> Bytes {
      payload(version: 1, offset: 8, length: 8, base: 0, [Item(extents: [offset], byteCount: byteCount)])
    }
    #expect(try relocated(item(150, 50)) == item(1150, 50))
    let error = #expect(throws: MovieError.self) { try relocated(item(150, 51)) }
    #expect(error?.code == .unsupported && error?.offset == 16)
    // An item of no bytes moves with its first byte.
    #expect(try relocated(item(150, 0)) == item(1150, 0))
    #expect(try relocated(item(150, 851)) == item(1150, 851))
    #expect(try relocated(item(150, .max)) == item(1150, .max))
  }

  @Test func readsLocationsAfterTheLastAtom() throws {
    let iloc = atom("iloc") { zeros(8) }
    func hidden(_ content: [UInt8]) throws -> String? {
      let tree = try AtomTree(Bytes(fullAtom("meta") { content }), at: 0)
      return ItemLocations.firstHidden(in: tree).map { tree.path(of: $0) }
    }
    #expect(try hidden(iloc + atom("free")) == nil)
    #expect(try hidden(zeros(8) + iloc) == "meta")
    #expect(try hidden(atom("udta") { atom("XXXX", claiming: 99) { iloc } }) == "meta/udta")
    #expect(try hidden(zeros(7)) == nil)
  }
}
