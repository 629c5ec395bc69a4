import MovieBox

/// Checks a movie that keeps its fragments.
///
/// Fragments refer to their samples by file offsets, and `mfra` and `sidx` refer to fragments. An edit that moves bytes
/// must update these offsets. An edit that removes a track turns the track's fragments and index tables into free space
/// of the same size. Everything else in the fragments must be unchanged.
struct KeptFragmentsCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Whether the edit may rewrite a fragment or an index of fragments with new positions.
  func mayBeMoved(_ atom: FileLayout.TopLevelAtom) -> Bool {
    resolved.stages.keptFragments != nil && (atom.type == "moof" || atom.type == "mfra")
  }

  /// Whether a top-level atom that belongs only to removed tracks became free space with unchanged bytes.
  func isFreed(old: FileLayout.TopLevelAtom, new: FileLayout.TopLevelAtom) throws -> Bool {
    guard new.type == "free", old.range.count == new.range.count, old.headerByteCount == new.headerByteCount,
      checker.copies(new.payloadRange, of: old.payloadRange)
    else { return false }
    return try belongsToRemovedTracks(old)
  }

  /// Whether a top-level atom belongs only to removed tracks.
  private func belongsToRemovedTracks(_ atom: FileLayout.TopLevelAtom) throws -> Bool {
    guard let fragments = resolved.stages.keptFragments?.fragments, !resolved.tracks.removed.isEmpty else {
      return false
    }
    switch atom.type {
    case "moof":
      let index = fragments.partitioningIndex { $0.range.offset >= atom.range.offset }
      guard index < fragments.count, fragments[index].range == atom.range else { return false }
      let tree = try fragments[index].tree()
      return isEmptied(fragments[index])
        && Set(tree.children(of: tree.root).map { tree[$0].type }).isSubset(of: ["mfhd", "traf", "free", "skip"])
    case "sidx", "prft":
      guard let start = ByteRange(offset: atom.payloadRange.offset, count: 8), start.end <= atom.range.end else {
        return false
      }
      return try source.readExactly(start).load(at: 4, as: UInt32.self).map(resolved.tracks.removed.contains) ?? false
    case "ssix":
      let atoms = resolved.movie.layout.atoms
      let index = atoms.partitioningIndex { $0.range.offset >= atom.range.offset }
      guard atoms.indices.contains(index - 1) else { return false }
      let before = atoms[index - 1]
      return try before.type == "sidx" && belongsToRemovedTracks(before)
    default: return false
    }
  }

  private func isEmptied(_ fragment: MovieFragment) -> Bool {
    !fragment.trackFragments.isEmpty && keptTrackFragments(fragment).isEmpty
  }

  /// Returns the track fragments of tracks that are not removed.
  private func keptTrackFragments(_ fragment: MovieFragment) -> [TrackFragment] {
    fragment.trackFragments.filter { !resolved.tracks.removed.contains($0.trackID) }
  }

  /// Reads the fragments of the planned movie, or returns `nil` if the edit keeps no fragments.
  func readPlannedFragments() throws -> MovieFragments? {
    guard resolved.stages.keptFragments != nil else { return nil }
    guard planned.isFragmented else { throw failure("the new movie is not fragmented") }
    do {
      return try planned.readFragments(of: output)
    } catch let error as MovieError {
      throw failure("the new fragments cannot be read: \(error.reason)", at: error.offset, in: error.path)
    }
  }

  /// The durations of the movie with its fragments, before and after the edit. The value is `nil` if no fragments are
  /// kept or no track is removed.
  var durations: FragmentedDurations? {
    guard !resolved.tracks.removed.isEmpty, let old = resolved.stages.keptFragments, let new = plannedFragments else {
      return nil
    }
    return FragmentedDurations(
      allTracks: old.durationInMovieTicks(of: resolved.movie), remainingTracks: new.durationInMovieTicks(of: planned))
  }

  /// Checks that the bytes of every fragment are unchanged, with two exceptions. The base of its data offsets may
  /// differ, and track fragments of removed tracks became free space. All runs, auxiliary information and index entries
  /// must refer to the same bytes as before.
  ///
  /// Makes one pass over all `moof` atoms of both files.
  func check() throws {
    guard let old = resolved.stages.keptFragments, let new = plannedFragments else { return }
    var remainingFragments = new.fragments[...]
    for before in old.fragments {
      let start = ByteRange(offset: before.range.offset, count: 1) ?? before.range
      if let after = remainingFragments.first, checker.moves.isMoved(start, to: after.range.offset) {
        try check(before, after)
        remainingFragments.removeFirst()
      } else if !isEmptied(before) {
        throw failure("the fragment at byte \(before.range.offset) was lost", at: before.range.offset, in: "moof")
      }
    }
    guard remainingFragments.isEmpty else { throw failure("\(remainingFragments.count) fragments were added") }
    let tracks = old.tracks.filter { !resolved.tracks.removed.contains($0.trackID) }
    guard tracks.count == new.tracks.count else { throw failure("the tracks that have fragments changed") }
    for (before, after) in zip(tracks, new.tracks) { try checkRuns(old: before, new: after) }
    try checkIndexes(of: old)
  }

  private func check(_ old: MovieFragment, _ new: MovieFragment) throws(MovieError) {
    let (before, after) = (try old.tree(), try new.tree())
    let parts = keptTrackFragments(old)
    guard before.bytes.count == after.bytes.count, parts.count == new.trackFragments.count else {
      throw failure(
        "the track fragments of the fragment at byte \(old.range.offset) changed", at: old.range.offset, in: "moof")
    }
    // The old bytes, with the new values of the fields that may differ.
    var expectedBytes = before.bytes.array
    for part in old.trackFragments where resolved.tracks.removed.contains(part.trackID) {
      let type = before[part.atom].start + 4  // The type follows the size.
      expectedBytes.replaceSubrange(type..<type + 4, with: "free".utf8)
    }
    for (left, right) in zip(parts, new.trackFragments) {
      let path = before.path(of: left.atom)
      func changeFailure(_ what: String) -> MovieError { failure(what, at: old.range.offset, in: path) }
      if left.header.baseDataOffset != nil, let tfhd = before.child(of: left.atom, "tfhd") {
        let field = before[tfhd].start + before[tfhd].headerByteCount + 8  // The field follows the track ID.
        guard let base = after.bytes.slice(at: field, count: 8) else {
          throw changeFailure("a base of data offsets was lost")
        }
        expectedBytes.replaceSubrange(field..<field + 8, with: base)
      }
      let (named, found) = (
        try left.auxiliaryInformation(in: before).flatMap(\.ranges),
        try right.auxiliaryInformation(in: after).flatMap(\.ranges)
      )
      guard named.count == found.count else {
        throw changeFailure("the number of auxiliary information ranges changed")
      }
      for (from, to) in zip(named, found) where from.count > 0 {
        guard from.count == to.count, checker.moves.isMoved(from, to: to.offset) else {
          throw changeFailure("the auxiliary information refers to other bytes")
        }
      }
    }
    guard expectedBytes == after.bytes.array else {
      throw failure(
        "more than the positions changed in the fragment at byte \(old.range.offset)", at: old.range.offset, in: "moof")
    }
  }

  private func checkRuns(old: FragmentedTrack, new: FragmentedTrack) throws(MovieError) {
    guard old.trackID == new.trackID, old.runs.count == new.runs.count, old.sampleCount == new.sampleCount else {
      throw failure("the fragment runs of track \(old.trackID) changed")
    }
    guard let track = resolved.movie.track(old.trackID) else { return }
    let locator = ChunkLocator(track)
    for (before, after) in zip(old.runs, new.runs) {
      func changeFailure(_ what: String) -> MovieError {
        failure("run \(before.index + 1) of track \(old.trackID) \(what)", at: before.offset)
      }
      guard before.table.payload == after.table.payload, before.defaults == after.defaults,
        before.decodeTime == after.decodeTime
      else { throw changeFailure("changed the fields of its samples") }
      guard before.byteCount > 0 else { continue }
      if locator.isExternal(description: before.sampleDescriptionIndex) {
        guard before.offset == after.offset else { throw changeFailure("is in another file and was moved") }
        continue
      }
      guard let from = before.byteRange, let to = after.byteRange, checker.moves.isMoved(from, to: to.offset) else {
        throw changeFailure("refers to other bytes")
      }
    }
  }
}

