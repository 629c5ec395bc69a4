import MovieBox

/// Checks that the atoms of the movie changed only as the requests allow.
///
/// The policies of all requests are joined, and the old and the new tree are compared once (``AtomChangePolicy``).
struct MovieAtomCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  func check() throws {
    let (old, new) = (resolved.movie.tree, planned.tree)
    let durations = KeptFragmentsCheck(checker: checker).durations
    var policy = AtomChangePolicy.edit(of: resolved, longestNewTrack: longestNewTrack, durations)
    switch checker.strategy {
    case .inPlace: break
    case .inMetadata(let offset): policy.join(.space(besideListAt: offset))
    case .inMovieAtom(let written, let commit): policy.join(.space(written: written, commit: commit, in: new))
    case .rewrite(let layout): policy.join(.space(ofNewFile: layout))
    }
    try policy.check(.init(old), .init(new))
    if let sharing = resolved.sharing { try AtomChangePolicy.checkRemovals(sharing, in: new) }
    if case .inMetadata(let offset) = checker.strategy {
      try AtomChangePolicy.checkSpace(besideListAt: offset, from: old, to: new)
    }
    for child in new.children(of: new.root, "mvex").flatMap({ new.children(of: $0) })
    where ["trex", "trep"].contains(new[child].type) {
      let id = new.payload(of: child).load(at: 4, as: UInt32.self)
      guard id.map(resolved.tracks.removed.contains) != true else {
        throw new.error(.planCheckFailed, at: child, "the atom belongs to a removed track")
      }
    }
    try resolved.requestedMetadata?.check(planned, exceptOf: resolved.tracks.new.union(resolved.tracks.removed))
  }

  /// The duration of the longest new track. Subtitles after the end of all other tracks of the old movie do not count.
  private var longestNewTrack: UInt64 {
    let imported = Set(resolved.added.importedTracks.map(\.id))
    let end = resolved.movie.endInMovieTicks
    return planned.tracks.filter { resolved.tracks.new.contains($0.id) && !$0.header.isDurationUnknown }
      .map { track in
        imported.contains(track.id)
          ? track.header.duration
          : resolved.movie.header.durationRaised(bySubtitlesEndingAt: track.header.duration, otherTracksEndingAt: end)
      }.max() ?? 0
  }
}

/// Checks that each track has its requested properties.
struct RequestedTracksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that the planned movie contains the requested tracks in order, each with the requested properties.
  func check() throws(MovieError) {
    let requested = resolved.requested
    let ids = requested.tracks.map(\.id)
    guard planned.tracks.map(\.id) == ids else {
      throw failure("the tracks are \(planned.tracks.map(\.id)) instead of \(ids)")
    }
    for (wanted, track) in zip(requested.tracks, planned.tracks) {
      func require(_ holds: Bool, _ what: String) throws(MovieError) {
        guard !holds else { return }
        throw failure("track \(track.id) does not have the requested \(what)", in: planned.tree.path(of: track.atom))
      }
      try require(track.mediaType == wanted.mediaType, "kind of media")
      try require(track.formats == wanted.formats, "formats")
      try require(track.isEnabled == wanted.isEnabled, "enabled state")
      try require(track.alternateGroup == wanted.alternateGroup, "alternate group")
      try require(EditedTrack.references(of: track) == wanted.references, "references")
      try require(wanted.labels.isEquivalent(to: TrackLabels(track)), "labels")
      if let made = wanted.generated { try checkGeneratedTrack(made, as: wanted, track) }
    }
    guard
      planned.tree.child(of: planned.tree.root, "mvhd") == nil
        || planned.header.nextTrackID == requested.nextTrackID
    else { throw failure("the next track ID is \(planned.header.nextTrackID) instead of \(requested.nextTrackID)") }
  }

  /// Checks that a track generated from cues or chapters equals the request, except for sample positions. The request is
  /// encoded once more for this comparison.
  private func checkGeneratedTrack(
    _ made: any GeneratedTrack, as wanted: EditedTrack, _ track: Track
  ) throws(MovieError) {
    let trak = made.trackAtom(as: wanted, chunkOffset: 0, isInterleaved: resolved.requested.isInterleaved)
    let tree = try AtomTree(Bytes(trak), at: 0, limits: resolved.movie.limits.withRoomForEdits)
    try AtomChangePolicy.positions.check(
      .init(tree, trackID: track.id), .init(planned.tree, at: track.atom, trackID: track.id))
  }
}

/// Checks the samples of kept tracks, which must have their old bytes, and of generated tracks, which must have new
/// bytes.
struct KeptTracksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that every sample of a kept track refers to the same bytes as before, and that every sample of a generated
  /// track refers to new bytes.
  func check() throws {
    let kept = resolved.movie.tracks.filter { !resolved.tracks.removed.contains($0.id) }
    let keptPlannedTracks = planned.tracks.filter { !resolved.tracks.new.contains($0.id) }
    guard kept.count == keptPlannedTracks.count else {
      throw failure("the planned movie has \(keptPlannedTracks.count) kept tracks instead of \(kept.count)")
    }
    for (old, new) in zip(kept, keptPlannedTracks) {
      guard old.id == new.id else { throw failure("track \(old.id) became track \(new.id)") }
      try checker.checkChunks(old: old, new: new, ChunkOrigins(old, resolved.added.externalMedia[old.id]))
      let hasNewAuxiliary = resolved.added.tracksWithAuxiliary.contains(old.id)
      try checker.checkPositions(
        from: (resolved.movie.tree, old.atom), to: (planned.tree, new.atom),
        leavingOut: hasNewAuxiliary ? ["saio"] : [])
    }
    try checker.checkPositions(
      from: (resolved.movie.tree, resolved.movie.tree.root), to: (planned.tree, planned.tree.root))
    for (wanted, track) in zip(resolved.requested.tracks, planned.tracks) {
      if let made = wanted.generated { try checkNewSamples(made, track) }
    }
  }

  /// Checks that the samples of a generated track are the requested samples, in order, and consist of new bytes.
  private func checkNewSamples(_ made: any GeneratedTrack, _ track: Track) throws {
    let expected = made.sampleData
    var position = expected.startIndex
    for chunk in track.samples.chunks where chunk.byteCount > 0 {
      guard let range = chunk.byteRange, range.end <= plan.byteCount,
        plan.extents(in: range).allSatisfy({ $0.sourceRange == nil })
      else { throw failure("a new sample of track \(track.id) refers to old bytes or to no bytes", at: chunk.offset) }
      let end = position + Int(clamping: Swift.min(range.count, UInt64(expected.count)))
      guard end <= expected.endIndex, range.count <= expected.count,
        try output.readExactly(range).elementsEqual(expected[position..<end])
      else { throw failure("a new sample of track \(track.id) refers to unexpected bytes", at: chunk.offset) }
      position = end
    }
    guard position == expected.endIndex else {
      throw failure("track \(track.id) refers to \(position) of \(expected.count) bytes of its samples")
    }
  }
}
