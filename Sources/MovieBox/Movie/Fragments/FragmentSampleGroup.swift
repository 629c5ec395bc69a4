/// One way in which a fragment groups its samples: `sbgp`, with the `sgpd` of the fragment where it has one.
package struct FragmentSampleGroup: Hashable, Sendable {
  /// The way of grouping, such as `roll` or `seig`.
  package let groupingType: FourCC
  /// Which samples of the fragment are in which group; `nil` where the fragment only has descriptions.
  package let assignments: SampleToGroupTable?
  /// The fragment's own descriptions: those that a number above 0x10000 names.
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
