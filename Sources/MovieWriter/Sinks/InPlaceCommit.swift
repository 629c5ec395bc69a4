public import MovieBox

/// Edits a movie's file in place: appends, then commits with one write of an atom's header.
///
///     before    … mdat | moov(S) | rest(R)
///     1 append  … mdat | moov(S) | rest(R) | free[ mdat' moov' rest' ]              sync
///     2 commit  … mdat | free(S+R+8)              | mdat' | moov' | rest'           sync
///
/// Where media lies behind the old movie header, step 2 makes an `mdat` of it that reaches over the media: see
/// ``AppendPlan``.
///
/// Whatever fails or is cancelled before step 2 cuts the file back to its old length. A process or machine that dies
/// in between leaves a whole or torn `free` atom behind the old movie; where the machine's file system grows a file
/// before it writes, zeros may stand in the place of sectors that were not written.
///
///     let report = try InPlaceCommit(path: "film.mov").carryOut(plan)
public struct InPlaceCommit {
  /// The file's name; a symbolic link is followed.
  public let path: String
  private let disk: any Disk

  /// An edit of the file that `path` names.
  public init(path: String) {
    self.init(path: path, disk: SystemDisk())
  }

  package init(path: String, disk: any Disk) {
    self.path = path
    self.disk = disk
  }

  /// Whether the file is an ordinary one that this process may write to. A look before planning, not a promise.
  public static func isPossible(path: String) -> Bool {
    do {
      return try SystemCalls.status(at: path, followingLinks: true)?.kind == .ordinary && SystemCalls.mayWrite(path)
    } catch {
      return false  // Whoever then opens the file learns why.
    }
  }

  /// Carries out an edit that takes nothing from other movies; see ``carryOut(_:from:progress:)``.
  @discardableResult
  public func carryOut(
    _ plan: AppendPlan, progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    try carryOut(plan, from: MemorySource(Bytes()), progress: progress)
  }

  /// Carries the edit out, with the media of other movies from the parts of `source` behind the first.
  ///
  /// `progress` is told the bytes done and planned about every 256 KiB, and once more before the commit; what it
  /// throws cancels the edit. Throws ``FileError``. After an error the file is the old movie, with one exception that
  /// the error names: the edit was committed, but waiting for it to reach the disk failed.
  @discardableResult
  public func carryOut(
    _ plan: AppendPlan, from source: some RandomAccessSource,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    let commit = plan.commit
    let headerByteCount = commit.expected.count
    precondition(headerByteCount == 8 || headerByteCount == 16, "a commit writes the header of an atom")
    precondition(commit.replacement.count == headerByteCount, "a commit replaces what it expects")
    precondition(commit.isInOneSector, "a commit lies in one sector")
    precondition(
      commit.offset + UInt64(headerByteCount) <= plan.keptByteCount, "a commit changes bytes of the old file")
    precondition(plan.keptByteCount <= plan.source.primary.byteCount, "an edit in place keeps bytes that are there")

    let file = try open()
    defer { disk.closeWithoutLoss(file) }  // All that counts has been synced by then.
    try check(file, plan)
    try checkOthers(source, plan)

    var report = SinkReport()
    do {
      //  … mdat | moov(S) | rest(R) | torn free     only where an earlier edit died
      //  … mdat | moov(S) | rest(R)
      try cut(file, plan, &report)
      //  … mdat | moov(S) | rest(R)
      //  … mdat | moov(S) | rest(R) | free[ mdat' moov' rest' ]
      try append(file, plan, source, progress, &report)
      try compare(file, plan)
      try checkOthers(source, plan)
      //  … mdat | moov(S) | rest(R) | free[ mdat' moov' rest' ]
      //  … mdat | free(S+R+8)              | mdat' | moov' | rest'
      try writeHeader(file, plan, &report)
    } catch let error as Undecided {
      throw error.failure
    } catch {
      try cutBack(file, plan, after: error)
      throw error
    }
    // From here on the file is the new movie; cutting it would break it.
    do {
      try disk.synchronize(file)
      report.syncs += 1
    } catch {
      throw FileError(.inputOutput, path, "the edit is made, but may not survive a crash: \(error)")
    }
    return report
  }

  // MARK: - Before

  private func open() throws -> FileDescriptor {
    do {
      return try disk.open(path, .updating)
    } catch {
      throw FileError(error.code == .notFound ? .noInput : .notWritable, path, error)
    }
  }

  private func check(_ file: FileDescriptor, _ plan: AppendPlan) throws {
    let status = try telling { () throws(SystemError) in try disk.status(of: file) }
    guard status.kind == .ordinary else {
      throw FileError(.notWritable, path, "is \(status.kind.rawValue), not an ordinary file")
    }
    if try telling({ () throws(SystemError) in try disk.lock(file) }) == .heldByAnother {
      throw FileError.locked(path)
    }
    // Looked at under the lock: who held it before may have edited the file, or have put another in its place.
    let locked = try telling { () throws(SystemError) in try disk.status(of: file) }
    let named = try telling { () throws(SystemError) in try disk.status(at: path, followingLinks: true) }
    guard locked.identity == plan.source.primary, let named, named.isSameFile(as: locked) else {
      throw FileError.changed(path)
    }
  }

