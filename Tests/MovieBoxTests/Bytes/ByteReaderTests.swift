import MovieBox
import Testing

struct ByteReaderTests {
  @Test func readsSequentially() throws {
    var reader = ByteReader(Bytes([1, 0, 2, 0x6D, 0x6F, 0x6F, 0x76, 9, 8, 7]))
    #expect(try reader.read(UInt8.self) == 1)
    #expect(try reader.read(UInt16.self) == 2)
    #expect(try reader.readFourCC() == "moov")
    #expect(reader.position == 7 && reader.remaining == 3)
    #expect(try reader.readBytes(2).array == [9, 8])
    #expect(reader.readRest().array == [7])
    #expect(reader.readRest().isEmpty && reader.remaining == 0)
  }

  @Test func throwsAtATruncatedFieldWithoutMoving() {
    var reader = ByteReader(Bytes([1, 2, 3]))
    #expect(throws: MovieError(.truncated, at: 0, "needs 4 bytes, but only 3 remain")) {
      try reader.read(UInt32.self)
    }
    #expect(throws: MovieError(.truncated, at: 0, "needs 4 bytes, but only 3 remain")) { try reader.readBytes(4) }
    #expect(throws: (any Error).self) { try reader.readBytes(-1) }
    #expect(throws: (any Error).self) { try reader.readBytes(.max) }
    #expect(reader.position == 0)
    #expect(throws: Never.self) { try reader.readBytes(3) }
    #expect(throws: MovieError(.truncated, at: 3, "needs 1 bytes, but only 0 remain")) { try reader.read(UInt8.self) }
  }

  @Test func choosesTheWidthByVersion() throws {
    var narrow = ByteReader(Bytes([0, 0, 0, 5, 9]))
    #expect(try narrow.readVersioned(0) == 5)
    #expect(narrow.remaining == 1)
    var wide = ByteReader(Bytes([1, 0, 0, 0, 0, 0, 0, 5]))
    #expect(try wide.readVersioned(1) == 1 << 56 | 5)
    #expect(throws: (any Error).self) { try narrow.readVersioned(1) }
  }

  @Test func rejectsAVersionAboveTheNewest() throws {
    var reader = ByteReader(Bytes([1, 0xAB, 0xCD, 0xEF]))
    let header = try reader.readFullAtomHeader(upToVersion: 1)
    #expect(header.version == 1 && header.flags == 0xABCDEF)
    var again = ByteReader(Bytes([2, 0, 0, 0]))
    #expect { try again.readFullAtomHeader(upToVersion: 1) } throws: { ($0 as? MovieError)?.code == .unsupported }
  }

  @Test func addsPathAndFileOffsetToAnError() {
    let error = ByteReader(Bytes()).failure(.malformed, "odd").located(inside: "stco", startingAt: 100).located(
      inside:
        "moov", startingAt: 8)
    #expect(error == MovieError(.malformed, at: 108, in: "moov/stco", "odd"))
    #expect(error.description == "moov/stco at byte 108: odd")
    #expect(MovieError(.limit, "much").description == "much")
    #expect(MovieError(.limit, at: .max, "x").located(inside: "a", startingAt: .max).offset != nil)
  }
}
