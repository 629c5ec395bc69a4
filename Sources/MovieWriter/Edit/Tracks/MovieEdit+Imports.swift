package import MovieBox
import Subtitles

extension MovieEdit {
  /// Adds tracks of another movie, after all others, in no group, disabled; gives their IDs.
  ///
  /// Their sample tables are copied, and only their samples are taken along of the other file. Edits begin and end at
  /// the nearest tick of this movie. References among them stay, all others are dropped and reported. See
  /// ``addAlternative(_:asDefault:)`` for what makes players offer them.
  ///
  /// Throws ``MovieError`` for movies that tracks cannot be taken from: those that cannot be edited, and fragmented
  /// ones, for which ``addTracks(_:of:from:)`` is; and for tracks whose media is in a third file, or which name bytes of
  /// their file in a way that is not followed.
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

  mutating func add(
    _ inputs: [TrackInput], of other: Movie, _ flattenedMovie: FlattenedMovie?, _ source: any RandomAccessSource
  ) throws(MovieError) -> [UInt32] {
    var edit = self
    edit.changes.media.files.append(
      OtherFile(contents: flattenedMovie.map { .flattened($0) } ?? .movie(other), source: source))
    var newIDs: [UInt32: UInt32] = [:]
    var ids: [UInt32] = []
    var freeIDs = edit.freeTrackIDs
    let places = Dictionary(other.tracks.indices.map { (other.tracks[$0].atom, $0) }) { first, _ in first }
    let sampleNotes = Dictionary(grouping: flattenedMovie?.sampleNotes ?? [], by: \.trackID)
    for input in inputs {
      let track = input.track
      guard let place = places[track.atom], other.tracks[place].id == track.id else {
        throw Self.trackNotInMovie(track)
      }
      let id = try freeIDs.take()
      let copied = try ImportedTrack(
        try Self.checked(input), of: other, part: edit.changes.media.files.count, id: id, into: movie,
        auxiliary: flattenedMovie?.auxiliary[place] ?? [])
      edit.nextTrackID = freeIDs.next
      edit.tracks.append(EditedTrack(copied))
      edit.recordedNotices += Self.notes(copied, of: other, in: movie)
      edit.recordedNotices += (sampleNotes[track.id] ?? []).map {
        EditNotice($0.kind, trackID: id, isWarning: $0.isWarning, "in its own movie, \($0.message)")
      }
      if newIDs[track.id] == nil { newIDs[track.id] = id }
      ids.append(id)
    }
    edit.recordedNotices += (sampleNotes[nil] ?? []).map {
      EditNotice($0.kind, isWarning: $0.isWarning, "of the movie that tracks are taken from, \($0.message)")
    }
    for (input, id) in zip(inputs, ids) { try edit.takeReferences(of: input.track, to: id, newIDs) }
    try edit.requireJoinedSource()
    self = edit
    return ids
  }

  static func trackNotInMovie(_ track: Track) -> MovieError {
    MovieError(.invalidEdit, "track \(track.id) is not one of the movie that it is to be taken from")
  }

  /// The input with its new tags checked, each once.
  private static func checked(_ input: TrackInput) throws(MovieError) -> TrackInput {
    let old = input.track.taggedCharacteristics
    var input = input
    let added = try written(input.mediaCharacteristics.filter { !old.contains($0) })
    input.mediaCharacteristics = old.filter(input.mediaCharacteristics.contains) + added
    return input
  }

  private mutating func takeReferences(
    of track: Track, to id: UInt32, _ newIDs: [UInt32: UInt32]
  ) throws(MovieError) {
    let place = try index(of: id)
    for (type, ids) in EditedTrack.references(of: track).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let kept = ids.compactMap { newIDs[$0] }
      if !kept.isEmpty { tracks[place].references[type] = kept }
      let lost = ids.filter { newIDs[$0] == nil }
      guard !lost.isEmpty else { continue }
      let list = lost.map(String.init).joined(separator: ", ")
      recordedNotices.append(
        EditNotice(
          .association, trackID: id,
          "the \(type) reference of track \(id) to track \(list) of its own movie was dropped"))
    }
  }

  // MARK: - What a person should know

  private static func notes(_ copied: ImportedTrack, of other: Movie, in movie: Movie) -> [EditNotice] {
    var notes: [EditNotice] = []
    let (id, track) = (copied.id, copied.input.track)
    let rounded = copied.edits.reduce(0) { $0 + $1.rescaled.roundedCount }
    if rounded > 0 {
      notes.append(
        EditNotice(
          .timesRounded, trackID: id,
          "times in the edit list of track \(id) are rounded to the movie's time scale, by less than "
            + "1/\(movie.header.timeScale) s"))
    }
    let vanished = copied.edits.reduce(0) { $0 + $1.rescaled.vanishedCount }
    if vanished > 0 {
      notes.append(
        EditNotice(
          .timesRounded, trackID: id, isWarning: true,
          "the edit list of track \(id) has \(counted(vanished, "segment")) that no longer last any time: shorter than "
            + "half of the 1/\(movie.header.timeScale) s that the movie counts in"))
    }
    if let duration = copied.durationInMovieTicks, duration > movie.header.duration, movie.hasKnownDuration {
      notes.append(
        EditNotice(
          .movieLengthened, trackID: id,
          "the movie lasts \(Quantity.time(duration, timeScale: movie.header.timeScale)) now, not "
            + "\(Quantity.time(movie.header.duration, timeScale: movie.header.timeScale)): track \(id) lasts that long")
      )
    }
    if movie.dialect == .iso, other.dialect == .quickTime, let format = track.quickTimeSoundFormat {
      notes.append(
        EditNotice(
          .foreignFormat, trackID: id, isWarning: true,
          "the sound of track \(id) (\(format)) is described as QuickTime files do, which players of MP4 files may not "
            + "understand: convert its own movie first (remux -o NAME.mp4)"))
    }
    if track.isProtected, other.tree.child(of: other.tree.root, "pssh") != nil {
      notes.append(
        EditNotice(
          .foreignFormat, trackID: id, isWarning: true,
          "track \(id) is encrypted, and what says how to get its keys (pssh) stays in its own movie"))
    }
    return notes
  }
}

extension EditedTrack {
  /// Whether the track was the chapter list of another one in the movie that it is from.
  var isChapterListElsewhere: Bool {
    planned.imported?.isChapterList ?? false
  }
}

extension Track {
  /// The format of sound that is described in a way that ISO files do not know; `nil` where there is none.
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

  /// Sound without a sample description in MP4 files (QTFF "Sound Media").
  private static let quickTimeSound: Set<FourCC> = [
    "raw ", "twos", "sowt", "NONE", "in24", "in32", "fl32", "fl64", "lpcm", "ima4", "MAC3", "MAC6", "ulaw", "alaw",
    "QDM2", "QDMC",
  ]

  /// Whether samples are encrypted (ISO/IEC 14496-12 8.12).
  fileprivate var isProtected: Bool {
    formats.contains { ["enca", "encv", "encs", "enct"].contains($0) }
  }
}