  /// The other movies are what was read; one that is the edited file itself changes with it, and is looked at with it.
  private func checkOthers(_ source: some RandomAccessSource, _ plan: AppendPlan) throws {
    guard plan.source.parts.count > 1 else { return }
    guard let joined = source as? JoinedSource, joined.sources.count == plan.source.parts.count else {
      throw FileError.changed(path)
    }
    for (other, identity) in zip(joined.sources, plan.source.parts).dropFirst() where identity != plan.source.primary {
      guard try other.identity() != identity else { continue }
      throw FileError.changed((other as? FileSource)?.path ?? path)
    }
  }

  // MARK: - The steps

  private func cut(_ file: FileDescriptor, _ plan: AppendPlan, _ report: inout SinkReport) throws {
    guard plan.keptByteCount < plan.source.primary.byteCount else { return }
    try telling { () throws(SystemError) in
      try disk.truncate(file, to: plan.keptByteCount)
      // Else a crash could mix the old header of the torn atom with the new one, where they straddle two sectors.
      try disk.synchronize(file)
    }
    report.syncs += 1
  }

  private func append(
    _ file: FileDescriptor, _ plan: AppendPlan, _ source: some RandomAccessSource,
    _ progress: @escaping (UInt64, UInt64) throws -> Void, _ report: inout SinkReport
  ) throws {
    let planned = plan.byteCount
    let start = plan.keptByteCount
    var writer = StagedWriter(
      disk, to: .file(file, path: path), from: start, byteCount: plan.appendedByteCount
    ) { position in
      try progress(position - start, planned)
    }
    for content in plan.appended {
      try writer.append(content, of: source)
      if case .source(let range) = content { report.bytesCopied += range.count }
    }
    try writer.flush()
    report.bytesWritten = writer.bytesWritten
    try telling { () throws(SystemError) in try disk.synchronize(file) }
    report.syncs += 1
    try progress(plan.appendedByteCount, planned)  // Waiting for the disk takes long enough to ask for a stop.
  }

  /// The last look before the commit: nobody else wrote to the file meanwhile.
  private func compare(_ file: FileDescriptor, _ plan: AppendPlan) throws {
    let status = try telling { () throws(SystemError) in try disk.status(of: file) }
    guard status.byteCount == plan.keptByteCount + plan.appendedByteCount,
      try readHeader(file, plan) == plan.commit.expected
    else { throw FileError.changed(path) }
  }

  private func readHeader(_ file: FileDescriptor, _ plan: AppendPlan) throws(FileError) -> Bytes {
    var header = [UInt8](repeating: 0, count: plan.commit.expected.count)
    let count = try telling { () throws(SystemError) in
      try disk.readAll(file, at: plan.commit.offset, into: &header, [header.indices])
    }
    return Bytes(Array(header.prefix(count)))
  }

  private func writeHeader(_ file: FileDescriptor, _ plan: AppendPlan, _ report: inout SinkReport) throws {
    do {
      try write(plan.commit.replacement, to: file, plan)
      report.bytesWritten += UInt64(plan.commit.replacement.count)
    } catch {
      let failure = error
      do {
        try restoreHeader(file, plan)
      } catch {
        throw Undecided(
          failure: FileError(
            .inputOutput, path,
            "\(failure.reason); the atom header at byte \(plan.commit.offset) may be lost: \(error.reason)"))
      }
      throw failure
    }
  }

  private func write(_ header: Bytes, to file: FileDescriptor, _ plan: AppendPlan) throws(FileError) {
    try telling { () throws(SystemError) in
      try disk.writeAll(file, at: plan.commit.offset, from: header.array, header.indices)
    }
  }

  // MARK: - After a failure

  /// A refused write may have been made all the same, or in part: puts the old header back.
  private func restoreHeader(_ file: FileDescriptor, _ plan: AppendPlan) throws(FileError) {
    if try readHeader(file, plan) == plan.commit.expected { return }
    try write(plan.commit.expected, to: file, plan)
    // Before the file is cut: the new header over a file without its end would be no movie.
    try telling { () throws(SystemError) in try disk.synchronize(file) }
  }

  /// The commit may be on the disk or not: both old and new movie must stay.
  private struct Undecided: Error {
    let failure: FileError
  }

  private func cutBack(_ file: FileDescriptor, _ plan: AppendPlan, after failure: any Error) throws {
    let first = (failure as? FileError)?.reason ?? "\(failure)"
    let size: UInt64
    do {
      size = try disk.status(of: file).byteCount
      let isOurs = size > plan.keptByteCount && size <= plan.keptByteCount + plan.appendedByteCount
      if isOurs { return try disk.truncate(file, to: plan.keptByteCount) }
    } catch {
      throw FileError(
        .inputOutput, path,
        "\(first); free space is left behind the movie from byte \(plan.keptByteCount) on: \(error)")
    }
    // A size that is not of our making means that others write; their bytes are not ours to cut. The size that was read
    // and the one without a torn atom are.
    if size == plan.keptByteCount || size == plan.source.primary.byteCount { return }
    throw FileError(
      .changed, path,
      "\(first); another program made the file \(size) bytes long meanwhile, so free space may be left in it "
        + "from byte \(plan.keptByteCount) on")
  }

  private func telling<Result>(_ call: () throws(SystemError) -> Result) throws(FileError) -> Result {
    try FileError.telling(.inputOutput, path, call)
  }
}
