package import MovieBox

/// Writes a plan's output to a new file that is renamed into place when it is complete.
///
///     before    film.mov (old or absent)
///     1 write   film.mov (old or absent)   a file without a name (part of the new movie)
///     2 sync    film.mov (old or absent)   a file without a name (the whole new movie)
///     3 link    film.mov (old)             .movtool-….tmp (the new movie), only if a file is replaced
///     4 rename  film.mov (new)
///
/// A failure, cancellation or crash before step 3 leaves no file. If the file system does not support unnamed files,
/// the file is called `.movtool-….tmp` from the start. A failure then removes this file, and the next edit in the
/// folder removes a file that a killed process left. Step 2 is omitted unless a file is replaced or the caller
/// requested it. After step 2, the folder is synced as well.
///
///     let sink = NewFileSink(path: "new.mov", existing: .keep, synchronizes: false)
///     let report = try sink.carryOut(plan, from: source) { done, planned in print(done, "of", planned) }
package struct NewFileSink {
  /// The treatment of an existing file that has the name of the output.
  package enum ExistingFilePolicy: Hashable, Sendable {
    /// Keep the existing file and throw ``FileError/Code/exists``.
    case keep
    /// Replace the existing file, regardless of its contents. The existing file must be an ordinary file.
    case replace
    /// Replace the existing file. It is the movie that the plan reads, so it is locked, and it must not have changed
    /// since it was read.
    case replaceSource
  }

  /// The path of the output. A symbolic link to a replaced file is followed and kept.
  package let path: String
  /// The treatment of an existing file with this name.
  package let existing: ExistingFilePolicy
  /// Whether to wait until the new file and its name are on the disk even if no file is replaced.
  package let synchronizes: Bool
  /// The file whose mode, owner and extended attributes are copied to a file that replaces nothing. If it is `nil`, the
  /// new file has the default mode and owner.
  private let model: String?
  private let disk: any FileSystem

  /// Creates a sink that writes to `path`.
  package init(path: String, existing: ExistingFilePolicy, synchronizes: Bool) {
    self.init(path: path, existing: existing, synchronizes: synchronizes, disk: LocalFileSystem())
  }

  package init(
    path: String, existing: ExistingFilePolicy, synchronizes: Bool, model: String? = nil, disk: any FileSystem
  ) {
    self.path = path
    self.existing = existing
    self.synchronizes = synchronizes
    self.model = model
    self.disk = disk
  }

  /// Writes the output of `plan`.
  ///
  /// The new file inherits the mode, owner and extended attributes of a replaced file. Calls `progress` with the
  /// numbers of written and planned bytes, about every 256 KiB and once more before the file is renamed into place. An
  /// error of `progress` cancels the output. Throws ``FileError`` for file operations, and the errors of `source`.
  /// After an error, the file is absent or unchanged, unless only the sync of its new directory entry failed. The error
  /// reports that the file was replaced.
  @discardableResult
  package func carryOut(
    _ plan: OutputPlan, from source: some RandomAccessSource,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    try checkSource(plan, source)
    let name = FilePath(path)
    let replacedFile = try findReplacedFile(plan)
    defer { replacedFile?.close() }
    let model = try replacedFile ?? model.map { (path) throws(FileError) in try ReplacedFile(path, on: disk) }
    defer { if replacedFile == nil { model?.close() } }
    let targetName = replacedFile.map { FilePath($0.path) } ?? name
    let target = Target(
      name: targetName, replacedFile: replacedFile, model: model, folder: try openFolder(targetName, replacedFile))
    defer { if let folder = target.folder { disk.closeWithoutLoss(folder) } }
    let filler = try PlanFiller(plan, source, disk: disk, path: path, folder: targetName.folder, progress)
    var temporary = try createTemporary(in: targetName.folder, mode: model == nil ? 0o666 : 0o600)

    var report = SinkReport()
    do {
      try fill(temporary.file, filler, for: target, &report)
      try checkSource(plan, source)
      try progress(plan.byteCount, plan.byteCount)  // The sync may take long, so allow a cancellation.
      try publish(&temporary, as: target, of: plan)
    } catch {
      do {
        try temporary.discard()
      } catch let second {
        throw removalError("the temporary file \(temporary.path ?? "")", after: error, second)
      }
      throw error
    }
    try synchronize(target, &report)
    return report
  }

  // MARK: - Before

  /// Throws if ``carryOut(_:from:progress:)`` would reject the name of the output. The name may belong to a folder or
  /// to a file that must not be replaced, or its folder may not exist.
  package func checkName() throws(FileError) {
    guard try existingFileStatus() == nil else { return }
    let folder = FilePath(path).folder
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: folder, followingLinks: true)
    }
    guard let status else { throw missingFolder(folder) }
    guard status.kind == .folder else {
      throw FileError(.cannotCreate, path, "\(folder) is \(status.kind.rawValue), not a folder")
    }
  }

  /// Whether no file has the name. Throws the errors of ``checkName()``.
  func isNameFree() throws(FileError) -> Bool {
    try existingFileStatus() == nil
  }

  /// Removes the file that the sink has written.
  func removeOutput() throws(SystemError) {
    try disk.remove(path)
  }

  /// Returns the status of the file with the name, or `nil` if there is no such file.
  private func existingFileStatus() throws(FileError) -> FileStatus? {
    guard FilePath(path).isFile else { throw FileError(.cannotCreate, path, "is not the name of a file") }
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: path, followingLinks: false)
    }
    guard let status else { return nil }
    if status.kind == .folder { throw FileError(.cannotCreate, path, "is a folder; specify a file in it") }
    if existing == .keep {
      // `--force` replaces only ordinary files, so other files cause the error that replacing them would cause.
      _ = try ReplacedFile.find(path, on: disk)
      throw FileError(.exists, path, "already exists")
    }
    return status
  }

  private func missingFolder(_ folder: String) -> FileError {
    FileError(.cannotCreate, path, "the folder \(folder) does not exist")
  }

  private func checkSource(_ plan: OutputPlan, _ source: some RandomAccessSource) throws {
    if let changedPart = try source.changedPart(since: plan.source) {
      throw FileError(
        .changed, (changedPart as? FileSource)?.path ?? path,
        "the movie has changed since it was read; nothing was done")
    }
  }

  private func findReplacedFile(_ plan: OutputPlan) throws -> ReplacedFile? {
    let status = try existingFileStatus()
    switch existing {
    case .keep: return nil
    case .replace:
      return status == nil ? nil : try ReplacedFile(path, on: disk)
    case .replaceSource:
      guard status != nil else { throw FileError.changedError(path) }
      let replaced = try ReplacedFile(path, on: disk)
      do {
        try replaced.lock(namedBy: path)
        try replaced.check(against: plan.source.primary, namedBy: path)
      } catch {
        replaced.close()
        throw error
      }
      return replaced
    }
  }

  /// Opens the folder if it must be synced. It is opened before the output is written, so that only the sync can fail
  /// at the end.
  private func openFolder(_ target: FilePath, _ replaced: ReplacedFile?) throws -> FileDescriptor? {
    guard replaced != nil || synchronizes else { return nil }
    return try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.open(target.folder, .folder)
    }
  }

  private func createTemporary(in folder: String, mode: UInt32) throws(FileError) -> TemporaryFile {
    do {
      return try TemporaryFile(in: folder, mode: mode, replaces: existing != .keep, on: disk)
    } catch {
      throw error.code == .notFound ? missingFolder(folder) : FileError(.cannotCreate, path, error)
    }
  }

  // MARK: - The work

  /// The name of the output, and the existing file with that name.
  private struct Target {
    let name: FilePath
    /// The file to replace, or `nil` if there is none.
    let replacedFile: ReplacedFile?
    /// The file whose mode, owner and attributes are copied to the output, or `nil` to use the defaults of new files.
    let model: ReplacedFile?
    /// The open folder, or `nil` if it is not synced.
    let folder: FileDescriptor?
  }

  private func fill(
    _ file: FileDescriptor, _ filler: PlanFiller<some RandomAccessSource>, for target: Target,
    _ report: inout SinkReport
  ) throws {
    try filler.fill(file, &report)
    try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
      try target.model?.carryOver(to: file, &report)
      if target.folder != nil {
        try disk.synchronizeAll(file)
        report.syncs += 1
      }
    }
  }

  private func publish(_ temporary: inout TemporaryFile, as target: Target, of plan: OutputPlan) throws {
    do {
      try temporary.publish(as: target.name.text, replaces: existing != .keep, isSynced: target.folder != nil) {
        if let replaced = target.replacedFile, existing == .replaceSource {
          try replaced.check(against: plan.source.primary, namedBy: path)
        }
      }
    } catch let error as SystemError {
      if error.code == .exists { throw FileError(.exists, path, "already exists; another program has just created it") }
      throw FileError(error.operation == "close" ? .inputOutput : .cannotCreate, path, error)
    }
  }

  private func synchronize(_ target: Target, _ report: inout SinkReport) throws {
    guard let folder = target.folder else { return }
    do {
      try disk.synchronizeFolder(folder)
      report.syncs += 1
    } catch {
      if target.replacedFile != nil {
        throw FileError(.inputOutput, path, "the new movie was written, but may not survive a crash: \(error)")
      }
      do {
        try disk.remove(target.name.text)
      } catch let second {
        throw removalError("the new file", after: error, second)
      }
      throw FileError(.inputOutput, path, error)
    }
  }

  /// Returns the error for an incomplete file that cannot be removed. Its reason contains both the first failure and
  /// the failed removal.
  private func removalError(_ name: String, after failure: any Error, _ second: SystemError) -> FileError {
    let first = (failure as? FileError)?.reason ?? "\(failure)"
    return FileError(.inputOutput, path, "\(first); \(name) could not be removed: \(second)")
  }
}

