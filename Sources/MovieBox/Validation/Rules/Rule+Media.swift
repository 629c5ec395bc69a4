// Rules about the media: positions of samples, external files, fragments, and sample tables.

extension Rule {
  static let mediaRules = [
    misplacedSamples, samplesOutsideMediaData, overlappingChunks, externalMedia, brokenFragment, misplacedFragment,
  ]

  private static let misplacedSamples = Rule(
    "media.misplaced", .error, clause: "QTFF, \"Chunk Offset Atoms\"; ISO/IEC 14496-12, 8.7.5",
    effect: "The movie stops, or shows garbage, where the samples are missing.",
    fix: [.manual("fetch the whole file again")]
  ) { examination, report in
    for error in examination.movie.misplacedSamples() { report.add(error) }
  }

  private static let samplesOutsideMediaData = Rule(
    "media.outside-mdat", .warning, clause: "ISO/IEC 14496-12, 8.1.1; QTFF, \"Movie Data Atoms\"",
    effect: "None, until a program removes the samples as unused bytes.",
    fix: [.manual("create the file again with another program: edits do not move the samples")],
    visitsAllSamples: true
  ) { examination, report in
    let layout = examination.movie.layout
    let media = layout.atoms.filter { mediaAtoms.contains($0.type) }.map(\.payloadRange)
    for track in examination.tracks where !report.isFull {
      guard let chunk = track.firstChunk(outside: media, fileEnd: layout.identity.byteCount) else { continue }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl"),
        "chunk \(chunk.index + 1) (\(chunk.byteCount) bytes at \(chunk.offset)) is outside all media data (mdat)")
    }
  }

  /// Top-level atoms that contain samples: `mdat`, and `imda` in newer editions of ISO/IEC 14496-12. `media.misplaced`
  /// reports samples in headers.
  private static let mediaAtoms: Set<FourCC> = ["mdat", "imda"]

  private static let overlappingChunks = Rule(
    "media.overlap", .warning, clause: "ISO/IEC 14496-12, 8.7.5",
    effect: "One of the tracks shows garbage, or an edit of one track damages the other track.", fix: [.makeAgain],
    visitsAllSamples: true
  ) { examination, report in
    for (track, chunk, other) in OverlappingChunks.find(in: examination.movie) {
      report.add(
        examination.atom(track, "mdia", "minf", "stbl"),
        "chunk \(chunk + 1) overlaps a chunk of track \(other.id), but does not begin and end at the same bytes")
    }
  }

  private static let externalMedia = Rule(
    "media.external", .warning, clause: "QTFF, \"Data Reference Atoms\"; ISO/IEC 14496-12, 8.7.2",
    effect: "The track is missing if the other files are not available.",
    fix: [.step(.rewriteSelfContained)]
  ) { examination, report in
    for track in examination.tracks {
      guard !report.isFull, let entries = track.dataReferences?.entries,
        entries.contains(where: { !$0.isSelfContained })
      else { continue }
      let names = entries.filter { !$0.isSelfContained }.prefix(8).map(\.location.description)
      let dref = examination.atom(track, "mdia", "minf", "dinf", "dref")
      report.add(
        examination.tree.error(
          .unsupported, at: dref, "the track has media in other files: \(names.joined(separator: ", "))"))
    }
  }

  /// Reports the defects in ``MovieFragments/defects``.
  static let brokenFragment = Rule(
    "fragment.broken", .warning, clause: "ISO/IEC 14496-12, 8.8",
    effect: "A part of the movie is not played, or is played at the wrong time.", fix: [.step(.flatten)]
  ) { examination, report in
    for error in examination.fragments?.defects ?? [] { report.add(error) }
  }

  private static let misplacedFragment = Rule(
    "fragment.misplaced", .error, clause: "ISO/IEC 14496-12, 8.8.8",
    effect: "The movie stops, or shows garbage, where the samples are missing.",
    fix: [.manual("fetch the whole file again")]
  ) { examination, report in
    for error in examination.fragments?.misplacedSamples(in: examination.movie) ?? [] { report.add(error) }
  }
}

extension Track {
  /// Returns the first chunk that is within the file but outside all ranges of `media`. The ranges must be in file
  /// order.
  fileprivate func firstChunk(outside media: [ByteRange], fileEnd: UInt64) -> Chunk? {
    func isOutside(_ range: ByteRange) -> Bool {
      let position = media.partitioningIndex { $0.offset > range.offset } - 1
      return !media.indices.contains(position) || !media[position].contains(range)
    }
    return firstChunk(inBlocksWhere: isOutside) { $0.map { $0.end <= fileEnd && isOutside($0) } ?? false }?.chunk
  }
}

extension Rule {
  static let tableRules =
    [
      tableRule(
        "stts", clause: "8.6.1.2", name: "Time-to-Sample Atoms",
        effect: "Sound and picture drift apart, or the end is missing."),
      tableRule(
        "ctts", clause: "8.6.1.3", name: "Composition Offset Atoms",
        effect: "Pictures stutter or appear in the wrong order."),
      tableRule(
        "stsc", clause: "8.7.4", name: "Sample-to-Chunk Atoms",
        effect: "A part of the track is not played, or is played as noise."),
      tableRule(
        "stss", clause: "8.6.2", name: "Sync Sample Atoms",
        effect: "Seeking shows broken pictures."),
      tableRule(
        "co64", clause: "8.7.5", name: "Chunk Offset Atoms",
        effect: "A part of the track is not played."),
    ] + [repeatedGroups, unreadableDescription, dataReferenceIndex]

  /// Creates a rule about one table of `stbl`. The rule reports the contradictions that
  /// ``SampleTable/inconsistencies(sampleDescriptionCount:)`` finds in the table.
  private static func tableRule(_ type: String, clause: String, name: String, effect: String) -> Rule {
    Rule(
      "table.\(type)", .warning, clause: "QTFF, \"\(name)\"; ISO/IEC 14496-12, \(clause)", effect: effect,
      fix: [.makeAgain]
    ) { examination, report in
      for error in examination.inconsistencies where error.path.hasSuffix("/" + type) { report.add(error) }
    }
  }

  private static let repeatedGroups = Rule(
    "table.sbgp-repeated", .warning, clause: "ISO/IEC 14496-12, 8.9.2 and 8.9.3",
    effect: "Players use one of the tables of sample groups and ignore the other tables.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks {
      guard let stbl = examination.tree.sampleTable(ofTrack: track.atom) else { continue }
      var known: Set<[UInt32]> = []
      for atom in examination.tree.children(of: stbl) {
        let (type, payload) = (examination.tree[atom].type, examination.tree.payload(of: atom))
        guard type == "sbgp" || type == "sgpd", let grouping = payload.load(at: 4, as: UInt32.self) else { continue }
        // In version 1 of `sbgp`, a parameter distinguishes groupings of equal type.
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
        "sample description \(wrong.format) refers to data reference \(wrong.dataReferenceIndex), "
          + "but references count from 1 to \(count)"
      )
    }
  }
}

extension SampleEntry {
  /// Returns the reason why the entry is unreadable, or `nil` if it is readable or its format is unknown.
  fileprivate func defect(as mediaType: MediaType) -> MovieError? {
    do throws(MovieError) {
      switch mediaType {
      case .video: _ = try VideoDescription(body: body)
      case .audio: _ = try SoundDescription(body: body)
      default: if isTimedText { _ = try Tx3gDescription(payload: body) }
      }
      return nil
    } catch {
      return error
    }
  }
}
