package import MovieBox
import Subtitles

extension MovieEdit {
  /// Adds tracks of another movie after all existing tracks, disabled and in no group, and returns their IDs.
  ///
  /// The sample tables are copied, and only the samples of these tracks are copied from the other file. Edits begin and end
  /// at the nearest tick of this movie. References among the new tracks are kept. All other references of the tracks are
  /// dropped and reported. ``addAlternative(_:asDefault:)`` makes players offer a new track.
  ///
  /// Throws ``MovieError`` if the other movie cannot be edited, or if it is fragmented; ``addTracks(_:of:from:)`` accepts
  /// fragmented movies. Also throws ``MovieError`` if the media of a track is in a third file, or if the track contains
  /// file offsets that cannot be rewritten.
  package mutating func add(
    _ inputs: [TrackInput], of other: Movie, source: (any RandomAccessSource)? = nil
  ) throws(MovieError) -> [UInt32] {
    guard !other.isFragmented else {
      throw Self.refusal(of: other)
        ?? MovieError(
          .unsupported, at: other.movieAtom.range.offset, in: "moov",
          "tracks of a fragmented movie can be added only together with its source")
    }
    if let refusal = Self.refusal(of: other) { throw refusal }
    return try add(inputs, of: other, nil, source ?? UnreadableSource(knownIdentity: other.layout.identity))
  }

  /// Adds tracks of another movie. `flattenedMovie` is the flattened form of `other`, or `nil` if `other` was not
  /// fragmented.
  mutating func add(
    _ inputs: [TrackInput], of other: Movie, _ flattenedMovie: FlattenedMovie?, _ source: any RandomAccessSource
  ) throws(MovieError) -> [UInt32] {
    guard changes.sharing == nil else {
      throw MovieError(.invalidEdit, "cannot add tracks of another movie to a movie for sharing; write the movie first")
    }
    var edit = self
    edit.changes.media.files.append(
      OtherFile(contents: flattenedMovie.map { .flattened($0) } ?? .movie(other), source: source))
    var newIDs: [UInt32: UInt32] = [:]
    var ids: [UInt32] = []
    var freeIDs = edit.freeTrackIDs
    let indicesByAtom = Dictionary(other.tracks.indices.map { (other.tracks[$0].atom, $0) }) { first, _ in first }
    let shift = commonDelayDifference(to: other)
    let sampleNotices = Dictionary(grouping: flattenedMovie?.sampleNotices ?? [], by: \.trackID)
    for input in inputs {
      let track = input.track
      guard let index = indicesByAtom[track.atom], other.tracks[index].id == track.id else {
        throw Self.trackNotInMovie(track)
      }
      let id = try freeIDs.allocate()
      let copied = try ImportedTrack(
        try Self.checked(input), of: other, part: edit.changes.media.files.count, id: id, into: movie,
        laterBy: shift, auxiliary: flattenedMovie?.auxiliary[index] ?? [])
      edit.nextTrackID = freeIDs.next
      edit.tracks.append(EditedTrack(copied))
      edit.recordedNotices += Self.notices(copied, of: other, in: movie)
      if copied.shift != 0, let time = MediaTime(ticks: copied.shift, timeScale: movie.header.timeScale) {
        edit.recordedNotices.append(.delayed(byMilliseconds: time.milliseconds, track: id))
      }
      edit.recordedNotices += (sampleNotices[track.id] ?? []).map { .imported($0, track: id) }
      if newIDs[track.id] == nil { newIDs[track.id] = id }
      ids.append(id)
    }
    edit.recordedNotices += (sampleNotices[nil] ?? []).map { .imported($0, track: nil) }
    for (input, id) in zip(inputs, ids) { try edit.copyReferences(of: input.track, to: id, newIDs) }
    try edit.requireJoinedSource()
    self = edit
    return ids
  }

  /// Returns the time by which tracks of the other movie become later, in ticks of this movie: the difference between the
  /// common delays of both movies.
  private func commonDelayDifference(to other: Movie) -> Int64 {
    guard !stages.keepsStart else { return 0 }
    let (own, others) = (commonDelay ?? .zero, other.commonDelay() ?? .zero)
    return own.ticks(of: movie.header.timeScale) - others.ticks(of: movie.header.timeScale)
  }

