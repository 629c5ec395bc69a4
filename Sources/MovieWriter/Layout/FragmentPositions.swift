import MovieBox

/// Updates the file offsets of a movie that keeps its fragments, and removes the track fragments of removed tracks. The
/// sizes of atoms do not change.
///
/// | atom | in | positions |
/// |---|---|---|
/// | `tfhd` | `traf` | the base of data offsets, if present (ISO/IEC 14496-12 8.8.7) |
/// | `tfra` | `mfra` | fragments (8.8.10) |
///
/// All other positions are distances between bytes that move together; see ``FragmentRetention``. Atoms of removed
/// tracks become free space. Free space is allowed anywhere (8.1.2).
struct FragmentPositions {
  private let plan: OutputPlan
  private let removedIDs: Set<UInt32>

  /// Creates an updater for the positions that result from a plan.
  init(_ plan: OutputPlan, removing removedIDs: Set<UInt32>) {
    self.plan = plan
    self.removedIDs = removedIDs
  }

  /// Returns the updated bytes of a `moof`, or `nil` if they do not change.
  func moved(_ fragment: MovieFragment) throws(MovieError) -> [UInt8]? {
    guard
      fragment.trackFragments.contains(where: { $0.header.baseDataOffset != nil || removedIDs.contains($0.trackID) })
    else { return nil }
    let tree = try fragment.tree()
    var bytes = tree.bytes.array
    for part in fragment.trackFragments {
      guard !removedIDs.contains(part.trackID) else {
        Self.free(atomAt: tree[part.atom].start, in: &bytes)
        continue
      }
      // The base moves by the same distance as the data that follows it.
      guard let base = part.header.baseDataOffset, let tfhd = tree.child(of: part.atom, "tfhd"),
        let old = try FragmentDataOffsets(of: part, in: tree).starts.first, let new = plan.outputOffset(ofSource: old)
      else { continue }
      // The base data offset follows the version, the flags and the track ID.
      let start = tree[tfhd].start + tree[tfhd].headerByteCount + 8
      Self.write(base &+ (new &- old), 8, at: start, into: &bytes)  // The checker rejects a wrapped sum.
    }
    return bytes == tree.bytes.array ? nil : bytes
  }

  /// Returns the updated bytes of an `mfra`, or `nil` if they do not change. Throws `.unsupported` if a position does
  /// not fit in its field.
  func moved(
    index bytes: Bytes, at offset: UInt64, of fragments: [UInt64: MovieFragment], limits: MovieLimits
  ) throws(MovieError) -> [UInt8]? {
    var movedBytes = bytes.array
    // The new numbers of each fragment's `traf` atoms, computed once for all entries that refer to it.
    var newNumbers: [UInt64: [Int]] = [:]
    for table in try FragmentRandomAccessIndex(bytes, at: offset, limits: limits).tables {
      guard !removedIDs.contains(table.trackID) else {
        Self.free(atomAt: table.start, in: &movedBytes)
        continue
      }
      for entry in table.entries {
        guard let position = plan.outputOffset(ofSource: entry.position.value) else { continue }
        guard entry.position.byteCount == 8 || position <= UInt64(UInt32.max) else {
          throw MovieError(
            .unsupported, at: offset, in: "mfra", "position \(position) of a fragment does not fit in its 4 bytes")
        }
        Self.write(position, entry.position.byteCount, at: entry.position.start, into: &movedBytes)
        // Some writers store 1 in every entry, so numbers that are wrong in the old file are not updated.
        guard !removedIDs.isEmpty, let parts = fragments[entry.position.value]?.trackFragments,
          let index = Int(exactly: entry.trackFragmentNumber.value).map({ $0 - 1 }), parts.indices.contains(index),
          parts[index].trackID == table.trackID
        else { continue }
        let numbers = newNumbers[entry.position.value] ?? numbersAmongKept(parts)
        newNumbers[entry.position.value] = numbers
        Self.write(
          UInt64(numbers[index]), entry.trackFragmentNumber.byteCount, at: entry.trackFragmentNumber.start,
          into: &movedBytes)
      }
    }
    return movedBytes == bytes.array ? nil : movedBytes
  }

  /// Returns the number of each track fragment among the kept track fragments, counted from 1.
  private func numbersAmongKept(_ parts: [TrackFragment]) -> [Int] {
    var number = 0
    return parts.map { part in
      if !removedIDs.contains(part.trackID) { number += 1 }
      return number
    }
  }

