import MovieBox

/// Checks the samples of kept tracks, which must have their old bytes.
struct KeptTracksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that every sample of a kept track refers to the same bytes.
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
