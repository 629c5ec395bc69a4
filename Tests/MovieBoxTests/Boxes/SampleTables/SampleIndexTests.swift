import Testing

@testable import MovieBox

struct SampleIndexTests {
  @Test func agreesWithThePlainestReadingOfRandomTables() throws {
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let naive = NaiveSampleTable.consistent(using: &random)
      let table = try naive.table(wide: .random(using: &random))
      let expected = naive.samples
      let place: Comment = "SeededGenerator(seed: \(seed)): \(naive)"
      #expect(Array(table.samples) == expected, place)
      #expect(table.inconsistencies() == [], place)
      var times = DecodeTimeCursor(table.timeToSample)
      #expect(expected.map { times.decodeTime(of: $0.index) } == expected.map(\.decodeTime), place)
      #expect(try listedSync(table, of: expected.count) == walkedSync(expected), place)
    }
  }

  /// Returns number, time and duration of sync samples, found by iterating over these alone.
  private func listedSync(_ table: SampleTable, of count: Int) throws -> [[Int64]] {
    var found: [[Int64]] = []
    try table.samples.forEachSync(of: count) { found.append([Int64($0), $1, Int64($2)]) }
    return found
  }

  /// Returns number, time and duration of sync samples, found by iterating over all samples.
  private func walkedSync(_ samples: [Sample]) -> [[Int64]] {
    samples.filter(\.isSync).map { [Int64($0.index), $0.presentationTime, Int64($0.duration)] }
  }

  @Test func staysWithinInvalidTables() throws {
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var naive = NaiveSampleTable.consistent(using: &random)
      naive.chunkRuns = naive.chunkRuns.map { run in
        let first = [run.0, 0, run.0 &- 1, .max, UInt32.random(in: 0...9, using: &random)].randomElement(using: &random)
        let count = [run.1, 0, .max, UInt32.random(in: 0...9, using: &random)].randomElement(using: &random)
        return (first ?? 0, count ?? 0, run.2)
      }
      naive.durations = naive.durations.map { ([$0.0, .max].randomElement(using: &random) ?? 0, $0.1 &* 0x0FFF_FFFF) }
      naive.syncNumbers = naive.syncNumbers.map { $0.shuffled(using: &random) + [0, .max] }
      naive.sizes.shuffle(using: &random)
      naive.sizes.removeLast(min(naive.sizes.count, .random(in: 0...3, using: &random)))
      let table = try naive.table(wide: true)
      let place: Comment = "SeededGenerator(seed: \(seed)): \(naive)"
      let samples = Array(table.samples)
      #expect(samples.count <= table.sampleCount, place)
      #expect(samples.allSatisfy { $0.chunkIndex < table.chunkCount }, place)
      var times = DecodeTimeCursor(table.timeToSample)
      #expect(samples.map { times.decodeTime(of: $0.index) } == samples.map(\.decodeTime), place)
      #expect(Array(table.chunks).flatMap(\.samples) == Array(samples.indices), place)
      #expect(try listedSync(table, of: samples.count) == walkedSync(samples), place)
    }
  }

  @Test func clampsTimesTo64Bits() throws {
    let table = SampleTable(
      timeToSample: try timeToSample([(.max, .max), (.max, .max)]),
      compositionOffsets: try compositionOffsets([(.max, .max)]), sampleToChunk: try sampleToChunk([(1, .max, 1)]),
      sampleSizes: try sampleSizes(uniform: 1, count: .max), chunkOffsets: try chunkOffsets([0, 0]), syncSamples: nil)
    var times = DecodeTimeCursor(table.timeToSample)
    let last = times.decodeTime(of: table.sampleCount - 1)
    #expect(last == (UInt64(UInt32.max) - 1) * UInt64(UInt32.max))
    #expect(times.decodeTime(of: .max) == .max)
    let sample = Sample(
      index: table.sampleCount - 1, byteRange: nil, decodeTime: last, duration: .max,
      compositionOffset: Int64(Int32.max), isSync: true, chunkIndex: 0, sampleDescriptionIndex: 1)
    #expect(sample.presentationTime == .max)
    #expect(table.mediaDuration == nil)
  }

  @Test func returnsNoRangeBeyond64Bits() throws {
    let table = SampleTable(
      timeToSample: try timeToSample([(4, 1)]), compositionOffsets: nil, sampleToChunk: try sampleToChunk([(1, 2, 1)]),
      sampleSizes: try sampleSizes([10, 5, 11, 0]), chunkOffsets: try wideChunkOffsets([.max - 15, .max - 10]),
      syncSamples: nil)
    let samples = Array(table.samples)
    #expect(samples.map { $0.byteRange?.end } == [.max - 5, .max, nil, nil])
    #expect(table.chunks.map { $0.byteRange?.end } == [.max, nil])
  }

  @Test func returnsNoDurationForSamplesWithoutTimes() throws {
    let table = SampleTable(
      timeToSample: try timeToSample([(1, 5)]), compositionOffsets: try compositionOffsets([(1, -2)]),
      sampleToChunk: try sampleToChunk([(1, 3, 1)]), sampleSizes: try sampleSizes(uniform: 1, count: 3),
      chunkOffsets: try chunkOffsets([100]), syncSamples: try syncSamples([]))
    #expect(table.samples.map(\.decodeTime) == [0, 5, 5])
    #expect(table.samples.map(\.duration) == [5, 0, 0])
    #expect(table.samples.map(\.presentationTime) == [-2, 5, 5])
    #expect(table.samples.map(\.isSync) == [false, false, false])
  }
}
