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
          : resolved.movie.header.duration(withSubtitlesEndingAt: track.header.duration, otherTracksEndingAt: end)
      }.max() ?? 0
  }
}

extension AtomTreeComparison.Finding {
  /// Returns the error for a difference that no rule allows.
  func refusal(_ old: AtomTree, _ new: AtomTree) -> MovieError {
    func changed(_ index: Int, _ reason: String) -> MovieError {
      old.error(.planCheckFailed, at: index, reason)
    }
    return switch self {
    case .removed(let index): changed(index, "it was lost")
    case .added(let index, let parent): changed(parent, "a \(new[index].type) was added to the atom")
    case .payload(let index, _): changed(index, "its bytes changed")
    case .beforeChildren(let index, _), .afterChildren(let index, _):
      changed(index, "the bytes before or after its child atoms changed")
    case .order(let index, _): changed(index, "its children are in a different order")
    case .sizeWidth(let index, _): changed(index, "the width of its size changed")
    }
  }
}
