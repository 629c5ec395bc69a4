import MovieBox

/// Returns the payload of a table: version and flags, then big-endian `words`, possibly with a false count.
func tablePayload(version: UInt8 = 0, _ words: [UInt32]) -> Bytes {
  var writer = ByteWriter()
  writer.write(FullAtomHeader(version: version))
  for word in words { writer.write(word) }
  return Bytes(writer.bytes)
}

/// Returns `stts` from pairs of count and duration.
func timeToSample(_ runs: [(UInt32, UInt32)]) throws -> TimeToSampleTable {
  try TimeToSampleTable(payload: tablePayload([UInt32(runs.count)] + runs.flatMap { [$0.0, $0.1] }))
}

/// Returns `ctts` from pairs of count and offset.
func compositionOffsets(version: UInt8 = 0, _ runs: [(UInt32, Int32)]) throws -> CompositionOffsetTable {
  try CompositionOffsetTable(
    payload: tablePayload(
      version: version, [UInt32(runs.count)] + runs.flatMap { [$0.0, UInt32(bitPattern: $0.1)] }))
}

/// Returns `stsc` from triples of first chunk, samples per chunk, and description.
func sampleToChunk(_ runs: [(UInt32, UInt32, UInt32)]) throws -> SampleToChunkTable {
  try SampleToChunkTable(payload: tablePayload([UInt32(runs.count)] + runs.flatMap { [$0.0, $0.1, $0.2] }))
}

/// Returns `stsz` with a size for each sample.
func sampleSizes(_ sizes: [UInt32]) throws -> SampleSizeTable {
  try SampleSizeTable(payload: tablePayload([0, UInt32(sizes.count)] + sizes))
}

/// Returns `stsz` with a common size.
func sampleSizes(uniform size: UInt32, count: UInt32) throws -> SampleSizeTable {
  try SampleSizeTable(payload: tablePayload([size, count]))
}

/// Returns `stz2` with a size for each sample.
func compactSampleSizes(bits: UInt32, _ sizes: [UInt32]) throws -> SampleSizeTable {
  var writer = ByteWriter()
  writer.write(tablePayload([bits, UInt32(sizes.count)]))
  switch bits {
  case 4:
    for index in stride(from: 0, to: sizes.count, by: 2) {
      let low = index + 1 < sizes.count ? sizes[index + 1] : 0
      writer.write(UInt8(sizes[index] << 4 | low))
    }
  case 8: for size in sizes { writer.write(UInt8(size)) }
  default: for size in sizes { writer.write(UInt16(size)) }
  }
  return try SampleSizeTable(compactPayload: Bytes(writer.bytes))
}

/// Returns `stco`.
func chunkOffsets(_ offsets: [UInt32]) throws -> ChunkOffsetTable {
  try ChunkOffsetTable(payload: tablePayload([UInt32(offsets.count)] + offsets), isWide: false)
}

/// Returns `co64`.
func wideChunkOffsets(_ offsets: [UInt64]) throws -> ChunkOffsetTable {
  let words = offsets.flatMap { [UInt32($0 >> 32), UInt32(truncatingIfNeeded: $0)] }
  return try ChunkOffsetTable(payload: tablePayload([UInt32(offsets.count)] + words), isWide: true)
}

/// Returns `stss` with sample numbers from 1.
func syncSamples(_ numbers: [UInt32]) throws -> SyncSampleTable {
  try SyncSampleTable(payload: tablePayload([UInt32(numbers.count)] + numbers))
}

/// Returns the error that `body` throws, or `nil` if it throws none or one of another type.
func movieError(_ body: () throws -> Void) -> MovieError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MovieError
  }
}

/// A SplitMix64 generator, which returns equal numbers for equal seeds.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
