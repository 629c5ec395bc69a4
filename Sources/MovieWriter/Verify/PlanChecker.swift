import MovieBox

/// A movie that a plan makes, as verification has read it.
struct PlannedMovie {
  /// The whole output, what an edit in place leaves as it is included.
  let plan: OutputPlan
  let movie: Movie
  /// The fragments that stay; `nil` where none do.
  let fragments: MovieFragments?
}

/// Proves that a plan changes nothing but what an edit lists. It runs before every commit.
///
/// It takes nothing over from the planners: it reads the planned movie as if it were a file, and proves that every
/// sample of every kept track still refers to the same bytes of the source, and that every atom that is not listed,
/// top-level or inside `moov`, is there with the same bytes in the same order; an edit in place may drop and add
/// top-level free space. What it shares with the planners is the reading of atoms, tables and chunks (MovieBox) and of
/// plans, and the encoder of subtitles.
///
/// A failure is an internal error, thrown as `.planCheckFailed`, or `.unsupported` where the file has positions that
/// cannot be kept; nothing is written.
struct PlanChecker<Source: RandomAccessSource> {
  /// What the plan is to do with the media and with free space.
  enum Strategy: Hashable {
    /// Empty top-level free space may come and go; the media stays where it is.
    case inPlace
    /// Empty free space may come and go in the `meta` that this byte of the file is in; all else stays where it is.
    case inMetadata(at: UInt64)
    /// Empty free space in the movie atom may go if these bytes of the file lie in it, and free space may come if it
    /// begins at the commit or in these bytes; all else stays where it is.
    case inMovieAtom(written: ByteRange, commit: UInt64)
    /// A new file, laid out like this.
    case rewrite(OutputLayout)

    /// Whether top-level atoms of free space may come.
    var mayAddFreeSpace: Bool {
      switch self {
      case .inPlace: true
      case .inMetadata, .inMovieAtom: false
      case .rewrite(let layout): layout.blockByteCount != nil || layout.pads
      }
    }
  }

  let revision: MovieRevision
  let source: Source
  let plan: OutputPlan
  let planned: Movie
  let strategy: Strategy
  /// Top-level atoms that were written again, where they come to stand.
  private var rewritten: [(old: ByteRange, newOffset: UInt64)] = []
  /// Each top-level `meta`, old and new.
  private var fileMetadata: [(old: FileLayout.TopLevelAtom, new: FileLayout.TopLevelAtom)] = []
  /// Where the bytes of the source went, as copies or written again.
  private(set) var moves = ByteMoves()
  /// The new places of what samples were encrypted with and that lies in the movie atom.
  private(set) var encryptionMoves = EncryptionMoves()
  /// The fragments of a planned movie that keeps them.
  private(set) var plannedFragments: MovieFragments?
  /// The types of atoms with labels that may differ in kept tracks.
  let changedLabels: [UInt32: Set<FourCC>]

  /// Checks `plan`; reads of the source only top-level atoms that are written again, and those that hold positions.
  ///
  /// Gives the movie that the plan makes, as it was read.
  @discardableResult
  static func check(
    _ plan: OutputPlan, of revision: MovieRevision, strategy: Strategy, source: Source
  ) throws -> PlannedMovie {
    let planned: Movie
    do {
      planned = try Movie(of: PlannedSource(plan, of: source), limits: revision.movie.limits.withRoomForEdits)
    } catch let error as MovieError {
      throw error.asPlanError
    }
    var checker = PlanChecker(revision: revision, source: source, plan: plan, planned: planned, strategy: strategy)
    try checker.checkTopLevel()
    try checker.checkMedia()
    checker.moves = ByteMoves(of: plan, and: checker.rewritten)
    checker.encryptionMoves = try revision.encryptionMoves(to: planned.tree)
    checker.plannedFragments = try checker.readKeptFragments()
    try checker.checkFileMetadata()
    try checker.checkAtoms()
    try checker.checkRequestedTracks()
    try checker.checkChapters()
    try checker.checkTracks()
    try checker.checkImportedTracks()
    try checker.checkConversion()
    try checker.checkFlattenedMovie()
    try checker.checkKeptFragments()
    try checker.checkSplitChunks()
    try checker.checkSalvagedMovie()
    try SharedMovieCheck(planned, of: revision)?.check()
    return PlannedMovie(plan: plan, movie: planned, fragments: checker.plannedFragments)
  }

