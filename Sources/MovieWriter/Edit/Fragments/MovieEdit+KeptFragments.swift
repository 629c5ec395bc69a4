import MovieBox

// A movie can keep its fragments if the edit adds no samples.
extension MovieEdit {
  /// Whether the edit removes the fragments of the movie if the layout is unchanged; see ``flattens(for:)``.
  public var flattens: Bool { flattens(for: OutputLayout()) }

  /// Whether the edit removes the fragments of the movie.
  ///
  /// It removes them if it adds samples, if the caller requested ``flatten()``, if the layout moves media, or if the file
  /// does not allow the fragments to be kept.
  public func flattens(for layout: OutputLayout) -> Bool { stages.flattened != nil && !keepsFragments(for: layout) }

  /// Lists all samples of a fragmented movie in its movie atom, regardless of other requests. Does nothing for other
  /// movies.
  public mutating func flatten() {
    stages.mustFlatten = true
  }

  /// Whether the movie is fragmented and keeps its fragments.
  func keepsFragments(for layout: OutputLayout) -> Bool {
    couldKeepFragments && reasonToFlatten(layout) == nil
  }

  /// Whether no request of the edit moves or adds samples.
  var couldKeepFragments: Bool {
    stages.flattened != nil && !stages.mustFlatten && stages.unsplit == nil && changes.media.files.isEmpty
      && changes.media.external.isEmpty
      && tracks.allSatisfy { $0.old != nil }
  }

  /// Returns the reason why the layout or the file does not allow the fragments to be kept, or `nil` if there is none.
  func reasonToFlatten(_ layout: OutputLayout) -> String? {
    guard let flattened = stages.flattened else { return nil }
    var layout = layout
    if !flattened.original.hasMediaBeforeMovieAtom { layout.isFastStart = false }
    let removedIDs = Set(movie.tracks.map(\.id)).subtracting(tracks.map(\.id))
    return layout.rewriteReason ?? flattened.retention.reason(removing: removedIDs)
  }

  /// Returns the edit applied to the movie with its fragments, or `nil` if the fragments are removed.
  func keepingFragments(_ layout: OutputLayout) -> MovieEdit? {
    guard keepsFragments(for: layout), let kept = stages.keepingFragments() else { return nil }
    // Match tracks by their atoms: in a broken movie several tracks may share an ID.
    let originals = Dictionary(zip(movie.tracks.map(\.atom), kept.current.tracks)) { first, _ in first }
    var edit = self
    edit.replaceStages(with: kept)
    edit.tracks = tracks.compactMap { track in
      track.old.flatMap { originals[$0.atom] }.map { track.read(as: $0) }
    }
    return edit
  }
}

extension Movie {
  /// Whether samples or fragments may precede the movie atom.
  fileprivate var hasMediaBeforeMovieAtom: Bool {
    layout.atoms.contains { ["mdat", "moof"].contains($0.type) && $0.range.offset < movieAtom.range.offset }
  }
}
