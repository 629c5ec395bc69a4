import MovieBox

// The changes of free space that in-place edits and new files may make.
extension AtomChangePolicy {
  /// Returns the changes of free space in a new file. Remains of in-place edits are cleared, compact layouts drop free
  /// space, and free space for metadata may be added.
  static func space(ofNewFile layout: OutputLayout) -> AtomChangePolicy {
    var policy = clearedSpace
    if layout.isCompact {
      let isOmitted: Condition = { ResolvedEdit.mayRemoveSpace($0.index, in: $0.tree) }
      policy.allow(.removal(isOmitted), at: .ending(), ["free", "skip"], in: .anywhere)
    }
    if let room = layout.metadataRoom { policy.join(.room(room)) }
    return policy
  }

  /// Free space that contains the remains of an in-place edit may be replaced by zeros.
  static var clearedSpace: AtomChangePolicy {
    var policy = AtomChangePolicy()
    let zeros = PayloadChange.anyPayload { atom in
      FreeSpace.isLeftByItemEdit(atom.oldIndex, in: atom.old)
        && atom.old[atom.oldIndex].type == atom.new[atom.newIndex].type
        && atom.old[atom.oldIndex].headerByteCount == atom.new[atom.newIndex].headerByteCount
        && atom.old[atom.oldIndex].byteCount == atom.new[atom.newIndex].byteCount && atom.newPayload.isZero
    }
    policy.allow(.change(zeros), at: .ending(), ["free", "skip"], in: .anywhere)
    return policy
  }

  /// Empty free space may be added next to the movie's metadata, and may replace smaller free space.
  static func room(_ room: MetadataRoom) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    policy.allow(
      .any { place in
        place.side.isNew && MetadataRoom.isNextToMetadata(place.index, in: place.tree)
          && room.createsSpace(ofSize: place.tree[place.index].byteCount) && place.payload.isZero
      }, at: .ending("free"), in: .movie)
    policy.allow(
      .removal { place in
        MetadataRoom.isNextToMetadata(place.index, in: place.tree)
          && FreeSpace.contents(inMetadata: place.payload) != .data
      }, at: .ending(), ["free", "skip"], in: .movie)
    return policy
  }

  /// Free space may be added, removed and changed in the `meta` that contains this byte of the file. Its contents are
  /// not considered, because a damaged list that became free space looks like data.
  static func space(besideListAt offset: UInt64) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    policy.allow(
      .any { isSpace($0.index, besideListAt: offset, in: $0.tree) }, at: .ending("meta"), ["free", "skip"],
      in: .anywhere)
    return policy
  }

  /// Throws if free space that contains data was lost. An edit may overwrite only empty space.
  static func checkSpace(besideListAt offset: UInt64, from old: AtomTree, to new: AtomTree) throws(MovieError) {
    func spaces(in tree: AtomTree) -> [Int] {
      (tree.root..<tree[tree.root].subtreeEnd).filter { isSpace($0, besideListAt: offset, in: tree) }
    }
    var remainingSpaces = spaces(in: new)[...]
    for index in spaces(in: old) where FreeSpace.contents(inMetadata: old.payload(of: index)) == .data {
      let bytes = old.bytes(of: index)
      guard let found = remainingSpaces.firstIndex(where: { new.bytes(of: $0) == bytes }) else {
        throw old.error(.planCheckFailed, at: index, "the data in this free space would be lost")
      }
      remainingSpaces = remainingSpaces[(found + 1)...]
    }
  }

  private static func isSpace(_ index: Int, besideListAt offset: UInt64, in tree: AtomTree) -> Bool {
    guard FreeSpace.isSpace(index, in: tree), let meta = tree[index].parent, tree[meta].type == "meta" else {
      return false
    }
    let range = tree.range(of: meta)
    return range.offset <= offset && offset < range.end
  }

  /// Empty free space may be removed where an in-place edit wrote new atoms into the movie atom. Free space may be
  /// added around the new atoms.
  ///
  /// - Parameters:
  ///   - written: the bytes of the file that the edit writes.
  ///   - commit: the offset of the header whose change commits the edit.
  static func space(written: ByteRange, commit: UInt64, in new: AtomTree) -> AtomChangePolicy {
    let isWritten = { (offset: UInt64) in (written.offset..<written.end).contains(offset) }
    // The end of the free space after the new atoms, or the end of the written bytes if no free space follows.
    let end = (new.root..<new[new.root].subtreeEnd).reduce(written.end) { end, index in
      let range = new.range(of: index)
      return FreeSpace.isSpace(index, in: new) && isWritten(range.offset) ? max(end, range.end) : end
    }
    var policy = AtomChangePolicy()
    let isSpace: Condition = { place in
      guard let parent = place.tree[place.index].parent,
        FreeSpace.metadataContainers.contains(place.tree[parent].type)
      else { return false }
      let range = place.tree.range(of: place.index)
      let isEmpty = FreeSpace.contents(inMetadata: place.payload) != .data
      return place.side.isNew
        ? range.offset == commit || isWritten(range.offset) && isEmpty
        : commit <= range.offset && range.end <= end && isEmpty
    }
    policy.allow(.any(isSpace), at: .ending(), ["free", "skip"], in: .anywhere)
    return policy
  }
}
