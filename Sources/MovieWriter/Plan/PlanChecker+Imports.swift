import MovieBox

// Tracks of other movies.
extension PlanChecker {
  /// A track in its own movie and in the planned one.
  struct ImportedPair {
    let revision: ImportedTrackRevision
    /// The movie that the track is from.
    let movie: Movie
    let planned: Track
  }

  /// The tracks from other movies that the planned movie has.
  var importedTracks: [ImportedPair] {
    revision.importedTracks.compactMap { imported in
      let index = imported.part - 1
      guard revision.otherMovies.indices.contains(index), let planned = planned.track(imported.id) else { return nil }
      return ImportedPair(revision: imported, movie: revision.otherMovies[index], planned: planned)
    }
  }

  /// Every sample of such a track names the bytes that it named in its own movie, all else of the track is as it was
  /// but for what names its place among other tracks; and nothing else of the other movies is in the file.
  func checkImportedTracks() throws(MovieError) {
    let pairs = importedTracks
    guard pairs.count == revision.importedTracks.count else { throw failure("a track from another movie is missing") }
    var named: [ByteRange] = []
    for pair in pairs {
      let (old, part) = (pair.revision.track, pair.revision.part)
      guard let file = plan.source.range(ofPart: part), plan.source.parts.indices.contains(part),
        plan.source.parts[part] == pair.movie.layout.identity
      else { throw failure("track \(pair.planned.id) is from a movie that the plan does not read") }
      let hasNewAuxiliary = revision.tracksWithNewAuxiliary.contains(pair.planned.id)
      try ImportedTrackComparison(
        old: pair.movie.tree, new: planned.tree, oldTimeScale: pair.movie.header.timeScale,
        newTimeScale: planned.header.timeScale, hasNewAuxiliary: hasNewAuxiliary
      ).check(old.atom, pair.planned.atom)
      try checkChunks(old, pair.planned, from: file.offset)
      try checkPositions(
        pair.movie.tree, old.atom, planned.tree, pair.planned.atom, ofPart: part,
        leavingOut: hasNewAuxiliary ? ["saio"] : [])
      let locator = ChunkLocator(old)
      for chunk in old.samples.chunks where chunk.byteCount > 0 {
        if let range = locator.byteRange(of: chunk)?.moved(by: file.offset) { named.append(range) }
      }
      for auxiliary in try old.auxiliaryInformation(in: pair.movie.tree) {
        if let range = auxiliary.range.moved(by: file.offset) { named.append(range) }
      }
    }
    try checkForeignMedia(is: Self.joined(named))
  }

  /// What the plan copies of other movies is this, and all of it is media data.
  private func checkForeignMedia(is named: [ByteRange]) throws(MovieError) {
    let primary = plan.source.primary.byteCount
    guard plan.source.byteCount > primary else { return }
    let others = ByteRange(primary..<plan.source.byteCount)
    func foreign(_ extents: [RemuxPlan.Extent]) -> [ByteRange] {
      Self.joined(extents.compactMap { $0.sourceRange?.cut(to: others) })
    }
    let copied = foreign(plan.extents)
    guard copied == named else {
      throw failure("what is copied of other movies is not what the tracks from there name")
    }
    let media = planned.layout.atoms.filter { $0.type == "mdat" }.flatMap { plan.extents(in: $0.payloadRange) }
    guard foreign(media) == copied else { throw failure("bytes of other movies lie outside the media data") }
  }
}
