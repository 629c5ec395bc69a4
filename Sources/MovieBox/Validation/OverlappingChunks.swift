/// Finds chunks that share some of their bytes with another.
///
/// Chunks that begin and end at the same bytes are not a mistake: hint tracks have them, and writers that store the
/// same samples once.
enum OverlappingChunks {
  /// The first such chunk of each track, counted from 0, and the track that it shares bytes with.
  ///
  /// Costs the chunks, or a sort of them (``ChunksInFileOrder``). A movie of more than
  /// ``MovieLimits/comparedChunkCount`` is not looked at.
  static func find(in movie: Movie) -> [(track: Track, chunk: Int, other: Track)] {
    var count = 0
    for track in movie.tracks { count = count.addingReportingOverflow(track.samples.chunkCount).partialValue }
    guard count >= 0, count <= movie.limits.comparedChunkCount else { return [] }
    var found: [(track: Track, chunk: Int, other: Track)] = []
    var reported: Set<Int> = []
    ChunksInFileOrder(movie.tracks).forEachOverlap(by: { $0.range }) { chunk, before in
      guard before.range != chunk.range, reported.insert(chunk.track).inserted else { return }
      found.append((movie.tracks[chunk.track], chunk.chunk.index, movie.tracks[before.track]))
    }
    return found
  }
}
