package import MovieBox

/// A buffered writer for a file or a stream. Its buffer has a size of ``capacity``.
///
/// Bytes are staged, and are written when the buffer is full and more bytes follow. Bytes of a file are read directly
/// into the buffer, as late as possible. One call then reads consecutive ranges of the file, even if other bytes
/// separate them in the output. An interleaved output alternates between tracks, so the writer collects reads for
/// several tracks at the same time. Therefore, a plan of a million small ranges requires few reads and writes. The last
/// bytes are not written until ``flush()``, so that the caller can first verify the source once more.
package struct StagedWriter {
  /// The receiver of the bytes.
  package enum Target {
    /// An open file. Errors contain the path.
    case file(FileDescriptor, path: String)
    /// A function that receives blocks of bytes in order.
    case stream((ArraySlice<UInt8>) throws -> Void)
  }

  /// The size of the buffer. It is large enough that the cost of a call is negligible, and small enough to stay in the
  /// processor's second-level cache. A buffer of one mebibyte is sometimes evicted from the cache, and a copy then
  /// takes twice as long.
  static let capacity = 256 << 10
  /// Full buffers end at page boundaries of the file, because page-aligned copies are faster.
  private static let alignment: UInt64 = 4096
  /// The shortest run of zeros that is skipped in a file. Bytes of a file that were never written are read as zeros.
  static let skippedZeros: UInt64 = 64 << 10

  private let disk: any FileSystem
  private let target: Target
  private var buffer: [UInt8]
  private var filledByteCount = 0
  /// The position of the first staged byte.
  private var start: UInt64
  private let progress: (UInt64) throws -> Void
  private(set) var bytesWritten: UInt64 = 0
  /// The reads that are not yet made. Each reads one run of consecutive bytes of a file into the buffer.
  private var pendingReads: [PendingRead] = []
  /// The index of the pending read that was extended last.
  private var lastRead = 0

  private struct PendingRead {
    let source: FileSource
    var range: ByteRange
    /// The ranges of the buffer that receive the bytes.
    var targets: [Range<Int>]
    /// The largest number of buffer ranges that one call fills.
    static let largestTargetCount = 1024
    /// The largest number of pending reads. Almost no movie has more tracks than this.
    static let largestCount = 16

    /// Whether the read ends at `offset` of a file. Bytes from `offset` on can then be added to the read.
    func ends(at offset: UInt64, of other: FileSource) -> Bool { range.end == offset && source === other }
  }

  /// Whether long runs of zeros are skipped. This requires that the file already has or later gets its full size, and
  /// that nothing was written at these positions.
  private let skipsZeros: Bool

  /// Creates a writer of at most `byteCount` bytes from `start` on. Calls `progress` with the position after each
  /// write.
  package init(
    _ disk: any FileSystem, to target: Target, from start: UInt64, byteCount: UInt64, skipsZeros: Bool,
    progress: @escaping (UInt64) throws -> Void
  ) {
    self.disk = disk
    self.target = target
    self.start = start
    self.progress = progress
    self.skipsZeros = skipsZeros
    buffer = [UInt8](repeating: 0, count: Swift.min(Self.capacity, Swift.max(1, Int(clamping: byteCount))))
  }

  /// The position of the next byte.
  var position: UInt64 { start + UInt64(filledByteCount) }

  /// Appends contents of a plan whose source is `source`.
  package mutating func append(_ content: OutputPlan.Content, of source: some RandomAccessSource) throws {
    switch content {
    case .generated(let bytes): try append(bytes)
    case .zeros(let count): try appendZeros(count)
    case .source(let range):
      // A plan may have a hundred thousand small extents, so do not split the range if the source is a single file.
      if let source = source as? FileSource { return try append(range, of: source) }
      for piece in source.pieces(of: range) { try append(piece.range, of: piece.source) }
    }
  }

  /// Appends bytes.
  package mutating func append(_ bytes: Bytes) throws {
    try append(bytes, in: 0..<bytes.count)
  }

  /// Appends the bytes at these indices. The indices must be valid.
  package mutating func append(_ bytes: Bytes, in part: Range<Int>) throws {
    var position = part.lowerBound
    while position < part.upperBound {
      try makeRoom()
      let count = Swift.min(part.upperBound - position, room - filledByteCount)
      bytes.copy(from: position, count: count, into: &buffer, at: filledByteCount)
      position += count
      filledByteCount += count
    }
  }

  /// Appends a range of an open file.
  mutating func append(_ range: ByteRange, of source: FileSource) throws {
    var offset = range.offset
    while offset < range.end {
      try makeRoom()
      let count = Swift.min(room - filledByteCount, Int(clamping: range.end - offset))
      try deferRead(ByteRange(offset..<offset + UInt64(count)), of: source)
      offset += UInt64(count)
      filledByteCount += count
    }
  }

  /// Registers a read into the buffer after the staged bytes. The read is made before the buffer is written.
  private mutating func deferRead(_ range: ByteRange, of source: FileSource) throws {
    let target = filledByteCount..<filledByteCount + Int(range.count)  // It fits into the buffer.
    if pendingReads.isEmpty || !pendingReads[lastRead].ends(at: range.offset, of: source) {
      let index = pendingReads.firstIndex { $0.ends(at: range.offset, of: source) }
      if index == nil, pendingReads.count == PendingRead.largestCount { try readPending() }
      lastRead = index ?? pendingReads.count
      if index == nil {
        pendingReads.append(PendingRead(source: source, range: range, targets: [target]))
        return
      }
    }
    if pendingReads[lastRead].targets.count == PendingRead.largestTargetCount {
      try read(pendingReads[lastRead])
      pendingReads[lastRead] = PendingRead(source: source, range: range, targets: [target])
    } else {
      pendingReads[lastRead].range = ByteRange(pendingReads[lastRead].range.offset..<range.end)
      pendingReads[lastRead].targets.append(target)
    }
  }

  /// Reads the pending ranges. Later changes to the file do not affect the output.
  mutating func readPending() throws {
    for pending in pendingReads { try read(pending) }
    pendingReads.removeAll(keepingCapacity: true)
    lastRead = 0
  }

  private mutating func read(_ pending: PendingRead) throws {
    let (source, range, targets) = (pending.source, pending.range, pending.targets)
    let got = try FileError.withFileErrors(.inputOutput, source.path) { () throws(SystemError) in
      try disk.readAll(source.descriptor, at: range.offset, into: &buffer, targets)
    }
    guard UInt64(got) == range.count else {
      throw FileError(
        .changed, source.path, "ends at byte \(range.offset + UInt64(got)) instead of byte \(range.end) or later")
    }
  }

  /// Appends a range of any source, in blocks.
  mutating func append(_ range: ByteRange, of source: some RandomAccessSource) throws {
    if let source = source as? FileSource { return try append(range, of: source) }
    var offset = range.offset
    while offset < range.end {
      let piece = ByteRange(offset..<Swift.min(range.end, offset + UInt64(Self.capacity)))
      try append(source.readExactly(piece))
      offset = piece.end
    }
  }

  mutating func appendZeros(_ count: UInt64) throws {
    if skipsZeros, count >= Self.skippedZeros { return try skip(count) }
    var rest = count
    while rest > 0 {
      let piece = Swift.min(rest, Self.skippedZeros)
      try append(Bytes([UInt8](repeating: 0, count: Int(clamping: piece))))
      rest -= piece
    }
  }

  /// Skips bytes that the file already contains.
  mutating func skip(_ count: UInt64) throws {
    try flush()
    start += count
    try progress(start)
  }

  /// Writes the staged bytes and continues at another position.
  mutating func move(to position: UInt64) throws {
    try flush()
    start = position
  }

  private mutating func makeRoom() throws {
    if filledByteCount == room { try flush() }
  }

  /// The number of bytes that are staged before they are written.
  private var room: Int {
    buffer.count < Self.capacity ? buffer.count : Self.capacity - Int(start % Self.alignment)
  }

  /// Writes the staged bytes.
  package mutating func flush() throws {
    guard filledByteCount > 0 else { return }
    try readPending()
    switch target {
    case .file(let file, let path):
      try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        try disk.writeAll(file, at: start, from: buffer, 0..<filledByteCount)
      }
    case .stream(let write): try write(buffer[..<filledByteCount])
    }
    bytesWritten += UInt64(filledByteCount)
    start += UInt64(filledByteCount)
    filledByteCount = 0
    try progress(start)
  }
}

extension FileError {
  /// Calls a closure, and throws its failure as an error of the file at `path`.
  package static func withFileErrors<Result>(
    _ code: Code, _ path: String, _ call: () throws(SystemError) -> Result
  ) throws(FileError) -> Result {
    do {
      return try call()
    } catch {
      throw FileError(code, path, error)
    }
  }
}
