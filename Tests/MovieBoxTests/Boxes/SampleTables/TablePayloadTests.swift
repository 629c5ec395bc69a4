import MovieBox
import Testing

/// Properties that all tables have in common.
struct TablePayloadTests {
  /// A kind of table, with functions that count its entries and write it back.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let entryByteCount: Int
    let read: @Sendable (Bytes) throws -> (count: Int, written: [UInt8])
    var prefix: [UInt32] = []
  }

  static func written(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes
  }

  static let kinds = [
    Kind(testDescription: "stts", entryByteCount: 8) {
      let table = try TimeToSampleTable(payload: $0)
      return (table.count, table.payloadBytes)
    },
    Kind(testDescription: "ctts", entryByteCount: 8) {
      let table = try CompositionOffsetTable(payload: $0)
      return (table.count, table.payloadBytes)
    },
    Kind(testDescription: "stsc", entryByteCount: 12) {
      let table = try SampleToChunkTable(payload: $0)
      return (table.count, table.payloadBytes)
    },
    Kind(testDescription: "stss", entryByteCount: 4) {
      let table = try SyncSampleTable(payload: $0)
      return (table.count, table.payloadBytes)
    },
    Kind(testDescription: "stsz", entryByteCount: 4, read: readSizes, prefix: [0]),
    Kind(testDescription: "stz2", entryByteCount: 2, read: readCompactSizes, prefix: [16]),
    Kind(testDescription: "stco", entryByteCount: 4) {
      let table = try ChunkOffsetTable(payload: $0, isWide: false)
      return (table.count, written(table.write))
    },
    Kind(testDescription: "co64", entryByteCount: 8) {
      let table = try ChunkOffsetTable(payload: $0, isWide: true)
      return (table.count, written(table.write))
    },
  ]

  @Sendable static func readSizes(_ payload: Bytes) throws -> (count: Int, written: [UInt8]) {
    let table = try SampleSizeTable(payload: payload)
    return (table.count, table.payloadBytes)
  }

  @Sendable static func readCompactSizes(_ payload: Bytes) throws -> (count: Int, written: [UInt8]) {
    let table = try SampleSizeTable(compactPayload: payload)
    return (table.count, table.payloadBytes)
  }

  func payload(_ kind: Kind, claiming count: UInt32, entries: Int, tail: Int = 0) -> Bytes {
    var writer = ByteWriter()
    writer.write(tablePayload(kind.prefix + [count]))
    for index in 0..<entries * kind.entryByteCount + tail { writer.write(UInt8(truncatingIfNeeded: index &* 7 + 1)) }
    return Bytes(writer.bytes)
  }

  @Test(arguments: kinds, [0, 1, 5])
  func writesBackWhatItRead(kind: Kind, entries: Int) throws {
    for tail in 0..<kind.entryByteCount {
      let bytes = payload(kind, claiming: UInt32(entries), entries: entries, tail: tail)
      let (count, written) = try kind.read(bytes)
      #expect(count == entries)
      #expect(written == bytes.array)
    }
  }

  @Test(arguments: kinds)
  func throwsOnEveryTruncation(kind: Kind) throws {
    let whole = payload(kind, claiming: 3, entries: 3)
    for count in 0..<whole.count {
      let cut = try #require(whole.slice(at: 0, count: count))
      #expect(throws: MovieError.self) { try kind.read(cut) }
    }
  }

  @Test(arguments: kinds, [4, UInt32(Int32.max), UInt32.max])
  func rejectsTooManyEntries(kind: Kind, claimed: UInt32) {
    let bytes = payload(kind, claiming: claimed, entries: 3)
    let error = movieError { _ = try kind.read(bytes) }
    #expect(error?.code == .malformed)
    #expect(error?.reason == "declares \(claimed) entries, but has room for only 3")
    #expect(error?.offset == UInt64(4 + 4 * kind.prefix.count))
  }

  @Test(arguments: kinds)
  func rejectsUnknownVersions(kind: Kind) {
    var bytes = payload(kind, claiming: 1, entries: 1).array
    bytes[0] = 2
    #expect(movieError { _ = try kind.read(Bytes(bytes)) }?.code == .unsupported)
  }
}
