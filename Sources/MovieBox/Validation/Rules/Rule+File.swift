extension Rule {
  static let fileRules = [
    truncatedAtom, truncatedFreeSpace, trailingBytes, cutOff, interruptedEdit, secondMovieAtom, alternateMovies,
    brokenAtom,
  ]

  private static let truncatedAtom = Rule(
    "file.truncated-atom", .warning, clause: "QTFF, \"Atoms\"; ISO/IEC 14496-12, 4.2",
    effect: "The end of the movie may be missing.", fix: [.person("fetch the whole file again")]
  ) { examination, report in
    // The fragments of a movie report a `moof` themselves.
    let isReported = examination.fragments != nil
    for atom in examination.movie.layout.atoms where !atom.isFreeSpace && !(isReported && atom.type == "moof") {
      report.addIfTruncated(atom)
    }
  }

  private static let truncatedFreeSpace = Rule(
    "file.truncated-free-space", .note, clause: "QTFF, \"Atoms\"; ISO/IEC 14496-12, 4.2",
    effect: "Nothing: the missing bytes are padding.", fix: [.step(.rewriteCompact)]
  ) { examination, report in
    for atom in examination.movie.layout.atoms where atom.isFreeSpace { report.addIfTruncated(atom) }
  }

  private static let trailingBytes = Rule(
    "file.trailing-bytes", .note, clause: "QTFF, \"Atoms\"; ISO/IEC 14496-12, 4.2",
    effect: "Nothing in most players; strict ones may refuse the file.",
    fix: [.person("none needed: edits keep these bytes last")]
  ) { examination, report in
    guard let trailing = examination.movie.layout.trailing else { return }
    let reason = "\(trailing.count) bytes at the end of the file are not an atom"
    report.add(MovieError(.malformed, at: trailing.offset, reason))
  }

  /// Reports what ``MissingSamples`` lists.
  private static let cutOff = Rule(
    "file.cut-off", .warning, clause: "ISO/IEC 14496-12, 8.8.8; QTFF, \"Chunk Offset Atoms\"",
    effect: "Players stop where the samples are missing, or play without the track.",
    fix: [.person("fetch the whole file again"), .step(.salvage, "writes what is there")]
  ) { examination, report in
    let movie = examination.movie
    guard let start = movie.layout.cutOffset else { return }
    let missing = movie.isFragmented ? examination.fragments?.missingSamples ?? [] : movie.missingSamples()
    for samples in missing { report.add(MovieError(.truncated, at: start, samples.description)) }
  }

  private static let interruptedEdit = Rule(
    "file.interrupted-edit", .note, clause: "edits in place as MovieWriter makes them",
    effect: "Nothing: the file is larger than it has to be.",
    fix: [.person("none needed: the next edit leaves these bytes out")]
  ) { examination, report in
    guard let leftover = examination.movie.layout.leftover else { return }
    let reason = "\(leftover.count) bytes of an edit that was interrupted; the next edit leaves them out"
    report.add(MovieError(.malformed, at: leftover.offset, in: "free", reason))
  }

  private static let secondMovieAtom = Rule(
    "file.two-movie-atoms", .error, clause: "QTFF, \"Movie Atoms\"; ISO/IEC 14496-12, 8.2.1",
    effect: "Players may show two different movies.", fix: [.makeAgain]
  ) { examination, report in
    guard let second = examination.movie.layout.secondMovieAtom else { return }
    let reason = "the file has more than one movie atom; this is the second"
    report.add(MovieError(.malformed, at: second.range.offset, in: "moov", reason))
  }

  private static let alternateMovies = Rule(
    "file.alternate-movies", .note, clause: "QTFF, \"Reference Movies\"",
    effect: "An old player may open another file instead.", fix: [.person("none: edits keep the list")]
  ) { examination, report in
    if let error = AlternateMovie.finding(in: examination.tree) { report.add(error) }
  }

  private static let brokenAtom = Rule(
    "file.broken-atom", .warning, clause: "QTFF, \"Atoms\"; ISO/IEC 14496-12, 4.2",
    effect: "What the atom should say (a title, say) is not shown.", fix: [.makeAgain]
  ) { examination, report in
    for defect in examination.tree.defects { report.add(defect) }
  }
}

extension RuleReport {
  fileprivate mutating func addIfTruncated(_ atom: FileLayout.TopLevelAtom) {
    guard let claimed = atom.claimedByteCount else { return }
    add(
      MovieError(
        .truncated, at: atom.range.offset, in: atom.type.description,
        "claims \(claimed) bytes, \(atom.range.count) left in the file"))
  }
}
