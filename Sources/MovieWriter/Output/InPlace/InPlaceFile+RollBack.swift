import MovieBox

/// Rolls back an in-place edit that failed before its commit.
///
/// The rollback undoes only bytes that the edit verifiably wrote. If another program may have written there, the bytes
/// of the edit remain as free space, and the error reports this.
extension InPlaceFile {
  /// Restores the file if every byte to be undone was written by this edit.
  func rollBack(after failure: any Error, from source: some RandomAccessSource) throws {
    guard hasWritten else { return }
    // Bytes of another program must not be undone, and without a lock they cannot be distinguished from the bytes of
    // this edit.
    if let error = failure as? FileError, error.code == .changed, error.path == path { return }
    let first = (failure as? FileError)?.reason ?? "\(failure)"
    do {
      let isHeld = UInt64(overwritten.count) == plan.overwrittenByteCount
      if hasLock, isHeld, try containsOnlyOldOrNewBytes(from: source) { return try restoreSpace() }
    } catch {
      throw FileError(
        .inputOutput, path,
        "\(first); the file could not be restored and has free space from byte \(plan.writeOffset): \(error)")
    }
    guard try status().byteCount != plan.source.primary.byteCount || !plan.form.appends else { return }
    if UInt64(overwritten.count) < plan.overwrittenByteCount {
      throw FileError(
        .inputOutput, path,
        "\(first); free space from byte \(plan.writeOffset) on was overwritten, and is too large to be restored")
    }
    let reason = hasLock ? "another program wrote to the file" : "the file system has no locks"
    throw FileError(
      hasLock ? .changed : .inputOutput, path,
      "\(first); free space is left in the file from byte \(plan.writeOffset) on, because \(reason)")
  }

  /// Whether every byte that the unfinished edit may have written has either its old value or the value from the edit.
  private func containsOnlyOldOrNewBytes(from source: some RandomAccessSource) throws -> Bool {
    let size = try status().byteCount
    let oldByteCount = plan.source.primary.byteCount
    guard size <= Swift.max(oldByteCount, plan.writeOffset + plan.contentByteCount) else { return false }
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
    let overwrittenBytes = overwritten
    if plan.form.appends {
      if overwrittenBytes.isZero {
        // Truncate in one step, because a partial header followed by zeros could not be identified.
        try truncate(to: plan.writeOffset)
        if !plan.truncatesBeforeWriting, plan.source.primary.byteCount > plan.writeOffset {
          try truncate(to: plan.source.primary.byteCount)
        }
        return
      }
      // Restore the header last. Until then, it declares all bytes after it as free space.
      let head = Int(FreeSpace.markedHeaderByteCount)
      try write(overwrittenBytes.dropFirst(head), at: plan.writeOffset + UInt64(min(head, overwrittenBytes.count)))
      try truncate(to: plan.source.primary.byteCount)
      try withFileErrors { () throws(SystemError) in try disk.synchronize(descriptor) }
      return try write(
        overwrittenBytes.slice(at: 0, count: min(head, overwrittenBytes.count)) ?? Bytes(), at: plan.writeOffset)
    }
    try write(overwrittenBytes, at: plan.writeOffset)
    guard let offset = plan.markOffset else { return }
    // Clear the mark last. Until then, the mark identifies the free space of an interrupted edit.
    try withFileErrors { () throws(SystemError) in try disk.synchronize(descriptor) }
    try write(Bytes([UInt8](repeating: 0, count: FreeSpace.mark.count)), at: offset)
  }
}

/// The comparison of the file with an in-place edit, before and after its commit.
extension InPlaceFile {
  /// Throws if another program wrote to the file. Compares the name, size and times of the file, every byte on which
  /// the edit relies, and every byte that it wrote.
  func requireUntouched(from source: some RandomAccessSource, isCommitted: Bool) throws {
    let size = Swift.max(plan.source.primary.byteCount, plan.writeOffset + plan.contentByteCount)
    guard let statusAfterWriting,
      statusAfterWriting.byteCount == (plan.truncatesBeforeWriting ? plan.writeOffset + plan.contentByteCount : size),
      try isStillAtPath(statusAfterWriting), try hasLock || isWhereExpected(plan.commit),
      try keepsOldBytes(isCommitted: isCommitted),
      try containsWrittenContents(from: source, isCommitted: isCommitted),
      try status().identity == statusAfterWriting.identity
    else { throw FileError(.changed, path, "another program wrote to the file in the meantime; the edit was not made") }
  }

