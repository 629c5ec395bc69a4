/// The bytes of a file that the samples of some tracks name, counted once each.
///
/// Costs the chunks of the tracks (``ChunksInFileOrder``). What lies in other files is left out, and what is named
/// otherwise than by a chunk: items of metadata, auxiliary information.
///
///     let named = MediaRanges(movie.tracks)
///     for atom in movie.layout.atoms where atom.type == "mdat" {
///       print(atom.payloadRange.count - named.byteCount(in: atom.payloadRange), "bytes that no sample names")
///     }
package struct MediaRanges: Hashable, Sendable {
  /// In the order of the file; they neither touch nor share bytes.
  package var ranges: [ByteRange] { named.ranges }

  private let named: ByteRangeSet

  /// The ranges that the chunks of `tracks` name.
  package init(_ tracks: some Sequence<Track>) {
    named = ByteRangeSet(inOrder: ChunksInFileOrder(Array(tracks)).lazy.map(\.range))
  }

  /// How many bytes are named.
  package var byteCount: UInt64 { named.byteCount }

  /// How many bytes of `range` are named.
  package func byteCount(in range: ByteRange) -> UInt64 {
    named.parts(of: range).reduce(0) { $0 &+ $1.count }  // They share no bytes.
  }
}
