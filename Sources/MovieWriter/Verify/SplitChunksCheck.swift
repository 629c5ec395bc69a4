import MovieBox

/// A movie whose long chunks were split: what lay in one chunk lies in several now, each sample where it lay.
struct SplitChunksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Every sample names the bytes that it named before chunks were split, in the same order, with the same description;
  /// and all of `moov` but the tables of chunks is as it was.
  ///
  /// Costs one pass over the chunks.
  func check() throws(MovieError) {
    guard let unsplit = resolved.stages.unsplit else { return }
    try AtomChangePolicy.splitChunks.check(.init(unsplit.tree), .init(resolved.movie.tree))
    let kept = unsplit.tracks.filter { !resolved.tracks.removed.contains($0.id) }
    let keptPlanned = planned.tracks.filter { !resolved.tracks.new.contains($0.id) }
    guard unsplit.tracks.count == resolved.movie.tracks.count, kept.count == keptPlanned.count else {
      throw failure("\(kept.count) tracks were to be kept, \(keptPlanned.count) are there")
    }
    for (old, new) in zip(kept, keptPlanned) { try checkPieces(old: old, new: new) }
  }

  /// The chunks of the planned track are those of the old one, in pieces that together are the whole.
  private func checkPieces(old: Track, new: Track) throws(MovieError) {
    guard old.samples.sampleCount == new.samples.sampleCount else {
      throw failure("track \(old.id) had \(old.samples.sampleCount) samples, has \(new.samples.sampleCount)")
    }
    let before = ChunkLocator(old)
    let after = ChunkLocator(new)
    let bases = ChunkOrigins(old, resolved.added.externalMedia[old.id]).bases(in: plan.source)
    var pieces = new.samples.chunks.makeIterator()
    for chunk in old.samples.chunks {
      let whole = before.byteRange(of: chunk)
      var nextSample = chunk.firstSample
      var done: UInt64 = 0
      repeat {
        guard let piece = pieces.next(), piece.firstSample == nextSample,
          piece.samples.upperBound <= chunk.samples.upperBound,
          piece.sampleDescriptionIndex == chunk.sampleDescriptionIndex
        else { throw torn(chunk, old) }
        nextSample = piece.samples.upperBound
        // A piece of no samples would not come to an end of the chunk.
        guard piece.sampleCount > 0 || chunk.sampleCount == 0 else { throw torn(chunk, old) }
        guard chunk.byteCount > 0 else { continue }
        guard let whole, let place = after.byteRange(of: piece),
          let from = ByteRange(offset: whole.offset &+ done, count: place.count), whole.contains(from)
        else { throw torn(chunk, old) }
        done &+= place.count
        if let base = bases[chunk] {
          guard let moved = from.moved(by: base), !after.isExternal(piece), checker.copies(place, of: moved) else {
            throw failure(
              "a piece of chunk \(chunk.index + 1) of track \(old.id) does not refer to its bytes", at: chunk.offset)
          }
        } else if place.offset != from.offset {
          throw failure("chunk \(chunk.index + 1) of track \(old.id) lies in another file and was moved")
        }
      } while nextSample < chunk.samples.upperBound
      guard chunk.byteCount == 0 || done == whole?.count else { throw torn(chunk, old) }
    }
    guard pieces.next() == nil else { throw failure("track \(old.id) has more chunks than its samples fill") }
  }

  private func torn(_ chunk: Chunk, _ track: Track) -> MovieError {
    failure("the pieces of chunk \(chunk.index + 1) of track \(track.id) are not the whole", at: chunk.offset)
  }
}
