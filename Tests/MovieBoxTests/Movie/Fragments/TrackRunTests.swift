import MovieBox
import Testing

@Suite struct TrackRunTests {
  @Test(arguments: [0, 1] as [UInt32])
  func readsEntriesWithAllFields(version: UInt32) throws {
    let bytes = fields(
      .u32(version << 24 | 0xF01), .u32(2), .u32(UInt32(bitPattern: -8)),
      .u32(100), .u32(10), .u32(0x0200_0000), .u32(50),
      .u32(200), .u32(20), .u32(0x0101_0000), .u32(UInt32(bitPattern: -50)))
    let run = try TrackRun(payload: bytes)
    #expect(run.count == 2)
    #expect(run.dataOffset == -8)
    #expect(run.map(\.duration) == [100, 200])
    #expect(run.map(\.size) == [10, 20])
    #expect(run.map(\.flags?.isSync) == [true, false])
    // An offset of version 0 with its top bit set is read as negative.
    #expect(run.map(\.compositionOffset) == [50, -50])
    try checkPayload(run, is: bytes, fixedByteCount: bytes.count)
    checkVersions(TrackRun.self, of: bytes, newestVersion: 1)
  }

  @Test(arguments: 0..<16 as Range<UInt32>)
  func readsEveryCombinationOfFields(choice: UInt32) throws {
    let flags = choice << 8
    let width = choice.nonzeroBitCount
    let words = (0..<3 * width).map { UInt32($0 + 1) }
    let bytes = Bytes(fields(.u32(flags), .u32(3)).array + words.flatMap { fields(.u32($0)).array })
    let run = try readBack(TrackRun.self, bytes)
    for (index, entry) in run.enumerated() {
      let found = [entry.duration, entry.size, entry.flags?.rawValue, entry.compositionOffset.map { UInt32($0) }]
      #expect(found.compactMap { $0 } == Array(words[index * width..<(index + 1) * width]))
      #expect(found.enumerated().allSatisfy { ($1 != nil) == (choice & 1 << $0 != 0) })
    }
    try checkTruncations(TrackRun.self, of: bytes, fixedByteCount: bytes.count)
  }

  @Test func appliesFirstSampleFlagsToTheFirstSampleOnly() throws {
    let run = try readBack(TrackRun.self, fields(.u32(0x204), .u32(2), .u32(0x0200_0000), .u32(10), .u32(20)))
    #expect(run.map(\.flags?.rawValue) == [0x0200_0000, nil])
    // A file with both violates the standard. The sample's own flags are then more specific.
    let both = try readBack(TrackRun.self, fields(.u32(0x404), .u32(1), .u32(0x0200_0000), .u32(0x0101_0000)))
    #expect(both.map(\.flags?.rawValue) == [0x0101_0000])
  }

  @Test(arguments: [3, 0x8000_0000, UInt32.max])
  func rejectsTooManyEntries(count: UInt32) throws {
    checkRefused(TrackRun.self, fields(.u32(0x300), .u32(count), .zeros(23)), .malformed)
    #expect(try TrackRun(payload: fields(.u32(0x300), .u32(2), .zeros(16))).count == 2)
  }

  @Test func countsSamplesWithoutFieldsAsImplicit() throws {
    let run = try readBack(TrackRun.self, fields(.u32(0), .u32(.max)))
    #expect(run.count == Int(UInt32.max))
    #expect(!run.hasEntryFields)
    #expect(run[run.count - 1].size == nil)
  }
}
