import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct PositionTableTests {
  private func tables(_ traks: [UInt8]...) throws -> [PositionTable] {
    try PositionTable.all(in: AtomTree(Bytes(atom("moov") { traks.flatMap { $0 } }), at: 0))
  }

  private func trak(dataReferences: [UInt8] = fullAtom("url ", flags: 1), _ stbl: [UInt8]) -> [UInt8] {
    atom("trak") {
      atom("mdia") {
        atom("minf") {
          atom("dinf") {
            fullAtom("dref") {
              u32(dataReferences.count / 12)
              dataReferences
            }
          }
          atom("stbl") { stbl }
        }
      }
    }
  }

  private func table(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]) -> [UInt8] {
    fullAtom(type, version: version, flags: flags) { content }
  }

  @Test func findsChunkOffsetsOfBothWidthsByTrack() throws {
    let found = try tables(trak(table("stco", u32(2, 10, 20))), trak([]), trak(table("co64", u32(1) + u64(30))))
    #expect(found.map(\.trackIndex) == [0, 2])
    #expect(found.map(\.width) == [4, 8])
    #expect(found.map(\.count) == [2, 1])
  }

  @Test func locatesTheFirstNumber() throws {
    let bytes = atom("moov") { trak(table("stco", u32(1, 0xABCD_EF01))) }
    let found = try PositionTable.all(in: AtomTree(Bytes(bytes), at: 1000))
    #expect(Bytes(bytes).load(at: found[0].start, as: UInt32.self) == 0xABCD_EF01)
  }

  @Test(arguments: [(0, 0, 4, 8), (0, 1, 4, 16), (1, 0, 8, 8), (1, 1, 8, 16)])
  func readsAuxiliaryOffsetsOfBothWidths(version: Int, flags: Int, width: Int, skipped: Int) throws {
    let type = flags == 1 ? code("cenc") + u32(0) : []
    let offsets = width == 4 ? u32(7, 8) : u64(7, 8)
    let found = try tables(trak(table("saio", version: version, flags: flags, type + u32(2) + offsets)))
    #expect(found.map(\.width) == [width] && found.map(\.count) == [2])
    let bytes = Bytes(atom("moov") { trak(table("saio", version: version, flags: flags, type + u32(2) + offsets)) })
    #expect(
      width == 4
        ? bytes.load(at: found[0].start, as: UInt32.self) == 7 : bytes.load(at: found[0].start, as: UInt64.self) == 7)
  }

  @Test func rejectsMissingEntries() throws {
    #expect(throws: Never.self) { try tables(trak(table("stco", u32(1, 5)))) }
    for content in [u32(2, 5), u32(-1), [0, 0, 0]] {
      #expect(throws: MovieError.self) { try tables(trak(table("stco", content))) }
      #expect(throws: MovieError.self) { try tables(trak(table("saio", content))) }
    }
    #expect(throws: MovieError.self) { try tables(trak(table("saio", version: 2, u32(0)))) }
  }

  @Test func omitsExternalChunks() throws {
    let references = fullAtom("url ", flags: 1) + fullAtom("alis", flags: 0)
    let entries = table(
      "stsd", u32(2) + SampleEntry.sound(rate: 8000) + SampleEntry.sound(rate: 8000, dataReference: 2))
    let stsc = table("stsc", u32(3, 1, 1, 1, 3, 1, 2, 5, 1, 1))  // Chunks 3 and 4 are in another file.
    let offsets = table("stco", u32(6, 1, 2, 3, 4, 5, 6)) + table("saio", u32(6, 1, 2, 3, 4, 5, 6))
    let found = try tables(trak(dataReferences: references, entries + stsc + offsets))
    #expect(found.map(\.externalEntries) == [[2..<4], [2..<4]])
    let last = table("stsc", u32(2, 1, 1, 1, 4, 1, 2))
    let external = try #require(
      try tables(trak(dataReferences: references, entries + last + offsets)).first?.externalEntries)
    #expect(external == [3..<6])
    #expect(try tables(trak(entries + stsc + offsets)).map(\.externalEntries) == [[], []])
  }

  @Test func ignoresTablesOutsideSampleTables() throws {
    let stray = atom("trak") { atom("udta") { table("stco", u32(1, 5)) + table("saio", u32(-1)) } }
    #expect(try tables(stray).isEmpty)
  }

  /// `ChunkLocator` agrees with iterating over the chunks.
  @Test func readsUnorderedRunsLikeChunks() throws {
    let references = fullAtom("url ", flags: 1) + fullAtom("alis", flags: 0)
    let entries = table(
      "stsd", u32(2) + SampleEntry.sound(rate: 8000) + SampleEntry.sound(rate: 8000, dataReference: 2))
    let offsets = table("stco", u32(6, 1, 2, 3, 4, 5, 6))
    func external(_ runs: (Int, Int)...) throws -> [Range<Int>]? {
      let stsc = table("stsc", u32(runs.count) + runs.flatMap { u32($0.0, 1, $0.1) })
      return try tables(trak(dataReferences: references, entries + stsc + offsets)).first?.externalEntries
    }
    // The first run includes the chunks before its own; a run that begins too early replaces the one before at once.
    #expect(try external((3, 2), (5, 1)) == [0..<4])
    #expect(try external((1, 1), (5, 2), (3, 1)) == [])
    #expect(try external((1, 2), (5, 1), (3, 2)) == [0..<6])
    #expect(try external((1, 2), (0, 1)) == [])
  }

  @Test func findsNoPositionsInUnknownTracks() throws {
    let inner = trak(table("stco", u32(1, 7)))
    let found = try tables(atom("moov") { inner }, trak(table("stco", u32(1, 10))), atom("udta") { inner })
    #expect(found.map(\.trackIndex) == [0] && found.map(\.count) == [1])
    #expect(try tables(atom("trak") { inner }).isEmpty)
  }
}
