import MovieBox
import Testing

@Suite struct FileTypeTests {
  private let bytes = fields(.code("qt  "), .u32(0x2005_0300), .code("qt  "), .u32(0), .code("isom"))

  @Test func readsAndWritesBrands() throws {
    let value = FileType(
      majorBrand: "qt  ", minorVersion: 0x2005_0300, compatibleBrands: ["qt  ", FourCC(rawValue: 0), "isom"])
    try checkPayload(value, is: bytes, fixedByteCount: 8)
  }

  @Test func keepsBytesAfterTheLastWholeBrand() throws {
    let value = try readBack(FileType.self, fields(.code("isom"), .u32(1), .code("mp41"), .bytes([1, 2, 3])))
    #expect(value.compatibleBrands == ["mp41"])
    #expect(value.tail == Bytes([1, 2, 3]))
  }

  @Test func recognizesQuickTimeByAnyBrand() throws {
    let zero = FourCC(rawValue: 0)
    #expect(FileType(majorBrand: "qt  ", minorVersion: 0, compatibleBrands: []).isQuickTime)
    #expect(FileType(majorBrand: "isom", minorVersion: 0, compatibleBrands: [zero, "qt  "]).isQuickTime)
    #expect(!FileType(majorBrand: "isom", minorVersion: 0, compatibleBrands: ["mp42"]).isQuickTime)
    #expect(FileType(majorBrand: "isom", minorVersion: 0, compatibleBrands: ["mp42"]).contains("isom"))
    #expect(!FileType(majorBrand: "isom", minorVersion: 0, compatibleBrands: ["mp42"]).contains("mp41"))
  }
}
