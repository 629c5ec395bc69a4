public import MovieBox
import Subtitles

// Media that an edit copies from other files. A file contains either tracks of another movie, or samples to which a
// track of the edited movie refers. The files follow the movie's own file in one joined source.
extension MovieEdit {
  /// The identities of the other files from which the edit copies media, in order.
  var otherSources: [SourceIdentity] { changes.media.files.map(\.identity) }

  /// The number of other files from which the edit copies media.
  package var otherFileCount: Int { changes.media.files.count }

  /// Maps an offset in ``joinedSource()`` to a file and an offset in that file. File 0 is the movie's own file.
  package func fileAndOffset(ofSourceOffset offset: UInt64) -> (file: Int, offset: UInt64) {
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

  /// Throws unless the files of the edit can be joined to one source.
  func requireJoinedSource() throws(MovieError) {
    if let refusal = initializationSegmentRefusal { throw refusal }
    _ = try ResolvedEdit(self, isInterleaved: false).sourceIdentity()
  }

  // MARK: - Tracks of other movies

  /// Adds tracks of another movie after all existing tracks, disabled and in no group, and returns their IDs.
  ///
  /// The sample tables are copied, and only the samples of these tracks are copied from the other file. Edits begin and
  /// end at the nearest tick of this movie. References among the new tracks are kept. All other references of the
  /// tracks are dropped and reported. ``addAlternative(_:asDefault:)`` makes players offer a new track.
  ///
  /// Throws ``MovieError`` if the other movie cannot be edited, or if it is fragmented; ``addTracks(_:of:from:)``
  /// accepts fragmented movies. Also throws ``MovieError`` if the media of a track is in a third file, or if the track
  /// contains file offsets that cannot be rewritten.
  package mutating func add(
    _ inputs: [TrackInput], of other: Movie, source: (any RandomAccessSource)? = nil
  ) throws(MovieError) -> [UInt32] {
    guard !other.isFragmented else {
      throw other.editRefusal()
        ?? MovieError(
          .unsupported, at: other.movieAtom.range.offset, in: "moov",
          "tracks of a fragmented movie can be added only together with its source")
    }
    if let refusal = other.editRefusal() { throw refusal }
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
    return try atomically { edit throws(MovieError) in
      try edit.appendTracks(inputs, of: other, flattenedMovie, source)
    }
  }

  private mutating func appendTracks(
    _ inputs: [TrackInput], of other: Movie, _ flattenedMovie: FlattenedMovie?, _ source: any RandomAccessSource
  ) throws(MovieError) -> [UInt32] {
    changes.media.files.append(
      OtherFile(contents: flattenedMovie.map { .flattened($0) } ?? .movie(other), source: source))
    var newIDs: [UInt32: UInt32] = [:]
    var ids: [UInt32] = []
    var freeIDs = freeTrackIDs
    let indicesByAtom = Dictionary(other.tracks.indices.map { (other.tracks[$0].atom, $0) }) { first, _ in first }
    let shift = commonDelayDifference(to: other)
    let sampleNotices = Dictionary(grouping: flattenedMovie?.sampleNotices ?? [], by: \.trackID)
    for input in inputs {
      let track = input.track
      guard let index = indicesByAtom[track.atom], other.tracks[index].id == track.id else {
        throw Self.trackNotInMovie(track)
      }
      if track.formats.contains("mebx"), let timedMetadataRefusal { throw timedMetadataRefusal }
      let id = try freeIDs.allocate()
      let copied = try ImportedTrack(
        try input.withCheckedTags(), of: other, part: changes.media.files.count, id: id, into: movie,
        laterBy: shift, auxiliary: flattenedMovie?.auxiliary[index] ?? [])
      nextTrackID = freeIDs.next
      tracks.append(EditedTrack(copied))
      recordedNotices += copied.notices(of: other, in: movie)
      if copied.shift != 0, let time = MediaTime(ticks: copied.shift, timeScale: movie.header.timeScale) {
        recordedNotices.append(.newTrackDelayed(byMilliseconds: time.milliseconds, track: id))
      }
      recordedNotices += (sampleNotices[track.id] ?? []).map { .importedMovieChanged($0, track: id) }
      if newIDs[track.id] == nil { newIDs[track.id] = id }
      ids.append(id)
    }
    recordedNotices += (sampleNotices[nil] ?? []).map { .importedMovieChanged($0, track: nil) }
    for (input, id) in zip(inputs, ids) { try copyReferences(of: input.track, to: id, newIDs) }
    try requireJoinedSource()
    return ids
  }

  /// Returns the delay that tracks of the other movie get, in ticks of this movie. It is the difference between the
  /// common delays of both movies.
  private func commonDelayDifference(to other: Movie) -> Int64 {
    guard !stages.keepsStart else { return 0 }
    let (own, others) = (stages.commonDelay ?? .zero, other.commonDelay() ?? .zero)
    return own.ticks(of: movie.header.timeScale) - others.ticks(of: movie.header.timeScale)
  }

  static func trackNotInMovie(_ track: Track) -> MovieError {
    MovieError(.invalidEdit, "track \(track.id) does not belong to the movie from which it should be added")
  }

  private mutating func copyReferences(
    of track: Track, to id: UInt32, _ newIDs: [UInt32: UInt32]
  ) throws(MovieError) {
    let index = try tracks.index(of: id)
    for (type, ids) in EditedTrack.references(of: track).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let kept = ids.compactMap { newIDs[$0] }
      if !kept.isEmpty { tracks[index].references[type] = kept }
      let lost = ids.filter { newIDs[$0] == nil }
      guard !lost.isEmpty else { continue }
      recordedNotices.append(.importedReferenceDropped(type, to: lost, track: id))
    }
  }

