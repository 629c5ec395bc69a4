/// A movie in a file, read where needed with `pread`.
///
/// Never mapped: a file that another process cuts short gives an error, not a signal.
///
///     let source = try FileSource(path: "film.mov")
///     let header = try source.read(ByteRange(0..<8))
public final class FileSource: RandomAccessSource {
  /// The name that the file was opened by.
  public let path: String
  /// The open file, for copying without detours.
  package let descriptor: FileDescriptor
  /// The size when it was opened.
  private let byteCount: UInt64
  /// Beside so many bytes the start of a thread is not felt: getting memory for them takes as long as reading them.
  private static let byteCountForTwoThreads = 4 << 20
  private static let pieceByteCount = 1 << 20

  /// Opens a file to be read; a symbolic link is followed.
  ///
  /// Throws ``FileError`` with ``FileError/Code/noInput`` when there is none, when it may not be read, and when it is
  /// no ordinary file.
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
      // A class whose initialiser fails early has no deinit.
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
      // Nothing was written: whatever the system says here, no data is lost and there is nobody to tell.
    }
  }

  /// Size, inode and time of the last change, as the file is now.
  public func identity() throws(FileError) -> SourceIdentity {
    do {
      return try SystemCalls.status(of: descriptor).identity
    } catch {
      throw FileError(.inputOutput, path, error)
    }
  }

  /// The bytes of `range`, all of them, read into new memory.
  ///
  /// Throws ``MovieError`` when the range passes the end of the file as it was opened, ``FileError`` when reading
  /// fails or the file has become shorter.
  public func read(_ range: ByteRange) throws -> Bytes {
    // Before memory is asked for.
    guard range.end <= byteCount, let count = Int(exactly: range.count) else { throw passesEnd(range) }
    // SAFETY: the buffer is handed on no further than the call that fills it.
    return try unsafe Bytes(count: count) { buffer throws(any Error) in
      unsafe SystemMemory.adviseLargePages(buffer)
      try unsafe read(range, into: buffer)
      return count
    }
  }

  /// Reads the bytes of `range` into a buffer of that size; throws as ``read(_:)`` does.
  @unsafe
  func read(_ range: ByteRange, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard range.end <= byteCount, range.count == UInt64(buffer.count) else { throw passesEnd(range) }
    guard buffer.count >= Self.byteCountForTwoThreads else { return try unsafe fill(buffer, from: range.offset) }
    // SAFETY: each piece is filled by one thread, and both have ended when this call does.
    nonisolated(unsafe) let buffer = unsafe buffer
    _ = try unsafe SecondThread.share(buffer.count, by: Self.pieceByteCount) { [self] pieces throws(FileError) in
      while let piece = pieces.next() {
        // SAFETY: the pieces lie in the buffer.
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[piece])
        try unsafe fill(part, from: range.offset + UInt64(piece.lowerBound))
      }
      return true
    }
  }

  private func passesEnd(_ range: ByteRange) -> MovieError {
    MovieError(.truncated, at: range.offset, "asked for \(range.count) bytes of a file of \(byteCount)")
  }

  /// Fills the buffer; throws where the file ends before.
  @unsafe
  private func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(FileError) {
    unsafe SystemMemory.prepareToFill(buffer)
    var filled = 0
    while filled < buffer.count {
      let count: Int
      do {
        // SAFETY: `filled` stays below the buffer's count.
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        count = try unsafe SystemCalls.read(descriptor, at: offset + UInt64(filled), into: rest)
      } catch {
        throw FileError(.inputOutput, path, error)
      }
      if count == 0 {
        let end = offset + UInt64(buffer.count)
        throw FileError(.changed, path, "ends before byte \(end), had \(byteCount) bytes when it was opened")
      }
      filled += count
    }
  }
}

/// Reads what can be read once and from its start only: pipes, terminals, standard input.
package enum StreamSource {
  /// Reads a stream to its end, waiting for it; `nil` if the path leads nowhere, or to an ordinary file that is not
  /// requested.
  ///
  /// A pipe is waited for until it has a writer. While nothing comes, `checkStop` is asked ten times a second and may
  /// throw. Throws ``FileError`` when the stream cannot be read, ``MovieError`` with `.limit` when it gives more than
  /// `limit` bytes.
  package static func read(
    _ path: String, atMost limit: Int, orOrdinary: Bool = false, checkStop: () throws -> Void = {}
  ) throws -> Bytes? {
    do {
      guard let status = try SystemCalls.status(at: path, followingLinks: true),
        orOrdinary || status.kind != .ordinary, status.kind != .folder
      else { return nil }
      // A call that waits for the writer of a pipe cannot be ended by a signal whose handler returns.
      let file = try SystemCalls.open(path, status.kind == .pipe ? .reading : .waiting)
      let bytes = Result { () throws in try read(file, atMost: limit, checkStop) }
      try SystemCalls.close(file)
      guard let bytes = try bytes.get() else {
        throw MovieError(.limit, "gives more than \(limit) bytes, the most that is read of it")
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
        if error.code == .wouldBlock { continue }  // Another reader was faster.
        throw error
      }
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= limit else { return nil }
    }
  }
}
