import MovieBox

/// The result of planning an in-place edit.
enum InPlaceDecision {
  case plan(InPlacePlan)
  /// An in-place edit is impossible for this reason.
  case blocked(String)
}

// Plans in-place edits. The arrangement is first computed only from sizes (InPlaceDraft). Then a plan of the moved
// bytes is used to update all positions. The contents are generated last.
extension MoviePlanner {
  /// Plans the edit in the first possible form: in free space within the movie atom, before it, after it, or at the end
  /// of the file. Therefore, repeated edits alternate within one region of about two movie atoms.
  func inPlaceDecision(_ position: InPlacePlan.Position) throws -> InPlaceDecision {
    if let blocker = formBlocker { return .blocked(blocker) }
    let freeSpace = try InPlaceFreeSpace(of: movie, in: source)
    var wideTracks: Set<Int> = []
    while true {
      let movieDraft = try self.draft(wideTracks: wideTracks)
      if let plan = try itemListPlan(movieDraft) ?? movieSpacePlan(movieDraft) { return .plan(plan) }
      var bytes = try bytes(of: movieDraft)
      let sizes = sizes(movieByteCount: bytes.count, freeSpace)
      let draft: InPlaceDraft
      switch try self.draft(position, freeSpace, sizes) {
      case .success(let found): draft = found
      case .failure(let blocker): return .blocked(blocker.reason)
      }
      let relocation = try relocationPlan(draft, freeSpace, sizes)
      let mediaOffset = draft.offset(of: .media, sizes) ?? draft.writeOffset
      let newMedia = NewMediaRun(
        range: ByteRange(0..<UInt64(resolved.added.bytes.count)),
        outputOffset: mediaOffset + UInt64(newMediaDataHeader().count))
      let drafted = try draftedMovie(bytes)
      bytes = Bytes()  // The draft now owns the bytes and changes them without copying.
      let (newMovie, tooNarrow) = try relocated(drafted, by: relocation, newMedia: [newMedia])
      if tooNarrow.isEmpty { return .plan(try plan(draft, freeSpace, movie: newMovie, relocation)) }
      guard !tooNarrow.isSubset(of: wideTracks) else {
        throw MovieError(.unsupported, in: "moov", "a table of 32-bit positions cannot be widened to 64 bits")
      }
      wideTracks.formUnion(tooNarrow)
    }
  }

  /// Returns the reason why the movie cannot be edited in place, even if its movie atom does not grow, or `nil` if it
  /// can.
  func inPlaceBlocker(_ position: InPlacePlan.Position) throws -> String? {
    if let blocker = formBlocker { return blocker }
    let freeSpace = try InPlaceFreeSpace(of: movie, in: source)
    switch try draft(position, freeSpace, sizes(movieByteCount: movie.tree.bytes.count, freeSpace)) {
    case .success: return nil
    case .failure(let blocker): return blocker.reason
    }
  }

  /// The reason why every ``InPlacePlan/Form`` is impossible, or `nil` if a form may be possible.
  private var formBlocker: String? {
    if resolved.sharing != nil { return "removed data would remain in the file" }
    if movie.isFragmented { return "the movie is fragmented" }
    if movie.movieAtom.sizeField == .toEndOfFile { return "the movie atom extends to the end of the file (size is 0)" }
    return nil
  }

  private func sizes(movieByteCount: Int, _ freeSpace: InPlaceFreeSpace) -> InPlaceDraft.HeaderLayout {
    let addedByteCount = resolved.added.byteCount
    return InPlaceDraft.HeaderLayout(
      movieByteCount: UInt64(movieByteCount), mediaByteCount: addedByteCount &+ UInt64(newMediaDataHeader().count),
      repeatedByteCount: freeSpace.repeatedRanges.reduce(0) { $0 &+ $1.count })  // These are parts of a file.
  }

  private struct Blocker: Error {
    let reason: String
  }

