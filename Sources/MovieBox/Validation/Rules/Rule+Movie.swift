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
