import MovieBox
import Subtitles

extension MovieEdit {
  /// The number of sample bytes of all tracks.
  var mediaByteCount: UInt64 {
    tracks.reduce(0) { sum, track in  // A malicious file can make the sum wrap, but it is only displayed.
      let external = track.old.flatMap { old in changes.media.external[old.id].map { old.externalByteCount($0) } }
      return sum &+ track.planned.mediaByteCount &+ (external ?? 0)
    }
  }

  /// The duration of the edited movie, in movie ticks.
  ///
  /// It is the old duration, or the duration of the longest added track if that is longer. If the movie was as long as
  /// its longest track, as it should be (QTFF, "Movie Header Atoms"; ISO/IEC 14496-12, 8.2.2), and that track is removed,
  /// the movie becomes shorter. Otherwise, players would continue without a picture or sound.
  var durationInMovieTicks: UInt64 {
    guard movie.hasKnownDuration else { return movie.header.duration }
    if keptTrackCount < movie.tracks.count, movie.isAsLongAsItsLongestTrack, let longest = longestTrackDuration {
      return longest
    }
    return max(movie.header.duration, tracks.compactMap(addedDurationInMovieTicks).max() ?? 0)
  }

  /// Returns the movie duration that an added track requires, or `nil` for a kept track.
  private func addedDurationInMovieTicks(_ track: EditedTrack) -> UInt64? {
    guard track.old == nil, let duration = track.planned.headerDuration else { return nil }
    guard track.generated != nil else { return duration }
    return movie.header.durationRaised(bySubtitlesEndingAt: duration, otherTracksEndingAt: movie.endInMovieTicks)
  }

  private var keptTrackCount: Int { tracks.count { $0.old != nil } }

  /// The duration of the longest track, or `nil` if a duration is unknown.
  private var longestTrackDuration: UInt64? {
    var longestDuration: UInt64 = 0
    for track in tracks {
      guard let duration = track.planned.headerDuration else { return nil }
      longestDuration = max(longestDuration, duration)
    }
    return longestDuration
  }

  /// The end of the movie for new subtitles, in movie ticks: ``endInMovieTicks``, unless only text lasts that long.
  var endOfSubtitlesInMovieTicks: UInt64 {
    stages.flattened == nil ? min(endInMovieTicks, movie.endWithoutTextInMovieTicks) : endInMovieTicks
  }

  /// The end of the movie, in movie ticks.
  ///
  /// It is not too early if the duration in a header is too short, or if the file contains only the first fragments of a
  /// longer movie. A track that ends after ``SubtitleLimits/movieMilliseconds`` is considered damaged and ignored.
  var endInMovieTicks: UInt64 {
    let original = stages.flattened.map(\.original)
    let declaredDuration = original.map { $0.hasKnownDuration ? $0.header.duration : 0 } ?? 0
    let end = max(movie.endInMovieTicks, declaredDuration)
    let isCredible = end / UInt64(max(1, movie.header.timeScale)) < SubtitleLimits().movieMilliseconds / 1_000
    return isCredible ? end : max(movie.durationInMovieTicks, declaredDuration)
  }

  /// Records a notice if the track made the movie longer than `before`.
  mutating func noteLengthening(by id: UInt32, before: UInt64) {
    let newDuration = durationInMovieTicks
    guard newDuration > before, movie.hasKnownDuration else { return }
    func text(_ ticks: UInt64) -> String { Quantity.time(ticks, timeScale: movie.header.timeScale) }
    recordedNotices.append(.movieLengthened(to: text(newDuration), from: text(before), track: id))
  }

  /// Records a notice if the movie is shorter than `before`.
  mutating func noteDuration(before: UInt64) {
    let newDuration = durationInMovieTicks
    guard newDuration < before else { return }
    func text(_ ticks: UInt64) -> String { Quantity.time(ticks, timeScale: movie.header.timeScale) }
    recordedNotices.append(.movieShortened(to: text(newDuration), from: text(before)))
  }
}

