import MovieBox
import Subtitles

/// Rewrites the movie atom for a file of another type, and the text samples that need another format.
///
/// The bytes of other samples do not change, because file types differ only in handlers, sample descriptions and
/// tables. All of these are in the movie atom. Text formats differ in the samples themselves, so text samples are
/// rewritten into ``media``. ``TrackConverter`` converts one track at a time into edits of the old tree. The edits of
/// all tracks are applied together.
struct MovieConverter {
  /// The rewritten movie atom, at the offset of the old movie atom.
  private(set) var movieAtom: AtomTree
  /// The rewritten text samples. The tables of the tracks contain offsets into these bytes.
  private(set) var media = ByteWriter()
  /// The IDs of the tracks with rewritten samples.
  private(set) var recodedTracks: Set<UInt32> = []
  /// The errors for tracks that the type cannot contain, by track ID.
  private(set) var refusals: [UInt32: MovieError] = [:]
  /// The IDs of the omitted tracks.
  private(set) var omittedTracks: [UInt32] = []
  /// The message about the last omitted track, or `nil` if no track is omitted.
  private(set) var lastOmission: String?
  /// The side effects and omissions of the conversion, including the warnings about ``losses``.
  private(set) var notices: [EditNotice] = []
  /// The contents that were dropped because the type cannot store them.
  private(set) var losses: [ConversionLoss] = []
  /// The names of the fields that the conversion set to zero, by track ID.
  private(set) var clearedFields: [UInt32: [String]] = [:]

  private var recodedSampleCount = 0
  private let movie: Movie
  private let type: MovieType
  private let limits: SubtitleLimits
  private var tree: AtomTree { movie.tree }

  /// Converts a movie without fragments. Reads text samples, and the first picture of MPEG-1, MPEG-2 and H.263 tracks.
  init(
    _ movie: Movie, to type: MovieType, from source: some RandomAccessSource, limits: SubtitleLimits
  ) throws {
    (self.movie, self.type, self.limits) = (movie, type, limits)
    movieAtom = movie.tree
    var edits = AtomEdits()
    convertMovieAtoms(&edits)
    for track in movie.tracks {
      if let reason = reasonToOmit(track) {
        omittedTracks.append(track.id)
        let omission = "track \(track.id) is omitted: \(reason)"
        notices.append(EditNotice(.leftOut, trackID: track.id, isWarning: true, omission))
        lastOmission = omission
        continue
      }
      var trackEdits = AtomEdits()
      var converter = TrackConverter(
        track, of: movie, to: type, sampleFacts: try .reading(track, to: type, from: source))
      try converter.convert(into: &trackEdits)
      if let refusal = converter.refusal {
        refusals[track.id] = refusal
        continue  // An edit cannot be planned if it keeps this track.
      }
      edits.formUnion(trackEdits)
      notices += converter.notices
      losses += converter.losses
      if !converter.clearedFields.isEmpty { clearedFields[track.id] = converter.clearedFields }
      guard !converter.recoders.isEmpty else { continue }
      recodedTracks.insert(track.id)
      try recode(track, converter.recoders, &edits, source)
    }
    let draft = edits.draft(of: tree)
    var writer = ByteWriter()
    writer.reserve(Int(clamping: draft.byteCount))  // Growing would copy all bytes.
    draft.write(to: &writer)
    movieAtom = try Self.movieAtom(Bytes(writer.take()), of: movie)
  }

  /// Returns the rewritten movie atom. Adjusts offsets of sample auxiliary information that pointed into the old movie
  /// atom.
  private static func movieAtom(_ bytes: Bytes, of movie: Movie) throws(MovieError) -> AtomTree {
    let (offset, limits) = (movie.movieAtom.range.offset, movie.limits.withRoomForEdits)
    let newTree = try AtomTree(bytes, at: offset, limits: limits)
    guard !movie.hasCompressedMovieAtom else { return newTree }
    let moves = try EncryptionMoves(from: movie.tree, to: newTree)
    guard !moves.isEmpty else { return newTree }
    guard let relocated = try moves.relocating(newTree) else {
      throw MovieError(
        .unsupported, in: "moov", "an offset of sample auxiliary information would not fit in the converted movie")
    }
    return try AtomTree(Bytes(relocated), at: offset, limits: limits)
  }

