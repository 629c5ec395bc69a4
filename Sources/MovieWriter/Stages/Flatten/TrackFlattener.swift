import MovieBox

/// Collects the samples of one track from all fragments, and writes them to the tables of `moov`.
///
/// Fragments are added one after the other, so that only one fragment is in memory at a time. The file offsets of
/// samples do not change. Information about samples, such as groups, subsamples and encryption, is merged as well. Most
/// auxiliary information is in the fragments, and the flattened movie does not contain them. Therefore, auxiliary
/// information is copied as new media.
struct TrackFlattener: Sendable {
  let track: Track
  let fragmented: FragmentedTrack
  /// The properties of all samples so far.
  private(set) var columns: SampleColumns
  /// The auxiliary information of all samples, or empty if the fragments contain none.
  private(set) var auxiliary: [AuxiliaryTable] = []
  /// The `senc` information of all samples. It is `nil` if the samples are not encrypted or auxiliary information
  /// contains it.
  private var encryption: SampleEncryption?
  /// The numbers of omitted atoms in fragments, by type.
  private(set) var omitted: [FourCC: Int] = [:]
  /// The ticks by which the samples of each run are decoded later than the fragments declare.
  private let delays: [UInt64]
  /// The time on the recording's clock that becomes 0, or `nil` if times do not change.
  private let start: MediaTime?
  private var groups: SampleGroupMerger
  private var subsamples: SubsampleMerger
  private let stbl: Int
  private let tree: AtomTree

  /// Creates a flattener with the samples that `moov` lists.
  init(
    _ track: Track, _ fragmented: FragmentedTrack, in tree: AtomTree, from start: MediaTime?
  ) throws(MovieError) {
    guard let stbl = tree.sampleTable(ofTrack: track.atom) else {
      // A track without a sample table cannot occur here, because the reader of movies rejects it.
      throw MovieError(.malformed, in: tree.path(of: track.atom), "has no sample table")
    }
    self.track = track
    self.fragmented = fragmented
    self.start = start
    self.stbl = stbl
    self.tree = tree
    delays = fragmented.runDelays
    columns = SampleColumns(fragmented, of: track.mediaType, in: stbl, of: tree)
    groups = try SampleGroupMerger(in: stbl, of: tree, tableSampleCount: fragmented.tableSampleCount)
    subsamples = try SubsampleMerger(in: stbl, of: tree, tableSampleCount: fragmented.tableSampleCount)
  }

  // MARK: - Collecting

  /// Adds the samples of a track fragment and the information about them.
  mutating func add(
    _ part: TrackFragment, of fragment: AtomTree, _ source: some RandomAccessSource
  ) throws {
    let runs = fragmented.runs[part.runs]
    let firstSample = runs.first?.firstSample ?? columns.sampleCount
    let samples = firstSample..<(runs.last?.samples.upperBound ?? firstSample)
    let sdtp = fragment.child(of: part.atom, "sdtp").map { fragment.payload(of: $0).dropFirst(4) }
    for run in runs {
      try columns.append(
        run, delay: delays[run.index], ownDependencies: sdtp?.dropFirst(run.firstSample - firstSample))
    }
    for group in try part.sampleGroups(in: fragment) { groups.add(group, to: samples) }
    for subs in fragment.children(of: part.atom, "subs") {
      try subsamples.add(subs, of: fragment, samples: samples)
    }
    try addAuxiliary(part, samples, fragment, source)
    for atom in part.otherAtoms(in: fragment) where !isCopiedOrRedundant(atom, fragment) {
      omitted[fragment[atom].type, default: 0] += 1
    }
  }

  /// Returns whether the contents of an atom of a fragment are copied, or are redundant in a movie without fragments.
  private func isCopiedOrRedundant(_ atom: Int, _ fragment: AtomTree) -> Bool {
    switch fragment[atom].type {
    case "sdtp", "sbgp", "sgpd", "subs", "saiz", "saio", "senc", "free", "skip": return true
    case "uuid":
      let userType = fragment.payload(of: atom).slice(at: 0, count: 16)
      return userType == SampleEncryption.userType || userType.map(Self.streamTimes.contains) ?? false
    default: return false
    }
  }

  /// The user types of Smooth Streaming atoms that contain the times of this fragment and of later fragments ([MS-SSTR]
  /// 2.2.4.4, 2.2.4.5).
  private static let streamTimes = [
    Bytes([0x6D, 0x1D, 0x9B, 0x05, 0x42, 0xD5, 0x44, 0xE6, 0x80, 0xE2, 0x14, 0x1D, 0xAF, 0xF7, 0x57, 0xB2]),
    Bytes([0xD4, 0x80, 0x7E, 0xF2, 0xCA, 0x39, 0x46, 0x95, 0x8E, 0x54, 0x26, 0xCB, 0x9E, 0x46, 0xA7, 0x9F]),
  ]

