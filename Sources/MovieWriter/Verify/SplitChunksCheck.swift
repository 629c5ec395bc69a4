import MovieBox

/// Checks a movie whose long chunks were split into several chunks, without moving a sample.
struct SplitChunksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that every sample refers to the same bytes as before the split, in the same order and with the same
  /// description, and that `moov` changed only in its chunk tables.
  ///
  /// Makes one pass over the chunks.
  func check() throws(MovieError) {
    guard let unsplit = resolved.stages.unsplit else { return }
    try AtomChangePolicy.splitChunks.check(.init(unsplit.tree), .init(resolved.movie.tree))
    let keptTracks = unsplit.tracks.filter { !resolved.tracks.removed.contains($0.id) }
    let keptPlannedTracks = planned.tracks.filter { !resolved.tracks.new.contains($0.id) }
    guard unsplit.tracks.count == resolved.movie.tracks.count, keptTracks.count == keptPlannedTracks.count else {
      throw failure("the planned movie has \(keptPlannedTracks.count) kept tracks instead of \(keptTracks.count)")
    }
    for (old, new) in zip(keptTracks, keptPlannedTracks) { try checkPieces(old: old, new: new) }
  }

  /// Checks that the chunks of the planned track are pieces that together form the old chunks.
  private func checkPieces(old: Track, new: Track) throws(MovieError) {
    guard old.samples.sampleCount == new.samples.sampleCount else {
      throw failure("track \(old.id) had \(old.samples.sampleCount) samples and now has \(new.samples.sampleCount)")
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
        else { throw splitSampleError(chunk, old) }
        nextSample = piece.samples.upperBound
        // Reject a piece without samples, because it would make the loop endless.
        guard piece.sampleCount > 0 || chunk.sampleCount == 0 else { throw splitSampleError(chunk, old) }
        guard chunk.byteCount > 0 else { continue }
        guard let whole, let pieceRange = after.byteRange(of: piece),
          let from = ByteRange(offset: whole.offset &+ done, count: pieceRange.count), whole.contains(from)
        else { throw splitSampleError(chunk, old) }
        done &+= pieceRange.count
        if let base = bases[chunk] {
          guard let moved = from.moved(by: base), !after.isExternal(piece), checker.copies(pieceRange, of: moved) else {
            throw failure(
              "a piece of chunk \(chunk.index + 1) of track \(old.id) does not refer to its bytes", at: chunk.offset)
          }
        } else if pieceRange.offset != from.offset {
          throw failure("chunk \(chunk.index + 1) of track \(old.id) is in another file and was moved")
        }
      } while nextSample < chunk.samples.upperBound
      guard chunk.byteCount == 0 || done == whole?.count else { throw splitSampleError(chunk, old) }
    }
    guard pieces.next() == nil else { throw failure("track \(old.id) has chunks beyond its samples") }
  }

  private func splitSampleError(_ chunk: Chunk, _ track: Track) -> MovieError {
    failure("the pieces of chunk \(chunk.index + 1) of track \(track.id) do not form the chunk", at: chunk.offset)
  }
}
