/// One of two movies that are compared.
package struct MovieSide<Source: RandomAccessSource> {
  let source: Source
  let movie: Movie
  /// `nil` for a movie without fragments.
  let fragments: MovieFragments?

  package init(_ movie: Movie, _ fragments: MovieFragments?, of source: Source) {
    self.source = source
    self.movie = movie
    self.fragments = fragments
  }

  init(_ source: Source, limits: MovieLimits) throws {
    self.source = source
    movie = try Movie(of: source, limits: limits)
    if let refusal = movie.refusalAsReferenceMovie { throw refusal }
    fragments = movie.isFragmented ? try movie.readFragments(of: source) : nil
  }

  /// The tracks in the order of the movie. Those of one ID are distinguished by their number among these.
  var tracks: [TrackSide] {
    var seen: [UInt32: Int] = [:]
    return movie.tracks.enumerated().map { index, track in
      let number = seen[track.id, default: 0]
      seen[track.id] = number + 1
      return TrackSide(track: track, fragmented: fragments?.tracks[index], number: number)
    }
  }

  /// Where an atom of the movie atom lies.
  func place(_ index: Int) -> MovieDifference.Place {
    movie.tree.place(of: index)
  }

  /// The first of some atoms in the sample table of a track; the track itself in a movie whose fragments say instead.
  func table(_ types: [FourCC], of track: Track) -> MovieDifference.Place? {
    guard fragments == nil else { return place(track.atom) }
    guard let stbl = movie.tree.sampleTable(ofTrack: track.atom) else { return nil }
    return place(types.lazy.compactMap { movie.tree.child(of: stbl, $0) }.first ?? stbl)
  }
}

/// A track of one of two movies.
struct TrackSide {
  let track: Track
  /// Its samples in `moov` and fragments; `nil` in a movie without fragments.
  let fragmented: FragmentedTrack?
  /// Its number among the tracks of the same ID.
  let number: Int

  /// What a track of the other movie must have to be the same one.
  var key: [UInt32] { [track.id, UInt32(clamping: number)] }

  /// Whether a track of the same key may be this one: one of sound is not made of one of pictures.
  func isAlike(_ other: TrackSide) -> Bool {
    track.mediaType == other.track.mediaType || !Set(track.formats).isDisjoint(with: other.track.formats)
  }

  var sampleCount: Int { fragmented?.sampleCount ?? track.samples.sampleCount }
}
