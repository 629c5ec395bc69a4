package import MovieBox

/// Fills a file from one position on, or a stream, through one buffer of ``capacity``.
///
/// Whatever comes is staged, and written when the buffer is full and more comes. A file's bytes are read straight into
/// the buffer, and not before they must be: ranges that follow one another in a file are one read, whatever comes
/// between them. So a plan of a hundred thousand small ranges costs few reads and few writes. The last bytes wait for
/// ``flush()``, so that whoever carries a plan out can look once more before the output is whole.
package struct StagedWriter {
  /// What takes the bytes.
  package enum Target {
    /// An open file. The name is for errors.
    case file(FileDescriptor, path: String)
    /// Something that takes bytes in their order.
    case stream((ArraySlice<UInt8>) throws -> Void)
  }

  /// Large enough that a call's cost does not show, small enough to stay in the second level of a processor's cache: a
  /// mebibyte, read and written, falls out of it at times, and a copy then takes twice as long.
  static let capacity = 256 << 10
  /// Full buffers end where pages of the file end: what is copied in step with pages is copied faster.
  private static let alignment: UInt64 = 4096
  /// So many zeros are skipped in a file, which reads as zeros where nothing was written.
  static let skippedZeros: UInt64 = 64 << 10

  private let disk: any FileSystem
  private let target: Target
  private var buffer: [UInt8]
  private var filled = 0
  /// Where the first staged byte belongs.
  private var start: UInt64
  private let progress: (UInt64) throws -> Void
  private(set) var bytesWritten: UInt64 = 0
  /// The bytes of a file that are still to be read, into these ranges of the buffer.
  private var pendingRead = ExpectedRead()

  private struct ExpectedRead {
    var source: FileSource?
    var range = ByteRange(0..<0)
    var targets: [Range<Int>] = []
    /// As many as one call takes.
    static let largestTargetCount = 1024
  }

  /// Whether long runs of zeros are left out: only where the file has or gets its full size and holds nothing there
  /// yet.
  private let skipsZeros: Bool

  /// A writer of at most `byteCount` bytes from `start` on. `progress` gets the position after each write.
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

  /// Where the next byte comes.
  var position: UInt64 { start + UInt64(filled) }

  /// Appends what a plan says; its ranges are those of `source`.
  package mutating func append(_ content: OutputPlan.Content, of source: some RandomAccessSource) throws {
    switch content {
    case .generated(let bytes): try append(bytes)
    case .zeros(let count): try appendZeros(count)
    case .source(let range):
      // In a hundred thousand small extents, nothing more.
      if let source = source as? FileSource { return try append(range, of: source) }
      for piece in source.pieces(of: range) { try append(piece.range, of: piece.source) }
    }
  }

  /// Appends bytes.
  package mutating func append(_ bytes: Bytes) throws {
    try append(bytes, in: 0..<bytes.count)
  }

  /// Appends some of these bytes, all of which are there.
  package mutating func append(_ bytes: Bytes, in part: Range<Int>) throws {
    var done = part.lowerBound
    while done < part.upperBound {
      try makeRoom()
      let count = Swift.min(part.upperBound - done, room - filled)
      bytes.copy(from: done, count: count, into: &buffer, at: filled)
      done += count
      filled += count
    }
  }

  /// Appends a range of an open file.
  mutating func append(_ range: ByteRange, of source: FileSource) throws {
    var offset = range.offset
    while offset < range.end {
      try makeRoom()
      let count = Swift.min(room - filled, Int(clamping: range.end - offset))
      try deferRead(ByteRange(offset..<offset + UInt64(count)), of: source)
      offset += UInt64(count)
      filled += count
    }
  }

  /// Makes sure that these bytes are read into the buffer, after what is staged, before that is written.
  private mutating func deferRead(_ range: ByteRange, of source: FileSource) throws {
    let target = filled..<filled + Int(range.count)  // No more than the buffer has room for.
    let follows = pendingRead.source === source && pendingRead.range.end == range.offset
    guard follows, pendingRead.targets.count < ExpectedRead.largestTargetCount else {
      try readPending()
      pendingRead = ExpectedRead(source: source, range: range, targets: [target])
      return
    }
    pendingRead.range = ByteRange(pendingRead.range.offset..<range.end)
    pendingRead.targets.append(target)
  }

  /// Reads what is staged, so that what becomes of a file no longer matters to it.
  mutating func readPending() throws {
    guard let source = pendingRead.source else { return }
    let (range, targets) = (pendingRead.range, pendingRead.targets)
    pendingRead = ExpectedRead()
    let got = try FileError.withFileErrors(.inputOutput, source.path) { () throws(SystemError) in
      try disk.readAll(source.descriptor, at: range.offset, into: &buffer, targets)
    }
    guard UInt64(got) == range.count else {
      throw FileError(.changed, source.path, "ends at byte \(range.offset + UInt64(got)), wanted to byte \(range.end)")
    }
  }

  /// Appends a range of any source, in pieces.
  mutating func append(_ range: ByteRange, of source: some RandomAccessSource) throws {
    if let source = source as? FileSource { return try append(range, of: source) }
    var offset = range.offset
    while offset < range.end {
      let piece = ByteRange(offset..<Swift.min(range.end, offset + UInt64(Self.capacity)))
      try append(source.readExactly(piece))
      offset = piece.end
    }
  }

  /// Appends zeros.
  mutating func appendZeros(_ count: UInt64) throws {
    if skipsZeros, count >= Self.skippedZeros { return try skip(count) }
    var rest = count
    while rest > 0 {
      let piece = Swift.min(rest, Self.skippedZeros)
      try append(Bytes([UInt8](repeating: 0, count: Int(clamping: piece))))
      rest -= piece
    }
  }

  /// Leaves out bytes that are already there.
  mutating func skip(_ count: UInt64) throws {
    try flush()
    start += count
    try progress(start)
  }

  /// Goes on at another position; what is staged is written first.
  mutating func move(to position: UInt64) throws {
    try flush()
    start = position
  }

  private mutating func makeRoom() throws {
    if filled == room { try flush() }
  }

  /// How much is staged before it is written.
  private var room: Int {
    buffer.count < Self.capacity ? buffer.count : Self.capacity - Int(start % Self.alignment)
  }

  /// Writes what is staged.
  package mutating func flush() throws {
    guard filled > 0 else { return }
    try readPending()
    switch target {
    case .file(let file, let path):
      try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        try disk.writeAll(file, at: start, from: buffer, 0..<filled)
      }
    case .stream(let write): try write(buffer[..<filled])
    }
    bytesWritten += UInt64(filled)
    start += UInt64(filled)
    filled = 0
    try progress(start)
  }
}

extension FileError {
  /// Makes a call, and gives its refusal as an error of the file that `path` names.
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
