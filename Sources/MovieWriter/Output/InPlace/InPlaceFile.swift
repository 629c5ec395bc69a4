import MovieBox

/// An open file during an in-place edit, with the state that a rollback needs.
///
/// Each step compares the file with its expected contents. Other programs may write to the file at any time, and some
/// file systems do not support locks.
struct InPlaceFile {
  /// An error after which the commit may or may not be on the disk. The bytes of both the old and the new movie must
  /// remain.
  struct CommitStateUnknown: Error {
    let failure: FileError
  }

  let disk: any FileSystem
  let descriptor: FileDescriptor
  let path: String
  let plan: InPlacePlan
  private(set) var report = SinkReport()
  /// The buffer for comparisons. Reading a whole movie atom with one call would allocate several megabytes.
  let comparisonBuffer = ComparingBuffer()
  /// Whether this process holds the advisory lock. Without the lock, the file is never truncated.
  private(set) var hasLock = false
  /// Whether anything was written.
  private(set) var hasWritten = false
  /// The old bytes at the offsets to which the edit writes.
  private(set) var overwritten = Bytes()
  /// The status of the file directly after the last write.
  private(set) var statusAfterWriting: FileStatus?

  init(_ disk: any FileSystem, _ descriptor: FileDescriptor, _ path: String, _ plan: InPlacePlan) {
    self.disk = disk
    self.descriptor = descriptor
    self.path = path
    self.plan = plan
  }

  func withFileErrors<Result>(_ call: () throws(SystemError) -> Result) throws(FileError) -> Result {
    try FileError.withFileErrors(.inputOutput, path, call)
  }

  func status() throws(FileError) -> FileStatus {
    try withFileErrors { () throws(SystemError) in try disk.status(of: descriptor) }
  }

  func read(_ range: ByteRange) throws(FileError) -> Bytes {
    if range.count == 0 { return Bytes() }
    var bytes = [UInt8](repeating: 0, count: Int(clamping: range.count))
    let count = try withFileErrors { () throws(SystemError) in
      try disk.readAll(descriptor, at: range.offset, into: &bytes, [bytes.indices])
    }
    return count == bytes.count ? Bytes(bytes) : Bytes(Array(bytes.prefix(count)))
  }

  func write(_ bytes: Bytes, at offset: UInt64) throws(FileError) {
    try withFileErrors { () throws(SystemError) in
      try disk.writeAll(descriptor, at: offset, from: bytes.array, bytes.indices)
    }
  }

  func truncate(to byteCount: UInt64) throws(FileError) {
    try withFileErrors { () throws(SystemError) in try disk.truncate(descriptor, to: byteCount) }
  }

  private mutating func synchronize() throws(FileError) {
    try withFileErrors { () throws(SystemError) in try disk.synchronize(descriptor) }
    report.syncs += 1
  }

  // MARK: - Before anything is written

  mutating func lock() throws(FileError) {
    let status = try status()
    guard status.kind == .ordinary else {
      throw FileError(.notWritable, path, "is \(status.kind.rawValue), not an ordinary file")
    }
    switch try withFileErrors({ () throws(SystemError) in try disk.lock(descriptor) }) {
    case .heldByAnother: throw FileError.lockedError(path)
    case .taken: hasLock = true
    case .unavailable: break
    }
    // Compare while the file is locked, because the previous holder of the lock may have edited or replaced the file.
    let locked = try self.status()
    guard locked.identity == plan.source.primary, try isStillAtPath(locked) else { throw FileError.changedError(path) }
  }

  /// The largest number of overwritten bytes that are kept in memory and restored after a failure. If the edit
  /// overwrites more bytes of free space, its own bytes remain there after a failure.
  private static let largestRestored: UInt64 = 64 << 20

