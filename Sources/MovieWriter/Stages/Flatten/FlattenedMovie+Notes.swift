import MovieBox
import Subtitles

// What is said of a movie that is no longer fragmented.
extension FlattenedMovie {
  /// What is said of the movie as a whole.
  static func notes(_ samples: [EditNotice], _ fragments: MovieFragments, of movie: Movie) -> [EditNotice] {
    let count = fragments.fragments.count
    var notes = [
      EditNotice(
        .flattened,
        "the movie is no longer fragmented: the samples of \(counted(count, "fragment")) are listed in the movie atom")
    ]
    notes += samples
    if movie.layout.first("emsg") != nil {
      notes.append(
        EditNotice(
          .fragments, isWarning: true,
          "timed events (emsg) are kept; those whose times count from the start of a segment have no such start any more"
        ))
    }
    return notes
  }

  /// What is said of samples, by track or of all of them.
  static func sampleNotes(
    _ tracks: [TrackFlattener], _ otherAtoms: OtherFragmentAtoms, _ fragments: MovieFragments, of movie: Movie,
    from start: MediaTime?
  ) -> [EditNotice] {
    var notes = start.map { [EditNotice(.startSubtracted, $0.subtractionNote)] } ?? []
    notes += tracks.flatMap { Self.notes($0, of: movie) + editNotes($0, of: movie) }
    var types = otherAtoms.omitted
    for track in tracks { types.merge(track.omitted, uniquingKeysWith: +) }
    if !types.isEmpty {
      let list = types.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key)" }
      notes.append(
        EditNotice(
          .fragments, isWarning: true, "unknown atoms in the fragments are left out: \(list.joined(separator: ", "))"))
    }
    let unknownTracks = Set(fragments.fragments.flatMap(\.trackFragments).map(\.trackID)).subtracting(
      movie.tracks.map(\.id))
    for id in unknownTracks.sorted() {
      notes.append(
        EditNotice(
          .fragments, trackID: id, isWarning: true,
          "samples of track \(id), which the movie does not have, are in no track of the new one either"))
    }
    notes += EditNotice.notices(of: fragments.missingSamples)
    return notes
  }

  private static func notes(_ track: TrackFlattener, of movie: Movie) -> [EditNotice] {
    let id = track.track.id
    let seams = track.columns.seams
    var notes: [EditNotice] = []
    func note(_ message: String, isWarning: Bool = false) {
      notes.append(EditNotice(.fragments, trackID: id, isWarning: isWarning, "track \(id) " + message))
    }
    let firstDecodeTime = track.firstDecodeTime ?? 0
    let start = track.editList(in: movie)?.presentationStartInMovieTicks ?? 0
    if firstDecodeTime > 0, start > track.track.presentationStartInMovieTicks {
      let delay = track.fragmented.compositionDelay
      let time =
        MediaTime(
          ticks: firstDecodeTime.addingClamped(delay), timeScale: track.track.mediaHeader.timeScale) ?? .zero
      let isExact = (Int128(time.ticks) * Int128(movie.header.timeScale)).isMultiple(of: Int128(time.timeScale))
      note(
        "begins at \(time.text): its edit list starts with nothing for so long"
          + (isExact ? "" : ", rounded to a tick of the movie"))
    }
    if firstDecodeTime < 0, !track.track.hasReadableText {
      let time = Quantity.time(firstDecodeTime.magnitude, timeScale: track.track.mediaHeader.timeScale)
      note("begins \(time) before the movie does: its edit list hides that")
    }
    if firstDecodeTime > 0, let start = track.fragmented.startTime,
      let shown = track.fragmented.fragmentPresentationStart, shown < Int64(clamping: start)
    {
      note(
        "has samples that are shown before the first one is decoded, by up to \(Int64(clamping: start) - shown) ticks: "
          + "a movie without fragments cannot show them", isWarning: true)
    }
    if seams.lengthenedCount > 0 {
      note("has \(counted(seams.lengthenedCount, "gap")) between fragments: the samples before them last longer now")
    }
    if seams.shortenedCount > 0 {
      note("has \(counted(seams.shortenedCount, "overlap")) of fragments: the samples before them are shorter now")
    }
    if seams.delayedCount > 0 {
      note(
        "has times that go back \(counted(seams.delayedCount, "time")): what follows is decoded after what lies before",
        isWarning: true)
    }
    return notes
  }

  /// Notes on edits that the flattening extended, and on edits that end before the samples do.
  private static func editNotes(_ track: TrackFlattener, of movie: Movie) -> [EditNotice] {
    let (id, scale) = (track.track.id, movie.header.timeScale)
    guard track.fragmented.hasFragmentSamples, let old = track.track.editList else { return [] }
    if track.fragmented.endsWithTable(old, track.track, scale) {
      return [
        EditNotice(
          .fragments, trackID: id,
          "the last edit of track \(id) ended with the samples of the movie atom; it now shows the fragments too")
      ]
    }
    guard !old.isOpen, let last = track.editList(in: movie)?.entries.last(where: { $0.mediaTime >= 0 }),
      case let mediaScale = UInt64(track.track.mediaHeader.timeScale), mediaScale > 0
    else { return [] }
    let shown = last.segmentDuration.scaledToNearest(by: mediaScale, over: UInt64(Swift.max(1, scale))) ?? .max
    let shownEnd = Int64(clamping: shown).addingClamped(last.mediaTime)
    let first = Int64(clamping: track.fragmented.startTime ?? 0)
    let end = track.fragmented.presentationEndTime.addingClamped(-first)
    let lost = end.addingClamped(-shownEnd)
    // The padding of a codec is not missed; a picture is.
    guard lost > 0, lost >= Int64(track.columns.durations.last ?? 0) else { return [] }
    return [
      EditNotice(
        .fragments, trackID: id,
        "the edit list of track \(id) ends \(Quantity.time(lost.magnitude, timeScale: UInt32(mediaScale))) before its "
          + "samples do, so the last of them are not shown")
    ]
  }
}
