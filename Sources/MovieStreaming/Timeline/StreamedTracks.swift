import MovieBox
import Subtitles

/// The tracks of a presentation.
struct StreamedTracks {
  /// The picture of each movie; none where there is sound alone.
  let pictures: [StreamedTrack]
  /// The sound of the first movie that has some.
  let sounds: [StreamedTrack]
  /// Those that say where segments begin: the pictures, which must agree, else the first sound.
  let leads: [StreamedTrack]

  /// Work on a track, whose error is explained as an error in that track.
  typealias Explaining = (StreamedTrack, () throws -> StreamedTrack) throws -> StreamedTrack

  /// At least one track; `nil` for none.
  init?(pictures: [StreamedTrack], sounds: [StreamedTrack]) {
    guard !pictures.isEmpty || !sounds.isEmpty else { return nil }
    (self.pictures, self.sounds) = (pictures, sounds)
    leads = pictures.isEmpty ? Array(sounds.prefix(1)) : pictures
  }

  /// The tracks with the samples of the presentation alone: where an edit list begins in the middle of the media, a
  /// picture begins with the key picture before that, and sound with it.
  ///
  /// Throws where pictures that an edit list hides would be seen. `explaining` explains errors in the work on a
  /// track.
  func fitted(_ explaining: Explaining) throws -> StreamedTracks {
    let pictures = try pictures.map { picture in try explaining(picture) { try picture.fitted() } }
    var sounds: [StreamedTrack] = []
    for sound in self.sounds {
      // What leads begins first, or else the sound does, with what the movie shows of it.
      let start = pictures.first.map { $0.timeline.time($0.timeline.start, in: sound.timeline.timeScale) }
      sounds.append(try explaining(sound) { try sound.fitted(startingAt: start) })
    }
    guard let fitted = StreamedTracks(pictures: pictures, sounds: sounds) else { return self }
    for picture in pictures {
      _ = try explaining(picture) {
        try fitted.requireHidden(picture)
        return picture
      }
    }
    return fitted
  }

  /// Throws where sound plays before the first picture that is shown, as the pictures that are hidden would be seen then.
  private func requireHidden(_ picture: StreamedTrack) throws(StreamRefusal) {
    let timeline = picture.timeline
    guard timeline.hiddenTicksBefore > 0 else { return }
    let first = sounds.map { $0.timeline.time($0.timeline.shownStart, in: timeline.timeScale) }.min() ?? .max
    guard first < timeline.shownStart - Int64(timeline.firstDuration) else { return }
    throw StreamRefusal(
      MovieError(
        .unsupported, at: timeline.editPlace.offset, in: timeline.editPlace.path,
        "the edit list begins in the middle of track \(picture.track.id), while sound plays, which HLS cannot express; cut "
          + "the movie at a key picture, encode it again, or trim the start"),
      trackID: picture.track.id, remedy: .trimmedStart)
  }

  /// Those that are cut at the times of the first that leads.
  var followers: ArraySlice<StreamedTrack> { pictures.isEmpty ? sounds.dropFirst() : sounds[...] }

  /// All, those that lead first.
  var all: [StreamedTrack] { pictures + sounds }

  /// The language of the sound that plays if nobody chooses.
  var language: LanguageTag? { (sounds.first(where: \.track.isEnabled) ?? sounds.first)?.track.language }

  /// When the first of all tracks begins, in ticks of one that leads; half a frame is none.
  func start(ledBy lead: StreamedTrack) -> Int64 {
    var start = lead.timeline.start
    for sound in sounds {
      let own = sound.timeline.time(sound.timeline.start, in: lead.timeline.timeScale)
      if own < start - Int64(lead.timeline.firstDuration) / 2 { start = own }
    }
    return start
  }

  /// When the last of the sounds and of a track that leads ends, in its ticks.
  func end(ledBy lead: StreamedTrack) -> Int64 {
    sounds.reduce(lead.timeline.end) { end, sound in
      max(end, sound.timeline.time(sound.timeline.end, in: lead.timeline.timeScale))
    }
  }
}

// Players disagree about tracks that begin later than others, so a presentation may begin where all of them play.
extension StreamedTracks {
  /// Viewers notice audio that is 45 ms early (ITU-R BT.1359); tracks that begin less apart begin together.
  static let leastLatenessInMicroseconds: Int64 = 45_000

  /// The tracks without what comes before the first key picture after all of them have begun, or `nil` if there is nothing
  /// to trim: the tracks begin together, and the edit list hides no picture.
  ///
  /// Costs a walk over the samples of each track. Throws `.unsupported` if no key picture comes after that, and
  /// `.invalidEdit` for variants whose first one has another time. `explaining` explains errors in the work on a track.
  func trimmed(_ options: StreamOptions, _ explaining: Explaining) throws -> StreamedTracks? {
    let starts = all.map { $0.timeline.time($0.timeline.playedStart, in: 1_000_000) }
    guard let earliest = starts.min(), let last = starts.max() else { return nil }
    var hidesPictures = false
    for picture in pictures where try picture.fitted().timeline.hiddenTicksBefore > 0 { hidesPictures = true }
    guard hidesPictures || last - earliest >= Self.leastLatenessInMicroseconds else { return nil }
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
              "track \(picture.track.id) has no key picture after all tracks have begun, at \(text(last, 1_000_000)), to "
                + "begin with"), remedy: .wholeStart)
        }
        let own = VariantStart(picture: picture, ticks: key)
        if let first { try own.requireSame(as: first, options, remedy: .wholeStart) } else { first = own }
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
              "track \(sound.track.id) ends before all tracks have begun, at \(text(start, timeScale))"),
            remedy: .wholeStart)
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

/// When a variant begins. A presentation has one start, so all variants must begin with key pictures of that time.
struct VariantStart {
  let picture: StreamedTrack
  /// In ticks of the movie's time.
  let ticks: Int64

  /// Throws if the variant begins at another time than the first one. A difference of half a picture is rounding.
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
        "the variants do not begin at the same picture: \(first.text(options)), \(text(options)); encode both with key "
          + "frames at the same times, or cut both at the same key picture"), remedy: remedy)
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
  /// When the first sample is shown that can be decoded alone and is shown at a time or later, in ticks of the movie's
  /// time, or `nil` if there is none. Half a picture before counts, for times of edits are rounded.
  fileprivate func firstKeyTime(at start: Int64) throws(MovieError) -> Int64? {
    var found: Int64?
    try samples.forEachSample { sample throws(MovieError) in
      guard sample.isSync else { return }
      let time = sample.presentationTime.addingClamped(timeline.shift)
      guard time.addingClamped(Int64(sample.duration) / 2) >= start else { return }
      found = min(found ?? time, time)
    }
    return found
  }
}
