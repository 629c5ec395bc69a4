import MovieBox

/// Looks whether the fragments of a movie can stay when its movie atom becomes longer or shorter: what lies after it
/// moves as one, what lies before it stays.
///
/// Positions from the start of the file can then be put right (see ``FragmentPositions``); distances hold where both of
/// their ends lie on one side of the movie atom: data offsets of `trun`, `saio` in `traf`, subsegments of `sidx`.
struct FragmentRetention: Sendable {
  /// Data of one track that is said to lie after that of another.
  private struct Following: Hashable {
    let leader: UInt32
    let follower: UInt32
  }

  /// Why they cannot, whatever the edit; `nil` while nothing was found.
  private var reason: String?
  /// Where the first fragment with such data lies.
  private var followings: [Following: UInt64] = [:]
  /// The tracks that have a part in any fragment.
  private var trackIDs: Set<UInt32> = []
  private let movie: Movie
  /// Of each track, where its samples lie.
  private let locators: [UInt32: ChunkLocator]
  /// More bytes than labels and references add to a movie atom.
  private static let largestGrowth: UInt64 = 16 << 20

  init(_ movie: Movie) {
    self.movie = movie
    locators = Dictionary(movie.tracks.map { ($0.id, ChunkLocator($0)) }) { first, _ in first }
  }

  /// Why the fragments cannot stay where these tracks go; `nil` where they can.
  func reason(removing removed: Set<UInt32>) -> String? {
    if let reason { return reason }
    guard removed.isEmpty || !trackIDs.isSubset(of: removed) else {
      return "no other track has samples in fragments"
    }
    let places = followings.filter { removed.contains($0.key.leader) && !removed.contains($0.key.follower) }
    return places.values.min().map {
      "the fragment at byte \($0) has data that is said to lie after that of a removed track"
    }
  }

  /// Looks at a fragment.
  mutating func look(at fragment: MovieFragment, _ tree: AtomTree) {
    guard reason == nil else { return }
    trackIDs.formUnion(fragment.trackFragments.map(\.trackID))
    findFollowings(in: fragment, tree)
    if (0..<tree[tree.root].subtreeEnd).contains(where: { tree[$0].type == "iloc" })
      || ItemLocations.firstHidden(in: tree) != nil
    {
      reason = "the fragment at byte \(fragment.range.offset) has positions of items (iloc)"
      return
    }
    // A base moves with the data that counts from it: where there is none, or where the next part counts on from it,
    // nobody says where it goes.
    let hasBases = fragment.trackFragments.contains { $0.header.baseDataOffset != nil }
    for part in fragment.trackFragments {
      let isExternal = locators[part.trackID]?.isExternal(description: part.defaults.sampleDescriptionIndex)
      guard isExternal == false || isExternal == nil && part.header.baseDataOffset == nil else {
        reason =
          "the fragment at byte \(fragment.range.offset) has samples in another file, or of no track of the movie"
        return
      }
      guard !hasBases || part.header.baseDataOffset != nil || part.header.isBaseMovieFragment else {
        reason = "the fragment at byte \(fragment.range.offset) has data that lies after that of another track"
        return
      }
      let data: FragmentDataOffsets
      do throws(MovieError) {
        data = try FragmentDataOffsets(of: part, in: tree)
      } catch {
        reason = "the fragment at byte \(fragment.range.offset) is broken"
        return
      }
      guard part.header.baseDataOffset == nil || !data.starts.isEmpty else {
        reason = "the fragment at byte \(fragment.range.offset) has a base and no data"
        return
      }
      // A base before the movie atom, such as the file's first byte, could not follow data after it to a lower place.
      let anchor = part.header.baseDataOffset ?? fragment.range.offset
      if Set(([anchor] + data.starts).map(isAfterMovieAtom)).count > 1 {
        reason = "the movie atom lies between the fragment at byte \(fragment.range.offset) and its samples"
      }
    }
  }

  /// Without a base, positions count from the end of the data before (ISO/IEC 14496-12 8.8.7.1).
  private mutating func findFollowings(in fragment: MovieFragment, _ tree: AtomTree) {
    var leader: UInt32?
    for part in fragment.trackFragments {
      if let leader, leader != part.trackID, part.header.baseDataOffset == nil, !part.header.isBaseMovieFragment {
        let place = Following(leader: leader, follower: part.trackID)
        if followings[place] == nil { followings[place] = fragment.range.offset }
      }
      if tree.child(of: part.atom, "trun") != nil { leader = part.trackID }
    }
  }

