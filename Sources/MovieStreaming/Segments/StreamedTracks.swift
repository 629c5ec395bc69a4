import MovieBox

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
