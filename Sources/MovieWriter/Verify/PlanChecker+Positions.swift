import MovieBox

// Checks the file offsets of chunks, sample auxiliary information (`saio`) and items (`iloc`). Each offset must refer
// to the same bytes as before.
extension PlanChecker {
  /// Checks that every offset of a track refers to the same bytes as in its original file. Checks the offsets of a
  /// `moov` outside its tracks, and of a file-level `meta`, in the same way. The original file is a part of the source.
  /// Reads no bytes of the file, and keeps one offset in memory at a time.
  func checkPositions(
    from container: (tree: AtomTree, atom: Int), to newHolder: (tree: AtomTree, atom: Int), ofPart part: Int = 0,
    leavingOut types: Set<FourCC> = []
  ) throws(MovieError) {
    let ((old, oldAtom), (new, newAtom)) = (container, newHolder)
    guard let file = plan.source.range(ofPart: part) else { throw failure("the source has no part \(part)") }
    let before = ByteReferenceReader.tables(in: old, oldAtom).filter { table in
      !types.contains(old[table].type) && !isDropped(table, in: old)
    }
    let after = ByteReferenceReader.tables(in: new, newAtom).filter { !types.contains(new[$0].type) }
    guard before.count == after.count else { throw failure("a table of positions was lost", in: old.path(of: oldAtom)) }
    for (left, right) in zip(before, after) {
      var from = try ByteReferenceReader(old, left)
      var to = try ByteReferenceReader(new, right)
      while true {
        let (one, other) = (try from.next(), try to.next())
        if one == nil, other == nil { break }
        guard let one, let other, one.count == other.count, one.itemExtent == other.itemExtent else {
          throw failure(
            "the number or size of the referenced byte ranges changed", at: old.range(of: left).offset,
            in: old.path(of: left))
        }
        guard isSameReference(other, one, in: file, part) else {
          // If the new movie omits the bytes of a reference, the error is `.unsupported`, because the planner cannot
          // keep such a reference.
          if part == 0, let bytes = omittedBytesDescription(at: one.offset) {
            throw old.error(.unsupported, at: left, "refers to \(bytes)")
          }
          throw failure(
            "the reference to byte \(one.offset) was changed to byte \(other.offset), where other bytes are stored",
            at: old.range(of: left).offset,
            in: old.path(of: left))
        }
      }
    }
  }

  /// Whether sharing removes an atom or one of its ancestors.
  private func isDropped(_ atom: Int, in tree: AtomTree) -> Bool {
    guard let sharing = resolved.sharing else { return false }
    return sequence(first: atom) { tree[$0].parent }.contains { sharing.drops($0, in: tree, [:]) }
  }

  /// Describes the omitted bytes at `offset` for an error, or returns `nil` if the new movie contains the byte.
  private func omittedBytesDescription(at offset: UInt64) -> String? {
    let layout = resolved.movie.layout
    if let container = layout.atoms.last(startingUpTo: offset), offset < container.range.end {
      return resolved.omits(container)
        ? "bytes of the omitted \(container.type) at byte \(container.range.offset)" : nil
    }
    guard resolved.sharing != nil, let trailing = layout.trailing, trailing.offset <= offset, offset < trailing.end
    else { return nil }
    return "omitted bytes after the last atom"
  }

  private func isSameReference(_ new: ByteReference, _ old: ByteReference, in file: ByteRange, _ part: Int) -> Bool {
    guard !old.isExternal, old.offset < file.count else { return new.offset == old.offset }
    let start = file.offset &+ old.offset  // The sum is inside the part.
    // A length of 0 means the whole file, and a range past the end of the file is invalid. In these cases, only the
    // position of the first byte is followed.
    let range = ByteRange(offset: start, count: Swift.max(1, old.count)).flatMap { file.contains($0) ? $0 : nil }
    let from = range ?? ByteRange(start..<start &+ 1)
    if moves.isMoved(from, to: new.offset) { return true }
    // The plan copies only sample data from other movies (`checkForeignMedia`). A position outside the sample data
    // refers to nothing in the new movie and keeps its value.
    guard part == 0 else {
      return plan.sourceExtent(holding: old.offset, ofPart: part) == nil && new.offset == old.offset
    }
    // A position in the old movie atom itself, in the header of media data, or in the remains of an interrupted edit
    // refers to nothing in the new movie and keeps its value.
    let layout = resolved.movie.layout
    if let moved = encryptionMoves.newPosition(of: from.offset) { return new.offset == moved }
    let container = layout.atoms.last(startingUpTo: from.offset)
    let isGone =
      resolved.movie.movieAtom.range.overlaps(from) || layout.leftoverFreeSpace?.overlaps(from) == true
      || container.map { $0.type == "mdat" && from.offset < $0.payloadRange.offset } == true
    return isGone && new.offset == old.offset
  }

  // MARK: - Chunks