  /// Looks at what else describes fragments, and at the samples that a cut-off file lacks; reads `mfra`.
  mutating func look(atRestOf source: some RandomAccessSource, missing: [MissingSamples]) throws {
    for atom in movie.layout.atoms where reason == nil {
      switch atom.type {
      case "mfra": reason = try objection(toIndex: atom, source)
      case "sidx" where !isAfterMovieAtom(atom.range.offset):
        reason = "the movie atom may lie between the segment index (sidx) and its segments"
      case "moof" where atom.isTruncated: reason = "the fragment at byte \(atom.range.offset) is cut off"
      default: break
      }
    }
    if reason == nil, !missing.isEmpty { reason = "the recording is cut off in the media of its last fragment" }
    // Its header is rewritten with the real size, which may take 8 bytes more.
    guard reason == nil, let last = movie.layout.atoms.last, last.sizeField == .toEndOfFile else { return }
    if last.type != "mdat" || last.range.count > UInt64(UInt32.max) {
      reason = "the last atom ends where the file does, and is larger than 4 GiB or no media data"
    }
  }

  private func objection(
    toIndex atom: FileLayout.TopLevelAtom, _ source: some RandomAccessSource
  ) throws -> String? {
    guard
      let entries = try read(
        atom, source, { try FragmentRandomAccessIndex($0, at: atom.range.offset, limits: $1).entries })
    else { return "the index of fragments (mfra) at byte \(atom.range.offset) cannot be read" }
    let fragments = Set(movie.layout.atoms.lazy.filter { $0.type == "moof" }.map(\.range.offset))
    guard entries.allSatisfy({ fragments.contains($0.position.value) }) else {
      return "the index of fragments (mfra) names a place where no fragment begins"
    }
    let largest = UInt64(UInt32.max) - Self.largestGrowth
    return entries.contains { $0.position.byteCount == 4 && $0.position.value > largest }
      ? "the index of fragments (mfra) has no room for positions beyond 4 GiB" : nil
  }

  /// What an atom holds; `nil` for one that does not read.
  private func read<Value>(
    _ atom: FileLayout.TopLevelAtom, _ source: some RandomAccessSource,
    _ parse: (Bytes, MovieLimits) throws -> Value
  ) throws -> Value? {
    guard !atom.isTruncated, atom.range.count <= movie.limits.movieByteCount else { return nil }
    let bytes = try source.readExactly(atom.range)
    do {
      return try parse(bytes, movie.limits)
    } catch is MovieError {
      return nil
    }
  }

  private func isAfterMovieAtom(_ position: UInt64) -> Bool {
    position >= movie.movieAtom.range.end
  }
}

/// The durations of a fragmented movie with all its tracks and without some, in movie ticks.
struct FragmentedDurations {
  let before: UInt64
  let after: UInt64

  /// Whether a duration is that of the longest track, however it was rounded.
  func isOfLongestTrack(_ duration: UInt64) -> Bool {
    Swift.max(duration, before) - Swift.min(duration, before) <= 1
  }
}

/// The time of an event message (`emsg`, version 1) on the clock of the movie; ISO/IEC 23009-1, 5.10.3.3.
///
/// Times of version 0 count from the start of a segment, so a change of the movie's clock leaves them as they are.
struct EventTime: Sendable {
  /// The bytes of the time in the file.
  let range: ByteRange
  let ticks: UInt64
  let timeScale: UInt32

  /// The time of an atom, or `nil` if it is no event with a time on the clock of the movie. Reads 16 bytes.
  init?(of atom: FileLayout.TopLevelAtom, in source: some RandomAccessSource) throws {
    guard atom.type == "emsg", !atom.isTruncated, atom.payloadRange.count >= 16,
      let head = ByteRange(offset: atom.payloadRange.offset, count: 16),
      let range = ByteRange(offset: atom.payloadRange.offset &+ 8, count: 8)  // Inside the atom.
    else { return nil }
    let bytes = try source.readExactly(head)
    guard bytes.load(at: 0, as: UInt8.self) == 1, let timeScale = bytes.load(at: 4, as: UInt32.self), timeScale > 0,
      let ticks = bytes.load(at: 8, as: UInt64.self)
    else { return nil }
    self.range = range
    self.ticks = ticks
    self.timeScale = timeScale
  }

  /// The time with the start of the movie subtracted, to the nearest tick; 0 for an event before the start.
  func ticks(from start: MediaTime) -> UInt64 {
    let shift = UInt64(clamping: start.ticks(of: timeScale))
    return ticks - Swift.min(ticks, shift)
  }
}
