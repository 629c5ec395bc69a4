import MovieBox

// Checks of the three kinds of tracks in a planned movie: kept, generated and imported tracks.

/// Checks that the samples of kept tracks have their old bytes.
struct KeptTracksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that every sample of a kept track refers to its old bytes.
  func check() throws {
    let keptTracks = resolved.movie.tracks.filter { !resolved.tracks.removed.contains($0.id) }
    let keptPlannedTracks = planned.tracks.filter { !resolved.tracks.new.contains($0.id) }
    guard keptTracks.count == keptPlannedTracks.count else {
      throw failure("the planned movie has \(keptPlannedTracks.count) kept tracks instead of \(keptTracks.count)")
    }
    for (old, new) in zip(keptTracks, keptPlannedTracks) {
      guard old.id == new.id else { throw failure("track \(old.id) became track \(new.id)") }
      try checker.checkChunks(old: old, new: new, ChunkOrigins(old, resolved.added.externalMedia[old.id]))
      let hasNewAuxiliary = resolved.added.tracksWithAuxiliary.contains(old.id)
      try checker.checkPositions(
        from: (resolved.movie.tree, old.atom), to: (planned.tree, new.atom),
        leavingOut: hasNewAuxiliary ? ["saio"] : [])
    }
    try checker.checkPositions(
      from: (resolved.movie.tree, resolved.movie.tree.root), to: (planned.tree, planned.tree.root))
  }
}

/// Checks the tracks that the edit generates, such as subtitles and chapters, against the request.
///
/// Each track is encoded once more. The planned track must have the same atoms, except for sample positions, and the
/// same samples. The samples must be new bytes.
struct GeneratedTracksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  func check() throws {
    for (requestedTrack, track) in zip(resolved.requested.tracks, planned.tracks) {
      guard let generated = requestedTrack.generated else { continue }
      try checkAtoms(of: generated, as: requestedTrack, track)
      try checkSamples(of: generated, track)
    }
  }

  private func checkAtoms(
    of generated: any GeneratedTrack, as requestedTrack: EditedTrack, _ track: Track
  ) throws(MovieError) {
    let trak = generated.trackAtom(as: requestedTrack, chunkOffset: 0, isInterleaved: resolved.requested.isInterleaved)
    let tree = try AtomTree(Bytes(trak), at: 0, limits: resolved.movie.limits.withRoomForEdits)
    try AtomChangePolicy.positions.check(
      .init(tree, trackID: track.id), .init(planned.tree, at: track.atom, trackID: track.id))
  }

  /// Checks that the track contains the requested samples in order, and that their bytes are new.
  private func checkSamples(of generated: any GeneratedTrack, _ track: Track) throws {
    let expectedData = generated.sampleData
    var position = expectedData.startIndex
    for chunk in track.samples.chunks where chunk.byteCount > 0 {
      guard let range = chunk.byteRange, range.end <= plan.byteCount,
        plan.extents(in: range).allSatisfy({ $0.sourceRange == nil })
      else { throw failure("a new sample of track \(track.id) refers to old bytes or to no bytes", at: chunk.offset) }
      let end = position + Int(clamping: Swift.min(range.count, UInt64(expectedData.count)))
      guard end <= expectedData.endIndex, range.count <= expectedData.count,
        try output.readExactly(range).matches(position..<end, of: expectedData, at: 0)
      else { throw failure("a new sample of track \(track.id) refers to unexpected bytes", at: chunk.offset) }
      position = end
    }
    guard position == expectedData.endIndex else {
      throw failure("track \(track.id) refers to \(position) of \(expectedData.count) bytes of its samples")
    }
  }
}

