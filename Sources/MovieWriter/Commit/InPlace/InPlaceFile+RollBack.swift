import MovieBox

/// How an edit in place that fails before its commit puts the file back.
extension InPlaceFile {
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
        // At once, for half a header followed by zeros would be unidentifiable.
        try truncate(to: plan.writeOffset)
        if !plan.truncatesFirst, plan.source.primary.byteCount > plan.writeOffset {
          try truncate(to: plan.source.primary.byteCount)
        }
        return
      }
      // The header last: until then it claims all that stands after it, and hides it.
      let head = Int(FreeSpace.markedHeaderByteCount)
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
