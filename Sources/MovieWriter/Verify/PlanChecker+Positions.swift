import MovieBox

// Positions: of chunks, of sample auxiliary information (`saio`) and of items (`iloc`). Each names the bytes that it named.
extension PlanChecker {
  /// Every such position of a track, or of a `moov` or file-level `meta` outside its tracks, names the bytes that it
  /// named in its own file, which is a part of the source. Reads nothing, and holds one position at a time.
  func checkPositions(
    from holder: (tree: AtomTree, atom: Int), to newHolder: (tree: AtomTree, atom: Int), ofPart part: Int = 0,
    leavingOut types: Set<FourCC> = []
  ) throws(MovieError) {
    let ((old, oldAtom), (new, newAtom)) = (holder, newHolder)
    guard let file = plan.source.range(ofPart: part) else { throw failure("the source has no part \(part)") }
    let before = ByteReferenceReader.tables(in: old, oldAtom).filter { table in
      !types.contains(old[table].type) && !isDropped(table, in: old)
    }
    let after = ByteReferenceReader.tables(in: new, newAtom).filter { !types.contains(new[$0].type) }
    guard before.count == after.count else { throw failure("a table of positions is lost", in: old.path(of: oldAtom)) }
    for (left, right) in zip(before, after) {
      var from = try ByteReferenceReader(old, left)
      var to = try ByteReferenceReader(new, right)
      while true {
        let (one, other) = (try from.next(), try to.next())
        if one == nil, other == nil { break }
        guard let one, let other, one.count == other.count, one.itemExtent == other.itemExtent else {
          throw failure("other bytes are named", at: old.range(of: left).offset, in: old.path(of: left))
        }
        guard names(other, sameAs: one, in: file, part) else {
          // The plan could not do better.
          if part == 0, let bytes = leftOutBytes(at: one.offset) {
            throw old.error(.unsupported, at: left, "names bytes \(bytes) left out")
          }
          throw failure(
            "position \(one.offset) became \(other.offset), where other bytes stand", at: old.range(of: left).offset,
            in: old.path(of: left))
        }
      }
    }
  }

  /// Whether an atom, or one that it is in, goes because the movie is shared.
  private func isDropped(_ atom: Int, in tree: AtomTree) -> Bool {
    guard let sharing = resolved.sharing else { return false }
    return sequence(first: atom) { tree[$0].parent }.contains { sharing.drops($0, in: tree, [:]) }
  }

  /// What a byte of the file is of that the new movie does not have, as it is said before "left out"; `nil` where it is
  /// of what stays.
  private func leftOutBytes(at offset: UInt64) -> String? {
    let layout = resolved.movie.layout
    if let holder = Self.atom(at: offset, among: layout.atoms), offset < holder.range.end {
      return resolved.omits(holder) ? "of the \(holder.type) at byte \(holder.range.offset), which is" : nil
    }
    guard resolved.sharing != nil, let trailing = layout.trailing, trailing.offset <= offset, offset < trailing.end
    else { return nil }
    return "after the last atom, which are"
  }

  private func names(_ new: ByteReference, sameAs old: ByteReference, in file: ByteRange, _ part: Int) -> Bool {
    guard !old.isExternal, old.offset < file.count else { return new.offset == old.offset }
    let start = file.offset &+ old.offset  // Inside the part.
    // No length means the whole file; one past the end of the file is broken. The first byte is followed then.
    let range = ByteRange(offset: start, count: Swift.max(1, old.count)).flatMap { file.contains($0) ? $0 : nil }
    let from = range ?? ByteRange(start..<start &+ 1)
    if moves.isMoved(from, to: new.offset) { return true }
    // Of another movie come only the bytes that its samples need (`checkForeignMedia`). A position outside of them has
    // nothing to follow, and keeps its number.
    guard part == 0 else {
      return plan.sourceExtent(holding: old.offset, ofPart: part) == nil && new.offset == old.offset
    }
    // What names other bytes of the old movie atom itself, of the header of media data, or of what an interrupted edit left,
    // has nothing to follow.
    let layout = resolved.movie.layout
    if let moved = encryptionMoves.newPosition(of: from.offset) { return new.offset == moved }
    let holder = Self.atom(at: from.offset, among: layout.atoms)
    let isGone =
      resolved.movie.movieAtom.range.overlaps(from) || layout.leftover?.overlaps(from) == true
      || holder.map { $0.type == "mdat" && from.offset < $0.payloadRange.offset } == true
    return isGone && new.offset == old.offset
  }

  /// The last of `atoms` that begins no later than `offset`.
  static func atom(at offset: UInt64, among atoms: [FileLayout.TopLevelAtom]) -> FileLayout.TopLevelAtom? {
    let next = atoms.partitioningIndex { $0.range.offset > offset }
    return next > 0 ? atoms[next - 1] : nil
  }

  // MARK: - Chunks

