import MovieBox
import Subtitles
import Synchronization

// Segments the tracks, on two threads if they are long.
extension StreamPlanner {
  /// With this many samples, starting a second thread takes little time compared with segmenting.
  private static let sampleCountForTwoThreads = 20_000

  /// A track, the boundaries of its segments, and the timed events in these segments.
  typealias CutTrack = (streamed: StreamedTrack, boundaries: TrackSegmenter.Boundaries, events: TimedEvents)

  /// Returns the segments of the tracks, in the order of the tracks.
  func segment(_ tracks: [CutTrack], laterBy delay: StreamDelay) throws -> [SegmentedTrack] {
    let state = SegmentationState(tracks, of: self, laterBy: delay)
    if tracks.count > 1, tracks.contains(where: { $0.streamed.samples.sampleCount >= Self.sampleCountForTwoThreads }) {
      SecondThread.run(concurrently: { state.run() }) { state.run() }
    } else {
      state.run()
    }
    return try state.segmented { index, error in
      try explaining(tracks[index].streamed) { throw error }
    }
  }

  /// The tracks to segment, and the results. Two threads share this state: each thread repeatedly segments the next
  /// track.
  private final class SegmentationState: Sendable {
    private let tracks: [CutTrack]
    private let delay: StreamDelay
    private let movies: [StreamedMovie]
    private let budget: StreamBudget
    /// The index of the next track to segment. A failure sets it to the number of tracks, so that no track follows.
    private let nextTrackIndex = Atomic<Int>(0)
    private let results: Mutex<[Result<SegmentedTrack, MovieError>?]>

    init(_ tracks: [CutTrack], of planner: StreamPlanner, laterBy delay: StreamDelay) {
      self.tracks = tracks
      self.delay = delay
      movies = planner.movies
      budget = planner.budget
      results = Mutex(Array(repeating: nil, count: tracks.count))
    }

    /// Segments tracks until no track is left or an error occurs.
    func run() {
      while case let index = nextTrackIndex.wrappingAdd(1, ordering: .relaxed).oldValue, index < tracks.count {
        let result = segment(tracks[index])
        if case .failure = result { nextTrackIndex.store(tracks.count, ordering: .relaxed) }
        results.withLock { $0[index] = result }
      }
    }

    private func segment(_ track: CutTrack) -> Result<SegmentedTrack, MovieError> {
      let streamed = track.streamed
      var segmenter = TrackSegmenter(
        streamed, of: movies[streamed.movieIndex], delay: delay, boundaries: track.boundaries, events: track.events,
        budget: budget)
      do throws(MovieError) {
        return .success(try segmenter.run(streamed.samples))
      } catch {
        return .failure(error)
      }
    }

    /// Returns the segments of all tracks. Calls `fail` with the index and the error of the first track that failed.
    func segmented(fail: (Int, MovieError) throws -> Void) throws -> [SegmentedTrack] {
      let results = results.withLock { $0 }
      var segmented: [SegmentedTrack] = []
      // After a failure, results may be missing, even results of tracks before the failed track.
      for (index, result) in results.enumerated() {
        if case .failure(let error)? = result { try fail(index, error) }
      }
      for case .success(let track)? in results { segmented.append(track) }
      return segmented
    }
  }
}

/// Notices about tracks that begin late, end early or contain hidden media.
extension StreamPlanner {
  /// Reports media that the presentation contains although an edit list hides it.
  mutating func noteHiddenPictures(of picture: StreamedTrack) {
    let (timeline, id) = (picture.timeline, picture.track.id)
    func milliseconds(_ ticks: Int64) -> Int64 { max(1, timeline.time(ticks, in: 1_000)) }
    if timeline.ticksUntilShown > 0 {
      notices.append(
        StreamPlan.Notice(
          "hidden-before-start", movieIndex: picture.movieIndex, trackID: id, remedy: .trimmedStart,
          "the stream must begin with a key picture, so it includes \(milliseconds(timeline.ticksUntilShown)) ms "
            + "that the edit list trims off the start of track \(id) (players skip them, but viewers can seek back); "
            + "to remove them, encode the movie again or trim the start"))
    }
    if timeline.hiddenTicksAtEnd > 0 {
      notices.append(
        StreamPlan.Notice(
          "hidden-after-end", movieIndex: picture.movieIndex, trackID: id,
          "the last segment contains pictures on which earlier pictures depend, so players show "
            + "\(milliseconds(timeline.hiddenTicksAtEnd)) ms that were trimmed off the end of track \(id)"))
    }
  }

  /// Reports the duration that was trimmed off the start of the movie.
  mutating func noteTrimmedStart(of trimmed: StreamedTracks, from chosen: StreamedTracks) {
    func start(_ tracks: StreamedTracks) -> Int64 {
      tracks.all.map { $0.timeline.time($0.timeline.shownStart, in: 1_000) }.min() ?? 0
    }
    guard let reference = trimmed.references.first else { return }
    let (old, new) = (start(chosen), reference.timeline.time(reference.timeline.start, in: 1_000))
    guard new > old else { return }
    notices.append(
      StreamPlan.Notice(
        "start-trimmed", movieIndex: reference.movieIndex, trackID: reference.track.id, isWarning: false,
        "the presentation begins at \(timeText(milliseconds: new)) of the movie, after the start of video and audio; "
          + "the first \(new.subtractingClamped(old)) ms are omitted"))
  }

