import MovieBox

/// The arrangement of an in-place edit. It contains only sizes and positions, and is computed before any bytes are
/// generated. See ``InPlacePlan/Form``.
struct InPlaceDraft {
  /// A part of the bytes that an in-place edit writes.
  enum Part: Equatable {
    /// Spare bytes.
    case zeros(UInt64)
    /// The signature that identifies the remains of an interrupted edit.
    case mark
    /// The header of free space of this size, followed by the signature.
    case markedHeader(byteCount: UInt32)
    /// A complete atom of free space.
    case freeAtom(byteCount: UInt64)
    /// The new movie atom.
    case movie
    /// The `mdat` of the new samples.
    case media
    /// The atoms after the old movie atom, repeated after the new movie atom.
    case repeated
  }

  /// The write that commits the edit: an offset, and the bytes to write there.
  struct Commit {
    let offset: UInt64
    let replacement: [UInt8]
  }

  /// The sizes that determine the arrangement.
  struct HeaderLayout {
    /// The size of the new movie atom.
    let movieByteCount: UInt64
    /// The size of the `mdat` of new samples.
    let mediaByteCount: UInt64
    /// The size of the atoms that are repeated after an appended movie atom.
    let repeatedByteCount: UInt64

    func byteCount(of part: Part) -> UInt64 {
      switch part {
      case .zeros(let count), .freeAtom(let count): count
      case .mark: UInt64(FreeSpace.mark.count)
      case .markedHeader: FreeSpace.markedHeaderByteCount
      case .movie: movieByteCount
      case .media: mediaByteCount
      case .repeated: repeatedByteCount
      }
    }
  }

  var form: InPlacePlan.Form
  var writeOffset: UInt64
  var parts: [Part]
  let commit: Commit
  /// The offset at which free space that consists of zeros is marked before other writes.
  var markOffset: UInt64?

  /// The number of bytes at the start of the payload of free space that are not overwritten before the commit. They
  /// contain ``FreeSpace/mark``, which identifies the free space.
  private static var untouchedByteCount: UInt64 { UInt64(FreeSpace.mark.count) }

  /// Returns the offset of the first part that equals `part`, or `nil` if there is none.
  func offset(of part: Part, _ sizes: HeaderLayout) -> UInt64? {
    var position = writeOffset
    for next in parts {
      if next == part { return position }
      position &+= sizes.byteCount(of: next)  // The parts have less than 4 GiB.
    }
    return nil
  }

  /// Returns whether the 8-byte header of an atom at `offset` does not cross the boundary of a disk sector.
  private static func isHeaderInOneSector(at offset: UInt64) -> Bool {
    InPlacePlan.HeaderWrite.isInOneSector(offset, byteCount: 8)
  }

  // MARK: - In free space

  /// The largest media that is written into free space. Larger media is appended, because the overwritten bytes are
  /// kept in memory. The media and the movie atom together may overwrite twice as many bytes (`InPlaceFile`).
  static let largestMediaInSpace: UInt64 = 32 << 20

  /// Creates the edit in the free space directly before the movie atom, or returns `nil` if it does not fit.
  init?(in space: InPlaceFreeSpace.Space, before movie: ByteRange, _ sizes: HeaderLayout) {
    let (new, overflow) = sizes.movieByteCount.addingReportingOverflow(sizes.mediaByteCount)
    guard !overflow, sizes.mediaByteCount <= Self.largestMediaInSpace, Self.isHeaderInOneSector(at: space.range.offset)
    else {
      return nil
    }
    // The next edit commits by rewriting the header of the movie atom, which must be in one sector. If the header
    // straddles two sectors, move it by 8 bytes.
    for spare in [Self.untouchedByteCount, Self.untouchedByteCount + 8] {
      let start = space.range.offset + space.headerByteCount + spare
      let (end, overflow) = (start + sizes.mediaByteCount).addingReportingOverflow(
        sizes.movieByteCount + FreeSpace.markedHeaderByteCount)
      guard !overflow, end <= space.range.end, Self.isHeaderInOneSector(at: start + sizes.mediaByteCount),
        let rest = UInt32(exactly: movie.end - (start + new))
      else { continue }
      form = .inSpaceBefore
      writeOffset = start - (spare - Self.untouchedByteCount)
      parts = [.zeros(spare - Self.untouchedByteCount), .media, .movie, .markedHeader(byteCount: rest)]
      commit = Commit(
        offset: space.range.offset, replacement: AtomHeader.bytes(UInt64(start - space.range.offset), "free"))
      markOffset = space.isZero ? space.range.offset + space.headerByteCount : nil
      return
    }
    return nil
  }

  /// Creates the edit in the free space directly after the movie atom, or returns `nil` if it does not fit.
  ///
  /// The new atom is written at the end of the space, so that the next edit finds the remaining space before the movie
  /// atom.
  init?(
    in space: InPlaceFreeSpace.Space, after movie: ByteRange, _ previous: FileLayout.TopLevelAtom?,
    _ sizes: HeaderLayout
  ) {
    let (new, overflow) = sizes.movieByteCount.addingReportingOverflow(sizes.mediaByteCount)
    guard !overflow, sizes.mediaByteCount <= Self.largestMediaInSpace else { return nil }
    let first = space.range.offset + space.headerByteCount + Self.untouchedByteCount
    for rest in [0, 8] as [UInt64] {
      let (needed, overflow) = new.addingReportingOverflow(rest)
      guard !overflow, needed <= space.range.end, space.range.end - needed >= first,
        Self.isHeaderInOneSector(at: space.range.end - needed),
        let commit = Self.commit(movie, previous, upTo: space.range.end - needed, "free")
      else { continue }
      form = .inSpaceAfter
      writeOffset = space.range.end - needed
      parts = [.movie, .media, .freeAtom(byteCount: rest)]
      self.commit = commit
      markOffset = space.isZero ? space.range.offset + space.headerByteCount : nil
      return
    }
    return nil
  }

