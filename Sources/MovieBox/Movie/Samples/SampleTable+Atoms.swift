extension AtomTree {
  /// The sample table (`stbl`) of a track.
  package func sampleTable(ofTrack trak: Int) -> Int? { descendant(of: trak, "mdia", "minf", "stbl") }

  /// The sample descriptions of a track.
  package func sampleDescriptions(ofTrack trak: Int) -> [Int] {
    descendant(of: trak, "mdia", "minf", "stbl", "stsd").map { Array(children(of: $0)) } ?? []
  }

  /// An atom of the codec's configuration in a sample description; QuickTime has them in `wave`.
  package func configuration(_ type: FourCC, of entry: Int) -> Bytes? {
    (child(of: entry, type) ?? descendant(of: entry, "wave", type)).map(payload(of:))
  }
}

extension SampleTable {
  /// Reads the tables of an `stbl` atom.
  init(in stbl: Int, of tree: AtomTree) throws(MovieError) {
    let sizes: SampleSizeTable
    if let stsz = tree.child(of: stbl, "stsz") {
      sizes = try tree.locating(stsz) { bytes throws(MovieError) in try SampleSizeTable(payload: bytes) }
    } else {
      let stz2 = try tree.require("stz2", or: "stsz", in: stbl)
      sizes = try tree.locating(stz2) { bytes throws(MovieError) in try SampleSizeTable(compactPayload: bytes) }
    }
    let isWide = tree.child(of: stbl, "stco") == nil
    let offsets = try tree.require(isWide ? "co64" : "stco", or: "stco", in: stbl)
    self.init(
      timeToSample: try tree.decode(TimeToSampleTable.self, required: "stts", in: stbl),
      compositionOffsets: try tree.decode(CompositionOffsetTable.self, "ctts", in: stbl),
      sampleToChunk: try tree.decode(SampleToChunkTable.self, required: "stsc", in: stbl),
      sampleSizes: sizes,
      chunkOffsets: try tree.locating(offsets) { bytes throws(MovieError) in
        try ChunkOffsetTable(payload: bytes, isWide: isWide)
      },
      syncSamples: try tree.decode(SyncSampleTable.self, "stss", in: stbl))
  }
}