  /// Turns an atom into free space by replacing its type. The type follows the four bytes of the size.
  private static func free(atomAt start: Int, in bytes: inout [UInt8]) {
    write(UInt64(("free" as FourCC).rawValue), 4, at: start + 4, into: &bytes)
  }

  private static func write(_ value: UInt64, _ byteCount: Int, at start: Int, into bytes: inout [UInt8]) {
    for byte in 0..<byteCount {
      bytes[start + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byteCount - 1 - byte)))
    }
  }
}

/// The fragments and related top-level atoms of a movie that keeps its fragments.
struct KeptFragments {
  /// The fragments by their offset in the file.
  private let fragments: [UInt64: MovieFragment]
  private let removedIDs: Set<UInt32>
  /// The offsets of the atoms that belong only to removed tracks.
  private let freedOffsets: Set<UInt64>

  /// Creates a value that is empty if the movie keeps no fragments. If tracks are removed, reads some bytes of each
  /// `sidx` and `prft`.
  init(_ resolved: ResolvedEdit, _ source: some RandomAccessSource) throws {
    let keptFragments = resolved.stages.keptFragments?.fragments ?? []
    fragments = Dictionary(keptFragments.map { ($0.range.offset, $0) }) { first, _ in first }
    removedIDs = resolved.stages.keptFragments == nil ? [] : resolved.tracks.removed
    freedOffsets =
      removedIDs.isEmpty ? [] : try Self.freedOffsets(resolved.movie.layout, source, keptFragments, removedIDs)
  }

  private static func freedOffsets(
    _ layout: FileLayout, _ source: some RandomAccessSource, _ fragments: [MovieFragment], _ removedIDs: Set<UInt32>
  ) throws -> Set<UInt64> {
    // Players of streams reject a `moof` without a `traf` (ISO BMFF Byte Stream Format, "Media Segments").
    var offsets = Set(try fragments.filter { try $0.containsOnlyTracks(but: removedIDs) }.map(\.range.offset))
    var indexIsFreed = false
    for atom in layout.atoms {
      switch atom.type {
      case "sidx", "prft":
        // `sidx` and `prft` contain the track ID after the version and flags (8.16.3, 8.16.5).
        guard let start = ByteRange(offset: atom.payloadRange.offset, count: 8), start.end <= atom.range.end,
          let id = try source.readExactly(start).load(at: 4, as: UInt32.self)
        else {
          indexIsFreed = false
          continue
        }
        let isRemoved = removedIDs.contains(id)
        if isRemoved { offsets.insert(atom.range.offset) }
        indexIsFreed = isRemoved && atom.type == "sidx"
      case "ssix":
        // A subsegment index refers to the preceding segment index (8.16.4).
        if indexIsFreed { offsets.insert(atom.range.offset) }
        indexIsFreed = false
      default: indexIsFreed = false
      }
    }
    return offsets
  }

  /// Whether an atom becomes free space. Its payload does not change.
  func frees(_ atom: FileLayout.TopLevelAtom) -> Bool { freedOffsets.contains(atom.range.offset) }

  /// Returns a `moof` with updated positions, or `nil` if it contains none or was not read.
  func moof(at offset: UInt64, movedBy plan: OutputPlan) throws(MovieError) -> [UInt8]? {
    guard let fragment = fragments[offset] else { return nil }
    return try FragmentPositions(plan, removing: removedIDs).moved(fragment)
  }

  /// Returns an `mfra` with updated positions, or `nil` if they do not change.
  func mfra(
    _ bytes: Bytes, at offset: UInt64, movedBy plan: OutputPlan, limits: MovieLimits
  ) throws(MovieError) -> [UInt8]? {
    try FragmentPositions(plan, removing: removedIDs).moved(index: bytes, at: offset, of: fragments, limits: limits)
  }
}

extension MovieFragment {
  /// Whether the fragment contains only track fragments of these tracks.
  fileprivate func containsOnlyTracks(but removedIDs: Set<UInt32>) throws(MovieError) -> Bool {
    guard !trackFragments.isEmpty, trackFragments.allSatisfy({ removedIDs.contains($0.trackID) }) else { return false }
    let tree = try tree()
    return tree.children(of: tree.root).allSatisfy { ["mfhd", "traf", "free", "skip"].contains(tree[$0].type) }
  }
}

extension MoviePlanner {
  /// Returns a top-level atom with updated positions, or `nil` if its bytes do not change.
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
