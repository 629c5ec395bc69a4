import MovieBox

/// Puts right the positions of a movie whose fragments stay that count from the start of the file.
///
/// | atom | in | positions |
/// |---|---|---|
/// | `tfhd` | `traf` | the base of data offsets, where it has one (ISO/IEC 14496-12 8.8.7) |
/// | `tfra` | `mfra` | fragments (8.8.10) |
///
/// All others are distances, whose ends move together: see ``FragmentObstacle``.
struct FragmentPositions {
  private let plan: RemuxPlan

  /// Positions follow where this plan puts their bytes.
  init(_ plan: RemuxPlan) {
    self.plan = plan
  }

  /// The bytes of a `moof`; `nil` where none of them changes.
  func moved(_ fragment: MovieFragment) throws(MovieError) -> [UInt8]? {
    guard fragment.trackFragments.contains(where: { $0.header.baseDataOffset != nil }) else { return nil }
    let tree = try fragment.tree()
    var bytes = tree.bytes.array
    for part in fragment.trackFragments {
      // A base goes as far as the data that counts from it.
      guard let base = part.header.baseDataOffset, let tfhd = tree.child(of: part.atom, "tfhd"),
        let old = try FragmentData(of: part, in: tree).starts.first, let new = plan.outputOffset(ofSource: old)
      else { continue }
      // Behind version, flags and the track.
      let start = tree[tfhd].start + tree[tfhd].headerByteCount + 8
      Self.write(base &+ (new &- old), 8, at: start, into: &bytes)  // The checker makes sure that nothing wraps.
    }
    return bytes == tree.bytes.array ? nil : bytes
  }

  /// The bytes of an `mfra` atom; `nil` where none of them changes. Throws `.unsupported` for a position that does not
  /// fit.
  func moved(index bytes: Bytes, at offset: UInt64, limits: MovieLimits) throws(MovieError) -> [UInt8]? {
    var moved = bytes.array
    for entry in try FragmentIndex(bytes, at: offset, limits: limits).entries {
      guard let position = plan.outputOffset(ofSource: entry.position) else { continue }
      guard entry.byteCount == 8 || position <= UInt64(UInt32.max) else {
        throw MovieError(
          .unsupported, at: offset, in: "mfra", "position \(position) of a fragment does not fit its 4 bytes")
      }
      Self.write(position, entry.byteCount, at: entry.start, into: &moved)
    }
    return moved == bytes.array ? nil : moved
  }

  private static func write(_ value: UInt64, _ byteCount: Int, at start: Int, into bytes: inout [UInt8]) {
    for byte in 0..<byteCount {
      bytes[start + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byteCount - 1 - byte)))
    }
  }
}

/// The fragments of a movie that keeps them, by where they lie.
struct KeptFragments {
  private let fragments: [UInt64: MovieFragment]

  /// None where the movie keeps none.
  init(_ revision: MovieRevision) {
    let kept = revision.keptFragments?.fragments ?? []
    fragments = Dictionary(kept.map { ($0.range.offset, $0) }) { first, _ in first }
  }

  /// A `moof` with its positions moved; `nil` where it has none, and for one that was not read.
  func moof(at offset: UInt64, movedBy plan: RemuxPlan) throws(MovieError) -> [UInt8]? {
    guard let fragment = fragments[offset] else { return nil }
    return try FragmentPositions(plan).moved(fragment)
  }
}

extension MoviePlanner {
  /// An atom at the top of the file with its positions moved; `nil` when it holds none, and its bytes stay as they are.
  func relocated(
    _ atom: FileLayout.TopLevelAtom, by plan: RemuxPlan, _ kept: KeptFragments
  ) throws -> [UInt8]? {
    switch atom.type {
    case "moof": return try kept.moof(at: atom.range.offset, movedBy: plan)
    case "mfra" where revision.keptFragments != nil:
      return try FragmentPositions(plan).moved(
        index: source.readExactly(atom.range), at: atom.range.offset, limits: movie.limits)
    default: return try relocatedFileMetadata(atom, by: plan)
    }
  }
}
