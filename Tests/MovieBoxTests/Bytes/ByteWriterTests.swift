import MovieBox
import Testing

struct ByteWriterTests {
  @Test func writesBigEndianNumbersTextAndBytes() {
    var writer = ByteWriter()
    writer.write(UInt16(0x0102))
    writer.write(Int32(-2))
    writer.write("©nam" as FourCC)
    writer.write(cString: "é")
    writer.write(Bytes([9, 8, 7]).dropFirst(1))
    writer.writeZeros(2)
    #expect(
      writer.bytes == [1, 2, 0xFF, 0xFF, 0xFF, 0xFE, 0xA9, 0x6E, 0x61, 0x6D, 0xC3, 0xA9, 0, 8, 7, 0, 0])
  }

  @Test func writesSizesOfAtoms() {
    var writer = ByteWriter()
    writer.atom("moov") { moov in
      moov.atom("free") { $0.write(UInt8(1)) }
      moov.atom("udta") { _ in }
    }
    #expect(
      writer.bytes == [0, 0, 0, 25] + Array("moov".utf8) + [0, 0, 0, 9] + Array("free".utf8) + [1, 0, 0, 0, 8]
        + Array("udta".utf8))
  }

  @Test func choosesTheWidthByVersion() {
    var writer = ByteWriter()
    writer.writeVersioned(UInt64(UInt32.max), 0)
    writer.writeVersioned(UInt64(UInt32.max) + 1, 1)
    #expect(writer.bytes == [255, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 0])
  }

  @Test func patchesWrittenBytes() {
    var writer = ByteWriter()
    writer.writeZeros(6)
    writer.patch(UInt16(0x0102), at: 0)
    writer.patch(UInt32(0x0304_0506), at: 2)
    #expect(writer.bytes == [1, 2, 3, 4, 5, 6])
  }

  @Test func writesAnyNumberOfZeros() {
    var writer = ByteWriter()
    for count in [0, 1, 4_095, 4_096, 4_097, 9_000] {
      let start = writer.bytes.count
      writer.writeZeros(count)
      #expect(writer.bytes.count - start == count)
    }
    #expect(Bytes(writer.bytes).isZero)
  }

  @Test func returnsItsBytesAndStartsEmpty() {
    var writer = ByteWriter()
    writer.write(UInt8(1))
    #expect(writer.take() == [1])
    writer.write(UInt8(2))
    #expect(writer.bytes == [2])
  }
}
