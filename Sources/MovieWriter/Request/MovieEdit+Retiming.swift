public import MovieBox
public import Subtitles

extension MovieEdit {
  /// Moves and scales the times of a subtitle track of the movie: a new track of the same cues takes its place, in its
  /// group, with its language, title and tags, and with the references of other tracks to it and its own. Gives its ID.
  ///
  /// New samples are written in the format of the old ones; QuickTime text becomes timed text. Styles, colours and
  /// places of cues stay, and letters are as large as they were; other fonts and boxes become those of new subtitles. What
  /// of the old track is not taken over, and cues that no longer lie in the movie, are in ``notes``.
  ///
  /// Throws what reading from `source` throws, and ``/MovieBox/MovieError``: `.invalidEdit` for a track that holds no
  /// subtitles, that this edit has added, or of which no cue would be shown, and `.unsupported` for text that cannot be read.
  ///
  ///     try edit.retime(4, CueTiming(offsetInMilliseconds: -1_500), readingTextOf: source)
  @discardableResult
  public mutating func retime(
    _ id: UInt32, _ timing: CueTiming, readingTextOf source: some RandomAccessSource,
    limits: SubtitleLimits = SubtitleLimits()
  ) throws -> UInt32 {
    let old = tracks[try onlyIndex(of: id)]
    guard case .movie(let track) = old.origin, holdsSubtitlesOfAnyAge(old), !tracks.chapterTrackIDs.contains(id) else {
      throw MovieError(.invalidEdit, "track \(id) is no track of subtitles of this movie")
    }
    let text = try TextTrackReader(track, of: movie, limits: limits).read(from: source)
    var edit = self
    let new = try edit.replace(old, with: text, timing, limits)
    guard edit.tracks.first(where: { $0.id == new })?.shownCueCount ?? 0 > 0 else {
      throw MovieError(.invalidEdit, "no cue of track \(id) would lie in the movie")
    }
    edit.ownNotes += text.notices.map { EditNotice(.subtitles, trackID: new, isWarning: true, $0.description) }
    self = edit
    return new
  }

  /// Puts a new track of this text in the place of one that had it; gives its ID.
  mutating func replace(
    _ old: OutputTrack, with text: TextTrack, _ timing: CueTiming, _ limits: SubtitleLimits
  ) throws -> UInt32 {
    var input = TrackInput(cues: text.cues, languageTag: old.language, title: old.title)
    input.mediaCharacteristics = old.taggedCharacteristics
    input.containsOnlyForcedSubtitles = old.containsOnlyForcedSubtitles
    input.timing = timing
    input.limits = limits
    if let webVTT = text.webVTT { (input.format, input.webVTT) = (.webVTT, webVTT) }
    if case .movie(let track) = old.origin, let description = track.tx3gDescriptions.first {
      input.fontSize = .pixels(description.defaultStyle.fontSize)
    }
    let id = try add(input)
    try replace(old.id, with: id)
    if old.alternateGroup == 0 { try addToSubtitleGroup(id, asDefault: false) }
    return id
  }
}
