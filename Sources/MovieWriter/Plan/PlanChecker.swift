import MovieBox

/// Proves that a plan leaves alone what an edit did not name. It runs before every commit.
///
/// It shares no code with the builder of plans: it reads the planned movie as if it were a file, and proves that
/// every sample of every kept track still names the same bytes of the source, and that every atom no edit named, at the
/// top and inside `moov`, is there with the same bytes in the same order.
///
/// A failure is a fault of ours, never of the file; it is thrown as `.planCheckFailed`, and nothing is written.
struct PlanChecker<Source: RandomAccessSource> {
  let revision: MovieRevision
  let source: Source
  let plan: RemuxPlan
  let planned: Movie

  /// Checks `plan`; reads of the source only what small atoms at the top hold.
  static func check(_ plan: RemuxPlan, of revision: MovieRevision, source: Source) throws {
    let planned: Movie
    do {
      planned = try Movie(of: PlannedSource(plan, of: source), limits: revision.movie.limits.withRoomForEdits)
    } catch let error as MovieError {
      throw MovieError(
        .planCheckFailed, at: error.offset, in: error.path, "the new movie does not read: \(error.reason)")
    }
    let checker = PlanChecker(revision: revision, source: source, plan: plan, planned: planned)
    try checker.checkTopLevel()
    try checker.checkAtoms()
    try checker.checkTracks()
    try checker.checkDefragmentation()
  }

  func failure(_ reason: String, at offset: UInt64? = nil, in path: String = "") -> MovieError {
    MovieError(.planCheckFailed, at: offset, in: path, reason)
  }
}

// MARK: - The top of the file

extension PlanChecker {
  private func checkTopLevel() throws {
    let new = planned.layout.atoms.filter { $0.range != planned.movieAtom.range }
    var next = new.startIndex
    for old in revision.movie.layout.atoms
    where old.range != revision.movie.movieAtom.range && !old.isFreeSpace && !revision.leavesOut(old) {
      guard let found = try new[next...].firstIndex(where: { try isSame(old, $0) }) else {
        throw failure("\(old.type) at byte \(old.range.offset) is lost, changed or out of order", at: old.range.offset)
      }
      for extra in new[next..<found] { try checkAddition(extra) }
      next = found + 1
    }
    for extra in new[next...] { try checkAddition(extra) }
    if let trailing = revision.movie.layout.trailing {
      guard let moved = planned.layout.trailing, copies(moved, of: trailing) else {
        throw failure("the \(trailing.count) bytes at the end of the file are lost", at: trailing.offset)
      }
    }
  }

  /// Free space of an edit in place, and the samples of new tracks, are all that an edit adds at the top.
  private func checkAddition(_ atom: FileLayout.TopLevelAtom) throws(MovieError) {
    guard !atom.isFreeSpace, atom.type != "mdat" || revision.newMedia.isEmpty else { return }
    throw failure("a \(atom.type) was added at the top of the file", at: atom.range.offset)
  }

  /// Whether the new atom is the old one: copied byte for byte, or written again with the same bytes but for positions.
  private func isSame(_ old: FileLayout.TopLevelAtom, _ new: FileLayout.TopLevelAtom) throws -> Bool {
    guard old.type == new.type else { return false }
    if copies(new.range, of: old.range) { return true }
    if old.sizeField == .toEndOfFile, copies(new.payloadRange, of: old.payloadRange) { return true }
    guard old.range.count == new.range.count, old.type != "mdat",
      old.range.count <= revision.movie.limits.movieByteCount
    else { return false }
    let before = try source.readExactly(old.range)
    let after = try PlannedSource(plan, of: source).readExactly(new.range)
    if before == after { return true }
    guard old.type == "meta" else { return false }
    let left = try AtomTree(before, at: old.range.offset, limits: revision.movie.limits)
    let right = try AtomTree(after, at: new.range.offset, limits: revision.movie.limits)
    try TreeComparison(old: left, new: right, namedByTrack: [:], newTrackIDs: [], removedTrackIDs: []).check()
    try checkPositions(left, left.root, right, right.root)
    return true
  }

