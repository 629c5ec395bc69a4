import MovieBox

/// An open file during an edit in place.
struct InPlaceFile {
  /// The commit may be on the disk or not: both old and new movie must stay.
  struct CommitStateUnknown: Error {
    let failure: FileError
  }

  let disk: any Disk
  let descriptor: FileDescriptor
  let path: String
  let plan: InPlacePlan
  private(set) var report = SinkReport()
  /// What is compared is read here: a movie atom of megabytes would else be as many megabytes of fresh memory.
  private let comparing = ComparingBuffer()
  /// Whether we hold the advisory lock: only then is anything cut off.
  private var hasLock = false
  /// Whether anything was written.
  private var hasWritten = false
  /// What the contents overwrite, as it was.
  private var overwritten = Bytes()
  /// What the file looked like right after our last write.
  private var seen: FileStatus?

  init(_ disk: any Disk, _ descriptor: FileDescriptor, _ path: String, _ plan: InPlacePlan) {
    self.disk = disk
    self.descriptor = descriptor
    self.path = path
    self.plan = plan
  }

  func withFileErrors<Result>(_ call: () throws(SystemError) -> Result) throws(FileError) -> Result {
    try FileError.telling(.inputOutput, path, call)
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

  /// Whether the file has these bytes from `offset` on.
  private func holds(_ bytes: Bytes, at offset: UInt64) throws(FileError) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = Swift.min(StagedWriter.capacity, bytes.count - start)
      let got = try withFileErrors { () throws(SystemError) in
        try disk.readAll(descriptor, at: offset + UInt64(start), into: &comparing.buffer, [0..<count])
      }
      guard got == count, bytes.holds(comparing.buffer, 0..<count, at: start) else { return false }
      start += count
    }
    return true
  }

  private func holds(_ stored: InPlacePlan.StoredBytes) throws(FileError) -> Bool {
    try holds(stored.bytes, at: stored.offset)
  }

  private func write(_ bytes: Bytes, at offset: UInt64) throws(FileError) {
    try withFileErrors { () throws(SystemError) in
      try disk.writeAll(descriptor, at: offset, from: bytes.array, bytes.indices)
    }
  }

  private func truncate(to byteCount: UInt64) throws(FileError) {
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

  /// Whether the path still names the open file.
  private func isNamed(_ status: FileStatus) throws(FileError) -> Bool {
    try withFileErrors { () throws(SystemError) in
      try disk.status(at: path, followingLinks: true)?.isSameFile(as: status) ?? false
    }
  }

  /// More bytes of empty space are not held in memory to be put back after a failure: they stay empty space.
  private static let largestRestored: UInt64 = 64 << 20

  /// Makes the place ready that the contents go to.
  mutating func prepare() throws {
    // Times prove nothing on a network drive: what is about to be overwritten must be what was found empty. Nor does any
    // lock keep another edit away where there is none.
    guard try holds(plan.overwrittenHead), try hasLock || keepsOldBytes(isCommitted: false) && isTopLevel(plan.commit)
    else { throw FileError.changed(path) }
    if plan.overwrittenByteCount <= Self.largestRestored {
      overwritten = try read(ByteRange(plan.writeOffset..<plan.writeOffset + plan.overwrittenByteCount))
      guard UInt64(overwritten.count) == plan.overwrittenByteCount else { throw FileError.changed(path) }
    }
    if plan.cutsFirst {
      guard hasLock else {
        throw FileError(
          .notWritable, path,
          "the remains of an interrupted edit are at its end, and are not cut off where the file system has no locks; "
            + "write a new file with -o")
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

  /// Whether the header that commits is that of an atom at the top of the file, as it is now.
  private func isTopLevel(_ commit: InPlacePlan.HeaderWrite) throws -> Bool {
    let source = try FileSource(path: path)
    return try FileLayout(of: source).atoms.contains {
      $0.range.offset == commit.offset || $0.range.offset + 8 == commit.offset
    }
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
      // system that grows a file first would else leave bytes that nobody knows.
      guard case .generated(let first)? = contents.popFirst() else {
        preconditionFailure("what is appended begins with the header that hides it")
      }
      let head = first.slice(at: 0, count: min(Int(InPlaceDraft.markedHeaderByteCount), first.count)) ?? Bytes()
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

  /// Writes the header that hides what is appended. Where the file ends, at its very end: bytes that another program has
  /// appended since stay, and are seen.
  private mutating func writeHidingHeader(_ header: Bytes) throws(FileError) {
    let end = plan.cutsFirst ? plan.writeOffset : plan.source.primary.byteCount
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

  /// Has the header that hides what is appended end where the bytes of another program begin that were appended after it:
  /// they are nobody's free space.
  private mutating func shrink(_ header: Bytes) throws(FileError) {
    // Where they came before our header, that does not stand where it was to be.
    guard try read(ByteRange(plan.writeOffset..<plan.writeOffset + UInt64(header.count))) == header else { return }
    let old = plan.cutsFirst ? plan.writeOffset : plan.source.primary.byteCount
    let end = Swift.max(old, plan.writeOffset + UInt64(header.count))
    try write(Bytes(InPlaceDraft.header(end - plan.writeOffset, "free")), at: plan.writeOffset)
    try synchronize()
  }

  /// Gives the file its final size before it is filled: what another program appends from now on comes after that, and
  /// what it has appended meanwhile is not zeros.
  private func grow(from position: UInt64) throws {
    let size = plan.writeOffset + plan.contentByteCount
    let end = Swift.max(position, plan.cutsFirst ? plan.writeOffset : plan.source.primary.byteCount)
    guard try status().byteCount == end else { throw FileError.changed(path) }
    guard size > end else { return }
    try truncate(to: size)
    var place = end
    while place < size {
      let piece = try read(ByteRange(place..<Swift.min(size, place + UInt64(StagedWriter.capacity))))
      guard !piece.isEmpty, piece.isZero else { throw FileError.changed(path) }
      place += UInt64(piece.count)
    }
  }

  // MARK: - The look before the commit and after it

  /// Makes sure that nobody else wrote to the file: its name, size and times, every byte that the edit relies on, and
  /// every byte that it wrote.
  func look(from source: some RandomAccessSource, isCommitted: Bool) throws {
    let size = Swift.max(plan.source.primary.byteCount, plan.writeOffset + plan.contentByteCount)
    guard let seen, seen.byteCount == (plan.cutsFirst ? plan.writeOffset + plan.contentByteCount : size),
      try isNamed(seen), try hasLock || isTopLevel(plan.commit), try keepsOldBytes(isCommitted: isCommitted),
      try holdsContents(from: source, isCommitted: isCommitted),
      try status().identity == seen.identity
    else { throw FileError(.changed, path, "another program wrote to the file meanwhile; the edit was not made") }
  }

  /// Whether all that must stay until the edit counts is there.
  private func keepsOldBytes(isCommitted: Bool) throws(FileError) -> Bool {
    let commit = plan.commit
    let header = isCommitted ? commit.replacement : commit.expected
    guard try holds(header, at: commit.offset) else { return false }
    for kept in plan.kept {
      // The header that commits is the first of what stands there, or not in it.
      let start = kept.offset == commit.offset ? header.count : 0
      guard try holds(kept.bytes.dropFirst(start), at: kept.offset + UInt64(start)) else { return false }
    }
    return true
  }

  /// Whether the file holds the contents where they were written.
  ///
  /// Media of other movies is looked at once, before the commit: it may be gigabytes, and is read twice for that.
  private func holdsContents(from source: some RandomAccessSource, isCommitted: Bool) throws -> Bool {
    try forEachPiece(of: isCommitted ? nil : source) { offset, bytes in try holds(bytes, at: offset) }
  }

  /// Goes over the contents until `body` says no; `false` then. Without a source, over the generated ones alone.
  private func forEachPiece(
    of source: (some RandomAccessSource)?, _ body: (_ offset: UInt64, _ bytes: Bytes) throws -> Bool
  ) throws -> Bool {
    var offset = plan.writeOffset
    for content in plan.contents {
      var done: UInt64 = 0
      while done < content.byteCount {
        let count = Swift.min(content.byteCount - done, UInt64(StagedWriter.capacity))
        let bytes: Bytes
        switch content {
        case .generated(let all): bytes = all.slice(at: Int(clamping: done), count: Int(clamping: count)) ?? Bytes()
        case .source(let range):
          guard let source else {
            done = content.byteCount
            continue
          }
          bytes = try source.readExactly(ByteRange(range.offset + done..<range.offset + done + count))
        case .zeros: bytes = Bytes([UInt8](repeating: 0, count: Int(clamping: count)))
        }
        guard try body(offset + done, bytes) else { return false }
        done += count
      }
      offset += content.byteCount
    }
    return true
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
      // Theirs is the last word: of another header there, or of another edit of the new movie where no lock keeps it away.
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

  /// Whether the header of the new movie atom stands as it was written.
  private func keepsNewMovie() throws(FileError) -> Bool {
    guard let offset = plan.movieOffset else { return true }
    let header = try read(ByteRange(offset..<offset + 8))
    return header.load(at: 4, as: UInt32.self).map { FourCC(rawValue: $0) } == "moov"
  }

  /// A refused write may have been made all the same, or in part: puts the old header back.
  private func restoreHeader() throws(FileError) {
    if try read(plan.commit.range) == plan.commit.expected { return }
    try write(plan.commit.expected, at: plan.commit.offset)
    // Before the file is cut: the new header over a file without its end would be no movie.
    try withFileErrors { () throws(SystemError) in try disk.synchronize(descriptor) }
  }

  // MARK: - After a failure

  /// Puts the file back as it was, where all that would be undone is ours.
  func rollBack(after failure: any Error, from source: some RandomAccessSource) throws {
    guard hasWritten else { return }
    // What others wrote is not ours to undo, nor to tell from ours without a lock.
    if let error = failure as? FileError, error.code == .changed, error.path == path { return }
    let first = (failure as? FileError)?.reason ?? "\(failure)"
    do {
      let isHeld = UInt64(overwritten.count) == plan.overwrittenByteCount
      if hasLock, isHeld, try isOursOrOld(from: source) { return try restoreSpace() }
    } catch {
      throw FileError(
        .inputOutput, path, "\(first); free space is left in the file from byte \(plan.writeOffset) on: \(error)")
    }
    guard try status().byteCount != plan.source.primary.byteCount || !plan.form.appends else { return }
    if UInt64(overwritten.count) < plan.overwrittenByteCount {
      throw FileError(
        .inputOutput, path,
        "\(first); free space of the file from byte \(plan.writeOffset) on was written over, too much to be put back")
    }
    let reason = hasLock ? "another program has written there" : "the file system has no locks"
    throw FileError(
      hasLock ? .changed : .inputOutput, path,
      "\(first); free space is left in the file from byte \(plan.writeOffset) on, because \(reason)")
  }

  /// Whether each byte that an unfinished edit may have written is ours, or still what it was.
  private func isOursOrOld(from source: some RandomAccessSource) throws -> Bool {
    let size = try status().byteCount
    let old = plan.source.primary.byteCount
    guard size <= Swift.max(old, plan.writeOffset + plan.contentByteCount) else { return false }
    return try forEachPiece(of: source) { offset, bytes in
      let found = try read(ByteRange(offset..<Swift.min(offset + UInt64(bytes.count), Swift.max(size, offset))))
      if found == bytes.slice(at: 0, count: found.count) { return true }
      let start = Int(clamping: offset - plan.writeOffset)
      return found.enumerated().allSatisfy { index, byte in
        let place = start + index
        return byte == bytes[index] || (place < overwritten.count ? byte == overwritten[place] : byte == 0)
      }
    }
  }

  private func restoreSpace() throws(FileError) {
    let old = overwritten
    if plan.form.appends {
      if old.isZero {
        // At once, for half a header followed by zeros would be bytes that nobody knows.
        try truncate(to: plan.writeOffset)
        if !plan.cutsFirst, plan.source.primary.byteCount > plan.writeOffset {
          try truncate(to: plan.source.primary.byteCount)
        }
        return
      }
      // The header last: until then it claims all that stands after it, and hides it.
      let head = Int(InPlaceDraft.markedHeaderByteCount)
      try write(old.dropFirst(head), at: plan.writeOffset + UInt64(min(head, old.count)))
      try truncate(to: plan.source.primary.byteCount)
      try withFileErrors { () throws(SystemError) in try disk.synchronize(descriptor) }
      return try write(old.slice(at: 0, count: min(head, old.count)) ?? Bytes(), at: plan.writeOffset)
    }
    try write(old, at: plan.writeOffset)
    guard let offset = plan.markOffset else { return }
    // The mark last, for the same reason.
    try withFileErrors { () throws(SystemError) in try disk.synchronize(descriptor) }
    try write(Bytes([UInt8](repeating: 0, count: FreeSpace.mark.count)), at: offset)
  }
}

private final class ComparingBuffer {
  var buffer = [UInt8](repeating: 0, count: StagedWriter.capacity)
}

extension InPlacePlan.HeaderWrite {
  /// The bytes that are written.
  var range: ByteRange { ByteRange(offset..<offset + UInt64(expected.count)) }
}

extension FileError {
  /// Makes a call that opens what `path` names; `missing` where it names nothing.
  static func telling<Result>(
    _ path: String, missing: Code, else code: Code, _ call: () throws(SystemError) -> Result
  ) throws(FileError) -> Result {
    do {
      return try call()
    } catch {
      throw FileError(error.code == .notFound ? missing : code, path, error)
    }
  }
}
