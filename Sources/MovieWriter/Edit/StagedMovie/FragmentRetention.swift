import MovieBox

/// Determines whether the fragments of a movie can be kept when the size of its movie atom changes.
///
/// All bytes after the movie atom then move by the same distance. File offsets can be rewritten (see
/// ``FragmentPositions``). A relative offset remains valid only if both of its ends are on the same side of the movie
/// atom. Relative offsets are the data offsets of `trun`, `saio` in `traf`, and the subsegments of `sidx`.
struct FragmentRetention: Sendable {
  /// A pair of tracks. The data of the follower implicitly follows the data of the leader.
  private struct DataDependency: Hashable {
    let leader: UInt32
    let follower: UInt32
  }

  /// The reason why no edit can keep the fragments, or `nil` if none was found.
  private var reasonToFlatten: String?
  /// For each pair of tracks, the offset of the first fragment in which the follower's data implicitly follows the
  /// leader's data.
  private var dataDependencies: [DataDependency: UInt64] = [:]
  /// The tracks with samples in fragments.
  private var trackIDs: Set<UInt32> = []
  private let movie: Movie
  /// The locator that finds the chunks of samples, by track.
  private let locators: [UInt32: ChunkLocator]
  /// An upper bound for the bytes that labels and references add to a movie atom.
  private static let largestGrowth: UInt64 = 16 << 20

  init(_ movie: Movie) {
    self.movie = movie
    locators = Dictionary(movie.tracks.map { ($0.id, ChunkLocator($0)) }) { first, _ in first }
  }

  /// Returns the reason why the fragments cannot be kept if these tracks are removed, or `nil` if they can.
  func reason(removing removed: Set<UInt32>) -> String? {
    if let reasonToFlatten { return reasonToFlatten }
    guard removed.isEmpty || !trackIDs.isSubset(of: removed) else {
      return "no other track has samples in fragments"
    }
    let places = dataDependencies.filter { removed.contains($0.key.leader) && !removed.contains($0.key.follower) }
    return places.values.min().map {
      "the data offset of the fragment at byte \($0) depends on the data of a removed track"
    }
  }

  mutating func examine(_ fragment: MovieFragment, _ tree: AtomTree) {
    guard reasonToFlatten == nil else { return }
    trackIDs.formUnion(fragment.trackFragments.map(\.trackID))
    findDataDependencies(in: fragment, tree)
    if (0..<tree[tree.root].subtreeEnd).contains(where: { tree[$0].type == "iloc" })
      || ItemLocations.firstHidden(in: tree) != nil
    {
      reasonToFlatten = "the fragment at byte \(fragment.range.offset) contains item offsets (iloc)"
      return
    }
    // A base data offset changes with the position of its data. Its new value is unknown if the track fragment has no
    // data, or if the next track fragment depends on it.
    let hasBases = fragment.trackFragments.contains { $0.header.baseDataOffset != nil }
    for part in fragment.trackFragments {
      let isExternal = locators[part.trackID]?.isExternal(description: part.defaults.sampleDescriptionIndex)
      guard isExternal == false || isExternal == nil && part.header.baseDataOffset == nil else {
        reasonToFlatten =
          "the fragment at byte \(fragment.range.offset) has samples in another file or of an unknown track"
        return
      }
      guard !hasBases || part.header.baseDataOffset != nil || part.header.isBaseMovieFragment else {
        reasonToFlatten =
          "the data offset of the fragment at byte \(fragment.range.offset) depends on the data of another track"
        return
      }
      let data: FragmentDataOffsets
      do throws(MovieError) {
        data = try FragmentDataOffsets(of: part, in: tree)
      } catch {
        reasonToFlatten = "the fragment at byte \(fragment.range.offset) is malformed"
        return
      }
      guard part.header.baseDataOffset == nil || !data.starts.isEmpty else {
        reasonToFlatten = "the fragment at byte \(fragment.range.offset) has a base data offset but no data"
        return
      }
      // A base data offset before the movie atom, such as 0, cannot be reduced if its data moves to a lower offset.
      let anchor = part.header.baseDataOffset ?? fragment.range.offset
      if Set(([anchor] + data.starts).map(isAfterMovieAtom)).count > 1 {
        reasonToFlatten = "the movie atom is between the fragment at byte \(fragment.range.offset) and its samples"
      }
    }
  }

  /// Without a base, offsets count from the end of the previous data (ISO/IEC 14496-12 8.8.7.1).
  private mutating func findDataDependencies(in fragment: MovieFragment, _ tree: AtomTree) {
    var leader: UInt32?
    for part in fragment.trackFragments {
      if let leader, leader != part.trackID, part.header.baseDataOffset == nil, !part.header.isBaseMovieFragment {
        let dependency = DataDependency(leader: leader, follower: part.trackID)
        if dataDependencies[dependency] == nil { dataDependencies[dependency] = fragment.range.offset }
      }
      if tree.child(of: part.atom, "trun") != nil { leader = part.trackID }
    }
  }

