@testable import MovieBox
import Testing

struct ChunkSequenceTests {
  @Test func agreesWithThePlainestReadingOfRandomTables() throws {
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let naive = NaiveSampleTable.consistent(using: &random)
      let table = try naive.table(wide: .random(using: &random))
      let chunks = Array(table.chunks)
      let place: Comment = "SeededGenerator(seed: \(seed)): \(naive)"
      #expect(chunks.map(\.offset) == naive.offsets, place)
      #expect(chunks.map(\.index) == Array(naive.offsets.indices), place)
      #expect(chunks.flatMap(\.samples) == Array(naive.sizes.indices), place)
      #expect(chunks.reduce(0) { $0 + $1.byteCount } == table.totalByteCount, place)
      for chunk in chunks {
        #expect(chunk.byteCount == naive.sizes[chunk.samples].reduce(0) { $0 + UInt64($1) }, place)
        #expect(
          chunk.sampleDescriptionIndex == naive.chunkRuns.last { Int($0.0) <= chunk.index + 1 }?.2, place)
      }
    }
  }

  func table(
    _ runs: [(UInt32, UInt32, UInt32)], samples: UInt32, offsets: [UInt32] = [10, 20, 30]
  ) throws -> SampleTable {
    SampleTable(
      timeToSample: try timeToSample([]), compositionOffsets: nil, sampleToChunk: try sampleToChunk(runs),
      sampleSizes: try sampleSizes(uniform: 2, count: samples), chunkOffsets: try chunkOffsets(offsets),
      syncSamples: nil)
  }

  /// Runs in any order, without samples, or with more than exist.
  private func anyTable(using random: inout SeededGenerator) throws -> SampleTable {
    let chunkCount = Int.random(in: 1...40, using: &random)
    var first: UInt32 = 1
    let runs = (0..<Int.random(in: 1...20, using: &random)).map { _ -> (UInt32, UInt32, UInt32) in
      defer {
        first =
          first &+ UInt32.random(in: 0...4, using: &random) &- (Int.random(in: 0...9, using: &random) == 0 ? 1 : 0)
      }
      return (max(first, 1), .random(in: 0...3, using: &random), 1)
    }
    let offsets = (0..<chunkCount).map { _ in UInt32.random(in: 0...10_000, using: &random) }
    return try table(runs, samples: .random(in: 0...60, using: &random), offsets: offsets)
  }

  @Test func findsTheSameChunkByNumberAndByIteration() throws {
    for seed in 0..<2000 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let table = try anyTable(using: &random)
      let chunks = Array(table.chunks)
      var finder = ChunkSequence.Finder(table.chunks)
      var index = Int.random(in: 0...5, using: &random)
      while index < table.chunkCount {
        let expected = chunks.indices.contains(index) ? chunks[index] : nil
        #expect(finder.chunk(at: index) == expected, "SeededGenerator(seed: \(seed)), chunk \(index)")
        index += Int.random(in: 1...8, using: &random)
      }
      let limit = UInt64.random(in: 0...10_000, using: &random)
      #expect(
        table.chunks.first(whereOffsets: { $0.upperBound > limit }, { $0.byteCount > 2 })
          == chunks.first { $0.offset > limit && $0.byteCount > 2 }, "SeededGenerator(seed: \(seed))")
    }
  }

  /// Chunks near the end of a long table are counted from the end, unless the table is out of order or has too few samples.
  @Test func findsChunksNearTheEndOfLongTables() throws {
    var foundCount = 0
    for seed in 0..<60 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let chunkCount = Int.random(in: 3000...4000, using: &random)
      var runs = (0..<chunkCount).compactMap { chunk -> (UInt32, UInt32, UInt32)? in
        let begins = chunk == 0 || Int.random(in: 0...3, using: &random) > 0
        return begins ? (UInt32(chunk) + 1, .random(in: 0...3, using: &random), 1) : nil
      }
      if seed % 3 == 1 { runs[runs.count / 2].0 -= 100 }
      let sampleCount = seed % 3 == 2 ? UInt32.random(in: 0...UInt32(chunkCount * 2), using: &random) : 20_000
      let table = try table(runs, samples: sampleCount, offsets: (0..<UInt32(chunkCount)).map { $0 })
      let chunks = Array(table.chunks)
      var finder = ChunkSequence.Finder(table.chunks)
      var index = chunkCount - Int.random(in: 1...1500, using: &random)
      while index < chunkCount {
        let expected = chunks.indices.contains(index) ? chunks[index] : nil
        #expect(finder.chunk(at: index) == expected, "SeededGenerator(seed: \(seed)), chunk \(index)")
        foundCount += expected == nil ? 0 : 1
        index += Int.random(in: 1...300, using: &random)
      }
    }
    #expect(foundCount > 100)
  }

  /// Two hundred thousand runs with too many samples would take minutes if each examined all later ones.
  @Test func searchesOnceForAChunkAfterTheLastSample() throws {
    let runs = (0..<200_000).map { (UInt32($0) + 1, UInt32(1 + $0 % 2), UInt32(1)) }
    let table = try table(runs, samples: 100_000, offsets: (0..<200_000).map { UInt32($0) })
    var finder = ChunkSequence.Finder(table.chunks)
    #expect(finder.chunk(at: 199_999) == nil)
    #expect(table.chunks.first(whereOffsets: { $0.upperBound >= 199_000 }, { _ in true }) == nil)
  }

  @Test func returnsAnEmptyChunkWithoutSamples() throws {
    let chunks = Array(try table([(1, 2, 1), (2, 0, 1), (3, 1, 2)], samples: 3).chunks)
    #expect(chunks.map(\.sampleCount) == [2, 0, 1])
    #expect(chunks.map(\.byteCount) == [4, 0, 2])
    #expect(chunks.map(\.firstSample) == [0, 2, 2])
    #expect(chunks.map(\.sampleDescriptionIndex) == [1, 1, 2])
  }

  @Test func stopsWhereTheSamplesEnd() throws {
    #expect(try table([(1, 2, 1)], samples: 6).chunks.map(\.sampleCount) == [2, 2, 2])
    #expect(try table([(1, 2, 1)], samples: 5).chunks.map(\.sampleCount) == [2, 2, 1])
    #expect(try table([(1, 2, 1)], samples: 4).chunks.map(\.sampleCount) == [2, 2])
    #expect(try table([(1, 2, 1)], samples: 0).chunks.map(\.sampleCount) == [])
  }

  @Test func endsAtTheExistingChunksForBillionsOfSamples() throws {
    #expect(try table([(1, 0, 1), (.max, 0, 1)], samples: .max).chunks.map(\.sampleCount) == [0, 0, 0])
    let chunks = Array(try table([(1, .max - 1, 1)], samples: .max).chunks)
    #expect(chunks.map(\.sampleCount) == [Int(UInt32.max) - 1, 1])
    #expect(chunks.map(\.byteCount) == [2 * (UInt64(UInt32.max) - 1), 2])
  }

  @Test func appliesTheFirstEntryToEarlierChunks() throws {
    #expect(try table([(3, 2, 1)], samples: 6).chunks.map(\.sampleCount) == [2, 2, 2])
  }

  @Test func appliesAnEarlyEntryAtOnce() throws {
    let chunks = Array(try table([(1, 1, 1), (3, 2, 2), (2, 3, 3)], samples: 9).chunks)
    #expect(chunks.map(\.sampleCount) == [1, 1, 3])
    #expect(chunks.map(\.sampleDescriptionIndex) == [1, 1, 3])
  }

  @Test func placesNoChunksWithoutEntries() throws {
    #expect(Array(try table([], samples: 9).chunks).isEmpty)
    #expect(Array(try table([(1, 1, 1)], samples: 9, offsets: []).chunks).isEmpty)
  }
}