  private mutating func addAuxiliary(
    _ part: TrackFragment, _ samples: Range<Int>, _ fragment: AtomTree, _ source: some RandomAccessSource
  ) throws {
    var hasEncryption = false
    for information in try part.auxiliaryInformation(in: fragment) {
      if information.kind.map({ Self.encryptionKinds.contains($0.type) }) ?? true { hasEncryption = true }
      if auxiliary.isEmpty {
        try requireOwnMedia(for: information.sizesAtom, in: fragment)
        try addOldAuxiliary(source)
      }
      var bytes: [Bytes] = []
      for range in information.ranges { bytes.append(try Self.read(range, fragment, source)) }
      auxiliary.add(information.kind, information.sizes, from: samples.lowerBound, bytes)
    }
    guard !hasEncryption else { return }
    for atom in part.otherAtoms(in: fragment) {
      guard let next = try SampleEncryption(at: atom, of: fragment) else { continue }
      // After flattening, one atom describes the whole track, so each fragment must describe all its samples.
      let isNext = next.sampleCount == samples.count && encryption?.sampleCount ?? 0 == samples.lowerBound
      guard isNext, encryption?.append(next) ?? true else {
        throw fragment.error(
          .unsupported, at: atom, "has encryption information that a movie without fragments cannot contain")
      }
      if encryption == nil { encryption = next }
      return
    }
  }

  /// Throws `.unsupported` if samples are in other files. Offsets of auxiliary information would then refer to files
  /// that are not open.
  private func requireOwnMedia(for saiz: Int, in fragment: AtomTree) throws(MovieError) {
    let locator = ChunkLocator(track)
    let descriptions = track.sampleDescriptions.entries.indices
    guard descriptions.contains(where: { locator.isExternal(description: UInt32(clamping: $0 + 1)) }) else { return }
    throw fragment.error(
      .unsupported, at: saiz, "track \(track.id) has auxiliary information for samples in other files")
  }

  private static let encryptionKinds: Set<FourCC> = ["cenc", "cens", "cbc1", "cbcs", "piff"]

  /// Reads auxiliary information from the fragment, or from the source if it is outside the fragment.
  private static func read(
    _ range: ByteRange, _ fragment: AtomTree?, _ source: some RandomAccessSource
  ) throws -> Bytes {
    if let fragment, range.offset >= fragment.offset, let start = Int(exactly: range.offset - fragment.offset),
      let count = Int(exactly: range.count), let slice = fragment.bytes.slice(at: start, count: count)
    {
      return slice
    }
    guard range.end <= (try source.identity().byteCount) else {
      throw MovieError(
        .truncated, "sample auxiliary information of \(range.count) bytes at \(range.offset) is outside the file")
    }
    return try source.readExactly(range)
  }

  /// Reads the auxiliary information of the samples that `moov` lists, so that it can be written next to the fragments'
  /// information.
  private mutating func addOldAuxiliary(_ source: some RandomAccessSource) throws {
    var offsetTables: [AuxiliaryInformationOffsets] = []
    for saio in tree.children(of: stbl, "saio") {
      offsetTables.append(try tree.decode(AuxiliaryInformationOffsets.self, at: saio))
    }
    for saiz in tree.children(of: stbl, "saiz") {
      let sizes = try tree.decode(AuxiliaryInformationSizes.self, at: saiz)
      guard let offsets = offsetTables.first(where: { $0.kind == sizes.kind }),
        sizes.count <= fragmented.tableSampleCount
      else {
        throw tree.error(
          .malformed, at: saiz, "has no saio of the same type, or lists more samples than the track has")
      }
      // `saio` contains one offset for all samples, or one offset for each chunk.
      let parts = offsets.count == 1 ? [0..<sizes.count] : track.samples.chunks.map(\.samples)
      var bytes: [Bytes] = []
      for (offset, samples) in zip(offsets, parts) {
        let count = sizes.byteCount(of: samples.clamped(to: 0..<sizes.count))
        guard count > 0 else { continue }
        guard let range = ByteRange(offset: offset, count: count) else {
          throw MovieError(
            .malformed, in: tree.path(of: saiz), "offset \(offset) plus \(count) bytes does not fit in 64 bits")
        }
        bytes.append(try Self.read(range, nil, source))
      }
      auxiliary.add(sizes.kind, sizes, from: 0, bytes)
    }
  }

  // MARK: - Writing

