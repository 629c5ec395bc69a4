public import MovieBox

/// Writes an edited movie to a file, by the strategy that fits: in place, or a new file.
///
/// The plan is made and checked by the initialiser, which writes nothing: look at ``strategy``, ``byteCountToWrite``
/// and ``unusedByteCount``, then `write` it or throw it away.
///
///     let source = try FileSource(path: "interview.mov")
///     var edit = try MovieEdit(of: Movie(of: source), from: source)
///     try edit.addSubtitles(SubtitleInput(file, named: "interview.en.srt"))
///     try MovieFileWriter(edit, to: .itself("interview.mov")).write()
public struct MovieFileWriter: Sendable {
  /// Where the edited movie goes.
  public enum Output: Sendable {
    /// The file that the movie was read from, by its name.
    case itself(String)
    /// Another file. It waits until the file is on the disk when `synchronizes`.
    case newFile(String, overwrites: Bool, synchronizes: Bool)
    /// A pipe, a socket, an upload: the whole movie, from its first byte to its last.
    case stream(StreamSink)

    /// The name of the file; `nil` for a stream.
    var path: String? {
      switch self {
      case .itself(let path), .newFile(let path, _, _): path
      case .stream: nil
      }
    }
  }

  /// How it gets there.
  public enum Strategy: Hashable, Sendable, CustomStringConvertible {
    /// New bytes written to the file, and one write of a header.
    case inPlace
    /// A new file, or a stream. `reason` says why the file cannot be edited in place; `nil` where a new file was asked
    /// for.
    case newFile(reason: String?)

    /// `in place`, or `new file` and why.
    public var description: String {
      switch self {
      case .inPlace: "in place"
      case .newFile(let reason): "new file" + (reason.map { ", because \($0)" } ?? "")
      }
    }
  }

  /// What is written, in the form that its strategy wants.
  package enum VerifiedPlan: Hashable, Sendable {
    /// New bytes for the file itself.
    case inPlace(InPlacePlan)
    /// All bytes of ``MovieFileWriter/plan``, and why they are wanted, as in ``Strategy/newFile(reason:)``.
    case newFile(reason: String?)
  }

  /// How the movie gets to its output.
  public var strategy: Strategy {
    switch verifiedPlan {
    case .inPlace: .inPlace
    case .newFile(let reason): .newFile(reason: reason)
    }
  }
  /// What is written.
  package let verifiedPlan: VerifiedPlan
  /// Where the edited movie goes.
  public let output: Output
  /// What the edit did besides what was asked for, what becomes of fragments, and what this strategy cannot keep true.
  public let notes: [EditNotice]
  /// Whether the edited movie is fragmented.
  public let isFragmented: Bool
  /// Bytes of the edited file that no sample uses: free space but for that next to the movie atom, which later edits
  /// use, old movie atoms in media data, and unused media data.
  public let unusedByteCount: UInt64
  /// How many of these are media of removed tracks: an edit in place leaves it where it is, and so do fragments.
  public let removedMediaByteCount: UInt64
  /// The size of the edited file.
  public let outputByteCount: UInt64
  /// The whole output, what an edit in place leaves as it is included: for printing, slicing, cutting into parts.
  public var plan: OutputPlan { planned.plan }
  /// The movie as it will be. Costs nothing: it was read when the plan was verified.
  public var plannedMovie: Movie { planned.movie }
  private let planned: PlannedMovie
  private let source: any RandomAccessSource

  /// Plans the edit. A new file is laid out as `layout` says; where that moves media, the file itself is rewritten too.
  ///
  /// Throws what the source throws, ``/MovieBox/FileError`` for a file to be edited that may not be written, and
  /// ``/MovieBox/MovieError`` where the movie cannot be laid out.
  public init(_ edit: MovieEdit, to output: Output, _ layout: OutputLayout = OutputLayout()) throws {
    try self.init(edit, to: output, layout, movieAtom: .keepingFastStart)
  }

  /// The same, with the movie atom of an edit in place at a wanted position.
  package init(
    _ edit: MovieEdit, to output: Output, _ layout: OutputLayout = OutputLayout(),
    movieAtom position: InPlacePlan.Position
  ) throws {
    let source = try edit.joinedSource()
    self.source = source
    self.output = output
    // Subtitles among the media would cost the sharing of its blocks.
    var layout = layout
    if let path = output.path, layout.interleaving != .all, !layout.isCompact {
      layout.blockByteCount = NewFileSink.sharedBlockByteCount(with: source, at: path)
      if layout.blockByteCount != nil { layout.interleaving = .none }
    }
    switch output {
    case .itself(let path):
      guard edit.missingSamples.isEmpty else { throw edit.refusalToReplaceMovie }
      // A file that may not be written is not replaced either, though its folder would allow it.
      guard InPlaceCommit.isPossible(path: path) else {
        throw FileError(.notWritable, path, "is write-protected, so it cannot be edited")
      }
      let decision =
        try layout.rewriteReason.map { .blocked($0, nil) } ?? edit.inPlaceDecision(of: source, position)
      switch decision {
      case .plan(let plan, let made): (verifiedPlan, planned) = (.inPlace(plan), made)
      case .blocked(let reason, let prepared):
        // Samples that edits in place have put before the movie atom come after it again.
        if edit.movie.layout.hasLittleMediaBeforeMovie { layout.isFastStart = true }
        if edit.changesMetadata, layout.paddingByteCount != 0 {
          layout.metadataRoom = MetadataRoom(MetadataRoom.smallestByteCount)
        }
        if layout.paddingByteCount == nil {
          layout.paddingByteCount = OutputLayout.defaultPaddingByteCount(
            movieByteCount: UInt64(edit.movie.tree.bytes.count))
        }
        planned = try edit.plannedOutput(of: source, layout, prepared)
        verifiedPlan = .newFile(reason: reason)
      }
    case .newFile, .stream:
      planned = try edit.plannedOutput(of: source, layout)
      verifiedPlan = .newFile(reason: nil)
    }
    if case .newFile = verifiedPlan {
      notes = edit.notes(for: layout) + edit.warningsForNewFile
      isFragmented = edit.keepsFragments(for: layout)
    } else {
      notes = edit.notes
      isFragmented = false
    }
    let leavesMedia = if case .inPlace = verifiedPlan { true } else { isFragmented }
    removedMediaByteCount = leavesMedia ? edit.removedMediaByteCount : 0
    unusedByteCount = edit.unusedByteCount(in: planned.movie.layout)
    outputByteCount = planned.plan.byteCount
  }

