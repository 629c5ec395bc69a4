import MovieBox

/// Plans the file of a resolved edit, in place or as a new file, and updates every position in it.
///
/// Positions depend on the size of the movie atom, and that size depends on the width of the position tables.
/// Therefore, a plan is made in two rounds. The first round uses placeholders for the movie atom, and the second round
/// uses the positions from the first round. The rounds are repeated if a table needs 64-bit positions.
///
/// Reads no samples. Reads only the atoms after `moov` (at most 1 MiB), free space, positions and track IDs in
/// top-level atoms, and the bytes that an in-place edit overwrites.
struct MoviePlanner<Source: RandomAccessSource> {
  let resolved: ResolvedEdit
  let source: Source

  var movie: Movie { resolved.movie }
  var layout: FileLayout { resolved.movie.layout }

  /// Returns the header of the `mdat` of all new samples, or an empty array if there are no new samples.
  func newMediaDataHeader() -> [UInt8] {
    let byteCount = resolved.added.byteCount
    guard byteCount > 0 else { return [] }
    return Self.mediaDataHeader("mdat", payloadByteCount: byteCount)
  }

  /// Returns the header of an atom with this payload size. It has 16 bytes if requested or required.
  static func mediaDataHeader(_ type: FourCC, payloadByteCount: UInt64, isWide: Bool = false) -> [UInt8] {
    let isWide = isWide || UInt32(exactly: payloadByteCount &+ 8) == nil  // File sizes do not overflow here.
    return AtomHeader.bytes(payloadByteCount &+ (isWide ? 16 : 8), type, isWide: isWide)
  }

  /// The new movie atom before its positions are updated, parsed once.
  struct DraftedMovie {
    /// The tree of the movie atom.
    let tree: AtomTree
    /// The tables and `iloc` atoms that contain file offsets.
    let offsets: OffsetTables

    /// Returns the bytes of the atom. The caller becomes their only owner, so it can change them without a copy.
    consuming func takeBytes() -> [UInt8] { tree.bytes.array }
  }

  func draft(wideTracks: Set<Int>) throws(MovieError) -> AtomDraft {
    let draft = try resolved.draft(wideTracks: wideTracks)
    try draft.requireFits32BitSize()
    return draft
  }

  /// Returns the bytes of a drafted movie atom, with an explicit size.
  func bytes(of draft: AtomDraft) throws(MovieError) -> Bytes {
    var writer = ByteWriter()
    writer.reserve(movie.tree.bytes.count + 1 << 20)  // Growing would copy all bytes.
    draft.write(to: &writer)
    // A movie atom without changes is copied with its header. Other atoms may follow the copy, so its size field must
    // not mean "to the end of the file". An inflated movie atom already has an explicit size.
    if movie.movieAtom.sizeField == .toEndOfFile, !movie.hasCompressedMovieAtom {
      guard let byteCount = UInt32(exactly: writer.bytes.count) else {
        throw MovieError(.limit, in: "moov", "the new movie atom is larger than 4 GiB")
      }
      writer.patch(byteCount, at: 0)
    }
    return Bytes(writer.take())
  }

  /// Returns the parsed new movie atom. Parses nothing if the edit does not change the atom, as after most conversions.
  func draftedMovie() throws(MovieError) -> DraftedMovie {
    let isUnchanged =
      resolved.edits.isEmpty && resolved.metadataRoom == nil && movie.movieAtom.sizeField != .toEndOfFile
      && movie.tree.enclosingPath.isEmpty
    guard isUnchanged else { return try draftedMovie(bytes(of: draft(wideTracks: []))) }
    let tree = movie.tree.moved(to: 0)
    return DraftedMovie(tree: tree, offsets: try offsetTables(in: tree))
  }

  /// Parses the bytes of a drafted movie atom.
  func draftedMovie(_ bytes: Bytes) throws(MovieError) -> DraftedMovie {
    let tree = try AtomTree(bytes, at: 0, limits: movie.limits.withRoomForEdits)
    return DraftedMovie(tree: tree, offsets: try offsetTables(in: tree))
  }

