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
  /// Throws what the source throws, ``MovieEdit/Conflict/noCueShown(trackID:)``, and
  /// ``/MovieBox/MovieError``: `.invalidEdit` for a track that is no subtitles or that this edit has added,
  /// `.unsupported` for text that cannot be read, `.sourceChanged` for another source than the movie's.
  ///
  ///     try edit.retime(4, CueTiming(offsetMilliseconds: -1_500))
  @discardableResult
  public mutating func retime(
    _ id: UInt32, _ timing: CueTiming, limits: SubtitleLimits = SubtitleLimits()
  ) throws -> UInt32 {
    try retime([id], timing, limits: limits) { _ in }.first?.trackID ?? id
  }

  /// A track that was retimed.
  package struct RetimedTrack {
    /// The track that had the old times.
    package let old: EditedTrack
    /// The ID of the track in its place.
    package let trackID: UInt32
    /// What was found in reading the text and in fitting it into the movie.
    package var notices: [SubtitleNotice]
  }

  /// Does the same for several tracks, all or none. Costs a pass over all tracks, and the texts.
  ///
  /// Calls `willRetime` before each track; what it throws ends the edit.
  package mutating func retime(
    _ ids: [UInt32], _ timing: CueTiming, limits: SubtitleLimits,
    willRetime: (UInt32) throws -> Void
  ) throws -> [RetimedTrack] {
    try requireOneTrack(ofEach: Set(ids))
    let chapters = tracks.chapterTrackIDs
    let places = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    let before = durationInMovieTicks
    var edit = self
    var template = TrackTemplate(self)
    let end = movie.endMilliseconds(nil)
    var (retimed, notices) = ([RetimedTrack](), [EditNotice]())
    for old in ids.compactMap({ places[$0] }).map({ tracks[$0] }) {
      try willRetime(old.id)
      guard let track = old.old, track.mediaType.isLegible, !chapters.contains(old.id) else {
        throw MovieError(.invalidEdit, "track \(old.id) is no track of subtitles of this movie")
      }
      let text = try movie.reading(source) {
        try TextTrackReader(track, of: movie, endingAt: end, limits: limits).read(from: source)
      }
      var input = Self.input(text, as: old, timing, limits)
      if let size = Self.fontSize(of: track, as: template.geometry) { input.fontSize = size }
      let new = try edit.add(input, &template)
      guard let made = edit.tracks.last, made.shownCueCount ?? 0 > 0 else {
        throw Conflict.noCueShown(trackID: old.id)
      }
      notices += text.notices.map { EditNotice(.subtitles, trackID: new, isWarning: true, $0.description) }
      retimed.append(RetimedTrack(old: old, trackID: new, notices: text.notices + made.subtitleNotices))
    }
    let longest = edit.tracks.suffix(retimed.count)
      .max { $0.generated?.durationInMovieTicks ?? 0 < $1.generated?.durationInMovieTicks ?? 0 }
    if let longest { edit.noteLengthening(by: longest.id, before: before) }
    try edit.replace(retimed.map { ($0.old.id, $0.trackID) })
    edit.recordedNotices += notices
    self = edit
    return retimed
  }

  /// The size of letters that a new track keeps: in one of another width the same number means another size.
  private static func fontSize(of track: Track, as geometry: SubtitleGeometry) -> SubtitleFontSize? {
    guard let size = track.tx3gDescriptions.first?.defaultStyle.fontSize, size > 0,
      track.header.width >> 16 == geometry.width
    else { return nil }
    return .pixels(size)
  }

  /// Puts a new track of this text in the place of one that had it; gives its ID. Tags that may not be written are not
  /// taken over, and reported.
  mutating func replace(
    _ old: EditedTrack, with text: TextTrack, _ timing: CueTiming, _ limits: SubtitleLimits
  ) throws -> UInt32 {
    let id = try add(Self.input(text, as: old, timing, limits))
    try replace(old.id, with: id)
    return id
  }

  /// The input for a new track of this text in the place of one that had it.
  private static func input(
    _ text: TextTrack, as old: EditedTrack, _ timing: CueTiming, _ limits: SubtitleLimits
  ) -> SubtitleInput {
    var input = SubtitleInput(text.file, language: old.language, title: old.title)
    input.mediaCharacteristics = old.taggedCharacteristics.filter {
      $0.isWellFormed && $0 != .containsOnlyForcedSubtitles
    }
    input.containsOnlyForcedSubtitles = old.containsOnlyForcedSubtitles
    input.timing = timing
    input.limits = limits
    if let track = old.old, track.formats.contains("wvtt") { input.format = .webVTT }
    return input
  }
}
