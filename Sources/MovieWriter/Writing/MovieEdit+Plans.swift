package import MovieBox

extension MovieEdit {
  /// Returns the plan of a new file with the edited movie: every atom in its old order, with the media copied.
  ///
  /// A fragmented movie is written without fragments if the layout moves media; see ``flattens(for:)``. The plan is
  /// checked: every sample of every kept track refers to the same bytes as before, and every atom that the edit does not
  /// change is in the plan. Reads positions in top-level atoms and free space, and no samples. The ranges of the plan are
  /// ranges of ``joinedSource()``.
  public func outputPlan(_ layout: OutputLayout = OutputLayout()) throws -> OutputPlan {
    try plannedOutput(of: joinedSource(), layout).plan
  }

  /// Returns the plan of a new file, with a source that has the bytes of the edit as they are now.
  package func outputPlan(of source: some RandomAccessSource, _ layout: OutputLayout = OutputLayout()) throws
    -> OutputPlan
  {
    try plannedOutput(of: source, layout).plan
  }

  /// Returns the edited movie as a source, to be read before anyone has written it. The plan is that of
  /// ``outputPlan(_:)``.
  public func plannedSource(_ layout: OutputLayout = OutputLayout()) throws -> PlannedSource {
    let source = try joinedSource()
    return PlannedSource(try plannedOutput(of: source, layout).plan, of: source)
  }

  /// The edited movie as a new file, planned and verified.
  ///
  /// - Parameter prepared: the edit, if it was resolved for an edit in place that turned out to be impossible.
  func plannedOutput(
    of source: some RandomAccessSource, _ layout: OutputLayout, _ prepared: PreparedEdit? = nil
  ) throws -> PlannedMovie {
    var layout = layout.placingPadding(for: movie)
    if changes.sharing != nil { (layout.isCompact, layout.paddingByteCount, layout.blockByteCount) = (true, 0, nil) }
    let kept = keepingFragments(layout)
    if kept != nil { layout.blockByteCount = nil }  // Free space would come between a fragment and its samples.
    var prepared = layout.splitsChunks || kept != nil ? nil : prepared
    if prepared == nil { prepared = try PreparedEdit(kept ?? (layout.splitsChunks ? splittingChunks() : self)) }
    guard var resolved = try prepared?.completed(isInterleaved: layout.interleaving != .none) else {
      preconditionFailure("the edit was prepared just now")
    }
    if changes.sharing != nil || resolved.stages.keptFragments != nil { layout.metadataRoom = nil }
    resolved.metadataRoom = layout.metadataRoom
    resolved.clearFreeSpace(isCompact: layout.isCompact)
    try Self.check(source, resolved)
    return try source.reading(since: movie.layout.identity) {
      let plan = try MoviePlanner(resolved: resolved, source: source).newFilePlan(layout)
      return try PlanChecker.check(plan, of: resolved, strategy: .rewrite(layout), source: source)
    }
  }

  /// The edit in place: new bytes and one header write. Checked as ``outputPlan(_:)`` is.
  ///
  /// Throws `.invalidEdit` with the reason where it is not possible. Reads what stands after `moov`, 1 MiB at most, and
  /// free space beside it.
  package func inPlacePlan(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position = .keepingFastStart
  ) throws -> InPlacePlan {
    switch try inPlaceDecision(of: source, position) {
    case .plan(let plan, _): return plan
    case .blocked(let reason, _): throw MovieError(.invalidEdit, reason)
    }
  }

  /// What comes of asking for an edit in place.
  enum VerifiedInPlaceDecision {
    case plan(InPlacePlan, PlannedMovie)
    /// It cannot be, for this reason. A new file can be made of the prepared edit, if there is one.
    case blocked(String, PreparedEdit?)
  }

  /// The edit in place, planned and verified, or why there is none.
  func inPlaceDecision(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position
  ) throws -> VerifiedInPlaceDecision {
    guard missingSamples.isEmpty else { throw refusalToReplaceMovie }
    guard stages.converted == nil else {
      return .blocked("a movie of another type has other brands at its start", nil)
    }
    let kept = keepingFragments(OutputLayout())
    let prepared = try PreparedEdit(kept ?? self)
    let resolved = try prepared.completed(isInterleaved: false)
    try Self.check(source, resolved)
    return try source.reading(since: movie.layout.identity) {
      switch try MoviePlanner(resolved: resolved, source: source).inPlaceDecision(position) {
      case .plan(let plan): return .plan(plan, try PlanChecker.check(plan, of: resolved, source: source))
      case .blocked(let reason): return .blocked(reason, kept == nil ? prepared : nil)
      }
    }
  }

  /// Makes sure that a source has the other files of an edit after the movie.
  private static func check(_ source: some RandomAccessSource, _ resolved: ResolvedEdit) throws {
    guard !resolved.added.otherFiles.isEmpty else { return }
    let identity = try source.identity()
    guard identity.parts.count == resolved.added.otherFiles.count + 1 else {
      throw MovieError(
        .invalidEdit,
        "the edit takes bytes from \(resolved.added.otherFiles.count) other files: plan it on a joined source of all")
    }
    guard try identity == resolved.sourceIdentity() else {
      throw MovieError(.sourceChanged, "one of the files has changed since it was read")
    }
  }

  /// Why this movie cannot be edited in place, in words; `nil` when it can, if the movie atom does not outgrow the space
  /// that the edit would go to. Reads free space beside the movie atom.
  package static func inPlaceBlocker(
    of movie: Movie, in source: some RandomAccessSource, _ position: InPlacePlan.Position = .keepingFastStart
  ) throws -> String? {
    try MoviePlanner(resolved: ResolvedEdit(MovieStages(movie)), source: source).inPlaceBlocker(position)
  }
}
