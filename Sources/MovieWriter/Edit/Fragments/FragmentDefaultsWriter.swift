import MovieBox

/// Removes the defaults of removed tracks from a movie that keeps its fragments, and shortens its duration (`mvex`).
struct FragmentDefaultsWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    guard let keptFragments = edit.stages.keptFragments, !resolved.tracks.removed.isEmpty else { return }
    let movie = edit.movie
    let tree = movie.tree
    let durations = keptFragments.durations(in: movie, without: resolved.tracks.removed)
    for child in tree.children(of: tree.root, "mvex").flatMap({ Array(tree.children(of: $0)) }) {
      switch tree[child].type {
      case "trex", "trep":
        // Both atoms contain the track ID after the version and flags (ISO/IEC 14496-12 8.8.3, 8.8.15).
        guard let id = tree.payload(of: child).load(at: 4, as: UInt32.self), resolved.tracks.removed.contains(id)
        else { continue }
        resolved.edits.remove(child)
      case "mehd":
        var header = try tree.decode(MovieExtendsHeader.self, at: child)
        guard durations.after < durations.before, durations.matchesLongestTrack(header.fragmentDuration) else {
          continue
        }
        header.fragmentDuration = durations.after
        resolved.edits.replace(child, with: header.atom("mehd"))
      default: break
      }
    }
  }
}

extension MovieFragments {
  /// Returns the durations of the movie that contains the fragments, with and without some of its tracks.
  fileprivate func durations(in movie: Movie, without removed: Set<UInt32>) -> FragmentedDurations {
    let keptTracks = zip(tracks, movie.tracks).filter { !removed.contains($0.1.id) }
    return FragmentedDurations(
      before: durationInMovieTicks(of: movie),
      after: keptTracks.map { $0.durationInMovieTicks(of: $1, movieTimeScale: movie.header.timeScale) }.max() ?? 0)
  }
}
