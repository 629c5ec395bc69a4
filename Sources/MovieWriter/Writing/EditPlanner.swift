package import MovieBox

/// Plans how an edited movie is written, and verifies each plan.
struct EditPlanner {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  /// Plans and verifies a new file with the edited movie.
  ///
  /// - Parameter prepared: the edit, if it was already resolved for an in-place edit that turned out to be impossible.
  func newFile(
    of source: some RandomAccessSource, _ layout: OutputLayout, _ prepared: PreparedEdit? = nil
  ) throws -> PlannedMovie {
    var layout = layout.placingPadding(for: edit.movie)
    if edit.changes.sharing != nil {
      (layout.isCompact, layout.paddingByteCount, layout.blockByteCount) = (true, 0, nil)
    }
    let fragmentedEdit = edit.keepingFragments(for: layout)
    if fragmentedEdit != nil { layout.blockByteCount = nil }  // Free space would separate a fragment from its samples.
    let reused = layout.splitsChunks || fragmentedEdit != nil ? nil : prepared
    let preparedEdit =
      try reused ?? PreparedEdit(fragmentedEdit ?? (layout.splitsChunks ? edit.splittingChunks() : edit))
    var resolved = try preparedEdit.completed(isInterleaved: layout.interleaving != .none)
    if edit.changes.sharing != nil || resolved.stages.keptFragments != nil { layout.metadataRoom = nil }
    resolved.metadataRoom = layout.metadataRoom
    resolved.clearFreeSpace(isCompact: layout.isCompact)
    try Self.check(source, resolved)
    return try source.reading(since: edit.movie.layout.identity) {
      let plan = try MoviePlanner(resolved: resolved, source: source).newFilePlan(layout)
      return try PlanChecker.check(plan, of: resolved, strategy: .rewrite(layout), source: source)
    }
  }

  /// The verified plan of an in-place edit, or the reason why no in-place edit is possible.
  enum InPlaceDecision {
    case plan(InPlacePlan, PlannedMovie)
    /// An in-place edit is impossible for this reason. If the prepared edit is not `nil`, a new file can be planned
    /// from it.
    case blocked(String, PreparedEdit?)
  }

  /// Plans and verifies an in-place edit, or returns the reason why it is impossible.
  func inPlaceDecision(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position
  ) throws -> InPlaceDecision {
    guard edit.missingSamples.isEmpty else { throw edit.refusalToReplaceMovie }
    guard edit.stages.converted == nil else {
      return .blocked("the conversion changes the brands at the start of the file", nil)
    }
    let fragmentedEdit = edit.keepingFragments(for: OutputLayout())
    let prepared = try PreparedEdit(fragmentedEdit ?? edit)
    let resolved = try prepared.completed(isInterleaved: false)
    try Self.check(source, resolved)
    return try source.reading(since: edit.movie.layout.identity) {
      switch try MoviePlanner(resolved: resolved, source: source).inPlaceDecision(position) {
      case .plan(let plan): return .plan(plan, try PlanChecker.check(plan, of: resolved, source: source))
      case .blocked(let reason): return .blocked(reason, fragmentedEdit == nil ? prepared : nil)
      }
    }
  }

  /// Throws unless a source consists of the movie and the other files of an edit, all of them unchanged.
  private static func check(_ source: some RandomAccessSource, _ resolved: ResolvedEdit) throws {
    guard !resolved.added.otherFiles.isEmpty else { return }
    let identity = try source.identity()
    guard identity.parts.count == resolved.added.otherFiles.count + 1 else {
      throw MovieError(
        .invalidEdit,
        "the edit copies bytes from \(resolved.added.otherFiles.count) other files: plan it with a joined source of all files"
      )
    }
    guard try identity == resolved.sourceIdentity() else {
      throw MovieError(.sourceChanged, "one of the files has changed since it was read")
    }
  }
}

extension MovieEdit {
  /// Returns the plan of a new file with the edited movie. The atoms keep their order, and the media is copied.
  ///
  /// A fragmented movie is written without fragments if the layout moves media; see ``flattens(for:)``. The plan is
  /// checked: every sample of every kept track refers to the same bytes as before, and every atom that the edit does
  /// not change is in the plan. Reads positions in top-level atoms and free space, and no samples. The ranges of the
  /// plan are ranges of ``joinedSource()``.
  public func outputPlan(_ layout: OutputLayout = OutputLayout()) throws -> OutputPlan {
    try EditPlanner(self).newFile(of: joinedSource(), layout).plan
  }

  /// Returns the plan of a new file. `source` contains the files of the edit in their current state.
  package func outputPlan(of source: some RandomAccessSource, _ layout: OutputLayout = OutputLayout()) throws
    -> OutputPlan
  {
    try EditPlanner(self).newFile(of: source, layout).plan
  }

  /// Returns the edited movie as a source that can be read before the movie is written. Its plan is the plan of
  /// ``outputPlan(_:)``.
  public func plannedSource(_ layout: OutputLayout = OutputLayout()) throws -> PlannedSource {
    let source = try joinedSource()
    return PlannedSource(try EditPlanner(self).newFile(of: source, layout).plan, of: source)
  }

  /// Returns the plan of an in-place edit: new bytes, and one write of a header. The plan is checked like the plan of
  /// ``outputPlan(_:)``.
  ///
  /// Throws `.invalidEdit` with the reason if an in-place edit is impossible. Reads at most 1 MiB after `moov`, and
  /// free space next to it.
  package func inPlacePlan(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position = .keepingFastStart
  ) throws -> InPlacePlan {
    switch try EditPlanner(self).inPlaceDecision(of: source, position) {
    case .plan(let plan, _): return plan
    case .blocked(let reason, _): throw MovieError(.invalidEdit, reason)
    }
  }

  /// Returns the reason why a movie cannot be edited in place, or `nil` if it can, provided that the edited movie atom
  /// fits into its space. Reads free space next to the movie atom.
  package static func inPlaceBlocker(
    of movie: Movie, in source: some RandomAccessSource, _ position: InPlacePlan.Position = .keepingFastStart
  ) throws -> String? {
    try MoviePlanner(resolved: ResolvedEdit(MovieStages(movie)), source: source).inPlaceBlocker(position)
  }

  /// Returns the number of bytes of free space and media data that no sample of the edited movie uses. Free space next
  /// to the movie atom does not count, because later edits use it.
  package func unusedByteCount(in layout: FileLayout) -> UInt64 {
    let movie = layout.first("moov")?.range
    let room = layout.atoms.reduce(UInt64(0)) { sum, atom in
      if atom.type == "mdat" { return sum &+ atom.payloadRange.count }
      guard atom.isFreeSpace, atom.range.end != movie?.offset, atom.range.offset != movie?.end else { return sum }
      return sum &+ atom.range.count
    }  // The sum is at most the size of the file.
    let usedByteCount = mediaByteCount
    return room > usedByteCount ? room - usedByteCount : 0  // Tracks may share bytes.
  }
}
