public import MovieBox
public import Subtitles

extension MovieEdit {
  /// Adds a subtitle track; see ``addSubtitles(_:)-([SubtitleInput])``.
  @discardableResult
  public mutating func addSubtitles(_ input: SubtitleInput) throws -> AddedSubtitles {
    try atomically { edit in
      let addedTrack = try edit.addTrack(for: input, after: [])
      if addedTrack.isAdded { try edit.arrange([input], [addedTrack.trackID]) }
      return addedTrack
    }
  }

  /// Adds subtitle tracks, adds them to groups, pairs forced-only tracks with full tracks, and makes the tracks follow
  /// audio.
  ///
  /// The order of the inputs does not matter, because the edit works in a fixed order. It first adds all tracks to
  /// their groups, and then enables the default tracks. After that, it pairs forced-only tracks with full tracks.
  /// Finally, it makes audio tracks refer to commentary subtitles, and then to all other subtitles.
  ///
  /// Requests take precedence over the rules for languages. If the function throws, the edit is unchanged. Throws
  /// ``Conflict``, ``/Subtitles/SubtitleError`` for cues that cannot be encoded, and ``/MovieBox/MovieError`` for a tag
  /// that may not be written, for a movie that is too long, for WebVTT in a QuickTime movie, and for tracks that cannot
  /// be grouped or linked as requested.
  ///
  /// - Returns: the result for each input, in the order of the inputs.
  @discardableResult
  public mutating func addSubtitles(_ inputs: [SubtitleInput]) throws -> [AddedSubtitles] {
    try addSubtitles(inputs) { error, _, _ in error }
  }

  /// Adds subtitle tracks and calls two functions of the caller.
  ///
  /// - Parameters:
  ///   - fullTrack: returns the ID of the full track for the forced-only track of the input at an index, or `nil` to
  ///     use ``SubtitleInput/fullTrackID``. It is called after all tracks are added, with the ID of the new track
  ///     and all subtitles that are not forced-only.
  ///   - explain: returns the error to throw instead of another error. It is called with the edit at the failure, and
  ///     with the results for the inputs before the rejected input. If no single input is rejected, it is called with
  ///     the results for all inputs.
  package mutating func addSubtitles(
    _ inputs: [SubtitleInput], fullTrack: (Int, UInt32, [EditedTrack]) throws -> UInt32? = { _, _, _ in nil },
    explain: (any Error, MovieEdit, [AddedSubtitles]) -> any Error
  ) throws -> [AddedSubtitles] {
    try atomically { edit in
      var added: [AddedSubtitles] = []
      do {
        for input in inputs { added.append(try edit.addTrack(for: input, after: added)) }
        let addedIndices = inputs.indices.filter { added[$0].isAdded }
        try edit.arrange(addedIndices.map { inputs[$0] }, addedIndices.map { added[$0].trackID }) {
          try fullTrack(addedIndices[$0], $1, $2)
        }
      } catch {
        throw explain(error, edit, added)
      }
      return added
    }
  }

  /// Adds the track of one input with its role, applying the input's policy for existing tracks. `added` contains the
  /// results for the previous inputs. Their tracks are not replaced.
  private mutating func addTrack(
    for input: SubtitleInput, after added: [AddedSubtitles]
  ) throws -> AddedSubtitles {
    let unchangedEdit = self
    var encoded = input
    if let role = input.role { encoded.containsOnlyForcedSubtitles = role == .forced }  // Encode the cues only once.
    let id = try add(encoded)
    guard tracks.first(where: { $0.id == id })?.shownCueCount != 0 else {
      throw Conflict.noCueShown(trackID: id)
    }
    try setRole(of: input, id)
    let matches = try tracks(matching: id)
    let existing = matches.filter { other in !added.contains { $0.trackID == other && $0.isAdded } }
    var replacedID: UInt32?
    switch input.existingTrackPolicy {
    case .keep: break
    case .skip:
      if let first = existing.first {
        self = unchangedEdit
        return AddedSubtitles(trackID: first, isAdded: false, replacedTrackID: nil, matchingTrackIDs: [])
      }
    case .replace:
      guard existing.count <= 1 else { throw Conflict.severalToReplace(trackIDs: existing) }
      if let old = existing.first { try replace(old, with: id) }
      replacedID = existing.first
    }
    // The new track inherits the automatic selection of the replaced track, unless the request sets it.
    try setSelection(of: input, id)
    return AddedSubtitles(
      trackID: id, isAdded: true, replacedTrackID: replacedID, matchingTrackIDs: matches.filter { $0 != replacedID })
  }

