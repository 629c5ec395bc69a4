package import MovieBox

/// Writes a plan's output to a new file, and shows it under its name only when it is whole.
///
///     before    film.mov (old or absent)
///     1 write   film.mov (old or absent)   a file without a name (part of the new movie)
///     2 sync    film.mov (old or absent)   a file without a name (the whole new movie)
///     3 link    film.mov (old)             .movtool-….tmp (the new movie), only where a file is replaced
///     4 rename  film.mov (new)
///
/// Whatever fails or is cancelled, or kills the process, before step 3 leaves nothing. Where the system has no files
/// without names, the file is called `.movtool-….tmp` from the start; whatever fails removes it, and the next edit in
/// the folder removes that of a process that was killed. Step 2 is made when a file is replaced or when asked; then the
/// folder is synced too.
///
///     let sink = NewFileSink(path: "new.mov", existing: .keep, synchronizes: false)
///     let report = try sink.carryOut(plan, from: source) { done, planned in print(done, "of", planned) }
package struct NewFileSink {
  /// What to do with a file that has the name already.
  package enum Existing: Hashable, Sendable {
    /// Leave it alone and throw ``FileError/Code/exists``.
    case keep
    /// Take its place, whatever it holds. It must be an ordinary file.
    case replace
    /// Take its place; it is the movie that the plan reads. Its lock is taken, and it must still be what was read.
    case replaceSource
  }

  /// The name of the output. A symbolic link to a file that may be replaced is followed and stays.
  package let path: String
  /// What to do with a file of that name.
  package let existing: Existing
  /// Whether to wait until a file that replaces nothing is on the disk, its name included.
  package let synchronizes: Bool
  /// The file whose mode, owner and extended attributes a file that replaces nothing gets, or `nil` for those of a new
  /// file.
  private let model: String?
  private let disk: any FileSystem

  /// A sink that writes to `path`.
  package init(path: String, existing: Existing, synchronizes: Bool) {
    self.init(path: path, existing: existing, synchronizes: synchronizes, disk: LocalFileSystem())
  }

  package init(
    path: String, existing: Existing, synchronizes: Bool, model: String? = nil, disk: any FileSystem
  ) {
    self.path = path
    self.existing = existing
    self.synchronizes = synchronizes
    self.model = model
    self.disk = disk
  }

  /// Writes the output of `plan`.
  ///
  /// A replaced file's mode, owner and extended attributes are given to the new one. `progress` gets the bytes done
  /// and planned about every 256 KiB, and once more before the file gets its name; what it throws cancels. Throws
  /// ``FileError`` where files are concerned, and what `source` throws. After an error the output is absent or as it
  /// was, with one exception that the error names: the file was replaced, but waiting for its name to reach the disk
  /// failed.
  @discardableResult
  package func carryOut(
    _ plan: OutputPlan, from source: some RandomAccessSource,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    try checkSource(plan, source)
    let name = FilePath(path)
    let replaced = try findReplaced(plan)
    defer { replaced?.close() }
    let model = try replaced ?? model.map { (path) throws(FileError) in try ReplacedFile(path, on: disk) }
    defer { if replaced == nil { model?.close() } }
    let targetName = replaced.map { FilePath($0.path) } ?? name
    let target = Target(
      name: targetName, replaced: replaced, model: model, folder: try openFolder(targetName, replaced))
    defer { if let folder = target.folder { disk.closeWithoutLoss(folder) } }
    let filler = try PlanFiller(plan, source, disk: disk, path: path, folder: targetName.folder, progress)
    var temporary = try createTemporary(in: targetName.folder, mode: model == nil ? 0o666 : 0o600)

    var report = SinkReport()
    do {
      try fill(temporary.file, filler, for: target, &report)
      try checkSource(plan, source)
      try progress(plan.byteCount, plan.byteCount)  // Waiting for the disk takes long enough to ask for a stop.
      try publish(&temporary, as: target, of: plan)
    } catch {
      do {
        try temporary.discard()
      } catch let second {
        throw left("the temporary file \(temporary.path ?? "")", after: error, second)
      }
      throw error
    }
    try synchronize(target, &report)
    return report
  }

  // MARK: - Before

  /// Throws ``FileError`` where ``carryOut(_:from:progress:)`` would for the name alone: it is a folder's, it is taken
  /// by what must not be replaced, or the folder that it lies in does not exist.
  package func checkName() throws(FileError) {
    guard try statusOfName() == nil else { return }
    let folder = FilePath(path).folder
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: folder, followingLinks: true)
    }
    guard let status else { throw missingFolder(folder) }
    guard status.kind == .folder else {
      throw FileError(.cannotCreate, path, "\(folder) is \(status.kind.rawValue), not a folder")
    }
  }

  /// Whether nothing has the name now. Throws as ``checkName()`` does.
  func isNameFree() throws(FileError) -> Bool {
    try statusOfName() == nil
  }

  /// Removes what the sink has written.
  func removeOutput() throws(SystemError) {
    try disk.remove(path)
  }

  /// What has the name now; `nil` for nothing.
  private func statusOfName() throws(FileError) -> FileStatus? {
    guard FilePath(path).isFile else { throw FileError(.cannotCreate, path, "is not the name of a file") }
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: path, followingLinks: false)
    }
    guard let status else { return nil }
    if status.kind == .folder { throw FileError(.cannotCreate, path, "is a folder; name a file in it") }
    if existing == .keep { throw FileError(.exists, path, "exists already") }
    return status
  }

  private func missingFolder(_ folder: String) -> FileError {
    FileError(.cannotCreate, path, "the folder \(folder) does not exist")
  }

  private func checkSource(_ plan: OutputPlan, _ source: some RandomAccessSource) throws {
    if let changed = try source.changedPart(since: plan.source) {
      throw FileError(
        .changed, (changed as? FileSource)?.path ?? path, "the movie has changed since it was read; nothing was done")
    }
  }

  private func findReplaced(_ plan: OutputPlan) throws -> ReplacedFile? {
    let status = try statusOfName()
    switch existing {
    case .keep: return nil
    case .replace:
      return status == nil ? nil : try ReplacedFile(path, on: disk)
    case .replaceSource:
      guard status != nil else { throw FileError.changed(path) }
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

  /// The folder, opened before any work so that only the waiting itself can fail in the end; `nil` without syncs.
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

  /// The name that the output gets, and what has it now.
  private struct Target {
    let name: FilePath
    /// `nil` where nothing is replaced.
    let replaced: ReplacedFile?
    /// The file whose mode, owner and attributes the output gets, or `nil` for those of a new file.
    let model: ReplacedFile?
    /// Open where it is synced in the end; `nil` without syncs.
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
        if let replaced = target.replaced, existing == .replaceSource {
          try replaced.check(against: plan.source.primary, namedBy: path)
        }
      }
    } catch let error as SystemError {
      if error.code == .exists { throw FileError(.exists, path, "exists already; someone has just made it") }
      throw FileError(error.operation == "close" ? .inputOutput : .cannotCreate, path, error)
    }
  }

  private func synchronize(_ target: Target, _ report: inout SinkReport) throws {
    guard let folder = target.folder else { return }
    do {
      try disk.synchronizeFolder(folder)
      report.syncs += 1
    } catch {
      if target.replaced != nil {
        throw FileError(.inputOutput, path, "the new movie stands in its place, but may not survive a crash: \(error)")
      }
      do {
        try disk.remove(target.name.text)
      } catch let second {
        throw left("the new file", after: error, second)
      }
      throw FileError(.inputOutput, path, error)
    }
  }

  /// Both errors where the incomplete file cannot be removed.
  private func left(_ name: String, after failure: any Error, _ second: SystemError) -> FileError {
    let first = (failure as? FileError)?.reason ?? "\(failure)"
    return FileError(.inputOutput, path, "\(first); and \(name) is left: \(second)")
  }
}

