public import MovieBox

// What reads movies that were cut off.
extension MovieEdit {
  /// An edit of a movie that was cut off: of each track, the samples up to the first missing one are written.
  ///
  /// Tracks without any are removed. ``missingSamples`` and ``notes`` list what is missing. The edited movie must be a
  /// new file. For a whole file and a fragmented movie, the same as ``init(of:from:keepingStart:)``: samples that a whole
  /// file misplaces are no missing ones.
  ///
  /// Throws what ``init(of:from:keepingStart:)`` throws, `.truncated` if no sample is left, and `.unsupported` for
  /// tracks with encryption information.
  public init(
    salvaging movie: Movie, from source: some RandomAccessSource, keepingStart: Bool = false
  ) throws {
    let missing = movie.isFragmented || movie.layout.cutOffset == nil ? [] : movie.missingSamples()
    if missing.isEmpty {
      try self.init(of: movie, from: source, keepingStart: keepingStart)
      // The `moof` that would follow is incomplete. Other programs still read the samples in `moov`, so write them
      // without fragments.
      if movie.isFragmented, movie.layout.trailing != nil { flatten() }
    } else {
      var stages = try MovieStages(SalvagedTrack.cut(movie))
      stages.salvaged = SalvagedMovie(original: movie, missingSamples: missing)
      try self.init(stages)
      recordedNotices += EditNotice.notices(of: missing)
      try requireSamples()
    }
    if !emptyTracks.isEmpty { takeOut(emptyTracks) }
  }

  /// The tracks that lost all samples.
  var emptyTracks: Set<UInt32> {
    Set(missingSamples.lazy.map(\.trackID).filter { self.movie.track($0)?.samples.sampleCount == 0 })
  }

  /// Refuses a cut-off movie of which nothing is left.
  func requireSamples() throws(MovieError) {
    guard !missingSamples.isEmpty, movie.tracks.allSatisfy({ $0.samples.sampleCount == 0 }) else { return }
    throw MovieError(
      .truncated, at: movie.layout.cutOffset,
      "the recording is cut off before the end of its first sample: nothing is left to play")
  }
}
