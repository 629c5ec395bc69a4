import MovieBox
import Subtitles

/// The video and audio tracks of a presentation.
struct StreamedTracks {
  /// The video track of each movie, or empty if there is only audio.
  let pictures: [StreamedTrack]
  /// The audio tracks of the first movie that has audio.
  let sounds: [StreamedTrack]
  /// The tracks that determine the segment boundaries: the video tracks, or else the first audio track. All of them
  /// must have the same boundaries.
  let references: [StreamedTrack]

  /// A function that calls a closure about a track, and adds the track's ID to the errors of the closure.
  typealias Explaining = (StreamedTrack, () throws -> StreamedTrack) throws -> StreamedTrack

  /// Creates the tracks of a presentation, or returns `nil` if there are none.
  init?(pictures: [StreamedTrack], sounds: [StreamedTrack]) {
    guard !pictures.isEmpty || !sounds.isEmpty else { return nil }
    (self.pictures, self.sounds) = (pictures, sounds)
    references = pictures.isEmpty ? Array(sounds.prefix(1)) : pictures
  }

  /// Returns the tracks, limited to the samples that the presentation contains. If the edit list of a video track
  /// starts in the middle of its media, the track starts with the preceding sync sample. Audio starts together with the
  /// video.
  ///
  /// Throws if pictures that an edit list hides would be visible.
  func fitted(_ explaining: Explaining) throws -> StreamedTracks {
    let pictures = try pictures.map { picture in try explaining(picture) { try picture.fitted() } }
    var sounds: [StreamedTrack] = []
    for sound in self.sounds {
      // Audio starts with the video, or earlier if the movie plays it earlier.
      let start = pictures.first.map { $0.timeline.time($0.timeline.start, in: sound.timeline.timeScale) }
      sounds.append(try explaining(sound) { try sound.fitted(startingAt: start) })
    }
    guard let fittedTracks = StreamedTracks(pictures: pictures, sounds: sounds) else { return self }
    for picture in pictures {
      _ = try explaining(picture) {
        try fittedTracks.requireNoAudioBeforeFirstPicture(picture)
        return picture
      }
    }
    return fittedTracks
  }

  /// Throws if audio plays before the first shown picture. Pictures that the edit list hides would then be visible.
  private func requireNoAudioBeforeFirstPicture(_ picture: StreamedTrack) throws(StreamRefusal) {
    let timeline = picture.timeline
    guard timeline.ticksUntilShown > 0 else { return }
    let first = sounds.map { $0.timeline.time($0.timeline.shownStart, in: timeline.timeScale) }.min() ?? .max
    guard first < timeline.shownStart - Int64(timeline.firstDuration) else { return }
    throw StreamRefusal(
      MovieError(
        .unsupported, at: timeline.editListLocation.offset, in: timeline.editListLocation.path,
        "the edit list begins inside a group of pictures of track \(picture.track.id), while audio plays; HLS does "
          + "not support this; cut the movie at a key picture, encode it again, or trim the start"),
      trackID: picture.track.id, remedy: .trimmedStart)
  }

  /// The tracks that do not determine segment boundaries and are cut at the boundaries of the first reference track.
  var followers: ArraySlice<StreamedTrack> { pictures.isEmpty ? sounds.dropFirst() : sounds[...] }

  /// All tracks, reference tracks first.
  var all: [StreamedTrack] { pictures + sounds }

  /// The language of the audio that plays by default.
  var language: LanguageTag? { (sounds.first(where: \.track.isEnabled) ?? sounds.first)?.track.language }

  /// Returns the earliest start of a reference track and the audio tracks, in ticks of the reference track. Audio that
  /// starts at most half a picture before the reference track is ignored.
  func start(inTicksOf reference: StreamedTrack) -> Int64 {
    var start = reference.timeline.start
    for sound in sounds {
      let soundStart = sound.timeline.time(sound.timeline.start, in: reference.timeline.timeScale)
      if soundStart < start - Int64(reference.timeline.firstDuration) / 2 { start = soundStart }
    }
    return start
  }

  /// Returns the latest end of the audio tracks and a reference track, in ticks of the reference track.
  func end(inTicksOf reference: StreamedTrack) -> Int64 {
    sounds.reduce(reference.timeline.end) { end, sound in
      max(end, sound.timeline.time(sound.timeline.end, in: reference.timeline.timeScale))
    }
  }
}

// Players disagree about tracks that start later than other tracks, so a presentation may be trimmed to the time at
// which all tracks have started.
extension StreamedTracks {
  /// The smallest difference between the starts of tracks for which the presentation is trimmed. Viewers notice audio
  /// that is 45 ms early (ITU-R BT.1359).
  static let trimThresholdInMicroseconds: Int64 = 45_000