// MARK: - Indexes

extension KeptFragmentsCheck {
  private typealias IndexAtom = (atom: FileLayout.TopLevelAtom, bytes: Bytes)

  /// Checks the positions in `mfra` and `sidx`.
  private func checkIndexes(of old: MovieFragments) throws {
    let limit = resolved.movie.limits.movieByteCount
    for type in ["mfra", "sidx"] as [FourCC] {
      let before = try resolved.movie.layout.atoms.filter {
        try $0.type == type && $0.range.count <= limit && !belongsToRemovedTracks($0)
      }
      let after = planned.layout.atoms.filter { $0.type == type && $0.range.count <= limit }
      guard before.count == after.count else {
        throw failure("the number of fragment indexes (\(type)) changed")
      }
      for (left, right) in zip(before, after) {
        let from = (atom: left, bytes: try source.readExactly(left.range))
        let to = (atom: right, bytes: try output.readExactly(right.range))
        if type == "mfra" {
          try checkFragmentRandomAccessIndex(from, to, of: old)
        } else {
          try checkSegmentIndex(from, to)
        }
      }
    }
  }

  /// Checks that an `mfra` changed only in three ways: in the positions of fragments, in the numbers of their `traf`
  /// atoms, and in the tables of removed tracks. These tables became free space.
  private func checkFragmentRandomAccessIndex(
    _ old: IndexAtom, _ new: IndexAtom, of fragments: MovieFragments
  ) throws(MovieError) {
    let (left, from, right, to) = (old.atom, old.bytes, new.atom, new.bytes)
    func changeFailure(_ what: String) -> MovieError { failure(what, at: left.range.offset, in: "mfra") }
    let before = try FragmentRandomAccessIndex(from, at: left.range.offset, limits: resolved.movie.limits).tables
    let after: [FragmentRandomAccessIndex.Table]
    do {
      after = try FragmentRandomAccessIndex(to, at: right.range.offset, limits: resolved.movie.limits).tables
    } catch {
      throw changeFailure("the new index cannot be read: \(error.reason)")
    }
    let keptTables = before.filter { !resolved.tracks.removed.contains($0.trackID) }
    guard from.count == to.count, keptTables.count == after.count else {
      throw changeFailure("the tables of an index changed")
    }
    // The old bytes, with the new values of the fields that may differ.
    var expectedBytes = from.array
    let newBytes = to.array
    var keptParts: [Int: [TrackFragment]] = [:]
    for table in before where resolved.tracks.removed.contains(table.trackID) {
      expectedBytes.replaceSubrange(table.start + 4..<table.start + 8, with: "free".utf8)
    }
    for (table, newTable) in zip(keptTables, after) {
      guard table.entries.count == newTable.entries.count else {
        throw changeFailure("the number of entries in an index changed")
      }
      for (entry, newEntry) in zip(table.entries, newTable.entries) {
        let (place, newPlace) = (entry.position.value, newEntry.position.value)
        if place < resolved.movie.layout.identity.byteCount,
          !checker.moves.isMoved(ByteRange(place..<place &+ 1), to: newPlace)
        {
          throw changeFailure(
            "the reference to byte \(place) was changed to byte \(newPlace), where other bytes are stored")
        }
        guard refersToSameTrackFragment((entry, newEntry), of: table.trackID, fragments.fragments, &keptParts) else {
          throw changeFailure(
            "an entry refers to a different part of a fragment: \(newEntry.trackFragmentNumber.value)")
        }
        for field in [newEntry.position, newEntry.trackFragmentNumber] {
          expectedBytes.replaceSubrange(field.range, with: newBytes[field.range])
        }
      }
    }
    guard expectedBytes == newBytes else { throw changeFailure("more than the positions changed in an index") }
  }

