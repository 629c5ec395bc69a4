import MovieBox

/// A planned movie as read by verification.
struct PlannedMovie {
  /// The plan of the whole output, including bytes that an in-place edit does not write.
  let plan: OutputPlan
  let movie: Movie
  /// The fragments of the planned movie, or `nil` if the edit keeps no fragments.
  let fragments: MovieFragments?
}

/// Proves that a plan results in the requested movie and changes nothing else. Runs before every commit.
///
/// The checker uses no result of the planners. It reads the planned movie as if it were a file, and runs a list of
/// checks (``PlanCheck``). Every sample of every kept track must refer to the same bytes of the source. The bytes and
/// the order of all atoms must be unchanged, unless a request allows a change (``AtomChangePolicy``). Checker and
/// planners share only the readers of atoms, tables, chunks (MovieBox) and plans, and the encoder of subtitles.
///
/// A failure is an internal error and is thrown as `.planCheckFailed`. If the file contains positions that cannot be
/// kept, the error is `.unsupported`. Nothing is written after a failure.
final class PlanChecker<Source: RandomAccessSource> {
  /// The requested kind of edit. It determines the permitted moves of media and free space.
  enum Strategy: Hashable {
    /// An in-place edit. Empty top-level free space may be added and removed, and the media does not move.
    case inPlace
    /// An in-place edit within the `meta` that contains this byte of the file. Empty free space in it may be added and
    /// removed, and everything else keeps its position.
    case inMetadata(at: UInt64)
    /// An in-place edit within the movie atom. Empty free space in the written bytes may be removed. Free space that
    /// starts at the commit or in the written bytes may be added. Everything else keeps its position.
    case inMovieAtom(written: ByteRange, commit: UInt64)
    /// A new file with this layout.
    case rewrite(OutputLayout)

    /// Whether top-level free space may be added.
    var mayAddFreeSpace: Bool {
      switch self {
      case .inPlace: true
      case .inMetadata, .inMovieAtom: false
      case .rewrite(let layout): layout.blockByteCount != nil || layout.reservesPadding
      }
    }
  }

  let resolved: ResolvedEdit
  let source: Source
  let plan: OutputPlan
  let planned: Movie
  let strategy: Strategy
  /// The rewritten top-level atoms and their new offsets.
  var rewrittenAtoms: [(old: ByteRange, newOffset: UInt64)] = []
  /// The old and new version of each top-level `meta`.
  var fileMetadata: [(old: FileLayout.TopLevelAtom, new: FileLayout.TopLevelAtom)] = []
  /// The moves of source bytes, whether copied or rewritten.
  private(set) var moves = ByteMoves()
  /// The new positions of encryption information in the movie atom.
  private(set) var encryptionMoves = EncryptionMoves()
  /// The fragments of the planned movie, or `nil` if the edit keeps no fragments.
  private(set) var plannedFragments: MovieFragments?