extension RandomAccessSource {
  /// Returns the source, or the part of a joined source, that has changed. Returns `nil` if nothing has changed.
  func changedPart(since identity: SourceIdentity) throws -> (any RandomAccessSource)? {
    guard try self.identity() != identity else { return nil }
    guard let joined = self as? JoinedSource, joined.sources.count == identity.parts.count else { return self }
    for (source, part) in zip(joined.sources, identity.parts) {
      if let changed = try source.changedPart(since: part) { return changed }
    }
    return self
  }
}

extension NewFileSink {
  /// Writes these bytes to a file, either completely or not at all.
  ///
  /// Throws the ``FileError`` of ``carryOut(_:from:progress:)``.
  @discardableResult
  package func write(_ bytes: Bytes) throws -> SinkReport {
    let emptySource = MemorySource(Bytes())
    return try carryOut(OutputPlan(of: emptySource.identity(), [.generated(bytes)]), from: emptySource)
  }

  /// Writes several files, either all of them or none. If one file cannot be written, the files that were already
  /// written are removed.
  ///
  /// If a written file has replaced another file, the replaced file cannot be restored. The written file is then kept,
  /// and the error names it. Throws ``FileError``.
  package static func write(_ files: [(sink: NewFileSink, bytes: Bytes)]) throws {
    for file in files { try file.sink.checkName() }
    var writtenSinks: [(sink: NewFileSink, isNew: Bool)] = []
    for file in files {
      do {
        let isNew = try file.sink.isNameFree()
        try file.sink.write(file.bytes)
        writtenSinks.append((file.sink, isNew))
      } catch {
        throw try rollBack(writtenSinks, after: error)
      }
    }
  }

