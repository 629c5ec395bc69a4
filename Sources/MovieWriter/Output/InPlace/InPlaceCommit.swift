package import MovieBox

/// Edits a movie file in place. It first writes bytes that readers skip, and then commits the edit by writing one atom
/// header.
///
/// ``InPlacePlan/Form`` shows the file before and after each step. A failure or cancellation before the commit restores
/// the file. If another program wrote to the file in the meantime, that program's bytes are kept, and the bytes of the
/// edit remain as free space. A crash leaves the old movie with free space that the next edit recognizes and reuses.
///
///     let report = try InPlaceCommit(path: "film.mov").carryOut(plan, from: source)
package struct InPlaceCommit {
  /// The path of the file. A symbolic link is followed.
  package let path: String
  private let disk: any FileSystem

  /// Creates an edit of the file at `path`.
  package init(path: String) {
    self.init(path: path, disk: LocalFileSystem())
  }

  package init(path: String, disk: any FileSystem) {
    self.path = path
    self.disk = disk
  }

  /// Whether the file is an ordinary file to which this process may write. The answer may be outdated when the edit
  /// starts.
  package static func isPossible(path: String) -> Bool {
    do {
      return try SystemCalls.status(at: path, followingLinks: true)?.kind == .ordinary && SystemCalls.mayWrite(path)
    } catch {
      return false  // Opening the file reports the error.
    }
  }

  /// Carries out the edit. The first part of `source` is the edited movie, and the other parts contain the media of
  /// other movies.
  ///
  /// Calls `progress` with the numbers of written and planned bytes, about every 256 KiB and once more before the
  /// commit. An error of `progress` cancels the edit. Throws ``FileError``, with ``FileError/Code/changed`` if another
  /// program wrote to the file. After an error, the file contains the old movie, unless only the sync or the
  /// verification after the commit failed. The error reports this case.
  @discardableResult
  package func carryOut(
    _ plan: InPlacePlan, from source: some RandomAccessSource,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    Self.require(plan)
    let descriptor = try FileError.withFileErrors(path, missing: .noInput, else: .notWritable) {
      () throws(SystemError) in
      try disk.open(path, .updating)
    }
    defer { disk.closeWithoutLoss(descriptor) }  // All relevant bytes are synced.
    var file = InPlaceFile(disk, descriptor, path, plan)
    try file.lock()
    try checkOtherSources(source, plan)
    do {
      try file.prepare()
      try file.writeContents(from: source, progress)
      try file.requireUntouched(from: source, isCommitted: false)
      try checkOtherSources(source, plan)
      try file.commit()
    } catch let error as InPlaceFile.CommitStateUnknown {
      throw error.failure
    } catch {
      try file.rollBack(after: error, from: source)
      throw error
    }
    try file.finish(from: source)
    return file.report
  }

  /// Checks that the plan has the properties that the planner guarantees. A violation is an internal error.
  private static func require(_ plan: InPlacePlan) {
    let commit = plan.commit
    precondition(
      commit.replacement.count == commit.expected.count && [8, 16].contains(commit.replacement.count),
      "a commit must replace the header of an atom")
    precondition(commit.isInOneSector, "a commit must be within one sector")
    precondition(
      commit.offset + UInt64(commit.replacement.count) <= plan.writeOffset, "a commit must precede the written bytes")
    precondition(
      plan.writeOffset <= plan.source.primary.byteCount, "an in-place edit must not start beyond the end of the file")
    precondition(
      plan.form.appends || plan.writeOffset + plan.contentByteCount <= plan.source.primary.byteCount,
      "only an edit that appends may make the file longer")
  }

  /// Throws if another source movie has changed. Skips a source that is the edited file itself, because the edit
  /// changes it.
  private func checkOtherSources(_ source: some RandomAccessSource, _ plan: InPlacePlan) throws {
    guard plan.source.parts.count > 1 else { return }
    guard let joined = source as? JoinedSource, joined.sources.count == plan.source.parts.count else {
      throw FileError.changedError(path)
    }
    for (other, identity) in zip(joined.sources, plan.source.parts).dropFirst() where identity != plan.source.primary {
      guard try other.identity() != identity else { continue }
      throw FileError.changedError((other as? FileSource)?.path ?? path)
    }
  }
}
