public import MovieBox

/// Writes an edited movie to a file, in place or as a new file.
///
/// The initializer creates and checks the plan, but writes nothing. Examine ``strategy``, ``byteCountToWrite`` and
/// ``unusedByteCount``, then call `write` or discard the writer.
///
///     let source = try FileSource(path: "interview.mov")
///     var edit = try MovieEdit(of: Movie(of: source), from: source)
///     try edit.addSubtitles(SubtitleInput(file, named: "interview.en.srt"))
///     try MovieFileWriter(edit, to: .sourceFile("interview.mov")).write()
public struct MovieFileWriter: Sendable {
  /// The destination of the edited movie.
  public enum Output: Sendable {
    /// The file from which the movie was read, by its path.
    case sourceFile(String)
    /// Another file. If `synchronizes` is true, writing ends only when the file is on the disk.
    case newFile(String, overwrites: Bool, synchronizes: Bool)
    /// A pipe, a socket or an upload. It receives the whole movie from the first byte to the last.
    case stream(StreamSink)

    /// The path of the file, or `nil` for a stream.
    var path: String? {
      switch self {
      case .sourceFile(let path), .newFile(let path, _, _): path
      case .stream: nil
      }
    }
  }

  /// The way in which the edited movie is written.
  public enum Strategy: Hashable, Sendable, CustomStringConvertible {
    /// New bytes written to the file, and one write of a header.
    case inPlace
    /// A new file, or a stream. `reason` is the reason why the file cannot be edited in place, or `nil` if a new file
    /// was requested.
    case newFile(reason: String?)

    /// `in place`, or `new file` with the reason.
    public var description: String {
      switch self {
      case .inPlace: "in place"
      case .newFile(let reason): "new file" + (reason.map { ", because \($0)" } ?? "")
      }
    }
  }

  /// The checked plan of the bytes to write.
  package enum VerifiedPlan: Hashable, Sendable {
    /// New bytes for the existing file.
    case inPlace(InPlacePlan)
    /// A new file or a stream with all bytes of ``MovieFileWriter/plan``. ``Strategy/newFile(reason:)`` describes the
    /// reason.
    case newFile(reason: String?)
  }

  /// The way in which the movie is written.
  public var strategy: Strategy {
    switch verifiedPlan {
    case .inPlace: .inPlace
    case .newFile(let reason): .newFile(reason: reason)
    }
  }
  /// The checked plan of the bytes to write.
  package let verifiedPlan: VerifiedPlan
  /// The destination of the edited movie.
  public let output: Output
  /// The side effects and omissions of the edit. They include the removal of fragments, and values that may be wrong in
  /// a new file.
  public let notices: [EditNotice]
  /// Whether the edited movie is fragmented.
  public let isFragmented: Bool
  /// The number of bytes of the edited file that no sample uses: free space, old movie atoms in media data, and unused
  /// media data. Free space next to the movie atom does not count, because later edits use it.
  public let unusedByteCount: UInt64
  /// The number of unused bytes that are media of removed tracks. An in-place edit and an edit that keeps fragments
  /// leave this media in the file.
  public let removedMediaByteCount: UInt64
  /// The size of the edited file.
  public let outputByteCount: UInt64
  /// The plan of the whole output, including the bytes that an in-place edit leaves unchanged.
  public var plan: OutputPlan { planned.plan }
  /// The movie that the output will contain. Complexity: O(1), because verification has already read it.
  public var plannedMovie: Movie { planned.movie }
  private let planned: PlannedMovie
  private let source: any RandomAccessSource

  /// Plans the edit. If `layout` moves media, ``Output/sourceFile(_:)`` is rewritten as a new file.
  ///
  /// Throws errors of the source, ``/MovieBox/FileError`` for ``Output/sourceFile(_:)`` if the file is write-protected,
  /// and ``/MovieBox/MovieError`` if the movie cannot be planned.
  public init(_ edit: MovieEdit, to output: Output, _ layout: OutputLayout = OutputLayout()) throws {
    try self.init(edit, to: output, layout, movieAtom: .keepingFastStart)
  }

