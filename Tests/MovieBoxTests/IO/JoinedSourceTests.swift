import MovieBox
import TestSupport
import Testing

struct JoinedSourceTests {
  private let first = MemorySource(Bytes([1, 2, 3]))
  private let second = MemorySource(Bytes([4]))
  private let third = MemorySource(Bytes([5, 6]))

  @Test func readsAcrossSources() throws {
    let joined = try JoinedSource([first, second, third])
    let all: [UInt8] = [1, 2, 3, 4, 5, 6]
    #expect(try joined.identity().byteCount == 6)
    for start in 0...6 {
      for end in start...6 {
        #expect(try joined.read(ByteRange(UInt64(start)..<UInt64(end))).array == Array(all[start..<end]))
      }
    }
    #expect { try joined.read(ByteRange(5..<7)) } throws: { ($0 as? MovieError)?.code == .truncated }
    #expect { try joined.read(ByteRange(6..<7)) } throws: { ($0 as? MovieError)?.code == .truncated }
  }

  @Test func joinsMemoryFilesAndZeros() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([7, 8, 9], as: "file")
    let file = try FileSource(path: path)
    let parts: [BytesPart] = [
      .bytes(Bytes([1])), .range(ByteRange(1..<3), of: file), .zeros(2), .range(ByteRange(0..<2), of: first), .zeros(0),
    ]
    #expect(try Bytes(joining: parts).array == [1, 8, 9, 0, 0, 1, 2])
    #expect(try Bytes(joining: []).isEmpty && Bytes(joining: [.zeros(2)]).array == [0, 0])
    #expect { try Bytes(joining: [.zeros(1), .range(ByteRange(2..<4), of: file)]) } throws: {
      ($0 as? MovieError)?.code == .truncated
    }
    _ = try folder.write([7], as: "file")
    #expect { try Bytes(joining: [.zeros(1), .range(ByteRange(0..<2), of: file)]) } throws: {
      ($0 as? FileError)?.code == .changed
    }
  }

  @Test func splitsARangeByItsSources() throws {
    let joined = try JoinedSource([first, second, third])
    #expect(joined.pieces(of: ByteRange(0..<3)).map(\.range) == [ByteRange(0..<3)])
    #expect(
      joined.pieces(of: ByteRange(2..<5)).map(\.range) == [ByteRange(2..<3), ByteRange(0..<1), ByteRange(0..<1)])
    #expect(joined.pieces(of: ByteRange(3..<3)).isEmpty)
    #expect(first.pieces(of: ByteRange(1..<2)).map(\.range) == [ByteRange(1..<2)])
  }

  @Test func includesPartsInTheIdentity() throws {
    let identity = try JoinedSource([first, second, third]).identity()
    #expect(identity.parts.map(\.byteCount) == [3, 1, 2])
    #expect(identity.primary == first.identity())
    #expect((0...3).map { identity.range(ofPart: $0) } == [ByteRange(0..<3), ByteRange(3..<4), ByteRange(4..<6), nil])
    #expect(first.identity().primary == first.identity())
    #expect(first.identity().range(ofPart: 0) == ByteRange(0..<3) && first.identity().range(ofPart: 1) == nil)
    #expect(try identity != JoinedSource([first, third, second]).identity())
  }

  @Test func rejectsSourcesOfMoreThan64Bits() {
    let half = SourceIdentity(byteCount: 1 << 63, tag: "half")
    let rest = SourceIdentity(byteCount: 1 << 63 - 1, tag: "rest")
    #expect(SourceIdentity(joining: [half, rest])?.byteCount == .max)
    #expect(SourceIdentity(joining: [half, half]) == nil)
  }
}
