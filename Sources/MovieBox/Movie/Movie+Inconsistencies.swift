extension Movie {
  /// What the sample tables say that cannot all be true, with the atom that says it: players differ in what they make
  /// of such a track.
  ///
  /// No more than ``MovieLimits/defectCount``. Costs one pass over the sample tables; reads nothing.
  package func inconsistencies() -> [MovieError] {
    var errors: [MovieError] = []
    for track in tracks where errors.count < limits.defectCount {
      guard let stbl = tree.sampleTable(ofTrack: track.atom) else { continue }
      let descriptions = track.sampleDescriptions.entries.count
      for error in track.samples.inconsistencies(sampleDescriptionCount: descriptions) {
        let table = FourCC(error.path).flatMap { tree.child(of: stbl, $0) } ?? stbl
        errors.append(tree.error(error.code, at: table, error.reason))
      }
    }
    return Array(errors.prefix(limits.defectCount))
  }
}
