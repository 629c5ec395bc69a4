public import MovieBox

/// Writes a plan's output to a new file, and shows it under its name only when it is whole.
///
///     before    film.mov (old or absent)
///     1 write   film.mov (old or absent)   .movtool-….tmp (part of the new movie)
///     2 sync    film.mov (old or absent)   .movtool-….tmp (the whole new movie)
///     3 rename  film.mov (new)
///
/// Whatever fails or is cancelled before step 3 removes the temporary file. Step 2 is made when a file is replaced or
/// when asked; then the folder is synced too.
///
///     let sink = NewFileSink(path: "new.mov", existing: .keep, synchronizes: false)
///     let report = try sink.carryOut(plan, from: source) { done, planned in print(done, "of", planned) }
public struct NewFileSink {
  /// What to do with a file that has the name already.
  public enum Existing: Hashable, Sendable {
    /// Leave it alone and throw ``FileError/Code/exists``.
    case keep
    /// Take its place, whatever it holds. It must be an ordinary file.
    case replace
    /// Take its place; it is the movie that the plan reads. Its lock is taken, and it must still be what was read.
    case replaceSource
  }

  /// The name of the output. A symbolic link to a file that may be replaced is followed and stays.
  public let path: String
  /// What to do with a file of that name.
  public let existing: Existing
  /// Whether to wait until a file that replaces nothing is on the disk, its name included.
  public let synchronizes: Bool
  private let disk: any Disk

  /// A sink that writes to `path`.
  public init(path: String, existing: Existing, synchronizes: Bool) {
    self.init(path: path, existing: existing, synchronizes: synchronizes, disk: SystemDisk())
  }

  package init(path: String, existing: Existing, synchronizes: Bool, disk: any Disk) {
    self.path = path
    self.existing = existing
    self.synchronizes = synchronizes
    self.disk = disk
  }

  /// Writes the output of `plan`.
  ///
  /// A replaced file's mode, owner and extended attributes are given to the new one. `progress` is told the bytes done
  /// and planned about every 256 KiB, and once more before the file gets its name; what it throws cancels. Throws
  /// ``FileError`` where files are concerned, and what `source` throws. After an error the output is absent or as it
  /// was, with one exception that the error names: the file was replaced, but waiting for its name to reach the disk
  /// failed.
  @discardableResult
  public func carryOut(
    _ plan: RemuxPlan, from source: some RandomAccessSource,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    try checkSource(plan, source)
    let name = FilePath(path)
    let replaced = try findReplaced(plan)
    defer { replaced?.close() }
    let target = replaced.map { FilePath($0.path) } ?? name

    let folder = try openFolder(target, isReplacing: replaced != nil)
    defer { if let folder { disk.closeWithoutLoss(folder) } }
    let filler = try PlanFiller(plan, source, disk: disk, path: path, folder: target.folder, progress)
    let temporary = try createTemporary(in: target.folder, mode: replaced == nil ? 0o666 : 0o600)

    var report = SinkReport()
    do {
      try fill(temporary.file, filler, replaced, syncing: folder != nil, &report)
      try checkSource(plan, source)
      try progress(plan.byteCount, plan.byteCount)  // Waiting for the disk takes long enough to ask for a stop.
      try publish(temporary.path, as: target.text, replaced, plan)
    } catch {
      try remove(temporary.path, "the temporary file \(temporary.path)", after: error)
      throw error
    }
    try synchronize(folder, target.text, isReplacing: replaced != nil, &report)
    return report
  }

  // MARK: - Before

