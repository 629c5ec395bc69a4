import MovieBox

/// Where the parts of an edit in place go: sizes and places alone, see ``InPlacePlan/Form``.
struct InPlaceDraft {
  /// What an edit in place writes, one after the other.
  enum Part: Equatable {
    /// Spare bytes.
    case zeros(UInt64)
    /// The signature by which an interrupted edit is known.
    case mark
    /// The header of free space of this size, and after it the signature.
    case markedHeader(byteCount: UInt32)
    /// An atom of free space, all of it.
    case freeAtom(byteCount: UInt64)
    /// The new movie atom.
    case movie
    /// An `mdat` of the new samples.
    case media
    /// What followed the old movie atom and stays after the new one.
    case repeated
  }

  /// The write that commits, but for what stands there before.
  struct Commit {
    let offset: UInt64
    let replacement: [UInt8]
  }

  /// The sizes that the forms are made of.
  struct Sizes {
    /// Of the new movie atom.
    let movie: UInt64
    /// Of the `mdat` of new samples.
    let media: UInt64
    /// Of what an appended movie atom is followed by.
    let repeated: UInt64

    func byteCount(of part: Part) -> UInt64 {
      switch part {
      case .zeros(let count), .freeAtom(let count): count
      case .mark: UInt64(FreeSpace.mark.count)
      case .markedHeader: FreeSpace.markedHeaderByteCount
      case .movie: movie
      case .media: media
      case .repeated: repeated
      }
    }
  }

  var form: InPlacePlan.Form
  var writeOffset: UInt64
  var parts: [Part]
  let commit: Commit
  /// Where free space of zeros gets its mark first.
  var markOffset: UInt64?

  /// How much of the payload of free space is never written to before the edit is committed: what shows whose it is.
  private static var untouchedByteCount: UInt64 { UInt64(FreeSpace.mark.count) }

  /// The offset of the first part of a kind, where the parts have these sizes.
  func offset(of part: Part, _ sizes: Sizes) -> UInt64? {
    var position = writeOffset
    for next in parts {
      if next == part { return position }
      position &+= sizes.byteCount(of: next)  // Less than 4 GiB in a file.
    }
    return nil
  }

  private static func isInOneSector(_ offset: UInt64) -> Bool {
    InPlacePlan.HeaderWrite.isInOneSector(offset, byteCount: 8)
  }

  // MARK: - In free space

  /// Media of this size goes to the end of the file: what an edit in free space overwrites is held in memory, media and
  /// movie atom together up to twice as much (`InPlaceFile`).
  static let largestMediaInSpace: UInt64 = 32 << 20

