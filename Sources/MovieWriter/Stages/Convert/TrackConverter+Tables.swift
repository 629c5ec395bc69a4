import MovieBox

// QuickTime movies and ISO files store signed composition offsets and partial sync samples differently.
extension TrackConverter {
  mutating func convertTables(in stbl: Int, _ edits: inout AtomEdits) throws(MovieError) {
    for atom in tree.children(of: stbl) {
      switch tree[atom].type {
      case "stss" where track.mediaType.isText && (track.samples.syncSamples?.count ?? 0) < track.samples.sampleCount:
        edits.remove(atom)
        note(.allTextIsSync(track: track.id))
      case "ctts":
        // Negative offsets need version 1 in ISO files. QuickTime uses only version 0, in which offsets are signed.
        let isSigned = track.samples.compositionOffsets?.hasNegativeOffset ?? false
        let version: UInt8 = isSigned && !type.isQuickTime ? 1 : 0
        let payload = tree.payload(of: atom)
        guard payload.first != version, type.isQuickTime || version == 1, type.isQuickTime || isFromQuickTime else {
          break
        }
        var writer = ByteWriter()
        writer.atom("ctts") { ctts in
          ctts.write(version)
          ctts.write(payload.dropFirst(1))
        }
        edits.replace(atom, with: writer.bytes)
      default: break
      }
    }
    try convertRandomAccess(in: stbl, &edits)
  }

  /// Converts partial sync samples (`stps`) to a sample group (`rap`), or adds them to the existing group of the track.
  /// In QuickTime movies, also lists the samples of the group in `stps`.
  private mutating func convertRandomAccess(in stbl: Int, _ edits: inout AtomEdits) throws(MovieError) {
    let sampleCount = track.samples.sampleCount
    let partial = Array(tree.children(of: stbl, "stps"))
    guard let first = partial.first else {
      guard type.isQuickTime else { return }
      let groups = try RandomAccessGroups(in: stbl, of: tree, sampleCount: sampleCount)
      guard !groups.sampleGroups.isEmpty || groups.defaultIndex > 0 else { return }
      let numbers = try PartialSyncSamples.numbers(inGroups: groups, of: track)
      guard !numbers.isEmpty else { return }
      edits.insert(SampleTableAtoms.syncSamples(numbers, as: "stps"), into: stbl)
      note(.partialSyncsListed(track: track.id))
      return
    }
    guard !type.isQuickTime else { return }
    let numbers = try PartialSyncSamples.numbers(in: stbl, of: tree, sampleCount: sampleCount)
    let groups = try RandomAccessGroups(in: stbl, of: tree, sampleCount: sampleCount)
    let joined = try groups.adding(numbers)
    var addedBytes: [UInt8] = []
    if let descriptions = joined.descriptions {
      if let old = groups.descriptions.first {
        edits.replace(old, with: descriptions)
      } else {
        addedBytes += descriptions
      }
    }
    if let sampleGroups = joined.sampleGroups {
      if let old = groups.sampleGroups.first {
        edits.replace(old, with: sampleGroups)
      } else {
        addedBytes += sampleGroups
      }
    }
    for atom in partial { edits.remove(atom) }
    if !addedBytes.isEmpty { edits.replace(first, with: addedBytes) }
    note(.partialSyncsGrouped(track: track.id))
  }
}

/// The facts that a converted description requires and that only the samples contain.
struct SampleFacts {
  /// The MPEG-4 object type of MPEG-1 or MPEG-2 video, or `nil` if the track is in another format.
  var mpegPictures: ElementaryStream.PlainObjectType?
  /// The lowest level of the H.263 baseline profile that allows the pictures. It is `nil` if the first picture uses
  /// options of another profile or no level allows the pictures.
  var h263Level: UInt8?

  /// The facts if no sample was read.
  static let unknown = SampleFacts()

  /// Reads the start of the first sample if the converted description depends on it.
  static func reading(
    _ track: Track, to type: MovieType, from source: some RandomAccessSource
  ) throws -> SampleFacts {
    guard let entry = track.sampleDescriptions.entries.first, track.sampleDescriptions.entries.count == 1,
      track.mediaType == .video, !track.hasExternalMedia,
      type == .mp4 && MPEGPictures.isFormat(entry.format) || type == .threeGPP && entry.format == "h263",
      let range = track.samples.samples.first(where: { _ in true })?.byteRange,
      try range.end <= source.identity().byteCount
    else { return .unknown }
    let maximumHeaderByteCount: UInt64 = 256  // This includes quantization matrices.
    let head = try source.readExactly(
      ByteRange(range.offset..<range.offset + min(maximumHeaderByteCount, range.count)))
    guard entry.format == "h263" else {
      // Ignore a stream header that contradicts the format. Such a file also has other errors.
      let number = MPEGPictures.objectType(of: head)
      return SampleFacts(
        mpegPictures: number.flatMap { ($0 == .mpeg1Pictures) == MPEGPictures.isMPEG1(entry.format) ? $0 : nil })
    }
    guard H263Pictures.isBaseline(head) else { return .unknown }
    return SampleFacts(h263Level: try track.h263Requirements(VideoDescription(body: entry.body))?.level)
  }
}
