import MovieBox

/// Writes the tables of a track with only the samples before the first missing sample.
struct SalvagedTrack {
  private let track: Track
  private let tree: AtomTree
  private let stbl: Int
  /// The number of kept samples.
  private let sampleCount: Int

  /// Returns the movie with a movie atom that lists only samples whose bytes are in the file.
  static func cut(_ movie: Movie) throws(MovieError) -> Movie {
    let tree = movie.tree
    var edits = AtomEdits()
    var header = movie.header
    header.duration = 0
    for track in movie.tracks {
      let count = track.completeSampleCount(upTo: movie.layout.identity.byteCount)
      guard count < track.samples.sampleCount, let stbl = tree.sampleTable(ofTrack: track.atom) else {
        header.duration = Swift.max(header.duration, track.durationInMovieTicks(movieTimeScale: header.timeScale))
        continue
      }
      let salvaged = SalvagedTrack(track: track, tree: tree, stbl: stbl, sampleCount: count)
      try salvaged.writeTables(into: &edits, limits: movie.limits)
      header.duration = Swift.max(header.duration, salvaged.writeTimes(into: &edits, movieTimeScale: header.timeScale))
    }
    if let mvhd = tree.child(of: tree.root, "mvhd"), header != movie.header {
      edits.replace(mvhd, with: header.atom("mvhd"))
    }
    var writer = ByteWriter()
    edits.draft(of: tree).write(to: &writer)
    return try movie.replacingMovieAtom(with: Bytes(writer.take()))
  }

  // MARK: - Tables

  private func writeTables(into edits: inout AtomEdits, limits: MovieLimits) throws(MovieError) {
    let children = tree.children(of: stbl)
    if let auxiliary = children.first(where: isEncryption) ?? tree.children(of: track.atom).first(where: isEncryption) {
      throw tree.error(
        .unsupported, at: auxiliary, "the track lost samples, and its encryption information cannot be shortened")
    }
    let columns = SampleColumns(
      track.samples, sampleCount: sampleCount, from: 0, of: track.mediaType, in: stbl, of: tree)
    var atoms = try columns.atoms(
      limits: limits, isWide: track.samples.chunkOffsets.isWide,
      hasShift: children.contains { tree[$0].type == "cslg" },
      isSound: track.mediaType == .audio)
    for atom in children where SampleColumns.types.contains(tree[atom].type) {
      if let index = atoms.firstIndex(where: { Self.canReplace($0.type, for: tree[atom].type) }) {
        edits.replace(atom, with: atoms.remove(at: index).atom)
      } else {
        edits.remove(atom)
      }
    }
    for (_, atom) in atoms { edits.insert(atom, into: stbl) }
    for stps in tree.children(of: stbl, "stps") {
      let numbers = try tree.decode(SyncSampleTable.self, at: stps).prefix { Int($0) <= sampleCount }
      edits.replace(stps, with: SampleTableAtoms.syncSamples(Array(numbers), as: "stps"))
    }
    try writeGroups(into: &edits)
    let subsamples = try SubsampleMerger(in: stbl, of: tree, tableSampleCount: sampleCount)
    guard subsamples.hasChanges else { return }
    for (replaced, atom) in try subsamples.atoms() {
      if let replaced { edits.replace(replaced, with: atom) }
    }
  }

  private func isEncryption(_ atom: Int) -> Bool {
    ["saiz", "saio", "senc"].contains(tree[atom].type)
      || tree[atom].type == "uuid" && tree.payload(of: atom).prefix(16).elementsEqual(SampleEncryption.userType)
  }

  private static func canReplace(_ new: FourCC, for old: FourCC) -> Bool {
    new == old || [new, old].allSatisfy { ["stsz", "stz2"].contains($0) }
      || [new, old].allSatisfy { ["stco", "co64"].contains($0) }
  }

  /// Limits the sample groups to the kept samples.
  private func writeGroups(into edits: inout AtomEdits) throws(MovieError) {
    for sbgp in tree.children(of: stbl, "sbgp") {
      let old = try tree.decode(SampleToGroupTable.self, at: sbgp)
      var groups = RunLengths<UInt32>()
      for entry in old {
        groups.append(entry.descriptionIndex, count: Swift.min(sampleCount - groups.count, Int(entry.sampleCount)))
      }
      let runs = groups.runs.lazy.map { (count: $0.count, group: $0.value) }
      edits.replace(sbgp, with: SampleTableAtoms.sampleGroups(old.groupingType, parameter: old.parameter, runs))
    }
  }

  // MARK: - Times

  /// Writes the durations and the edit list, and returns the presentation duration of the track, in movie ticks.
  private func writeTimes(into edits: inout AtomEdits, movieTimeScale: UInt32) -> UInt64 {
    var (decodeEnd, presentationEnd) = (UInt64(0), Int64(0))
    for sample in track.samples.samples.lazy.prefix(sampleCount) {
      decodeEnd = sample.decodeTime.addingClamped(UInt64(sample.duration))
      presentationEnd = Swift.max(presentationEnd, sample.presentationTime.addingClamped(Int64(sample.duration)))
    }
    let scale = UInt64(track.mediaHeader.timeScale)
    func movieTicks(_ ticks: UInt64) -> UInt64 { ticks.scaledUp(by: UInt64(movieTimeScale), over: scale) ?? 0 }
    var duration = movieTicks(decodeEnd)
    if var list = track.editList, !list.entries.isEmpty {
      list.entries = list.entries.compactMap { edit in
        guard edit.mediaTime >= 0 else { return edit }
        let remainingTicks = movieTicks(UInt64(Swift.max(0, presentationEnd.addingClamped(-edit.mediaTime))))
        // An edit with the rate 0 is not shortened, because it shows one picture for any duration.
        guard remainingTicks > 0, edit.mediaRate != 0, edit.segmentDuration > remainingTicks else {
          return remainingTicks > 0 ? edit : nil
        }
        var edit = edit
        edit.segmentDuration = remainingTicks
        return edit
      }
      // If no edit has remaining media, keep the old edits, because an empty list would show all media.
      if list.entries.isEmpty { list.entries = track.editList?.entries ?? [] }
      if let elst = tree.descendant(of: track.atom, "edts", "elst"), list != track.editList {
        edits.replace(elst, with: list.atom("elst"))
      }
      if list.durationInMovieTicks > 0 { duration = list.durationInMovieTicks }
    }
    if let tkhd = tree.child(of: track.atom, "tkhd") {
      var header = track.header
      header.duration = duration
      edits.replace(tkhd, with: header.atom("tkhd"))
    }
    if let mdhd = tree.descendant(of: track.atom, "mdia", "mdhd") {
      var header = track.mediaHeader
      header.duration = decodeEnd
      edits.replace(mdhd, with: header.atom("mdhd"))
    }
    return duration
  }
}
