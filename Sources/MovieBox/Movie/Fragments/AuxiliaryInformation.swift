/// Information that samples of a fragment need beside their own bytes, such as what encrypted ones were encrypted with:
/// `saiz` and `saio` of one kind, joined.
package struct AuxiliaryInformation: Hashable, Sendable {
  /// Which information; `nil` where the sample description implies it.
  package let kind: AuxiliaryInformationType?
  /// How many bytes each sample has. Samples of the fragment past its end have none.
  package let sizes: AuxiliaryInformationSizes
  /// The bytes in the file: one range for all samples, or one for each run of the fragment.
  package let ranges: [ByteRange]
  /// The index of `saiz` in the tree of the fragment.
  package let sizesAtom: Int
  /// The index of `saio` in the tree of the fragment.
  package let offsetsAtom: Int
}

extension TrackFragment {
  /// What `saiz` and `saio` say of auxiliary information, in the order of the file.
  ///
  /// The bytes mostly lie in `senc` of the same fragment. Throws for atoms that are broken or do not fit one another or
  /// the fragment, with path and offset.
  ///
  /// - Parameter tree: that of the fragment.
  package func auxiliaryInformation(in tree: AtomTree) throws(MovieError) -> [AuxiliaryInformation] {
    var counts: [Int] = []
    for trun in tree.children(of: atom, "trun") { counts.append(try tree.decode(TrackRun.self, at: trun).count) }
    let sampleCount = counts.reduce(0, +)  // Fewer than 2³² for each atom in memory.
    var places: [AuxiliaryInformationType?: (atom: Int, table: AuxiliaryInformationOffsets)] = [:]
    for saio in tree.children(of: atom, "saio") {
      let table = try tree.decode(AuxiliaryInformationOffsets.self, at: saio)
      if places[table.kind] == nil { places[table.kind] = (saio, table) }
    }
    var all: [AuxiliaryInformation] = []
    for saiz in tree.children(of: atom, "saiz") {
      let sizes = try tree.decode(AuxiliaryInformationSizes.self, at: saiz)
      // Each saio serves one saiz (ISO/IEC 14496-12 8.7.9.1), so that there are no more ranges than positions.
      guard let place = places.removeValue(forKey: sizes.kind) else {
        throw failure(saiz, of: tree, "has no saio of its kind to itself")
      }
      guard sizes.count <= sampleCount else {
        throw failure(saiz, of: tree, "has sizes for \(sizes.count) samples, the fragment has \(sampleCount)")
      }
      let kept = keptSampleCount.map { sizes.prefix($0) } ?? sizes
      let ranges = try ranges(of: kept, at: place, runs: counts, in: tree)
      all.append(
        AuxiliaryInformation(
          kind: kept.kind, sizes: kept, ranges: ranges, sizesAtom: saiz, offsetsAtom: place.atom))
    }
    return all
  }

  private func ranges(
    of sizes: AuxiliaryInformationSizes, at place: (atom: Int, table: AuxiliaryInformationOffsets), runs: [Int],
    in tree: AtomTree
  ) throws(MovieError) -> [ByteRange] {
    let (saio, offsets) = place
    let parts = offsets.count == 1 ? [sizes.count] : runs
    guard offsets.count == parts.count else {
      throw failure(saio, of: tree, "has \(offsets.count) positions, the fragment has \(runs.count) runs")
    }
    var ranges: [ByteRange] = []
    var first = 0
    for (offset, sampleCount) in zip(offsets, parts) {
      let end = Swift.min(first + sampleCount, sizes.count)
      guard let base = baseOffset, let start = ByteRange(offset: base, count: offset)?.end,
        let range = ByteRange(offset: start, count: sizes.byteCount(of: first..<end))
      else { throw failure(saio, of: tree, "a position of \(offset) does not fit in 64 bits") }
      ranges.append(range)
      first = end
    }
    return ranges
  }

  private func failure(_ index: Int, of tree: AtomTree, _ reason: String) -> MovieError {
    tree.error(.malformed, at: index, reason)
  }
}