  private func draft(
    _ position: InPlacePlan.Position, _ freeSpace: InPlaceFreeSpace, _ sizes: InPlaceDraft.HeaderLayout
  ) throws -> Result<InPlaceDraft, Blocker> {
    let oldAtom = movie.movieAtom
    // If the new movie atom is in the space before the old one, the new samples precede it. The movie may then no
    // longer be fast-start.
    let keepsFastStart = !layout.isFastStart || layout.isFastStart(withMediaBefore: sizes.mediaByteCount)
    if keepsFastStart, let space = freeSpace.spaceBeforeMovie,
      let draft = InPlaceDraft(in: space, before: oldAtom.range, sizes)
    {
      return .success(draft)
    }
    let previousAtom = freeSpace.atomBeforeMovie
    if let space = freeSpace.spaceAfterMovie,
      let draft = InPlaceDraft(in: space, after: oldAtom.range, previousAtom, sizes)
    {
      return .success(draft)
    }
    if let blocker = freeSpace.reasonAgainstAppending(position, sizes) { return .failure(Blocker(reason: blocker)) }
    let draft = InPlaceDraft(
      appendedAt: freeSpace.keptEnd,
      overwriting: freeSpace.truncatesTail ? 0 : layout.identity.byteCount - freeSpace.keptEnd,
      after: oldAtom, previousAtom, hasMediaBetween: freeSpace.hasMediaAfterMovie, sizes)
    if let draft { return .success(draft) }
    let straddles = !InPlacePlan.HeaderWrite.isInOneSector(oldAtom.range.offset, byteCount: 8)
    return .failure(
      Blocker(
        reason: straddles
          ? "the movie atom's header straddles two sectors"
          : "the free atom that would hide the old movie atom would be larger than 4 GiB")
    )
  }

  /// Returns a provisional plan that shows where each byte moves. The planner uses it to update offsets. It contains
  /// zeros in place of the old movie atom and the repeated atoms.
  private func relocationPlan(
    _ draft: InPlaceDraft, _ freeSpace: InPlaceFreeSpace, _ sizes: InPlaceDraft.HeaderLayout
  ) throws -> OutputPlan {
    var contents: [OutputPlan.Content] = []
    var position: UInt64 = 0
    let freedRanges = [movie.movieAtom.range] + (draft.form.appends ? freeSpace.repeatedRanges : [])
    func keep(upTo end: UInt64) {
      for range in freedRanges where range.end > position && range.offset < end {
        contents.append(.source(ByteRange(position..<Swift.max(position, range.offset))))
        position = Swift.max(position, range.offset)
        contents.append(.zeros(Swift.min(range.end, end) - position))
        position = Swift.min(range.end, end)
      }
      contents.append(.source(ByteRange(position..<Swift.max(position, end))))
      position = Swift.max(position, end)
    }
    keep(upTo: draft.writeOffset)
    for part in draft.parts {
      switch part {
      case .media:
        contents.append(.zeros(UInt64(newMediaDataHeader().count + resolved.added.bytes.count)))
        contents += resolved.added.copiedMedia.map { .source($0.range) }
      case .repeated: contents += freeSpace.repeatedRanges.map { .source($0) }
      case .zeros, .mark, .markedHeader, .freeAtom, .movie: contents.append(.zeros(sizes.byteCount(of: part)))
      }
      position += sizes.byteCount(of: part)
    }
    if !(draft.form.appends && freeSpace.truncatesTail) { keep(upTo: layout.identity.byteCount) }
    return try OutputPlan(of: resolved.sourceIdentity(), contents)
  }