  /// Returns the bytes of the new `moov` with updated positions, and the indices of the tracks whose 32-bit table is
  /// too narrow. If there are such tracks, the bytes are unusable.
  func relocated(
    _ drafted: consuming DraftedMovie, by plan: OutputPlan, newMedia: [NewMediaRun], movieOffset: UInt64? = nil
  ) throws(MovieError) -> (bytes: [UInt8], tooNarrow: Set<Int>) {
    let offsets = drafted.offsets
    let encryption = try movieOffset.map { offset throws(MovieError) in
      try resolved.encryptionMoves(to: drafted.tree, at: offset)
    }
    var buffer = drafted.takeBytes()
    var tooNarrow: Set<Int> = []
    let keepsPositions = plan.keepsPositions
    for index in offsets.tables {
      let fits = index.origins.allSatisfy { part in
        // If no media moves, as in most in-place edits, the offsets are skipped. A film of three hours has 650 000
        // chunks.
        let moves = index.auxiliaryPath != nil && part.origin == .part(0) ? encryption : nil
        if keepsPositions, part.origin == .part(0), moves?.isEmpty ?? true { return true }
        var positions = PositionMap(plan: plan, origin: part.origin, newMedia: newMedia, encryption: moves)
        return buffer.move(part.entries, of: index.table, by: &positions)
      }
      guard !fits else { continue }
      guard index.table.width == 4, index.auxiliaryPath == nil else {
        throw MovieError(
          .unsupported, in: index.auxiliaryPath ?? "moov",
          "in the edited movie, a position of sample auxiliary information would not fit into its 4 bytes")
      }
      tooNarrow.insert(index.table.trackIndex)
    }
    for (itemStart, path, item) in offsets.items {
      let payload: [UInt8]
      do throws(MovieError) {
        payload = try item.relocated(by: plan)
      } catch {
        // The error refers to the old atom at this path, because the new atom is not in the file.
        throw movie.tree.index(at: path).map { old in
          error.located(inside: movie.tree.path(of: old), startingAt: movie.tree.payloadOffset(of: old))
        } ?? error
      }
      buffer.replaceSubrange(itemStart..<itemStart + payload.count, with: payload)
    }
    return (buffer, tooNarrow)
  }

  /// Returns the bytes of the movie's file to which a drafted `moov` and file-level `meta` atoms refer, except the
  /// bytes of chunks.
  func otherReferencedBytes(in drafted: DraftedMovie) throws -> [ByteRange] {
    let ofMovie = drafted.offsets.tables.lazy.filter { index in
      index.auxiliaryPath != nil && index.origins.first?.origin == .part(0)
    }
    return try movie.otherReferencedBytes(
      by: ofMovie.map(\.table), in: drafted.tree.bytes, drafted.offsets.items.map(\.locations), of: source)
  }

  /// Throws if the plan separates the bytes of a chunk.
  ///
  /// This affects a chunk that crosses top-level atoms between which bytes are inserted, and a chunk in a header that
  /// is rewritten. No known writer makes such chunks.
  func requireWholeChunks(in plan: OutputPlan) throws(MovieError) {
    for track in movie.tracks where !resolved.tracks.removed.contains(track.id) {
      var knownRange = ByteRange(0..<0)
      let torn = track.firstChunk { reach in
        !knownRange.contains(reach)
      } where: { range in
        guard let range else { return false }
        knownRange = plan.sourceExtent(holding: range.offset)?.sourceRange ?? ByteRange(0..<0)
        return !knownRange.contains(range)
      }
      guard let torn = torn?.chunk else { continue }
      if resolved.sharing != nil, let holder = layout.atoms.last(where: { $0.range.offset <= torn.offset }),
        resolved.omits(holder)
      {
        throw MovieError(
          .unsupported, at: holder.range.offset, in: holder.type.description,
          "contains samples of track \(track.id), but must be omitted for sharing, because it contains unknown data")
      }
      throw movie.tree.error(
        .unsupported, at: track.atom,
        "the bytes of chunk \(torn.index + 1) at \(torn.offset) would be separated: they are not within one atom"
      )
    }
  }

  /// The tables and `iloc` atoms of a drafted movie atom that contain file offsets.
  struct OffsetTables {
    struct Table {
      let table: PositionTable
      /// The origins of the positions, by runs of entries that together cover the table.
      let origins: [(entries: Range<Int>, origin: PositionOrigin)]
      /// The path of an auxiliary information table, or `nil` for a table of chunks.
      let auxiliaryPath: String?
    }

    var tables: [Table]
    /// The start of each `iloc` atom's payload, and its path.
    var items: [(start: Int, path: String, locations: ItemLocations)]
  }

