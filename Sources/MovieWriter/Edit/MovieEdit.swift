public import MovieBox
import Subtitles

/// An edit of a movie: tracks to add and remove, groups, associations and metadata.
///
/// An edit is a value that collects changes and writes nothing. Each request checks its arguments immediately, so the
/// request that causes an error also throws the error. ``MovieFileWriter`` writes the edited movie.
///
///     var edit = try MovieEdit(of: movie, from: source)
///     let added = try edit.addSubtitles(SubtitleInput(file, named: "film.en.srt"))
///     try edit.setTitle("English", of: added.trackID)
///     let planned = try edit.plannedSource(OutputLayout(isFastStart: true))
public struct MovieEdit: Sendable {
  /// The source of the movie, without the sources of other files.
  package let source: any RandomAccessSource
  /// The movie in each stage before the edit changes its tracks, labels and metadata.
  var stages: MovieStages
  /// The tracks of the edited movie, in the order of the movie.
  public internal(set) var tracks: [EditedTrack]
  /// The requests that ``tracks`` does not store, with one value for each kind of request.
  var changes: EditChanges
  /// The next track ID to be written to `mvhd`.
  var nextTrackID: UInt32
  /// The notices of individual requests. ``notices`` adds the notices that depend on the edit as a whole.
  var recordedNotices: [EditNotice] = []
  /// Whether the edited movie is never written. Such an edit may add WebVTT even to a QuickTime movie.
  package var isForReadingOnly = false

  /// The movie that the edit changes. If the edit flattens or converts the movie, this is the flattened or converted
  /// movie.
  public var movie: Movie { stages.current }

  /// Creates an edit without changes and without a readable source. The caller passes the source when it plans the
  /// edit.
  ///
  /// Throws ``/MovieBox/MovieError`` for images, for movies without tracks, and for movies whose samples reach past the
  /// end of the file or into `moov`. Also throws it for fragmented movies, because they require
  /// ``init(of:from:keepingStart:)``.
  package init(of movie: Movie) throws(MovieError) {
    guard !movie.isFragmented else {
      throw movie.editRefusal()
        ?? MovieError(
          .unsupported, at: movie.movieAtom.range.offset, in: "moov",
          "a fragmented movie can be edited only together with its source")
    }
    try self.init(MovieStages(movie), from: UnreadableSource(knownIdentity: movie.layout.identity))
  }

  /// Whether the movie had fragments before the edit.
  package var wasFragmented: Bool { stages.flattened != nil || movie.isFragmented }

  init(_ stages: MovieStages, from source: any RandomAccessSource) throws(MovieError) {
    if stages.flattened == nil, let refusal = stages.current.editRefusal(acceptsInitializationSegments: true) {
      throw refusal
    }
    self.source = source
    self.stages = stages
    changes = EditChanges(in: stages.current)
    tracks = stages.current.tracks.map { EditedTrack($0) }
    nextTrackID = stages.current.header.nextTrackID
  }

  /// Replaces the stages. Later requests change the result of the new stages.
  mutating func replaceStages(with stages: MovieStages) {
    self.stages = stages
    changes.metadata.rebind(to: stages.current)
  }

  /// Makes a request that has several steps. If a step throws, the edit is unchanged.
  mutating func atomically<Result, Failure: Error>(
    _ request: (_ edit: inout MovieEdit) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var edit = self
    let result = try request(&edit)
    self = edit
    return result
  }

  /// Throws an error if several tracks have the same ID. Conversions and chapters refer to tracks by their IDs.
  func requireDistinctTrackIDs() throws(MovieError) {
    if Set(movie.tracks.map(\.id)).count < movie.tracks.count {
      throw MovieError(
        .malformed, at: movie.movieAtom.range.offset, in: "moov",
        "several tracks have the same ID; movtool diff and movtool validate list them")
    }
  }

  /// Whether the edit changes nothing.
  public var isEmpty: Bool {
    !flattens && stages.salvaged == nil && stages.converted == nil && changes.media.external.isEmpty && !changesTracks
      && !changesMetadata && changes.sharing == nil
  }

  /// Whether tracks are added, removed, reordered or changed, or the next track ID in `mvhd` is corrected.
  public var changesTracks: Bool {
    changes.fixesNextTrackID || tracks.map(\.id) != movie.tracks.map(\.id)
      || tracks.contains(where: \.hasChanged)
  }

  /// The unused track IDs. Makes a pass over all tracks and references.
  var freeTrackIDs: FreeTrackIDs {
    ListPass.end(after: tracks.count)
    return FreeTrackIDs(
      except: Set(tracks.map(\.id)).union(movie.tracks.map(\.id)).union(
        tracks.flatMap { $0.references.values.joined() }),
      from: nextTrackID)
  }

