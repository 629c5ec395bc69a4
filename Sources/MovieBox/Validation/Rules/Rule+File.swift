// Rules about the file as a whole: its completeness, its movie atom, and the headers of tracks.

extension Rule {
  static let fileRules = [
    truncatedAtom, truncatedFreeSpace, trailingBytes, missingSamplesAtEnd, interruptedEdit, secondMovieAtom,
    alternateMovies,
    brokenAtom,
  ]

  private static let truncatedAtom = Rule(
    "file.truncated-atom", .warning, clause: "QTFF, \"Atoms\"; ISO/IEC 14496-12, 4.2",
    effect: "The end of the movie may be missing.", fix: [.manual("fetch the whole file again")]
  ) { examination, report in
    // If the fragments were read, `fragment.broken` reports truncated `moof` atoms.
    let isReported = examination.fragments != nil
    for atom in examination.movie.layout.atoms where !atom.isFreeSpace && !(isReported && atom.type == "moof") {
      report.addIfTruncated(atom)
    }
  }

  private static let truncatedFreeSpace = Rule(
    "file.truncated-free-space", .note, clause: "QTFF, \"Atoms\"; ISO/IEC 14496-12, 4.2",
    effect: "None: the missing bytes are padding.", fix: [.step(.rewriteCompact)]
  ) { examination, report in
    for atom in examination.movie.layout.atoms where atom.isFreeSpace { report.addIfTruncated(atom) }
  }

  private static let trailingBytes = Rule(
    "file.trailing-bytes", .note, clause: "QTFF, \"Atoms\"; ISO/IEC 14496-12, 4.2",
    effect: "None in most players; strict players may reject the file.",
    fix: [.manual("none needed: edits keep these bytes at the end")]
  ) { examination, report in
    guard let trailing = examination.movie.layout.trailing else { return }
    let reason = "\(trailing.count) bytes at the end of the file are not an atom"
    report.add(MovieError(.malformed, at: trailing.offset, reason))
  }

  /// Reports the samples in ``MissingSamples``.
  private static let missingSamplesAtEnd = Rule(
    "file.cut-off", .warning, clause: "ISO/IEC 14496-12, 8.8.8; QTFF, \"Chunk Offset Atoms\"",
    effect: "Players stop where the samples are missing, or play without the track.",
    fix: [.manual("fetch the whole file again"), .step(.salvage, "writes the available samples")]
  ) { examination, report in
    let movie = examination.movie
    guard let start = movie.layout.cutOffset else { return }
    let missingSamples = movie.isFragmented ? examination.fragments?.missingSamples ?? [] : movie.missingSamples()
    for samples in missingSamples { report.add(MovieError(.truncated, at: start, samples.description)) }
  }

  private static let interruptedEdit = Rule(
    "file.interrupted-edit", .note, clause: "MovieWriter's edits in place",
    effect: "None: the file is larger than necessary.",
    fix: [.manual("none needed: the next edit omits these bytes")]
  ) { examination, report in
    guard let leftoverFreeSpace = examination.movie.layout.leftoverFreeSpace else { return }
    let reason = "\(leftoverFreeSpace.count) bytes remain from an interrupted edit; the next edit omits these bytes"
    report.add(MovieError(.malformed, at: leftoverFreeSpace.offset, in: "free", reason))
  }

  private static let secondMovieAtom = Rule(
    "file.two-movie-atoms", .error, clause: "QTFF, \"Movie Atoms\"; ISO/IEC 14496-12, 8.2.1",
    effect: "Players may disagree about the movie.", fix: [.makeAgain]
  ) { examination, report in
    guard let second = examination.movie.layout.secondMovieAtom else { return }
    let reason = "the file has more than one movie atom; this is the second movie atom"
    report.add(MovieError(.malformed, at: second.range.offset, in: "moov", reason))
  }

  private static let alternateMovies = Rule(
    "file.alternate-movies", .note, clause: "QTFF, \"Reference Movies\"",
    effect: "An old player may open another file instead.", fix: [.manual("none: edits keep the list")]
  ) { examination, report in
    if let error = AlternateMovie.finding(in: examination.tree) { report.add(error) }
  }

  private static let brokenAtom = Rule(
    "file.broken-atom", .warning, clause: "QTFF, \"Atoms\"; ISO/IEC 14496-12, 4.2",
    effect: "The contents of the atom, such as a title, are not shown.", fix: [.makeAgain]
  ) { examination, report in
    for defect in examination.tree.defects { report.add(defect) }
  }
}

