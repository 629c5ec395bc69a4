@testable import MovieBox

/// A small sample table as arrays, with its samples computed in the simplest way.
struct NaiveSampleTable: CustomStringConvertible {
  var durations: [(UInt32, UInt32)] = []
  var compositionOffsets: [(UInt32, Int32)]?
  var chunkRuns: [(UInt32, UInt32, UInt32)] = []
  var sizes: [UInt32] = []
  var offsets: [UInt64] = []
  var syncNumbers: [UInt32]?

  func table(wide: Bool) throws -> SampleTable {
    SampleTable(
      timeToSample: try timeToSample(durations),
      compositionOffsets: try compositionOffsets.map { try MovieBoxTests.compositionOffsets($0) },
      sampleToChunk: try sampleToChunk(chunkRuns),
      sampleSizes: try sampleSizes(sizes),
      chunkOffsets: try wide ? wideChunkOffsets(offsets) : chunkOffsets(offsets.map { UInt32($0) }),
      syncSamples: try syncNumbers.map { try syncSamples($0) })
  }

  var samples: [Sample] {
    let allDurations = durations.flatMap { Array(repeating: $0.1, count: Int($0.0)) }
    let allOffsets = (compositionOffsets ?? []).flatMap { Array(repeating: $0.1, count: Int($0.0)) }
    var samples: [Sample] = []
    var time: UInt64 = 0
    for (chunk, start) in offsets.enumerated() {
      guard let run = chunkRuns.last(where: { Int($0.0) <= chunk + 1 }) else { continue }
      var position = start
      for _ in 0..<run.1 where samples.count < sizes.count {
        let index = samples.count
        let duration = index < allDurations.count ? allDurations[index] : 0
        samples.append(
          Sample(
            index: index, byteRange: ByteRange(offset: position, count: UInt64(sizes[index])), decodeTime: time,
            duration: duration, compositionOffset: index < allOffsets.count ? Int64(allOffsets[index]) : 0,
            isSync: syncNumbers?.contains(UInt32(index + 1)) ?? true, chunkIndex: chunk,
            sampleDescriptionIndex: run.2))
        position += UInt64(sizes[index])
        time += UInt64(duration)
      }
    }
    return samples
  }

  /// Returns a table whose parts agree.
  static func consistent(using random: inout SeededGenerator) -> NaiveSampleTable {
    var naive = NaiveSampleTable()
    naive.offsets = (0..<Int.random(in: 0...8, using: &random)).map { _ in .random(in: 0...5000, using: &random) }
    var number: UInt32 = 1
    while number <= naive.offsets.count {
      naive.chunkRuns.append((number, .random(in: 0...4, using: &random), .random(in: 1...2, using: &random)))
      number += .random(in: 1...3, using: &random)
    }
    var count = 0
    for chunk in naive.offsets.indices {
      count += Int(naive.chunkRuns.last(where: { Int($0.0) <= chunk + 1 })?.1 ?? 0)
    }
    naive.sizes = (0..<count).map { _ in .random(in: 0...300, using: &random) }
    naive.durations = runs(of: count, using: &random) { .random(in: 0...40, using: &$0) }
    if Bool.random(using: &random) {
      naive.compositionOffsets = runs(of: count, using: &random) { .random(in: -50...50, using: &$0) }
    }
    if Bool.random(using: &random) {
      naive.syncNumbers = (0..<UInt32(count)).map { $0 + 1 }.filter { _ in Int.random(in: 0...2, using: &random) == 0 }
    }
    return naive
  }

  private static func runs<Value>(
    of total: Int, using random: inout SeededGenerator, value: (inout SeededGenerator) -> Value
  ) -> [(UInt32, Value)] {
    var runs: [(UInt32, Value)] = []
    var left = total
    while left > 0 {
      let count = Int.random(in: 0...min(4, left), using: &random)
      runs.append((UInt32(count), value(&random)))
      left -= count
    }
    return runs
  }

  var description: String {
    "stts \(durations) ctts \(compositionOffsets ?? []) stsc \(chunkRuns) stsz \(sizes) stco \(offsets) "
      + "stss \(syncNumbers.map { "\($0)" } ?? "-")"
  }
}
