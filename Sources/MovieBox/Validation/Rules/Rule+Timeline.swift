// Rules about the times of subtitles. Some players ignore edit lists, so the samples must begin at 0 and have no gaps.

import Subtitles

extension Rule {
  static let timelineRules = [timelineStart, timelineEnd, timelinePastEnd, timelineOrder, timelineEmpty]

  private static let timelineClause = "QTFF, \"Subtitle Sample Data\" (no gaps between samples)"

  private static let timelineStart = Rule(
    "timeline.start", .note, for: [.apple], clause: timelineClause,
    effect: "Players that ignore edits show all subtitles too early or too late.", fix: [.addAgain]
  ) { examination, report in
    for (track, _) in examination.subtitles {
      guard let first = track.editList?.entries.first, first.mediaTime != 0 else { continue }
      let words = first.isEmptyEdit ? "an empty edit" : "media time \(first.mediaTime)"
      report.add(examination.atom(track, "edts", "elst"), "the subtitles begin with \(words) instead of a sample at 0")
    }
  }

  private static let timelineEnd = Rule(
    "timeline.end", .note, for: [.apple], clause: timelineClause,
    effect: "None in most players; some do not remove the last text.", fix: [.addAgain]
  ) { examination, report in
    for (track, duration, end) in examination.subtitleEnds where end > duration {
      report.add(
        examination.trackHeaderAtom(track),
        "the subtitles end at \(examination.movieTime(duration)), but \(examination.pictureAndSoundEndClause)")
    }
  }

  private static let timelinePastEnd = Rule(
    "timeline.past-end", .warning, for: [.apple], clause: timelineClause,
    effect: "The movie continues after its last picture.",
    fix: [
      Remedy(
        Remedy.Step(action: .extractSubtitles(.track), remark: nil),
        Remedy.Step(action: .removeTrack(.track), remark: nil),
        Remedy.Step(action: .addSubtitles(replacing: false), remark: nil))
    ]
  ) { examination, report in
    // Skip subtitles that end before another enabled track ends, because they do not extend the movie.
    let subtitles = Set(examination.subtitles.map(\.track.id))
    let otherTracks = examination.tracks.filter { !subtitles.contains($0.id) && $0.isEnabled }
    let timeScale = examination.movie.header.timeScale
    let longestDuration = otherTracks.map { $0.durationInMovieTicks(movieTimeScale: timeScale) }.max() ?? 0
    for (track, duration, end) in examination.subtitleEnds where duration > max(end, longestDuration) {
      report.add(
        examination.trackHeaderAtom(track),
        "the subtitles end at \(examination.movieTime(duration)), but \(examination.pictureAndSoundEndClause)")
    }
  }

  private static let timelineOrder = Rule(
    "timeline.order", .warning,
    clause: "3GPP TS 26.245, 5.4; QTFF, \"Subtitle Sample Data\"; ISO/IEC 14496-12, 8.6.2 and 8.8.3.1 (sync samples)",
    effect: "Text is shown at the wrong time, or is missing after seeking.",
    fix: [.addAgain, .step(.flatten, "for text in fragments")]
  ) { examination, report in
    for (track, _) in examination.subtitles {
      guard let offsets = track.samples.compositionOffsets, offsets.contains(where: { $0.offset != 0 }) else {
        continue
      }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl"),
        "subtitles are stored in a different order than they are shown (ctts)", fix: [.addAgain])
    }
    for (position, track) in examination.tracks.enumerated() where track.mediaType.isText {
      let fragmented = examination.fragments.flatMap {
        $0.tracks.indices.contains(position) ? $0.tracks[position] : nil
      }
      let count = fragmented?.sampleCount ?? track.samples.sampleCount
      let runs = fragmented?.runs ?? []
      let inTables = track.samples.syncSamples.map { Swift.max(0, track.samples.sampleCount - $0.count) } ?? 0
      let inFragments = runs.reduce(0) { $0 + $1.nonSyncSampleCount }
      guard inTables + inFragments > 0 else { continue }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl"),
        "\(count - inTables - inFragments) of \(counted(count, "text sample")) are sync samples, but all of them should be",
        fix: inFragments > 0
          ? [.step(.flatten)]
          : track.hasReadableText && !track.hasClosedCaptions && !examination.isChapterList(track)
            ? [.addAgain] : [.makeAgain])
    }
  }

  private static let timelineEmpty = Rule(
    "timeline.empty", .warning, clause: "players' menus",
    effect: "The menu contains an option that shows nothing.", fix: [.step(.removeTrack(.track))]
  ) { examination, report in
    for (track, _) in examination.subtitles where !examination.movie.isFragmented && track.samples.sampleCount == 0 {
      report.add(track.atom, "subtitle track \(track.id) has no samples")
    }
  }
}

extension MovieExamination {
  /// A clause about the end of video and audio, such as `the video ends at 2.000 s`. If video and audio end at
  /// different times, the clause contains both times.
  fileprivate var pictureAndSoundEndClause: String {
    func end(of media: MediaType) -> UInt64? {
      movie.tracks.lazy.filter { $0.mediaType == media }
        .map { $0.durationInMovieTicks(movieTimeScale: self.movie.header.timeScale) }.max()
    }
    let ends = [MediaType.video, .audio].compactMap { media in end(of: media).map { (media.name, $0) } }
    guard let first = ends.first, let last = ends.last, ends.count > 1 else {
      return ends.first.map { "the \($0.0) ends at \(movieTime($0.1))" } ?? "there is no video and no audio"
    }
    return first.1.distance(from: last.1) > UInt64(movie.header.timeScale) / 10
      ? "the \(first.0) ends at \(movieTime(first.1)) and the \(last.0) at \(movieTime(last.1))"
      : "video and audio end at \(movieTime(max(first.1, last.1)))"
  }

  /// The subtitle tracks whose end differs from the end of video and audio by more than rounding errors. Their ends
  /// and the end of video and audio are in movie ticks.
  fileprivate var subtitleEnds: [(track: Track, duration: UInt64, end: UInt64)] {
    let timeScale = movie.header.timeScale
    guard let end = movie.pictureAndSoundEndInMovieTicks else { return [] }
    return subtitles.compactMap { track, _ in
      let duration = track.durationInMovieTicks(movieTimeScale: timeScale)
      // The tolerance is a tenth of a second, because a frame at 10 fps or an audio packet may be missing at the end.
      return duration.distance(from: end) > UInt64(timeScale) / 10 ? (track, duration, end) : nil
    }
  }
}