  /// The edit in the free space directly before the movie atom; `nil` where it does not fit.
  init?(in space: InPlaceFreeSpace.Space, before movie: ByteRange, _ sizes: Sizes) {
    let (new, overflow) = sizes.movie.addingReportingOverflow(sizes.media)
    guard !overflow, sizes.media <= Self.largestMediaInSpace, Self.isInOneSector(space.range.offset) else { return nil }
    // A movie atom whose header straddles two sectors could not commit the next edit.
    for spare in [Self.untouchedByteCount, Self.untouchedByteCount + 8] {
      let start = space.range.offset + space.headerByteCount + spare
      let (end, overflow) = (start + sizes.media).addingReportingOverflow(sizes.movie + FreeSpace.markedHeaderByteCount)
      guard !overflow, end <= space.range.end, Self.isInOneSector(start + sizes.media),
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

  /// The edit in the free space directly after the movie atom; `nil` where it does not fit.
  ///
  /// The new atom goes to the end of the space, so that the next edit finds the rest before its movie atom.
  init?(
    in space: InPlaceFreeSpace.Space, after movie: ByteRange, _ previous: FileLayout.TopLevelAtom?, _ sizes: Sizes
  ) {
    let (new, overflow) = sizes.movie.addingReportingOverflow(sizes.media)
    guard !overflow, sizes.media <= Self.largestMediaInSpace else { return nil }
    let first = space.range.offset + space.headerByteCount + Self.untouchedByteCount
    for rest in [0, 8] as [UInt64] {
      let (needed, overflow) = new.addingReportingOverflow(rest)
      guard !overflow, needed <= space.range.end, space.range.end - needed >= first,
        Self.isInOneSector(space.range.end - needed),
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

  /// Spare bytes beside an old movie atom, so that the next edits fit there: twenty that each add an hour of subtitles
  /// to a film of three hours do. More than a new file gets
  /// (``OutputLayout/defaultPaddingByteCount(movieByteCount:)``): these come after the media, where no viewer waits for
  /// them.
  private static func spareByteCount(_ movieByteCount: UInt64) -> UInt64 { movieByteCount / 4 + (16 << 10) }

  /// The edit at `end`, which is that of the file, or where `tailByteCount` empty bytes at its end begin; `nil` where
  /// no header can commit it, or one atom cannot hide it.
  init?(
    appendedAt end: UInt64, overwriting tailByteCount: UInt64, after movie: FileLayout.TopLevelAtom,
    _ previous: FileLayout.TopLevelAtom?, hasMediaBetween: Bool, _ sizes: Sizes
  ) {
    // Of a movie atom that media lies after, the spare space takes the place.
    var spare = Self.spareByteCount(movie.range.count) + (hasMediaBetween ? movie.range.count : 0)
    let new = [sizes.movie, sizes.media, sizes.repeated, spare].reduce(UInt64?(FreeSpace.markedHeaderByteCount + 32)) {
      guard let sum = $0 else { return nil }
      let (next, overflow) = sum.addingReportingOverflow($1)
      return overflow || next > UInt64(UInt32.max) ? nil : next
    }
    guard let new else { return nil }
    // What is empty at the end is covered whole: zeros after the new atoms would be stray bytes.
    if tailByteCount > new - 32 { spare += tailByteCount - (new - 32) }
    let start = end + FreeSpace.markedHeaderByteCount
    let parts: [Part]
    let covered: UInt64
    if hasMediaBetween {
      let padding: UInt64 = Self.isInOneSector(start + sizes.media) ? 0 : 8
      if !Self.isInOneSector(start + padding + sizes.media + spare) { spare += 8 }
      guard let spareAtom = UInt32(exactly: spare) else { return nil }
      covered = start + padding
      parts = [
        .zeros(padding), .media, .markedHeader(byteCount: spareAtom), .zeros(spare - FreeSpace.markedHeaderByteCount),
        .movie, .repeated,
      ]
      form = .appendedAfterMedia
    } else {
      if !Self.isInOneSector(start + spare) { spare += 8 }
      covered = start + spare
      parts = [.zeros(spare), .movie, .media, .repeated]
      form = .appended
    }
    let byteCount = parts.reduce(FreeSpace.markedHeaderByteCount) { $0 &+ sizes.byteCount(of: $1) }
    guard let hidden = UInt32(exactly: byteCount),
      let commit = Self.commit(movie.range, previous, upTo: covered, hasMediaBetween ? "mdat" : "free")
    else { return nil }
    self.parts = [.markedHeader(byteCount: hidden)] + parts
    self.commit = commit
    writeOffset = end
  }

  // MARK: - The commit

  /// The write of a header that makes one atom of the old movie atom and all up to `end`.
  ///
  /// Where the movie atom's header straddles two sectors, the atom before it grows over it: media, or free space where
  /// no media is covered. `nil` where no such write stays in one sector.
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
    case .compact where byteCount <= UInt64(UInt32.max) && isInOneSector(previous.range.offset):
      return Commit(offset: previous.range.offset, replacement: AtomHeader.bytes(byteCount, previous.type))
    case .wide where isInOneSector(previous.range.offset + 8):
      var writer = ByteWriter()
      writer.write(byteCount)
      return Commit(offset: previous.range.offset + 8, replacement: writer.bytes)
    default: return nil
    }
  }
}