  /// Every chunk names the bytes that it named in its own file, which is a part of the source.
  func checkChunks(old: Track, new: Track, _ origins: ChunkOrigins) throws(MovieError) {
    guard old.samples.chunkCount == new.samples.chunkCount else {
      throw failure("track \(old.id) had \(old.samples.chunkCount) chunks, has \(new.samples.chunkCount)")
    }
    // With these the same, a chunk holds what it held, and only its place may be another. Descriptions were compared
    // with the atoms.
    guard old.samples.sampleToChunk == new.samples.sampleToChunk, old.samples.sampleSizes == new.samples.sampleSizes
    else { throw failure("the chunks of track \(old.id) hold other samples than before") }
    let before = ChunkLocator(old)
    let after = ChunkLocator(new)
    let bases = origins.bases(in: plan.source)
    let (places, oldPlaces) = (new.samples.chunkOffsets, old.samples.chunkOffsets)
    // No chunk here is larger, and all lie in one file: then chunks that went the same way, inside of one extent, are
    // looked at together.
    let bound = before.hasNoPackets && !after.hasExternalChunks ? old.samples.chunkByteCountBound : nil
    let base = bases.common
    let files = (0..<Swift.max(1, plan.source.parts.count)).compactMap { plan.source.range(ofPart: $0) }
    let file = files.first { $0.offset == base && $0.count > 0 }
    /// The first chunk from one on that is not known to have gone where its extent did.
    func firstUnknown(from chunk: Int) -> Int {
      guard let bound, let base, let file, let extent = plan.extent(at: places[chunk]),
        let source = extent.sourceRange, file.contains(source), extent.range.count >= bound
      else { return chunk }
      return places.firstChunk(
        from: chunk, notAt: extent.offset &- source.offset &+ base, from: oldPlaces,
        in: extent.offset...extent.range.end &- bound)
    }
    var known: OutputPlan.Extent?  // Chunks mostly lie in the same extent as the one before.
    func isCopied(_ chunk: Chunk) -> Bool {
      guard chunk.byteCount > 0 else { return true }
      let place = places[chunk.index]  // As many as there are chunks.
      guard let base = bases[chunk] else { return chunk.offset == place && after.isExternal(chunk) }
      guard let from = before.byteRange(of: chunk)?.moved(by: base), !after.isExternal(chunk),
        let to = ByteRange(offset: place, count: from.count),
        files.contains(where: { $0.offset == base && $0.contains(from) })
      else { return false }
      if known.map({ $0.range.contains(to) }) != true { known = plan.extent(at: to.offset) }
      guard let extent = known, let copied = extent.sourceRange, extent.range.contains(to) else {
        return copies(to, of: from)
      }
      return copied.offset &+ (to.offset &- extent.offset) == from.offset
    }
    var finder = ChunkSequence.Finder(old.samples.chunks)
    var next = places.isEmpty ? 0 : firstUnknown(from: 0)
    while next < places.count, let chunk = finder.chunk(at: next) {
      guard isCopied(chunk) else { throw lost(chunk, old, isExternal: bases[chunk] == nil) }
      next = next + 1 < places.count ? firstUnknown(from: next + 1) : places.count
    }
  }

  private func lost(_ chunk: Chunk, _ track: Track, isExternal: Bool) -> MovieError {
    isExternal
      ? failure("chunk \(chunk.index + 1) of track \(track.id) lies in another file and was moved")
      : failure("chunk \(chunk.index + 1) of track \(track.id) no longer refers to its bytes", at: chunk.offset)
  }
}

/// Where runs of bytes went, so that a run can be looked up without a look at its bytes.
struct ByteMoves {
  /// Bytes that all went the same distance.
  private struct Run {
    /// What is added to a position, wrapping where it goes back.
    let distance: UInt64
    var source: ByteRange
  }

  /// By distance, then by place; no two of one distance touch.
  private var runs: [Run] = []

  /// No bytes.
  init() {}

  /// The bytes that a plan copies, and atoms that it writes again.
  init(of plan: OutputPlan, and rewritten: [(old: ByteRange, newOffset: UInt64)]) {
    var all = rewritten.map { Run(distance: $0.newOffset &- $0.old.offset, source: $0.old) }
    for extent in plan.extents {
      guard let source = extent.sourceRange else { continue }
      all.append(Run(distance: extent.offset &- source.offset, source: source))
    }
    all.sort { ($0.distance, $0.source.offset) < ($1.distance, $1.source.offset) }
    for run in all {
      if let last = runs.last, last.distance == run.distance, let joined = last.source.joined(with: run.source) {
        runs[runs.count - 1].source = joined
      } else {
        runs.append(run)
      }
    }
  }

  /// Whether the bytes at `range` of the source stand, in one piece, at `newOffset` of the output.
  ///
  /// Costs a binary search.
  func isMoved(_ range: ByteRange, to newOffset: UInt64) -> Bool {
    let distance = newOffset &- range.offset
    let next = runs.partitioningIndex { ($0.distance, $0.source.offset) > (distance, range.offset) }
    guard next > 0, runs[next - 1].distance == distance else { return false }
    return range.end <= runs[next - 1].source.end
  }
}