extension RuleReport {
  fileprivate mutating func addIfTruncated(_ atom: FileLayout.TopLevelAtom) {
    guard let claimedByteCount = atom.claimedByteCount else { return }
    add(
      MovieError(
        .truncated, at: atom.range.offset, in: atom.type.description,
        "declares \(claimedByteCount) bytes, but only \(atom.range.count) are left in the file"))
  }
}

extension Rule {
  static let movieRules = [
    movieTimeScale, mediaTimeScale, duplicateTrackID, zeroTrackID, nextTrackID, missingHandler, posterFlag,
    longMediaHeader,
  ]

  private static let movieTimeScale = Rule(
    "movie.time-scale", .error, clause: "QTFF, \"Movie Header Atoms\"; ISO/IEC 14496-12, 8.2.2",
    effect: "Players do not know the movie's duration and may reject it.", fix: [.makeAgain]
  ) { examination, report in
    guard examination.movie.header.timeScale == 0 else { return }
    report.add(
      examination.tree.child(of: examination.tree.root, "mvhd") ?? examination.tree.root,
      "the time scale of the movie is 0")
  }

  private static let mediaTimeScale = Rule(
    "track.time-scale", .error, clause: "QTFF, \"Media Header Atoms\"; ISO/IEC 14496-12, 8.4.2",
    effect: "The track is not played.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where track.mediaHeader.timeScale == 0 {
      report.add(examination.atom(track, "mdia", "mdhd"), "the time scale of the media is 0")
    }
  }

  private static let duplicateTrackID = Rule(
    "track.id", .error, clause: "QTFF, \"Track Header Atoms\"; ISO/IEC 14496-12, 8.3.2",
    effect: "Players confuse the tracks: subtitles or chapters may be missing.", fix: [.makeAgain]
  ) { examination, report in
    var seenIDs: Set<UInt32> = []
    for track in examination.tracks where !seenIDs.insert(track.id).inserted {
      report.add(track.atom, "track ID \(track.id) is used by more than one track")
    }
  }

  private static let zeroTrackID = Rule(
    "track.id-zero", .note, clause: "QTFF, \"Track Header Atoms\"; ISO/IEC 14496-12, 8.3.2",
    effect: "No other track can refer to this track, and strict players ignore it.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where track.id == 0 {
      report.add(examination.trackHeaderAtom(track), "the track ID is 0, which is invalid")
    }
  }

  private static let nextTrackID = Rule(
    "movie.next-track-id", .note, clause: "QTFF, \"Movie Header Atoms\"; ISO/IEC 14496-12, 8.2.2",
    effect: "None, until a program adds a track with an ID that is in use.",
    fix: [.step(.fixAutomatically(nil), "adding a track also fixes this")], automatically: .raiseNextTrackID
  ) { examination, report in
    let highestID = examination.tracks.map(\.id).max() ?? 0
    let next = examination.movie.header.nextTrackID
    guard next <= highestID else { return }
    let mvhd = examination.tree.child(of: examination.tree.root, "mvhd") ?? examination.tree.root
    report.add(mvhd, "the next track ID is \(next), but there is a track \(highestID)")
  }

  private static let missingHandler = Rule(
    "track.no-handler", .warning, clause: "QTFF, \"Handler Reference Atoms\"; ISO/IEC 14496-12, 8.4.3",
    effect: "Players do not know the media type of the track and ignore the track.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where track.handler == nil {
      report.add(examination.atom(track, "mdia"), "has no hdlr, which declares the media type")
    }
  }

  private static let posterFlag = Rule(
    "track.poster-flag", .note, for: [.iso], clause: "ISO/IEC 14496-12, 8.3.2",
    effect: "A player may interpret width and height as a ratio and draw the track at the wrong size.",
    fix: [.makeAgain]
  ) { examination, report in
    // Skip tracks without a size, such as audio tracks, because players do not draw them.
    for track in examination.tracks
    where examination.movie.dialect == .iso && track.header.flags & 0x8 != 0
      && track.header.width | track.header.height != 0
    {
      report.add(
        examination.trackHeaderAtom(track), "has flag 0x8: poster in QuickTime, \"size is a ratio\" in ISO files")
    }
  }

  private static let longMediaHeader = Rule(
    "track.long-media-header", .note, for: [.apple], clause: "QTFF, \"Media Header Atoms\" (only version 0)",
    effect: "QuickTime 7 does not show the track; today's players do.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where examination.movie.dialect == .quickTime && track.mediaHeader.version == 1 {
      report.add(examination.atom(track, "mdia", "mdhd"), "has version 1 in a QuickTime file")
    }
  }
}
