// Rules about durations that several atoms declare: samples, edits, tracks and the movie.

extension Rule {
  static let durationRules = [
    movieDuration, trackDuration, mediaDuration, lastSample, emptyLastEdit, editRate, editBeyondMedia,
  ]

  private static let movieDuration = Rule(
    "movie.duration", .warning, clause: "QTFF, \"Movie Header Atoms\"; ISO/IEC 14496-12, 8.2.2",
    effect: "The movie stops early, or continues without a picture.", fix: [.makeAgain]
  ) { examination, report in
    let header = examination.movie.header
    let knownDurations = examination.tracks.filter { !$0.header.isDurationUnknown }.map(\.header.duration)
    guard !examination.movie.isFragmented, !header.isDurationUnknown, let longest = knownDurations.max() else { return }
    guard longest.distance(from: header.duration) > examination.durationToleranceInMovieTicks else { return }
    report.add(
      examination.tree.child(of: examination.tree.root, "mvhd") ?? examination.tree.root,
      "the movie lasts \(examination.movieTime(header.duration)), but its longest track lasts "
        + "\(examination.movieTime(longest))")
  }

  private static let trackDuration = Rule(
    "track.duration", .warning, clause: "QTFF, \"Track Header Atoms\"; ISO/IEC 14496-12, 8.3.2",
    effect: "The track stops too early or too late.", fix: [.makeAgain]
  ) { examination, report in
    // Skip tracks with repeated edits (flag 1 of `elst`, ISO/IEC 14496-12, 8.6.6), because they last longer than the
    // sum of the edits' durations.
    for track in examination.tracks
    where !examination.movie.isFragmented && !track.header.isDurationUnknown && (track.editList?.flags ?? 0) & 1 == 0 {
      guard let expected = track.expectedDuration(movieTimeScale: examination.movie.header.timeScale) else { continue }
      // Old versions of ffmpeg do not count the empty edit that delays a track. Players follow the edits, so a duration
      // without the delay is accepted.
      let withoutDelay = expected - min(expected, track.presentationStartInMovieTicks)
      let distance = min(
        expected.distance(from: track.header.duration), withoutDelay.distance(from: track.header.duration))
      guard distance > examination.durationToleranceInMovieTicks else { continue }
      let source = track.editList.map { !$0.entries.isEmpty } ?? false ? "its edits last" : "its media lasts"
      let declared = examination.movieTime(track.header.duration)
      report.add(
        examination.trackHeaderAtom(track),
        "the track lasts \(declared), but \(source) \(examination.movieTime(expected))")
    }
  }

  private static let mediaDuration = Rule(
    "track.media-duration", .warning, clause: "QTFF, \"Media Header Atoms\"; ISO/IEC 14496-12, 8.4.2.3",
    effect: "Players show different durations, or omit the last moment.", fix: [.makeAgain], visitsAllSamples: true
  ) { examination, report in
    for track in examination.playedTracks where !track.mediaHeader.isDurationUnknown {
      let declared = track.mediaHeader.duration
      guard let sum = track.samples.mediaDuration, sum != declared, let end = track.samples.compositionEnd else {
        continue
      }
      // QTFF requires the sum of all samples, and ISO requires the end of the last composed sample. Many writers count
      // 0 or the duration of the previous sample for the last sample. So accept any duration between the sum and the
      // end, with a tolerance of one sample.
      let longest = track.samples.timeToSample.lazy.map { UInt64($0.duration) }.max() ?? 0
      guard declared.addingClamped(longest) < sum || declared > end.addingClamped(longest) else { continue }
      report.add(
        examination.atom(track, "mdia", "mdhd"),
        "the media lasts \(Quantity.time(declared, timeScale: track.mediaHeader.timeScale)), but its samples last "
          + Quantity.time(declared < sum ? sum : end, timeScale: track.mediaHeader.timeScale))
    }
  }

  private static let lastSample = Rule(
    "track.last-duration", .warning, clause: "ISO/IEC 14496-12, 8.6.1.2 (stts)",
    effect: "Some players omit the last sample, or show it for hours; some programs reject the movie.",
    fix: [.makeAgain], visitsAllSamples: true
  ) { examination, report in
    for (position, track) in examination.tracks.enumerated()
    where [.video, .audio].contains(track.mediaType) && !examination.isChapterList(track) {
      let fragmented = examination.fragments.flatMap {
        $0.tracks.indices.contains(position) ? $0.tracks[position] : nil
      }
      let durations = fragmented?.closingDurations ?? track.samples.closingDurations
      let atom = examination.atom(track, "mdia", "minf", "stbl", "stts")
      if durations.last == 0, durations.previous > 0 {
        report.add(atom, "the last sample of track \(track.id) has no duration")
      } else if let excess = track.lastSampleExcess(durations, movieTimeScale: examination.movie.header.timeScale) {
        report.add(
          atom,
          "the last sample of track \(track.id) ends \(Quantity.time(excess, timeScale: track.mediaHeader.timeScale)) "
            + "after the last edit")
      }
    }
  }

