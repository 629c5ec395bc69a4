import MovieBox

/// An edit of user data and metadata that is written to empty free space within the movie atom.
///
/// ``ItemListEdit`` handles one list and the free space next to it, but many edits change more. For example, a title is
/// an item of the iTunes list and a 3GPP atom in `udta`, or keys in `meta` and texts in `udta`. Such an edit still
/// needs only one commit. First, the new atoms are written into free space after or before the old atoms. Then one
/// header turns everything from the first old atom to the first new atom into free space. The free space may be deeper
/// in the tree than the atoms: free space at the end of `meta` can receive atoms of `udta`. It then becomes part of the
/// free space around the new atoms.
struct MovieSpaceEdit {
  /// The range of the file that contains the old atoms and the free space. The edit changes nothing outside it.
  let region: ByteRange
  /// The empty free space.
  let space: InPlaceFreeSpace.Space
  /// Whether the payload of the space starts with the mark.
  let isMarked: Bool
  /// The new atoms.
  let new: Bytes
  /// Whether the new atoms are written at the start of the space instead of its end. The next edit then finds the
  /// remaining space next to them.
  let isAtStartOfSpace: Bool

  /// The bytes that the edit writes, and the header that commits them.
  struct Draft {
    let writeOffset: UInt64
    let parts: [InPlaceDraft.Part]
    let commit: InPlaceDraft.Commit
    let markOffset: UInt64?
  }

  private static var markByteCount: UInt64 { UInt64(FreeSpace.mark.count) }

  /// The edit with positions for its atoms, or `nil` if they do not fit into the space.
  var draft: Draft? {
    let payload = space.range.offset + space.headerByteCount
    let first = payload + Self.markByteCount
    guard UInt64(new.count) <= space.range.count, Self.isHeaderInOneSector(at: region.offset) else { return nil }
    for index in candidates(from: first) where index >= payload && Self.isHeaderInOneSector(at: index) {
      // The mark directly precedes the new atoms. After the commit, it identifies the free space before it as empty.
      guard index == first || index >= first + Self.markByteCount,
        let rest = remainingParts(after: index + UInt64(new.count)),
        let hidden = UInt32(exactly: index - region.offset)
      else { continue }
      var parts: [InPlaceDraft.Part] = index == first ? [] : [.mark]
      var writeOffset = index == first ? index : index - Self.markByteCount
      if !space.isZero, !isMarked {
        // The remains of an earlier edit are overwritten from their start, where the mark is written.
        parts = [.mark, .zeros(writeOffset - first)] + parts
        writeOffset = payload
      }
      return Draft(
        writeOffset: writeOffset, parts: parts + [.movie] + rest,
        commit: .init(offset: region.offset, replacement: AtomHeader.bytes(UInt64(hidden), "free")),
        markOffset: space.isZero ? payload : nil)
    }
    return nil
  }

  /// Returns whether the 8-byte header of an atom at `offset` does not cross the boundary of a disk sector.
  private static func isHeaderInOneSector(at offset: UInt64) -> Bool {
    InPlacePlan.HeaderWrite.isInOneSector(offset, byteCount: 8)
  }

  /// Returns the candidate positions of the new atoms, best first. An 8-byte header crosses a sector boundary at no
  /// more than one of two positions that are 8 or 16 bytes apart.
  private func candidates(from first: UInt64) -> [UInt64] {
    let mark = Self.markByteCount
    if isAtStartOfSpace { return [first, first + mark, first + mark + 8] }
    let reserved = UInt64(new.count) + (space.range.end == region.end ? 0 : FreeSpace.markedHeaderByteCount)
    guard reserved <= space.range.count else { return [] }
    let last = space.range.end - reserved
    return [last, last &- 8, last &- 16, first].filter { $0 <= last }
  }

  /// Returns the free space from `end` to the end of the region, or `nil` if its header would be outside the space.
  private func remainingParts(after end: UInt64) -> [InPlaceDraft.Part]? {
    guard end <= space.range.end, let rest = UInt32(exactly: region.end - end) else { return nil }
    let room = space.range.end - end
    switch rest {
    case 0: return []
    case 8..<UInt32(FreeSpace.markedHeaderByteCount) where room == UInt64(rest):
      return [.freeAtom(byteCount: UInt64(rest))]
    case _ where room >= FreeSpace.markedHeaderByteCount: return [.markedHeader(byteCount: rest)]
    default: return nil
    }
  }
}