  /// Whether an entry of the new index refers to the track fragment to which the old entry referred. If the old entry
  /// referred to no track fragment, its number must be unchanged.
  ///
  /// - Parameter keptParts: a cache of the kept track fragments, by fragment index.
  private func refersToSameTrackFragment(
    _ entries: (old: FragmentRandomAccessIndex.Entry, new: FragmentRandomAccessIndex.Entry), of trackID: UInt32,
    _ fragments: [MovieFragment], _ keptParts: inout [Int: [TrackFragment]]
  ) -> Bool {
    let (old, new) = entries
    guard !resolved.tracks.removed.isEmpty else {
      return old.trackFragmentNumber.value == new.trackFragmentNumber.value
    }
    let index = fragments.partitioningIndex { $0.range.offset >= old.position.value }
    guard index < fragments.count, fragments[index].range.offset == old.position.value,
      let part = Self.trackFragment(old.trackFragmentNumber.value, among: fragments[index].trackFragments),
      part.trackID == trackID
    else { return old.trackFragmentNumber.value == new.trackFragmentNumber.value }
    // `check(_:_:)` has verified that the new fragment has these track fragments in this order.
    let oldParts = keptParts[index] ?? keptTrackFragments(fragments[index])
    keptParts[index] = oldParts
    return Self.trackFragment(new.trackFragmentNumber.value, among: oldParts)?.atom == part.atom
  }

