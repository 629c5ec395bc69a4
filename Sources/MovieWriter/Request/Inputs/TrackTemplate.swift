import MovieBox

/// The properties that all new tracks of an edit share, and the IDs that are left for them.
///
/// Each costs a pass over all tracks, so an edit computes them once.
struct TrackTemplate {
  let movie: Movie
  /// When the movie is over for new subtitles, in movie ticks; see ``MovieEdit/endInMovieTicks``.
  let end: UInt64
  /// When the movie is over by its own tracks, in movie ticks.
  let fileEnd: UInt64
  /// When the first picture or sound begins, or `nil` if the movie has neither.
  let mediaStart: MediaTime?
  /// Where subtitles are drawn.
  let geometry: SubtitleGeometry
  /// The header fields of a new track.
  let facts: NewTrackFacts
  /// The IDs for new tracks.
  var ids: FreeTrackIDs

  init(_ edit: MovieEdit) {
    movie = edit.movie
    end = edit.endInMovieTicks
    fileEnd = movie.endInMovieTicks
    mediaStart = edit.mediaStart
    geometry = EncodedTrack.geometry(in: movie)
    facts = NewTrackFacts(movie, durationInMovieTicks: 0)
    ids = edit.freeTrackIDs
    ListPass.end(after: movie.tracks.count)
  }
}

/// The track IDs that nothing uses, one after another.
///
/// Each is above every ID in use and every ID that a reference names, and at least the movie's next one; where those are
/// used up, the lowest free one (ISO/IEC 14496-12 8.2.2, all ones).
struct FreeTrackIDs {
  private var inUse: Set<UInt32>
  /// The next track ID that `mvhd` has to declare.
  private(set) var next: UInt32
  private var wanted: UInt64
  private var lowest: UInt32 = 1

  init(besides inUse: Set<UInt32>, from next: UInt32) {
    self.inUse = inUse
    self.next = next
    wanted = max(inUse.max().map { UInt64($0) + 1 } ?? 1, UInt64(next), 1)
  }

  /// Removes and returns the first of the IDs.
  mutating func take() throws(MovieError) -> UInt32 {
    if next != .max, let id = UInt32(exactly: wanted), id != .max {
      (wanted, next) = (UInt64(id) + 1, id + 1)
      inUse.insert(id)
      return id
    }
    while inUse.contains(lowest) {
      guard lowest < .max - 1 else { throw MovieError(.limit, "no track ID is free") }
      lowest += 1
    }
    inUse.insert(lowest)
    next = .max
    return lowest
  }
}