  /// Checks an edit in place: what comes of it, and that the file is the old movie until the header is written.
  @discardableResult
  static func check(_ plan: InPlacePlan, of revision: MovieRevision, source: Source) throws -> PlannedMovie {
    let strategy: Strategy =
      switch plan.form {
      case .inMetadataBefore, .inMetadataAfter: .inMetadata(at: plan.commit.offset)
      case .inMovieAtom: .inMovieAtom(written: plan.writtenRange, commit: plan.commit.offset)
      case .inSpaceBefore, .inSpaceAfter, .appended, .appendedAfterMedia: .inPlace
      }
    let planned = try check(plan.rendered(), of: revision, strategy: strategy, source: source)
    let old = revision.movie.layout
    let before = try FileLayout(
      of: PlannedSource(plan.renderedBeforeCommit(), of: source), limits: revision.movie.limits.withRoomForEdits)
    let kept = plan.form.appends ? old.atoms.filter { $0.range.offset < plan.writeOffset } : old.atoms
    let isHidden =
      switch plan.form {
      case .inSpaceBefore, .inSpaceAfter: before.atoms.count == kept.count && before.trailing == old.trailing
      case .inMetadataBefore, .inMetadataAfter, .inMovieAtom:
        try before.atoms.count == kept.count && before.trailing == old.trailing && planned.movie.layout.atoms == kept
          && isOldMovie(plan.renderedBeforeCommit(), revision.movie)
      case .appended, .appendedAfterMedia:
        // The new bytes read as those of an edit that was interrupted, or as free space.
        if let leftover = before.leftover {
          before.atoms.count == kept.count && leftover.offset == plan.writeOffset
        } else {
          before.atoms.count == kept.count + 1 && before.trailing == nil && before.atoms.last?.isFreeSpace == true
            && before.atoms.last?.isTruncated == false
        }
      }
    guard isHidden, before.atoms.prefix(kept.count).elementsEqual(kept) else {
      throw MovieError(
        .planCheckFailed, at: plan.writeOffset, "the new bytes of an edit in place would show before it is committed")
    }
    return planned
  }

  /// Whether a plan leaves every byte of a movie as it is, but for the payload of one free atom inside the movie atom.
  private static func isOldMovie(_ plan: OutputPlan, _ movie: Movie) -> Bool {
    guard plan.byteCount == movie.layout.identity.byteCount else { return false }
    var changed: ByteRange?
    for extent in plan.extents {
      let range = extent.range
      if extent.sourceRange == range { continue }
      changed = ByteRange((changed?.offset ?? range.offset)..<range.end)
    }
    guard let changed else { return true }
    let tree = movie.tree
    return (tree.root..<tree[tree.root].subtreeEnd).contains { index in
      guard FreeSpace.isSpace(index, in: tree), let parent = tree[index].parent,
        FreeSpace.holdersOfMetadata.contains(tree[parent].type)
      else { return false }
      let range = tree.range(of: index)
      return range.offset + UInt64(tree[index].headerByteCount) <= changed.offset && changed.end <= range.end
    }
  }

  private init(revision: MovieRevision, source: Source, plan: OutputPlan, planned: Movie, strategy: Strategy) {
    self.revision = revision
    self.source = source
    self.plan = plan
    self.planned = planned
    self.strategy = strategy
    changedLabels = revision.requested.changedLabels(in: revision.movie.tree)
  }

  func failure(_ reason: String, at offset: UInt64? = nil, in path: String = "") -> MovieError {
    MovieError(.planCheckFailed, at: offset, in: path, reason)
  }
}

// MARK: - Top-level atoms

extension PlanChecker {
  private mutating func checkTopLevel() throws {
    let new = planned.layout.atoms.filter { $0.range != planned.movieAtom.range && $0.type != "mdat" }
    var next = new.startIndex
    for old in revision.movie.layout.atoms where old.range != revision.movie.movieAtom.range && old.type != "mdat" {
      if old.isFreeSpace {
        if next < new.endIndex, try isSame(old: old, new: new[next]) {
          next += 1
          continue
        }
        if try mayBeDropped(old) { continue }
      }
      if revision.omits(old) { continue }
      var found = next
      while found < new.endIndex, try !isSame(old: old, new: new[found]) { found += 1 }
      guard found < new.endIndex else {
        throw failure("\(old.type) at byte \(old.range.offset) is lost, changed or out of order", at: old.range.offset)
      }
      for extra in new[next..<found] { try checkAddition(extra) }
      next = found + 1
    }
    for extra in new[next...] { try checkAddition(extra) }
    if revision.sharing != nil {
      let left = planned.layout.trailing ?? planned.layout.atoms.first { revision.sharing?.drops($0) ?? false }?.range
      if let left { throw failure("it was to be left out", at: left.offset) }
    }
    if let trailing = revision.movie.layout.trailing, revision.sharing == nil, try !isUnusedTrailing(trailing) {
      guard let moved = planned.layout.trailing, try holds(moved, bytesOf: trailing) else {
        throw failure("the \(trailing.count) bytes at the end of the file are lost", at: trailing.offset)
      }
    }
  }

