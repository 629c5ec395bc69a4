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
}