  /// Returns the track fragment with this number, counted from 1.
  private static func trackFragment(_ number: UInt64, among fragments: [TrackFragment]) -> TrackFragment? {
    number > 0 && number <= fragments.count ? fragments[Int(number - 1)] : nil
  }

  /// Checks that a `sidx` is unchanged, and that its segments start with the same bytes as before.
  private func checkSegmentIndex(_ old: IndexAtom, _ new: IndexAtom) throws(MovieError) {
    func changeFailure(_ what: String) -> MovieError { failure(what, at: old.atom.range.offset, in: "sidx") }
    guard old.bytes == new.bytes else { throw changeFailure("an index changed") }
    let before = segmentOffsets(of: old, in: resolved.movie)
    let after = segmentOffsets(of: new, in: planned)
    guard before.count == after.count else { throw changeFailure("the number of segments in an index changed") }
    for (start, newStart) in zip(before, after)
    where !checker.moves.isMoved(ByteRange(start..<start &+ 1), to: newStart) {
      throw changeFailure("the segment at byte \(start) was moved to byte \(newStart), where other bytes are stored")
    }
  }

  /// Returns the file offsets of the segments, or an empty array if the index cannot be read.
  private func segmentOffsets(of index: IndexAtom, in movie: Movie) -> [UInt64] {
    do throws(MovieError) {
      let tree = try AtomTree(index.bytes, at: index.atom.range.offset, limits: movie.limits)
      let segments = try tree.decode(SegmentIndex.self, at: tree.root)
      return segments.segmentOffsets(fromIndexEnd: index.atom.range.end, in: movie.layout)
    } catch {
      return []
    }
  }
}

extension SegmentIndex {
  /// Returns the file offsets of the segments of an index that ends at `end`.
  fileprivate func segmentOffsets(fromIndexEnd end: UInt64, in layout: FileLayout) -> [UInt64] {
    var starts: [UInt64] = []
    var next = ByteRange(offset: end, count: firstOffset)?.end
    for reference in references {
      guard let start = next, start < layout.identity.byteCount else { break }
      starts.append(start)
      next = ByteRange(offset: start, count: UInt64(reference.byteCount))?.end
    }
    return starts
  }
}
