extension Rule {
  static let mediaRules = [misplaced, outsideMediaData, overlapping, external, brokenFragment, misplacedFragment]

  private static let misplaced = Rule(
    "media.misplaced", .error, clause: "QTFF, \"Chunk Offset Atoms\"; ISO/IEC 14496-12, 8.7.5",
    effect: "The movie stops, or shows garbage, where the samples are missing.",
    fix: [.person("fetch the whole file again")]
  ) { examination, report in
    for error in examination.movie.misplacedSamples() { report.add(error) }
  }

  private static let outsideMediaData = Rule(
    "media.outside-mdat", .warning, clause: "ISO/IEC 14496-12, 8.1.1; QTFF, \"Movie Data Atoms\"",
    effect: "Nothing, until a program cleans the file up and takes the samples for waste.",
    fix: [.person("make the file again with another program: edits keep the samples where they are")],
    walksAllSamples: true
  ) { examination, report in
    let layout = examination.movie.layout
    let media = layout.atoms.filter { mediaAtoms.contains($0.type) }.map(\.payloadRange)
    for track in examination.tracks where !report.isFull {
      guard let chunk = track.firstChunk(outside: media, fileEnd: layout.identity.byteCount) else { continue }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl"),
        "chunk \(chunk.index + 1) of \(chunk.byteCount) bytes at \(chunk.offset) lies outside all media data (mdat)")
    }
  }

  /// Top-level atoms whose contents are samples: `mdat`, and `imda` of newer editions. Headers of fragments and of the
  /// movie are `media.misplaced`.
  private static let mediaAtoms: Set<FourCC> = ["mdat", "imda"]

  private static let overlapping = Rule(
    "media.overlap", .warning, clause: "ISO/IEC 14496-12, 8.7.5",
    effect: "One of the two shows garbage, or an edit of one track spoils the other.", fix: [.makeAgain],
    walksAllSamples: true
  ) { examination, report in
    for (track, chunk, other) in OverlappingChunks.find(in: examination.movie) {
      report.add(
        examination.atom(track, "mdia", "minf", "stbl"),
        "chunk \(chunk + 1) shares bytes with a chunk of track \(other.id) that does not begin and end where it does")
    }
  }

  private static let external = Rule(
    "media.external", .warning, clause: "QTFF, \"Data Reference Atoms\"; ISO/IEC 14496-12, 8.7.2",
    effect: "The track is missing where the other files are not at hand.",
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

  /// Reports what ``FragmentReader`` lists in ``MovieFragments/defects``.
  static let brokenFragment = Rule(
    "fragment.broken", .warning, clause: "ISO/IEC 14496-12, 8.8",
    effect: "Part of the movie is not played, or at the wrong time.", fix: [.step(.flatten)]
  ) { examination, report in
    for error in examination.fragments?.defects ?? [] { report.add(error) }
  }

  private static let misplacedFragment = Rule(
    "fragment.misplaced", .error, clause: "ISO/IEC 14496-12, 8.8.8",
    effect: "The movie stops, or shows garbage, where the samples are missing.",
    fix: [.person("fetch the whole file again")]
  ) { examination, report in
    for error in examination.fragments?.misplacedSamples(in: examination.movie) ?? [] { report.add(error) }
  }
}

extension Track {
  /// The first chunk that lies in the file but in none of `media`, which are in the order of the file.
  fileprivate func firstChunk(outside media: [ByteRange], fileEnd: UInt64) -> Chunk? {
    func isOutside(_ range: ByteRange) -> Bool {
      let place = media.partitioningIndex { $0.offset > range.offset } - 1
      return !media.indices.contains(place) || !media[place].contains(range)
    }
    return firstChunk(reaching: isOutside) { $0.map { $0.end <= fileEnd && isOutside($0) } ?? false }?.chunk
  }
}
