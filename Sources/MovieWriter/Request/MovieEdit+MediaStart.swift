import MovieBox
import Subtitles

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
