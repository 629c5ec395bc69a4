extension Rule {
  static let tableRules =
    [
      table(
        "stts", "8.6.1.2", named: "Time-to-Sample Atoms",
        "Sound and picture drift apart, or the end is missing."),
      table(
        "ctts", "8.6.1.3", named: "Composition Offset Atoms",
        "Pictures stutter or come in the wrong order."),
      table(
        "stsc", "8.7.4", named: "Sample-to-Chunk Atoms",
        "Part of the track is not played, or noise is."),
      table(
        "stss", "8.6.2", named: "Sync Sample Atoms",
        "Jumping in the movie shows broken pictures."),
      table(
        "co64", "8.7.5", named: "Chunk Offset Atoms",
        "Part of the track is not played."),
    ] + [repeatedGroups, unreadableDescription, dataReferenceIndex]

  /// A rule on a table of `stbl`: what ``SampleTable/inconsistencies(sampleDescriptionCount:)`` says of it.
  private static func table(_ type: String, _ clause: String, named name: String, _ effect: String) -> Rule {
    Rule(
      "table.\(type)", .warning, clause: "QTFF, \"\(name)\"; ISO/IEC 14496-12, \(clause)", effect: effect,
      fix: [.makeAgain]
    ) { examination, report in
      for error in examination.inconsistencies where error.path.hasSuffix("/" + type) { report.add(error) }
    }
  }

  private static let repeatedGroups = Rule(
    "table.sbgp-repeated", .warning, clause: "ISO/IEC 14496-12, 8.9.2 and 8.9.3",
    effect: "Players use one of the tables of sample groups and ignore the others.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks {
      guard let stbl = examination.tree.sampleTable(ofTrack: track.atom) else { continue }
      var known: Set<[UInt32]> = []
      for atom in examination.tree.children(of: stbl) {
        let (type, payload) = (examination.tree[atom].type, examination.tree.payload(of: atom))
        guard type == "sbgp" || type == "sgpd", let grouping = payload.load(at: 4, as: UInt32.self) else { continue }
        // Version 1 of `sbgp` distinguishes groupings of one type by a parameter.
        let hasParameter = type == "sbgp" && payload.load(at: 0, as: UInt8.self) == 1
        let parameter = hasParameter ? payload.load(at: 8, as: UInt32.self) : nil
        guard !known.insert([type.rawValue, grouping] + (parameter.map { [$0] } ?? [])).inserted else { continue }
        report.add(atom, "repeats the \(type) of the grouping type \"\(FourCC(rawValue: grouping))\"")
      }
    }
  }

  private static let unreadableDescription = Rule(
    "description.unreadable", .warning, clause: "QTFF, \"Sample Description Atoms\"; ISO/IEC 14496-12, 8.5.2",
    effect: "The track may not be played.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks {
      for entry in track.sampleDescriptions.entries {
        guard !report.isFull, let error = entry.defect(as: track.mediaType) else { continue }
        let stsd = examination.atom(track, "mdia", "minf", "stbl", "stsd")
        report.add(
          examination.tree.error(
            error.code, at: stsd, "sample description \(entry.format): \(error.reason)"))
      }
    }
  }

  private static let dataReferenceIndex = Rule(
    "description.data-reference", .warning, clause: "QTFF, \"Data Reference Atoms\"; ISO/IEC 14496-12, 8.7.2",
    effect: "Strict players do not find the track's media.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks {
      guard let count = track.dataReferences?.entries.count else { continue }
      let wrong = track.sampleDescriptions.entries.first { $0.dataReferenceIndex == 0 || $0.dataReferenceIndex > count }
      guard let wrong else { continue }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        "sample description \(wrong.format) names data reference \(wrong.dataReferenceIndex), "
          + "they count from 1 to \(count)"
      )
    }
  }
}

extension SampleEntry {
  /// Why the fields of the entry cannot be read; `nil` where they can, or nobody here knows them.
  fileprivate func defect(as mediaType: MediaType) -> MovieError? {
    do throws(MovieError) {
      switch mediaType {
      case .video: _ = try VideoDescription(body: body)
      case .audio: _ = try SoundDescription(body: body)
      default: if holdsTimedText { _ = try Tx3gDescription(payload: body) }
      }
      return nil
    } catch {
      return error
    }
  }
}
