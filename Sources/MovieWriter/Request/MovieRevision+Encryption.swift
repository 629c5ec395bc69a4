import MovieBox

extension MovieRevision {
  /// The new places of what samples were encrypted with; none if the movie atom of the file is another one than that of
  /// the edit: compressed, or with fragments whose samples an edit lists.
  func encryptionMoves(to new: AtomTree, at offset: UInt64 = 0) throws(MovieError) -> EncryptionMoves {
    guard !movie.hasCompressedMovieAtom, stages.flattened == nil else { return EncryptionMoves() }
    return try EncryptionMoves(from: movie.tree, to: new, at: offset)
  }
}
