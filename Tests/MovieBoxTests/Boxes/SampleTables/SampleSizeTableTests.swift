import MovieBox
import Testing

struct SampleSizeTableTests {
  @Test func readsSizesOf32Bits() throws {
    let table = try sampleSizes([0, 17, .max])
    #expect(Array(table) == [0, 17, .max])
    #expect(table.layout == .words)
    #expect(table.totalByteCount == 17 + UInt64(UInt32.max))
    #expect(table.byteCount(of: 1..<2) == 17)
    #expect(table.byteCount(of: 3..<3) == 0)
  }

  @Test func readsEqualSizesWithoutATable() throws {
    let table = try sampleSizes(uniform: 4, count: 10)
    #expect(table.layout == .uniform(4))
    #expect(Array(table) == Array(repeating: 4, count: 10))
    #expect(table.byteCount(of: 2..<5) == 12)
  }

  @Test func handlesTheLargestEqualSizes() throws {
    let table = try sampleSizes(uniform: .max, count: .max)
    #expect(table.count == Int(UInt32.max))
    #expect(table[table.count - 1] == .max)
    #expect(table.totalByteCount == 0xFFFF_FFFE_0000_0001)
  }

  @Test(arguments: [4, 8, 16] as [UInt32], 0...5)
  func readsCompactSizes(bits: UInt32, count: Int) throws {
    let sizes = (0..<UInt32(count)).map { (1 << bits) - 1 - $0 * 2 }
    let table = try compactSampleSizes(bits: bits, sizes)
    #expect(Array(table) == sizes)
    #expect(table.layout == .compact(bitsPerField: Int(bits)))
    #expect(table.totalByteCount == UInt64(sizes.reduce(0, +)))
  }

  @Test func readsFourBitSizes() throws {
    var writer = ByteWriter()
    writer.write(tablePayload([4, 3]))
    writer.write([0x12, 0x3F])
    #expect(Array(try SampleSizeTable(compactPayload: Bytes(writer.bytes))) == [1, 2, 3])
    writer.patch(UInt32(5), at: 8)
    #expect(
      movieError { _ = try SampleSizeTable(compactPayload: Bytes(writer.bytes)) }?.reason
        == "declares 5 entries, but has room for only 4")
  }

  @Test(arguments: [0, 1, 7, 32, 255] as [UInt32])
  func rejectsCompactFieldsOfOtherWidths(bits: UInt32) {
    let error = movieError { _ = try SampleSizeTable(compactPayload: tablePayload([bits, 0])) }
    #expect(error?.code == .malformed)
  }

  @Test func ignoresReservedBytesBeforeTheFieldWidth() throws {
    #expect(try SampleSizeTable(compactPayload: tablePayload([0xABCD_EF08, 0])).layout == .compact(bitsPerField: 8))
  }
}