  /// The rules that the movie will break; reads the samples of subtitles, as
  /// ``/MovieBox/Movie/findings(for:fileName:from:)`` does.
  public func plannedFindings(for target: Rule.Target?, fileName: String?) throws -> [Finding] {
    let output = PlannedSource(plan, of: source)
    let movie = planned.movie
    let fragments = try planned.fragments ?? (movie.isFragmented ? movie.readFragments(of: output) : nil)
    return try movie.findings(for: target, fragments: fragments, fileName: fileName, readingTextOf: output)
  }

  /// How many bytes are written, media that is copied included.
  public var byteCountToWrite: UInt64 {
    switch verifiedPlan {
    case .inPlace(let plan): plan.byteCount
    case .newFile: plan.byteCount
    }
  }

  /// How many bytes the plan generates; the others are copied.
  public var generatedByteCount: UInt64 {
    switch verifiedPlan {
    case .inPlace(let plan): plan.generatedByteCount
    case .newFile: plan.extents.filter { $0.sourceRange == nil }.reduce(0) { $0 &+ $1.content.byteCount }
    }
  }

  /// Carries the plan out; at every instant the file is one whole movie, the old one or the new one.
  ///
  /// `progress` gets the bytes done and planned, about every 256 KiB; what it throws cancels. Throws
  /// ``/MovieBox/FileError``, and what the source throws; a file is then absent, or as it was.
  ///
  ///     try writer.write { done, planned in
  ///       try Task.checkCancellation()
  ///       bar.show(done, of: planned)
  ///     }
  @discardableResult
  public func write(
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    switch (verifiedPlan, output) {
    case (.inPlace, .stream(let sink)), (.newFile, .stream(let sink)):
      return try sink.carryOut(plan, from: source, progress: progress)
    case (.inPlace(let plan), .itself(let path)), (.inPlace(let plan), .newFile(let path, _, _)):
      return try InPlaceCommit(path: path).carryOut(plan, from: source, progress: progress)
    case (.newFile, .itself(let path)):
      return try NewFileSink(path: path, existing: .replaceSource, synchronizes: true)
        .carryOut(plan, from: source, progress: progress)
    case (.newFile, .newFile(let path, let overwrites, let synchronizes)):
      return try NewFileSink(path: path, existing: overwrites ? .replace : .keep, synchronizes: synchronizes)
        .carryOut(plan, from: source, progress: progress)
    }
  }
}

extension MovieEdit {
  /// How many bytes of free space and of media data no sample of the edited movie uses, in a file laid out like this.
  /// Free space next to the movie atom is where later edits go.
  package func unusedByteCount(in layout: FileLayout) -> UInt64 {
    let movie = layout.first("moov")?.range
    let room = layout.atoms.reduce(UInt64(0)) { sum, atom in
      if atom.type == "mdat" { return sum &+ atom.payloadRange.count }
      guard atom.isFreeSpace, atom.range.end != movie?.offset, atom.range.offset != movie?.end else { return sum }
      return sum &+ atom.range.count
    }  // No more than the file.
    let used = mediaByteCount
    return room > used ? room - used : 0  // Tracks may share bytes.
  }
}

// The same from tasks. The work is done on another thread, for it waits for disks. A task that is cancelled before it
// begins, or while it writes, throws `CancellationError`, and no file is left.
extension MovieFileWriter {
  /// Plans the edit, as ``init(_:to:_:)`` does.
  ///
  ///     let writer = try await MovieFileWriter.plan(edit, to: .itself("film.mov"))
  ///     try await writer.write()
  public static func plan(
    _ edit: MovieEdit, to output: Output, _ layout: OutputLayout = OutputLayout()
  ) async throws -> MovieFileWriter {
    try await BlockingWork.run { _ in try MovieFileWriter(edit, to: output, layout) }
  }

  /// Carries the plan out, as the function of this name that blocks.
  ///
  /// `progress` gets the bytes done and planned, about every 256 KiB, on another thread; what it throws cancels.
  @discardableResult
  public func write(
    progress: @escaping @Sendable (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) async throws -> SinkReport {
    try await BlockingWork.run { cancellation in
      try self.write { done, planned in
        try cancellation.check()
        try progress(done, planned)
      }
    }
  }
}
