public import MovieBox
import Subtitles

/// An edit of a movie: tracks to add and remove, groups, associations, metadata. It is a value; ``MovieFileWriter`` writes
/// it.
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
  /// The tracks as they will be, in the order of the new movie.
  public internal(set) var tracks: [EditedTrack]
  /// The requests that do not concern tracks alone, one value for each kind.
  var changes: EditChanges
  /// The ID after the last one given, which `mvhd` will store.
  var nextTrackID: UInt32
  /// The effects of single requests. ``notices`` adds those that depend on the edit as a whole.
  var recordedNotices: [EditNotice] = []
  /// Whether the edited movie is never written, so that even a QuickTime movie may contain WebVTT.
  package var isForReadingOnly = false

  /// The movie that the edit changes: all samples of fragments are in its movie atom, and it has the type that it is
  /// converted to.
  public var movie: Movie { stages.current }

  /// An edit that changes nothing yet, and whose source cannot be read: it is planned on a source that the caller names.
  ///
  /// Throws ``/MovieBox/MovieError`` for what cannot be edited: images, movies without tracks, and movies whose samples
  /// reach past the end of the file or into `moov`; and for fragmented movies, for which
  /// ``init(of:from:keepingStart:)`` is.
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
  package var isOfFragmentedMovie: Bool { stages.flattened != nil || movie.isFragmented }

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

  /// Passes to other stages, whose movie the edit changes from now on.
  mutating func pass(to stages: MovieStages) {
    self.stages = stages
    changes.metadata.rebind(to: stages.current)
  }

  /// The identities of the files beside the movie's own that the edit takes media from, in order.
  var otherSources: [SourceIdentity] { changes.media.files.map(\.identity) }

  /// The number of files beside the movie's own that the edit takes media from.
  package var otherFileCount: Int { changes.media.files.count }

  /// Returns the file that an offset in ``joinedSource()`` lies in, 0 for the movie's own, and the offset in that file.
  package func place(ofSourceOffset offset: UInt64) -> (file: Int, offset: UInt64) {
    var offset = offset
    for (file, identity) in ([movie.layout.identity] + otherSources).enumerated() {
      if offset < identity.byteCount { return (file, offset) }
      offset -= identity.byteCount
    }
    return (0, offset)
  }

  /// Returns the source that plans of the edit are carried out from: the movie's own, or a ``/MovieBox/JoinedSource`` of
  /// it and the files that the edit takes media from.
  ///
  /// Throws what the sources throw.
  public func joinedSource() throws -> any RandomAccessSource {
    changes.media.files.isEmpty ? source : try JoinedSource([source] + changes.media.files.map(\.source))
  }

  /// Whether the edit changes nothing.
  public var isEmpty: Bool {
    !flattens && stages.salvaged == nil && stages.converted == nil && changes.media.external.isEmpty && !changesTracks
      && !changesMetadata && changes.sharing == nil
  }

  /// Whether tracks come, go, or say something else than they did, or the number of the next one was put
  /// right.
  public var changesTracks: Bool {
    changes.fixesNextTrackID || tracks.map(\.id) != movie.tracks.map(\.id)
      || tracks.contains(where: \.hasChanged)
  }

  /// Adds a track after all others, in no group and disabled, and returns its ID. See ``addSubtitles(_:)`` for the errors.
  package mutating func add(_ input: SubtitleInput) throws -> UInt32 {
    let before = durationInMovieTicks
    var template = TrackTemplate(self)
    let id = try add(input, &template)
    noteLengthening(by: id, before: before)
    return id
  }

  /// Adds a track and returns its ID; the movie's duration is left to the caller.
  mutating func add(_ input: SubtitleInput, _ template: inout TrackTemplate) throws -> UInt32 {
    if let refusal = refusal(of: input) { throw refusal }
    var input = input
    input.mediaCharacteristics = try Self.written(input.mediaCharacteristics)
    let id = try template.ids.take()
    let track = try newTrack(input, id, template)
    nextTrackID = template.ids.next
    recordedNotices += track.notices.map { EditNotice(.subtitles, trackID: id, isWarning: true, $0.description) }
    noteEarlyCues(of: input, trackID: id, before: template.mediaStart)
    tracks.append(EditedTrack(track))
    return id
  }

  /// Why cues cannot become a track as it is wanted; `nil` when they can.
  func refusal(of input: SubtitleInput) -> MovieError? {
    guard input.format == .webVTT else { return nil }
    guard movie.dialect == .iso || isForReadingOnly else {
      return MovieError(
        .unsupported, "a QuickTime movie, for which tracks of WebVTT (wvtt) are not defined; tx3g is for both")
    }
    guard !input.containsOnlyForcedSubtitles else {
      return MovieError(.invalidEdit, "a track of WebVTT cannot say that its subtitles are forced; tx3g can")
    }
    return nil
  }

  private func newTrack(_ input: SubtitleInput, _ id: UInt32, _ template: TrackTemplate) throws
    -> GeneratedSubtitleTrack
  {
    do {
      return try GeneratedSubtitleTrack(input, as: template, id: id)
    } catch {
      guard error.code == .movieTooLong else { throw error }
      // The cues are not at fault.
      let place = movie.tree.child(of: movie.tree.root, "mvhd") ?? movie.tree.root
      throw movie.tree.error(.limit, at: place, error.reason)
    }
  }

  /// The tags that are written, in order, once each.
  static func written(_ characteristics: [MediaCharacteristic]) throws(MovieError) -> [MediaCharacteristic] {
    var kept: [MediaCharacteristic] = []
    for characteristic in characteristics where !kept.contains(characteristic) {
      guard characteristic.isWellFormed else {
        throw MovieError(
          .invalidEdit,
          "\"\(characteristic.rawValue)\" is no media characteristic: letters, digits and -._~ after public. or a "
            + "domain")
      }
      // Players infer it from the sample descriptions (AVFoundation), so a tag would be a second truth.
      guard characteristic != .containsOnlyForcedSubtitles else {
        throw MovieError(
          .invalidEdit,
          "\(characteristic.rawValue) is never written as a tag; containsOnlyForcedSubtitles makes such a track")
      }
      kept.append(characteristic)
    }
    return kept
  }

  /// Takes a track out, and the references to it.
  ///
  /// Throws `.invalidEdit` when no track has the ID, or more than one.
  package mutating func remove(_ id: UInt32) throws(MovieError) {
    let duration = durationInMovieTicks
    _ = try onlyIndex(of: id)
    removeTracks([id])
    noteDuration(before: duration)
  }

  /// Removes the tracks with these IDs and the references to them, and returns the tracks. The movie's duration is left
  /// to the caller. Costs one pass over all tracks.
  ///
  /// - Parameter isReported: whether notices report the removal, or only the references that went with it.
  @discardableResult
  mutating func removeTracks(_ ids: Set<UInt32>, isReported: Bool = true) -> [EditedTrack] {
    let gone = tracks.filter { ids.contains($0.id) }
    tracks.removeAll { ids.contains($0.id) }
    var notices = Dictionary(
      gone.map { ($0.id, [EditNotice(.removed, trackID: $0.id, "track \($0.id) was removed")]) }
    ) { first, _ in first }
    for reference in tracks.references(to: ids) {
      notices[reference.target]?.append(
        EditNotice(
          .association, trackID: reference.trackID,
          "the \(reference.type) reference of track \(reference.trackID) to "
            + (isReported ? "it went too" : "track \(reference.target) went too")))
    }
    for place in tracks.indices { _ = tracks[place].removeReferences(where: ids.contains) }
    ListPass.end(after: tracks.count)
    for track in gone {
      let own = notices.removeValue(forKey: track.id) ?? []
      recordedNotices += isReported ? own : own.filter { $0.kind != .removed && !recordedNotices.contains($0) }
      dropChapters(of: track)
    }
    return gone
  }

  /// Makes the track at a place depend on another; a selection follower or forced partner that it had is replaced.
  /// Whether two subtitle tracks may be a pair is for ``link(_:to:_:)`` to say.
  ///
  /// Throws `.invalidEdit` when a track is of the wrong kind, saying which track carries the reference.
  mutating func associate(
    at position: Int, with target: Int, _ association: TrackAssociation
  ) throws(MovieError) {
    let (id, other) = (tracks[position].id, tracks[target].id)
    guard id != other else { throw MovieError(.invalidEdit, "track \(id) cannot refer to itself") }
    if let objection = association.objection(from: tracks[position].mediaType, to: tracks[target].mediaType) {
      throw MovieError(.invalidEdit, objection)
    }
    let old = association.isSingle ? [] : tracks[position].references[association.rawValue] ?? []
    tracks[position].references[association.rawValue] = old.contains(other) ? old : old + [other]
  }

  func index(of id: UInt32) throws(MovieError) -> Int {
    if let index = tracks.firstIndex(where: { $0.id == id }) { return index }
    throw MovieError(.invalidEdit, "the movie has no track \(id)")
  }

  /// The IDs for new tracks. Costs a pass over all tracks and references.
  var freeTrackIDs: FreeTrackIDs {
    ListPass.end(after: tracks.count)
    return FreeTrackIDs(
      besides: Set(tracks.map(\.id)).union(movie.tracks.map(\.id)).union(
        tracks.flatMap { $0.references.values.joined() }),
      from: nextTrackID)
  }
}

/// The source of an edit that is made of a movie alone.
struct UnreadableSource: RandomAccessSource {
  let knownIdentity: SourceIdentity

  func identity() -> SourceIdentity { knownIdentity }

  func read(_ range: ByteRange) throws(MovieError) -> Bytes {
    throw MovieError(.invalidEdit, at: range.offset, "the edit was made without its source")
  }
}