  /// Whether top-level free space may go: an edit in place overwrites what is empty, and no data.
  private func mayBeDropped(_ atom: FileLayout.TopLevelAtom) throws -> Bool {
    guard atom.isFreeSpace else { return false }
    switch strategy {
    case .rewrite(let layout) where !layout.pads: return layout.isCompact
    case .rewrite(let layout) where layout.isCompact: return true
    case .inMetadata, .inMovieAtom: return false
    case .inPlace, .rewrite: return try FreeSpace.contents(of: atom.payloadRange, in: source) != .data
    }
  }

  /// Whether bytes at the end that are not an atom may go: the zeros of a file that a power loss left too long.
  private func isUnusedTrailing(_ range: ByteRange) throws -> Bool {
    try strategy == .inPlace && FreeSpace.isZero(range, in: source)
  }

  /// Free space of an edit in place is all that an edit adds at top level beside media data.
  private func checkAddition(_ atom: FileLayout.TopLevelAtom) throws(MovieError) {
    if strategy.mayAddFreeSpace, atom.isFreeSpace { return }
    // See checkConversion().
    if revision.stages.converted != nil, atom.type == "ftyp", atom.range.offset == 0 { return }
    throw failure("a \(atom.type) was added at top level", at: atom.range.offset)
  }

  /// Whether the new atom is the old one: copied byte for byte, or written again with the same bytes but for positions.
  private mutating func isSame(old: FileLayout.TopLevelAtom, new: FileLayout.TopLevelAtom) throws -> Bool {
    guard old.type == new.type else {
      guard try isFreed(old: old, new: new) else { return false }
      rewritten.append((old.range, new.range.offset))
      return true
    }
    if let event = try movedEvent(old) {
      guard try isMoved(event, of: old, to: new) else { return false }
      rewritten.append((old.range, new.range.offset))
      return true
    }
    if copies(new.range, of: old.range)
      || old.sizeField == .toEndOfFile && copies(new.payloadRange, of: old.payloadRange)
    {
      if old.type == "meta" { fileMetadata.append((old, new)) }
      return true
    }
    if try isCleared(old: old, new: new) { return true }
    guard old.range.count == new.range.count,
      old.range.count <= revision.movie.limits.movieByteCount
    else { return false }
    let before = try source.readExactly(old.range)
    let after = try PlannedSource(plan, of: source).readExactly(new.range)
    guard before == after || old.type == "meta" || mayBeMoved(old) else { return false }
    rewritten.append((old.range, new.range.offset))
    if old.type == "meta" { fileMetadata.append((old, new)) }
    return true
  }

  /// Whether free space of a new file is zeros where an edit in place had left something.
  private func isCleared(old: FileLayout.TopLevelAtom, new: FileLayout.TopLevelAtom) throws -> Bool {
    guard case .rewrite = strategy, old.type == new.type, old.range.count == new.range.count,
      old.headerByteCount == new.headerByteCount, let extent = plan.extent(at: new.payloadRange.offset),
      case .zeros = extent.content, extent.range.contains(new.payloadRange)
    else { return false }
    return try old.isSpaceLeftByEdit(in: source)
  }

  /// Whether the output at `range` holds the bytes of the source at `old`, copied or written again.
  private mutating func holds(_ range: ByteRange, bytesOf old: ByteRange) throws -> Bool {
    if copies(range, of: old) { return true }
    guard range.count == old.count, old.count <= revision.movie.limits.movieByteCount,
      try source.readExactly(old) == PlannedSource(plan, of: source).readExactly(range)
    else { return false }
    rewritten.append((old, range.offset))
    return true
  }

  /// Nothing of a `meta` but its positions changed, and these name the bytes that they named.
  ///
  /// One that is too large to be read holds none: the planner refuses it where something moves.
  private func checkFileMetadata() throws {
    for (old, new) in fileMetadata where old.range.count <= revision.movie.limits.movieByteCount {
      let before = try source.readExactly(old.range)
      let after = try PlannedSource(plan, of: source).readExactly(new.range)
      let left = try AtomTree(before, at: old.range.offset, limits: revision.movie.limits)
      let right = try AtomTree(after, at: new.range.offset, limits: revision.movie.limits)
      // The header of one that ends where the file does is rewritten.
      if left.payload(of: left.root) != right.payload(of: right.root) {
        try EditedMovieComparison(old: left, new: right).check()
      }
      try checkPositions(from: (left, left.root), to: (right, right.root))
    }
  }