  /// Checks the bytes that the edit will overwrite, keeps a copy of them, and marks the free space.
  mutating func prepare() throws {
    // Modification times are unreliable on network drives, so check that the bytes to be overwritten have not changed
    // since planning. Without locks, the file may also have been edited in the meantime.
    guard try contains(plan.overwrittenHead),
      try hasLock || keepsOldBytes(isCommitted: false) && isWhereExpected(plan.commit)
    else { throw FileError.changedError(path) }
    if plan.overwrittenByteCount <= Self.largestRestored {
      overwritten = try read(ByteRange(plan.writeOffset..<plan.writeOffset + plan.overwrittenByteCount))
      guard UInt64(overwritten.count) == plan.overwrittenByteCount else { throw FileError.changedError(path) }
    }
    if plan.truncatesBeforeWriting {
      guard hasLock else {
        throw FileError(
          .notWritable, path,
          "the remains of an interrupted edit at the end of the file cannot be removed safely, because the file system has no "
            + "locks; write a new file instead")
      }
      guard try status().identity == plan.source.primary else { throw FileError.changedError(path) }
      hasWritten = true
      try truncate(to: plan.writeOffset)
      try synchronize()  // Otherwise, a crash could mix the old header with the new one.
    }
    guard !plan.form.appends else { return }
    if let offset = plan.markOffset {
      let mark = Bytes(FreeSpace.mark)
      guard overwritten.isZero, FreeSpace.isIncompleteMark(try read(ByteRange(offset..<offset + UInt64(mark.count))))
      else {
        throw FileError.changedError(path)
      }
      hasWritten = true
      try write(mark, at: offset)
      report.bytesWritten += UInt64(mark.count)
    }
    // The commit of an earlier edit may not be on the disk yet. If a crash lost that commit, the bytes of this edit
    // would have overwritten the movie atom in use.
    try synchronize()
  }

  // MARK: - The new bytes

  mutating func writeContents(
    from source: some RandomAccessSource, _ progress: @escaping (UInt64, UInt64) throws -> Void
  ) throws {
    let (planned, start) = (plan.byteCount, plan.writeOffset)
    let disk = disk
    var writer = StagedWriter(
      disk, to: .file(descriptor, path: path), from: start, byteCount: plan.contentByteCount,
      skipsZeros: plan.form.appends && plan.overwrittenByteCount == 0
    ) { position in
      try progress(position - start, planned)
    }
    hasWritten = true
    defer { report.bytesWritten += writer.bytesWritten }
    var contents = plan.contents[...]
    if plan.form.appends {
      // First sync the header that declares the appended bytes as free space. Some file systems grow a file before they
      // write data, and would otherwise leave unidentifiable bytes after a crash.
      guard case .generated(let first)? = contents.popFirst() else {
        throw MovieError(.planCheckFailed, "the appended bytes do not begin with a header of free space")
      }
      let head = first.slice(at: 0, count: min(Int(FreeSpace.markedHeaderByteCount), first.count)) ?? Bytes()
      do {
        try writeFreeSpaceHeader(head)
        try synchronize()
        try grow(from: start + UInt64(head.count))
      } catch let error as FileError where error.code == .changed {
        try shortenFreeSpace(writtenWith: head)
        throw error
      }
      try writer.move(to: start + UInt64(head.count))
      try progress(UInt64(head.count), planned)
      try writer.append(first.dropFirst(head.count))
    }
    for content in contents {
      try writer.append(content, of: source)
      if case .source(let range) = content { report.bytesCopied += range.count }
    }
    try writer.flush()
    try synchronize()
    statusAfterWriting = try status()
    try progress(plan.contentByteCount, planned)  // The sync may take long, so allow a cancellation.
  }

  /// Writes the header that declares the appended bytes as free space. At the end of the file, the header is appended
  /// rather than written at an offset. Bytes that another program has appended in the meantime are then kept and
  /// detected.
  private mutating func writeFreeSpaceHeader(_ header: Bytes) throws(FileError) {
    let end = plan.truncatesBeforeWriting ? plan.writeOffset : plan.source.primary.byteCount
    guard plan.writeOffset == end else {
      guard try status().byteCount == end else { throw FileError.changedError(path) }
      try write(header, at: plan.writeOffset)
      return report.bytesWritten += UInt64(header.count)
    }
    var writtenByteCount = 0
    while writtenByteCount < header.count {
      let rest = header.dropFirst(writtenByteCount).array
      let count = try withFileErrors { () throws(SystemError) in try disk.append(descriptor, rest) }
      guard count > 0 else { throw FileError(.inputOutput, path, SystemError("write", .inputOutput)) }
      writtenByteCount += count
    }
    report.bytesWritten += UInt64(writtenByteCount)
    guard try status().byteCount == end + UInt64(header.count) else { throw FileError.changedError(path) }
  }

  /// Shortens the free space that the header declares, so that it ends before the bytes that another program appended.
  private mutating func shortenFreeSpace(writtenWith header: Bytes) throws(FileError) {
    // If the other program appended its bytes before the header was written, the header is not at its planned offset.
    guard try read(ByteRange(plan.writeOffset..<plan.writeOffset + UInt64(header.count))) == header else { return }
    let oldEnd = plan.truncatesBeforeWriting ? plan.writeOffset : plan.source.primary.byteCount
    let end = Swift.max(oldEnd, plan.writeOffset + UInt64(header.count))
    try write(Bytes(AtomHeader.bytes(end - plan.writeOffset, "free")), at: plan.writeOffset)
    try synchronize()
  }