  private func plan(
    _ draft: InPlaceDraft, _ freeSpace: InPlaceFreeSpace, movie newMovie: [UInt8], _ moved: OutputPlan
  ) throws -> InPlacePlan {
    var contents = InPlaceContents()
    var movieOffset: UInt64?
    var storedBytes = [InPlacePlan.StoredBytes(offset: movie.movieAtom.range.offset, bytes: try storedMovieAtom())]
    for part in draft.parts {
      switch part {
      case .zeros, .mark, .freeAtom, .markedHeader: contents.appendSpace(part)
      case .movie:
        movieOffset = draft.writeOffset + contents.byteCount
        contents.append(newMovie)
      case .media:
        contents.append(newMediaDataHeader())
        contents.append(resolved.added.bytes)
        for media in resolved.added.copiedMedia { contents.append(.source(media.range)) }
      case .repeated:
        for atom in freeSpace.repeatedAtoms {
          let old = try source.readExactly(atom.range)
          storedBytes.append(.init(offset: atom.range.offset, bytes: old))
          contents.append(try relocatedFileMetadata(atom, by: moved).map { Bytes($0) } ?? old)
        }
        if let trailing = freeSpace.repeatedTrailing {
          let old = try source.readExactly(trailing)
          storedBytes.append(.init(offset: trailing.offset, bytes: old))
          contents.append(old)
        }
      }
    }
    let space: InPlaceFreeSpace.Space?
    switch draft.form {
    case .inSpaceBefore: space = freeSpace.spaceBeforeMovie
    case .inSpaceAfter: space = freeSpace.spaceAfterMovie
    case .appended, .appendedAfterMedia, .inMetadataBefore, .inMetadataAfter, .inMovieAtom: space = nil
    }
    func storedHead(of range: ByteRange, byteCount: UInt64) throws -> InPlacePlan.StoredBytes {
      let range = ByteRange(range.offset..<range.offset + Swift.min(range.count, byteCount))
      return .init(offset: range.offset, bytes: try source.readExactly(range))
    }
    var overwrittenHead = InPlacePlan.StoredBytes(offset: draft.writeOffset, bytes: Bytes())
    if let space {
      // The file must still contain the header of the space and, unless the space consists of zeros, the mark that
      // identifies the space as empty.
      let count = space.headerByteCount + (space.isZero ? 0 : UInt64(FreeSpace.mark.count))
      overwrittenHead = try storedHead(of: space.range, byteCount: count)
      storedBytes.append(overwrittenHead)
    } else {
      if let tail = freeSpace.emptyTail {
        overwrittenHead = try storedHead(of: tail, byteCount: 8 + UInt64(FreeSpace.mark.count))
      }
      for range in freeSpace.coveredSpace {
        storedBytes.append(try storedHead(of: range, byteCount: 8 + UInt64(FreeSpace.mark.count)))
      }
    }
    let (commit, list) = (draft.commit, contents.list)
    let end = draft.writeOffset + list.reduce(0) { $0 + $1.byteCount }
    let oldEnd = freeSpace.truncatesTail ? draft.writeOffset : Swift.min(end, layout.identity.byteCount)
    return InPlacePlan(
      source: try resolved.sourceIdentity(), form: draft.form, writeOffset: draft.writeOffset, contents: list,
      commit: InPlacePlan.HeaderWrite(
        offset: commit.offset,
        expected: try source.readExactly(
          ByteRange(commit.offset..<commit.offset + UInt64(commit.replacement.count))),
        replacement: Bytes(commit.replacement)),
      requiredOldBytes: storedBytes, overwrittenByteCount: oldEnd - Swift.min(oldEnd, draft.writeOffset),
      overwrittenHead: overwrittenHead,
      markOffset: draft.markOffset, movieOffset: movieOffset,
      truncatesBeforeWriting: draft.form.appends && freeSpace.truncatesTail)
  }

  /// Reads the old movie atom as stored in the file.
  private func storedMovieAtom() throws -> Bytes {
    // A flattened or inflated movie atom differs from the stored atom.
    let isAsRead =
      resolved.stages.flattened == nil && resolved.stages.keptFragments == nil && !movie.hasCompressedMovieAtom
    if isAsRead, UInt64(movie.tree.bytes.count) == movie.movieAtom.range.count { return movie.tree.bytes }
    return try source.readExactly(movie.movieAtom.range)
  }
}

/// The bytes that an in-place edit writes. Adjacent generated bytes are merged.
struct InPlaceContents {
  private var contents: [OutputPlan.Content] = []
  private var generated = ByteWriter()

  /// The maximum size of a byte array that is copied for merging.
  private static var largestJoined: Int { 64 << 10 }

  mutating func append(_ bytes: [UInt8]) { append(Bytes(bytes)) }

  mutating func append(_ bytes: Bytes) {
    if bytes.count > Self.largestJoined { append(.generated(bytes)) } else { generated.write(bytes) }
  }

  mutating func append(_ content: OutputPlan.Content) {
    guard content.byteCount > 0 else { return }
    flush()
    contents.append(content)
  }

  /// Appends a part of free space.
  mutating func appendSpace(_ part: InPlaceDraft.Part) {
    switch part {
    case .zeros(let count): append(.zeros(count))
    case .freeAtom(let count) where count >= 8:
      append(AtomHeader.bytes(count, "free") + [UInt8](repeating: 0, count: Int(clamping: count - 8)))
    case .mark: append(FreeSpace.mark)
    case .markedHeader(let count): append(AtomHeader.bytes(UInt64(count), "free") + FreeSpace.mark)
    case .freeAtom, .movie, .media, .repeated: break
    }
  }

  var byteCount: UInt64 { contents.reduce(UInt64(generated.bytes.count)) { $0 &+ $1.byteCount } }

  private mutating func flush() {
    if !generated.bytes.isEmpty { contents.append(.generated(Bytes(generated.take()))) }
  }

  var list: [OutputPlan.Content] {
    mutating get {
      flush()
      return contents
    }
  }
}
