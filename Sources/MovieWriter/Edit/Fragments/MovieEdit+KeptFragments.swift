import MovieBox

// Fragments that stay where they are: an edit that adds no samples needs no other place for any.
extension MovieEdit {
  /// Whether the movie is fragmented, and will not be any more where it is laid out as it is: see ``flattens(for:)``.
  public var flattens: Bool { flattens(for: OutputLayout()) }

  /// Whether the movie is fragmented, and will not be any more: the edit takes samples in, ``flatten()`` was asked
  /// for, the layout moves media, or something in the file does not let the fragments stay.
  public func flattens(for layout: OutputLayout) -> Bool { stages.flattened != nil && !keepsFragments(for: layout) }

  /// Has all samples of a fragmented movie listed in its movie atom, whatever else the edit does; other movies stay as
  /// they are.
  public mutating func flatten() {
    stages.mustFlatten = true
  }

  /// Whether the movie is fragmented and stays so.
  func keepsFragments(for layout: OutputLayout) -> Bool {
    couldKeepFragments && fragmentsBlocker(layout) == nil
  }

  /// Whether nothing that the edit does asks for another place for samples.
  var couldKeepFragments: Bool {
    stages.flattened != nil && !stages.mustFlatten && stages.unsplit == nil && changes.media.files.isEmpty
      && changes.media.external.isEmpty
      && tracks.allSatisfy { $0.old != nil }
  }

  /// What in the layout or in the file does not let the fragments stay.
  func fragmentsBlocker(_ layout: OutputLayout) -> String? {
    guard let flattened = stages.flattened else { return nil }
    var layout = layout
    if !flattened.original.hasMediaBeforeMovieAtom { layout.isFastStart = false }
    let removed = Set(movie.tracks.map(\.id)).subtracting(tracks.map(\.id))
    return layout.rewriteReason ?? flattened.retention.reason(removing: removed)
  }

  /// The same edit of the movie with its fragments; `nil` where these go.
  func keepingFragments(_ layout: OutputLayout) -> MovieEdit? {
    guard keepsFragments(for: layout), let kept = stages.keepingFragments() else { return nil }
    // By their atoms: of a broken movie several tracks may have one ID.
    let originals = Dictionary(zip(movie.tracks.map(\.atom), kept.current.tracks)) { first, _ in first }
    var edit = self
    edit.pass(to: kept)
    edit.tracks = tracks.compactMap { track in
      track.old.flatMap { originals[$0.atom] }.map { track.read(as: $0) }
    }
    return edit
  }
}

extension Movie {
  /// Whether samples may lie before the movie atom, or fragments.
  fileprivate var hasMediaBeforeMovieAtom: Bool {
    layout.atoms.contains { ["mdat", "moof"].contains($0.type) && $0.range.offset < movieAtom.range.offset }
  }
}
