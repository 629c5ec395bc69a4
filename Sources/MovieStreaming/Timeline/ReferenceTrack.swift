import MovieBox
import Subtitles

/// A track whose sync samples determine the segment boundaries, and these boundaries.
///
/// Segments should start with sync samples of the video, and the distances between sync samples vary. So one track
/// determines the boundaries, and all other tracks are cut at the times of these boundaries.
struct ReferenceTrack {
  let streamed: StreamedTrack
  let cuts: SegmentCuts
  let times: PresentationTimeline

  /// The time by which the last segment may exceed the duration of the other segments (HLS Authoring Specification
  /// 7.7).
  private static let longestExcessInMilliseconds: Int64 = 500

  /// Cuts the track at its sync samples, or at the given samples. The last segment ends with the longest track.
  init(
    _ streamed: StreamedTrack, of tracks: StreamedTracks, in movie: Movie, _ options: StreamOptions,
    cuts givenCuts: SegmentCuts? = nil
  ) throws(MovieError) {
    self.streamed = streamed
    let (scale, limit) = (streamed.timeline.timeScale, options.limits.segmentCount)
    let interval = Self.interval(options.segmentMilliseconds, scale: scale)
    let (start, end) = (tracks.start(inTicksOf: streamed), tracks.end(inTicksOf: streamed))
    if let givenCuts {
      cuts = givenCuts
    } else {
      cuts = try SegmentCuts(streamed, interval: interval, start: start, atMost: limit)
    }
    var boundaries = [start] + cuts.boundaries
    // If audio outlasts the video, further segments contain only audio.
    var last = max(boundaries.last ?? start, streamed.timeline.end - interval)
    let excess = Int64(scale) * Self.longestExcessInMilliseconds / 1_000
    while end - last > interval + excess, last < streamed.timeline.end || streamed.timeline.end > start {
      last += interval
      guard last > (boundaries.last ?? start), last >= streamed.timeline.end else { continue }
      boundaries.append(last)
      guard boundaries.count <= limit else { break }
    }
    guard boundaries.count <= limit else {
      throw MovieError(.limit, "more than \(limit) segments")
    }
    guard end > (boundaries.last ?? start),
      var times = PresentationTimeline(timeScale: scale, boundaries: boundaries + [end])
    else {
      if streamed.timeline.mediaDuration == 0 { throw Self.zeroDurationError(streamed, in: movie) }
      throw MovieError(
        .malformed, "track \(streamed.track.id) has invalid sample times: it ends before its last segment")
    }
    if streamed.timeline.ticksUntilShown > 0 {
      // The time is rounded up, so that players do not show the previous picture.
      let distance = Int128(streamed.timeline.shownStart) - Int128(start)
      times.startInMicroseconds = UInt64(clamping: (distance * 1_000_000 + Int128(scale) - 1) / Int128(scale))
    }
    self.times = times
  }

  /// Returns the error for a track whose samples all have a duration of 0. The error points to the table of durations,
  /// or to the track if the movie is fragmented.
  private static func zeroDurationError(_ streamed: StreamedTrack, in movie: Movie) -> MovieError {
    let (tree, track) = (movie.tree, streamed.track)
    let table = movie.isFragmented ? nil : tree.descendant(of: track.atom, "mdia", "minf", "stbl", "stts")
    let atom = table ?? track.atom
    return MovieError(
      .malformed, at: tree.range(of: atom).offset, in: tree.path(of: atom),
      "all samples of track \(track.id) have a duration of 0")
  }

  /// Converts milliseconds to ticks. The result is at least 1.
  static func interval(_ milliseconds: Int, scale: UInt32) -> Int64 {
    max(1, Int64(milliseconds) * Int64(scale) / 1_000)
  }

  /// Throws if the two variants start at different times and an edit list hides the start of at least one of them. All
  /// variants of a presentation must start with sync samples of the same time.
  func requireSameStart(as first: ReferenceTrack, _ options: StreamOptions) throws(StreamRefusal) {
    guard [first, self].contains(where: { $0.streamed.timeline.ticksUntilShown > 0 }) else { return }
    try start.requireSame(as: first.start, options)
  }

  private var start: VariantStart { VariantStart(picture: streamed, ticks: times.boundaries[0]) }

  /// The largest difference between two times that count as equal: half the duration of a picture.
  var toleranceInMicroseconds: UInt64 {
    UInt64(streamed.timeline.firstDuration) * 500_000 / UInt64(streamed.timeline.timeScale)
  }

  /// Returns the index of the first segment whose start differs between the two variants, or `nil` if all starts are
  /// equal.
  ///
  /// Players switch between variants at segment boundaries, so the boundaries must be equal (HLS Authoring
  /// Specification 8.22).
  func firstMismatchedSegment(with first: ReferenceTrack) -> Int? {
    (0..<max(first.times.segmentCount, times.segmentCount)).first { index in
      let (one, two) = (first.times.microseconds(ofBoundary: index), times.microseconds(ofBoundary: index))
      return index >= min(first.times.segmentCount, times.segmentCount)
        || max(one, two) - min(one, two) > toleranceInMicroseconds
    }
  }

  /// Returns the error for two variants whose segments start at different times. `index` is the first segment that
  /// differs.
  func refusal(
    ofSegment index: Int, unlike first: ReferenceTrack, _ options: StreamOptions, advice: String
  ) -> MovieError {
    func text(_ reference: ReferenceTrack) -> String {
      let time = reference.times.microseconds(ofBoundary: index)
      let location =
        index < reference.times.segmentCount ? "at " + timeText(milliseconds: Int64(clamping: time / 1_000)) : "nowhere"
      return location + " in " + reference.name(options)
    }
    return MovieError(
      .invalidEdit,
      "the segments of the variants begin at different pictures: segment \(index + 1) begins \(text(first)), "
        + "\(text(self)); \(advice)")
  }

  /// Throws if the variants end at different times. Players switch between variants, so each variant must contain the
  /// complete presentation (HLS Authoring Specification 8.3).
  func requireSameEnd(as first: ReferenceTrack, _ options: StreamOptions) throws(MovieError) {
    let (end, own) = (first.endMilliseconds, endMilliseconds)
    guard end.subtractingClamped(own).magnitude > PresentationTimeline.endToleranceInMicroseconds / 1_000 else {
      return
    }
    throw MovieError(
      .invalidEdit,
      "the variants have different durations: the video of \(first.name(options)) ends at "
        + "\(timeText(milliseconds: end)), and the video of \(name(options)) at \(timeText(milliseconds: own)); "
        + "all variants must contain the same film")
  }

  private func name(_ options: StreamOptions) -> String { options.name(ofMovie: streamed.movieIndex) }

  private var endMilliseconds: Int64 {
    Int64(clamping: Int128(streamed.timeline.end) * 1_000 / Int128(streamed.timeline.timeScale))
  }
}
