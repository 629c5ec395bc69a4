import MovieBox

// HEVC that no player of Apple's opens, because its format allows parameter sets in samples (`hev1`, `dvhe`).
extension MovieEdit {
  /// Renames the formats of tracks whose key pictures contain no parameter sets but those of the configuration. Throws
  /// what reading from `source` throws.
  mutating func fixParameterSets(
    _ findings: [Finding], readingFrom source: some RandomAccessSource
  ) throws -> [AppliedFix] {
    // A conversion writes descriptions of its own, and sharing takes names out of them.
    guard stages.converted == nil, changes.sharing == nil else { return [] }
    var fixed: [AppliedFix] = []
    for finding in findings where finding.rule.automaticFix == .declareParameterSetsComplete {
      guard let track = finding.error.offset.flatMap(movie.track(at:)),
        let place = tracks.firstIndex(where: { $0.old?.atom == track.atom }),
        tracks.count(where: { $0.id == track.id }) == 1,
        try movie.reading(
          source,
          {
            try InBandParameterSets.obstacle(to: track, of: movie, stages.keptFragments, in: source)
          }) == nil
      else { continue }
      tracks[place].declaresParameterSetsComplete = true
      let names = track.formats.compactMap { InBandParameterSets.namesWithoutThem[$0]?.description }.withoutRepetition
      let message =
        "the format of track \(track.id) is \(names.joined(separator: ", ")): the key pictures that were read contain no "
        + "parameter sets but those of hvcC"
      fixed.append(AppliedFix(rule: finding.rule, trackID: track.id, message: message, foundIn: track.id))
    }
    return fixed
  }

  /// Writes the names of formats, and marks the arrays of parameter sets as complete (ISO/IEC 14496-15, 8.3.3.1.2).
  func reviseParameterSets(of old: Track, as track: OutputTrack, in revision: inout MovieRevision) {
    guard track.declaresParameterSetsComplete,
      let stsd = movie.tree.descendant(of: old.atom, "mdia", "minf", "stbl", "stsd")
    else { return }
    for entry in movie.tree.children(of: stsd) {
      guard let name = InBandParameterSets.namesWithoutThem[movie.tree[entry].type],
        let hvcC = movie.tree.child(of: entry, "hvcC"),
        let sets = ParameterSets(hvcC: movie.tree.payload(of: hvcC))
      else { continue }
      var bytes = movie.tree.bytes(of: entry).array
      let start = Int(movie.tree.range(of: hvcC).offset - movie.tree.range(of: entry).offset)  // Inside of the entry.
      let header = movie.tree[hvcC].headerByteCount
      for array in sets.arrayOffsets where bytes.indices.contains(start + header + array) {
        bytes[start + header + array] |= ParameterSets.completenessBit
      }
      var writer = ByteWriter()
      writer.write(name)
      bytes.replaceSubrange(4..<8, with: writer.take())
      revision.edits.replace(entry, with: bytes)
    }
  }
}