  /// Plans the edit with a given position of the movie atom for an in-place edit.
  package init(
    _ edit: MovieEdit, to output: Output, _ layout: OutputLayout = OutputLayout(),
    movieAtom position: InPlacePlan.Position
  ) throws {
    let source = try edit.joinedSource()
    let planner = EditPlanner(edit)
    self.source = source
    self.output = output
    var layout = layout
    /// Prepares the layout of a new file that can share blocks of media with the old file.
    func shareBlocks() {
      guard let path = output.path, layout.interleaving != .all, !layout.isCompact,
        !layout.omitsSpaceLeftByEdits
      else { return }
      layout.blockByteCount = NewFileSink.sharedBlockByteCount(with: source, at: path)
      // Interleaved subtitles would move the media, so its blocks could not be shared with the old file.
      if layout.blockByteCount != nil { layout.interleaving = .none }
    }
    switch output {
    case .sourceFile(let path):
      guard edit.missingSamples.isEmpty else { throw edit.refusalToReplaceMovie }
      // A write-protected file must not be replaced, even if its folder is writable.
      guard InPlaceCommit.isPossible(path: path) else {
        throw FileError(.notWritable, path, "is write-protected, so it cannot be edited")
      }
      let decision =
        try layout.rewriteReason.map { .blocked($0, nil) } ?? planner.inPlaceDecision(of: source, position)
      switch decision {
      case .plan(let plan, let movie): (verifiedPlan, planned) = (.inPlace(plan), movie)
      case .blocked(let reason, let prepared):
        shareBlocks()
        // Previous in-place edits may have written samples before the movie atom. In the new file, samples follow the
        // movie atom again.
        if edit.movie.layout.hasLittleMediaBeforeMovie { layout.isFastStart = true }
        if edit.changesMetadata, layout.paddingByteCount != 0 {
          layout.metadataRoom = MetadataRoom(MetadataRoom.smallestByteCount)
        }
        if layout.paddingByteCount == nil {
          layout.paddingByteCount = OutputLayout.defaultPaddingByteCount(
            movieByteCount: UInt64(edit.movie.tree.bytes.count))
        }
        planned = try planner.newFile(of: source, layout, prepared)
        verifiedPlan = .newFile(reason: reason)
      }
    case .newFile, .stream:
      shareBlocks()
      planned = try planner.newFile(of: source, layout)
      verifiedPlan = .newFile(reason: nil)
    }
    if case .newFile = verifiedPlan {
      notices =
        edit.notices(for: layout) + edit.movie.newFileWarnings(keepsTrailingBytes: edit.changes.sharing == nil)
        + edit.tracks.associationWarnings
      isFragmented = edit.keepsFragments(for: layout)
    } else {
      notices = edit.notices + edit.tracks.associationWarnings
      isFragmented = false
    }
    let leavesMedia = if case .inPlace = verifiedPlan { true } else { isFragmented }
    removedMediaByteCount = leavesMedia ? edit.removedMediaByteCount : 0
    unusedByteCount = edit.unusedByteCount(in: planned.movie.layout)
    outputByteCount = planned.plan.byteCount
  }

  /// Returns the violations of rules in the planned movie. Reads the samples of subtitles, like
  /// ``/MovieBox/Movie/findings(for:fileName:from:)``.
  public func plannedFindings(for target: Rule.Target?, fileName: String?) throws -> [Finding] {
    let output = PlannedSource(plan, of: source)
    let movie = planned.movie
    let fragments = try planned.fragments ?? (movie.isFragmented ? movie.readFragments(of: output) : nil)
    return try movie.findings(for: target, fragments: fragments, fileName: fileName, readingTextOf: output)
  }

  /// The number of bytes to write, including copied media.
  public var byteCountToWrite: UInt64 {
    switch verifiedPlan {
    case .inPlace(let plan): plan.byteCount
    case .newFile: plan.byteCount
    }
  }

  /// The number of bytes that the plan generates. All other bytes are copied.
  public var generatedByteCount: UInt64 {
    switch verifiedPlan {
    case .inPlace(let plan): plan.generatedByteCount
    case .newFile: plan.extents.filter { $0.sourceRange == nil }.reduce(0) { $0 &+ $1.content.byteCount }
    }
  }

  /// Executes the plan. At every instant, the file contains a complete movie: either the old or the new movie.
  ///
  /// Calls `progress` with the numbers of written and planned bytes, about every 256 KiB. An error of `progress`
  /// cancels the write. Throws ``/MovieBox/FileError``, and errors of the source and of `progress`. If the function
  /// throws, the file is absent or unchanged.
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
    case (.inPlace(let plan), .sourceFile(let path)), (.inPlace(let plan), .newFile(let path, _, _)):
      return try InPlaceCommit(path: path).carryOut(plan, from: source, progress: progress)
    case (.newFile, .sourceFile(let path)):
      return try NewFileSink(path: path, existing: .replaceSource, synchronizes: true)
        .carryOut(plan, from: source, progress: progress)
    case (.newFile, .newFile(let path, let overwrites, let synchronizes)):
      return try NewFileSink(path: path, existing: overwrites ? .replace : .keep, synchronizes: synchronizes)
        .carryOut(plan, from: source, progress: progress)
    }
  }
}

// Asynchronous functions that plan and write on another thread, because planning and writing wait for disks. If the
// task is canceled before or during a write, `write` throws `CancellationError` and leaves no new file.
extension MovieFileWriter {
  /// Plans the edit on another thread, like ``init(_:to:_:)``.
  ///
  ///     let writer = try await MovieFileWriter.plan(edit, to: .sourceFile("film.mov"))
  ///     try await writer.write()
  public static func plan(
    _ edit: MovieEdit, to output: Output, _ layout: OutputLayout = OutputLayout()
  ) async throws -> MovieFileWriter {
    try await BlockingWork.run { _ in try MovieFileWriter(edit, to: output, layout) }
  }

  /// Executes the plan on another thread, like the blocking function of this name.
  ///
  /// Calls `progress` on another thread with the numbers of written and planned bytes, about every 256 KiB. An error of
  /// `progress` cancels the write.
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
