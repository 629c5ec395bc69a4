public import MovieBox

/// Passes a plan's output, from the first byte to the last, to a pipe, a socket or an upload.
///
/// Creates no file, and buffers at most 256 KiB. Bytes that were passed on cannot be revoked. Therefore, the last bytes
/// are passed on only if the source has not changed since planning. An output of full length is then also correct.
///
///     let sink = StreamSink { block in try connection.send(block) }
///     let report = try sink.carryOut(plan, from: source)
public struct StreamSink: Sendable {
  private let write: @Sendable (ArraySlice<UInt8>) throws -> Void
  private let disk: any FileSystem

  /// Creates a sink that passes blocks of at most 256 KiB to `write`, in order. An error of `write` ends the output.
  public init(_ write: @escaping @Sendable (_ block: ArraySlice<UInt8>) throws -> Void) {
    self.init(disk: LocalFileSystem(), write)
  }

  init(disk: any FileSystem, _ write: @escaping @Sendable (ArraySlice<UInt8>) throws -> Void) {
    self.write = write
    self.disk = disk
  }

  /// Passes on the output of `plan`.
  ///
  /// After each block, calls `progress` with the numbers of written and planned bytes. An error of `progress` cancels
  /// the output. Throws the errors of `write` and `source`. If the source has changed before the first byte or before
  /// the last bytes, throws ``/MovieBox/FileError`` with ``/MovieBox/FileError/Code/changed`` or
  /// ``/MovieBox/MovieError`` with ``/MovieBox/MovieError/Code/sourceChanged``.
  @discardableResult
  public func carryOut(
    _ plan: OutputPlan, from source: some RandomAccessSource,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    try check(source, plan, "nothing was written")
    var report = SinkReport()
    var writer = StagedWriter(disk, to: .stream(write), from: 0, byteCount: plan.byteCount, skipsZeros: false) { done in
      try progress(done, plan.byteCount)
    }
    for extent in plan.extents {
      try writer.append(extent.content, of: source)
      report.bytesCopied += extent.sourceRange?.count ?? 0
    }
    try writer.readPending()
    try check(source, plan, "the output is not a complete movie")
    try writer.flush()
    report.bytesWritten = writer.bytesWritten
    return report
  }

  private func check(_ source: some RandomAccessSource, _ plan: OutputPlan, _ state: String) throws {
    guard let changedPart = try source.changedPart(since: plan.source) else { return }
    let reason = "the movie has changed since it was read; \(state)"
    guard let file = changedPart as? FileSource else { throw MovieError(.sourceChanged, reason) }
    throw FileError(.changed, file.path, reason)
  }
}

/// The result of writing a plan to a sink.
public struct SinkReport: Hashable, Sendable {
  /// The number of bytes written through memory, including copied bytes.
  public internal(set) var bytesWritten: UInt64 = 0
  /// The number of written bytes that were copied from the source.
  public internal(set) var bytesCopied: UInt64 = 0
  /// The number of bytes that the new file shares with the source instead of copying them.
  public internal(set) var bytesCloned: UInt64 = 0
  /// The number of times that the sink waited for the disk.
  public internal(set) var syncs = 0
  /// The number of other names (hard links) of the replaced file. They still refer to the old movie.
  public internal(set) var otherHardLinks: UInt64 = 0
  /// The properties of the replaced file that could not be transferred: `owner`, `group`, and names of extended
  /// attributes.
  public internal(set) var lostAttributes: [String] = []

  /// Creates an empty report.
  init() {}
}
