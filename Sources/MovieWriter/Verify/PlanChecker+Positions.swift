import MovieBox

// Positions other than those of chunks: sample auxiliary information (`saio`) and items (`iloc`).
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
    guard let sharing = revision.sharing else { return false }
    return sequence(first: atom) { tree[$0].parent }.contains { sharing.drops($0, in: tree, [:]) }
  }

  /// What a byte of the file is of that the new movie does not have, as it is said before "left out"; `nil` where it is
  /// of what stays.
  private func leftOutBytes(at offset: UInt64) -> String? {
    let layout = revision.movie.layout
    if let holder = Self.atom(at: offset, among: layout.atoms), offset < holder.range.end {
      return revision.omits(holder) ? "of the \(holder.type) at byte \(holder.range.offset), which is" : nil
    }
    guard revision.sharing != nil, let trailing = layout.trailing, trailing.offset <= offset, offset < trailing.end
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
    let layout = revision.movie.layout
    if let moved = encryptionMoves.newPosition(of: from.offset) { return new.offset == moved }
    let holder = Self.atom(at: from.offset, among: layout.atoms)
    let isGone =
      revision.movie.movieAtom.range.overlaps(from) || layout.leftover?.overlaps(from) == true
      || holder.map { $0.type == "mdat" && from.offset < $0.payloadRange.offset } == true
    return isGone && new.offset == old.offset
  }
}