  /// Checks that every chunk refers to the same bytes as in its original file. That file is a part of the source.
  func checkChunks(old: Track, new: Track, _ origins: ChunkOrigins) throws(MovieError) {
    guard old.samples.chunkCount == new.samples.chunkCount else {
      throw failure("track \(old.id) had \(old.samples.chunkCount) chunks and now has \(new.samples.chunkCount)")
    }
    // If the old and new tables are equal, each chunk has its old samples, and only its position may differ.
    // MovieAtomCheck has compared the sample descriptions.
    guard old.samples.sampleToChunk == new.samples.sampleToChunk, old.samples.sampleSizes == new.samples.sampleSizes
    else { throw failure("the distribution of samples to the chunks of track \(old.id) changed") }
    let before = ChunkLocator(old)
    let after = ChunkLocator(new)
    let bases = origins.bases(in: plan.source)
    let (newOffsets, oldOffsets) = (new.samples.chunkOffsets, old.samples.chunkOffsets)
    // An upper bound for the size of a chunk, known only if all chunks are in one file. With it, consecutive chunks
    // that moved by one distance within one extent are checked together.
    let byteCountBound =
      before.hasNoLegacyAudioPackets && !after.hasExternalChunks ? old.samples.maximumChunkByteCount : nil
    let base = bases.common
    let files = (0..<Swift.max(1, plan.source.parts.count)).compactMap { plan.source.range(ofPart: $0) }
    let file = files.first { $0.offset == base && $0.count > 0 }
    // Most chunks are in the extent of the previous chunk, or in an extent nearby.
    var lastExtent: OutputPlan.Extent?
    var extentIndex = 0
    func extent(at offset: UInt64) -> OutputPlan.Extent? {
      if let lastExtent, offset >= lastExtent.offset, offset < lastExtent.range.end { return lastExtent }
      lastExtent = plan.extent(at: offset, near: &extentIndex)
      return lastExtent
    }
    /// Returns the first chunk, from `chunk` on, that did not provably move with its extent.
    func firstUnknown(from chunk: Int) -> Int {
      guard let byteCountBound, let base, let file, let extent = extent(at: newOffsets[chunk]),
        let source = extent.sourceRange, file.contains(source), extent.range.count >= byteCountBound
      else { return chunk }
      return newOffsets.firstChunk(
        from: chunk, notMovedBy: extent.offset &- source.offset &+ base, relativeTo: oldOffsets,
        inside: extent.offset...extent.range.end &- byteCountBound)
    }
    func isCopied(_ chunk: Chunk) -> Bool {
      guard chunk.byteCount > 0 else { return true }
      let newOffset = newOffsets[chunk.index]  // The table has one offset for each chunk.
      guard let base = bases[chunk] else { return chunk.offset == newOffset && after.isExternal(chunk) }
      guard let from = before.byteRange(of: chunk)?.moved(by: base), !after.isExternal(chunk),
        let to = ByteRange(offset: newOffset, count: from.count),
        files.contains(where: { $0.offset == base && $0.contains(from) })
      else { return false }
      guard let extent = extent(at: to.offset), let copied = extent.sourceRange, extent.range.contains(to) else {
        return copies(to, of: from)
      }
      return copied.offset &+ (to.offset &- extent.offset) == from.offset
    }
    var finder = ChunkSequence.Finder(old.samples.chunks)
    var next = newOffsets.isEmpty ? 0 : firstUnknown(from: 0)
    while next < newOffsets.count, let chunk = finder.chunk(at: next) {
      guard isCopied(chunk) else { throw lostChunkError(chunk, old, isExternal: bases[chunk] == nil) }
      next = next + 1 < newOffsets.count ? firstUnknown(from: next + 1) : newOffsets.count
    }
  }

  private func lostChunkError(_ chunk: Chunk, _ track: Track, isExternal: Bool) -> MovieError {
    isExternal
      ? failure("chunk \(chunk.index + 1) of track \(track.id) is in another file and was moved")
      : failure("chunk \(chunk.index + 1) of track \(track.id) no longer refers to its bytes", at: chunk.offset)
  }
}

extension [FileLayout.TopLevelAtom] {
  /// Returns the last atom that starts at or before `offset`, or `nil` if there is none.
  func last(startingUpTo offset: UInt64) -> FileLayout.TopLevelAtom? {
    let next = partitioningIndex { $0.range.offset > offset }
    return next > 0 ? self[next - 1] : nil
  }
}

/// The distances by which a plan moves ranges of the source, so that a move can be verified without reading the bytes.
struct ByteMoves {
  /// A range of bytes that moved by one distance.
  private struct Run {
    /// The distance to be added to a position. The sum wraps around if the bytes move toward the start.
    let distance: UInt64
    var source: ByteRange
  }

  /// The runs, sorted by the distance by which they moved, and then by position. Adjacent ranges that moved by the same
  /// distance form one run.
  private var runs: [Run] = []

  /// Creates an empty list of moves.
  init() {}

  /// Creates the moves of the bytes that a plan copies and of the atoms that it rewrites.
  init(of plan: OutputPlan, and rewritten: [(old: ByteRange, newOffset: UInt64)]) {
    var all = rewritten.map { Run(distance: $0.newOffset &- $0.old.offset, source: $0.old) }
    all.reserveCapacity(all.count + plan.extents.count)
    for extent in plan.extents {
      guard let source = extent.sourceRange else { continue }
      all.append(Run(distance: extent.offset &- source.offset, source: source))
    }
    all.sortInterleaved { ($0.distance, $0.source.offset) < ($1.distance, $1.source.offset) }
    for run in all {
      if let last = runs.last, last.distance == run.distance, let joined = last.source.joined(with: run.source) {
        runs[runs.count - 1].source = joined
      } else {
        runs.append(run)
      }
    }
  }

  /// Whether the output contains the source bytes at `range` in one piece at `newOffset`.
  ///
  /// Requires a binary search.
  func isMoved(_ range: ByteRange, to newOffset: UInt64) -> Bool {
    let distance = newOffset &- range.offset
    let next = runs.partitioningIndex { ($0.distance, $0.source.offset) > (distance, range.offset) }
    guard next > 0, runs[next - 1].distance == distance else { return false }
    return range.end <= runs[next - 1].source.end
  }
}
