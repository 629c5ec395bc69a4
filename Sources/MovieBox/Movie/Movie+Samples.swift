extension Movie {
  /// Samples that do not lie where samples can: past the end of the file, or inside the movie header.
  ///
  /// The first of each track, and no more than ``MovieLimits/defectCount``. Costs one pass over the sample tables; reads
  /// nothing.
  public func misplacedSamples() -> [MovieError] {
    var errors: [MovieError] = []
    for track in tracks where errors.count < limits.defectCount {
      guard let stbl = tree.descendant(of: track.atom, "mdia", "minf", "stbl"),
        let table = tree.child(of: stbl, "stco") ?? tree.child(of: stbl, "co64")
      else { continue }
      let locator = ChunkLocator(track)
      for chunk in track.samples.chunks where chunk.byteCount > 0 && !locator.isExternal(chunk) {
        guard let reason = misplacement(locator.byteRange(of: chunk), of: chunk) else { continue }
        errors.append(
          MovieError(.truncated, at: tree.range(of: table).offset, in: tree.path(of: table), reason))
        break
      }
    }
    return errors
  }

  private func misplacement(_ range: ByteRange?, of chunk: Chunk) -> String? {
    if let range, range.end <= layout.identity.byteCount, !range.overlaps(movieAtom.range) { return nil }
    let name = "chunk \(chunk.index + 1) of \(range?.count ?? chunk.byteCount) bytes at \(chunk.offset)"
    guard let range, range.end <= layout.identity.byteCount else {
      return "\(name) reaches past the end of the file at \(layout.identity.byteCount)"
    }
    return "\(name) reaches into the movie header"
  }

  /// Whether media lies after `offset`: an `mdat`, empty or not, or samples elsewhere.
  public func hasMedia(after offset: UInt64) -> Bool {
    if layout.atoms.contains(where: { $0.type == "mdat" && $0.range.offset > offset }) { return true }
    return tracks.contains { track in
      // Most tables are done with here: adding sample sizes up costs more than looking at chunks.
      guard track.samples.chunkOffsets.contains(where: { $0 > offset }) else { return false }
      let locator = ChunkLocator(track)
      return track.samples.chunks.contains { $0.byteCount > 0 && $0.offset > offset && !locator.isExternal($0) }
    }
  }
}