// MARK: - Finding the atoms that change

/// Finds the smallest edit that produces a new movie atom and fits into free space inside the old movie atom.
struct MovieSpaceSearch<Source: RandomAccessSource> {
  private let tree: AtomTree
  private var referenced: ReferencedBytes<Source>
  /// The empty free space that an edit may overwrite or omit.
  private let spaces: [Int]
  private var bestEdit: (edit: MovieSpaceEdit, draft: MovieSpaceEdit.Draft)?

  /// The old and new children of an atom, of which some differ.
  private struct Level {
    let parent: Int
    let oldChildren: [Int]
    let newChildren: [AtomDraft]
    /// The numbers of equal children at the start and at the end.
    let equalPrefixCount: Int
    let equalSuffixCount: Int
  }

  /// The largest number of free atoms that the search tries.
  private static var largestSpaceCount: Int { 32 }

  init(in movie: Movie, _ source: Source) {
    let tree = movie.tree
    self.tree = tree
    referenced = ReferencedBytes(of: movie, in: source)
    let metadataSpaces = (tree.root..<tree[tree.root].subtreeEnd).lazy.filter { index in
      FreeSpace.isSpace(index, in: tree)
        && tree[index].parent.map { FreeSpace.metadataContainers.contains(tree[$0].type) } == true
    }
    spaces = metadataSpaces.prefix(Self.largestSpaceCount).filter {
      FreeSpace.contents(inMetadata: tree.payload(of: $0)) != .data
    }
  }

  /// Returns the edit that writes the fewest bytes, or `nil` if no edit fits.
  mutating func edit(to draft: AtomDraft) -> (edit: MovieSpaceEdit, draft: MovieSpaceEdit.Draft)? {
    var index = tree.root
    var next: AtomDraft? = draft
    while let draft = next, let level = level(index, draft) {
      tryLevel(level)
      next = nil
      // If only one child of the atom differs, continue with its children.
      if level.equalPrefixCount + level.equalSuffixCount + 1 == level.oldChildren.count,
        level.newChildren.count == level.oldChildren.count
      {
        (index, next) = (level.oldChildren[level.equalPrefixCount], level.newChildren[level.equalPrefixCount])
      }
    }
    return bestEdit
  }

  private func level(_ index: Int, _ draft: AtomDraft) -> Level? {
    guard case .container(let head, let headerByteCount, let new, let tail) = draft,
      FreeSpace.metadataContainers.contains(tree[index].type), headerByteCount == tree[index].headerByteCount,
      head == tree.head(of: index), tail == tree.tail(of: index)
    else { return nil }
    let old = Array(tree.children(of: index))
    func isSame(_ child: Int, _ draft: AtomDraft) -> Bool {
      guard case .verbatim(let bytes) = draft else { return false }
      return bytes == tree.bytes(of: child)
    }
    let prefix = zip(old, new).prefix { isSame($0, $1) }.count
    let maximumSuffix = Swift.min(old.count, new.count) - prefix
    let suffix = zip(old.reversed(), new.reversed()).prefix(maximumSuffix).prefix { isSame($0, $1) }.count
    guard prefix + suffix < Swift.max(old.count, new.count) else { return nil }
    return Level(
      parent: index, oldChildren: old, newChildren: new, equalPrefixCount: prefix, equalSuffixCount: suffix)
  }

  private mutating func tryLevel(_ level: Level) {
    let subtree = level.parent..<tree[level.parent].subtreeEnd
    for space in spaces where subtree.contains(space) && canExpand(level.parent, into: space) {
      guard let edit = edit(level, in: space), edit.new.count < bestEdit?.edit.new.count ?? .max, let draft = edit.draft
      else { continue }
      bestEdit = (edit, draft)
    }
  }