  private func offsetTables(in tree: AtomTree) throws(MovieError) -> OffsetTables {
    let parts = Dictionary(uniqueKeysWithValues: resolved.added.importedTracks.map { ($0.id, $0.part) })
    let ids = try tree.children(of: tree.root, "trak").map { trak throws(MovieError) -> UInt32? in
      try tree.decode(TrackHeader.self, "tkhd", in: trak)?.trackID
    }
    let tables = try PositionTable.all(in: tree).map { table throws(MovieError) -> OffsetTables.Table in
      let isAuxiliary = tree[table.atom].type == "saio"
      let origin: PositionOrigin
      if let id = ids[table.trackIndex] {
        if isAuxiliary, resolved.added.tracksWithAuxiliary.contains(id) {
          origin = .newMedia
        } else {
          origin = parts[id].map { .part($0) } ?? (resolved.tracks.new.contains(id) ? .newMedia : .part(0))
        }
      } else {
        origin = .part(0)
      }
      let external = isAuxiliary ? nil : ids[table.trackIndex].flatMap { resolved.added.externalMedia[$0] }
      return OffsetTables.Table(
        table: table,
        origins: try external.map { media throws(MovieError) in try origins(of: table, in: tree, media) }
          ?? [(0..<table.count, origin)],
        auxiliaryPath: isAuxiliary ? tree.path(of: table.atom) : nil)
    }
    let items = try ItemLocations.all(in: tree).map { iloc, locations in
      (tree[iloc].start + tree[iloc].headerByteCount, tree.path(of: iloc), locations)
    }
    return OffsetTables(tables: tables, items: items)
  }

  /// Returns the origins of a track's chunks if the edit copies some of them from other files.
  private func origins(
    of table: PositionTable, in tree: AtomTree, _ external: ExternalMedia
  ) throws(MovieError) -> [(entries: Range<Int>, origin: PositionOrigin)] {
    guard let stbl = tree[table.atom].parent, let stsd = tree.child(of: stbl, "stsd"),
      let stsc = tree.child(of: stbl, "stsc")
    else { return [(0..<table.count, .part(0))] }
    let parts = try tree.decode(SampleDescriptions.self, at: stsd).entries.map {
      external.parts[Int($0.dataReferenceIndex) - 1]  // Stored indices begin at 1.
    }
    var origins: [(entries: Range<Int>, origin: PositionOrigin)] = []
    for part in Set(external.parts.values).sorted() {
      let runs = try ChunkLocator.chunks(of: stsc, in: tree, count: table.count) { description in
        parts.indices.contains(description) && parts[description] == part
      }
      origins += runs.map { ($0, .part(part)) }
    }
    origins.sort { $0.entries.lowerBound < $1.entries.lowerBound }
    var allOrigins: [(entries: Range<Int>, origin: PositionOrigin)] = []
    var next = 0
    for run in origins {
      if next < run.entries.lowerBound { allOrigins.append((next..<run.entries.lowerBound, .part(0))) }
      allOrigins.append(run)
      next = run.entries.upperBound
    }
    if next < table.count { allOrigins.append((next..<table.count, .part(0))) }
    return allOrigins
  }

  /// Returns a file-level `meta` with updated positions, or `nil` if its bytes do not change.
  func relocatedFileMetadata(_ atom: FileLayout.TopLevelAtom, by plan: OutputPlan) throws -> [UInt8]? {
    guard atom.type == "meta" else { return nil }
    let tree = try movie.fileMetadata(atom, in: source)
    let items = try ItemLocations.all(in: tree)
    guard !items.isEmpty else { return nil }
    var buffer = tree.bytes.array
    for (iloc, item) in items {
      let payload = try tree.locating(iloc) { _ throws(MovieError) in try item.relocated(by: plan) }
      let start = tree[iloc].start + tree[iloc].headerByteCount
      buffer.replaceSubrange(start..<start + payload.count, with: payload)
    }
    return buffer
  }
}

extension [UInt8] {
  /// Updates entries of one table in the bytes of a movie atom. Returns `false` if a new position does not fit.
  fileprivate mutating func move(
    _ entries: Range<Int>, of table: PositionTable, by positions: inout PositionMap
  ) -> Bool {
    var next = entries.lowerBound
    for external in table.externalEntries where external.upperBound > next && external.lowerBound < entries.upperBound {
      guard moveAll(next..<Swift.max(next, external.lowerBound), of: table, &positions) else { return false }
      next = external.upperBound
    }
    return moveAll(next..<Swift.max(next, entries.upperBound), of: table, &positions)
  }

  /// Updates consecutive entries. None of them may refer to another file.
  private mutating func moveAll(
    _ entries: Range<Int>, of table: PositionTable, _ positions: inout PositionMap
  ) -> Bool {
    table.width == 4
      ? moveNumbers(UInt32.self, entries, from: table.start, &positions)
      : moveNumbers(UInt64.self, entries, from: table.start, &positions)
  }