/// Checks the tracks that are imported from other movies, and the media that the plan copies from other files.
///
/// Each track is compared with its original movie, whose file is a part of the joined source.
struct ImportedTracksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// An imported track in its original movie and in the planned movie.
  struct ImportedPair {
    let origin: ImportedTrackOrigin
    /// The movie that contains the track.
    let movie: Movie
    let planned: Track
  }

  /// The imported tracks of the planned movie, each with its origin.
  var importedTracks: [ImportedPair] {
    resolved.added.importedTracks.compactMap { imported in
      let index = imported.part - 1
      guard resolved.added.otherFiles.indices.contains(index), let movie = resolved.added.otherFiles[index].movie,
        let planned = planned.track(imported.id)
      else { return nil }
      return ImportedPair(origin: imported, movie: movie, planned: planned)
    }
  }

  /// Checks that every imported sample refers to the same bytes as in the original movie, and that the track is
  /// otherwise unchanged, except for its relations to other tracks. Only the external media of kept tracks may also be
  /// copied from other files.
  func check() throws(MovieError) {
    let pairs = importedTracks
    guard pairs.count == resolved.added.importedTracks.count else {
      throw failure("a track from another movie is missing")
    }
    var externalRanges: [ByteRange] = []
    var shifts: [Int: Int64] = [:]
    for pair in pairs {
      let (old, part) = (pair.origin.track, pair.origin.part)
      guard let file = plan.source.range(ofPart: part), plan.source.parts.indices.contains(part),
        plan.source.parts[part] == pair.movie.layout.identity
      else { throw failure("track \(pair.planned.id) is from a movie that the plan does not read") }
      let hasNewAuxiliary = resolved.added.tracksWithAuxiliary.contains(pair.planned.id)
      let id = pair.planned.id
      let shift = shifts[part] ?? self.shift(of: pair.movie)
      shifts[part] = shift
      let isChapterList = pair.movie.chapterTrackIDs.contains(old.id)
      try AtomChangePolicy.importedTrack(
        id, into: planned.dialect, timeScales: (pair.movie.header.timeScale, planned.header.timeScale),
        hasNewAuxiliary: hasNewAuxiliary,
        shift: isChapterList ? nil : AtomChangePolicy.ImportShift(ticks: shift, track: old)
      ).check(
        .init(pair.movie.tree, at: old.atom, trackID: id), .init(planned.tree, at: pair.planned.atom, trackID: id))
      try checker.checkChunks(old: old, new: pair.planned, ChunkOrigins(allIn: part))
      try checker.checkPositions(
        from: (pair.movie.tree, old.atom), to: (planned.tree, pair.planned.atom), ofPart: part,
        leavingOut: hasNewAuxiliary ? ["saio"] : [])
      let locator = ChunkLocator(old)
      for chunk in old.samples.chunks where chunk.byteCount > 0 {
        if let range = locator.byteRange(of: chunk)?.moved(by: file.offset) { externalRanges.append(range) }
      }
      for auxiliary in try old.auxiliaryInformation(in: pair.movie.tree) {
        if let range = auxiliary.range.moved(by: file.offset) { externalRanges.append(range) }
      }
    }
    externalRanges += try externalMedia()
    try checkForeignMedia(equals: ByteRangeSet(externalRanges).ranges)
  }

  /// Returns the delay that tracks of another movie get, in ticks of the edited movie.
  private func shift(of other: Movie) -> Int64 {
    guard !resolved.requested.keepsStart else { return 0 }
    let (own, others) = (CommonDelayCheck(resolved.movie).delay, CommonDelayCheck(other).delay)
    let scale = planned.header.timeScale
    return (own ?? .zero).ticks(of: scale).addingClamped(-(others ?? .zero).ticks(of: scale))
  }

  /// Returns the external media of kept tracks that the edit copies into the movie.
  private func externalMedia() throws(MovieError) -> [ByteRange] {
    var externalRanges: [ByteRange] = []
    for track in resolved.movie.tracks {
      guard let external = resolved.added.externalMedia[track.id], !resolved.tracks.removed.contains(track.id) else {
        continue
      }
      for part in external.parts.values {
        guard resolved.added.otherFiles.indices.contains(part - 1), plan.source.parts.indices.contains(part),
          plan.source.parts[part] == resolved.added.otherFiles[part - 1].identity
        else { throw failure("the external media of track \(track.id) is in a file that the plan does not read") }
      }
      let origins = ChunkOrigins(track, external)
      let bases = origins.bases(in: plan.source)
      let locator = ChunkLocator(track)
      for chunk in track.samples.chunks where chunk.byteCount > 0 && origins.part(of: chunk) ?? 0 > 0 {
        if let base = bases[chunk], let range = locator.byteRange(of: chunk)?.moved(by: base) {
          externalRanges.append(range)
        }
      }
    }
    return externalRanges
  }

  /// Checks that the plan copies exactly these bytes from other files, and only into media data.
  private func checkForeignMedia(equals externalRanges: [ByteRange]) throws(MovieError) {
    let primary = plan.source.primary.byteCount
    guard plan.source.byteCount > primary else { return }
    let otherFiles = ByteRange(primary..<plan.source.byteCount)
    func foreign(_ extents: [OutputPlan.Extent]) -> [ByteRange] {
      ByteRangeSet(extents.compactMap { $0.sourceRange?.intersection(otherFiles) }).ranges
    }
    let copied = foreign(plan.extents)
    guard copied == externalRanges else {
      throw failure("the bytes copied from other files differ from the bytes to which the tracks refer")
    }
    let media = planned.layout.atoms.filter { $0.type == "mdat" }.flatMap { plan.extents(in: $0.payloadRange) }
    guard foreign(media) == copied else { throw failure("bytes of other files are outside the media data") }
  }
}