  /// Extends the file to its final size before the contents are written. If another program appends bytes later, they
  /// are written after the new contents. Bytes that the program appended before the extension are detected, because
  /// they are not zeros.
  private func grow(from position: UInt64) throws {
    let size = plan.writeOffset + plan.contentByteCount
    let end = Swift.max(position, plan.truncatesBeforeWriting ? plan.writeOffset : plan.source.primary.byteCount)
    guard try status().byteCount == end else { throw FileError.changedError(path) }
    guard size > end else { return }
    try truncate(to: size)
    var offset = end
    while offset < size, !disk.isHole(descriptor, from: offset) {  // This is usually only the first block.
      let piece = try read(ByteRange(offset..<Swift.min(size, offset + UInt64(StagedWriter.capacity))))
      guard !piece.isEmpty, piece.isZero else { throw FileError.changedError(path) }
      offset += UInt64(piece.count)
    }
  }

  // MARK: - The commit

  mutating func commit() throws {
    do {
      try write(plan.commit.replacement, at: plan.commit.offset)
      report.bytesWritten += UInt64(plan.commit.replacement.count)
    } catch {
      let failure = error
      do {
        try restoreHeader()
      } catch {
        throw CommitStateUnknown(
          failure: FileError(
            .inputOutput, path,
            "\(failure.reason); the atom header at byte \(plan.commit.offset) may be lost: \(error.reason)"))
      }
      throw failure
    }
  }

  /// Waits until the commit is on the disk, and compares the file once more. If another program wrote between the last
  /// comparison and the commit, restores the old header.
  mutating func finish(from source: some RandomAccessSource) throws {
    // The file now contains the new movie, so truncating the file would damage the movie.
    do {
      statusAfterWriting = try status()
      try synchronize()
    } catch {
      throw FileError(.inputOutput, path, "the edit was made, but may not survive a crash: \(error.reason)")
    }
    do {
      try requireUntouched(from: source, isCommitted: true)
    } catch let error as FileError where error.code == .changed {
      // Do not restore the old header if another program has replaced the new header. If the file was not locked,
      // another program may also have edited the new movie. Then keep the new header too.
      guard try read(plan.commit.range) == plan.commit.replacement, try hasLock || keepsNewMovie() else { throw error }
      do {
        try restoreHeader()
      } catch {
        throw FileError(
          .changed, path,
          "another program wrote to the file in the meantime; the edit was made and may hide that program's bytes: \(error.reason)"
        )
      }
      throw error
    } catch {
      throw FileError(
        .inputOutput, path,
        "the edit was made, but it is unknown whether another program wrote to the file in the meantime: \(error)")
    }
  }

  /// Whether the header of the new movie atom, or of the first new atom within the old movie atom, is unchanged.
  private func keepsNewMovie() throws(FileError) -> Bool {
    guard let offset = plan.movieOffset else { return true }
    return try read(ByteRange(offset..<offset + 8)) == plan.newHeader
  }

  /// Restores the old header. A failed write may have changed all or some of its bytes.
  private func restoreHeader() throws(FileError) {
    if try read(plan.commit.range) == plan.commit.expected { return }
    try write(plan.commit.expected, at: plan.commit.offset)
    // Sync the old header before the file is truncated. After a crash, the new header could otherwise refer to
    // truncated bytes.
    try withFileErrors { () throws(SystemError) in try disk.synchronize(descriptor) }
  }
}

/// A buffer for comparing bytes of the file.
final class ComparingBuffer {
  var buffer = [UInt8](repeating: 0, count: StagedWriter.capacity)
}

extension InPlacePlan.HeaderWrite {
  /// The range of the bytes that the commit overwrites.
  var range: ByteRange { ByteRange(offset..<offset + UInt64(expected.count)) }
}

extension FileError {
  /// Calls a closure that opens the file at `path`. The error has the code `missing` if there is no such file.
  static func withFileErrors<Result>(
    _ path: String, missing: Code, else code: Code, _ call: () throws(SystemError) -> Result
  ) throws(FileError) -> Result {
    do {
      return try call()
    } catch {
      throw FileError(error.code == .notFound ? missing : code, path, error)
    }
  }
}
