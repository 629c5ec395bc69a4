import Subtitles

/// The mapping of cues from the media of a track to the movie's presentation clock, through the edit list.
struct CuePresentation: Sendable {
  let trackID: UInt32
  /// The path of the track's atom, for errors.
  let path: String
  let mediaTimeScale: UInt32
  private let segments: [ShownSegment]
  private let movieEndInMilliseconds: Int64
  private let limits: SubtitleLimits

  /// Creates the mapping of a track. `end` is the end of the movie in milliseconds.
  init(_ track: Track, of movie: Movie, endingAt end: Int64, limits: SubtitleLimits) throws(MovieError) {
    trackID = track.id
    path = movie.tree.path(of: track.atom)
    mediaTimeScale = track.mediaHeader.timeScale
    segments = try track.shownSegments(movieTimeScale: movie.header.timeScale)
    movieEndInMilliseconds = end
    self.limits = limits
  }

  /// Returns a media time in milliseconds, rounded to the nearest millisecond.
  func mediaMilliseconds(_ ticks: Int64) -> Int64 {
    let scale = Int128(max(1, mediaTimeScale))
    return Int64(clamping: (Int128(ticks) * 2_000 + scale) / (2 * scale))
  }

  var tooManyCues: MovieError {
    MovieError(.limit, in: path, "track \(trackID) has more than \(limits.cueCount) cues")
  }

  /// Maps the times of cues from the media to the movie. Returns the resulting cues, and the WebVTT sources of the cues
  /// that have one.
  func cues(
    _ media: [CueJoining.MediaCue]
  ) throws(MovieError) -> (cues: [Cue], sources: [WebVTTSource.CueSource]) {
    var cues: [Cue] = []
    var sources: [WebVTTSource.CueSource] = []
    var visitedCount = 0
    try segments.visit(media.map { ($0.start, $0.end) }, movieEnd: movieEndInMilliseconds) {
      index, segment, shown throws(MovieError) in
      visitedCount += 1
      guard cues.count < limits.cueCount, visitedCount / 64 <= limits.cueCount else { throw tooManyCues }
      guard let shown else { return }
      let cue = media[index]
      cues.append(
        Cue(
          startMilliseconds: shown.lowerBound, endMilliseconds: shown.upperBound, text: cue.shown.text,
          placement: cue.shown.placement, isForced: cue.shown.isForced))
      if var source = cue.shown.webVTT {
        let shownStart = mediaMilliseconds(max(cue.start, segment.mediaStart))
        source.startMilliseconds = source.startMilliseconds.addingClamped(shownStart)
        sources.append(source)
      }
    }
    return (cues, sources)
  }

  /// Returns cues that end at the end of the movie at the latest. Cues that begin at the end or later are unchanged.
  func endingWithMovie(_ cues: [Cue]) -> [Cue] {
    cues.map { cue in
      var cue = cue
      if cue.startMilliseconds < movieEndInMilliseconds {
        cue.endMilliseconds = min(cue.endMilliseconds, movieEndInMilliseconds)
      }
      return cue
    }
  }

  /// The media time of the first presented instant, and its time in the movie in milliseconds. It is `nil` if nothing
  /// is presented.
  var opening: (mediaTime: Int64, milliseconds: Int64)? {
    guard let first = segments.first,
      let shown = first.shown(from: first.mediaStart, to: first.mediaStart.addingClamped(1)),
      shown.lowerBound < movieEndInMilliseconds
    else { return nil }
    return (first.mediaStart, shown.lowerBound)
  }

  /// Returns the movie times at which media times are presented, in milliseconds. The result is ordered by movie time.
  /// `times` must be sorted.
  func instants(_ times: [Int64]) throws(MovieError) -> [(index: Int, milliseconds: Int64)] {
    var instants: [(index: Int, milliseconds: Int64)] = []
    var visitedCount = 0
    try segments.visit(times.map { ($0, $0.addingClamped(1)) }, movieEnd: movieEndInMilliseconds) {
      index, _, shown throws(MovieError) in
      visitedCount += 1
      guard visitedCount <= 8 * times.count + 64 else { throw tooManyCues }
      if let shown { instants.append((index, shown.lowerBound)) }
    }
    return instants
  }
}
