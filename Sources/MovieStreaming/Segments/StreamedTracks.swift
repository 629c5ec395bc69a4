import MovieBox

/// The tracks of a presentation.
struct StreamedTracks {
  /// The picture of each movie; none where there is sound alone.
  let pictures: [StreamedTrack]
  /// The sound of the first movie that has some.
  let sounds: [StreamedTrack]
  /// Those that say where segments begin: the pictures, which must agree, else the first sound.
  let leads: [StreamedTrack]

  /// At least one track; `nil` for none.
  init?(pictures: [StreamedTrack], sounds: [StreamedTrack]) {
    guard !pictures.isEmpty || !sounds.isEmpty else { return nil }
    (self.pictures, self.sounds) = (pictures, sounds)
    leads = pictures.isEmpty ? Array(sounds.prefix(1)) : pictures
  }

  /// Those that are cut at the times of the first that leads.
  var followers: ArraySlice<StreamedTrack> { pictures.isEmpty ? sounds.dropFirst() : sounds[...] }

  /// All, those that lead first.
  var all: [StreamedTrack] { pictures + sounds }

  /// The language of the sound that plays if nobody chooses.
  var language: LanguageTag? { (sounds.first(where: \.track.isEnabled) ?? sounds.first)?.track.language }

  /// When the first of all tracks begins, in ticks of one that leads; half a frame is none.
  func start(ledBy lead: StreamedTrack) -> Int64 {
    let scale = Int128(lead.timeline.timeScale)
    var start = lead.timeline.start
    for sound in sounds {
      let own = Int64(clamping: Int128(sound.timeline.start) * scale / Int128(sound.timeline.timeScale))
      if own < start - Int64(lead.timeline.firstDuration) / 2 { start = own }
    }
    return start
  }

  /// When the last of the sounds and of a track that leads ends, in its ticks.
  func end(ledBy lead: StreamedTrack) -> Int64 {
    let scale = Int128(lead.timeline.timeScale)
    return sounds.reduce(lead.timeline.end) { end, sound in
      max(end, Int64(clamping: Int128(sound.timeline.end) * scale / Int128(sound.timeline.timeScale)))
    }
  }
}
