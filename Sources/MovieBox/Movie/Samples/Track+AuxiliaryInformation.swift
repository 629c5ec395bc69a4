extension Track {
  /// Bytes that samples need beside their own, such as what encrypted ones were encrypted with.
  package struct AuxiliaryRange: Hashable, Sendable {
    /// Where they lie in the file.
    package let range: ByteRange
    /// The index of the first sample that they belong to.
    package let firstSample: Int
  }

  /// Where the auxiliary information lies that `saiz` and `saio` in `stbl` describe (ISO/IEC 14496-12 8.7.8 and 8.7.9).
  ///
  /// Costs the chunks of the track where there is a position for each. Throws for atoms that are broken or do not fit
  /// one another or the track, with path and offset.
  package func auxiliaryInformation(in tree: AtomTree) throws(MovieError) -> [AuxiliaryRange] {
    guard let stbl = tree.sampleTable(ofTrack: atom) else { return [] }
    var sizesByKind: [AuxiliaryInformationType?: AuxiliaryInformationSizes] = [:]
    for saiz in tree.children(of: stbl, "saiz") {
      let sizes = try tree.decode(AuxiliaryInformationSizes.self, at: saiz)
      if sizesByKind[sizes.kind] == nil { sizesByKind[sizes.kind] = sizes }
    }
    var ranges: [AuxiliaryRange] = []
    for saio in tree.children(of: stbl, "saio") {
      let offsets = try tree.decode(AuxiliaryInformationOffsets.self, at: saio)
      guard let sizes = sizesByKind[offsets.kind] else {
        throw Self.failure(saio, of: tree, "has no saiz of its kind: nobody knows how many bytes it describes")
      }
      guard offsets.count == 1 || offsets.count == samples.chunkCount else {
        throw Self.failure(saio, of: tree, "has \(offsets.count) positions, the track has \(samples.chunkCount) chunks")
      }
      func append(_ offset: UInt64, _ samples: Range<Int>) throws(MovieError) {
        let clamped = samples.clamped(to: 0..<sizes.count)
        guard let range = ByteRange(offset: offset, count: sizes.byteCount(of: clamped)) else {
          throw Self.failure(saio, of: tree, "a position of \(offset) does not fit in 64 bits")
        }
        if range.count > 0 { ranges.append(AuxiliaryRange(range: range, firstSample: samples.lowerBound)) }
      }
      if offsets.count == 1 {
        // The sizes are a claim: no more count than the track has samples.
        try append(offsets[0], 0..<Swift.min(sizes.count, samples.sampleCount))
        continue
      }
      for chunk in samples.chunks {
        try append(offsets[chunk.index], chunk.firstSample..<chunk.firstSample + chunk.sampleCount)
      }
    }
    return ranges
  }

  private static func failure(_ index: Int, of tree: AtomTree, _ reason: String) -> MovieError {
    tree.error(.malformed, at: index, reason)
  }
}
