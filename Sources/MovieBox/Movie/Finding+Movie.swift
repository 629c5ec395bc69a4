extension Finding {
  /// What is odd about a movie, from its structure alone; no more than `limits` allows, since a broken movie may have
  /// something odd in each of its atoms.
  static func all(layout: FileLayout, tree: AtomTree, tracks: [Track], limits: MovieLimits) -> [Finding] {
    var findings = top(layout)
    if let alternates = AlternateMovie.finding(in: tree) { findings.append(alternates) }
    findings += tree.defects.map { Finding(.warning, $0) }
    var seen: Set<UInt32> = []
    for track in tracks {
      guard findings.count < limits.defectCount else { return findings }
      let place = tree.range(of: track.atom).offset
      var path: String { tree.path(of: track.atom) }
      if track.id == 0 || !seen.insert(track.id).inserted {
        findings.append(
          Finding(.error, MovieError(.malformed, at: place, in: path, "track ID \(track.id) is not its own")))
      }
      if track.characteristicsHaveTrailingNUL {
        let reason = "a tagged characteristic ends in a NUL, and players ignore it"
        findings.append(Finding(.warning, MovieError(.malformed, at: place, in: path, reason)))
      }
      findings += external(track, tree)
    }
    let ids = Set(tracks.map(\.id))
    for track in tracks {
      for reference in track.references {
        for id in reference.trackIDs where id != 0 && !ids.contains(id) {
          guard findings.count < limits.defectCount else { return findings }
          findings.append(
            Finding(
              .warning,
              MovieError(
                .malformed, at: tree.range(of: reference.atom).offset, in: tree.path(of: reference.atom),
                "refers to track \(id), which is not there")))
        }
      }
    }
    return findings
  }

  /// Media that players have to look for.
  private static func external(_ track: Track, _ tree: AtomTree) -> [Finding] {
    guard let entries = track.dataReferences?.entries, entries.contains(where: { !$0.isSelfContained }),
      let dref = tree.descendant(of: track.atom, "mdia", "minf", "dinf", "dref")
    else { return [] }
    let names = entries.filter { !$0.isSelfContained }.prefix(8).map(\.location.description)
    let reason = "the track has media in other files: \(names.joined(separator: ", "))"
    return [
      Finding(.warning, MovieError(.unsupported, at: tree.range(of: dref).offset, in: tree.path(of: dref), reason))
    ]
  }

  private static func top(_ layout: FileLayout) -> [Finding] {
    var findings: [Finding] = []
    for atom in layout.atoms {
      guard let claimed = atom.claimedByteCount else { continue }
      let error = MovieError(
        .truncated, at: atom.range.offset, in: atom.type.description,
        "claims \(claimed) bytes, \(atom.range.count) left in the file")
      findings.append(Finding(atom.isFreeSpace ? .note : .warning, error))
    }
    if let trailing = layout.trailing {
      let reason = "\(trailing.count) bytes at the end of the file are no atom"
      findings.append(Finding(.note, MovieError(.malformed, at: trailing.offset, reason)))
    }
    if let leftover = layout.leftover {
      let reason = "\(leftover.count) bytes of an edit that was interrupted; the next edit leaves them out"
      findings.append(Finding(.note, MovieError(.malformed, at: leftover.offset, in: "free", reason)))
    }
    if layout.atoms.count(where: { $0.type == "moov" }) > 1, let first = layout.first("moov") {
      let reason = "the file has more than one movie header; this is the first"
      findings.append(Finding(.error, MovieError(.malformed, at: first.range.offset, in: "moov", reason)))
    }
    return findings
  }
}
