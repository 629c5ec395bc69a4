public import MovieBox

// A fragmented movie lists its samples in fragments, and only the source contains the fragments. Therefore, requests
// that need the samples first read the headers of the fragments.
extension MovieEdit {
  /// Creates an edit of a movie. The movie may be fragmented.
  ///
  /// If the edit adds no samples, the fragments are kept, and only the offsets in them are adjusted. The fragments'
  /// entries for removed tracks become free space, and the media of these tracks remains in the file, unused. If the
  /// edit adds samples, the movie atom lists all samples, and the new file has no fragments. ``flatten()`` and a layout
  /// that moves media also remove the fragments. They are removed as well if the file does not allow them to be kept;
  /// see ``flattens(for:)``.
  ///
  /// The clock of a flattened movie starts when its earliest track starts. With `keepingStart`, the movie keeps the
  /// clock of the recording.
  ///
  /// An edit of an initialization segment can only change metadata.
  ///
  /// Does not read a movie without fragments. For a fragmented movie, reads the headers of the fragments (`moof`) and
  /// their index (`mfra`). Throws errors of the source, and ``/MovieBox/MovieError`` if the movie cannot be edited or
  /// its fragments are malformed.
  public init(of movie: Movie, from source: some RandomAccessSource, keepingStart: Bool = false) throws {
    try self.init(MovieStages(of: movie, from: source, keepingStart: keepingStart), from: source)
    try requireSamples()
  }

  /// Creates an edit of a movie whose file may be cut off, with the samples of each track before its first missing
  /// sample.
  ///
  /// Removes tracks without samples. ``missingSamples`` and ``notices`` list the missing samples. The edited movie must
  /// be written to a new file. Misplaced samples of a complete file do not count as missing.
  ///
  /// For a complete file or a fragmented movie, the edit keeps the samples that ``init(of:from:keepingStart:)`` keeps.
  /// If a fragmented movie ends with an incomplete `moof`, the edit also removes the fragments, as ``flatten()`` does.
  ///
  /// Throws the errors of ``init(of:from:keepingStart:)``, `.truncated` if no sample remains, and `.unsupported` for
  /// tracks with encryption information.
  public init(
    salvaging movie: Movie, from source: some RandomAccessSource, keepingStart: Bool = false
  ) throws {
    let missingSamples = movie.isFragmented || movie.layout.cutOffset == nil ? [] : movie.missingSamples()
    if missingSamples.isEmpty {
      try self.init(of: movie, from: source, keepingStart: keepingStart)
      // The file ends with an incomplete `moof`. Other programs then read only the samples in `moov`, so the new file
      // has no fragments.
      if movie.isFragmented, movie.layout.trailing != nil { flatten() }
    } else {
      var stages = try MovieStages(SalvagedTrack.cut(movie))
      stages.salvaged = SalvagedMovie(original: movie, missingSamples: missingSamples)
      try self.init(stages, from: source)
      recordedNotices += EditNotice.notices(of: missingSamples)
      try requireSamples()
    }
    self.stages.closesTruncatedAtoms = true
    if !emptyTracks.isEmpty { removeTracks(emptyTracks) }
  }

  /// Throws if a cut-off movie contains no complete sample.
  func requireSamples() throws(MovieError) {
    guard !missingSamples.isEmpty, movie.tracks.allSatisfy({ $0.samples.sampleCount == 0 }) else { return }
    throw MovieError(
      .truncated, at: movie.layout.cutOffset,
      "the recording is cut off before the end of its first sample: it contains nothing to play")
  }

  // MARK: - Tracks of other movies

  /// Adds a track of another movie, as ``addTracks(_:of:from:)`` does for several tracks, and returns its ID.
  @discardableResult
  public mutating func addTrack(
    _ input: TrackInput, of other: Movie, from source: some RandomAccessSource
  ) throws -> UInt32 {
    let id = try addTracks([input], of: other, from: source).first
    guard let id else { throw MovieError(.invalidEdit, "the edit added no track") }
    return id
  }

