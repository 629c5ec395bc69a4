import MovieBox

// The tables of samples that the types write in different forms.
extension TrackConverter {
  mutating func convertTables(in stbl: Int, _ edits: inout AtomEdits) throws(MovieError) {
    for atom in tree.children(of: stbl) {
      switch tree[atom].type {
      case "stss" where track.mediaType.isText && (track.samples.syncSamples?.count ?? 0) < track.samples.sampleCount:
        edits.remove(atom)
        note(.converted, "has all its text samples marked as sync samples")
      case "ctts":
        // Negative offsets need version 1 in ISO files; QuickTime has them in version 0, its only one.
        let isSigned = track.samples.compositionOffsets?.hasNegativeOffset ?? false
        let version: UInt8 = isSigned && !type.isQuickTime ? 1 : 0
        let payload = tree.payload(of: atom)
        guard payload.first != version, type.isQuickTime || version == 1, type.isQuickTime || fromQuickTime else {
          break
        }
        var writer = ByteWriter()
        writer.atom("ctts") { ctts in
          ctts.write(version)
          ctts.write(payload.dropFirst(1))
        }
        edits.replace(atom, with: writer.bytes)
      default: break
      }
    }
    try convertRandomAccess(in: stbl, &edits)
  }

  /// `stps` becomes part of the group that the track has, or a new group; a group is listed in `stps` as well.
  private mutating func convertRandomAccess(in stbl: Int, _ edits: inout AtomEdits) throws(MovieError) {
    let sampleCount = track.samples.sampleCount
    let partial = Array(tree.children(of: stbl, "stps"))
    guard let first = partial.first else {
      guard type.isQuickTime else { return }
      let groups = try RandomAccessGroups(in: stbl, of: tree, sampleCount: sampleCount)
      guard !groups.sampleGroups.isEmpty || groups.defaultIndex > 0 else { return }
      let numbers = try PartialSyncSamples.numbers(inGroups: groups, of: track)
      guard !numbers.isEmpty else { return }
      edits.insert(SampleTableAtoms.syncSamples(numbers, as: "stps"), into: stbl)
      note(.converted, "has its group of random access points (rap) as partial sync samples (stps) too")
      return
    }
    guard !type.isQuickTime else { return }
    let numbers = try PartialSyncSamples.numbers(in: stbl, of: tree, sampleCount: sampleCount)
    let groups = try RandomAccessGroups(in: stbl, of: tree, sampleCount: sampleCount)
    let joined = try groups.joined(by: numbers)
    var added: [UInt8] = []
    if let descriptions = joined.descriptions {
      if let old = groups.descriptions.first { edits.replace(old, with: descriptions) } else { added += descriptions }
    }
    if let sampleGroups = joined.sampleGroups {
      if let old = groups.sampleGroups.first { edits.replace(old, with: sampleGroups) } else { added += sampleGroups }
    }
    for atom in partial { edits.remove(atom) }
    if !added.isEmpty { edits.replace(first, with: added) }
    note(.converted, "has its partial sync samples (stps) as a group of samples (rap)")
  }
}