  /// Reports video that begins later than the audio, and audio that begins later than the video. Players disagree about
  /// the gap.
  ///
  /// According to measurements, hls.js 1.6 skips to the time at which both tracks have begun, or shows the first
  /// picture when the audio starts. Shaka Player 4.5 plays both tracks from the start of the presentation. ffmpeg and
  /// GStreamer keep the gap.
  mutating func noteLateStarts(of tracks: StreamedTracks) {
    func start(_ streamed: StreamedTrack) -> Int64 {
      streamed.timeline.time(streamed.timeline.playedStart, in: 1_000_000)
    }
    guard let picture = tracks.pictures.first, let firstSound = tracks.sounds.map(start).min() else { return }
    for picture in tracks.pictures {
      let lateness = start(picture).subtractingClamped(firstSound)
      guard lateness >= StreamedTracks.trimThresholdInMicroseconds else { continue }
      note(
        picture,
        "the video of track \(picture.track.id) begins \(lateness / 1_000) ms after the "
          + "audio; hls.js and Shaka Player ignore this delay and show the video too early")
    }
    // Audio that was added to a movie without edit lists begins with the first shown picture. Such audio is not late.
    let shown = picture.timeline.time(picture.timeline.shownStart, in: 1_000_000)
    for sound in tracks.sounds {
      let lateness = start(sound).subtractingClamped(max(start(picture), shown))
      guard lateness >= StreamedTracks.trimThresholdInMicroseconds else { continue }
      note(
        sound,
        "the audio of track \(sound.track.id) begins \(lateness / 1_000) ms after the video; "
          + "hls.js skips the video before the audio, and Shaka Player plays the audio too early")
    }
  }

  /// Warns that the presentation has no audio although a movie has audio.
  mutating func noteMissingAudio() {
    for movie in movies {
      let sound = movie.movie.tracks.first { track in
        track.mediaType == .audio && !movie.movie.chapterTrackIDs.contains(track.id)
          && movie.fragments.track(track.id)?.sampleCount ?? 0 > 0
      }
      guard let sound else { continue }
      notices.append(
        StreamPlan.Notice(
          "no-sound", movieIndex: movie.index, trackID: sound.id,
          "the presentation has no audio, because HLS does not support the audio of track \(sound.id)"))
      return
    }
  }

  private mutating func note(_ streamed: StreamedTrack, _ message: String) {
    notices.append(
      StreamPlan.Notice(
        "begins-late", movieIndex: streamed.movieIndex, trackID: streamed.track.id, remedy: .trimmedStart,
        message))
  }

  /// Reports audio that does not end together with the video. Without video, audio is compared with the first audio
  /// track.
  ///
  /// Players expect all tracks to end together. Viewers notice a difference in the audio, so only audio is reported.
  mutating func noteUnequalEnds(of tracks: StreamedTracks) {
    func end(_ streamed: StreamedTrack) -> Int64 { streamed.timeline.time(streamed.timeline.end, in: 1_000_000) }
    guard let reference = tracks.references.first, let presentationEnd = tracks.references.map(end).max() else {
      return
    }
    let referenceName = tracks.pictures.isEmpty ? "track \(reference.track.id)" : "the picture"
    for sound in tracks.followers {
      let (excess, id) = (end(sound).subtractingClamped(presentationEnd), sound.track.id)
      guard excess.magnitude > PresentationTimeline.endToleranceInMicroseconds else { continue }
      let (code, time) = excess < 0 ? ("ends-early", "before") : ("sound-too-long", "after")
      notices.append(
        StreamPlan.Notice(
          code, movieIndex: sound.movieIndex, trackID: id,
          "track \(id) ends \(excess.magnitude / 1_000) ms \(time) \(referenceName); players expect all tracks to end together"
        )
      )
    }
  }

  /// Explains segments that last more than 1.5 times the requested duration.
  mutating func noteLongSegments(of renditions: Renditions) {
    func isLong(_ microseconds: UInt64) -> Bool {
      MediaPlaylist.targetDuration([microseconds]) * 2_000 > UInt64(clamping: options.segmentMilliseconds) * 3
    }
    let media = renditions.pictures + renditions.sounds
    let lateRendition = media.first { rendition in
      // The first segment includes the time before the track begins. In this rendition, only that segment is long.
      let segments = rendition.playlist.contents.segments
      return isLong(segments.first?.microseconds ?? 0) && !isLong(rendition.longestPlayedDuration)
    }
    if lateRendition == nil, let longest = media.map(\.longestPlayedDuration).max(), isLong(longest) {
      notices.append(
        StreamPlan.Notice(
          "long-segments", isWarning: false,
          "segments last up to \(MediaPlaylist.targetDuration([longest])) s, because of the distance between key "
            + "pictures"
        ))
    } else if let lateRendition {
      notices.append(
        StreamPlan.Notice(
          "long-segments", movieIndex: lateRendition.streamed.movieIndex, trackID: lateRendition.streamed.track.id,
          isWarning: false,
          "the first segment of track \(lateRendition.streamed.track.id) lasts \(renditions.targetDuration) s, because the "
            + "track begins late and players stop at segments without samples"))
    }
  }
}
