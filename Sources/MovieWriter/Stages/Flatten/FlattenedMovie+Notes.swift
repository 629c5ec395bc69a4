import MovieBox
import Subtitles

extension FlattenedMovie {
  /// The notices about a flattened movie, after those about its samples.
  static func notes(_ samples: [EditNotice], _ fragments: MovieFragments, of movie: Movie) -> [EditNotice] {
    let count = fragments.fragments.count
    var notes: [EditNotice] = [.flattened(fragmentCount: count)]
    notes += samples
    if movie.layout.first("emsg") != nil { notes.append(.eventsKept) }
    return notes
  }

  /// The notices about samples.
  static func sampleNotes(
    _ tracks: [TrackFlattener], _ otherAtoms: OtherFragmentAtoms, _ fragments: MovieFragments, of movie: Movie,
    from start: MediaTime?
  ) -> [EditNotice] {
    var notes = start.map { [EditNotice(.startSubtracted, $0.subtractionNote)] } ?? []
    notes += tracks.flatMap { Self.notes($0, of: movie) + editNotes($0, of: movie) }
    var types = otherAtoms.omitted
    for track in tracks { types.merge(track.omitted, uniquingKeysWith: +) }
    if !types.isEmpty { notes.append(.unknownFragmentAtoms(types)) }
    let unknownTracks = Set(fragments.fragments.flatMap(\.trackFragments).map(\.trackID)).subtracting(
      movie.tracks.map(\.id))
    notes += unknownTracks.sorted().map { .samplesOfUnknownTrack($0) }
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
        "begins at \(time.text), after an empty edit" + (isExact ? "" : " that is rounded to a tick of the movie"))
    }
    if firstDecodeTime < 0, !track.track.hasReadableText {
      let time = Quantity.time(firstDecodeTime.magnitude, timeScale: track.track.mediaHeader.timeScale)
      note("begins \(time) before the movie; its edit list hides that part")
    }
    if firstDecodeTime > 0, let start = track.fragmented.startTime,
      let shown = track.fragmented.fragmentPresentationStart, shown < Int64(clamping: start)
    {
      note(
        "has samples that are shown up to \(Int64(clamping: start) - shown) ticks before the first one is decoded; a movie "
          + "without fragments cannot show them", isWarning: true)
    }
    if seams.lengthenedCount > 0 {
      note("has \(counted(seams.lengthenedCount, "gap")) between fragments; the sample before each gap is extended")
    }
    if seams.shortenedCount > 0 {
      note("has \(counted(seams.shortenedCount, "overlap")) of fragments; the sample before each overlap is shortened")
    }
    if seams.delayedCount > 0 {
      note(
        "has decode times that go back \(counted(seams.delayedCount, "time")); later samples are delayed to keep the order",
        isWarning: true)
    }
    return notes
  }

  /// The notices about edits that flattening extended, and about edits that end before the samples.
  private static func editNotes(_ track: TrackFlattener, of movie: Movie) -> [EditNotice] {
    let (id, scale) = (track.track.id, movie.header.timeScale)
    guard track.fragmented.hasFragmentSamples, let old = track.track.editList else { return [] }
    if track.fragmented.endsWithTable(old, track.track, scale) {
      return [.lastEditExtended(track: id)]
    }
    guard !old.isOpen, let last = track.editList(in: movie)?.entries.last(where: { $0.mediaTime >= 0 }),
      case let mediaScale = UInt64(track.track.mediaHeader.timeScale), mediaScale > 0
    else { return [] }
    let shown = last.segmentDuration.scaledToNearest(by: mediaScale, over: UInt64(Swift.max(1, scale))) ?? .max
    let shownEnd = Int64(clamping: shown).addingClamped(last.mediaTime)
    let first = Int64(clamping: track.fragmented.startTime ?? 0)
    let end = track.fragmented.presentationEndTime.addingClamped(-first)
    let lost = end.addingClamped(-shownEnd)
    // Missing codec padding is harmless; a missing picture is not.
    guard lost > 0, lost >= Int64(track.columns.durations.last ?? 0) else { return [] }
    return [.editListTooShort(by: Quantity.time(lost.magnitude, timeScale: UInt32(mediaScale)), track: id)]
  }
}
