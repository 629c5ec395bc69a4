public import MovieBox
import Subtitles

/// An edit of a movie: tracks to add and remove, groups, associations and metadata.
///
/// An edit is a value that collects changes and writes nothing. Each request checks its arguments at once, so the request
/// that causes an error also throws the error. ``MovieFileWriter`` writes the edited movie.
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
  /// The requests that affect more than single tracks, with one value for each kind of request.
  var changes: EditChanges
  /// The ID after the last assigned ID, which is written to `mvhd`.
  var nextTrackID: UInt32
  /// The notices of individual requests. ``notices`` adds the notices that depend on the edit as a whole.
  var recordedNotices: [EditNotice] = []
  /// Whether the edited movie is never written. Such an edit may add WebVTT even to a QuickTime movie.
  package var isForReadingOnly = false

  /// The movie that the edit changes. If the edit flattens or converts the movie, this is the flattened or converted
  /// movie.
  public var movie: Movie { stages.current }

  /// Creates an edit without changes and without a readable source. The caller passes the source when it plans the edit.
  ///
  /// Throws ``/MovieBox/MovieError`` for images, for movies without tracks, and for movies whose samples reach past the
  /// end of the file or into `moov`. Also throws it for fragmented movies, because they require
  /// ``init(of:from:keepingStart:)``.
  package init(of movie: Movie) throws(MovieError) {
    guard !movie.isFragmented else {
      throw Self.refusal(of: movie)
        ?? MovieError(
          .unsupported, at: movie.movieAtom.range.offset, in: "moov",
          "a fragmented movie can be edited only together with its source")
    }
    try self.init(MovieStages(movie), from: UnreadableSource(knownIdentity: movie.layout.identity))
  }

  /// Whether the movie had fragments before the edit.
  package var wasFragmented: Bool { stages.flattened != nil || movie.isFragmented }

  init(_ stages: MovieStages, from source: any RandomAccessSource) throws(MovieError) {
    if stages.flattened == nil, let refusal = Self.refusal(of: stages.current, exceptOfInitializationSegments: true) {
      throw refusal
    }
    self.source = source
    self.stages = stages
    changes = EditChanges(in: stages.current)
    tracks = stages.current.tracks.map { EditedTrack($0) }
    nextTrackID = stages.current.header.nextTrackID
  }

  /// Replaces the stages, so that later requests change the movie of the new stages.
  mutating func replaceStages(with stages: MovieStages) {
    self.stages = stages
    changes.metadata.rebind(to: stages.current)
  }

  /// The identities of the other files from which the edit copies media, in order.
  var otherSources: [SourceIdentity] { changes.media.files.map(\.identity) }

  /// The number of other files from which the edit copies media.
  package var otherFileCount: Int { changes.media.files.count }

  /// Maps an offset in ``joinedSource()`` to a file and an offset in that file. The number of the movie's own file is 0.
  package func place(ofSourceOffset offset: UInt64) -> (file: Int, offset: UInt64) {
    var offset = offset
    for (file, identity) in ([movie.layout.identity] + otherSources).enumerated() {
      if offset < identity.byteCount { return (file, offset) }
      offset -= identity.byteCount
    }
    return (0, offset)
  }

  /// Returns the source of all media of the edited movie: the movie's own source, or a ``/MovieBox/JoinedSource`` that
  /// joins it with the files from which the edit copies media.
  ///
  /// Throws the errors of the sources.
  public func joinedSource() throws -> any RandomAccessSource {
    changes.media.files.isEmpty ? source : try JoinedSource([source] + changes.media.files.map(\.source))
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

  /// Adds a track after all existing tracks, disabled and in no group, and returns its ID. See ``addSubtitles(_:)`` for
  /// the errors.
  package mutating func add(_ input: SubtitleInput) throws -> UInt32 {
    let oldDuration = durationInMovieTicks
    var template = TrackTemplate(self)
    let id = try add(input, &template)
    noteLengthening(by: id, before: oldDuration)
    return id
  }

  /// Adds a track and returns its ID. The caller reports the change of the movie's duration.
  mutating func add(_ input: SubtitleInput, _ template: inout TrackTemplate) throws -> UInt32 {
    if let refusal = refusal(of: input) { throw refusal }
    var input = input
    input.mediaCharacteristics = try Self.written(input.mediaCharacteristics)
    let id = try addGeneratedTrack(&template) { try Self.newTrack(input, as: $0, id: $1) }
    recordedNotices += (tracks.last?.subtitleNotices ?? []).map { .cue($0, track: id) }
    if let delay = tracks.last?.generatedSubtitles?.commonDelayMilliseconds, delay > 0 {
      recordedNotices.append(.delayed(byMilliseconds: delay, track: id))
    }
    noteEarlyCues(of: input, trackID: id, before: template.mediaStart)
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
    _ input: SubtitleInput, as template: TrackTemplate, id: UInt32
  ) throws -> GeneratedSubtitleTrack {
    do {
      return try GeneratedSubtitleTrack(input, as: template, id: id)
    } catch {
      guard error.code == .movieTooLong else { throw error }
      // The duration of the movie is invalid, not the cues.
      let tree = template.movie.tree
      throw tree.error(.limit, at: tree.child(of: tree.root, "mvhd") ?? tree.root, error.reason)
    }
  }

  /// Returns the tags in order and without repetitions. Throws `.invalidEdit` for a tag that cannot be written.
  static func written(_ characteristics: [MediaCharacteristic]) throws(MovieError) -> [MediaCharacteristic] {
    var distinct: [MediaCharacteristic] = []
    for characteristic in characteristics where !distinct.contains(characteristic) {
      guard characteristic.isWellFormed else {
        throw MovieError(
          .invalidEdit,
          "\"\(characteristic.rawValue)\" is not a media characteristic; use public. or a domain, followed by letters, "
            + "digits and -._~")
      }
      // AVFoundation infers this characteristic from the sample descriptions, which a tag could contradict.
      guard characteristic != .containsOnlyForcedSubtitles else {
        throw MovieError(
          .invalidEdit,
          "\(characteristic.rawValue) is never written as a tag; set containsOnlyForcedSubtitles instead")
      }
      distinct.append(characteristic)
    }
    return distinct
  }

  /// Removes a track and the references to it.
  ///
  /// Throws `.invalidEdit` unless exactly one track has the ID.
  package mutating func remove(_ id: UInt32) throws(MovieError) {
    let duration = durationInMovieTicks
    _ = try uniqueIndex(of: id)
    removeTracks([id])
    noteDuration(before: duration)
  }

  /// Removes the tracks with these IDs and the references to them, and returns the removed tracks. The caller reports
  /// the change of the movie's duration. Makes one pass over all tracks.
  ///
  /// - Parameter isReported: whether notices report the removed tracks as well as the removed references.
  @discardableResult
  mutating func removeTracks(_ ids: Set<UInt32>, isReported: Bool = true) -> [EditedTrack] {
    let removedTracks = tracks.filter { ids.contains($0.id) }
    tracks.removeAll { ids.contains($0.id) }
    var notices = Dictionary(
      removedTracks.map { ($0.id, [EditNotice.removed(track: $0.id)]) }
    ) { first, _ in first }
    for reference in tracks.references(to: ids) {
      notices[reference.target]?.append(
        .referenceRemoved(reference.type, from: reference.trackID, to: reference.target))
    }
    for index in tracks.indices { _ = tracks[index].removeReferences(where: ids.contains) }
    ListPass.end(after: tracks.count)
    for track in removedTracks {
      let own = notices.removeValue(forKey: track.id) ?? []
      recordedNotices += isReported ? own : own.filter { $0.kind != .removed && !recordedNotices.contains($0) }
      discardChapters(of: track)
    }
    return removedTracks
  }

  /// Adds a reference from the track at an index to another track. A new selection follower or forced partner replaces
  /// the old one. Unlike ``link(_:to:_:)``, does not check whether two subtitle tracks may form a pair.
  ///
  /// Throws `.invalidEdit` if a track has the wrong kind. The message names the track that must contain the reference.
  mutating func associate(
    at position: Int, with target: Int, _ association: TrackAssociation
  ) throws(MovieError) {
    let (id, other) = (tracks[position].id, tracks[target].id)
    guard id != other else { throw MovieError(.invalidEdit, "track \(id) cannot refer to itself") }
    if let objection = association.objection(from: tracks[position].mediaType, to: tracks[target].mediaType) {
      throw MovieError(.invalidEdit, objection)
    }
    let oldIDs = association.isSingle ? [] : tracks[position].references[association.rawValue] ?? []
    tracks[position].references[association.rawValue] = oldIDs.contains(other) ? oldIDs : oldIDs + [other]
  }

  /// Returns the index of the first track with an ID. Throws `.invalidEdit` if there is none.
  func index(of id: UInt32) throws(MovieError) -> Int {
    if let index = tracks.firstIndex(where: { $0.id == id }) { return index }
    throw MovieError(.invalidEdit, "the movie has no track \(id)")
  }

  /// The unused track IDs. Makes a pass over all tracks and references.
  var freeTrackIDs: FreeTrackIDs {
    ListPass.end(after: tracks.count)
    return FreeTrackIDs(
      besides: Set(tracks.map(\.id)).union(movie.tracks.map(\.id)).union(
        tracks.flatMap { $0.references.values.joined() }),
      from: nextTrackID)
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