  /// Returns the duration of the track in movie ticks.
  func durationInMovieTicks(_ movie: Movie) -> UInt64 {
    fragmented.durationInMovieTicks(of: track, movieTimeScale: movie.header.timeScale, from: start)
  }

  /// The decode time of the first sample in the flattened movie, in media ticks, or `nil` if the track has no samples.
  /// It is negative if the sample is decoded before the movie begins.
  var firstDecodeTime: Int64? {
    fragmented.startTime.map {
      Int64(clamping: $0).addingClamped(-(start?.ticks(of: track.mediaHeader.timeScale) ?? 0))
        .addingClamped(-Int64(clamping: fragmented.ticksBeforeStart))
    }
  }

  /// Returns the edit list of the flattened track, or `nil` if the track needs no edit list.
  func editList(in movie: Movie) -> EditList? {
    fragmented.flattenedEditList(of: track, movieTimeScale: movie.header.timeScale, from: start)
  }

  /// Writes the tables, the edit list and the durations of the track.
  func write(into edits: inout AtomEdits, of movie: Movie) throws(MovieError) {
    guard fragmented.startTime != nil else { return }
    writeEditList(into: &edits, of: movie)
    writeDurations(into: &edits, of: movie)
    guard fragmented.hasFragmentSamples else { return }
    let oldAtoms = tree.children(of: stbl)
    var atoms = try columns.atoms(
      limits: movie.limits, isWide: track.samples.chunkOffsets.isWide,
      hasShift: oldAtoms.contains { tree[$0].type == "cslg" }, isSound: track.mediaType == .audio)
    for atom in oldAtoms where SampleColumns.types.contains(tree[atom].type) {
      let type = tree[atom].type
      if let index = atoms.firstIndex(where: { Self.replaces($0.type, type) }) {
        edits.replace(atom, with: atoms.remove(at: index).atom)
      } else {
        edits.remove(atom)
      }
    }
    for (_, atom) in atoms { edits.insert(atom, into: stbl) }
    let merged = (groups.hasChanges ? try groups.atoms() : []) + (subsamples.hasChanges ? try subsamples.atoms() : [])
    for (replaced, atom) in merged {
      if let replaced { edits.replace(replaced, with: atom) } else { edits.insert(atom, into: stbl) }
    }
    if let encryption {
      guard encryption.sampleCount == columns.sampleCount else {
        throw MovieError(
          .unsupported, in: tree.path(of: stbl),
          "has encryption information for only \(encryption.sampleCount) of \(columns.sampleCount) samples")
      }
      edits.insert(encryption.atom, into: encryption.isUserType ? stbl : track.atom)
    }
    if !auxiliary.isEmpty {
      for atom in oldAtoms where ["saiz", "saio"].contains(tree[atom].type) { edits.remove(atom) }
    }
  }

  /// Returns whether a new table replaces an old table of its type, or of another type for the same data, such as
  /// `co64` for `stco`.
  private static func replaces(_ new: FourCC, _ old: FourCC) -> Bool {
    new == old || [new, old].allSatisfy { ["stsz", "stz2"].contains($0) }
      || [new, old].allSatisfy { ["stco", "co64"].contains($0) }
  }

  private func writeEditList(into edits: inout AtomEdits, of movie: Movie) {
    guard let list = editList(in: movie), list != track.editList else { return }
    if let elst = tree.descendant(of: track.atom, "edts", "elst") {
      edits.replace(elst, with: list.atom("elst"))
    } else if let edts = tree.child(of: track.atom, "edts") {
      edits.insert(list.atom("elst"), into: edts)
    } else {
      var writer = ByteWriter()
      writer.atom("edts") { $0.write(list.atom("elst")) }
      edits.insert(writer.take(), into: track.atom, before: tree.child(of: track.atom, "mdia"))
    }
  }

  private func writeDurations(into edits: inout AtomEdits, of movie: Movie) {
    if let tkhd = tree.child(of: track.atom, "tkhd") {
      var header = track.header
      header.duration = durationInMovieTicks(movie)
      if header.duration >= UInt64(UInt32.max) { header.version = 1 }  // All ones mean an unknown duration.
      if header != track.header { edits.replace(tkhd, with: header.atom("tkhd")) }
    }
    if let mdhd = tree.descendant(of: track.atom, "mdia", "mdhd"), fragmented.hasFragmentSamples {
      var header = track.mediaHeader
      header.duration = columns.durations.runs.reduce(0) { $0.addingClamped(UInt64($1.count) &* UInt64($1.value)) }
      if header.duration >= UInt64(UInt32.max) { header.version = 1 }
      if header != track.mediaHeader { edits.replace(mdhd, with: header.atom("mdhd")) }
    }
  }
}
