import MovieBox

// The same from tasks. The work is done on another thread, for it waits for disks. A task that is cancelled before it
// begins, or while it writes, throws `CancellationError`, and no file is left.
extension MovieFileWriter {
  /// Plans the edit, as ``init(_:of:to:_:)`` does.
  ///
  ///     let writer = try await MovieFileWriter.plan(edit, of: source, to: .itself("film.mov"))
  ///     try await writer.write()
  public static func plan(
    _ edit: MovieEdit, of source: Source, to output: Output, _ layout: OutputLayout = OutputLayout()
  ) async throws -> MovieFileWriter {
    try await BlockingWork.run { _ in try MovieFileWriter(edit, of: source, to: output, layout) }
  }

  /// Carries the plan out, as the function of this name that blocks.
  ///
  /// `progress` gets the bytes done and planned, about every 256 KiB, on another thread; what it throws cancels.
  @discardableResult
  public func write(
    progress: @escaping @Sendable (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) async throws -> SinkReport {
    try await BlockingWork.run { cancellation in
      try self.write { done, planned in
        try cancellation.check()
        try progress(done, planned)
      }
    }
  }
}
