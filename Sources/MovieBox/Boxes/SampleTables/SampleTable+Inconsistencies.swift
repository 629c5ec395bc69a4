extension SampleTable {
  /// What the tables say that cannot all be true; empty for tables that agree.
  ///
  /// At most a few findings a table, each naming the first place: entries and samples count from 0 in them, chunk and
  /// sample numbers that the file stores from 1. `sampleDescriptionCount` is how many entries `stsd` has; `nil` leaves
  /// that unchecked. Costs one pass over all tables.
  package func inconsistencies(sampleDescriptionCount: Int? = nil) -> [MovieError] {
    timeFindings + sampleToChunkFindings(sampleDescriptionCount) + placeFindings + syncFindings
  }

  private var timeFindings: [MovieError] {
    var findings: [MovieError] = []
    let timed = timeToSample.sampleCount
    if timed != UInt64(sampleCount) {
      findings.append(finding("stts", "covers \(timed) samples, the size table has \(sampleCount)"))
    }
    // Durations are below 2³²: those of fewer than 2³² samples always fit.
    if timed > UInt64(UInt32.max), mediaDuration == nil {
      findings.append(finding("stts", "the sum of the durations does not fit in 64 bits"))
    }
    if let shifted = compositionOffsets?.sampleCount, shifted != UInt64(sampleCount) {
      findings.append(finding("ctts", "covers \(shifted) samples, the size table has \(sampleCount)"))
    }
    return findings
  }

  private func sampleToChunkFindings(_ sampleDescriptionCount: Int?) -> [MovieError] {
    guard let first = sampleToChunk.first else {
      return chunkCount == 0 ? [] : [finding("stsc", "no entries, but there are \(chunkCount) chunks")]
    }
    if sampleToChunk.isInOrder(chunkCount: chunkCount, descriptionCount: sampleDescriptionCount ?? .max) { return [] }
    var findings: [MovieError] = []
    if first.firstChunk != 1 {
      findings.append(finding("stsc", "begins at chunk \(first.firstChunk), not at chunk 1"))
    }
    if let index = sampleToChunk.indices.dropFirst().first(where: {
      sampleToChunk[$0].firstChunk <= sampleToChunk[$0 - 1].firstChunk
    }) {
      let (before, after) = (sampleToChunk[index - 1].firstChunk, sampleToChunk[index].firstChunk)
      findings.append(finding("stsc", "entry \(index + 1) begins at chunk \(after), the entry before it at \(before)"))
    }
    if let index = sampleToChunk.firstIndex(where: { Int($0.firstChunk) > chunkCount }) {
      let start = sampleToChunk[index].firstChunk
      findings.append(finding("stsc", "entry \(index + 1) begins at chunk \(start), there are \(chunkCount)"))
    }
    if let index = sampleToChunk.firstIndex(where: { $0.sampleDescriptionIndex == 0 }) {
      findings.append(finding("stsc", "entry \(index + 1) refers to sample description 0, they count from 1"))
    }
    if let limit = sampleDescriptionCount,
      let index = sampleToChunk.firstIndex(where: { Int($0.sampleDescriptionIndex) > limit })
    {
      let named = sampleToChunk[index].sampleDescriptionIndex
      findings.append(finding("stsc", "entry \(index + 1) refers to sample description \(named), there are \(limit)"))
    }
    return findings
  }

  private var placeFindings: [MovieError] {
    var findings: [MovieError] = []
    var runs = ChunkRuns(sampleToChunk, chunkCount: chunkCount)
    var placed: Int? = runs.pass(upTo: chunkCount).samples
    for run in runs {
      guard let before = placed, let count = run.sampleCount else {
        placed = nil
        break
      }
      let (sum, overflow) = before.addingReportingOverflow(count)
      placed = overflow ? nil : sum
    }
    if placed != sampleCount {
      let number = placed.map(String.init) ?? "2^63 or more"
      findings.append(
        finding("stsc", "places \(number) samples in \(chunkCount) chunks, the size table has \(sampleCount)"))
    }
    // No chunk takes more bytes than all samples at their largest; before that no end is out of reach. What 32 bits say
    // always is before that.
    let safeOffset = UInt64.max - UInt64(sampleCount) * UInt64(UInt32.max)  // A count of 32 bits.
    if chunkOffsets.isWide,
      let chunk = chunks.first(whereOffsets: { $0.upperBound > safeOffset }, { $0.byteRange == nil })
    {
      findings.append(
        finding(
          "co64",
          "chunk \(chunk.index + 1) at \(chunk.offset) with \(chunk.byteCount) bytes ends beyond 64 bits"))
    }
    return findings
  }

  private var syncFindings: [MovieError] {
    guard let syncSamples else { return [] }
    var findings: [MovieError] = []
    if let index = syncSamples.indices.dropFirst().first(where: { syncSamples[$0] <= syncSamples[$0 - 1] }) {
      let (before, after) = (syncSamples[index - 1], syncSamples[index])
      findings.append(finding("stss", "entry \(index + 1) refers to sample \(after), the entry before it \(before)"))
    }
    if let index = syncSamples.firstIndex(where: { $0 == 0 || Int($0) > sampleCount }) {
      let number = syncSamples[index]
      findings.append(
        finding("stss", "entry \(index + 1) refers to sample \(number), they count from 1 to \(sampleCount)"))
    }
    return findings
  }

  private func finding(_ type: String, _ reason: String) -> MovieError {
    MovieError(.malformed, in: type, reason)
  }
}
