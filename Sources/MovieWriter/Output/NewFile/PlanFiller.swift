import MovieBox

/// Writes a plan into an empty file. It reserves space, copies bytes, and shares blocks if the file system supports it.
///
/// First tests whether the file system can share blocks, because shared blocks need no reserved space.
struct PlanFiller<Source: RandomAccessSource> {
  /// The size of the smallest range whose blocks are shared with the source. Smaller ranges are copied, because copying
  /// is faster.
  static var smallestClone: UInt64 { 64 << 10 }

  private let plan: OutputPlan
  private let source: Source
  private let disk: any FileSystem
  /// The name of the output, for errors.
  private let path: String
  private let progress: (UInt64, UInt64) throws -> Void
  private let volume: VolumeStatus

  /// Creates a filler for an empty file. Throws if the folder's file system has too little free space.
  init(
    _ plan: OutputPlan, _ source: Source, disk: any FileSystem, path: String, folder: String,
    _ progress: @escaping (UInt64, UInt64) throws -> Void
  ) throws {
    self.plan = plan
    self.source = source
    self.disk = disk
    self.path = path
    self.progress = progress
    volume = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in try disk.volume(of: folder) }
    let shareable = longPieces().reduce(into: UInt64(0)) { sum, piece in sum += shareableBlocks(of: piece)?.count ?? 0 }
    try volume.requireRoom(for: plan.byteCount - shareable, at: path)
  }

  func fill(_ file: FileDescriptor, _ report: inout SinkReport) throws {
    try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
      try disk.truncate(file, to: plan.byteCount)
    }
    let isSharing = sharesBlocks(with: file)
    if !isSharing {
      try volume.requireRoom(for: plan.byteCount, at: path)
      try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        if plan.byteCount > 0 { try disk.reserve(file, byteCount: plan.byteCount) }
      }
    }
    let planned = plan.byteCount
    if !isSharing, planned >= StripedCopy<Source>.smallestPlan, let disk = disk.concurrent {
      report.bytesWritten = try StripedCopy(plan: plan, source: source, disk: disk, file: file, path: path)
        .carryOut { done in try progress(done, planned) }
      report.bytesCopied += plan.extents.reduce(0) { $0 + ($1.sourceRange?.count ?? 0) }
      return
    }
    var writer = StagedWriter(disk, to: .file(file, path: path), from: 0, byteCount: planned, skipsZeros: true) {
      [progress] done in
      try progress(done, planned)
    }
    for extent in plan.extents {
      guard isSharing, case .source = extent.content else {
        try writer.append(extent.content, of: source)
        report.bytesCopied += extent.sourceRange?.count ?? 0
        continue
      }
      for piece in pieces(of: extent) {
        try copy(piece, to: file, &writer, &report)
      }
    }
    try writer.flush()
    report.bytesWritten = writer.bytesWritten
  }

  /// Consecutive bytes of the output that are copied from one file.
  private struct Piece {
    let source: any RandomAccessSource
    let range: ByteRange
    let outputOffset: UInt64
  }

  private func pieces(of extent: OutputPlan.Extent) -> [Piece] {
    guard let range = extent.sourceRange else { return [] }
    var offset = extent.offset
    return source.pieces(of: range).map { piece in
      defer { offset += piece.range.count }
      return Piece(source: piece.source, range: piece.range, outputOffset: offset)
    }
  }

  private func copy(
    _ piece: Piece, to file: FileDescriptor, _ writer: inout StagedWriter, _ report: inout SinkReport
  ) throws {
    let range = piece.range
    guard let sharedPart = shareableBlocks(of: piece), let source = piece.source as? FileSource else {
      try writer.append(range, of: piece.source)
      report.bytesCopied += range.count
      return
    }
    try writer.append(ByteRange(range.offset..<sharedPart.offset), of: source)
    try writer.flush()
    if disk.clone(source.descriptor, sharedPart, to: file, at: writer.position) {
      try writer.skip(sharedPart.count)
      report.bytesCloned += sharedPart.count
    } else {
      try writer.append(sharedPart, of: source)
      report.bytesCopied += sharedPart.count
    }
    try writer.append(ByteRange(sharedPart.end..<range.end), of: source)
    report.bytesCopied += range.count - sharedPart.count
  }

  /// Whether the source and the output can share blocks. The test shares the first extent for which this is possible.
  ///
  /// The test precedes the reservation of space, because shared blocks need no reserved space.
  private func sharesBlocks(with file: FileDescriptor) -> Bool {
    for piece in longPieces() {
      guard let shared = shareableBlocks(of: piece), let source = piece.source as? FileSource else { continue }
      let offset = piece.outputOffset + (shared.offset - piece.range.offset)
      return disk.clone(source.descriptor, shared, to: file, at: offset)
    }
    return false
  }

  /// Returns the pieces of all extents that are long enough for shared blocks.
  private func longPieces() -> [Piece] {
    var allPieces: [Piece] = []
    for extent in plan.extents where extent.content.byteCount >= Self.smallestClone { allPieces += pieces(of: extent) }
    return allPieces
  }

  /// Returns the whole blocks of a piece that have the same position within a block in the source and the output, or
  /// `nil` if there are too few.
  private func shareableBlocks(of piece: Piece) -> ByteRange? {
    let block = volume.blockSize
    let range = piece.range
    guard piece.source is FileSource, block > 0, block <= Self.smallestClone,
      range.offset % block == piece.outputOffset % block, range.count >= Self.smallestClone
    else { return nil }
    let start = (range.offset + block - 1) / block * block  // A file offset does not overflow here.
    let end = range.end / block * block
    return start < end && end - start >= Self.smallestClone ? ByteRange(start..<end) : nil
  }
}
