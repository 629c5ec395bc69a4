/// Where the samples of a track's part of a fragment lie, and what describes them elsewhere in the file.
///
/// Of tracks that the movie does not have, too: their bytes move like those of others.
package struct FragmentDataOffsets {
  /// The first byte of each run of samples, then of auxiliary information; those of no bytes are left out.
  package let starts: [UInt64]

  /// The data of `part` of the fragment with this tree. Throws for atoms that are broken, as their readers do.
  package init(of part: TrackFragment, in tree: AtomTree) throws(MovieError) {
    let base = part.baseOffset  // `nil` where positions count from nowhere.
    var starts: [UInt64] = []
    var next = base
    for trun in tree.children(of: part.atom, "trun") {
      let run = try tree.decode(TrackRun.self, at: trun)
      let start = run.dataOffset.map { distance in base.flatMap { $0.moved(by: distance) } } ?? next
      let byteCount = run.byteCount(of: 0..<run.count, default: part.defaults.size)
      if let start, byteCount > 0 { starts.append(start) }
      next = start.flatMap { ByteRange(offset: $0, count: byteCount)?.end }
    }
    for information in try part.auxiliaryInformation(in: tree) {
      starts += information.ranges.filter { $0.count > 0 }.map(\.offset)
    }
    self.starts = starts
  }
}