  /// Adds tracks of another movie after all existing tracks, adds them to groups, and returns their IDs. Subtitles are
  /// paired and follow audio as in ``addSubtitles(_:)-([SubtitleInput])``.
  ///
  /// The movie atom of this movie lists the samples of the tracks, and their media is copied when the edit is written.
  /// The clock of a fragmented `other` starts when its earliest track starts. If the clocks of the two movies start
  /// less than ten seconds apart, they are treated as one clock, and the time between tracks of the two movies does not
  /// change.
  ///
  /// If `other` is fragmented, the headers of its fragments (`moof`) are read. If the function throws, the edit is
  /// unchanged. Throws errors of the source and ``Conflict/enabledTwice(trackIDs:group:)``. Throws
  /// ``/MovieBox/MovieError`` if a track is not in `other`, has samples in other files, does not fit, or cannot have
  /// the requested role, and if the fragments are malformed.
  ///
  /// - Parameters:
  ///   - inputs: the tracks, which must all belong to `other`.
  ///   - other: the movie that contains the tracks.
  ///   - source: the source from which `other` was read.
  @discardableResult
  public mutating func addTracks(
    _ inputs: [TrackInput], of other: Movie, from source: some RandomAccessSource
  ) throws -> [UInt32] {
    try addTracks(inputs, of: other, from: source) { error, _ in error }
  }

  /// Adds tracks as ``addTracks(_:of:from:)`` does, but throws the errors that `explain` returns.
  ///
  /// - Parameter explain: returns the error to throw instead of its first argument. Its second argument contains the
  ///   IDs of the new tracks, or is empty if no track was added before the failure.
  package mutating func addTracks(
    _ inputs: [TrackInput], of other: Movie, from source: some RandomAccessSource,
    explain: (any Error, [UInt32]) -> any Error
  ) throws -> [UInt32] {
    try atomically { edit in
      var ids: [UInt32] = []
      do {
        ids = try edit.add(inputs, of: other, from: source)
        for (input, id) in zip(inputs, ids) {
          try edit.setRole(of: input, id)
          try edit.setSelection(of: input, id)
        }
        try edit.arrange(inputs, ids)
      } catch {
        throw explain(error, ids)
      }
      return ids
    }
  }

  /// Adds tracks of another movie after all existing tracks, disabled and in no group, and returns their IDs. Reads and
  /// throws as ``addTracks(_:of:from:)`` does.
  package mutating func add(
    _ inputs: [TrackInput], of other: Movie, from source: some RandomAccessSource
  ) throws -> [UInt32] {
    guard other.isFragmented else { return try add(inputs, of: other, source: source) }
    if let refusal = other.editRefusal() { throw refusal }
    let flattenedMovie = try FlattenedMovie(of: other, from: source) { fragments in
      stages.keepsStart
        ? nil : StartOfOtherMovie(fragments.start(in: other), inMovieStartingAt: stages.flattened?.start).start
    }
    let movedInputs = try inputs.map { input throws(MovieError) in
      let index = other.tracks.firstIndex { $0.atom == input.track.atom && $0.id == input.track.id }
      guard let index else { throw Self.trackNotInMovie(input.track) }
      return input.replacingTrack(with: flattenedMovie.movie.tracks[index])
    }
    return try add(movedInputs, of: flattenedMovie.movie, flattenedMovie, source)
  }
}

extension MovieStages {
  /// Creates the stages of a movie, and flattens it if it is fragmented.
  fileprivate init(of movie: Movie, from source: some RandomAccessSource, keepingStart: Bool) throws {
    if movie.isFragmented, !movie.isInitializationSegment {
      if let refusal = movie.editRefusal() { throw refusal }
      self.init(
        try FlattenedMovie(of: movie, from: source) { fragments in keepingStart ? nil : fragments.start(in: movie) })
    } else {
      self.init(movie)
    }
    keepsStart = keepingStart
  }
}

/// The time on the other movie's clock that becomes 0 when its tracks are added to the edited movie.
struct StartOfOtherMovie {
  let start: MediaTime?

  /// - Parameters:
  ///   - own: the start of the other movie's clock, or `nil` for 0.
  ///   - edited: the time subtracted from the times of the edited movie, or `nil` for 0.
  init(_ own: MediaTime?, inMovieStartingAt edited: MediaTime?) {
    let zero = MediaTime.zero
    let isShared = (own ?? zero).sharesClock(with: edited ?? zero)
    start = isShared ? edited : own
  }
}