  /// Returns the reason why a track is omitted, or `nil` if it is converted or rejected. A notice shows the reason
  /// after a colon.
  private func reasonToOmit(_ track: Track) -> String? {
    if track.mediaType.rawValue == "hint", type.isQuickTime != (movie.dialect == .quickTime) {
      // The packets of a hint track refer to sample descriptions by number, and the conversion changes the sample
      // descriptions.
      return "packets for a streaming server (hint) cannot be converted to \(type.name)"
    }
    // Except for 3GP and 3G2 files, all types store boxed metadata in the same form (ISO/IEC 14496-12 of 2022, 12.9).
    guard type.isMobile, track.formats.contains("mebx") else { return nil }
    let keys = track.sampleDescriptions.entries.flatMap(\.timedMetadataKeys).map(\.identifier.description)
      .joined(separator: ", ")
    return "\(type.name) cannot contain timed metadata (mebx)" + (keys.isEmpty ? "" : ": \(keys)")
  }

  private mutating func report(_ loss: ConversionLoss) {
    losses.append(loss)
    notices.append(loss.warning)
  }

  // MARK: - The movie

  private mutating func convertMovieAtoms(_ edits: inout AtomEdits) {
    for atom in tree.children(of: tree.root) {
      let name = tree[atom].type
      if name == "mvhd", !type.isQuickTime, movie.header.predefined.contains(where: { $0 != 0 }) {
        var header = movie.header
        header.predefined = Bytes([UInt8](repeating: 0, count: 24))
        edits.replace(atom, with: header.atom("mvhd"))
        // The last field, the current time, is only the last position of a player, so its loss is not reported.
        if movie.header.predefined.prefix(20).contains(where: { $0 != 0 }) {
          report(ConversionLoss(name, nil, "preview, poster and selection times (mvhd) are omitted"))
        }
      } else if !type.isQuickTime, let what = QuickTimeAtoms.movieAtomName(name) {
        edits.remove(atom)
        report(
          ConversionLoss(name, nil, "the \(what) (\(name)) is omitted, because only QuickTime movies can contain it"))
      } else if name == "udta" {
        convertUserData(atom, &edits)
      } else if name == "meta", let new = tree.metadata(atom, for: type) {
        edits.replace(atom, with: new)
      }
    }
    guard !type.isQuickTime else { return }
    for atom in movie.layout.atoms where ["pnot", "PICT", "pict"].contains(atom.type) {
      notices.append(
        EditNotice(
          .leftOut, isWarning: true,
          "the preview (\(atom.type), \(atom.range.count) bytes) is omitted, because only QuickTime movies can contain it"
        ))
    }
  }

  /// Converts user data. Removes Nero's chapter list (`chpl`) from QuickTime movies, the terminating zero from ISO
  /// files, and the session description of hint tracks (`hnti`) if all hint tracks are omitted.
  private mutating func convertUserData(_ udta: Int, _ edits: inout AtomEdits) {
    var omittedTypes: Set<FourCC> = type.isQuickTime ? ["chpl"] : []
    let hints = movie.tracks.filter { $0.mediaType.rawValue == "hint" }
    if !hints.isEmpty, hints.allSatisfy({ reasonToOmit($0) != nil }) { omittedTypes.insert("hnti") }
    let newUserData = tree.userData(udta, for: type, omitting: omittedTypes)
    if !type.isQuickTime, tree.isUserDataMisplaced(udta) {
      edits.remove(udta)
      edits.insert(newUserData ?? tree.bytes(of: udta).array, into: tree.root, before: tree.successorOfNewUserData())
    } else if let newUserData {
      edits.replace(udta, with: newUserData)
    }
  }

  // MARK: - Text

  /// The assumed maximum number of samples per cue. A sample begins at the start and at the end of a cue, and at the
  /// start and the end of an overlapping cue.
  private static let samplesPerCue = 4

