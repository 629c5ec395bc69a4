import MovieBox

/// A movie that a plan makes, as verification has read it.
struct PlannedMovie {
  /// The whole output, what an edit in place leaves as it is included.
  let plan: OutputPlan
  let movie: Movie
  /// The fragments that stay; `nil` where none do.
  let fragments: MovieFragments?
}

/// Proves that a plan makes the movie that was requested, and changes nothing else. It runs before every commit.
///
/// It takes nothing over from the planners. It reads the planned movie as if it were a file, and runs a check for each
/// duty (``PlanCheck``): every sample of every kept track refers to the same bytes of the source, and every atom is there
/// with the same bytes in the same order, unless a request allows a change there (``AtomChangePolicy``). It shares with
/// the planners the reading of atoms, tables and chunks (MovieBox) and of plans, and the encoder of subtitles.
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

  let resolved: ResolvedEdit
  let source: Source
  let plan: OutputPlan
  let planned: Movie
  let strategy: Strategy
  /// Top-level atoms that were written again, and their new offsets.
  var rewritten: [(old: ByteRange, newOffset: UInt64)] = []
  /// Each top-level `meta`, old and new.
  var fileMetadata: [(old: FileLayout.TopLevelAtom, new: FileLayout.TopLevelAtom)] = []
  /// Where the bytes of the source went, as copies or written again.
  private(set) var moves = ByteMoves()
  /// The new places of what samples were encrypted with and that lies in the movie atom.
  private(set) var encryptionMoves = EncryptionMoves()
  /// The fragments of a planned movie that keeps them.
  private(set) var plannedFragments: MovieFragments?

  /// Checks `plan`; reads of the source only top-level atoms that are written again, and those that hold positions.
  ///
  /// Gives the movie that the plan makes, as it was read.
  @discardableResult
  static func check(
    _ plan: OutputPlan, of resolved: ResolvedEdit, strategy: Strategy, source: Source
  ) throws -> PlannedMovie {
    let planned: Movie
    do {
      planned = try Movie(of: PlannedSource(plan, of: source), limits: resolved.movie.limits.withRoomForEdits)
    } catch let error as MovieError {
      throw error.asPlanError
    }
    var checker = PlanChecker(resolved: resolved, source: source, plan: plan, planned: planned, strategy: strategy)
    try checker.checkTopLevel()
    checker.moves = ByteMoves(of: plan, and: checker.rewritten)
    checker.encryptionMoves = try resolved.encryptionMoves(to: planned.tree)
    checker.plannedFragments = try KeptFragmentsCheck(checker: checker).readPlannedFragments()
    try checker.checkFileMetadata()
    let checks: [any PlanCheck] = [
      MediaCheck(checker: checker), MovieAtomCheck(checker: checker), RequestedTracksCheck(checker: checker),
      ChaptersCheck(checker: checker), KeptTracksCheck(checker: checker), ImportedTracksCheck(checker: checker),
      ConversionCheck(checker: checker), FlattenedMovieCheck(checker: checker), KeptFragmentsCheck(checker: checker),
      SplitChunksCheck(checker: checker), SalvagedMovieCheck(checker: checker),
    ]
    for check in checks { try check.check() }
    try SharedMovieCheck(planned, of: resolved)?.check()
    return PlannedMovie(plan: plan, movie: planned, fragments: checker.plannedFragments)
  }

  /// Checks an edit in place: what comes of it, and that the file is the old movie until the header is written.
  @discardableResult
  static func check(_ plan: InPlacePlan, of resolved: ResolvedEdit, source: Source) throws -> PlannedMovie {
    let strategy: Strategy =
      switch plan.form {
      case .inMetadataBefore, .inMetadataAfter: .inMetadata(at: plan.commit.offset)
      case .inMovieAtom: .inMovieAtom(written: plan.writtenRange, commit: plan.commit.offset)
      case .inSpaceBefore, .inSpaceAfter, .appended, .appendedAfterMedia: .inPlace
      }
    let planned = try check(plan.rendered(), of: resolved, strategy: strategy, source: source)
    let old = resolved.movie.layout
    let before = try FileLayout(
      of: PlannedSource(plan.renderedBeforeCommit(), of: source), limits: resolved.movie.limits.withRoomForEdits)
    let kept = plan.form.appends ? old.atoms.filter { $0.range.offset < plan.writeOffset } : old.atoms
    let isHidden =
      switch plan.form {
      case .inSpaceBefore, .inSpaceAfter: before.atoms.count == kept.count && before.trailing == old.trailing
      case .inMetadataBefore, .inMetadataAfter, .inMovieAtom:
        try before.atoms.count == kept.count && before.trailing == old.trailing && planned.movie.layout.atoms == kept
          && isOldMovie(plan.renderedBeforeCommit(), resolved.movie)
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

  func failure(_ reason: String, at offset: UInt64? = nil, in path: String = "") -> MovieError {
    MovieError(.planCheckFailed, at: offset, in: path, reason)
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

/// One duty of the verification: a planned movie does what one kind of request asked for.
protocol PlanCheck {
  associatedtype Source: RandomAccessSource

  /// The plan, and what is known of it.
  var checker: PlanChecker<Source> { get }

  /// Throws if the plan does not do what was asked for.
  func check() throws
}

extension PlanCheck {
  var resolved: ResolvedEdit { checker.resolved }
  var source: Source { checker.source }
  var plan: OutputPlan { checker.plan }
  var planned: Movie { checker.planned }
  var plannedFragments: MovieFragments? { checker.plannedFragments }
  /// The bytes of the planned movie.
  var output: PlannedSource<Source> { PlannedSource(plan, of: source) }

  func failure(_ reason: String, at offset: UInt64? = nil, in path: String = "") -> MovieError {
    checker.failure(reason, at: offset, in: path)
  }
}