  /// Whether the children of an atom can be written into free space. The free space must be a child of the atom, or be
  /// in user data or metadata below the atom.
  private func canExpand(_ ancestor: Int, into space: Int) -> Bool {
    var index = tree[space].parent
    while let currentIndex = index, currentIndex != ancestor {
      guard ["udta", "meta"].contains(tree[currentIndex].type) else { return false }
      index = tree[currentIndex].parent
    }
    return true
  }

  private func isHeaderInOneSector(ofAtom index: Int) -> Bool {
    InPlacePlan.HeaderWrite.isInOneSector(tree.range(of: index).offset, byteCount: 8)
  }

  private mutating func edit(_ level: Level, in space: Int) -> MovieSpaceEdit? {
    guard let holder = level.oldChildren.firstIndex(where: { $0 <= space && space < tree[$0].subtreeEnd }) else {
      return nil
    }
    let changedEnd = level.oldChildren.count - level.equalSuffixCount
    var first = Swift.min(level.equalPrefixCount, holder)
    var last = Swift.max(changedEnd - 1, holder)
    // Adjacent free space becomes part of the new free space, so that small pieces do not accumulate.
    while first > 0, spaces.contains(level.oldChildren[first - 1]),
      isHeaderInOneSector(ofAtom: level.oldChildren[first - 1])
    {
      first -= 1
    }
    while last + 1 < level.oldChildren.count, spaces.contains(level.oldChildren[last + 1]) { last += 1 }
    let isUserData = ["moov", "trak"].contains(tree[level.parent].type)
    // Do not rewrite tracks, because they are large and may contain referenced bytes.
    guard
      !isUserData
        || level.oldChildren[first...last].allSatisfy({ ["udta", "meta", "free", "skip"].contains(tree[$0].type) })
    else { return nil }
    let drafts =
      level.oldChildren[first..<Swift.max(first, level.equalPrefixCount)].map { AtomDraft.verbatim(tree.bytes(of: $0)) }
      + level.newChildren[level.equalPrefixCount..<level.newChildren.count - level.equalSuffixCount]
      + level.oldChildren[Swift.min(changedEnd, last + 1)..<last + 1].map { .verbatim(tree.bytes(of: $0)) }
    // All empty space is omitted to make the new atoms as small as possible.
    let omittedSpaces = Set(
      spaces.filter { level.oldChildren[first] <= $0 && $0 < tree[level.oldChildren[last]].subtreeEnd })
    let new = drafts.compactMap { $0.omitting(omittedSpaces, in: tree) }
    let spaceRange = tree.range(of: space)
    let byteCount = new.reduce(UInt64(0)) { $0 &+ $1.byteCount }
    // Check the size before the atoms are written into a buffer, because atoms that do not fit into the space are
    // useless.
    guard byteCount > 0, byteCount <= spaceRange.count else { return nil }
    var writer = ByteWriter()
    for draft in new { draft.write(to: &writer) }
    let start = tree.range(of: level.oldChildren[first]).offset
    let region = ByteRange(start..<tree.range(of: level.oldChildren[last]).end)
    guard !referenced.mayOverlap(in: region) else { return nil }
    let changedStart =
      level.equalPrefixCount < level.oldChildren.count
      ? tree.range(of: level.oldChildren[level.equalPrefixCount]).offset : region.end
    return MovieSpaceEdit(
      region: region,
      space: .init(
        range: spaceRange, headerByteCount: UInt64(tree[space].headerByteCount),
        isZero: FreeSpace.contents(inMetadata: tree.payload(of: space)) == .zeros),
      isMarked: tree.payload(of: space).prefix(FreeSpace.mark.count).elementsEqual(FreeSpace.mark),
      new: Bytes(writer.take()), isAtStartOfSpace: spaceRange.end <= changedStart)
  }
}

extension AtomDraft {
  /// Returns the draft without the old atoms in `omitted`, at any depth, or `nil` if the draft is one of these atoms.
  fileprivate func omitting(_ omitted: Set<Int>, in tree: AtomTree) -> AtomDraft? {
    switch self {
    case .generated: return self
    case .container(let head, let headerByteCount, let children, let tail):
      return .container(
        head: head, headerByteCount: headerByteCount, children: children.compactMap { $0.omitting(omitted, in: tree) },
        tail: tail)
    case .verbatim(let bytes):
      guard let start = bytes.offset(in: tree.bytes) else { return self }
      for index in omitted {
        var holder: Int? = index
        while let this = holder, tree[this].start != start || tree[this].byteCount != bytes.count {
          holder = tree[this].parent
        }
        if let holder { return Self.copy(of: holder, omitting: omitted, in: tree) }
      }
      return self
    }
  }