  // MARK: - Appended

  /// Returns the number of spare bytes next to an old movie atom. It is enough for twenty edits that each add an hour
  /// of subtitles to a film of three hours.
  ///
  /// It is larger than the padding of a new file (``OutputLayout/defaultPaddingByteCount(movieByteCount:)``), because
  /// these bytes follow the media and do not delay playback.
  private static func spareByteCount(_ movieByteCount: UInt64) -> UInt64 { movieByteCount / 4 + (16 << 10) }

  /// Creates the edit at `end`. This offset is the end of the file, or the start of the `tailByteCount` empty bytes at
  /// the end of the file. Returns `nil` if no header can commit the edit, or if the edit is too large for one atom.
  init?(
    appendedAt end: UInt64, overwriting tailByteCount: UInt64, after movie: FileLayout.TopLevelAtom,
    _ previous: FileLayout.TopLevelAtom?, hasMediaBetween: Bool, _ sizes: HeaderLayout
  ) {
    // If media follows the old movie atom, that atom becomes part of `mdat` and leaves no free space. So add its size
    // to the spare space.
    var spare = Self.spareByteCount(movie.range.count) + (hasMediaBetween ? movie.range.count : 0)
    let newByteCount = [sizes.movieByteCount, sizes.mediaByteCount, sizes.repeatedByteCount, spare].reduce(
      UInt64?(FreeSpace.markedHeaderByteCount + 32)
    ) {
      guard let sum = $0 else { return nil }
      let (next, overflow) = sum.addingReportingOverflow($1)
      return overflow || next > UInt64(UInt32.max) ? nil : next
    }
    guard let newByteCount else { return nil }
    // The empty tail is covered completely, because zeros after the new atoms would be stray bytes.
    if tailByteCount > newByteCount - 32 { spare += tailByteCount - (newByteCount - 32) }
    let start = end + FreeSpace.markedHeaderByteCount
    let parts: [Part]
    let covered: UInt64
    if hasMediaBetween {
      let padding: UInt64 = Self.isHeaderInOneSector(at: start + sizes.mediaByteCount) ? 0 : 8
      if !Self.isHeaderInOneSector(at: start + padding + sizes.mediaByteCount + spare) { spare += 8 }
      guard let spareAtom = UInt32(exactly: spare) else { return nil }
      covered = start + padding
      parts = [
        .zeros(padding), .media, .markedHeader(byteCount: spareAtom), .zeros(spare - FreeSpace.markedHeaderByteCount),
        .movie, .repeated,
      ]
      form = .appendedAfterMedia
    } else {
      if !Self.isHeaderInOneSector(at: start + spare) { spare += 8 }
      covered = start + spare
      parts = [.zeros(spare), .movie, .media, .repeated]
      form = .appended
    }
    let byteCount = parts.reduce(FreeSpace.markedHeaderByteCount) { $0 &+ sizes.byteCount(of: $1) }
    guard let hiddenByteCount = UInt32(exactly: byteCount),
      let commit = Self.commit(movie.range, previous, upTo: covered, hasMediaBetween ? "mdat" : "free")
    else { return nil }
    self.parts = [.markedHeader(byteCount: hiddenByteCount)] + parts
    self.commit = commit
    writeOffset = end
  }

  // MARK: - The commit

  /// Returns the write of a header that turns the old movie atom and everything up to `end` into one atom, or `nil` if
  /// no such write is within one sector.
  ///
  /// If the movie atom's header straddles two sectors, the previous atom is extended over the movie atom. The previous
  /// atom contains media, or it is free space if no media is covered.
  private static func commit(
    _ movie: ByteRange, _ previous: FileLayout.TopLevelAtom?, upTo end: UInt64, _ commitType: FourCC
  ) -> Commit? {
    let start = movie.offset
    let header = AtomHeader.bytes(end - start, commitType)
    if InPlacePlan.HeaderWrite.isInOneSector(start, byteCount: header.count), header.count == 8 || commitType == "mdat"
    {
      return Commit(offset: start, replacement: header)
    }
    guard let previous, previous.range.end == start,
      previous.type == "mdat" || commitType == "free" && previous.isFreeSpace
    else { return nil }
    let byteCount = end - previous.range.offset
    switch previous.sizeField {
    case .compact where byteCount <= UInt64(UInt32.max) && isHeaderInOneSector(at: previous.range.offset):
      return Commit(offset: previous.range.offset, replacement: AtomHeader.bytes(byteCount, previous.type))
    case .wide where InPlacePlan.HeaderWrite.isInOneSector(previous.range.offset + 8, byteCount: 8):
      var writer = ByteWriter()
      writer.write(byteCount)
      return Commit(offset: previous.range.offset + 8, replacement: writer.bytes)
    default: return nil
    }
  }
}
