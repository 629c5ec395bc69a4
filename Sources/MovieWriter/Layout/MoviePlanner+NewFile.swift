import MovieBox

// Plans new files. MediaArrangement determines the contents of the media data, and the file becomes a list of parts. A
// first plan of the parts determines all positions, and a second plan contains the updated positions.
extension MoviePlanner {
  /// A part of the new file.
  private enum Part {
    case unchanged(FileLayout.TopLevelAtom)
    /// Free space with the remains of an in-place edit. The remains are replaced by zeros.
    case cleared(FileLayout.TopLevelAtom)
    /// An `mdat` with changed contents.
    case media(FileLayout.TopLevelAtom, [MediaArrangement.Piece])
    case movie
    /// The file type atom of another type of movie.
    case fileType([UInt8])
    /// An `mdat` that contains only new samples.
    case newMedia([MediaArrangement.Piece])
    case bytes(ByteRange)
    /// Empty free space for later in-place edits.
    case padding(UInt32)
  }

  /// Returns the plan of a new file. The atoms keep their order, except that `moov` follows `ftyp` if `requestedLayout`
  /// requires a fast start and media precedes `moov`.
  ///
  /// New samples that are not interleaved form a run next to `moov`. The run follows `moov` if media follows `moov` or
  /// a fast start is requested. Otherwise, the run precedes `moov`.
  func newFilePlan(_ requestedLayout: OutputLayout) throws -> OutputPlan {
    var wideTracks: Set<Int> = []
    var drafted = try draftedMovie()
    let arrangement = try arrangement(requestedLayout, drafted)
    let parts = try parts(arrangement, requestedLayout)
    while true {
      let skeleton = try plan(
        parts, movie: .zeros(UInt64(drafted.tree.bytes.count)), blockByteCount: requestedLayout.blockByteCount)
      let (bytes, tooNarrow) = try relocated(
        consume drafted, by: skeleton.plan, newMedia: skeleton.newMedia, movieOffset: skeleton.movieOffset)
      if tooNarrow.isEmpty {
        let whole = try plan(
          parts, movie: .generated(Bytes(bytes)), moved: skeleton.plan, blockByteCount: requestedLayout.blockByteCount
        ).plan
        if !arrangement.keepsChunksWhole { try requireWholeChunks(in: whole) }
        return whole
      }
      guard !tooNarrow.isSubset(of: wideTracks) else {
        throw MovieError(.unsupported, in: "moov", "a table of 32-bit positions cannot be widened to 64 bits")
      }
      wideTracks.formUnion(tooNarrow)
      drafted = try draftedMovie(self.bytes(of: draft(wideTracks: wideTracks)))
    }
  }

  /// Returns the arrangement of the media for the new movie. Examines chunks only if they move relative to each other.
  private func arrangement(_ requestedLayout: OutputLayout, _ drafted: DraftedMovie) throws -> MediaArrangement {
    let movesNothing =
      resolved.stages.keptFragments != nil
      || resolved.tracks.removed.isEmpty && !requestedLayout.isCompact && requestedLayout.interleaving != .all
        && (resolved.added.byteCount == 0 || requestedLayout.interleaving == .none)
    if movesNothing { return MediaArrangement() }
    let newMovie = try Movie(
      layout: layout, tree: drafted.tree, fileType: movie.fileType, limits: movie.limits.withRoomForEdits)
    let newChunks = NewChunk.all(resolved, new: newMovie)
    let keepsAllMedia = newChunks.isEmpty && resolved.tracks.removed.isEmpty && !requestedLayout.isCompact
    if keepsAllMedia, isInterleaved(newMovie) { return MediaArrangement(keepsChunksWhole: true) }
    let otherReferences = try otherReferencedBytes(in: drafted)
    let isInserting = requestedLayout.interleaving == .newSamples
    // No map is needed if new chunks are only inserted and no media is omitted.
    let needsMap = !isInserting || requestedLayout.isCompact || !resolved.tracks.removed.isEmpty
    var arrangement = MediaArrangement()
    if needsMap {
      let map = MediaMap(resolved, new: newMovie, others: otherReferences)
      arrangement = MediaArrangement(map, newChunks, requestedLayout, in: movie)
    }
    if isInserting, !newChunks.isEmpty {
      let points = InsertionPoints(for: newChunks, resolved, new: newMovie, others: otherReferences)
      arrangement.insert(newChunks, at: points, in: layout, nothingElseMoves: !needsMap)
    }
    return arrangement
  }