  /// Whether the bytes of the output at `range` are copies of those of the source at `old`.
  func copies(_ range: ByteRange, of old: ByteRange) -> Bool {
    // Neighbouring bytes of the source that are neighbours in the output too are one extent.
    guard range.count == old.count else { return false }
    guard range.count > 0 else { return true }
    guard let extent = plan.extent(at: range.offset), let copied = extent.sourceRange, extent.range.contains(range)
    else { return false }
    return copied.offset &+ (range.offset &- extent.offset) == old.offset  // Inside the extent.
  }
}

// MARK: - Inside moov

extension PlanChecker {
  private func checkAtoms() throws {
    var listOffset: UInt64?
    var room: MetadataRoom?
    var spaceEdit: EditedMovieComparison.SpaceEdit?
    var space = EditedMovieComparison.SpaceChange.none
    switch strategy {
    case .inPlace: break
    case .inMetadata(let offset): listOffset = offset
    case .inMovieAtom(let written, let commit):
      spaceEdit = .init(written: written, commitOffset: commit, new: planned.tree)
    case .rewrite(let layout):
      space = layout.isCompact ? .leftOut : .cleared
      room = layout.metadataRoom
    }
    try EditedMovieComparison(
      old: revision.movie.tree, new: planned.tree, changesByTrack: revision.requested.changedAtoms,
      labelChangesByTrack: changedLabels,
      newTrackIDs: revision.tracks.new, removedTrackIDs: revision.tracks.removed,
      longestNewTrack: longestNewTrack,
      fragmentedDurations: fragmentedDurations, metadata: revision.requestedMetadata,
      sharing: revision.sharing, removesChapters: revision.requestedChapters?.chapters.isEmpty ?? false,
      listOffset: listOffset, spaceEdit: spaceEdit, space: space, room: room
    ).check()
    try revision.requestedMetadata?.check(planned, exceptOf: revision.tracks.new.union(revision.tracks.removed))
  }

  /// How long the longest new track lasts; subtitles count as far as a track of the old movie lasts as long.
  private var longestNewTrack: UInt64 {
    let imported = Set(revision.added.importedTracks.map(\.id))
    let end = revision.movie.endInMovieTicks
    return planned.tracks.filter { revision.tracks.new.contains($0.id) && !$0.header.isDurationUnknown }
      .map {
        imported.contains($0.id)
          ? $0.header.duration
          : revision.movie.header.durationRaised(
            bySubtitlesEndingAt: $0.header.duration, otherTracksEndingAt: end)
      }.max() ?? 0
  }

  /// Each track is the one that was asked for, and says what it was to say.
  private func checkRequestedTracks() throws(MovieError) {
    let requested = revision.requested
    let ids = requested.tracks.map(\.id)
    guard planned.tracks.map(\.id) == ids else {
      throw failure("the tracks are \(planned.tracks.map(\.id)), not \(ids) as requested")
    }
    for (wanted, track) in zip(requested.tracks, planned.tracks) {
      func require(_ holds: Bool, _ what: String) throws(MovieError) {
        guard !holds else { return }
        throw failure("track \(track.id) does not have the requested \(what)", in: planned.tree.path(of: track.atom))
      }
      try require(track.mediaType == wanted.mediaType, "kind of media")
      try require(track.formats == wanted.formats, "formats")
      try require(track.isEnabled == wanted.isEnabled, "state, enabled or not")
      try require(track.alternateGroup == wanted.alternateGroup, "alternate group")
      try require(OutputTrack.references(of: track) == wanted.references, "references")
      try require(wanted.labels.isEquivalent(to: TrackLabels(track)), "labels")
      if let made = wanted.generated { try checkGeneratedTrack(made, as: wanted, track) }
    }
    guard
      planned.tree.child(of: planned.tree.root, "mvhd") == nil
        || planned.header.nextTrackID == requested.nextTrackID
    else { throw failure("the next track ID is \(planned.header.nextTrackID), not \(requested.nextTrackID)") }
  }

  /// A track made of cues or chapters is what the request encodes to, made once more, but for where its samples lie.
  private func checkGeneratedTrack(
    _ made: any GeneratedTrack, as wanted: OutputTrack, _ track: Track
  ) throws(MovieError) {
    let trak = made.trackAtom(as: wanted, chunkOffset: 0, isInterleaved: revision.requested.isInterleaved)
    let tree = try AtomTree(Bytes(trak), at: 0, limits: revision.movie.limits.withRoomForEdits)
    try EditedMovieComparison(old: tree, new: planned.tree).checkTracks(tree.root, track.atom)
  }
}