  /// Throws ``FileError`` where ``carryOut(_:from:progress:)`` would for the name alone: it is a folder's, it is taken
  /// by what must not be replaced, or the folder that it lies in does not exist.
  package func checkName() throws(FileError) {
    guard try statusOfName() == nil else { return }
    let folder = FilePath(path).folder
    let status = try FileError.telling(.cannotCreate, path) { () throws(SystemError) in
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
    guard FilePath(path).isFile else { throw FileError(.cannotCreate, path, "is no name of a file") }
    let status = try FileError.telling(.cannotCreate, path) { () throws(SystemError) in
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

  private func checkSource(_ plan: RemuxPlan, _ source: some RandomAccessSource) throws {
    if let changed = try source.changedPart(since: plan.source) {
      throw FileError(
        .changed, (changed as? FileSource)?.path ?? path, "the movie has changed since it was read; nothing was done")
    }
  }

  private func findReplaced(_ plan: RemuxPlan) throws -> ReplacedFile? {
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
  private func openFolder(_ target: FilePath, isReplacing: Bool) throws -> FileDescriptor? {
    guard isReplacing || synchronizes else { return nil }
    return try FileError.telling(.cannotCreate, path) { () throws(SystemError) in
      try disk.open(target.folder, .folder)
    }
  }

  /// A file of an unpredictable name, which nobody else had made before.
  ///
  /// One that replaces nothing is made with the mode that it keeps: the system knows the umask and the folder's
  /// access list. One that replaces a file is its owner's alone until it has the old one's mode.
  private func createTemporary(in folder: String, mode: UInt32) throws -> (path: String, file: FileDescriptor) {
    var attempts = 0
    while true {
      let number = String(UInt64.random(in: .min ... .max), radix: 16)
      let temporary = folder + (folder.hasSuffix("/") ? "" : "/") + ".movtool-\(number).tmp"
      do {
        return (temporary, try disk.open(temporary, .creating(mode: mode)))
      } catch {
        attempts += 1
        if error.code == .notFound { throw missingFolder(folder) }
        guard error.code == .exists, attempts < 10 else { throw FileError(.cannotCreate, path, error) }
      }
    }
  }

  // MARK: - The work

  private func fill(
    _ file: FileDescriptor, _ filler: PlanFiller<some RandomAccessSource>, _ replaced: ReplacedFile?, syncing: Bool,
    _ report: inout SinkReport
  ) throws {
    do {
      try filler.fill(file, &report)
      try FileError.telling(.inputOutput, path) { () throws(SystemError) in
        try replaced?.carryOver(to: file, &report)
        if syncing {
          try disk.synchronize(file)
          report.syncs += 1
        }
      }
    } catch {
      disk.closeWithoutLoss(file)  // What it might lose is about to be removed.
      throw error
    }
    // Network drives tell at the last moment that bytes did not arrive.
    try FileError.telling(.inputOutput, path) { () throws(SystemError) in try disk.close(file) }
  }

  private func publish(_ temporary: String, as target: String, _ replaced: ReplacedFile?, _ plan: RemuxPlan) throws {
    do {
      if let replaced {
        if existing == .replaceSource { try replaced.check(against: plan.source.primary, namedBy: path) }
        try disk.rename(temporary, replacing: target)
      } else if existing == .keep {
        try disk.rename(temporary, toUnused: target)
      } else {
        try disk.rename(temporary, replacing: target)
      }
    } catch let error as SystemError {
      if error.code == .exists { throw FileError(.exists, path, "exists already; someone has just made it") }
      throw FileError(.cannotCreate, path, error)
    }
  }

  private func synchronize(
    _ folder: FileDescriptor?, _ target: String, isReplacing: Bool, _ report: inout SinkReport
  ) throws {
    guard let folder else { return }
    do {
      try disk.synchronizeFolder(folder)
      report.syncs += 1
    } catch {
      if isReplacing {
        throw FileError(.inputOutput, path, "the new movie stands in its place, but may not survive a crash: \(error)")
      }
      try remove(target, "the new file", after: error)
      throw FileError(.inputOutput, path, error)
    }
  }

  /// Removes what was written in vain; where that fails too, both errors are told.
  private func remove(_ file: String, _ name: String, after failure: any Error) throws {
    do {
      try disk.remove(file)
    } catch {
      let first = (failure as? FileError)?.reason ?? "\(failure)"
      throw FileError(.inputOutput, path, "\(first); and \(name) is left: \(error)")
    }
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