  init(resolved: ResolvedEdit, source: Source, plan: OutputPlan, planned: Movie, strategy: Strategy) {
    self.resolved = resolved
    self.source = source
    self.plan = plan
    self.planned = planned
    self.strategy = strategy
  }
  /// Checks `plan`, and returns the planned movie as read by the checker. Reads only the source atoms that are
  /// rewritten or contain positions.
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
    let checker = PlanChecker(resolved: resolved, source: source, plan: plan, planned: planned, strategy: strategy)
    try checker.checkTopLevel()
    checker.moves = ByteMoves(of: plan, and: checker.rewrittenAtoms)
    checker.encryptionMoves = try resolved.encryptionMoves(to: planned.tree)
    checker.plannedFragments = try KeptFragmentsCheck(checker: checker).readPlannedFragments()
    try checker.checkFileMetadata()
    let checks: [any PlanCheck] = [
      MediaCheck(checker: checker), MovieAtomCheck(checker: checker), LabelsAndReferencesCheck(checker: checker),
      ChaptersCheck(checker: checker), KeptTracksCheck(checker: checker), GeneratedTracksCheck(checker: checker),
      ImportedTracksCheck(checker: checker), TimedMetadataCheck(checker: checker),
      ConversionCheck(checker: checker), FlattenedMovieCheck(checker: checker), KeptFragmentsCheck(checker: checker),
      SplitChunksCheck(checker: checker), SalvagedMovieCheck(checker: checker),
    ]
    for check in checks { try check.check() }
    try SharedMovieCheck(planned, of: resolved)?.check()
    return PlannedMovie(plan: plan, movie: planned, fragments: checker.plannedFragments)
  }

  /// Checks an in-place edit: its result, and that the file contains the old movie until the commit is written.
  @discardableResult
  static func check(_ plan: InPlacePlan, of resolved: ResolvedEdit, source: Source) throws -> PlannedMovie {
    let strategy: Strategy =
      switch plan.form {
      case .inMetadataBefore, .inMetadataAfter: .inMetadata(at: plan.commit.offset)
      case .inMovieAtom: .inMovieAtom(written: plan.writtenRange, commit: plan.commit.offset)
      case .inSpaceBefore, .inSpaceAfter, .appended, .appendedAfterMedia: .inPlace
      }
    let planned = try check(plan.rendered(), of: resolved, strategy: strategy, source: source)
    let oldLayout = resolved.movie.layout
    let layoutBeforeCommit = try FileLayout(
      of: PlannedSource(plan.renderedBeforeCommit(), of: source), limits: resolved.movie.limits.withRoomForEdits)
    let keptAtoms = plan.form.appends ? oldLayout.atoms.filter { $0.range.offset < plan.writeOffset } : oldLayout.atoms
    let isHidden =
      switch plan.form {
      case .inSpaceBefore, .inSpaceAfter:
        layoutBeforeCommit.atoms.count == keptAtoms.count && layoutBeforeCommit.trailing == oldLayout.trailing
      case .inMetadataBefore, .inMetadataAfter, .inMovieAtom:
        try layoutBeforeCommit.atoms.count == keptAtoms.count && layoutBeforeCommit.trailing == oldLayout.trailing
          && planned.movie.layout.atoms == keptAtoms
          && changesOnlyFreeSpace(plan.renderedBeforeCommit(), of: resolved.movie)
      case .appended, .appendedAfterMedia:
        // The new bytes must look like an interrupted edit or like free space.
        if let leftover = layoutBeforeCommit.leftoverFreeSpace {
          layoutBeforeCommit.atoms.count == keptAtoms.count && leftover.offset == plan.writeOffset
        } else {
          layoutBeforeCommit.atoms.count == keptAtoms.count + 1 && layoutBeforeCommit.trailing == nil
            && layoutBeforeCommit.atoms.last?.isFreeSpace == true
            && layoutBeforeCommit.atoms.last?.isTruncated == false
        }
      }
    guard isHidden, layoutBeforeCommit.atoms.prefix(keptAtoms.count).elementsEqual(keptAtoms) else {
      throw MovieError(
        .planCheckFailed, at: plan.writeOffset, "the new bytes of an in-place edit would be visible before its commit")
    }
    return planned
  }

  /// Whether a plan changes no byte of a movie except in the payload of one free atom inside the movie atom.
  private static func changesOnlyFreeSpace(_ plan: OutputPlan, of movie: Movie) -> Bool {
    guard plan.byteCount == movie.layout.identity.byteCount else { return false }
    var changedRange: ByteRange?
    for extent in plan.extents {
      let range = extent.range
      if extent.sourceRange == range { continue }
      changedRange = ByteRange((changedRange?.offset ?? range.offset)..<range.end)
    }
    guard let changedRange else { return true }
    let tree = movie.tree
    return (tree.root..<tree[tree.root].subtreeEnd).contains { index in
      guard FreeSpace.isSpace(index, in: tree), let parent = tree[index].parent,
        FreeSpace.metadataContainers.contains(tree[parent].type)
      else { return false }
      let range = tree.range(of: index)
      return range.offset + UInt64(tree[index].headerByteCount) <= changedRange.offset && changedRange.end <= range.end
    }
  }

  func failure(_ reason: String, at offset: UInt64? = nil, in path: String = "") -> MovieError {
    MovieError(.planCheckFailed, at: offset, in: path, reason)
  }

  /// Whether the bytes of the output at `range` are copies of the source bytes at `old`.
  func copies(_ range: ByteRange, of old: ByteRange) -> Bool {
    // Adjacent source bytes that are also adjacent in the output form one extent.
    guard range.count == old.count else { return false }
    guard range.count > 0 else { return true }
    guard let extent = plan.extent(at: range.offset), let copied = extent.sourceRange, extent.range.contains(range)
    else { return false }
    return copied.offset &+ (range.offset &- extent.offset) == old.offset  // The sum is within the extent.
  }
}

/// A check that a planned movie fulfills one kind of request.
protocol PlanCheck {
  associatedtype Source: RandomAccessSource

  /// The checker with the plan, the request and the planned movie.
  var checker: PlanChecker<Source> { get }

  /// Throws if the plan does not fulfill the request.
  func check() throws
}

extension PlanCheck {
  var resolved: ResolvedEdit { checker.resolved }
  var source: Source { checker.source }
  var plan: OutputPlan { checker.plan }
  var planned: Movie { checker.planned }
  var plannedFragments: MovieFragments? { checker.plannedFragments }
  /// The bytes of the planned movie.
  var output: PlannedSource { PlannedSource(plan, of: source) }

  func failure(_ reason: String, at offset: UInt64? = nil, in path: String = "") -> MovieError {
    checker.failure(reason, at: offset, in: path)
  }
}