  /// Adds a generated track after all other tracks and returns its ID. The track is disabled and belongs to no group.
  /// The caller reports the change of the movie's duration.
  ///
  /// - Parameters:
  ///   - template: the properties of new tracks. A caller that adds several tracks makes one template for all.
  ///   - make: creates the track with the ID that it receives. If it throws, the edit is unchanged.
  @discardableResult
  mutating func addGeneratedTrack<Generated: GeneratedTrack>(
    _ template: inout TrackTemplate, _ make: (_ template: TrackTemplate, _ id: UInt32) throws -> Generated
  ) throws -> UInt32 {
    let id = try template.ids.allocate()
    tracks.append(EditedTrack(try make(template, id)))
    nextTrackID = template.ids.next
    return id
  }

  /// The error for an edit that changes more than the metadata of an initialization segment, or `nil` if the edit is
  /// possible.
  ///
  /// The samples are in other files. These files identify tracks by their IDs and depend on the rest of the movie atom.
  var initializationSegmentRefusal: MovieError? {
    guard movie.isInitializationSegment, stages.flattened == nil else { return nil }
    let changesMetadataAtMost =
      !changesTracks && stages.converted == nil && changes.sharing == nil && changes.chapters == nil
      && !stages.mustFlatten
    return changesMetadataAtMost ? nil : movie.editRefusal()
  }

  // MARK: - Duration

  /// The duration of the edited movie, in movie ticks.
  ///
  /// It is the old duration, or the duration of the longest added track if the added track is longer. A movie should be
  /// as long as its longest track (QTFF, "Movie Header Atoms"; ISO/IEC 14496-12, 8.2.2). If the old movie is as long as
  /// its longest track, and the edit removes that track, the movie becomes shorter. Otherwise, players would continue
  /// without a picture or sound.
  var durationInMovieTicks: UInt64 {
    guard movie.hasKnownDuration else { return movie.header.duration }
    if keptTrackCount < movie.tracks.count, movie.isAsLongAsItsLongestTrack, let longest = longestTrackDuration {
      return longest
    }
    return max(movie.header.duration, tracks.compactMap { $0.planned.requiredDuration(of: movie) }.max() ?? 0)
  }

  private var keptTrackCount: Int { tracks.count { $0.old != nil } }

  /// The duration of the longest track, or `nil` if a duration is unknown.
  private var longestTrackDuration: UInt64? {
    var longestDuration: UInt64 = 0
    for track in tracks {
      guard let duration = track.planned.headerDuration else { return nil }
      longestDuration = max(longestDuration, duration)
    }
    return longestDuration
  }

  /// The number of sample bytes of all tracks.
  var mediaByteCount: UInt64 {
    tracks.reduce(0) { sum, track in  // A malicious file can make the sum wrap, but it is only displayed.
      let external = track.old.flatMap { old in changes.media.external[old.id].map { old.externalByteCount($0) } }
      return sum &+ track.planned.mediaByteCount &+ (external ?? 0)
    }
  }

  /// Records a notice if the track made the movie longer than `oldDuration`. A difference below a millisecond is not
  /// reported, because both durations have the same text.
  mutating func noteLongerMovie(becauseOfTrack id: UInt32, oldDuration: UInt64) {
    let newDuration = durationInMovieTicks
    guard newDuration > oldDuration, movie.hasKnownDuration else { return }
    let (new, old) = (durationText(newDuration), durationText(oldDuration))
    if new != old { recordedNotices.append(.movieLengthened(to: new, from: old, track: id)) }
  }

  /// Records a notice if the movie is shorter than `oldDuration`. A difference below a millisecond is not reported.
  mutating func noteShorterMovie(oldDuration: UInt64) {
    let newDuration = durationInMovieTicks
    guard newDuration < oldDuration else { return }
    let (new, old) = (durationText(newDuration), durationText(oldDuration))
    if new != old { recordedNotices.append(.movieShortened(to: new, from: old)) }
  }

  private func durationText(_ ticks: UInt64) -> String { Quantity.time(ticks, timeScale: movie.header.timeScale) }
}

/// The requests of an edit that its tracks do not store, with one value for each kind of request.
///
/// Each request of a caller is merged into the value of its kind: 400 titles become one ``MetadataChange``. Writers
/// convert the values into atoms. The checker compares the planned movie with the requests and uses no writer.
struct EditChanges: Sendable {
  var metadata: MetadataChange
  /// The requested chapters, or `nil` if the chapters are unchanged.
  var chapters: ChapterChange?
  /// The sharing policy, or `nil` if nothing is removed.
  var sharing: SharingPolicy?
  /// The media of other files.
  var media = MediaOfOtherFiles()
  /// Whether the edit corrects the ID for the next track, even if no track is added.
  var fixesNextTrackID = false