  /// Adds a track after all existing tracks, disabled and in no group, and returns its ID. See ``addSubtitles(_:)`` for
  /// the errors.
  package mutating func add(_ input: SubtitleInput) throws -> UInt32 {
    let oldDuration = durationInMovieTicks
    var template = TrackTemplate(self)
    let id = try add(input, &template, SubtitleTemplate(self))
    noteLongerMovie(becauseOfTrack: id, oldDuration: oldDuration)
    return id
  }

  /// Adds a track and returns its ID. The caller reports the change of the movie's duration.
  mutating func add(
    _ input: SubtitleInput, _ template: inout TrackTemplate, _ subtitles: SubtitleTemplate
  ) throws -> UInt32 {
    if let refusal = refusal(of: input) { throw refusal }
    var input = input
    input.mediaCharacteristics = try input.mediaCharacteristics.written()
    let id = try addGeneratedTrack(&template) { try Self.newTrack(input, as: $0, subtitles, id: $1) }
    recordedNotices += (tracks.last?.subtitleNotices ?? []).map { .cueChanged($0, track: id) }
    if let delay = tracks.last?.generatedSubtitles?.commonDelayMilliseconds, delay > 0 {
      recordedNotices.append(.newTrackDelayed(byMilliseconds: delay, track: id))
    }
    if let notice = stages.earlyCueNotice(input, trackID: id, before: subtitles.mediaStart) {
      recordedNotices.append(notice)
    }
    return id
  }

  /// Returns the error for a track that the movie or the format does not allow, or `nil` if the track can be added.
  func refusal(of input: SubtitleInput) -> MovieError? {
    guard input.format != .webVTT || movie.dialect == .iso || isForReadingOnly else {
      return MovieError(
        .unsupported, "WebVTT tracks (wvtt) are not defined for QuickTime movies; use tx3g")
    }
    guard input.format == .tx3g || !input.containsOnlyForcedSubtitles else {
      let name = input.format == .webVTT ? "subtitles in a WebVTT track (wvtt)" : "captions (c608)"
      return MovieError(.invalidEdit, "\(name) cannot be marked as forced; use tx3g")
    }
    return nil
  }

  private static func newTrack(
    _ input: SubtitleInput, as template: TrackTemplate, _ subtitles: SubtitleTemplate, id: UInt32
  ) throws -> GeneratedSubtitleTrack {
    do {
      return try GeneratedSubtitleTrack(input, as: template, subtitles, id: id)
    } catch {
      guard error.code == .movieTooLong else { throw error }
      // The movie has an invalid duration. The cues are not at fault.
      let tree = template.movie.tree
      throw tree.error(.limit, at: tree.child(of: tree.root, "mvhd") ?? tree.root, error.reason)
    }
  }

  /// The result of adding a ``SubtitleInput``.
  public struct AddedSubtitles: Hashable, Sendable {
    /// The ID of the new track, or of the existing track if none was added.
    public let trackID: UInt32
    /// Whether a track was added: see ``SubtitleInput/ExistingTrackPolicy/skip``.
    public let isAdded: Bool
    /// The ID of the track that the new track replaced, or `nil` if it replaced none.
    public let replacedTrackID: UInt32?
    /// The IDs of the other tracks with the same language and role. A viewer cannot distinguish them from this track.
    public let matchingTrackIDs: [UInt32]
  }
}

