import MovieBox
import Subtitles

extension FlattenedMovie {
  /// Returns the notices about a flattened movie.
  ///
  /// - Parameter samples: the notices about its samples.
  static func notices(_ samples: [EditNotice], _ fragments: MovieFragments, of movie: Movie) -> [EditNotice] {
    let count = fragments.fragments.count
    var notices: [EditNotice] = [.flattened(fragmentCount: count)]
    notices += samples
    if movie.layout.first("emsg") != nil { notices.append(.eventsKept) }
    return notices
  }

  /// Returns the notices about the samples of a flattened movie.
  ///
  /// - Parameter start: the time on the recording's clock that became 0, or `nil` if times did not change.
  static func sampleNotices(
    _ tracks: [TrackFlattener], _ otherAtoms: OtherFragmentAtoms, _ fragments: MovieFragments, of movie: Movie,
    from start: MediaTime?
  ) -> [EditNotice] {
    var notices = start.map { [EditNotice(.startSubtracted, $0.subtractionNote)] } ?? []
    notices += tracks.flatMap { Self.notices($0, of: movie) + editNotices($0, of: movie) }
    var types = otherAtoms.omitted
    for track in tracks { types.merge(track.omitted, uniquingKeysWith: +) }
    if !types.isEmpty { notices.append(.unknownFragmentAtoms(types)) }
    let unknownTracks = Set(fragments.fragments.flatMap(\.trackFragments).map(\.trackID)).subtracting(
      movie.tracks.map(\.id))
    notices += unknownTracks.sorted().map { .samplesOfUnknownTrack($0) }
    notices += EditNotice.notices(of: fragments.missingSamples)
    return notices
  }

  /// Returns the notices about the times of a track.
  private static func notices(_ track: TrackFlattener, of movie: Movie) -> [EditNotice] {
    let id = track.track.id
    let adjustments = track.columns.adjustments
    var notices: [EditNotice] = []
    let firstDecodeTime = track.firstDecodeTime ?? 0
    let start = track.editList(in: movie)?.presentationStartInMovieTicks ?? 0
    if firstDecodeTime > 0, start > track.track.presentationStartInMovieTicks {
      let delay = track.fragmented.compositionDelay
      let time =
        MediaTime(
          ticks: firstDecodeTime.addingClamped(delay), timeScale: track.track.mediaHeader.timeScale) ?? .zero
      let isExact = (Int128(time.ticks) * Int128(movie.header.timeScale)).isMultiple(of: Int128(time.timeScale))
      notices.append(.startsAfterEmptyEdit(at: time.text, isExact: isExact, track: id))
    }
    if firstDecodeTime < 0, !track.track.hasReadableText {
      let time = Quantity.time(firstDecodeTime.magnitude, timeScale: track.track.mediaHeader.timeScale)
      notices.append(.startsBeforeMovie(by: time, track: id))
    }
    if firstDecodeTime > 0, let start = track.fragmented.startTime,
      let shown = track.fragmented.fragmentPresentationStart, shown < Int64(clamping: start)
    {
      notices.append(.shownBeforeDecoding(ticks: Int64(clamping: start) - shown, track: id))
    }
    if adjustments.lengthenedCount > 0 { notices.append(.gapsClosed(adjustments.lengthenedCount, track: id)) }
    if adjustments.shortenedCount > 0 { notices.append(.overlapsRemoved(adjustments.shortenedCount, track: id)) }
    if adjustments.delayedCount > 0 { notices.append(.samplesDelayed(adjustments.delayedCount, track: id)) }
    return notices
  }

  /// Returns the notices about edits that flattening extended and about edits that end before the samples.
  private static func editNotices(_ track: TrackFlattener, of movie: Movie) -> [EditNotice] {
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
    let hiddenDuration = end.addingClamped(-shownEnd)
    // A part of the last sample, such as codec padding, may be hidden. A whole sample must not be hidden.
    guard hiddenDuration > 0, hiddenDuration >= Int64(track.columns.durations.last ?? 0) else { return [] }
    return [.editListTooShort(by: Quantity.time(hiddenDuration.magnitude, timeScale: UInt32(mediaScale)), track: id)]
  }
}