  @inline(__always)
  private mutating func moveNumbers<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Number.Type, _ entries: Range<Int>, from start: Int, _ positions: inout PositionMap
  ) -> Bool {
    let width = MemoryLayout<Number>.size
    precondition(entries.isEmpty || start >= 0 && start + entries.upperBound * width <= count)
    // SAFETY: the precondition ensures that all entries are within the bytes.
    return unsafe withUnsafeMutableBytes { bytes in
      var entry = entries.lowerBound
      while entry < entries.upperBound {
        let byteOffset = start &+ entry &* width
        let old = UInt64(Number(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: byteOffset, as: Number.self)))
        entry &+= 1
        // If the plan does not contain a position, the position belongs to an empty chunk and is unchanged. The checker
        // verifies this.
        guard let new = positions.newPosition(of: old), new != old else { continue }
        guard let fitting = Number(exactly: new) else { return false }
        unsafe bytes.storeBytes(of: fitting.bigEndian, toByteOffset: byteOffset, as: Number.self)
        // Most entries follow an entry of the same run, and move by the same distance.
        guard let (range, distance) = positions.lastRun(fitting: Number.self) else { continue }
        while entry < entries.upperBound {
          let byteOffset = start &+ entry &* width
          let next = Number(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: byteOffset, as: Number.self))
          guard next &- range.lowerBound < range.upperBound &- range.lowerBound else { break }
          unsafe bytes.storeBytes(of: (next &+ distance).bigEndian, toByteOffset: byteOffset, as: Number.self)
          entry &+= 1
        }
      }
      return true
    }
  }
}

/// The position of a run of new samples in the output.
struct NewMediaRun {
  /// The range, counted from the first byte of the new samples.
  let range: ByteRange
  let outputOffset: UInt64
}

/// The file or buffer to which the old positions of a table refer.
enum PositionOrigin: Equatable {
  /// A part of the source. Part 0 is the movie's own file, and other parts are files from which tracks are imported.
  case part(Int)
  /// The new samples.
  case newMedia
}

/// The mapping of old to new positions for one table.
///
/// Adjacent chunks are usually in one extent, so the last extent is cached. The plan is then searched once for each
/// extent instead of each chunk.
private struct PositionMap {
  private let plan: OutputPlan
  private let origin: PositionOrigin
  private let newMedia: [NewMediaRun]
  private let encryption: EncryptionMoves?
  private var knownRange: Range<UInt64> = 0..<0
  private var knownOutputOffset: UInt64 = 0
  /// The position of the last search in the plan. The next chunk of a track is usually close.
  private var extentHint = 0

  /// - Parameter newMedia: the runs of new samples, sorted by range.
  init(plan: OutputPlan, origin: PositionOrigin, newMedia: [NewMediaRun], encryption: EncryptionMoves?) {
    self.plan = plan
    self.origin = origin
    self.newMedia = newMedia
    self.encryption = encryption
  }

  @inline(__always)
  mutating func newPosition(of old: UInt64) -> UInt64? {
    if !knownRange.contains(old) {
      guard let (range, output) = run(holding: old) else { return encryption?.newPosition(of: old) }
      knownRange = range.offset..<range.end
      knownOutputOffset = output
    }
    return knownOutputOffset &+ (old &- knownRange.lowerBound)
  }

  /// Returns the old range of the run that contains the last position, and the distance by which the run moves, modulo
  /// the width of `Number`. Returns `nil` if there is no run, or if an old or new position in the run does not fit.
  func lastRun<Number: FixedWidthInteger & UnsignedInteger>(
    fitting type: Number.Type
  ) -> (range: Range<Number>, distance: Number)? {
    guard !knownRange.isEmpty, let start = Number(exactly: knownRange.lowerBound),
      let end = Number(exactly: knownRange.upperBound), let newStart = Number(exactly: knownOutputOffset),
      Number(exactly: knownOutputOffset.addingClamped(UInt64(end &- start))) != nil
    else { return nil }
    return (start..<end, newStart &- start)
  }

  /// Returns the run of ``origin`` that contains an old position, and the new offset of the run.
  private mutating func run(holding old: UInt64) -> (ByteRange, UInt64)? {
    if case .part(let part) = origin {
      guard let extent = plan.sourceExtent(holding: old, ofPart: part, near: &extentHint),
        let source = extent.sourceRange,
        let whole = plan.source.range(ofPart: part), let own = source.intersection(whole)
      else { return nil }
      // Clip the extent to the part, because an extent may extend from one part of the source into the next.
      return (
        ByteRange(own.offset &- whole.offset..<own.end &- whole.offset), extent.offset &+ (own.offset &- source.offset)
      )
    }
    let index = newMedia.partitioningIndex { $0.range.end > old }
    guard index < newMedia.count, newMedia[index].range.offset <= old else { return nil }
    return (newMedia[index].range, newMedia[index].outputOffset)
  }
}