  /// Whether the chunks of all tracks are in one `mdat` and already sorted by time.
  private func isInterleaved(_ new: Movie) -> Bool {
    let media = layout.atoms.filter { $0.type == "mdat" && $0.payloadRange.count > 0 }
    guard let atom = media.first, media.count == 1, !atom.isTruncated else { return false }
    let chunks = ChunksInFileOrder(new.tracks)
    guard !chunks.needsSort else { return false }  // The map sorts the chunks anyway.
    var times = new.tracks.map { ChunkTimes($0, movieTimeScale: new.header.timeScale) }
    var latestTime: UInt64 = 0
    return chunks.allSatisfy { element in
      let time = times[element.track].start(of: element.chunk)
      guard latestTime <= time, atom.payloadRange.contains(element.range) else { return false }
      latestTime = time
      return true
    }
  }

  private func parts(_ arrangement: MediaArrangement, _ requestedLayout: OutputLayout) throws -> [Part] {
    let movieRange = movie.movieAtom.range
    let isFastStart = requestedLayout.isFastStart
    // A movie atom that already precedes the media keeps its position.
    let movesMovieAtom = isFastStart && movie.hasMedia(before: movie.movieAtom.range.offset)
    let oldSpace = requestedLayout.reservesPadding ? try InPlaceFreeSpace(of: movie, in: source).spaceNextToMovie : []
    let spaceLeftByEdits = try movie.spaceLeftByEdits(in: source)
    var parts: [Part] = []
    for (index, atom) in layout.atoms.enumerated()
    where !arrangement.omittedAtomIndices.contains(index) && !resolved.omits(atom) && !oldSpace.contains(atom.range) {
      if atom.range == movieRange {
        if !movesMovieAtom { parts.append(.movie) }
      } else if let pieces = arrangement.payloads[index] {
        parts.append(.media(atom, pieces))
      } else if spaceLeftByEdits.contains(index) {
        if !requestedLayout.omitsSpaceLeftByEdits { parts.append(.cleared(atom)) }
      } else {
        parts.append(.unchanged(atom))
      }
    }
    if let trailing = layout.trailing, resolved.sharing == nil { parts.append(.bytes(trailing)) }
    if let conversion = resolved.stages.converted { parts.insert(.fileType(conversion.fileTypeAtom), at: 0) }
    if movesMovieAtom {
      var position = 0
      if case .unchanged(let first)? = parts.first, first.type == "ftyp" { position = 1 }
      if case .fileType? = parts.first { position = 1 }
      parts.insert(.movie, at: position)
    }
    let moviePosition = parts.firstIndex { if case .movie = $0 { true } else { false } } ?? parts.startIndex
    func isMedia(_ part: Part) -> Bool {
      switch part {
      case .unchanged(let atom): atom.type == "mdat"
      case .media: true
      case .cleared, .movie, .fileType, .newMedia, .bytes, .padding: false
      }
    }
    if let padding = requestedLayout.paddingByteCount, padding > 0, resolved.stages.keptFragments == nil,
      !parts[..<moviePosition].contains(where: isMedia),
      parts[moviePosition...].contains(where: isMedia)
    {
      parts.insert(.padding(Swift.max(padding, UInt32(FreeSpace.markedHeaderByteCount))), at: moviePosition + 1)
    }
    guard resolved.added.byteCount > 0, !arrangement.placesNewSamples else { return parts }
    // If the edit removes all media after `moov`, the layout still counts as fast start.
    let mediaFollows = parts[moviePosition...].contains(where: isMedia) || movie.hasMedia(after: movieRange.offset)
    let run =
      arrangement.newRun ?? [.new(ByteRange(0..<UInt64(resolved.added.bytes.count)))]
      + resolved.added.copiedMedia.map { .source($0.range) }
    let isPadded = if moviePosition + 1 < parts.count, case .padding = parts[moviePosition + 1] { true } else { false }
    parts.insert(
      .newMedia(run), at: mediaFollows || isFastStart ? moviePosition + (isPadded ? 2 : 1) : moviePosition)
    return parts
  }

