import MovieBox

/// Puts right the positions of a movie whose fragments stay that count from the start of the file, and takes out what
/// fragments say of removed tracks. All atoms keep their sizes.
///
/// | atom | in | positions |
/// |---|---|---|
/// | `tfhd` | `traf` | the base of data offsets, where it has one (ISO/IEC 14496-12 8.8.7) |
/// | `tfra` | `mfra` | fragments (8.8.10) |
///
/// All others are distances, whose ends move together: see ``FragmentRetention``. What is of a removed track becomes
/// free space, which may stand anywhere (8.1.2).
struct FragmentPositions {
  private let plan: OutputPlan
  private let removed: Set<UInt32>

  /// Positions follow where this plan puts their bytes.
  init(_ plan: OutputPlan, removing removed: Set<UInt32>) {
    self.plan = plan
    self.removed = removed
  }

  /// The bytes of a `moof`; `nil` where none of them changes.
  func moved(_ fragment: MovieFragment) throws(MovieError) -> [UInt8]? {
    guard
      fragment.trackFragments.contains(where: { $0.header.baseDataOffset != nil || removed.contains($0.trackID) })
    else { return nil }
    let tree = try fragment.tree()
    var bytes = tree.bytes.array
    for part in fragment.trackFragments {
      guard !removed.contains(part.trackID) else {
        Self.free(atomAt: tree[part.atom].start, in: &bytes)
        continue
      }
      // A base goes as far as the data that counts from it.
      guard let base = part.header.baseDataOffset, let tfhd = tree.child(of: part.atom, "tfhd"),
        let old = try FragmentDataOffsets(of: part, in: tree).starts.first, let new = plan.outputOffset(ofSource: old)
      else { continue }
      // After version, flags and the track.
      let start = tree[tfhd].start + tree[tfhd].headerByteCount + 8
      Self.write(base &+ (new &- old), 8, at: start, into: &bytes)  // The checker makes sure that nothing wraps.
    }
    return bytes == tree.bytes.array ? nil : bytes
  }

  /// The bytes of an `mfra` atom; `nil` where none of them changes. Throws `.unsupported` for a position that does not
  /// fit.
  func moved(
    index bytes: Bytes, at offset: UInt64, of fragments: [UInt64: MovieFragment], limits: MovieLimits
  ) throws(MovieError) -> [UInt8]? {
    var moved = bytes.array
    // The new numbers of a fragment's `traf` atoms: counted once, however many entries refer to them.
    var newNumbers: [UInt64: [Int]] = [:]
    for table in try FragmentRandomAccessIndex(bytes, at: offset, limits: limits).tables {
      guard !removed.contains(table.trackID) else {
        Self.free(atomAt: table.start, in: &moved)
        continue
      }
      for entry in table.entries {
        guard let position = plan.outputOffset(ofSource: entry.position.value) else { continue }
        guard entry.position.byteCount == 8 || position <= UInt64(UInt32.max) else {
          throw MovieError(
            .unsupported, at: offset, in: "mfra", "position \(position) of a fragment does not fit its 4 bytes")
        }
        Self.write(position, entry.position.byteCount, at: entry.position.start, into: &moved)
        // Some writers always say 1: only a number that is right has to stay so.
        guard !removed.isEmpty, let parts = fragments[entry.position.value]?.trackFragments,
          let index = Int(exactly: entry.part.value).map({ $0 - 1 }), parts.indices.contains(index),
          parts[index].trackID == table.trackID
        else { continue }
        let numbers = newNumbers[entry.position.value] ?? numbersOfKept(parts)
        newNumbers[entry.position.value] = numbers
        Self.write(UInt64(numbers[index]), entry.part.byteCount, at: entry.part.start, into: &moved)
      }
    }
    return moved == bytes.array ? nil : moved
  }

  /// The number of each part among those that stay, from 1.
  private func numbersOfKept(_ parts: [TrackFragment]) -> [Int] {
    var number = 0
    return parts.map { part in
      if !removed.contains(part.trackID) { number += 1 }
      return number
    }
  }

  /// Makes free space of an atom: its type stands after four bytes of its size.
  private static func free(atomAt start: Int, in bytes: inout [UInt8]) {
    write(UInt64(("free" as FourCC).rawValue), 4, at: start + 4, into: &bytes)
  }