  /// Whether the file contains all bytes that must not change until the commit.
  func keepsOldBytes(isCommitted: Bool) throws(FileError) -> Bool {
    let commit = plan.commit
    let header = isCommitted ? commit.replacement : commit.expected
    guard try contains(header, at: commit.offset) else { return false }
    for kept in plan.requiredOldBytes {
      // If the kept bytes begin with the header of the commit, skip that header, because it was already compared.
      let start = kept.offset == commit.offset ? header.count : 0
      guard try contains(kept.bytes.dropFirst(start), at: kept.offset + UInt64(start)) else { return false }
    }
    return true
  }

  /// Whether the file still contains the bytes that the edit wrote, at their offsets.
  ///
  /// Before the commit, these bytes include media copied from other movies. After the commit, copied media is not
  /// compared again, because it may be gigabytes and must be read from two files.
  private func containsWrittenContents(from source: some RandomAccessSource, isCommitted: Bool) throws -> Bool {
    try forEachPiece(of: isCommitted ? nil : source) { offset, bytes in try contains(bytes, at: offset) }
  }

  /// Calls `body` with consecutive blocks of the planned bytes and their file offsets, until `body` returns `false`.
  /// Returns whether all calls returned `true`. If `source` is `nil`, skips the bytes that are copied from it.
  func forEachPiece(
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

  /// Whether the path still refers to the open file with this status.
  func isStillAtPath(_ status: FileStatus) throws(FileError) -> Bool {
    try withFileErrors { () throws(SystemError) in
      try disk.status(at: path, followingLinks: true)?.isSameFile(as: status) ?? false
    }
  }

  /// Whether the header that the commit replaces is where the plan's form requires it: within `moov` for an edit within
  /// the movie atom. For all other edits, it must be the header of a top-level atom, or the 64-bit size in that header.
  func isWhereExpected(_ commit: InPlacePlan.HeaderWrite) throws -> Bool {
    let source = try FileSource(path: path)
    return try FileLayout(of: source).atoms.contains {
      plan.form.isInMovieAtom
        ? $0.type == "moov" && $0.range.contains(commit.range)
        : $0.range.offset == commit.offset || $0.range.offset + 8 == commit.offset
    }
  }

  /// The smallest number of bytes that two threads compare. Starting a thread takes far less time than comparing them.
  private static var byteCountForTwoThreads: Int { 4 << 20 }

  func contains(_ bytes: Bytes, at offset: UInt64) throws(FileError) -> Bool {
    guard bytes.count >= Self.byteCountForTwoThreads, let disk = disk.concurrent else {
      return try Self.contains(bytes, at: offset, disk, descriptor, path, &comparisonBuffer.buffer)
    }
    let (descriptor, path) = (descriptor, path)
    return try SecondThread.share(bytes.count, by: 1 << 20) { pieces throws(FileError) in
      var buffer = [UInt8](repeating: 0, count: StagedWriter.capacity)
      while let piece = pieces.next() {
        guard let part = bytes.slice(at: piece.lowerBound, count: piece.count),
          try Self.contains(part, at: offset + UInt64(piece.lowerBound), disk, descriptor, path, &buffer)
        else { return false }
      }
      return true
    }
  }

  private static func contains(
    _ bytes: Bytes, at offset: UInt64, _ disk: any FileSystem, _ descriptor: FileDescriptor, _ path: String,
    _ buffer: inout [UInt8]
  ) throws(FileError) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = Swift.min(buffer.count, bytes.count - start)
      let got = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        try disk.readAll(descriptor, at: offset + UInt64(start), into: &buffer, [0..<count])
      }
      guard got == count, bytes.matches(0..<count, of: buffer, at: start) else { return false }
      start += count
    }
    return true
  }

  func contains(_ stored: InPlacePlan.StoredBytes) throws(FileError) -> Bool {
    try contains(stored.bytes, at: stored.offset)
  }
}
