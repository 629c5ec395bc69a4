import MovieBox

// Checks the top-level atoms other than the movie atom and media data.
//
// The old and the new atoms are compared in file order. Rewritten atoms are recorded, so that positions in them can be
// followed.
extension PlanChecker {
  func checkTopLevel() throws {
    let new = planned.layout.atoms.filter { $0.range != planned.movieAtom.range && $0.type != "mdat" }
    var next = new.startIndex
    for old in resolved.movie.layout.atoms where old.range != resolved.movie.movieAtom.range && old.type != "mdat" {
      if old.isFreeSpace {
        if next < new.endIndex, try isSameAtom(old: old, new: new[next]) {
          next += 1
          continue
        }
        if try mayBeDropped(old) { continue }
      }
      if resolved.omits(old) { continue }
      var found = next
      while found < new.endIndex, try !isSameAtom(old: old, new: new[found]) { found += 1 }
      guard found < new.endIndex else {
        throw failure("\(old.type) at byte \(old.range.offset) was lost, changed or reordered", at: old.range.offset)
      }
      for extra in new[next..<found] { try checkAddition(extra) }
      next = found + 1
    }
    for extra in new[next...] { try checkAddition(extra) }
    if resolved.sharing != nil {
      let remains =
        planned.layout.trailing ?? planned.layout.atoms.first { resolved.sharing?.drops($0) ?? false }?.range
      if let remains {
        throw failure("an atom or trailing bytes that sharing must remove are still in the file", at: remains.offset)
      }
    }
    if let trailing = resolved.movie.layout.trailing, resolved.sharing == nil, try !mayDropTrailingBytes(trailing) {
      guard let moved = planned.layout.trailing, try hasEqualBytes(moved, as: trailing) else {
        throw failure("the \(trailing.count) bytes at the end of the file were lost", at: trailing.offset)
      }
    }
  }

  /// Whether the edit may drop top-level free space. An in-place edit overwrites only free space without data.
  private func mayBeDropped(_ atom: FileLayout.TopLevelAtom) throws -> Bool {
    guard atom.isFreeSpace else { return false }
    switch strategy {
    case .rewrite(let layout) where try layout.omitsSpaceLeftByEdits && atom.isSpaceLeftByEdit(in: source): return true
    case .rewrite(let layout) where !layout.reservesPadding: return layout.isCompact
    case .rewrite(let layout) where layout.isCompact: return true
    case .inMetadata, .inMovieAtom: return false
    case .inPlace, .rewrite: return try FreeSpace.contents(of: atom.payloadRange, in: source) != .data
    }
  }

  /// Returns whether trailing bytes outside any atom may be dropped. An edit in place may drop zeros, because a power
  /// loss may leave zeros at the end of the file.
  private func mayDropTrailingBytes(_ range: ByteRange) throws -> Bool {
    try strategy == .inPlace && FreeSpace.isZero(range, in: source)
  }

  /// Checks a new top-level atom. Only free space may be added, and a conversion may add a `ftyp`.
  private func checkAddition(_ atom: FileLayout.TopLevelAtom) throws(MovieError) {
    if strategy.mayAddFreeSpace, atom.isFreeSpace { return }
    // A conversion may add `ftyp`. ConversionCheck checks its contents.
    if resolved.stages.converted != nil, atom.type == "ftyp", atom.range.offset == 0 { return }
    throw failure("a \(atom.type) was added at top level", at: atom.range.offset)
  }

  /// Whether a new atom equals the old atom. It must be copied byte for byte, or rewritten with unchanged bytes except
  /// for positions.
  private func isSameAtom(old: FileLayout.TopLevelAtom, new: FileLayout.TopLevelAtom) throws -> Bool {
    guard old.type == new.type else {
      guard try keptFragments.isFreed(old: old, new: new) else { return false }
      rewrittenAtoms.append((old.range, new.range.offset))
      return true
    }
    if let event = try movedEvent(old) {
      guard try isMoved(event, of: old, to: new) else { return false }
      rewrittenAtoms.append((old.range, new.range.offset))
      return true
    }
    if copies(new.range, of: old.range)
      || (old.sizeField == .toEndOfFile || old.isTruncated && resolved.stages.closesTruncatedAtoms)
        && copies(new.payloadRange, of: old.payloadRange)
    {
      if old.type == "meta" { fileMetadata.append((old, new)) }
      return true
    }
    if try isCleared(old: old, new: new) { return true }
    guard old.range.count == new.range.count,
      old.range.count <= resolved.movie.limits.movieByteCount
    else { return false }
    let before = try source.readExactly(old.range)
    let after = try PlannedSource(plan, of: source).readExactly(new.range)
    guard before == after || old.type == "meta" || keptFragments.mayBeMoved(old) else { return false }
    rewrittenAtoms.append((old.range, new.range.offset))
    if old.type == "meta" { fileMetadata.append((old, new)) }
    return true
  }