  /// Whether the bytes of the output at `range` are those of the source at `old`.
  func copies(_ range: ByteRange, of old: ByteRange) -> Bool {
    guard range.count == old.count else { return false }
    var expected = old.offset
    for extent in plan.slice(range) {
      guard let copied = extent.sourceRange, copied.offset == expected else { return false }
      expected = copied.end
    }
    return expected == old.end
  }
}

// MARK: - Inside moov

extension PlanChecker {
  private func checkAtoms() throws {
    try TreeComparison(
      old: revision.movie.tree, new: planned.tree, namedByTrack: revision.namedAtoms,
      newTrackIDs: revision.newTrackIDs, removedTrackIDs: revision.removedTrackIDs
    ).check()
  }

  /// Every sample of every kept track names the bytes that it named; every sample of a new track names new bytes.
  private func checkTracks() throws {
    let kept = revision.movie.tracks.filter { !revision.removedTrackIDs.contains($0.id) }
    let keptPlanned = planned.tracks.filter { !revision.newTrackIDs.contains($0.id) }
    guard kept.count == keptPlanned.count else {
      throw failure("\(kept.count) tracks were to be kept, \(keptPlanned.count) are there")
    }
    for (old, new) in zip(kept, keptPlanned) {
      guard old.id == new.id else { throw failure("track \(old.id) became track \(new.id)") }
      try checkChunks(old, new)
      let hasNewAuxiliary = revision.tracksWithNewAuxiliary.contains(old.id)
      try checkPositions(
        revision.movie.tree, old.atom, planned.tree, new.atom, leavingOut: hasNewAuxiliary ? ["saio"] : [])
    }
    try checkPositions(revision.movie.tree, revision.movie.tree.root, planned.tree, planned.tree.root)
    // Behind auxiliary information the new samples lie one after the other, in the order of their tracks.
    var position = revision.auxiliaryByteCount
    for track in planned.tracks where revision.newTrackIDs.contains(track.id) {
      for chunk in track.samples.chunks where chunk.byteCount > 0 {
        guard let range = chunk.byteRange, range.end <= plan.byteCount,
          plan.slice(range).allSatisfy({ $0.sourceRange == nil })
        else { throw failure("a new sample of track \(track.id) names old bytes, or none", at: chunk.offset) }
        let count = Int(clamping: range.count)
        guard let samples = revision.newMedia.slice(at: position, count: count),
          try PlannedSource(plan, of: source).readExactly(range) == samples
        else { throw failure("a new sample of track \(track.id) names other bytes than its own", at: chunk.offset) }
        position += count
      }
    }
    guard position == revision.newMedia.count else {
      throw failure("new tracks name \(position) of \(revision.newMedia.count) bytes of new samples")
    }
  }

  private func checkChunks(_ old: Track, _ new: Track) throws(MovieError) {
    guard old.samples.chunkCount == new.samples.chunkCount else {
      throw failure("track \(old.id) had \(old.samples.chunkCount) chunks, has \(new.samples.chunkCount)")
    }
    let before = ChunkLocator(old)
    let after = ChunkLocator(new)
    var known: RemuxPlan.Extent?
    for (chunk, moved) in zip(old.samples.chunks, new.samples.chunks) where chunk.byteCount > 0 {
      if before.isExternal(chunk) {
        guard chunk.offset == moved.offset else {
          throw failure("chunk \(chunk.index + 1) of track \(old.id) lies in another file and was moved")
        }
        continue
      }
      guard let from = before.byteRange(of: chunk), let to = after.byteRange(of: moved), from.count == to.count else {
        throw failure("chunk \(chunk.index + 1) of track \(old.id) changed its size")
      }
      if let extent = known, let source = extent.sourceRange, extent.range.contains(to) {
        guard source.offset &+ (to.offset &- extent.offset) == from.offset else { throw lost(chunk, old) }
      } else {
        guard copies(to, of: from) else { throw lost(chunk, old) }
        known = plan.slice(ByteRange(to.offset..<to.offset &+ 1)).first.flatMap { piece in
          piece.sourceRange.flatMap { plan.sourceExtent(holding: $0.offset) }
        }
      }
    }
  }

  private func lost(_ chunk: Chunk, _ track: Track) -> MovieError {
    failure("chunk \(chunk.index + 1) of track \(track.id) no longer names its bytes", at: chunk.offset)
  }
}