extension MovieHeader {
  /// Returns the duration of the movie with subtitles that end at `subtitles`, in movie ticks.
  ///
  /// Ignores the time of subtitles after `end`, the end of all other tracks, because GStreamer omits tracks that are
  /// much shorter than the movie. Also ignores an increase of less than half a second, because durations in headers are
  /// often rounded or lack the last frame.
  func durationRaised(bySubtitlesEndingAt subtitles: UInt64, otherTracksEndingAt end: UInt64) -> UInt64 {
    let limit = min(subtitles, end)
    return limit > duration.addingClamped(UInt64(timeScale / 2)) ? limit : duration
  }
}

extension Movie {
  /// Whether `mvhd` declares the duration of the movie.
  var hasKnownDuration: Bool { header.duration != 0 && !header.isDurationUnknown }

  /// Whether the movie is as long as its longest track.
  fileprivate var isAsLongAsItsLongestTrack: Bool {
    !tracks.contains(where: \.header.isDurationUnknown) && tracks.map(\.header.duration).max() == header.duration
  }
}

// Video and audio may begin late, for example in a recording that keeps its clock. Cues and chapters on a clock that
// begins at 0 then precede the first picture, and viewers never see them.
extension MovieEdit {
  /// The delay that ffmpeg added to the times of all tracks, or `nil` if there is none or the movie keeps its clock. It
  /// is also added to new subtitles and to tracks of other movies. Requires a pass over all tracks.
  var commonDelay: MediaTime? { stages.keepsStart ? nil : movie.commonDelay() }

  /// The start of the first video or audio track, or `nil` if the movie has none. Makes a pass over all tracks.
  var mediaStart: MediaTime? {
    let starts = movie.tracks.lazy
      .filter { ($0.mediaType == .video || $0.mediaType == .audio) && $0.samples.sampleCount > 0 }
      .map(\.presentationStartInMovieTicks)
    return starts.min().flatMap { MediaTime(ticks: Int64(clamping: $0), timeScale: movie.header.timeScale) }
  }

  /// Records a warning about cues that end before the first picture or sound.
  mutating func noteEarlyCues(of input: SubtitleInput, trackID: UInt32, before start: MediaTime?) {
    guard let start, start.ticks > 0 else { return }
    let end = start.milliseconds
    var (count, earlyCount) = (0, 0)
    for cue in input.shownCues where !cue.text.isEmpty {
      count += 1
      // Another notice reports cues that end before the movie begins.
      if (1...end).contains(input.timing.movieMilliseconds(cue.endMilliseconds)) { earlyCount += 1 }
    }
    let notice = notice(
      ofEarly: earlyCount, of: count, "cue", before: start, trackID: trackID, "--offset \(start.text)")
    if let notice { recordedNotices.append(notice) }
  }

  /// Returns a warning about chapters before the first picture or sound, or `nil` if there are none.
  func noticeOfEarlyChapters(_ chapters: [Chapter]) -> EditNotice? {
    guard let start = mediaStart, start.ticks > 0 else { return nil }
    let end = start.milliseconds
    let nextStarts = chapters.dropFirst().map(\.startMilliseconds) + [Int64.max]
    let earlyCount = zip(chapters, nextStarts).count { chapter, next in
      // The first chapter may begin before the first picture if the chapter continues after it.
      next <= end || chapter.startMilliseconds > 0 && chapter.startMilliseconds.addingClamped(1_000) <= end
    }
    return notice(
      ofEarly: earlyCount, of: chapters.count, "chapter", before: start, trackID: nil, "times from \(start.text) on")
  }

  private func notice(
    ofEarly early: Int, of count: Int, _ noun: String, before start: MediaTime, trackID: UInt32?, _ remedy: String
  ) -> EditNotice? {
    guard early > 0 else { return nil }
    let keepsClock = stages.keepsStart && stages.flattened != nil
    return .beforeStart(
      early, of: counted(count, noun), start: start.text, remedy + (keepsClock ? ", or leave out --keep-start" : ""),
      track: trackID)
  }
}
