import MovieBox
import Subtitles

// The times of a movie at which new subtitles and chapters begin and end.
//
// Video and audio may begin late, for example in a recording that keeps its clock. If the times of cues or chapters count
// from 0 in such a movie, they precede the first picture, and viewers never see them. Notices warn of this.
extension MovieStages {
  /// The end of the movie for new subtitles, in movie ticks. If only text lasts until ``endInMovieTicks``, this is the
  /// end of the other tracks.
  var endOfSubtitlesInMovieTicks: UInt64 {
    flattened == nil ? min(endInMovieTicks, current.endWithoutTextInMovieTicks) : endInMovieTicks
  }

  /// The end of the movie, in movie ticks.
  ///
  /// The end is correct even if the duration in a header is too short, or if the file contains only the first fragments
  /// of a longer movie. A track that ends after ``SubtitleLimits/movieMilliseconds`` is considered damaged and ignored.
  var endInMovieTicks: UInt64 {
    let original = flattened.map(\.original)
    let declaredDuration = original.map { $0.hasKnownDuration ? $0.header.duration : 0 } ?? 0
    let end = max(current.endInMovieTicks, declaredDuration)
    let isCredible = end / UInt64(max(1, current.header.timeScale)) < SubtitleLimits().movieMilliseconds / 1_000
    return isCredible ? end : max(current.durationInMovieTicks, declaredDuration)
  }

  /// The delay that ffmpeg added to the times of all tracks, or `nil` if there is none or the movie keeps its clock. It
  /// is also added to new subtitles and to tracks of other movies. Requires a pass over all tracks.
  var commonDelay: MediaTime? { keepsStart ? nil : current.commonDelay() }

  /// The start of the first video or audio track, or `nil` if the movie has none. Makes a pass over all tracks.
  var mediaStart: MediaTime? {
    let starts = current.tracks.lazy
      .filter { ($0.mediaType == .video || $0.mediaType == .audio) && $0.samples.sampleCount > 0 }
      .map(\.presentationStartInMovieTicks)
    return starts.min().flatMap { MediaTime(ticks: Int64(clamping: $0), timeScale: current.header.timeScale) }
  }

  /// Returns a warning about cues that end before the first picture or sound, or `nil` if there are none.
  func earlyCueNotice(_ input: SubtitleInput, trackID: UInt32, before start: MediaTime?) -> EditNotice? {
    guard let start, start.ticks > 0 else { return nil }
    let end = start.milliseconds
    var (count, earlyCount) = (0, 0)
    for cue in input.shownCues where !cue.text.isEmpty {
      count += 1
      // Cues that end before the movie begins are not counted, because another notice reports them.
      if (1...end).contains(input.timing.movieMilliseconds(cue.endMilliseconds)) { earlyCount += 1 }
    }
    return notice(ofEarly: earlyCount, of: count, "cue", before: start, trackID: trackID, "--offset \(start.text)")
  }

  /// Returns a warning about chapters before the first picture or sound, or `nil` if there are none.
  func earlyChapterNotice(_ chapters: [Chapter]) -> EditNotice? {
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
    let keepsClock = keepsStart && flattened != nil
    return .startsBeforeMedia(
      early, of: counted(count, noun), start: start.text, remedy + (keepsClock ? ", or leave out --keep-start" : ""),
      track: trackID)
  }
}

extension MovieHeader {
  /// Returns the duration of the movie with subtitles that end at `subtitles`, in movie ticks.
  ///
  /// Subtitles after `end`, the end of all other tracks, do not make the movie longer, because GStreamer omits tracks
  /// that are much shorter than the movie. An increase of less than half a second is ignored as well, because durations
  /// in headers are often rounded or lack the last frame.
  func duration(withSubtitlesEndingAt subtitles: UInt64, otherTracksEndingAt end: UInt64) -> UInt64 {
    let limit = min(subtitles, end)
    return limit > duration.addingClamped(UInt64(timeScale / 2)) ? limit : duration
  }
}

extension Movie {
  /// Whether `mvhd` declares the duration of the movie.
  var hasKnownDuration: Bool { header.duration != 0 && !header.isDurationUnknown }

  /// Whether the movie is as long as its longest track.
  var isAsLongAsItsLongestTrack: Bool {
    !tracks.contains(where: \.header.isDurationUnknown) && tracks.map(\.header.duration).max() == header.duration
  }
}
