// One `moof` with the parts of its tracks: runs of samples and groups, after all defaults were applied.

/// A piece of a movie that lists its own samples: the `moof` atom (ISO/IEC 14496-12 8.8.4).
package struct MovieFragment: Sendable {
  /// The fragment's place in the file, counted from 0.
  package let index: Int
  /// The range of the `moof` atom.
  package let range: ByteRange
  /// The number that the fragment has; `nil` where `mfhd` is missing.
  package let sequenceNumber: UInt32?
  /// The tracks' parts, in the order of the file; a track may have several.
  package let trackFragments: [TrackFragment]

  let bytes: Bytes
  let limits: MovieLimits

  /// All atoms of the fragment.
  ///
  /// Made each time, since a movie may have hundreds of thousands of fragments; costs one pass over the `moof`.
  package func tree() throws(MovieError) -> AtomTree {
    try AtomTree(bytes, at: range.offset, limits: limits)
  }
}

/// The part of a fragment that belongs to one track: the `traf` atom (ISO/IEC 14496-12 8.8.6).
package struct TrackFragment: Sendable {
  /// The index of the `traf` atom in the tree of its fragment.
  package let atom: Int
  /// The track, and what the fragment says of its samples.
  package let header: TrackFragmentHeader
  /// The defaults for fields that a run lacks.
  package let defaults: SampleDefaults
  /// The position from which offsets of data count, in bytes from the start of the file; `nil` if it does not fit in 64
  /// bits, which only happens in a broken file.
  package let baseOffset: UInt64?
  /// The fragment's runs among ``FragmentedTrack/runs``; empty where the movie does not have the track.
  package let runs: Range<Int>

  /// The number of its samples that are in the file, or `nil` if all are: the end of the file may cut off the rest.
  package let keptSampleCount: Int?

  /// The track's ID.
  package var trackID: UInt32 { header.trackID }

  /// The indices in `tree`, that of the fragment, of the atoms that say more of the samples than where they lie and
  /// when they are decoded: `sbgp`, `sgpd`, `saiz`, `saio`, `senc`, `subs`, `sdtp`, `uuid`, whatever else there is.
  package func otherAtoms(in tree: AtomTree) -> [Int] {
    tree.children(of: atom).filter { !Self.known.contains(tree[$0].type) }
  }

  private static let known: Set<FourCC> = ["tfhd", "tfdt", "trun"]
}

/// One way in which a fragment groups its samples: `sbgp`, with the `sgpd` of the fragment where it has one.
package struct FragmentSampleGroup: Hashable, Sendable {
  /// The way of grouping, such as `roll` or `seig`.
  package let groupingType: FourCC
  /// The groups of the fragment's samples; `nil` if the fragment only has descriptions.
  package let assignments: SampleToGroupTable?
  /// The fragment's own descriptions, which numbers above 0x10000 refer to.
  package let descriptions: SampleGroupDescriptions?
  /// The index of `sgpd` in the tree of the fragment.
  package let descriptionsAtom: Int?
}

extension TrackFragment {
  /// The groups of the fragment's samples: each `sbgp` in the order of the file, then each `sgpd` that none of them
  /// uses.
  ///
  /// Throws for atoms that are broken, with path and offset.
  ///
  /// - Parameter tree: that of the fragment.
  package func sampleGroups(in tree: AtomTree) throws(MovieError) -> [FragmentSampleGroup] {
    var own: [(atom: Int, table: SampleGroupDescriptions)] = []
    for sgpd in tree.children(of: atom, "sgpd") {
      own.append((sgpd, try tree.decode(SampleGroupDescriptions.self, at: sgpd)))
    }
    let byType = Dictionary(own.map { ($0.table.groupingType, $0) }) { first, _ in first }
    var groups: [FragmentSampleGroup] = []
    for sbgp in tree.children(of: atom, "sbgp") {
      let table = try tree.decode(SampleToGroupTable.self, at: sbgp)
      let found = byType[table.groupingType]
      groups.append(
        FragmentSampleGroup(
          groupingType: table.groupingType, assignments: table, descriptions: found?.table,
          descriptionsAtom: found?.atom))
    }
    let used = Set(groups.compactMap(\.descriptionsAtom))
    for (sgpd, table) in own where !used.contains(sgpd) {
      groups.append(
        FragmentSampleGroup(
          groupingType: table.groupingType, assignments: nil, descriptions: table,
          descriptionsAtom: sgpd))
    }
    return groups
  }
}
