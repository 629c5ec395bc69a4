/// Finds chunks that share some of their bytes with another.
///
/// Chunks that begin and end at the same bytes are not a mistake: hint tracks have them, and writers that store the same
/// samples once.
enum OverlappingChunks {
  private struct Piece {
    let range: ByteRange
    let chunk: Int
    let track: Int
  }

  /// The first such chunk of each track, counted from 0, and the track that it shares bytes with.
  ///
  /// Costs a sort of the chunks, and memory for them. A movie of more than ``MovieLimits/comparedChunkCount`` is not
  /// looked at.
  static func find(in movie: Movie) -> [(track: Track, chunk: Int, other: Track)] {
    var count = 0
    for track in movie.tracks { count = count.addingReportingOverflow(track.samples.chunkCount).partialValue }
    guard count >= 0, count <= movie.limits.comparedChunkCount else { return [] }
    var pieces: [Piece] = []
    for (index, track) in movie.tracks.enumerated() {
      let locator = ChunkLocator(track)
      for chunk in track.samples.chunks where chunk.byteCount > 0 && !locator.isExternal(chunk) {
        guard let range = locator.byteRange(of: chunk) else { continue }
        pieces.append(Piece(range: range, chunk: chunk.index, track: index))
      }
    }
    var found: [(track: Track, chunk: Int, other: Track)] = []
    var reported: Set<Int> = []
    pieces.sort { $0.range.offset < $1.range.offset }  // In place: a copy of a million would be felt.
    pieces.forEachOverlap(by: { $0.range }) { piece, before in
      guard before.range != piece.range, reported.insert(piece.track).inserted else { return }
      found.append((movie.tracks[piece.track], piece.chunk, movie.tracks[before.track]))
    }
    return found
  }
}
