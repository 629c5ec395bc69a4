import MovieBox

/// The fragments and texts of a movie that its page has read. The presentation of the movie takes them over, so that
/// nothing is read twice.
package struct MovieContents: Sendable {
  /// The fragments, or `nil` if the movie has none.
  var fragments: MovieFragments?
  /// The texts by the IDs of their tracks, on the clock that begins with the movie.
  var texts: [UInt32: TextTrack] = [:]
}