  /// Examines the indexes of the fragments, and the samples that are missing from a truncated file. Reads `mfra`.
  mutating func examineRest(of source: some RandomAccessSource, missing: [MissingSamples]) throws {
    for atom in movie.layout.atoms where reasonToFlatten == nil {
      switch atom.type {
      case "mfra": reasonToFlatten = try indexObjection(toIndex: atom, source)
      case "sidx" where !isAfterMovieAtom(atom.range.offset):
        reasonToFlatten = "the movie atom may be between the segment index (sidx) and its segments"
      case "moof" where atom.isTruncated: reasonToFlatten = "the fragment at byte \(atom.range.offset) is cut off"
      default: break
      }
    }
    if reasonToFlatten == nil, !missing.isEmpty {
      reasonToFlatten = "the recording is cut off in the media of its last fragment"
    }
    // If the last atom extends to the end of the file, its header is rewritten with the actual size. Above 4 GiB, the
    // new header would be 8 bytes longer than the old header.
    guard reasonToFlatten == nil, let last = movie.layout.atoms.last, last.sizeField == .toEndOfFile else { return }
    if last.type != "mdat" || last.range.count > UInt64(UInt32.max) {
      reasonToFlatten = "the last atom extends to the end of the file, and is larger than 4 GiB or not mdat"
    }
  }

  private func indexObjection(
    toIndex atom: FileLayout.TopLevelAtom, _ source: some RandomAccessSource
  ) throws -> String? {
    guard
      let entries = try read(
        atom, source, { try FragmentRandomAccessIndex($0, at: atom.range.offset, limits: $1).entries })
    else { return "the fragment index (mfra) at byte \(atom.range.offset) cannot be read" }
    let fragments = Set(movie.layout.atoms.lazy.filter { $0.type == "moof" }.map(\.range.offset))
    guard entries.allSatisfy({ fragments.contains($0.position.value) }) else {
      return "the fragment index (mfra) contains an offset at which no fragment begins"
    }
    let largestByteCount = UInt64(UInt32.max) - Self.largestGrowth
    return entries.contains { $0.position.byteCount == 4 && $0.position.value > largestByteCount }
      ? "the fragment index (mfra) cannot store offsets beyond 4 GiB" : nil
  }

  /// Returns the parsed contents of an atom, or `nil` if it cannot be parsed.
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

/// The durations of a fragmented movie with all tracks and without the removed tracks, in movie ticks.
struct FragmentedDurations {
  let allTracks: UInt64
  let remainingTracks: UInt64

  /// Whether a duration equals the duration of the longest track, regardless of rounding.
  func matchesLongestTrack(_ duration: UInt64) -> Bool {
    Swift.max(duration, allTracks) - Swift.min(duration, allTracks) <= 1
  }
}

/// The time of an event message (`emsg`, version 1) on the clock of the movie; ISO/IEC 23009-1, 5.10.3.3.
///
/// Times of version 0 count from the start of a segment, so a change of the movie's clock does not affect them.
struct EventTime: Sendable {
  /// The range of the file that contains the time field.
  let range: ByteRange
  let ticks: UInt64
  let timeScale: UInt32

  /// Reads the time of an event atom, or returns `nil` if the atom is not an event of version 1. Reads 16 bytes.
  init?(of atom: FileLayout.TopLevelAtom, in source: some RandomAccessSource) throws {
    guard atom.type == "emsg", !atom.isTruncated, atom.payloadRange.count >= 16,
      let head = ByteRange(offset: atom.payloadRange.offset, count: 16),
      let range = ByteRange(offset: atom.payloadRange.offset &+ 8, count: 8)  // This range is inside the atom.
    else { return nil }
    let bytes = try source.readExactly(head)
    guard bytes.load(at: 0, as: UInt8.self) == 1, let timeScale = bytes.load(at: 4, as: UInt32.self), timeScale > 0,
      let ticks = bytes.load(at: 8, as: UInt64.self)
    else { return nil }
    self.range = range
    self.ticks = ticks
    self.timeScale = timeScale
  }

  /// Whether an atom is an event whose time counts from the start of a segment (version 0). Reads 1 byte of an event.
  static func isRelative(in atom: FileLayout.TopLevelAtom, of source: some RandomAccessSource) throws -> Bool {
    guard atom.type == "emsg", !atom.isTruncated, atom.payloadRange.count > 0,
      let version = ByteRange(offset: atom.payloadRange.offset, count: 1)
    else { return false }
    return try source.readExactly(version).load(at: 0, as: UInt8.self) == 0
  }

  /// Returns the time since the start of the movie, rounded to the nearest tick, or 0 for an event before the start.
  func ticks(from start: MediaTime) -> UInt64 {
    let shift = UInt64(clamping: start.ticks(of: timeScale))
    return ticks - Swift.min(ticks, shift)
  }
}