  /// Rewrites each sample of a track in another format. The assignment of samples to chunks does not change.
  private mutating func recode(
    _ track: Track, _ recoders: [TextSampleRecoder], _ edits: inout AtomEdits, _ source: some RandomAccessSource
  ) throws {
    let path = tree.path(of: track.atom)
    guard let stbl = tree.sampleTable(ofTrack: track.atom) else { return }
    // Limit the number of samples, because the sample count may be wrong, and many tracks may share their bytes.
    recodedSampleCount += track.samples.sampleCount
    guard recodedSampleCount / Self.samplesPerCue <= limits.cueCount else {
      throw MovieError(
        .limit, in: path,
        "all text tracks together have \(recodedSampleCount) samples; the limit is \(limits.cueCount) cues "
          + "of \(Self.samplesPerCue) samples")
    }
    let samples = Array(track.samples.samples)
    let limit = limits.sampleByteCount
    guard track.mediaByteCount <= UInt64(limit) else {
      throw MovieError(.limit, in: path, "track \(track.id) has more than \(limit) bytes of text")
    }
    let fileByteCount = try source.identity().byteCount
    var sizes: [UInt32] = []
    var positions: [UInt32] = []
    var lastChunk = -1
    var omittedCounts: [String: Int] = [:]
    var unknown = (types: UnknownBoxTypes(), sampleCount: 0)
    var problems = 0
    for sample in samples {
      let recoder = Int(sample.sampleDescriptionIndex) - 1  // Stored indices begin at 1.
      guard let range = sample.byteRange, range.end <= fileByteCount, recoders.indices.contains(recoder) else {
        throw MovieError(.malformed, in: path, "sample \(sample.index + 1) is past the end of the file")
      }
      while lastChunk < sample.chunkIndex {
        positions.append(UInt32(clamping: media.bytes.count))
        lastChunk += 1
      }
      let new = recoders[recoder].recode(range.count > 0 ? try source.readExactly(range) : Bytes())
      for loss in new.omitted { omittedCounts[loss, default: 0] += 1 }
      if !new.unknownTypes.isEmpty {
        unknown.types.formUnion(new.unknownTypes)
        unknown.sampleCount += 1
      }
      if new.problem != nil { problems += 1 }
      sizes.append(UInt32(clamping: new.bytes.count))
      media.write(new.bytes)
      guard media.bytes.count <= limit else {
        throw MovieError(.limit, in: path, "the rewritten text tracks have more than \(limit) bytes")
      }
    }
    while positions.count < track.samples.chunkCount { positions.append(UInt32(clamping: media.bytes.count)) }
    writeTables(sizes, positions, in: stbl, &edits)
    if !unknown.types.isEmpty { omittedCounts[unknown.types.description] = unknown.sampleCount }
    note(omittedCounts, problems, of: track)
  }

  private func writeTables(_ sizes: [UInt32], _ positions: [UInt32], in stbl: Int, _ edits: inout AtomEdits) {
    for atom in tree.children(of: stbl) {
      switch tree[atom].type {
      case "stsz", "stz2":
        let stsz = SampleTableAtoms.sampleSizes(bigEndianWords: sizes.map { $0.bigEndian })
        edits.replace(atom, with: stsz)
      case "stco", "co64":
        edits.replace(atom, with: SampleTableAtoms.chunkOffsets(positions.lazy.map { UInt64($0) }).atom)
      default: break
      }
    }
  }

  private mutating func note(_ omitted: [String: Int], _ problems: Int, of track: Track) {
    if !omitted.isEmpty {
      let list = omitted.sorted { $0.key < $1.key }.map { "\($0.key), in \(counted($0.value, "sample"))" }
      report(
        ConversionLoss(
          "mdat", track.id,
          "dropped from the text of track \(track.id): \(list.joined(separator: "; "))"))
    }
    if problems > 0 {
      report(
        ConversionLoss(
          "mdat", track.id,
          "\(counted(problems, "text sample")) of track \(track.id) could not be read completely"))
    }
  }
}
