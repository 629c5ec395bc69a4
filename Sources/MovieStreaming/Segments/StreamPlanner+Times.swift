import MovieBox
import Subtitles

/// When segments begin, and whether variants agree about it.
extension StreamPlanner {
  /// The last segment may be longer than others by so much (HLS Authoring Specification 7.7).
  private static let longestExcessInMilliseconds: Int64 = 500

  /// When the first of all tracks begins, in ticks of the one that leads; half a frame is none.
  func start(of used: [StreamedTrack], _ lead: StreamedTrack) -> Int64 {
    let scale = Int128(lead.timeline.timeScale)
    var start = lead.timeline.start
    for other in used where other.track.mediaType == .audio {
      let own = Int64(clamping: Int128(other.timeline.start) * scale / Int128(other.timeline.timeScale))
      if own < start - Int64(lead.timeline.firstDuration) / 2 { start = own }
    }
    return start
  }

  /// When segments begin, by the track that leads, up to the end of what lasts longest.
  func programmeTimes(
    _ lead: StreamedTrack, _ cuts: SegmentCuts, _ used: [StreamedTrack]
  ) throws(MovieError) -> ProgrammeTimes {
    let scale = lead.timeline.timeScale
    let start = start(of: used, lead)
    var end = lead.timeline.end
    for other in used where other.movieIndex == lead.movieIndex || other.track.mediaType == .audio {
      end = max(end, Int64(clamping: Int128(other.timeline.end) * Int128(scale) / Int128(other.timeline.timeScale)))
    }
    var boundaries = [start] + cuts.boundaries
    let interval = max(1, Int64(options.segmentMilliseconds) * Int64(scale) / 1_000)
    // Sound that outlasts the picture goes on in segments of its own.
    var last = max(boundaries.last ?? start, lead.timeline.end - interval)
    let excess = Int64(scale) * Self.longestExcessInMilliseconds / 1_000
    while end - last > interval + excess, last < lead.timeline.end || lead.timeline.end > start {
      last += interval
      guard last > (boundaries.last ?? start), last >= lead.timeline.end else { continue }
      boundaries.append(last)
      guard boundaries.count <= options.limits.segmentCount else { break }
    }
    guard boundaries.count <= options.limits.segmentCount else {
      throw MovieError(.limit, "more than \(options.limits.segmentCount) segments")
    }
    guard end > (boundaries.last ?? start),
      let times = ProgrammeTimes(timeScale: scale, boundaries: boundaries + [end])
    else {
      throw MovieError(
        .malformed, "track \(lead.track.id) has times that make no sense: it ends before its last segment")
    }
    return times
  }

  /// Variants are switched at the boundaries of segments, which must be the same (HLS Authoring Specification 8.22).
  func requireAlignment(
    _ times: ProgrammeTimes, _ other: ProgrammeTimes, of picture: StreamedTrack
  ) throws(MovieError) {
    let tolerance = UInt64(picture.timeline.firstDuration) * 500_000 / UInt64(picture.timeline.timeScale)
    for index in 0..<max(times.segmentCount, other.segmentCount) {
      let (one, two) = (times.microseconds(ofBoundary: index), other.microseconds(ofBoundary: index))
      let isThere = index < min(times.segmentCount, other.segmentCount)
      guard !isThere || (one > two ? one - two : two - one) > tolerance else { continue }
      func text(_ times: ProgrammeTimes, _ time: UInt64) -> String {
        index < times.segmentCount ? "at " + timeText(milliseconds: Int64(clamping: time / 1_000)) : "nowhere"
      }
      throw MovieError(
        .invalidEdit,
        "the variants do not begin segments at the same pictures: segment \(index + 1) begins \(text(times, one)) in "
          + "movie 1, \(text(other, two)) in movie \(picture.movieIndex + 1); encode both with key frames at the same times"
      )
    }
  }

  /// A player that changes to a variant must find all of the programme there (HLS Authoring Specification 8.3).
  func requireSameEnd(_ lead: StreamedTrack, _ picture: StreamedTrack) throws(MovieError) {
    func milliseconds(_ streamed: StreamedTrack) -> Int64 {
      Int64(clamping: Int128(streamed.timeline.end) * 1_000 / Int128(streamed.timeline.timeScale))
    }
    let (first, other) = (milliseconds(lead), milliseconds(picture))
    guard (first - other).magnitude * 1_000 > ProgrammeTimes.longestSilence else { return }
    throw MovieError(
      .invalidEdit,
      "the variants do not last equally long: the picture of movie 1 ends at \(timeText(milliseconds: first)), that of "
        + "movie \(picture.movieIndex + 1) at \(timeText(milliseconds: other))")
  }
}
