@testable import MovieBox
import Testing

@Suite struct VideoDescriptionTests {
  private let name: [UInt8] = [5] + Array("H.264".utf8) + [UInt8](repeating: 0, count: 26)

  @Test func readsAndWritesAllFields() throws {
    let bytes = fields(
      .u16(1), .u16(2), .code("appl"), .u32(3), .u32(4), .u16(1920), .u16(1080), .u32(0x48_0000), .u32(0x49_0000),
      .u32(5), .u16(6), .bytes(name), .u16(24), .u16(0xFFFF))
    let value = VideoDescription(
      version: 1, revision: 2, vendor: "appl", temporalQuality: 3, spatialQuality: 4, width: 1920, height: 1080,
      horizontalResolution: 0x48_0000, verticalResolution: 0x49_0000, dataSize: 5, framesPerSample: 6,
      compressorNameBytes: Bytes(name), depth: 24, colorTableID: -1)
    #expect(bytes.count == 70)
    try checkPayload(value, is: bytes, fixedByteCount: 70)
    #expect(value.compressorName == "H.264")
    #expect(try VideoDescription(body: bytes) == value)
  }

  @Test func truncatesTheCompressorName() {
    var value = VideoDescription(width: 1, height: 1)
    #expect(value.compressorName == "")
    value.compressorNameBytes = Bytes([255] + [UInt8](repeating: 0x41, count: 31))
    #expect(value.compressorName == String(repeating: "A", count: 31))
  }
}
