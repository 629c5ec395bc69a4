package import MovieBox

extension FreeSpace {
  /// Whether an atom of the movie atom is free space.
  package static func isSpace(_ index: Int, in tree: AtomTree) -> Bool { ["free", "skip"].contains(tree[index].type) }

  /// The atoms inside the movie atom in whose free space an edit of user data and metadata may write.
  static let holdersOfMetadata: Set<FourCC> = ["moov", "trak", "udta", "meta"]

  /// Whether an atom is free space beside user data or metadata, and contains what an edit left there: atoms and items
  /// that were replaced or removed since.
  package static func isLeftByItemEdit(_ index: Int, in tree: AtomTree) -> Bool {
    guard isSpace(index, in: tree), let parent = tree[index].parent, holdersOfMetadata.contains(tree[parent].type)
    else { return false }
    return contents(inMetadata: tree.payload(of: index)) == .leftByEdit
  }

  /// The contents of the payload of a free atom inside the movie atom.
  ///
  /// Free space that a commit of ``InPlacePlan/Form/inMovieAtom`` made begins with old atoms and ends with the mark.
  /// An edit of the items beside it turns the old list into free space, which goes on with the header and the mark of
  /// the space that the new list was written to (``InPlacePlan/Form/inMetadataAfter``).
  static func contents(inMetadata payload: Bytes) -> Contents {
    if [0, 8].contains(where: { payload.dropFirst($0).prefix(mark.count).elementsEqual(mark) }) { return .leftByEdit }
    if payload.dropFirst(Swift.max(0, payload.count - mark.count)).elementsEqual(mark) { return .leftByEdit }
    // A mark that a power loss tore: nothing was written after it.
    if payload.isZero || isUnmarked(payload.prefix(mark.count)) && payload.dropFirst(mark.count).isZero {
      return .zeros
    }
    // Items, or what `keys` has after its count and `ilst`: sizes and types, as atoms have them.
    for start in [0, 8] where isFollowedByMark(payload, from: start) { return .leftByEdit }
    return .data
  }

  private static func isFollowedByMark(_ payload: Bytes, from start: Int) -> Bool {
    var position = start
    while let size = payload.load(at: position, as: UInt32.self),
      let type = payload.load(at: position + 4, as: UInt32.self).map({ FourCC(rawValue: $0) })
    {
      if type == "free" || type == "skip" {
        return payload.dropFirst(position + 8).prefix(mark.count).elementsEqual(mark)
      }
      guard size >= 8, Int(size) <= payload.count - position else { return false }
      position += Int(size)
    }
    return false
  }
}

extension FileLayout.TopLevelAtom {
  /// Whether the atom is free space that an edit in place left, mostly an old movie atom.
  func isSpaceLeftByEdit(in source: some RandomAccessSource) throws -> Bool {
    guard isFreeSpace, !isTruncated, sizeField != .toEndOfFile, payloadRange.count > 0 else { return false }
    return try FreeSpace.isLeftByEdit(payloadRange, in: source)
  }
}
