// A `moof` with its track fragments, their runs and their sample groups, with all defaults resolved.

/// A fragment of a movie: the `moof` atom (ISO/IEC 14496-12 8.8.4).
package struct MovieFragment: Sendable {
  /// The index of the fragment, in file order.
  package let index: Int
  package let range: ByteRange
  /// The sequence number, or `nil` if `mfhd` is missing.
  package let sequenceNumber: UInt32?
  /// The track fragments, in file order. A track may have several fragments.
  package let trackFragments: [TrackFragment]

  let bytes: Bytes
  let limits: MovieLimits

  /// Parses all atoms of the fragment.
  ///
  /// The tree is not stored, because a movie may have hundreds of thousands of fragments. Makes one pass over the
  /// `moof`.
  package func tree() throws(MovieError) -> AtomTree {
    try AtomTree(bytes, at: range.offset, limits: limits)
  }
}

/// A fragment of one track: the `traf` atom (ISO/IEC 14496-12 8.8.6).
package struct TrackFragment: Sendable {
  /// The index of the `traf` atom in the fragment's tree.
  package let atom: Int
  /// The track, and the defaults of this fragment.
  package let header: TrackFragmentHeader
  /// The defaults for fields that a run omits.
  package let defaults: SampleDefaults
  /// The file offset from which data offsets count, or `nil` if it overflows in a damaged file.
  package let baseOffset: UInt64?
  /// The range of the fragment's runs in ``FragmentedTrack/runs``. It is empty if the movie does not contain the
  /// track.
  package let runs: Range<Int>

  /// The number of samples that a truncated file still contains, or `nil` if no sample is cut off.
  package let keptSampleCount: Int?

  package var trackID: UInt32 { header.trackID }

  /// Returns the atoms that do not define the positions and times of samples, as indices in the fragment's tree.
  /// Examples are `sbgp`, `sgpd`, `saiz`, `saio`, `senc`, `subs`, `sdtp` and `uuid`.
  package func otherAtoms(in tree: AtomTree) -> [Int] {
    tree.children(of: atom).filter { !Self.baseAtomTypes.contains(tree[$0].type) }
  }

  private static let baseAtomTypes: Set<FourCC> = ["tfhd", "tfdt", "trun"]
}

/// The sample groups of one grouping type in a fragment: an `sbgp`, and an `sgpd` if the fragment contains one.
package struct FragmentSampleGroup: Hashable, Sendable {
  /// The grouping type, such as `roll` or `seig`.
  package let groupingType: FourCC
  /// The groups of the samples, or `nil` if the fragment contains only group descriptions.
  package let assignments: SampleToGroupTable?
  /// The fragment's own group descriptions, to which numbers above 0x10000 refer, or `nil` if it contains none.
  package let descriptions: SampleGroupDescriptions?
  /// The index of `sgpd` in the fragment's tree, or `nil` if the fragment contains none.
  package let descriptionsAtom: Int?
}

extension TrackFragment {
  /// Returns the sample groups: each `sbgp` in file order, and then each `sgpd` without an `sbgp`.
  ///
  /// Throws an error with the path and offset if an atom is damaged.
  ///
  /// - Parameter tree: the fragment's tree.
  package func sampleGroups(in tree: AtomTree) throws(MovieError) -> [FragmentSampleGroup] {
    var ownDescriptions: [(atom: Int, table: SampleGroupDescriptions)] = []
    for sgpd in tree.children(of: atom, "sgpd") {
      ownDescriptions.append((sgpd, try tree.decode(SampleGroupDescriptions.self, at: sgpd)))
    }
    let descriptionsByType = Dictionary(ownDescriptions.map { ($0.table.groupingType, $0) }) { first, _ in first }
    var groups: [FragmentSampleGroup] = []
    for sbgp in tree.children(of: atom, "sbgp") {
      let table = try tree.decode(SampleToGroupTable.self, at: sbgp)
      let found = descriptionsByType[table.groupingType]
      groups.append(
        FragmentSampleGroup(
          groupingType: table.groupingType, assignments: table, descriptions: found?.table,
          descriptionsAtom: found?.atom))
    }
    let usedDescriptions = Set(groups.compactMap(\.descriptionsAtom))
    for (sgpd, table) in ownDescriptions where !usedDescriptions.contains(sgpd) {
      groups.append(
        FragmentSampleGroup(
          groupingType: table.groupingType, assignments: nil, descriptions: table,
          descriptionsAtom: sgpd))
    }
    return groups
  }
}