  /// Whether free space of a new file contains zeros instead of the remains of an in-place edit.
  private func isCleared(old: FileLayout.TopLevelAtom, new: FileLayout.TopLevelAtom) throws -> Bool {
    guard case .rewrite = strategy, old.type == new.type, old.range.count == new.range.count,
      old.headerByteCount == new.headerByteCount, let extent = plan.extent(at: new.payloadRange.offset),
      case .zeros = extent.content, extent.range.contains(new.payloadRange)
    else { return false }
    return try old.isSpaceLeftByEdit(in: source)
  }

  /// Whether the output at `range` contains the bytes of the source at `old`, copied or rewritten.
  private func hasEqualBytes(_ range: ByteRange, as old: ByteRange) throws -> Bool {
    if copies(range, of: old) { return true }
    guard range.count == old.count, old.count <= resolved.movie.limits.movieByteCount,
      try source.readExactly(old) == PlannedSource(plan, of: source).readExactly(range)
    else { return false }
    rewrittenAtoms.append((old, range.offset))
    return true
  }

  /// Checks that only positions changed in file-level `meta` atoms, and that these positions refer to the same bytes as
  /// before.
  ///
  /// Skips atoms that exceed the size limit. The planner rejects these atoms if any bytes move.
  func checkFileMetadata() throws {
    for (old, new) in fileMetadata where old.range.count <= resolved.movie.limits.movieByteCount {
      let before = try source.readExactly(old.range)
      let after = try PlannedSource(plan, of: source).readExactly(new.range)
      let oldTree = try AtomTree(before, at: old.range.offset, limits: resolved.movie.limits)
      let right = try AtomTree(after, at: new.range.offset, limits: resolved.movie.limits)
      // An atom that extends to the end of the file may get a new header.
      if oldTree.payload(of: oldTree.root) != right.payload(of: right.root) {
        try AtomChangePolicy.positions.check(.init(oldTree), .init(right))
      }
      try checkPositions(from: (oldTree, oldTree.root), to: (right, right.root))
    }
  }

  private var keptFragments: KeptFragmentsCheck<Source> { KeptFragmentsCheck(checker: self) }

  // MARK: - Events

  /// Returns the time of an event that must move with the clock of the movie, or `nil` for other atoms.
  private func movedEvent(_ atom: FileLayout.TopLevelAtom) throws -> EventTime? {
    guard resolved.stages.flattened?.start != nil else { return nil }
    return try EventTime(of: atom, in: source)
  }

  /// Whether an event is unchanged except for its time, from which the start of the movie is subtracted.
  private func isMoved(_ event: EventTime, of old: FileLayout.TopLevelAtom, to new: FileLayout.TopLevelAtom) throws
    -> Bool
  {
    let output = PlannedSource(plan, of: source)
    guard let start = resolved.stages.flattened?.start, old.type == new.type,
      old.payloadRange.count == new.payloadRange.count, old.payloadRange.count <= resolved.movie.limits.movieByteCount
    else { return false }
    let (before, after) = (try source.readExactly(old.payloadRange), try output.readExactly(new.payloadRange))
    let shift = Int128(start.ticks) * Int128(event.timeScale)
    // The old time minus the new time must equal the start, within half a tick of the event's time scale.
    guard let time = after.load(at: 8, as: UInt64.self),
      case let moved = Int128(event.ticks) - Int128(time),
      case let error = 2 * (moved * Int128(start.timeScale) - shift),
      error.magnitude <= Int128(start.timeScale).magnitude || time == 0 && error < 0
    else { return false }
    return before.slice(at: 0, count: 8) == after.slice(at: 0, count: 8) && before.dropFirst(16) == after.dropFirst(16)
  }
}