extension RandomAccessSource {
  /// The source, or the part of a joined one, that no longer looks as it did; `nil` where all do.
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
  /// Writes a file of these bytes: whole, or not at all.
  ///
  /// Throws ``FileError`` as ``carryOut(_:from:progress:)`` does.
  @discardableResult
  package func write(_ bytes: Bytes) throws -> SinkReport {
    let nothing = MemorySource(Bytes())
    return try carryOut(OutputPlan(of: nothing.identity(), [.generated(bytes)]), from: nothing)
  }

  /// Writes several files, all or none: where one cannot be written, those before it are removed again.
  ///
  /// A file that was replaced cannot be brought back; it stays, whole, and the error says so. Throws ``FileError``.
  package static func write(_ files: [(sink: NewFileSink, bytes: Bytes)]) throws {
    for file in files { try file.sink.checkName() }
    var written: [(sink: NewFileSink, isNew: Bool)] = []
    for file in files {
      do {
        let isNew = try file.sink.isNameFree()
        try file.sink.write(file.bytes)
        written.append((file.sink, isNew))
      } catch {
        throw try rollBack(written, after: error)
      }
    }
  }

  private static func rollBack(_ written: [(sink: NewFileSink, isNew: Bool)], after failure: any Error) throws
    -> any Error
  {
    var left: [String] = []
    for (sink, isNew) in written {
      guard isNew else {
        left.append(sink.path)
        continue
      }
      do throws(SystemError) {
        try sink.removeOutput()
      } catch {
        left.append(sink.path)
      }
    }
    guard !left.isEmpty, let error = failure as? FileError else { return failure }
    return FileError(error.code, error.path, error.reason + "; already written: " + left.joined(separator: ", "))
  }
}

extension NewFileSink {
  /// The size of the blocks that a new file of this name could share with `source`; `nil` where it shares none.
  ///
  /// Some file systems (btrfs, XFS, APFS) let files have blocks in common: what is shared need not be written. Tried
  /// with a file that has no name and is gone at once.
  static func sharedBlockByteCount(
    with source: some RandomAccessSource, at path: String, on disk: any FileSystem = LocalFileSystem()
  ) -> UInt64? {
    // Of several joined, the movie's own comes first.
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
      return nil  // Whoever then writes the file learns why.
    }
  }
}
