import MovieBox

/// What an edit in place compares with the file, before its commit and after it.
extension InPlaceFile {
  /// Makes sure that nobody else wrote to the file: its name, size and times, every byte that the edit relies on, and
  /// every byte that it wrote.
  func look(from source: some RandomAccessSource, isCommitted: Bool) throws {
    let size = Swift.max(plan.source.primary.byteCount, plan.writeOffset + plan.contentByteCount)
    guard let seen, seen.byteCount == (plan.truncatesFirst ? plan.writeOffset + plan.contentByteCount : size),
      try isNamed(seen), try hasLock || isTopLevel(plan.commit), try keepsOldBytes(isCommitted: isCommitted),
      try holdsContents(from: source, isCommitted: isCommitted),
      try status().identity == seen.identity
    else { throw FileError(.changed, path, "another program wrote to the file meanwhile; the edit was not made") }
  }

  /// Whether all that must stay until the edit is committed is there.
  func keepsOldBytes(isCommitted: Bool) throws(FileError) -> Bool {
    let commit = plan.commit
    let header = isCommitted ? commit.replacement : commit.expected
    guard try holds(header, at: commit.offset) else { return false }
    for kept in plan.requiredOldBytes {
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

  /// Whether the path still names the open file.
  func isNamed(_ status: FileStatus) throws(FileError) -> Bool {
    try withFileErrors { () throws(SystemError) in
      try disk.status(at: path, followingLinks: true)?.isSameFile(as: status) ?? false
    }
  }

  /// Whether the header that commits is that of a top-level atom, or lies in the movie atom, as the file is now.
  func isTopLevel(_ commit: InPlacePlan.HeaderWrite) throws -> Bool {
    let source = try FileSource(path: path)
    return try FileLayout(of: source).atoms.contains {
      plan.form.isInMovieAtom
        ? $0.type == "moov" && $0.range.contains(commit.range)
        : $0.range.offset == commit.offset || $0.range.offset + 8 == commit.offset
    }
  }

  /// Beside the comparison of so many bytes the start of a thread is not felt.
  private static var byteCountForTwoThreads: Int { 4 << 20 }

  /// Whether the file has these bytes from `offset` on.
  func holds(_ bytes: Bytes, at offset: UInt64) throws(FileError) -> Bool {
    guard bytes.count >= Self.byteCountForTwoThreads, let disk = disk.concurrent else {
      return try Self.holds(bytes, at: offset, disk, descriptor, path, &comparing.buffer)
    }
    let (descriptor, path) = (descriptor, path)
    return try SecondThread.share(bytes.count, by: 1 << 20) { pieces throws(FileError) in
      var buffer = [UInt8](repeating: 0, count: StagedWriter.capacity)
      while let piece = pieces.next() {
        guard let part = bytes.slice(at: piece.lowerBound, count: piece.count),
          try Self.holds(part, at: offset + UInt64(piece.lowerBound), disk, descriptor, path, &buffer)
        else { return false }
      }
      return true
    }
  }

  private static func holds(
    _ bytes: Bytes, at offset: UInt64, _ disk: any FileSystem, _ descriptor: FileDescriptor, _ path: String,
    _ buffer: inout [UInt8]
  ) throws(FileError) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = Swift.min(buffer.count, bytes.count - start)
      let got = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        try disk.readAll(descriptor, at: offset + UInt64(start), into: &buffer, [0..<count])
      }
      guard got == count, bytes.holds(buffer, 0..<count, at: start) else { return false }
      start += count
    }
    return true
  }

  func holds(_ stored: InPlacePlan.StoredBytes) throws(FileError) -> Bool {
    try holds(stored.bytes, at: stored.offset)
  }
}
