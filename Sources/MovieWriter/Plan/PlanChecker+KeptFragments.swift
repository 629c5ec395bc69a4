import MovieBox

// A movie whose fragments stay: what they say of samples is as it was, and names the same bytes.
extension PlanChecker {
  /// Whether a fragment, or the index of them, was written again with other positions.
  func mayBeMoved(_ atom: FileLayout.TopLevelAtom) -> Bool {
    revision.keptFragments != nil && (atom.type == "moof" || atom.type == "mfra")
  }

  /// Every fragment is there with the same bytes but for the base of its data offsets, and every run, all auxiliary
  /// information, every position of a fragment and every piece of a segment index names the bytes that it named.
  ///
  /// Costs one pass over all `moof` atoms of both files.
  func checkKeptFragments() throws {
    guard let old = revision.keptFragments else { return }
    let output = PlannedSource(plan, of: source)
    guard planned.isFragmented else { throw failure("the new movie is not fragmented") }
    let new: MovieFragments
    do {
      new = try planned.readFragments(of: output)
    } catch let error as MovieError {
      throw failure("the new fragments do not read: \(error.reason)", at: error.offset, in: error.path)
    }
    guard old.fragments.count == new.fragments.count, old.tracks.count == new.tracks.count else {
      throw failure("\(old.fragments.count) fragments became \(new.fragments.count)")
    }
    for (before, after) in zip(old.fragments, new.fragments) { try check(before, after) }
    for (before, after) in zip(old.tracks, new.tracks) { try checkRuns(before, after) }
    try checkIndexes(output)
  }

  private func check(_ old: MovieFragment, _ new: MovieFragment) throws(MovieError) {
    guard moves.went(ByteRange(offset: old.range.offset, count: 1) ?? old.range, to: new.range.offset) else {
      throw failure("the fragment at byte \(old.range.offset) is another now", at: old.range.offset, in: "moof")
    }
    let (before, after) = (try old.tree(), try new.tree())
    guard before.bytes.count == after.bytes.count, old.trackFragments.count == new.trackFragments.count else {
      throw failure("the fragment at byte \(old.range.offset) has other parts", at: old.range.offset, in: "moof")
    }
    var start = 0
    for (left, right) in zip(old.trackFragments, new.trackFragments) {
      let path = before.path(of: left.atom)
      func wrong(_ what: String) -> MovieError { failure(what, at: old.range.offset, in: path) }
      if left.header.baseDataOffset != nil, let tfhd = before.child(of: left.atom, "tfhd") {
        guard right.header.baseDataOffset != nil else { throw wrong("a base of data offsets is lost") }
        let field = before[tfhd].start + before[tfhd].headerByteCount + 8  // Behind version, flags and the track.
        guard before.bytes.slice(at: start, count: field - start) == after.bytes.slice(at: start, count: field - start)
        else { throw wrong("changed beside its positions") }
        start = field + 8
      }
      let (named, found) = (
        try left.auxiliaryInformation(in: before).flatMap(\.ranges),
        try right.auxiliaryInformation(in: after).flatMap(\.ranges)
      )
      guard named.count == found.count else { throw wrong("has other auxiliary information") }
      for (from, to) in zip(named, found) where from.count > 0 {
        guard from.count == to.count, moves.went(from, to: to.offset) else {
          throw wrong("names other bytes as auxiliary information")
        }
      }
    }
    guard before.bytes.dropFirst(start) == after.bytes.dropFirst(start) else {
      throw failure(
        "the fragment at byte \(old.range.offset) changed beside its positions", at: old.range.offset, in: "moof")
    }
  }

  private func checkRuns(_ old: FragmentedTrack, _ new: FragmentedTrack) throws(MovieError) {
    guard old.trackID == new.trackID, old.runs.count == new.runs.count, old.sampleCount == new.sampleCount else {
      throw failure("track \(old.trackID) has other runs of samples")
    }
    guard let track = revision.movie.track(old.trackID) else { return }
    let locator = ChunkLocator(track)
    for (before, after) in zip(old.runs, new.runs) {
      func wrong(_ what: String) -> MovieError {
        failure("run \(before.index + 1) of track \(old.trackID) \(what)", at: before.offset)
      }
      guard before.table.payload == after.table.payload, before.defaults == after.defaults,
        before.decodeTime == after.decodeTime
      else { throw wrong("says other things of its samples") }
      guard before.byteCount > 0 else { continue }
      if locator.isExternal(description: before.sampleDescriptionIndex) {
        guard before.offset == after.offset else { throw wrong("lies in another file and was moved") }
        continue
      }
      guard let from = before.byteRange, let to = after.byteRange, moves.went(from, to: to.offset) else {
        throw wrong("names other bytes")
      }
    }
  }

  /// Positions of fragments, and of segments.
  private func checkIndexes(_ output: PlannedSource<Source>) throws {
    for type in ["mfra", "sidx"] as [FourCC] {
      let limits = revision.movie.limits
      let before = revision.movie.layout.atoms.filter { $0.type == type && $0.range.count <= limits.movieByteCount }
      let after = planned.layout.atoms.filter { $0.type == type && $0.range.count <= limits.movieByteCount }
      guard before.count == after.count else { throw failure("an index of fragments (\(type)) is lost") }
      for (left, right) in zip(before, after) {
        let (from, to) = (try source.readExactly(left.range), try output.readExactly(right.range))
        let (old, new) = (positions(from, left, revision.movie), positions(to, right, planned))
        guard old.places.count == new.places.count, old.rest == new.rest else {
          throw failure("an index changed beside its positions", at: left.range.offset, in: type.description)
        }
        for (from, to) in zip(old.places, new.places) where from < revision.movie.layout.identity.byteCount {
          guard moves.went(ByteRange(from..<from &+ 1), to: to) else {
            throw failure(
              "position \(from) became \(to), where other bytes stand", at: left.range.offset, in: type.description)
          }
        }
      }
    }
  }

  /// What an index names, and its bytes with zeros for that; nothing of one that does not read.
  private func positions(
    _ bytes: Bytes, _ atom: FileLayout.TopLevelAtom, _ movie: Movie
  ) -> (places: [UInt64], rest: [UInt8]) {
    do throws(MovieError) {
      if atom.type == "mfra" {
        let entries = try FragmentIndex(bytes, at: atom.range.offset, limits: movie.limits).entries
        var rest = bytes.array
        for place in entries.lazy.flatMap({ $0.start..<$0.start + $0.byteCount }) { rest[place] = 0 }
        return (entries.map(\.position), rest)
      }
      let tree = try AtomTree(bytes, at: atom.range.offset, limits: movie.limits)
      let index = try tree.decode(SegmentIndex.self, at: tree.root)
      return (index.pieces(behind: atom.range.end, in: movie.layout), bytes.array)
    } catch {
      return ([], bytes.array)
    }
  }
}

extension SegmentIndex {
  /// Where the pieces begin that lie in the file, when the index ends at `end`.
  fileprivate func pieces(behind end: UInt64, in layout: FileLayout) -> [UInt64] {
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