  private static func rollBack(_ written: [(sink: NewFileSink, isNew: Bool)], after failure: any Error) throws
    -> any Error
  {
    var writtenPaths: [String] = []
    for (sink, isNew) in written {
      guard isNew else {
        writtenPaths.append(sink.path)
        continue
      }
      do throws(SystemError) {
        try sink.removeOutput()
      } catch {
        writtenPaths.append(sink.path)
      }
    }
    guard !writtenPaths.isEmpty, let error = failure as? FileError else { return failure }
    return FileError(
      error.code, error.path, error.reason + "; already written: " + writtenPaths.joined(separator: ", "))
  }
}

extension NewFileSink {
  /// Returns the size of the blocks that a new file with this name could share with `source`, or `nil` if it cannot
  /// share any blocks.
  ///
  /// Some file systems (btrfs, XFS, APFS) let files share blocks. Shared blocks do not need to be written. The test
  /// writes an unnamed file and discards it.
  static func sharedBlockByteCount(
    with source: some RandomAccessSource, at path: String, on disk: any FileSystem = LocalFileSystem()
  ) -> UInt64? {
    // The first source of a joined source is the edited movie.
    let first = (source as? JoinedSource)?.sources.first ?? source
    guard let file = first as? FileSource else { return nil }
    do {
      let isLink = try disk.status(at: path, followingLinks: false) != nil
      let folder = FilePath(isLink ? try disk.resolve(path) : path).folder
      let block = try disk.volume(of: folder).blockSize
      guard block > 0, block <= PlanFiller<FileSource>.smallestClone, try file.identity().byteCount >= block else {
        return nil
      }
      return disk.sharesBlocks(of: file.descriptor, blockSize: block, in: folder) ? block : nil
    } catch {
      return nil  // Writing the file reports the error.
    }
  }
}
