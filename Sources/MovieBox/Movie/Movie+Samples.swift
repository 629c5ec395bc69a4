extension Movie {
  /// Samples that do not lie where samples can: past the end of the file, or inside the movie header.
  ///
  /// The first of each track. Costs one pass over the sample tables; reads nothing.
  public func misplacedSamples() -> [MovieError] {
    var errors: [MovieError] = []
    for track in tracks {
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

  /// Where the first media after `offset` lies: an `mdat`, empty or not, or samples elsewhere; `nil` for none.
  public func firstMediaOffset(after offset: UInt64) -> UInt64? {
    let data = layout.atoms.first { $0.type == "mdat" && $0.range.offset > offset }
    var first = data?.range.offset
    for track in tracks {
      let locator = ChunkLocator(track)
      for chunk in track.samples.chunks
      where chunk.byteCount > 0 && chunk.offset > offset && !locator.isExternal(chunk) {
        first = Swift.min(first ?? chunk.offset, chunk.offset)
      }
    }
    return first
  }
}
