/// A piece of a movie that lists its own samples: the `moof` atom (ISO/IEC 14496-12 8.8.4).
package struct MovieFragment: Sendable {
  /// The fragment's place in the file, counted from 0.
  package let index: Int
  /// Where the `moof` atom lies.
  package let range: ByteRange
  /// The number that the fragment has; `nil` where `mfhd` is missing.
  package let sequenceNumber: UInt32?
  /// The tracks' parts, in the order of the file; a track may have several.
  package let trackFragments: [TrackFragment]

  let bytes: Bytes
  let limits: MovieLimits

  /// All atoms of the fragment.
  ///
  /// Made each time, since a movie may have hundreds of thousands of fragments; costs one pass over the `moof`.
  package func tree() throws(MovieError) -> AtomTree {
    try AtomTree(bytes, at: range.offset, limits: limits)
  }
}
