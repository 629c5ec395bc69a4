public import MovieBox

/// Hands a plan's output on from its first byte to its last: to a pipe, a socket, an upload.
///
/// Nothing is written anywhere else, and no more than 256 KiB is held. What has been handed on cannot be taken back;
/// but the last bytes only follow when the source is found to be what was planned with, so that an output of full
/// length is a whole one.
///
///     let sink = StreamSink { block in try connection.send(block) }
///     let report = try sink.carryOut(plan, from: source)
public struct StreamSink: Sendable {
  private let write: @Sendable (ArraySlice<UInt8>) throws -> Void
  private let disk: any FileSystem

  /// A sink that hands blocks of at most 256 KiB to `write`, in order; what that throws ends the work.
  public init(_ write: @escaping @Sendable (_ block: ArraySlice<UInt8>) throws -> Void) {
    self.init(disk: LocalFileSystem(), write)
  }

  init(disk: any FileSystem, _ write: @escaping @Sendable (ArraySlice<UInt8>) throws -> Void) {
    self.write = write
    self.disk = disk
  }

  /// Hands on the output of `plan`.
  ///
  /// `progress` gets the bytes done and planned after each block; what it throws cancels. Throws what `write` and
  /// `source` throw, ``/MovieBox/FileError`` with ``/MovieBox/FileError/Code/changed`` or ``/MovieBox/MovieError`` with
  /// ``/MovieBox/MovieError/Code/sourceChanged`` when the source has changed: before the first byte, or before the last
  /// ones.
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
    try check(source, plan, "what was written is not a whole movie")
    try writer.flush()
    report.bytesWritten = writer.bytesWritten
    return report
  }

  private func check(_ source: some RandomAccessSource, _ plan: OutputPlan, _ state: String) throws {
    guard let changed = try source.changedPart(since: plan.source) else { return }
    let reason = "the movie has changed since it was read; \(state)"
    guard let file = changed as? FileSource else { throw MovieError(.sourceChanged, reason) }
    throw FileError(.changed, file.path, reason)
  }
}

/// What a sink did.
public struct SinkReport: Hashable, Sendable {
  /// Bytes that went through memory to the disk, the copied ones included.
  public internal(set) var bytesWritten: UInt64 = 0
  /// Of these, bytes that were copied from the source.
  public internal(set) var bytesCopied: UInt64 = 0
  /// Bytes that the new file shares with the source instead of having a copy.
  public internal(set) var bytesCloned: UInt64 = 0
  /// How often the sink waited until something was on the disk.
  public internal(set) var syncs = 0
  /// How many other names the replaced file has; they still name the old movie.
  public internal(set) var otherHardLinks: UInt64 = 0
  /// What could not be carried over from the replaced file: `owner`, `group`, names of extended attributes.
  public internal(set) var lostAttributes: [String] = []

  /// Nothing done.
  init() {}
}
