import MovieBox
import Testing

struct SampleTableTests {
  /// Returns a table of six samples in three chunks, which a test corrupts in one place.
  func sound() -> NaiveSampleTable {
    NaiveSampleTable(
      durations: [(4, 10), (2, 5)], compositionOffsets: [(6, 3)], chunkRuns: [(1, 3, 1), (2, 2, 1), (3, 1, 2)],
      sizes: [1, 2, 3, 4, 5, 6], offsets: [100, 200, 300], syncNumbers: [1, 4])
  }

  func reasons(_ naive: NaiveSampleTable, descriptions: Int? = 2) throws -> [String] {
    try naive.table(wide: true).inconsistencies(sampleDescriptionCount: descriptions).map { "\($0.path): \($0.reason)" }
  }

  @Test func joinsTables() throws {
    let table = try sound().table(wide: false)
    #expect(table.sampleCount == 6)
    #expect(table.chunkCount == 3)
    #expect(table.mediaDuration == 50)
    #expect(table.totalByteCount == 21)
    #expect(table.chunks.map(\.byteCount) == [6, 9, 6])
    #expect(table.samples.map(\.presentationTime) == [3, 13, 23, 33, 43, 48])
  }

  @Test(arguments: [[], [0], [300], [5, 9, 300], [0x80, 0x7F], [1, .max]] as [[UInt32]])
  func boundsTheSizesOfChunks(sizes: [UInt32]) throws {
    var naive = sound()
    naive.sizes = sizes
    let largestChunk = 3 * UInt64(sizes.max() ?? 0)
    let bound = try #require(try naive.table(wide: false).maximumChunkByteCount)
    #expect(bound >= largestChunk)
    #expect(bound <= 2 * largestChunk)
  }

  @Test func findsTheEndOfComposition() throws {
    func end(_ durations: [(UInt32, UInt32)], _ offsets: [(UInt32, Int32)]?) throws -> UInt64? {
      var naive = sound()
      (naive.durations, naive.compositionOffsets) = (durations, offsets)
      return try naive.table(wide: false).compositionEnd
    }
    #expect(try sound().table(wide: false).compositionEnd == 53)
    #expect(try end([(4, 10), (2, 5)], nil) == 50)
    #expect(try end([(4, 10), (2, 5)], [(6, 0)]) == 50)
    #expect(try end([(4, 10), (2, 5)], [(6, -3)]) == 50)
    // The fourth sample ends at 40 and is delayed by 20; the others end before.
    #expect(try end([(4, 10), (2, 5)], [(3, 0), (1, 20), (0, 99), (2, 1)]) == 60)
    // Tables of different lengths apply up to the end of the shorter one.
    #expect(try end([(4, 10), (2, 5)], [(1, 100)]) == 110)
    #expect(try end([(6, 10)], [(6, 0), (4, 1000)]) == 60)
    #expect(try end([(.max, .max), (.max, .max)], [(6, 0)]) == nil)
    #expect(try end([(.max, .max)], [(.max, 1)]) == UInt64(UInt32.max) * UInt64(UInt32.max) + 1)
  }

  @Test func acceptsAConsistentTable() throws {
    #expect(try reasons(sound()) == [])
    #expect(try reasons(NaiveSampleTable()) == [])
  }

  @Test func findsSamplesWithoutTimes() throws {
    var bad = sound()
    bad.durations = [(5, 10)]
    bad.compositionOffsets = [(7, 0)]
    #expect(
      try reasons(bad) == [
        "stts: covers 5 samples, but the size table has 6", "ctts: covers 7 samples, but the size table has 6",
      ])
  }

  @Test func findsADurationBeyond64Bits() throws {
    var bad = sound()
    bad.durations = [(.max, .max), (.max, .max)]
    #expect(try reasons(bad).contains("stts: the sum of the durations does not fit in 64 bits"))
  }

  @Test func findsChunksThatNoEntryCovers() throws {
    var bad = sound()
    bad.chunkRuns = []
    #expect(
      try reasons(bad) == [
        "stsc: has no entries, but there are 3 chunks",
        "stsc: places 0 samples in 3 chunks, but the size table lists 6 samples",
      ])
  }

  @Test func findsAFirstChunkOtherThanOne() throws {
    var bad = sound()
    bad.chunkRuns[0].0 = 0
    #expect(try reasons(bad) == ["stsc: begins at chunk 0, not at chunk 1"])
  }

  @Test func findsEntriesThatDoNotIncrease() throws {
    var bad = sound()
    bad.chunkRuns[2] = (2, 2, 2)
    #expect(
      try reasons(bad) == [
        "stsc: entry 3 begins at chunk 2, but the previous entry begins at chunk 2",
        "stsc: places 7 samples in 3 chunks, but the size table lists 6 samples",
      ])
  }

  @Test func findsEntriesPastTheLastChunk() throws {
    var bad = sound()
    bad.chunkRuns.append((4, 9, 1))
    #expect(try reasons(bad) == ["stsc: entry 4 begins at chunk 4, but there are only 3"])
  }

  @Test func findsDescriptionsThatDoNotExist() throws {
    var bad = sound()
    bad.chunkRuns[1].2 = 0
    #expect(
      try reasons(bad, descriptions: 1) == [
        "stsc: entry 2 refers to sample description 0, but sample descriptions are numbered from 1",
        "stsc: entry 3 refers to sample description 2, but there are only 1",
      ])
    bad.chunkRuns[1].2 = 1
    #expect(try reasons(bad, descriptions: nil) == [])
  }

  @Test func findsSamplesWithoutAChunk() throws {
    var bad = sound()
    bad.chunkRuns[2].1 = .max
    #expect(try reasons(bad) == ["stsc: places 4294967300 samples in 3 chunks, but the size table lists 6 samples"])
  }

  @Test func findsAChunkThatEndsBeyond64Bits() throws {
    var bad = sound()
    bad.offsets[1] = .max - 9
    #expect(try reasons(bad) == [])
    bad.offsets[1] = .max - 8
    #expect(try reasons(bad) == ["co64: chunk 2 at 18446744073709551607 has 9 bytes: its end does not fit in 64 bits"])
  }

  @Test func findsSyncSamplesOutOfOrderOrRange() throws {
    var bad = sound()
    bad.syncNumbers = [1, 6, 6]
    #expect(try reasons(bad) == ["stss: entry 3 refers to sample 6, but the previous entry refers to sample 6"])
    bad.syncNumbers = [1, 6, 7]
    #expect(try reasons(bad) == ["stss: entry 3 refers to sample 7, but samples are numbered from 1 to 6"])
    bad.syncNumbers = [0]
    #expect(try reasons(bad) == ["stss: entry 1 refers to sample 0, but samples are numbered from 1 to 6"])
  }
}