  private static let emptyLastEdit = Rule(
    "edit.last-empty", .warning, clause: "QTFF, \"Edit List Atoms\"",
    effect: "Old players do not show the end of the track as intended.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where track.editList?.entries.last?.isEmptyEdit ?? false {
      report.add(examination.atom(track, "edts", "elst"), "the last edit is empty")
    }
  }

  private static let editRate = Rule(
    "edit.rate", .warning, for: [.apple], clause: "QTFF, \"Edit List Atoms\"",
    effect: "A part of the track is frozen or missing.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks {
      guard let index = track.editList?.entries.firstIndex(where: { $0.mediaRate <= 0 && !$0.isEmptyEdit }),
        let rate = track.editList?.entries[index].mediaRate
      else { continue }
      report.add(
        examination.atom(track, "edts", "elst"),
        "edit \(index + 1) has the rate \(Double(rate) / 65_536), which must be above 0")
    }
  }

  private static let editBeyondMedia = Rule(
    "edit.beyond-media", .warning,
    clause: "QTFF, \"Edit List Atoms\"; ISO/IEC 14496-12, 8.6.6 (media times are composition times)",
    effect: "Nothing is shown or heard where the edit should be.", fix: [.makeAgain], visitsAllSamples: true
  ) { examination, report in
    for track in examination.playedTracks where track.samples.sampleCount > 0 {
      guard let end = track.samples.compositionEnd, let entries = track.editList?.entries,
        let index = entries.firstIndex(where: { $0.mediaTime < -1 || $0.mediaTime > 0 && UInt64($0.mediaTime) >= end })
      else { continue }
      report.add(
        examination.atom(track, "edts", "elst"),
        "edit \(index + 1) begins at media time \(entries[index].mediaTime), but the media ends at \(end)")
    }
  }
}

extension MovieExamination {
  func movieTime(_ ticks: UInt64) -> String { Quantity.time(ticks, timeScale: movie.header.timeScale) }

  /// The tolerance for durations that should be equal: a tenth of a second. Writers round differently, and may omit
  /// the last frame or packet.
  fileprivate var durationToleranceInMovieTicks: UInt64 { UInt64(movie.header.timeScale) / 10 + 1 }

  /// The video, audio and text tracks whose samples are all listed in the movie atom.
  fileprivate var playedTracks: [Track] {
    movie.isFragmented ? [] : tracks.filter { $0.mediaType.selectionKind != nil }
  }
}

extension Track {
  /// Returns the expected duration in `tkhd`, in movie ticks. It is the duration of the edits, or of the media if
  /// there are no edits.
  fileprivate func expectedDuration(movieTimeScale: UInt32) -> UInt64? {
    if let edits = editList, !edits.entries.isEmpty {
      return edits.isOpen
        ? presentationEndInMovieTicks(movieTimeScale: movieTimeScale) : edits.durationInMovieTicks
    }
    guard !mediaHeader.isDurationUnknown, movieTimeScale > 0 else { return nil }
    return mediaHeader.duration.scaled(by: UInt64(movieTimeScale), over: UInt64(mediaHeader.timeScale))
  }

  /// Returns the time by which the last sample ends after the last edit, in media ticks, or `nil` if this time is at
  /// most a second.
  ///
  /// A slide or cover at the end may have a long duration intentionally, and an edit list may limit it. The result is
  /// therefore also `nil` if an earlier sample lasts a second or more, or if there is no earlier sample.
  fileprivate func lastSampleExcess(_ durations: ClosingDurations, movieTimeScale: UInt32) -> UInt64? {
    let second = mediaHeader.timeScale
    guard durations.previous > 0, durations.longestPrevious < second, durations.last > second, let list = editList,
      let edit = list.entries.last(where: { $0.mediaTime >= 0 && $0.knownDuration > 0 }), !list.isOpen,
      let length = edit.knownDuration.scaledToNearest(by: UInt64(second), over: UInt64(movieTimeScale)),
      let end = samples.compositionEnd
    else { return nil }
    let shownEnd = UInt64(edit.mediaTime).addingClamped(length)
    return end > shownEnd && end - shownEnd > UInt64(second) ? end - shownEnd : nil
  }
}

extension UInt64 {
  /// Returns the absolute difference of two numbers.
  func distance(from other: UInt64) -> UInt64 { self > other ? self - other : other - self }
}