  init(in movie: Movie) {
    metadata = MetadataChange(in: movie)
  }

  /// The notices about all requests.
  var notices: [EditNotice] { (chapters?.notices ?? []) + metadata.notices }
}

// A request records an effect that no later request can undo (`recordedNotices`). All other notices are computed from
// the whole edit when the caller reads them, so that no notice is ever retracted.
extension MovieEdit {
  /// Records a notice unless an equal notice is already recorded.
  mutating func recordOnce(_ notice: EditNotice) {
    if !recordedNotices.contains(notice) { recordedNotices.append(notice) }
  }

  /// The notices of an edit whose output keeps the layout of the movie; see ``notices(for:)``.
  public var notices: [EditNotice] { notices(for: OutputLayout()) }

  /// Returns the side effects and omissions of the edit, including the effects of removing fragments if the layout
  /// requires that.
  ///
  /// ``MovieFileWriter/notices`` also lists the file offsets that become wrong in a new file.
  public func notices(for layout: OutputLayout) -> [EditNotice] {
    let noticesOfEdit =
      conversionNotices + requestNotices + tracks.splitGroupWarnings + changes.metadata.hiddenTagWarnings
    guard let flattened = stages.flattened, flattens(for: layout) else { return noticesOfEdit }
    // A movie for sharing contains no events.
    var notices = flattened.notices.filter { changes.sharing == nil || $0 != .relativeEventsKept }
    if couldKeepFragments, let reason = reasonToFlatten(layout) {
      notices.append(
        EditNotice(.fragments, "the fragments could not be kept, although no samples are added: \(reason)"))
    }
    return notices + noticesOfEdit
  }

  /// The notices about the movie and about requests.
  private var requestNotices: [EditNotice] {
    let trackIDs = Set(tracks.map(\.id))
    let recorded = recordedNotices.filter { notice in
      switch notice.describedState {
      case nil: true
      // A changed reference is irrelevant if its track was removed later.
      case .track: notice.trackID.map(trackIDs.contains) ?? true
      case .oldChapters: changes.chapters == nil
      }
    }
    let disabled = tracks.filter { $0.hasLostDefault && !$0.isEnabled }.map { track in
      EditNotice(.disabled, trackID: track.id, "track \(track.id) is no longer the default and was disabled")
    }
    let allNotices =
      noticesAboutMovie + recorded + lastSampleNotices + disabled + tracks.commentaryNotices + changes.notices
    guard let conversion = stages.converted else { return allNotices }
    return allNotices + (changes.metadata.mirroredItemsNotice(of: conversion).map { [$0] } ?? [])
  }

  /// The notices about imported tracks whose last sample lasts until the end of the edited movie.
  private var lastSampleNotices: [EditNotice] {
    guard movie.hasKnownDuration else { return [] }
    let imported = tracks.compactMap(\.imported).filter { $0.originalEnd != nil }
    guard !imported.isEmpty else { return [] }
    let end = durationInMovieTicks
    return imported.compactMap { $0.lastSampleNotice(ending: end, in: movie) }
  }

  /// The notices of the conversion to another type, without notices about tracks that the caller removed. The notices
  /// about tracks that the conversion dropped are included.
  private var conversionNotices: [EditNotice] {
    guard let conversion = stages.converted else { return [] }
    let ids = conversion.omittedTracks.union(tracks.map(\.id))
    let cleared = conversion.clearedFieldsNote(ofTracks: tracks.map(\.id)).map { [$0] } ?? []
    return conversion.notices.filter { $0.trackID.map(ids.contains) ?? true } + cleared
  }

  /// Notices about the movie itself, regardless of the requests.
  var noticesAboutMovie: [EditNotice] {
    let movie = stages.original
    var notices: [EditNotice] = []
    if movie.hasCompressedMovieAtom {
      notices.append(.movieAtomInflated)
    }
    for track in movie.tracks {
      guard track.hasExternalMedia, changes.media.external[track.id] == nil else { continue }
      notices.append(.externalMediaKept(track: track.id))
    }
    if movie.layout.atoms.contains(where: { $0.userType == Movie.contentCredentials }) {
      notices.append(.signatureInvalidated)
    }
    return notices
  }
}

/// The source of an edit whose caller passed the movie without its source.
struct UnreadableSource: RandomAccessSource {
  let knownIdentity: SourceIdentity

  func identity() -> SourceIdentity { knownIdentity }

  func read(_ range: ByteRange) throws(MovieError) -> Bytes {
    throw MovieError(.invalidEdit, at: range.offset, "the edit has no source to read from")
  }
}