  // MARK: - Samples in other files

  /// Copies samples from other files into the new movie and makes the data references self-contained.
  ///
  /// Returns the files without duplicates, in the order in which they follow the earlier sources of the edit (see
  /// ``otherSources``). Rethrows errors of `open`. Throws ``MovieError`` for samples beyond the end of their file, for
  /// fragmented movies, and for tracks with auxiliary information. The edit is unchanged after an error.
  ///
  /// - Parameter open: opens the file of a reference, or throws to reject the reference, because a reference can name
  ///   any file. It is not called for references without samples. See ``ExternalMediaFolder`` for files in the folder
  ///   of the movie.
  @discardableResult
  mutating func makeSelfContained(
    _ open: (ExternalReference) throws -> ExternalFile
  ) throws -> [ExternalFile] {
    try atomically { edit in try edit.copyExternalMedia(open) }
  }

  private mutating func copyExternalMedia(
    _ open: (ExternalReference) throws -> ExternalFile
  ) throws -> [ExternalFile] {
    let otherFileCount = otherFileCount
    var files: [ExternalFile] = []
    for track in tracks {
      guard let old = track.old, old.hasExternalMedia, changes.media.external[old.id] == nil else {
        continue
      }
      try requireKnownPlaces(of: old)
      var media = ExternalMedia()
      for reference in movie.externalReferences(of: old) {
        let file = try open(reference)
        if let known = files.firstIndex(where: { $0.name == file.name }) {
          media.parts[reference.index] = otherFileCount + known + 1
        } else {
          files.append(file)
          changes.media.files.append(
            OtherFile(contents: .media(try file.source.identity()), source: file.source))
          media.parts[reference.index] = changes.media.files.count
        }
      }
      try requireSamplesInFile(for: old, media, files.map(\.name))
      changes.media.external[old.id] = media
      let names = Set(media.parts.values).sorted().map { files[$0 - otherFileCount - 1].name }
      recordedNotices.append(.externalMediaCopied(from: names, track: old.id))
    }
    try requireJoinedSource()
    return files
  }

  /// The byte ranges of other files that contain samples of kept tracks, grouped by track and file. `part` is the
  /// number of the file in the joined source.
  var externalMediaExtents: [(part: Int, track: Int, extents: [MediaExtent])] {
    guard !changes.media.external.isEmpty else { return [] }
    let ids = Dictionary(tracks.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
    return movie.tracks.flatMap { track -> [(part: Int, track: Int, extents: [MediaExtent])] in
      guard let number = ids[track.id], let external = changes.media.external[track.id] else { return [] }
      let origins = ChunkOrigins(track, external)
      let scale = movie.header.timeScale
      return origins.otherParts.sorted().map { part in
        (part, number, track.mediaExtents(number: number, movieTimeScale: scale, origins, part: part))
      }
    }
  }

  private func requireKnownPlaces(of track: Track) throws(MovieError) {
    let tree = movie.tree
    guard stages.flattened == nil else {
      throw failure(
        .unsupported, track.atom,
        "cannot copy media of other files into a fragmented movie; first write the movie without fragments")
    }
    guard movie.tracks.count(where: { $0.id == track.id }) == 1 else {
      throw failure(.malformed, track.atom, "the movie has more than one track \(track.id)")
    }
    if let stbl = tree.sampleTable(ofTrack: track.atom), let saio = tree.child(of: stbl, "saio") {
      throw failure(
        .unsupported, saio, "track \(track.id) has auxiliary information about samples in other files")
    }
    _ = try movie.dataReferenceAtoms(of: track)
  }

  /// Throws unless every sample is inside its file.
  ///
  /// - Parameter names: the names of the files that the request added.
  private func requireSamplesInFile(for track: Track, _ media: ExternalMedia, _ names: [String]) throws(MovieError) {
    let origins = ChunkOrigins(track, media)
    let locator = ChunkLocator(track)
    for chunk in track.samples.chunks where chunk.byteCount > 0 {
      guard let part = origins.part(of: chunk), part > 0 else { continue }
      let byteCount = changes.media.files[part - 1].identity.byteCount
      let range = locator.byteRange(of: chunk)
      if let range, range.end <= byteCount { continue }
      let stbl = movie.tree.sampleTable(ofTrack: track.atom) ?? track.atom
      throw failure(
        .truncated, movie.tree.child(of: stbl, "stco") ?? movie.tree.child(of: stbl, "co64") ?? stbl,
        "chunk \(chunk.index + 1) (\(range?.count ?? chunk.byteCount) bytes at \(chunk.offset)) reaches past the end of "
          + "\(names[part - 1 - (changes.media.files.count - names.count)]) at \(byteCount)")
    }
  }

  private func failure(_ code: MovieError.Code, _ atom: Int, _ reason: String) -> MovieError {
    movie.tree.error(code, at: atom, reason)
  }
}