  private static func write(_ value: UInt64, _ byteCount: Int, at start: Int, into bytes: inout [UInt8]) {
    for byte in 0..<byteCount {
      bytes[start + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byteCount - 1 - byte)))
    }
  }
}

/// What a movie that keeps its fragments has at the top of the file beside its media.
struct KeptFragments {
  /// The fragments, by where they lie.
  private let fragments: [UInt64: MovieFragment]
  private let removed: Set<UInt32>
  /// Where the atoms lie that are of removed tracks alone.
  private let freed: Set<UInt64>

  /// Nothing where the movie keeps none. Reads some bytes of each `sidx` and `prft` where tracks are removed.
  init(_ resolved: ResolvedEdit, _ source: some RandomAccessSource) throws {
    let kept = resolved.stages.keptFragments?.fragments ?? []
    fragments = Dictionary(kept.map { ($0.range.offset, $0) }) { first, _ in first }
    removed = resolved.stages.keptFragments == nil ? [] : resolved.tracks.removed
    freed = removed.isEmpty ? [] : try Self.freed(resolved.movie.layout, source, kept, removed)
  }

  private static func freed(
    _ layout: FileLayout, _ source: some RandomAccessSource, _ fragments: [MovieFragment], _ removed: Set<UInt32>
  ) throws -> Set<UInt64> {
    // A player of streams takes no `moof` without a `traf` (ISO BMFF Byte Stream Format, "Media Segments").
    var freed = Set(try fragments.filter { try $0.holdsNothing(but: removed) }.map(\.range.offset))
    var indexIsFreed = false
    for atom in layout.atoms {
      switch atom.type {
      case "sidx", "prft":
        // Both name the track after version and flags (8.16.3, 8.16.5).
        guard let start = ByteRange(offset: atom.payloadRange.offset, count: 8), start.end <= atom.range.end,
          let id = try source.readExactly(start).load(at: 4, as: UInt32.self)
        else {
          indexIsFreed = false
          continue
        }
        let isGone = removed.contains(id)
        if isGone { freed.insert(atom.range.offset) }
        indexIsFreed = isGone && atom.type == "sidx"
      case "ssix":
        // It goes on about the index before it (8.16.4).
        if indexIsFreed { freed.insert(atom.range.offset) }
        indexIsFreed = false
      default: indexIsFreed = false
      }
    }
    return freed
  }

  /// Whether an atom becomes free space, with what it holds.
  func frees(_ atom: FileLayout.TopLevelAtom) -> Bool { freed.contains(atom.range.offset) }

  /// A `moof` with its positions moved; `nil` where it has none, and for one that was not read.
  func moof(at offset: UInt64, movedBy plan: OutputPlan) throws(MovieError) -> [UInt8]? {
    guard let fragment = fragments[offset] else { return nil }
    return try FragmentPositions(plan, removing: removed).moved(fragment)
  }

  /// An `mfra` with its positions moved; `nil` where none has to.
  func mfra(
    _ bytes: Bytes, at offset: UInt64, movedBy plan: OutputPlan, limits: MovieLimits
  ) throws(MovieError) -> [UInt8]? {
    try FragmentPositions(plan, removing: removed).moved(index: bytes, at: offset, of: fragments, limits: limits)
  }
}

extension MovieFragment {
  /// Whether there is nothing in it but parts of these tracks.
  fileprivate func holdsNothing(but removed: Set<UInt32>) throws(MovieError) -> Bool {
    guard !trackFragments.isEmpty, trackFragments.allSatisfy({ removed.contains($0.trackID) }) else { return false }
    let tree = try tree()
    return tree.children(of: tree.root).allSatisfy { ["mfhd", "traf", "free", "skip"].contains(tree[$0].type) }
  }
}

extension MoviePlanner {
  /// A top-level atom with its positions moved; `nil` when it holds none, and its bytes stay as they are.
  func relocated(
    _ atom: FileLayout.TopLevelAtom, by plan: OutputPlan, _ kept: KeptFragments
  ) throws -> [UInt8]? {
    switch atom.type {
    case "moof": return try kept.moof(at: atom.range.offset, movedBy: plan)
    case "mfra" where resolved.stages.keptFragments != nil:
      return try kept.mfra(
        source.readExactly(atom.range), at: atom.range.offset, movedBy: plan, limits: movie.limits)
    default: return try relocatedFileMetadata(atom, by: plan)
    }
  }
}
