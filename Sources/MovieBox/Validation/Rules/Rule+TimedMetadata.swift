// Rules about boxed timed metadata (`mebx`): the keys of sample descriptions, the items of samples, and the described
// tracks.

extension Rule {
  static let timedMetadataRules = [
    keyWithoutIdentifier, reservedKeyID, unknownMetadataID, overlongMetadataItem, emptyMetadataSample, missingReferent,
  ]

  private static let timedMetadataClause = "QTFF, \"Timed Metadata Media\""
  private static let lostItemsEffect = "Programs do not find these items, or reject the track."

  private static let keyWithoutIdentifier = Rule(
    "timed.key-without-identifier", .warning, clause: timedMetadataClause + " (keyd)", effect: lostItemsEffect,
    fix: [.makeAgain]
  ) { examination, report in
    for (track, entry) in examination.boxedMetadata {
      if let problem = entry.readTimedMetadataKeys().problem {
        report.add(examination.atom(track, "mdia", "minf", "stbl", "stsd"), problem)
      }
    }
  }

  private static let reservedKeyID = Rule(
    "timed.reserved-id", .warning, clause: timedMetadataClause + " (local_key_id)", effect: lostItemsEffect,
    fix: [.makeAgain]
  ) { examination, report in
    for (track, entry) in examination.boxedMetadata {
      for id in Set(entry.localMetadataIDs).intersection([0, .max]).sorted() {
        report.add(
          examination.atom(track, "mdia", "minf", "stbl", "stsd"), "a key has the local ID \(id), which is reserved")
      }
    }
  }

  private static let unknownMetadataID = text(
    .unknownMetadataID, .warning, clause: timedMetadataClause, effect: lostItemsEffect, fix: [.makeAgain])

  private static let overlongMetadataItem = text(
    .overlongMetadataItem, .warning, clause: timedMetadataClause, effect: lostItemsEffect, fix: [.makeAgain])

  private static let emptyMetadataSample = text(
    .emptyMetadataSample, .warning, clause: timedMetadataClause + " (gaps)",
    effect: "Apple's players reject the sample.", fix: [.makeAgain])

  private static let missingReferent = Rule(
    "timed.no-referent", .note, clause: timedMetadataClause + " (cdsc)",
    effect: "Programs apply the items to the whole movie, and not to one of its videos.",
    fix: [.step(.associateReferent(from: .source, to: .target), "if the items describe one of the videos")]
  ) { examination, report in
    let videos = examination.tracks.filter { $0.mediaType == .video && !examination.isChapterList($0) }
    guard videos.count > 1 else { return }
    for track in Set(examination.boxedMetadata.map(\.track.id)).sorted().compactMap({ examination.track($0) })
    where track.referenced("cdsc").isEmpty {
      report.add(
        track.atom, "track \(track.id) describes none of the \(videos.count) video tracks (cdsc)",
        tracks: [.source: track, .target: videos.first])
    }
  }
}

extension MovieExamination {
  /// The sample descriptions of boxed timed metadata, each with its track.
  fileprivate var boxedMetadata: [(track: Track, entry: SampleEntry)] {
    tracks.filter { $0.mediaType == .metadata }.flatMap { track in
      track.sampleDescriptions.entries.filter { $0.format == "mebx" }.map { (track, $0) }
    }
  }
}
