/// A movie in a file, read on demand with `pread`.
///
/// The file is not memory-mapped. If another process truncates it, a read throws an error instead of raising a
/// signal.
///
///     let source = try FileSource(path: "film.mov")
///     let header = try source.read(ByteRange(0..<8))
public final class FileSource: RandomAccessSource {
  /// The path that was used to open the file.
  public let path: String
  /// The descriptor of the open file. Copies read from it directly.
  package let descriptor: FileDescriptor
  /// The size of the file when it was opened.
  private let byteCount: UInt64
  /// The minimum size of a read that uses two threads. For a shorter read, starting the second thread costs more time
  /// than it saves.
  private static let byteCountForTwoThreads = 4 << 20
  /// The maximum size of a read. The kernel clears new pages before the read fills them. Pages of one block are still in
  /// the processor's cache at that time.
  private static let blockByteCount = 1 << 20

  /// Opens a file for reading, following symbolic links.
  ///
  /// Throws ``FileError`` with ``FileError/Code/noInput`` if the file is missing, unreadable or not an ordinary file.
  public init(path: String) throws(FileError) {
    self.path = path
    let file: FileDescriptor
    do {
      file = try SystemCalls.open(path, .reading)
    } catch {
      throw FileError(.noInput, path, error)
    }
    descriptor = file
    do {
      let status = try SystemCalls.status(of: file)
      guard status.kind == .ordinary else {
        throw FileError(.noInput, path, "is \(status.kind.rawValue), not an ordinary file")
      }
      byteCount = status.byteCount
    } catch {
      // Close the file here, because `deinit` does not run if the initializer of a class throws.
      Self.close(file)
      throw error as? FileError ?? FileError(.inputOutput, path, "\(error)")
    }
  }

  deinit {
    Self.close(descriptor)
  }

  private static func close(_ file: FileDescriptor) {
    do {
      try SystemCalls.close(file)
    } catch {
      // Ignore a failure to close the file. It was only read, so no data can be lost.
    }
  }

  /// Returns the current size, inode and modification time of the file.
  public func identity() throws(FileError) -> SourceIdentity {
    do {
      return try SystemCalls.status(of: descriptor).identity
    } catch {
      throw FileError(.inputOutput, path, error)
    }
  }

  /// Reads the bytes of `range` into new memory.
  ///
  /// Throws ``MovieError`` if the range extends past the size that the file had when it was opened. Throws
  /// ``FileError`` if reading fails or the file was truncated.
  public func read(_ range: ByteRange) throws -> Bytes {
    // Check the range before memory is allocated.
    guard range.end <= byteCount, let count = Int(exactly: range.count) else { throw pastEndError(range) }
    // SAFETY: the buffer is only passed to the call that fills it.
    return try unsafe Bytes(count: count) { buffer throws(any Error) in
      unsafe SystemMemory.adviseLargePages(buffer)
      try unsafe read(range, into: buffer)
      return count
    }
  }

  /// Reads the bytes of `range` into a buffer of equal size. Throws like ``read(_:)``.
  @unsafe
  func read(_ range: ByteRange, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard range.end <= byteCount, range.count == UInt64(buffer.count) else { throw pastEndError(range) }
    guard buffer.count >= Self.byteCountForTwoThreads else { return try unsafe fill(buffer, from: range.offset) }
    // SAFETY: each range is filled by one thread, and both threads end before this call returns.
    nonisolated(unsafe) let buffer = unsafe buffer
    // Each thread fills one half. If both threads filled the same large page, both would allocate it.
    _ = try unsafe SecondThread.share(buffer.count, by: buffer.count / 2 + 1) { [self] ranges throws(FileError) in
      while let indices = ranges.next() {
        // SAFETY: the ranges are within the buffer.
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[indices])
        try unsafe fill(part, from: range.offset + UInt64(indices.lowerBound))
      }
      return true
    }
  }

  private func pastEndError(_ range: ByteRange) -> MovieError {
    MovieError(
      .truncated, at: range.offset, "cannot read \(range.count) bytes: the file ends at byte \(byteCount)")
  }

  /// Fills the buffer. Throws if the file ends too early.
  @unsafe
  private func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(FileError) {
    var filledByteCount = 0
    while filledByteCount < buffer.count {
      let count: Int
      do {
        // SAFETY: `filledByteCount` is less than the size of the buffer.
        let block = unsafe UnsafeMutableRawBufferPointer(
          rebasing: buffer[filledByteCount...].prefix(Self.blockByteCount))
        unsafe SystemMemory.prepareToFill(block)
        count = try unsafe SystemCalls.read(descriptor, at: offset + UInt64(filledByteCount), into: block)
      } catch {
        throw FileError(.inputOutput, path, error)
      }
      if count == 0 {
        let end = offset + UInt64(buffer.count)
        throw FileError(
          .changed, path, "was truncated before byte \(end): it had \(byteCount) bytes when it was opened")
      }
      filledByteCount += count
    }
  }
}

/// Inputs that can be read only once and from start to end, such as pipes, terminals and standard input.
package enum StreamSource {
  /// Reads a stream to its end. Returns `nil` if the path does not exist. Also returns `nil` for an ordinary file,
  /// unless `acceptsOrdinaryFiles` is `true`.
  ///
  /// Waits until a pipe has a writer. While no data arrives, `checkStop` is called ten times a second and may throw.
  /// Throws ``FileError`` if the stream is unreadable, and ``MovieError`` with `.limit` if it contains more than
  /// `limit` bytes.
  package static func read(
    _ path: String, atMost limit: Int, acceptsOrdinaryFiles: Bool = false, checkStop: () throws -> Void = {}
  ) throws -> Bytes? {
    do {
      guard let status = try SystemCalls.status(at: path, followingLinks: true),
        acceptsOrdinaryFiles || status.kind != .ordinary, status.kind != .folder
      else { return nil }
      // `open` must not block, because a stop signal could not interrupt it. After the signal handler returns, `open`
      // continues to wait for a writer.
      let file = try SystemCalls.open(path, status.kind == .pipe ? .reading : .waiting)
      let bytes = Result { () throws in try read(file, atMost: limit, checkStop) }
      try SystemCalls.close(file)
      guard let bytes = try bytes.get() else {
        throw MovieError(.limit, "exceeds \(limit) bytes, the limit for a stream")
      }
      return Bytes(bytes)
    } catch let error as SystemError {
      throw FileError(.noInput, path, error)
    }
  }

  private static func read(
    _ file: FileDescriptor, atMost limit: Int, _ checkStop: () throws -> Void
  ) throws -> [UInt8]? {
    var bytes: [UInt8] = []
    while true {
      try checkStop()
      guard try SystemCalls.wait(for: [(file, .receiving)], milliseconds: 100) != [[]] else { continue }
      let part: [UInt8]
      do throws(SystemError) {
        part = try SystemCalls.readNext(file, atMost: 1 << 16)
      } catch {
        if error.code == .wouldBlock { continue }  // Another reader consumed the data.
        throw error
      }
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= limit else { return nil }
    }
  }
}
