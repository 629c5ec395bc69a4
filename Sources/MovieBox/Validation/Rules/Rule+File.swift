// Rules about the file as a whole: whether it is complete, its movie atom, and headers of tracks.

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

extension Rule {
  static let movieRules = [
    movieTimeScale, mediaTimeScale, trackID, zeroTrackID, nextTrackID, missingHandler, posterFlag, longMediaHeader,
  ]

  private static let movieTimeScale = Rule(
    "movie.time-scale", .error, clause: "QTFF, \"Movie Header Atoms\"; ISO/IEC 14496-12, 8.2.2",
    effect: "Players cannot tell how long the movie is, and may refuse it.", fix: [.makeAgain]
  ) { examination, report in
    guard examination.movie.header.timeScale == 0 else { return }
    report.add(
      examination.tree.child(of: examination.tree.root, "mvhd") ?? examination.tree.root,
      "the movie has 0 ticks a second")
  }

  private static let mediaTimeScale = Rule(
    "track.time-scale", .error, clause: "QTFF, \"Media Header Atoms\"; ISO/IEC 14496-12, 8.4.2",
    effect: "The track is not played.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where track.mediaHeader.timeScale == 0 {
      report.add(examination.atom(track, "mdia", "mdhd"), "the media has 0 ticks a second")
    }
  }

  private static let trackID = Rule(
    "track.id", .error, clause: "QTFF, \"Track Header Atoms\"; ISO/IEC 14496-12, 8.3.2",
    effect: "Players take one track for another: subtitles or chapters go missing.", fix: [.makeAgain]
  ) { examination, report in
    var seen: Set<UInt32> = []
    for track in examination.tracks where !seen.insert(track.id).inserted {
      report.add(track.atom, "track ID \(track.id) is used by more than one track")
    }
  }

  private static let zeroTrackID = Rule(
    "track.id-zero", .note, clause: "QTFF, \"Track Header Atoms\"; ISO/IEC 14496-12, 8.3.2",
    effect: "No other track can name this one, and a strict player leaves it out.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where track.id == 0 {
      report.add(examination.tkhd(track), "the track ID is 0, which is invalid")
    }
  }

  private static let nextTrackID = Rule(
    "movie.next-track-id", .note, clause: "QTFF, \"Movie Header Atoms\"; ISO/IEC 14496-12, 8.2.2",
    effect: "Nothing, until a program adds a track under an ID that is taken.",
    fix: [.step(.fixAutomatically(nil), "adding a track does it too")], automatically: .raiseNextTrackID
  ) { examination, report in
    let highest = examination.tracks.map(\.id).max() ?? 0
    let next = examination.movie.header.nextTrackID
    guard next <= highest else { return }
    let mvhd = examination.tree.child(of: examination.tree.root, "mvhd") ?? examination.tree.root
    report.add(mvhd, "the next track ID is \(next), but there is a track \(highest)")
  }

  private static let missingHandler = Rule(
    "track.no-handler", .warning, clause: "QTFF, \"Handler Reference Atoms\"; ISO/IEC 14496-12, 8.4.3",
    effect: "Players do not know what the track is, and leave it out.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where track.handler == nil {
      report.add(examination.atom(track, "mdia"), "has no hdlr, which says what kind of media this is")
    }
  }

  private static let posterFlag = Rule(
    "track.poster-flag", .note, for: [.iso], clause: "ISO/IEC 14496-12, 8.3.2",
    effect: "A player may take width and height for a ratio and draw the track at another size.", fix: [.makeAgain]
  ) { examination, report in
    // What has no size, such as sound, has no ratio either.
    for track in examination.tracks
    where examination.movie.dialect == .iso && track.header.flags & 0x8 != 0
      && track.header.width | track.header.height != 0
    {
      report.add(examination.tkhd(track), "has flag 0x8: poster in QuickTime, \"size is a ratio\" in ISO files")
    }
  }

  private static let longMediaHeader = Rule(
    "track.long-media-header", .note, for: [.apple], clause: "QTFF, \"Media Header Atoms\" (version 0 alone)",
    effect: "QuickTime 7 shows nothing of the track; today's players do.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where examination.movie.dialect == .quickTime && track.mediaHeader.version == 1 {
      report.add(examination.atom(track, "mdia", "mdhd"), "is of version 1 in a QuickTime file")
    }
  }
}