  private static func copy(of index: Int, omitting omitted: Set<Int>, in tree: AtomTree) -> AtomDraft? {
    guard !omitted.contains(index) else { return nil }
    guard omitted.contains(where: { index < $0 && $0 < tree[index].subtreeEnd }) else {
      return .verbatim(tree.bytes(of: index))
    }
    return .container(
      head: tree.head(of: index), headerByteCount: tree[index].headerByteCount,
      children: tree.children(of: index).compactMap { copy(of: $0, omitting: omitted, in: tree) },
      tail: tree.tail(of: index))
  }
}

// MARK: - The plan

extension MoviePlanner {
  /// Whether the edit starts from the stored movie atom and adds no media. Only then can a part of the atom be edited
  /// in place.
  var editsMovieAtomAsRead: Bool {
    resolved.stages.flattened == nil && resolved.stages.keptFragments == nil && resolved.stages.unsplit == nil
      && !movie.hasCompressedMovieAtom && UInt64(movie.tree.bytes.count) == movie.movieAtom.range.count
      && resolved.added.byteCount == 0
  }

  /// Returns the edit in free space within the movie atom, or `nil` if the edit changes more than user data and
  /// metadata, or does not fit.
  func movieSpacePlan(_ newMovie: AtomDraft) throws -> InPlacePlan? {
    guard editsMovieAtomAsRead else { return nil }
    var search = MovieSpaceSearch(in: movie, source)
    guard let (edit, draft) = search.edit(to: newMovie) else { return nil }
    return try planInMovieAtom(
      .inMovieAtom, edit.new, in: edit.space, draft.parts, at: draft.writeOffset, draft.commit,
      markOffset: draft.markOffset)
  }

  /// Returns the plan of an edit that writes new atoms into free space of the movie atom.
  func planInMovieAtom(
    _ form: InPlacePlan.Form, _ new: Bytes, in space: InPlaceFreeSpace.Space, _ parts: [InPlaceDraft.Part],
    at writeOffset: UInt64, _ commit: InPlaceDraft.Commit, markOffset: UInt64?
  ) throws -> InPlacePlan {
    var contents = InPlaceContents()
    var newOffset: UInt64?
    for part in parts {
      if part == .movie {
        newOffset = writeOffset + contents.byteCount
        contents.append(new)
      } else {
        contents.appendSpace(part)
      }
    }
    let list = contents.list
    let byteCount = list.reduce(0) { $0 + $1.byteCount }
    let headEnd = space.range.offset + space.headerByteCount
    func storedBytes(_ range: Range<UInt64>) -> InPlacePlan.StoredBytes {
      let start = movie.movieAtom.range.offset
      let bytes = movie.tree.bytes.slice(
        at: Int(clamping: range.lowerBound - start), count: Int(clamping: range.upperBound - range.lowerBound))
      return .init(offset: range.lowerBound, bytes: bytes ?? Bytes())
    }
    let commitEnd = commit.offset + UInt64(commit.replacement.count)
    return InPlacePlan(
      source: try resolved.sourceIdentity(), form: form, writeOffset: writeOffset, contents: list,
      commit: .init(
        offset: commit.offset, expected: storedBytes(commit.offset..<commitEnd).bytes,
        replacement: Bytes(commit.replacement)),
      // The old bytes include the whole movie atom except the overwritten free space.
      requiredOldBytes: [
        storedBytes(movie.movieAtom.range.offset..<commit.offset), storedBytes(commit.offset..<headEnd),
        storedBytes(writeOffset + byteCount..<movie.movieAtom.range.end),
      ],
      overwrittenByteCount: byteCount, overwrittenHead: storedBytes(space.range.offset..<space.range.end),
      markOffset: markOffset, movieOffset: newOffset, truncatesBeforeWriting: false)
  }
}