  static func trackNotInMovie(_ track: Track) -> MovieError {
    MovieError(.invalidEdit, "track \(track.id) does not belong to the movie from which it should be added")
  }

  /// Returns the input with its tags in order and without repetitions. Throws if a new tag cannot be written.
  private static func checked(_ input: TrackInput) throws(MovieError) -> TrackInput {
    let oldTags = input.track.taggedCharacteristics
    var input = input
    let addedTags = try written(input.mediaCharacteristics.filter { !oldTags.contains($0) })
    input.mediaCharacteristics = oldTags.filter(input.mediaCharacteristics.contains) + addedTags
    return input
  }

  private mutating func copyReferences(
    of track: Track, to id: UInt32, _ newIDs: [UInt32: UInt32]
  ) throws(MovieError) {
    let index = try index(of: id)
    for (type, ids) in EditedTrack.references(of: track).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let kept = ids.compactMap { newIDs[$0] }
      if !kept.isEmpty { tracks[index].references[type] = kept }
      let lost = ids.filter { newIDs[$0] == nil }
      guard !lost.isEmpty else { continue }
      recordedNotices.append(.importedReferenceDropped(type, to: lost, track: id))
    }
  }

  // MARK: - Notices

  private static func notices(_ copied: ImportedTrack, of other: Movie, in movie: Movie) -> [EditNotice] {
    var notices: [EditNotice] = []
    let (id, track) = (copied.id, copied.input.track)
    let rounded = copied.edits.reduce(0) { $0 + $1.rescaled.roundedCount }
    if rounded > 0 {
      notices.append(.editsRounded(timeScale: movie.header.timeScale, track: id))
    }
    let vanished = copied.edits.reduce(0) { $0 + $1.rescaled.vanishedCount }
    if vanished > 0 {
      notices.append(.editsVanished(vanished, timeScale: movie.header.timeScale, track: id))
    }
    if let duration = copied.headerDuration, duration > movie.header.duration, movie.hasKnownDuration {
      // A dub may end a little later than the film. A much longer dub may belong to another film.
      let isMuchLonger = duration - movie.header.duration >= UInt64(movie.header.timeScale) / 2
      notices.append(
        .movieLengthened(
          to: Quantity.time(duration, timeScale: movie.header.timeScale),
          from: Quantity.time(movie.header.duration, timeScale: movie.header.timeScale), track: id,
          isWarning: isMuchLonger))
    }
    if movie.dialect == .iso, other.dialect == .quickTime, let format = track.quickTimeSoundFormat {
      notices.append(.quickTimeSoundImported(format, track: id))
    }
    if track.isProtected, other.tree.child(of: other.tree.root, "pssh") != nil {
      notices.append(.keysNotImported(track: id))
    }
    return notices
  }
}

extension EditedTrack {
  /// Whether the track was imported and is a chapter list in its original movie.
  var isChapterListElsewhere: Bool {
    planned.imported?.isChapterList ?? false
  }
}

extension Track {
  /// The first sound format whose sample description is not valid in ISO files, or `nil` if there is none.
  fileprivate var quickTimeSoundFormat: FourCC? {
    guard mediaType == .audio else { return nil }
    return sampleDescriptions.entries.first { entry in
      if Self.quickTimeSound.contains(entry.format) { return true }
      do throws(MovieError) {
        return try SoundDescription(body: entry.body).version > 0
      } catch {
        return false
      }
    }?.format
  }

  /// The sound formats for which MP4 files have no sample description (QTFF "Sound Media").
  private static let quickTimeSound: Set<FourCC> = [
    "raw ", "twos", "sowt", "NONE", "in24", "in32", "fl32", "fl64", "lpcm", "ima4", "MAC3", "MAC6", "ulaw", "alaw",
    "QDM2", "QDMC",
  ]

  /// Whether samples are encrypted (ISO/IEC 14496-12, 8.12).
  fileprivate var isProtected: Bool {
    formats.contains { ["enca", "encv", "encs", "enct"].contains($0) }
  }
}
