public import MovieBox
public import Subtitles

extension MovieEdit {
  /// Shifts and scales the times of a subtitle track of the movie, and returns the ID of the new track.
  ///
  /// A new track with the same cues replaces the old track and is added after all other tracks. It inherits the old
  /// track's alternate group, language, title and tags, its references, and the references of other tracks to it. The new
  /// track is enabled if the old track was enabled.
  ///
  /// The samples keep their format, except that QuickTime text becomes timed text. The codes of captions are moved to the
  /// nearest frames. Cues keep their styles, colors and
  /// placements. The font size is kept if the new track is as wide as the old track. Other fonts and boxes become the
  /// defaults of new subtitles. ``notices`` lists properties of the old track that are not inherited, and cues outside the
  /// movie.
  ///
  /// Throws the errors of the source, ``MovieEdit/Conflict/noCueShown(trackID:)``, and ``/MovieBox/MovieError``:
  /// `.invalidEdit` if the track contains no subtitles or if this edit added it, `.unsupported` if its text cannot be
  /// read, and `.sourceChanged` if the source is not the source of the movie.
  ///
  ///     try edit.retime(4, CueTiming(offsetMilliseconds: -1_500))
  @discardableResult
  public mutating func retime(
    _ id: UInt32, _ timing: CueTiming, limits: SubtitleLimits = SubtitleLimits()
  ) throws -> UInt32 {
    try retime([id], timing, limits: limits).first?.trackID ?? id
  }

  /// The result of retiming a track.
  public struct RetimedTrack: Sendable {
    /// The replaced track with the old times.
    public let old: EditedTrack
    /// The ID of the new track.
    public let trackID: UInt32
    /// The notices from reading the text and from fitting the cues into the movie.
    public let notices: [SubtitleNotice]
  }

  /// Retimes several tracks. If the function throws, the edit is unchanged. Makes a pass over all tracks and over the
  /// texts.
  ///
  /// - Parameters:
  ///   - ids: the tracks.
  ///   - timing: the change of their times.
  ///   - limits: the limits for the text that is read.
  ///   - willRetime: called before each track. The function rethrows its error.
  @discardableResult
  public mutating func retime(
    _ ids: [UInt32], _ timing: CueTiming, limits: SubtitleLimits = SubtitleLimits(),
    willRetime: (_ id: UInt32) throws -> Void = { _ in }
  ) throws -> [RetimedTrack] {
    try requireOneTrack(ofEach: Set(ids))
    let chapters = tracks.chapterTrackIDs
    let indicesByID = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    let oldDuration = durationInMovieTicks
    var edit = self
    var template = TrackTemplate(self, keepsLateCues: true)
    let end = movie.endMilliseconds(nil)
    var (retimed, notices) = ([RetimedTrack](), [EditNotice]())
    for old in ids.compactMap({ indicesByID[$0] }).map({ tracks[$0] }) {
      try willRetime(old.id)
      guard let track = old.old, track.mediaType.isLegible, !chapters.contains(old.id) else {
        throw MovieError(.invalidEdit, "track \(old.id) is not a subtitle track of this movie")
      }
      guard !track.formats.contains("c708") else {
        throw MovieError(
          .unsupported,
          "track \(old.id) contains CEA-708 captions, which cannot be written; extract its CEA-608 captions, and add the "
            + "file")
      }
      let text = try movie.reading(source) {
        try TextTrackReader(track, of: movie, endingAt: end, limits: limits).read(from: source)
      }
      var input = Self.input(text, as: old, timing, limits)
      if let size = Self.fontSize(of: track, as: template.geometry) { input.fontSize = size }
      let new = try edit.add(input, &template)
      guard let newTrack = edit.tracks.last, newTrack.shownCueCount ?? 0 > 0 else {
        throw Conflict.noCueShown(trackID: old.id)
      }
      notices += text.notices.map { .cue($0, track: new) }
      retimed.append(RetimedTrack(old: old, trackID: new, notices: text.notices + newTrack.subtitleNotices))
    }
    let longestTrack = edit.tracks.suffix(retimed.count)
      .max { $0.planned.headerDuration ?? 0 < $1.planned.headerDuration ?? 0 }
    if let longestTrack { edit.noteLengthening(by: longestTrack.id, before: oldDuration) }
    try edit.replace(retimed.map { ($0.old.id, $0.trackID) })
    edit.recordedNotices += notices
    self = edit
    return retimed
  }

  /// Returns the font size that a new track inherits. It is `nil` if the widths differ, because the size in pixels
  /// depends on the width.
  private static func fontSize(of track: Track, as geometry: SubtitleGeometry) -> SubtitleFontSize? {
    guard let size = track.tx3gDescriptions.first?.defaultStyle.fontSize, size > 0,
      track.header.width >> 16 == geometry.width
    else { return nil }
    return .pixels(size)
  }

  /// Replaces a track with a new track that contains its text, and returns the new ID. Tags that cannot be written are
  /// dropped and reported.
  mutating func replace(
    _ old: EditedTrack, with text: TextTrack, _ timing: CueTiming, _ limits: SubtitleLimits
  ) throws -> UInt32 {
    let before = durationInMovieTicks
    var template = TrackTemplate(self, keepsLateCues: true)
    let id = try add(Self.input(text, as: old, timing, limits), &template)
    noteLengthening(by: id, before: before)
    try replace(old.id, with: id)
    return id
  }

  /// Returns the input for a new track with the text of `old`, which the new track replaces.
  private static func input(
    _ text: TextTrack, as old: EditedTrack, _ timing: CueTiming, _ limits: SubtitleLimits
  ) -> SubtitleInput {
    var input = SubtitleInput(text.file, language: old.language, title: old.title)
    input.mediaCharacteristics = old.taggedCharacteristics.filter {
      $0.isWellFormed && $0 != .containsOnlyForcedSubtitles
    }
    input.containsOnlyForcedSubtitles = old.containsOnlyForcedSubtitles
    input.timing = timing
    input.areCuesOfMovie = true
    input.limits = limits
    if let track = old.old, track.formats.contains("wvtt") { input.format = .webVTT }
    if let track = old.old, track.formats.contains("c608") { input.format = .captions }
    return input
  }
}
