import MovieBox

/// An open file during an edit in place.
struct InPlaceFile {
  /// The commit may be on the disk or not: both old and new movie must stay.
  struct CommitStateUnknown: Error {
    let failure: FileError
  }

  let disk: any FileSystem
  let descriptor: FileDescriptor
  let path: String
  let plan: InPlacePlan
  private(set) var report = SinkReport()
  /// What is compared is read here: a movie atom of megabytes would else be as many megabytes of fresh memory.
  let comparing = ComparingBuffer()
  /// Whether we hold the advisory lock: only then is anything cut off.
  private(set) var hasLock = false
  /// Whether anything was written.
  private(set) var hasWritten = false
  /// What the contents overwrite, as it was.
  private(set) var overwritten = Bytes()
  /// What the file looked like right after our last write.
  private(set) var seen: FileStatus?

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
    case .heldByAnother: throw FileError.locked(path)
    case .taken: hasLock = true
    case .unavailable: break
    }
    // Looked at under the lock: who held it before may have edited the file, or have put another in its place.
    let locked = try self.status()
    guard locked.identity == plan.source.primary, try isNamed(locked) else { throw FileError.changed(path) }
  }

  /// More bytes of empty space are not held in memory to be put back after a failure: they stay empty space.
  private static let largestRestored: UInt64 = 64 << 20

  /// Makes the place ready that the contents go to.
  mutating func prepare() throws {
    // Times prove nothing on a network drive: what is about to be overwritten must be what was found empty. Nor does
    // any lock keep another edit away where there is none.
    guard try holds(plan.overwrittenHead), try hasLock || keepsOldBytes(isCommitted: false) && isTopLevel(plan.commit)
    else { throw FileError.changed(path) }
    if plan.overwrittenByteCount <= Self.largestRestored {
      overwritten = try read(ByteRange(plan.writeOffset..<plan.writeOffset + plan.overwrittenByteCount))
      guard UInt64(overwritten.count) == plan.overwrittenByteCount else { throw FileError.changed(path) }
    }
    if plan.truncatesFirst {
      guard hasLock else {
        throw FileError(
          .notWritable, path,
          "the remains of an interrupted edit are at its end, and are not cut off where the file system has no locks; "
            + "the edit can be made in a new file")
      }
      guard try status().identity == plan.source.primary else { throw FileError.changed(path) }
      hasWritten = true
      try truncate(to: plan.writeOffset)
      try synchronize()  // Else a crash could mix the old header there with the new one.
    }
    guard !plan.form.appends else { return }
    if let offset = plan.markOffset {
      let mark = Bytes(FreeSpace.mark)
      guard overwritten.isZero, FreeSpace.isUnmarked(try read(ByteRange(offset..<offset + UInt64(mark.count)))) else {
        throw FileError.changed(path)
      }
      hasWritten = true
      try write(mark, at: offset)
      report.bytesWritten += UInt64(mark.count)
    }
    // An earlier edit's commit may not be on the disk yet: without it the live movie atom would be what is overwritten.
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
      // The header that hides the rest is on the disk before anything else, whatever order the disk writes in: a file
      // system that grows a file first would else leave unidentifiable bytes.
      guard case .generated(let first)? = contents.popFirst() else {
        throw MovieError(.planCheckFailed, "what is appended does not begin with the header that hides it")
      }
      let head = first.slice(at: 0, count: min(Int(FreeSpace.markedHeaderByteCount), first.count)) ?? Bytes()
      do {
        try writeHidingHeader(head)
        try synchronize()
        try grow(from: start + UInt64(head.count))
      } catch let error as FileError where error.code == .changed {
        try shrink(head)
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
    seen = try status()
    try progress(plan.contentByteCount, planned)  // Waiting for the disk takes long enough to ask for a stop.
  }

  /// Writes the header that hides what is appended. Where the file ends, at its very end: bytes that another program
  /// has appended since stay, and are seen.
  private mutating func writeHidingHeader(_ header: Bytes) throws(FileError) {
    let end = plan.truncatesFirst ? plan.writeOffset : plan.source.primary.byteCount
    guard plan.writeOffset == end else {
      guard try status().byteCount == end else { throw FileError.changed(path) }
      try write(header, at: plan.writeOffset)
      return report.bytesWritten += UInt64(header.count)
    }
    var written = 0
    while written < header.count {
      let rest = header.dropFirst(written).array
      let count = try withFileErrors { () throws(SystemError) in try disk.append(descriptor, rest) }
      guard count > 0 else { throw FileError(.inputOutput, path, SystemError("write", .inputOutput)) }
      written += count
    }
    report.bytesWritten += UInt64(written)
    guard try status().byteCount == end + UInt64(header.count) else { throw FileError.changed(path) }
  }

  /// Has the header that hides what is appended end where the bytes of another program begin that were appended after
  /// it: they are nobody's free space.
  private mutating func shrink(_ header: Bytes) throws(FileError) {
    // Where they came before our header, that does not stand where it was to be.
    guard try read(ByteRange(plan.writeOffset..<plan.writeOffset + UInt64(header.count))) == header else { return }
    let old = plan.truncatesFirst ? plan.writeOffset : plan.source.primary.byteCount
    let end = Swift.max(old, plan.writeOffset + UInt64(header.count))
    try write(Bytes(AtomHeader.bytes(end - plan.writeOffset, "free")), at: plan.writeOffset)
    try synchronize()
  }

  /// Gives the file its final size before it is filled: what another program appends from now on comes after that, and
  /// what it has appended meanwhile is not zeros.
  private func grow(from position: UInt64) throws {
    let size = plan.writeOffset + plan.contentByteCount
    let end = Swift.max(position, plan.truncatesFirst ? plan.writeOffset : plan.source.primary.byteCount)
    guard try status().byteCount == end else { throw FileError.changed(path) }
    guard size > end else { return }
    try truncate(to: size)
    var place = end
    while place < size, !disk.isHole(descriptor, from: place) {  // Not yet one at first: the old end shares its block.
      let piece = try read(ByteRange(place..<Swift.min(size, place + UInt64(StagedWriter.capacity))))
      guard !piece.isEmpty, piece.isZero else { throw FileError.changed(path) }
      place += UInt64(piece.count)
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

  /// Waits for the commit to be on the disk, and looks once more: who wrote between the last look and the commit gets
  /// the file back with what it wrote.
  mutating func finish(from source: some RandomAccessSource) throws {
    // From here on the file is the new movie; cutting it would break it.
    do {
      seen = try status()
      try synchronize()
    } catch {
      throw FileError(.inputOutput, path, "the edit is made, but may not survive a crash: \(error.reason)")
    }
    do {
      try look(from: source, isCommitted: true)
    } catch let error as FileError where error.code == .changed {
      // Theirs is the last word: of another header there, or of another edit of the new movie where no lock keeps it
      // away.
      guard try read(plan.commit.range) == plan.commit.replacement, try hasLock || keepsNewMovie() else { throw error }
      do {
        try restoreHeader()
      } catch {
        throw FileError(
          .changed, path,
          "another program wrote to the file meanwhile; the edit is made, and may hide what it wrote: \(error.reason)")
      }
      throw error
    } catch {
      throw FileError(
        .inputOutput, path, "the edit is made, but whether another program wrote meanwhile could not be seen: \(error)")
    }
  }

  /// Whether the header of the new movie atom, or of the first new atom inside it, stands as it was written.
  private func keepsNewMovie() throws(FileError) -> Bool {
    guard let offset = plan.movieOffset else { return true }
    return try read(ByteRange(offset..<offset + 8)) == plan.newHeader
  }

  /// A refused write may have been made all the same, or in part: puts the old header back.
  private func restoreHeader() throws(FileError) {
    if try read(plan.commit.range) == plan.commit.expected { return }
    try write(plan.commit.expected, at: plan.commit.offset)
    // Before the file is cut: the new header over a file without its end would be no movie.
    try withFileErrors { () throws(SystemError) in try disk.synchronize(descriptor) }
  }
}

/// Bytes of the file that are compared with others.
final class ComparingBuffer {
  var buffer = [UInt8](repeating: 0, count: StagedWriter.capacity)
}

extension InPlacePlan.HeaderWrite {
  /// The bytes that are written.
  var range: ByteRange { ByteRange(offset..<offset + UInt64(expected.count)) }
}

extension FileError {
  /// Makes a call that opens what `path` names; `missing` where it names nothing.
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