  /// Returns the plan of the parts, and the positions of the new samples and the movie atom in that plan.
  ///
  /// - Parameter moved: the plan that was made with a placeholder for `moov`. Tables in top-level atoms get their new
  ///   positions from it. Pass `nil` to make that plan.
  private func plan(
    _ parts: [Part], movie: OutputPlan.Content, moved: OutputPlan? = nil, blockByteCount: UInt64?
  ) throws -> (plan: OutputPlan, newMedia: [NewMediaRun], movieOffset: UInt64?) {
    var contents: [OutputPlan.Content] = []
    contents.reserveCapacity(parts.reduce(0) { if case .media(_, let pieces) = $1 { $0 + pieces.count } else { $0 } })
    var newMedia: [NewMediaRun] = []
    var movieOffset: UInt64?
    var position: UInt64 = 0
    func append(_ content: OutputPlan.Content) {
      contents.append(content)
      position &+= content.byteCount  // The plan checks the sum.
    }
    func append(_ pieces: [MediaArrangement.Piece]) {
      for piece in pieces {
        switch piece {
        case .source(let range): append(.source(range))
        case .new(let range):
          newMedia.append(NewMediaRun(range: range, outputOffset: position))
          append(.generated(resolved.added.bytes.slice(at: Int(range.offset), count: Int(range.count)) ?? Bytes()))
        }
      }
    }
    let secondRound = try moved.map { ($0, try KeptFragments(resolved, source)) }
    for part in parts {
      switch part {
      case .movie:
        movieOffset = position
        append(movie)
      case .fileType(let atom): append(.generated(Bytes(atom)))
      case .newMedia(let pieces):
        append(.generated(Bytes(newMediaDataHeader())))
        append(pieces)
      case .bytes(let range): append(.source(range))
      case .cleared(let atom):
        append(.source(ByteRange(atom.range.offset..<atom.payloadRange.offset)))
        append(.zeros(atom.payloadRange.count))
      case .padding(let byteCount):
        append(.generated(Bytes(AtomHeader.bytes(UInt64(byteCount), "free") + FreeSpace.mark)))
        append(.zeros(UInt64(byteCount) - FreeSpace.markedHeaderByteCount))
      case .media(let atom, let pieces):
        append(.generated(Bytes(Self.header(of: atom, payloadByteCount: pieces.reduce(0) { $0 &+ $1.byteCount }))))
        append(pieces)
      case .unchanged(let atom):
        let padding = padding(before: atom, at: position, blockByteCount)
        if padding >= 8 {
          append(.generated(Bytes(AtomHeader.bytes(padding, "free"))))
          append(.zeros(padding - 8))
        }
        if let (_, unchanged) = secondRound, unchanged.frees(atom) {
          append(
            .generated(
              Bytes(
                Self.mediaDataHeader(
                  "free", payloadByteCount: atom.payloadRange.count, isWide: atom.headerByteCount == 16))))
          append(.source(atom.payloadRange))
        } else if let start = resolved.stages.flattened?.start, let event = try EventTime(of: atom, in: source) {
          for content in eventContents(of: atom, event, from: start) { append(content) }
        } else if let (moved, unchanged) = secondRound, let bytes = try relocated(atom, by: moved, unchanged) {
          append(.generated(Bytes(bytes)))
        } else if resolved.closes(atom) {
          append(.generated(Bytes(Self.header(of: atom, payloadByteCount: atom.payloadRange.count))))
          append(.source(atom.payloadRange))
        } else {
          append(.source(atom.range))
        }
      }
    }
    return (
      try OutputPlan(of: resolved.sourceIdentity(), contents), newMedia.sorted { $0.range.offset < $1.range.offset },
      movieOffset
    )
  }

  /// Returns an event whose time counts from the start of the movie.
  private func eventContents(
    of atom: FileLayout.TopLevelAtom, _ event: EventTime, from start: MediaTime
  ) -> [OutputPlan.Content] {
    var time = ByteWriter()
    time.write(event.ticks(from: start))
    let header: OutputPlan.Content =
      atom.sizeField == .toEndOfFile
      ? .generated(Bytes(Self.header(of: atom, payloadByteCount: atom.payloadRange.count)))
      : .source(ByteRange(atom.range.offset..<atom.payloadRange.offset))
    return [
      header, .source(ByteRange(atom.payloadRange.offset..<event.range.offset)), .generated(Bytes(time.take())),
      .source(ByteRange(event.range.end..<atom.range.end)),
    ]
  }

  /// The minimum size of media that shares blocks. Smaller media is copied.
  private static var smallestSharedMedia: UInt64 { 1 << 20 }

  /// Returns the size of the free space to insert before an atom, so that its payload keeps its position within a
  /// block. Returns 0 if the atom shares no blocks.
  private func padding(
    before atom: FileLayout.TopLevelAtom, at position: UInt64, _ blockByteCount: UInt64?
  ) -> UInt64 {
    guard let block = blockByteCount, block > 8, atom.type == "mdat", atom.range.count >= Self.smallestSharedMedia
    else {
      return 0
    }
    let newHeader =
      resolved.closes(atom)
      ? Self.header(of: atom, payloadByteCount: atom.payloadRange.count).count : atom.headerByteCount
    let (old, new) = (atom.payloadRange.offset % block, (position &+ UInt64(newHeader)) % block)
    let distance = (block + old - new) % block
    return distance == 0 || distance >= 8 ? distance : distance + block
  }

  /// Returns the header with the actual size, for an atom with a changed payload or an atom that extended to the end of
  /// the file.
  private static func header(of atom: FileLayout.TopLevelAtom, payloadByteCount: UInt64) -> [UInt8] {
    mediaDataHeader(atom.type, payloadByteCount: payloadByteCount, isWide: atom.sizeField == .wide)
  }
}

extension MediaArrangement.Piece {
  fileprivate var byteCount: UInt64 {
    switch self {
    case .source(let range), .new(let range): range.count
    }
  }
}
