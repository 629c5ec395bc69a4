public import MovieBox

/// An edit in place: bytes to append, and one write of a header that makes them the movie.
///
///     before    … mdat | moov(S) | rest(R)
///     1 append  … mdat | moov(S) | rest(R) | free[ mdat' moov' rest' ]   one atom, `free`, hides the tail; sync
///     2 commit  … mdat | free(S+R+8)              | mdat' | moov' | rest'   one 8-byte write; sync
///
/// Before the write the file is the old movie with some free space behind it, after it the new movie.
///
/// Where media lies behind the old movie header, that becomes the header of an `mdat` which reaches over the media:
///
///     before    … moov(S) | mdat | rest(R)
///     1 append  … moov(S) | mdat | rest(R) | free[ mdat' moov' rest' ]                 sync
///     2 commit  … mdat(S and all up to here)      | mdat' | moov' | rest'   one 8- or 16-byte write; sync
public struct AppendPlan: Hashable, Sendable {
  /// Where the new movie header may come to stand.
  public enum Position: Hashable, Sendable {
    /// Where it stood among the media: only a movie header behind all media is edited.
    case inOrder
    /// Behind all media, though it came first; such a movie is no fast-start movie any more.
    case behindMedia
  }

  /// One write of 8 bytes that commits the edit: an atom's size and type; of 16 where the size takes 64 bits.
  public struct HeaderWrite: Hashable, Sendable {
    /// Where the bytes stand; they lie in one sector, so that a disk writes all or none.
    public let offset: UInt64
    /// What must still stand there.
    public let expected: Bytes
    /// What comes there instead.
    public let replacement: Bytes

    /// A disk writes whole sectors of at least this size; a write inside one is never torn.
    static let sectorByteCount: UInt64 = 512

    /// Whether the write is never torn.
    var isInOneSector: Bool {
      let (last, overflow) = offset.addingReportingOverflow(UInt64(max(replacement.count, 1) - 1))
      return !overflow && offset / Self.sectorByteCount == last / Self.sectorByteCount
    }
  }

  /// What the file must look like.
  public let source: SourceIdentity
  /// Where the appended bytes begin; less than the file's size where a torn `free` atom at its end is cut off.
  public let keptByteCount: UInt64
  /// One `free` atom with everything new inside.
  public let appended: Bytes
  /// The write that commits.
  public let commit: HeaderWrite

  /// The same edit as a plan of a whole file: what the file will hold when it is done.
  public func rendered() throws(MovieError) -> RemuxPlan {
    let header = UInt64(commit.replacement.count)
    return try RemuxPlan(
      of: source,
      [
        .source(ByteRange(0..<commit.offset)),
        .generated(commit.replacement),
        .source(ByteRange(commit.offset &+ header..<Swift.max(keptByteCount, commit.offset &+ header))),
        .generated(appended),
      ])
  }

  /// How many bytes the edit writes.
  public var byteCount: UInt64 { UInt64(appended.count + commit.replacement.count) }
}
