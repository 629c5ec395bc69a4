extension AtomTree {
  /// The sample table (`stbl`) of a track.
  package func sampleTable(ofTrack trak: Int) -> Int? { descendant(of: trak, "mdia", "minf", "stbl") }
}

extension SampleTable {
  /// Reads the tables of an `stbl` atom.
  init(in stbl: Int, of tree: AtomTree) throws(MovieError) {
    let sizes: SampleSizeTable
    if let stsz = tree.child(of: stbl, "stsz") {
      sizes = try tree.locating(stsz) { bytes throws(MovieError) in try SampleSizeTable(payload: bytes) }
    } else {
      let stz2 = try Self.require("stz2", or: "stsz", in: stbl, of: tree)
      sizes = try tree.locating(stz2) { bytes throws(MovieError) in try SampleSizeTable(compactPayload: bytes) }
    }
    let isWide = tree.child(of: stbl, "stco") == nil
    let offsets = try Self.require(isWide ? "co64" : "stco", or: "stco", in: stbl, of: tree)
    self.init(
      timeToSample: try tree.decode(TimeToSampleTable.self, at: try Self.require("stts", in: stbl, of: tree)),
      compositionOffsets: try Self.decode(CompositionOffsetTable.self, "ctts", in: stbl, of: tree),
      sampleToChunk: try tree.decode(SampleToChunkTable.self, at: try Self.require("stsc", in: stbl, of: tree)),
      sampleSizes: sizes,
      chunkOffsets: try tree.locating(offsets) { bytes throws(MovieError) in
        try ChunkOffsetTable(payload: bytes, isWide: isWide)
      },
      syncSamples: try Self.decode(SyncSampleTable.self, "stss", in: stbl, of: tree))
  }

  private static func require(
    _ type: FourCC, or named: FourCC? = nil, in stbl: Int, of tree: AtomTree
  ) throws(MovieError) -> Int {
    if let found = tree.child(of: stbl, type) { return found }
    throw tree.error(.malformed, at: stbl, "has no \(named ?? type)")
  }

  private static func decode<Payload: AtomPayload>(
    _ payload: Payload.Type, _ type: FourCC, in stbl: Int, of tree: AtomTree
  ) throws(MovieError) -> Payload? {
    guard let found = tree.child(of: stbl, type) else { return nil }
    return try tree.decode(payload, at: found)
  }
}