extension MovieEdit {
  /// Shifts and scales the times of a subtitle track of the movie, and returns the ID of the new track.
  ///
  /// A new track with the same cues replaces the old track and is added after all other tracks. It inherits the old
  /// track's alternate group, language, title and tags, its references, and the references of other tracks to it. The
  /// new track is enabled if the old track was enabled.
  ///
  /// The samples keep their format, except that QuickTime text becomes timed text. The codes of captions are moved to
  /// the nearest frames. Cues keep their styles, colors and placements. The font size is kept if the new track is as
  /// wide as the old track. Other fonts and boxes become the defaults of new subtitles. ``notices`` lists properties of
  /// the old track that are not inherited, and cues outside the movie.
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
    try atomically { edit in try edit.replaceTracks(ids, timing, limits, willRetime) }
  }

  private mutating func replaceTracks(
    _ ids: [UInt32], _ timing: CueTiming, _ limits: SubtitleLimits, _ willRetime: (_ id: UInt32) throws -> Void
  ) throws -> [RetimedTrack] {
    try tracks.requireOneTrack(ofEach: Set(ids))
    let chapters = tracks.chapterTrackIDs
    let indicesByID = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    let oldDuration = durationInMovieTicks
    var template = TrackTemplate(self)
    let subtitles = SubtitleTemplate(self, keepsLateCues: true)
    let end = movie.endMilliseconds(nil)
    var (retimed, notices) = ([RetimedTrack](), [EditNotice]())
    for old in ids.compactMap({ indicesByID[$0] }).map({ tracks[$0] }) {
      try willRetime(old.id)
      guard let track = old.old, track.mediaType.isLegible, !chapters.contains(old.id) else {
        throw MovieError(
          .invalidEdit,
          old.mediaType == .metadata
            ? "track \(old.id) contains timed metadata, and only the times of subtitles can be changed"
            : "track \(old.id) is not a subtitle track of this movie")
      }
      guard !track.formats.contains("c708") else {
        throw MovieError(
          .unsupported,
          "track \(old.id) contains CEA-708 captions, which cannot be written; extract its CEA-608 captions, and add the "
            + "file")
      }
      let text = try movie.reading(source) {
        var reader = try TextTrackReader(track, of: movie, endingAt: end, limits: limits)
        reader.includesCaptionPairs = true
        return try reader.read(from: source)
      }
      var input = Self.input(text, as: old, timing, limits)
      if let size = Self.fontSize(of: track, as: subtitles.geometry) { input.fontSize = size }
      let new = try add(input, &template, subtitles)
      guard let newTrack = tracks.last, newTrack.shownCueCount ?? 0 > 0 else {
        throw Conflict.noCueShown(trackID: old.id)
      }
      // A caption track keeps all its channels, although the cues are read from one channel.
      let textNotices = text.notices.filter { input.format != .captions || $0.kind != .otherServices }
      notices += textNotices.map { .cueChanged($0, track: new) }
      retimed.append(RetimedTrack(old: old, trackID: new, notices: textNotices + newTrack.subtitleNotices))
    }
    let longestTrack = tracks.suffix(retimed.count)
      .max { $0.planned.headerDuration ?? 0 < $1.planned.headerDuration ?? 0 }
    if let longestTrack { noteLongerMovie(becauseOfTrack: longestTrack.id, oldDuration: oldDuration) }
    try replace(retimed.map { ($0.old.id, $0.trackID) })
    recordedNotices += notices
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
  /// dropped and reported. No notice reports the removed track.
  mutating func replace(
    _ old: EditedTrack, with text: TextTrack, _ timing: CueTiming, _ limits: SubtitleLimits
  ) throws -> UInt32 {
    let before = durationInMovieTicks
    var template = TrackTemplate(self)
    let subtitles = SubtitleTemplate(self, keepsLateCues: true)
    let id = try add(Self.input(text, as: old, timing, limits), &template, subtitles)
    noteLongerMovie(becauseOfTrack: id, oldDuration: before)
    try replace([(old.id, id)], isReported: false)
    return id
  }

  /// Returns the input for a new track that replaces `old` and contains its text.
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
