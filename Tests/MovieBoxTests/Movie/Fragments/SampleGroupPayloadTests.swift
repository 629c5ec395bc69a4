import MovieBox
import Testing

@Suite struct SampleGroupPayloadTests {
  @Test func readsGroupsOfSamples() throws {
    let bytes = fields(
      .u32(0), .code("roll"), .u32(3), .u32(10), .u32(0), .u32(5), .u32(2), .u32(1), .u32(0x1_0001))
    let table = try SampleToGroupTable(payload: bytes)
    #expect(table.groupingType == "roll")
    #expect(table.parameter == nil)
    #expect(table.map(\.sampleCount) == [10, 5, 1])
    #expect(table.map(\.descriptionIndex) == [0, 2, 0x1_0001])
    #expect(table.map(\.fragmentDescriptionIndex) == [nil, nil, 0])
    try checkPayload(table, is: bytes, fixedByteCount: bytes.count)
    checkVersions(SampleToGroupTable.self, of: bytes, newestVersion: 1)
  }

  @Test func assignsTheFirst65536DescriptionsToTheTrack() throws {
    func entry(_ index: UInt32) throws -> SampleToGroupTable.Entry? {
      try SampleToGroupTable(payload: fields(.u32(0), .code("roll"), .u32(1), .u32(1), .u32(index))).first
    }
    #expect(try entry(0x1_0000)?.fragmentDescriptionIndex == nil)
    #expect(try entry(.max)?.fragmentDescriptionIndex == 0xFFFE_FFFE)
  }

  @Test func readsTheParameterOfVersion1() throws {
    let bytes = fields(.u32(0x0100_0000), .code("alst"), .u32(9), .u32(0))
    let table = try SampleToGroupTable(payload: bytes)
    #expect(table.parameter == 9)
    try checkPayload(table, is: bytes, fixedByteCount: 16)
    checkRefused(SampleToGroupTable.self, fields(.u32(0), .code("roll"), .u32(2), .zeros(15)), .malformed)
  }

  @Test func readsDescriptionsOfEqualLength() throws {
    let one = fields(.u32(0x0100_0000), .code("roll"), .u32(2), .u32(2), .u16(0xFFFF), .u16(3))
    try checkPayload(try SampleGroupDescriptions(payload: one), is: one, fixedByteCount: 20)
    #expect(try SampleGroupDescriptions(payload: one).entries == [fields(.u16(0xFFFF)), fields(.u16(3))])
    let two = fields(.u32(0x0200_0000), .code("seig"), .u32(3), .u32(1), .u32(1), .bytes([1, 2, 3]))
    let descriptions = try SampleGroupDescriptions(payload: two)
    try checkPayload(descriptions, is: two, fixedByteCount: 23)
    #expect(descriptions.defaultIndex == 1)
    #expect(descriptions.entries == [Bytes([1, 2, 3])])
    checkVersions(SampleGroupDescriptions.self, of: two, newestVersion: 2)
  }

  @Test func readsDescriptionsWithLengths() throws {
    let bytes = fields(
      .u32(0x0100_0000), .code("roll"), .u32(0), .u32(2), .u32(1), .u8(7), .u32(0))
    let descriptions = try SampleGroupDescriptions(payload: bytes)
    try checkPayload(descriptions, is: bytes, fixedByteCount: bytes.count)
    #expect(descriptions.entries == [Bytes([7]), Bytes()])
    checkRefused(
      SampleGroupDescriptions.self, fields(.u32(0x0100_0000), .code("roll"), .u32(0), .u32(1), .u32(.max)), .truncated)
  }

  @Test func dividesBytesEquallyInVersion0() throws {
    let even = fields(.u32(0), .code("roll"), .u32(2), .u16(1), .u16(2))
    #expect(try SampleGroupDescriptions(payload: even).entries == [fields(.u16(1)), fields(.u16(2))])
    let odd = fields(.u32(0), .code("roll"), .u32(2), .bytes([1, 2, 3]))
    #expect(try readBack(SampleGroupDescriptions.self, odd).entries == nil)
    #expect(try SampleGroupDescriptions(payload: fields(.u32(0), .code("roll"), .u32(0))).entries == [])
    checkRefused(SampleGroupDescriptions.self, fields(.u32(0), .code("roll"), .u32(.max), .zeros(9)), .malformed)
  }

  @Test func readsSizesOfAuxiliaryInformation() throws {
    let bytes = fields(.u32(1), .code("cenc"), .u32(5), .u8(0), .u32(3), .bytes([8, 16, 0]))
    let sizes = try AuxiliaryInformationSizes(payload: bytes)
    #expect(sizes.kind?.type == "cenc")
    #expect(sizes.kind?.parameter == 5)
    #expect(Array(sizes) == [8, 16, 0])
    #expect(sizes.byteCount(of: 1..<3) == 16)
    try checkPayload(sizes, is: bytes, fixedByteCount: bytes.count)
    checkVersions(AuxiliaryInformationSizes.self, of: bytes, newestVersion: 0)
    let equal = try readBack(AuxiliaryInformationSizes.self, fields(.u32(0), .u8(255), .u32(.max)))
    #expect(equal.byteCount(of: 0..<equal.count) == 255 * UInt64(UInt32.max))
    checkRefused(AuxiliaryInformationSizes.self, fields(.u32(0), .u8(0), .u32(4), .zeros(3)), .malformed)
  }

  @Test func readsPositionsOfAuxiliaryInformation() throws {
    let narrow = fields(.u32(0), .u32(2), .u32(10), .u32(.max))
    let offsets = try AuxiliaryInformationOffsets(payload: narrow)
    #expect(Array(offsets) == [10, UInt64(UInt32.max)])
    #expect(offsets.kind == nil)
    try checkPayload(offsets, is: narrow, fixedByteCount: 16)
    let wide = fields(.u32(0x0100_0001), .code("cbcs"), .u32(0), .u32(1), .u64(.max))
    try checkPayload(try AuxiliaryInformationOffsets(payload: wide), is: wide, fixedByteCount: 24)
    #expect(try AuxiliaryInformationOffsets(payload: wide).first == .max)
    checkVersions(AuxiliaryInformationOffsets.self, of: wide, newestVersion: 1)
    checkRefused(AuxiliaryInformationOffsets.self, fields(.u32(0x0100_0000), .u32(2), .zeros(15)), .malformed)
  }
}
