public import MovieBox
public import Subtitles

extension MovieEdit {
  /// Moves and scales the times of a subtitle track of the movie: a new track of the same cues takes its place, in its
  /// group, enabled if it was, with its language, title and tags, and with the references of other tracks to it and its
  /// own. It comes after all other tracks. Gives its ID.
  ///
  /// New samples are written in the format of the old ones; QuickTime text becomes timed text. Styles, colours and
  /// places of cues stay, and the size of letters where the old track was as wide as new ones are; other fonts and
  /// boxes become those of new subtitles. What of the old track is not taken over, and cues that no longer lie in the
  /// movie, are in ``notes``.
  ///
  /// Throws what reading from `source` throws, ``SubtitleAddition/Conflict/noCueShown(trackID:)``, and
  /// ``/MovieBox/MovieError``: `.invalidEdit` for a track that is no subtitles or that this edit has added,
  /// `.unsupported` for text that cannot be read, `.sourceChanged` for another source than the movie's.
  ///
  ///     try edit.retime(4, CueTiming(offsetInMilliseconds: -1_500), readingTextOf: source)
  @discardableResult
  public mutating func retime(
    _ id: UInt32, _ timing: CueTiming, readingTextOf source: some RandomAccessSource,
    limits: SubtitleLimits = SubtitleLimits()
  ) throws -> UInt32 {
    try retiming(id, timing, readingTextOf: source, limits: limits).id
  }

  /// The same, with what was found in reading the text and in fitting it into the movie.
  package mutating func retiming(
    _ id: UInt32, _ timing: CueTiming, readingTextOf source: some RandomAccessSource, limits: SubtitleLimits
  ) throws -> (id: UInt32, notices: [SubtitleNotice]) {
    let old = tracks[try onlyIndex(of: id)]
    guard case .movie(let track) = old.origin, track.mediaType.isLegible, !tracks.chapterTrackIDs.contains(id) else {
      throw MovieError(.invalidEdit, "track \(id) is no track of subtitles of this movie")
    }
    let text = try movie.reading(source) { try TextTrackReader(track, of: movie, limits: limits).read(from: source) }
    var edit = self
    let new = try edit.replace(old, with: text, timing, limits, fontSize: fontSize(of: track))
    guard let made = edit.tracks.first(where: { $0.id == new }), made.shownCueCount ?? 0 > 0 else {
      throw SubtitleAddition.Conflict.noCueShown(trackID: id)
    }
    edit.ownNotes += text.notices.map { EditNotice(.subtitles, trackID: new, isWarning: true, $0.description) }
    self = edit
    return (new, text.notices + made.subtitleNotices)
  }

  /// The size of letters that a new track keeps: in one of another width the same number means another size.
  private func fontSize(of track: Track) -> SubtitleFontSize? {
    guard let size = track.tx3gDescriptions.first?.defaultStyle.fontSize, size > 0,
      track.header.width >> 16 == EncodedTrack.geometry(in: movie).width
    else { return nil }
    return .pixels(size)
  }

  /// Puts a new track of this text in the place of one that had it; gives its ID. Tags that may not be written are not
  /// taken over, and reported.
  mutating func replace(
    _ old: OutputTrack, with text: TextTrack, _ timing: CueTiming, _ limits: SubtitleLimits,
    fontSize: SubtitleFontSize? = nil
  ) throws -> UInt32 {
    var input = TrackInput(text.file, languageTag: old.language, title: old.title)
    input.mediaCharacteristics = old.taggedCharacteristics.filter {
      $0.isWellFormed && $0 != .containsOnlyForcedSubtitles
    }
    input.containsOnlyForcedSubtitles = old.containsOnlyForcedSubtitles
    input.timing = timing
    input.limits = limits
    if case .movie(let track) = old.origin, track.formats.contains("wvtt") { input.format = .webVTT }
    if let fontSize { input.fontSize = fontSize }
    let id = try add(input)
    try replace(old.id, with: id)
    return id
  }
}
