import MovieBox
import Subtitles

extension MovieEdit {
  /// The bytes of all samples of all tracks.
  var mediaByteCount: UInt64 {
    tracks.reduce(0) { sum, track in  // A hostile sum wraps; it is only shown.
      let external = track.old.flatMap { old in changes.media.external[old.id].map { old.externalByteCount($0) } }
      return sum &+ track.planned.mediaByteCount &+ (external ?? 0)
    }
  }

  /// How long the movie lasts after the edit, in movie ticks.
  ///
  /// As long as before, or as the longest track that is new or from another movie. A movie that lasts as long as its
  /// longest track, as it should (QTFF, "Movie Header Atoms"; ISO/IEC 14496-12, 8.2.2), does so too when that track is
  /// taken out: players would go on with nothing to see.
  var durationInMovieTicks: UInt64 {
    guard movie.hasKnownDuration else { return movie.header.duration }
    if keptTrackCount < movie.tracks.count, movie.lastsAsItsLongestTrack, let longest = longestTrack { return longest }
    return max(movie.header.duration, tracks.compactMap(addedDurationInMovieTicks).max() ?? 0)
  }

  /// How long a track lasts that the movie did not have, as far as the movie is to last as long.
  private func addedDurationInMovieTicks(_ track: EditedTrack) -> UInt64? {
    guard track.old == nil, let duration = track.planned.headerDuration else { return nil }
    guard track.generated != nil else { return duration }
    return movie.header.durationRaised(bySubtitlesEndingAt: duration, otherTracksEndingAt: movie.endInMovieTicks)
  }

  private var keptTrackCount: Int { tracks.count { $0.old != nil } }

  /// How long the longest track lasts; `nil` where that of one is unknown.
  private var longestTrack: UInt64? {
    var longest: UInt64 = 0
    for track in tracks {
      guard let duration = track.planned.headerDuration else { return nil }
      longest = max(longest, duration)
    }
    return longest
  }

  /// When the movie is over for new subtitles, in movie ticks: none is dropped because a header claims too little, or
  /// because the file has the first fragments of a longer movie.
  ///
  /// A track that ends past ``SubtitleLimits/movieMilliseconds`` is taken for a damaged one.
  var endInMovieTicks: UInt64 {
    let original = stages.flattened.map(\.original)
    let claimed = original.map { $0.hasKnownDuration ? $0.header.duration : 0 } ?? 0
    let end = max(movie.endInMovieTicks, claimed)
    let isCredible = end / UInt64(max(1, movie.header.timeScale)) < SubtitleLimits().movieMilliseconds / 1_000
    return isCredible ? end : max(movie.durationInMovieTicks, claimed)
  }

  /// Notes that the movie is longer than `before` with the track, where it is.
  mutating func noteLengthening(by id: UInt32, before: UInt64) {
    let now = durationInMovieTicks
    guard now > before, movie.hasKnownDuration else { return }
    func text(_ ticks: UInt64) -> String { Quantity.time(ticks, timeScale: movie.header.timeScale) }
    recordedNotices.append(
      EditNotice(
        .movieLengthened, trackID: id,
        "the movie atom's duration is now \(text(now)), not \(text(before)): a track lasts that long"
      ))
  }

  /// Says that the movie is shorter than `before`, where it is.
  mutating func noteDuration(before: UInt64) {
    let now = durationInMovieTicks
    guard now < before else { return }
    recordedNotices.append(
      EditNotice(
        .movieShortened,
        "the movie lasts \(Quantity.time(now, timeScale: movie.header.timeScale)) now, not "
          + "\(Quantity.time(before, timeScale: movie.header.timeScale)): as long as the longest track that it has"
      ))
  }
}

extension MovieHeader {
  /// What the duration becomes with subtitles that last so long, where the other tracks end at `end`.
  ///
  /// Subtitles after all media do not count: GStreamer leaves out tracks that are much shorter than the movie. Nor does
  /// less than half a second: headers are often short by that, rounded or without the last frame.
  func durationRaised(bySubtitlesEndingAt subtitles: UInt64, otherTracksEndingAt end: UInt64) -> UInt64 {
    let longest = min(subtitles, end)
    return longest > duration.addingClamped(UInt64(timeScale / 2)) ? longest : duration
  }
}

extension Movie {
  /// Whether `mvhd` says how long the movie is.
  var hasKnownDuration: Bool { header.duration != 0 && !header.isDurationUnknown }

  /// Whether the duration of the movie is that of its longest track.
  fileprivate var lastsAsItsLongestTrack: Bool {
    !tracks.contains(where: \.header.isDurationUnknown) && tracks.map(\.header.duration).max() == header.duration
  }
}

// A movie whose picture and sound begin late shows nothing until then: a recording that keeps its clock, for example.
// Cues and chapters on the usual clock lie in that time, where nobody looks for them.
extension MovieEdit {
  /// When the first picture or sound begins, or `nil` if the movie has neither. Costs a pass over all tracks.
  var mediaStart: MediaTime? {
    let starts = movie.tracks.lazy
      .filter { ($0.mediaType == .video || $0.mediaType == .audio) && $0.samples.sampleCount > 0 }
      .map(\.presentationStartInMovieTicks)
    return starts.min().flatMap { MediaTime(ticks: Int64(clamping: $0), timeScale: movie.header.timeScale) }
  }

  /// Adds a warning about cues that end before the first picture or sound.
  mutating func noteEarlyCues(of input: TrackInput, trackID: UInt32, before start: MediaTime?) {
    guard let start, start.ticks > 0 else { return }
    let end = start.milliseconds
    var (count, early) = (0, 0)
    for cue in input.shownCues where !cue.text.isEmpty {
      count += 1
      // Cues that end before the movie have a notice of their own.
      if (1...end).contains(input.timing.movieMilliseconds(cue.endMilliseconds)) { early += 1 }
    }
    let notice = notice(ofEarly: early, of: count, "cue", before: start, trackID: trackID, "--offset \(start.text)")
    if let notice { recordedNotices.append(notice) }
  }

  /// A warning about chapters that lie before the first picture or sound, or `nil` if none does.
  func noticeOfEarlyChapters(_ chapters: [Chapter]) -> EditNotice? {
    guard let start = mediaStart, start.ticks > 0 else { return nil }
    let end = start.milliseconds
    let nextStarts = chapters.dropFirst().map(\.startMilliseconds) + [Int64.max]
    let early = zip(chapters, nextStarts).count { chapter, next in
      // The first chapter of a movie may begin with the nothing before its first picture, and go on.
      next <= end || chapter.startMilliseconds > 0 && chapter.startMilliseconds.addingClamped(1_000) <= end
    }
    return notice(
      ofEarly: early, of: chapters.count, "chapter", before: start, trackID: nil, "times from \(start.text) on")
  }

  private func notice(
    ofEarly early: Int, of count: Int, _ noun: String, before start: MediaTime, trackID: UInt32?, _ remedy: String
  ) -> EditNotice? {
    guard early > 0 else { return nil }
    let keepsClock = stages.keepsStart && stages.flattened != nil
    return EditNotice(
      .beforeStart, trackID: trackID, isWarning: true,
      "\(early) of \(counted(count, noun)) \(early == 1 ? "lies" : "lie") before the first picture or sound, at "
        + "\(start.text); use \(remedy)" + (keepsClock ? ", or leave out --keep-start" : ""))
  }
}
