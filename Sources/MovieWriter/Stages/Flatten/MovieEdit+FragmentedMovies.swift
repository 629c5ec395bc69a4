public import MovieBox

// What reads the fragments of movies.
extension MovieEdit {
  /// An edit of a movie that may be fragmented.
  ///
  /// One that adds no samples leaves the fragments where they are, and only positions in them follow; what they say of
  /// removed tracks becomes free space, and their media stays in the file, unused. All others list the samples of
  /// fragments in the movie atom, and the new file has no fragments; so does ``flatten()``, a layout that moves media,
  /// and a file that does not let fragments stay: see ``flattens(for:)``. The clock of that file starts when the
  /// earliest track does, whatever time the recording's clock has then; with `keepingStart` it is the recording's.
  ///
  /// An initialization segment takes metadata and nothing else.
  ///
  /// Of a movie without fragments nothing is read. Of another, reads the headers of the fragments (`moof`) and their
  /// index (`mfra`). Throws what the source throws, and ``/MovieBox/MovieError`` for what cannot be edited,
  /// broken fragments too.
  public init(of movie: Movie, from source: some RandomAccessSource, keepingStart: Bool = false) throws {
    guard movie.isFragmented, !movie.isInitializationSegment else {
      try self.init(MovieStages(movie))
      stages.keepsStart = keepingStart
      return
    }
    if let refusal = Self.refusal(of: movie) { throw refusal }
    let flattenedMovie = try FlattenedMovie(of: movie, from: source) { fragments in
      keepingStart ? nil : fragments.start(in: movie)
    }
    try self.init(MovieStages(flattenedMovie))
    stages.keepsStart = keepingStart
    try requireSamples()
  }

  /// Adds tracks of another movie as ``add(_:of:from:)`` does, and puts them among those of their kind: into groups, with
  /// their roles; subtitles are paired and follow audio as those of ``addSubtitles(_:)`` do.
  ///
  /// All or nothing. Throws what ``add(_:of:from:)`` throws, `.invalidEdit` for roles that a track cannot have, and
  /// ``SubtitleAddition/Conflict/enabledTwice(trackIDs:group:)``.
  public mutating func addTracks(
    _ additions: [MovieTrackAddition], of other: Movie, from source: some RandomAccessSource
  ) throws -> [UInt32] {
    try addTracks(additions, of: other, from: source) { error, _ in error }
  }

  /// The same; `explain` gives what is thrown in the place of an error. It gets the IDs of the tracks once they are added.
  package mutating func addTracks(
    _ additions: [MovieTrackAddition], of other: Movie, from source: some RandomAccessSource,
    explain: (any Error, [UInt32]) -> any Error
  ) throws -> [UInt32] {
    var edit = self
    var ids: [UInt32] = []
    do {
      ids = try edit.add(additions.map(\.input), of: other, from: source)
      for (addition, id) in zip(additions, ids) {
        try edit.setRole(of: addition, id)
        try edit.setSelection(of: addition, id)
      }
      try edit.arrange(additions, ids)
    } catch {
      throw explain(error, ids)
    }
    self = edit
    return ids
  }

  /// Adds tracks of another movie after all others, in no group, disabled; gives their IDs. Samples of fragments are
  /// listed in the movie atom of this movie, and all are copied when it is written: see ``otherSources``.
  ///
  /// The clock of a fragmented `other` starts when its earliest track does. Where the clocks of both movies start less
  /// than ten seconds apart, they are taken for one, and tracks of both keep their distances.
  ///
  /// Of a movie without fragments nothing is read. Of another, reads the headers of the fragments (`moof`). Throws what
  /// the source throws, and ``/MovieBox/MovieError`` for tracks that `other` does not have, whose samples lie in other
  /// files, or that do not fit, and for broken fragments.
  ///
  /// - Parameters:
  ///   - inputs: the tracks, all of `other`.
  ///   - other: the movie that has them.
  ///   - source: what it was read from.
  public mutating func add(
    _ inputs: [MovieTrackInput], of other: Movie, from source: some RandomAccessSource
  ) throws -> [UInt32] {
    guard other.isFragmented else { return try add(inputs, of: other) }
    if let refusal = Self.refusal(of: other) { throw refusal }
    let flattenedMovie = try FlattenedMovie(of: other, from: source) { fragments in
      stages.keepsStart
        ? nil : StartOfOtherMovie(fragments.start(in: other), besideStart: stages.flattened?.start).start
    }
    let moved = try inputs.map { input throws(MovieError) in
      let place = other.tracks.firstIndex { $0.atom == input.track.atom && $0.id == input.track.id }
      guard let place else { throw Self.trackNotInMovie(input.track) }
      return input.moved(to: flattenedMovie.movie.tracks[place])
    }
    return try add(moved, of: flattenedMovie.movie, flattenedMovie)
  }
}

/// The time on the other movie's clock that becomes 0 when its tracks are added to the edited movie.
struct StartOfOtherMovie {
  let start: MediaTime?

  /// - Parameters:
  ///   - own: when the clock of the movie starts.
  ///   - edited: what is subtracted from the times of the movie that is edited.
  init(_ own: MediaTime?, besideStart edited: MediaTime?) {
    let zero = MediaTime.zero
    let isShared = (own ?? zero).sharesClock(with: edited ?? zero)
    start = isShared ? edited : own
  }
}
