import MovieBox
import Testing

struct BytesTests {
  private let bytes = Bytes([1, 2, 3, 4, 5, 6, 7, 8, 9])

  @Test func loadsBigEndianIntegersUpToTheLastByte() {
    #expect(bytes.load(at: 0, as: UInt16.self) == 0x0102)
    #expect(bytes.load(at: 5, as: UInt32.self) == 0x0607_0809)
    #expect(bytes.load(at: 1, as: UInt64.self) == 0x0203_0405_0607_0809)
    #expect(bytes.load(at: 8, as: UInt8.self) == 9)
  }

  @Test func loadsNothingBeyondTheBytes() {
    #expect(bytes.load(at: 6, as: UInt32.self) == nil)
    #expect(bytes.load(at: 9, as: UInt8.self) == nil)
    #expect(bytes.load(at: 10, as: UInt8.self) == nil)
    #expect(bytes.load(at: -1, as: UInt8.self) == nil)
    #expect(bytes.load(at: .max, as: UInt64.self) == nil)
    #expect(bytes.load(at: .min, as: UInt64.self) == nil)
    #expect(Bytes().load(at: 0, as: UInt8.self) == nil)
  }

  @Test func indexesSlicesFromTheirStart() throws {
    let slice = try #require(bytes.slice(at: 2, count: 5))
    #expect(slice.array == [3, 4, 5, 6, 7])
    #expect(slice[0] == 3 && slice[4] == 7)
    #expect(slice.load(at: 3, as: UInt16.self) == 0x0607)
    #expect(slice.load(at: 4, as: UInt16.self) == nil)
    #expect(slice.slice(at: 1, count: 2)?.array == [4, 5])
    #expect(slice.dropFirst(3).array == [6, 7])
  }

  @Test func limitsSlicesToTheBytes() {
    #expect(bytes.slice(at: 0, count: 9) == bytes)
    #expect(bytes.slice(at: 9, count: 0)?.isEmpty == true)
    #expect(bytes.slice(at: 9, count: 1) == nil)
    #expect(bytes.slice(at: 10, count: 0) == nil)
    #expect(bytes.slice(at: -1, count: 1) == nil)
    #expect(bytes.slice(at: 0, count: -1) == nil)
    #expect(bytes.slice(at: .max, count: .max) == nil)
    #expect(bytes.dropFirst(9).isEmpty && bytes.dropFirst(.max).isEmpty)
    #expect(bytes.dropFirst(-1) == bytes)
  }

  @Test func comparesBytesByContents() {
    let twice = Bytes([7, 8, 7, 8])
    #expect(twice.slice(at: 0, count: 2) == twice.slice(at: 2, count: 2))
    #expect(Set([twice.slice(at: 0, count: 2), twice.slice(at: 2, count: 2), Bytes([7, 8])]).count == 1)
    #expect(twice.slice(at: 0, count: 2) != twice.slice(at: 1, count: 2))
    #expect(Bytes([7]) != Bytes([7, 0]))
  }

  @Test func describesTheFirstBytes() {
    #expect(Bytes().description == "0 bytes")
    #expect(Bytes([7]).description == "1 byte: 07")
    #expect(Bytes([0, 255]).description == "2 bytes: 00 ff")
    #expect(Bytes([UInt8](repeating: 7, count: 17)).description.hasSuffix(" 07 …"))
  }
}