  /// Returns the tracks, trimmed to start with the first sync sample at which all tracks have started. Returns `nil` if
  /// the tracks already start together and the edit list hides no pictures.
  ///
  /// Makes a pass over the samples of each track. Throws `.unsupported` if there is no such sync sample, and
  /// `.invalidEdit` if its time differs between variants.
  func trimmed(_ options: StreamOptions, _ explaining: Explaining) throws -> StreamedTracks? {
    let starts = all.map { $0.timeline.time($0.timeline.playedStart, in: 1_000_000) }
    guard let earliest = starts.min(), let last = starts.max() else { return nil }
    var hidesPictures = false
    for picture in pictures where try picture.fitted().timeline.ticksUntilShown > 0 { hidesPictures = true }
    guard hidesPictures || last - earliest >= Self.trimThresholdInMicroseconds else { return nil }
    var first: VariantStart?
    var pictures: [StreamedTrack] = []
    for picture in self.pictures {
      let trimmed = try explaining(picture) {
        let timeline = picture.timeline
        let begun = max(timeline.shownStart, timeline.time(last, from: 1_000_000))
        guard let key = try picture.firstKeyTime(at: begun) else {
          throw StreamRefusal(
            MovieError(
              .unsupported,
              "track \(picture.track.id) has no key picture after the start of all tracks, at "
                + "\(text(last, 1_000_000)), to begin with"), remedy: .untrimmedStart)
        }
        let start = VariantStart(picture: picture, ticks: key)
        if let first { try start.requireSame(as: first, options, remedy: .untrimmedStart) } else { first = start }
        return try picture.fitted(trimmingTo: key)
      }
      pictures.append(trimmed)
    }
    let (start, timeScale) = first.map { ($0.ticks, $0.picture.timeline.timeScale) } ?? (last, 1_000_000)
    var sounds: [StreamedTrack] = []
    for sound in self.sounds {
      let trimmed = try explaining(sound) {
        let begun = sound.timeline.time(start, from: timeScale)
        guard sound.timeline.end > begun else {
          throw StreamRefusal(
            MovieError(
              .unsupported,
              "track \(sound.track.id) ends before the start of all tracks, at \(text(start, timeScale))"),
            remedy: .untrimmedStart)
        }
        return try sound.fitted(trimmingTo: begun)
      }
      sounds.append(trimmed)
    }
    return StreamedTracks(pictures: pictures, sounds: sounds)
  }

  private func text(_ ticks: Int64, _ timeScale: UInt32) -> String {
    timeText(milliseconds: MediaTime(ticks: ticks, timeScale: timeScale)?.milliseconds ?? 0)
  }
}

/// The start of a variant. All variants of a presentation must start with sync samples of the same time.
struct VariantStart {
  let picture: StreamedTrack
  /// The start in ticks on the movie's timeline.
  let ticks: Int64

  /// Throws if this variant and the first variant start at different times. Differences of up to half a picture are
  /// rounding errors.
  func requireSame(
    as first: VariantStart, _ options: StreamOptions, remedy: StreamRemedy? = nil
  ) throws(StreamRefusal) {
    let (own, other) = (picture.timeline, first.picture.timeline)
    let distance = Int128(ticks) * Int128(other.timeScale) - Int128(first.ticks) * Int128(own.timeScale)
    let tolerance = Int128(own.firstDuration) * Int128(other.timeScale)
    guard 2 * distance.magnitude > tolerance.magnitude else { return }
    throw StreamRefusal(
      MovieError(
        .invalidEdit,
        "the variants begin at different pictures: \(first.text(options)), \(text(options)); encode both movies with "
          + "key frames at the same times, or cut both movies at the same key picture"), remedy: remedy)
  }

  private func text(_ options: StreamOptions) -> String {
    let (name, timeline) = (options.name(ofMovie: picture.movieIndex), picture.timeline)
    let milliseconds = timeline.time(ticks, in: 1_000)
    return ticks < timeline.shownStart
      ? "\(name) begins \(timeline.time(timeline.shownStart - ticks, in: 1_000)) ms before the edit"
      : "\(name) begins at \(timeText(milliseconds: milliseconds))"
  }
}

extension StreamedTrack {
  /// Returns the time of the first sync sample shown at `start` or later, in ticks on the movie's clock, or `nil` if
  /// there is none. A sample that is at most half a picture early counts too, because edit times are rounded.
  fileprivate func firstKeyTime(at start: Int64) throws(MovieError) -> Int64? {
    var earliestTime: Int64?
    try samples.forEachSample { sample throws(MovieError) in
      guard sample.isSync else { return }
      let time = sample.presentationTime.addingClamped(timeline.shift)
      guard time.addingClamped(Int64(sample.duration) / 2) >= start else { return }
      earliestTime = min(earliestTime ?? time, time)
    }
    return earliestTime
  }
}
