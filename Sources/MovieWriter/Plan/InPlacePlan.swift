package import MovieBox

/// An in-place edit. It writes bytes that readers skip, and then one atom header that makes readers use these bytes as
/// the movie.
///
/// The file contains the old movie before the last write and the new movie after it, so a crash at any time leaves
/// either the old or the new movie. The position of the new bytes depends on the empty free space next to the movie
/// atom. ``Form`` shows each case.
package struct InPlacePlan: Hashable, Sendable {
  /// The permitted positions of the new movie atom.
  package enum Position: Hashable, Sendable {
    /// Before the media if the old movie atom is before the media.
    case keepingFastStart
    /// After all media if necessary. The movie then loses its fast start.
    case afterMedia
  }

  /// The position of the new bytes.
  ///
  /// S is the size of the old movie atom, R the size of the atoms after it, G the size of free space, and h the size of
  /// a header. k, p, q and j are numbers of spare bytes. The mark is the signature of ``FreeSpace``.
  package enum Form: String, Hashable, Sendable {
    /// At the end of the file, if no media follows the old movie atom.
    ///
    ///     before    … mdat | moov(S) | rest(R)
    ///     1 append  … mdat | moov(S) | rest(R) | free[ mark, k | moov' | mdat' | rest' ]      sync
    ///     2 commit  … mdat | free(S + R + 24 + k)              | moov' | mdat' | rest'        8 bytes; sync
    case appended
    /// At the end of the file, with media between the old movie atom and the new one.
    ///
    ///     before    … moov(S) | media … | rest
    ///     1 append  … moov(S) | media … | rest | free[ mark | mdat' | free(S + k) | moov' | rest' ]        sync
    ///     2 commit  … mdat(over all that, the header and the mark) | mdat' | free(S + k) | moov' | rest'   8 bytes; sync
    ///
    /// The commit takes 16 bytes if its atom covers more than 4 GiB.
    case appendedAfterMedia
    /// In empty free space directly after the movie atom.
    ///
    ///     before    … | moov(S) | free(G) | tail                                       sync
    ///     1 write   … | moov(S) | free(G)[ k | moov' | mdat' | free(q) ] | tail        sync
    ///     2 commit  … | free(S + h + k)      | moov' | mdat' | free(q)   | tail        8 bytes; sync
    case inSpaceAfter
    /// In empty free space directly before the movie atom.
    ///
    ///     before    … | free(G) | moov(S) | tail                                             sync
    ///     1 write   … | free(G)[ p | mdat' | moov' | free(j) ] moov(S) | tail                sync
    ///     2 commit  … | free(h + p) | mdat' | moov' | free(j, over the old moov) | tail      8 bytes; sync
    case inSpaceBefore
    /// Within `meta`, in empty free space directly after the changed item list (`ilst`, preceded by `keys` in QuickTime
    /// metadata). The movie atom does not move.
    ///
    ///     before    … keys(K) ilst(I) free(F) …                                       sync
    ///     1 write   … keys(K) ilst(I) free(F)[ mark, k | keys' ilst' | free(q) ] …    sync
    ///     2 commit  … free(K + I + 24 + k)             | keys' ilst' | free(q)   …    8 bytes; sync
    case inMetadataAfter
    /// Within `meta`, in empty free space directly before the changed item list.
    ///
    ///     before    … free(F) keys(K) ilst(I) …                                             sync
    ///     1 write   … free(F)[ mark, p | keys' ilst' | free(j) ] keys(K) ilst(I) …          sync
    ///     2 commit  … free(24 + p)     | keys' ilst' | free(j, over the old ones) …         8 bytes; sync
    case inMetadataBefore
    /// Within the movie atom, in empty free space next to the changed user data and metadata or below them. Atoms
    /// between them and the free space are rewritten. The movie atom does not move.
    ///
    ///     before    … udta(U) meta(M)[ hdlr keys ilst free(F) ] …                                      sync
    ///     1 write   … udta(U) meta(M)[ hdlr keys ilst free(F)[ mark, k, mark | udta' meta' ] ] …       sync
    ///     2 commit  … free(U + M − F + 40 + k)                           | udta' meta'    …            8 bytes; sync
    ///
    /// If the free space precedes the changed atoms, or if other atoms follow it, a header of free space that covers
    /// the rest follows the new atoms.
    case inMovieAtom

    /// Whether the file grows.
    var appends: Bool { self == .appended || self == .appendedAfterMedia }
    /// Whether the edit is written within the movie atom, which then keeps its position.
    var isInMovieAtom: Bool { [.inMetadataAfter, .inMetadataBefore, .inMovieAtom].contains(self) }
  }

  /// The write of an atom header that commits the edit. It writes the size and type in 8 bytes, all 16 bytes of a
  /// header with a 64-bit size, or only the 8 bytes of a 64-bit size.
  package struct HeaderWrite: Hashable, Sendable {
    /// The offset of the header. The header is within one disk sector, so that a disk writes either all its bytes or
    /// none.
    package let offset: UInt64
    /// The bytes that the file must contain at this offset before the commit.
    package let expected: Bytes
    /// The new bytes.
    package let replacement: Bytes

    /// The smallest sector size of disks. Disks write whole sectors, so a write within one sector is never torn.
    static let sectorByteCount: UInt64 = 512

    /// Whether a write of this size is within one sector.
    static func isInOneSector(_ offset: UInt64, byteCount: Int) -> Bool {
      offset % sectorByteCount <= sectorByteCount - UInt64(byteCount)
    }

    /// Whether the write is within one sector, and therefore never torn.
    var isInOneSector: Bool { Self.isInOneSector(offset, byteCount: replacement.count) }
  }

  /// Bytes of the old file with their offset.
  struct StoredBytes: Hashable, Sendable {
    let offset: UInt64
    let bytes: Bytes
  }

  /// The identity that the source file must have.
  package let source: SourceIdentity
  /// The position of the new bytes.
  package let form: Form
  /// The offset at which ``contents`` are written. A form that appends writes at the end of the file, or at the end of
  /// the kept part of the file. All other forms write into free space.
  package let writeOffset: UInt64
  /// The new bytes: generated bytes, and media from other movies.
  package let contents: [OutputPlan.Content]
  /// The write that commits the edit.
  package let commit: HeaderWrite
  /// Bytes that the file must contain until the commit: the old movie atom, the atoms repeated after the new movie
  /// atom, and the first bytes of the empty free space that is overwritten or covered.
  let requiredOldBytes: [StoredBytes]
  /// The size of the empty space that the contents overwrite. Its bytes are restored if the edit fails.
  let overwrittenByteCount: UInt64
  /// The first bytes of the overwritten empty space: its header and the bytes that identify it as empty. They are
  /// verified before anything is written.
  let overwrittenHead: StoredBytes
  /// The offset at which free space of zeros is marked before other bytes are written into it. The mark identifies the
  /// remains of an interrupted edit. `nil` if no such space is used.
  let markOffset: UInt64?

  /// The offset of the new movie atom, or of the first new atom inside the old movie atom.
  var movieOffset: UInt64?
  /// Whether the file is first truncated to ``writeOffset``, where the remains of an interrupted edit start.
  let truncatesBeforeWriting: Bool

  /// The size of the contents.
  package var contentByteCount: UInt64 { contents.reduce(0) { $0 &+ $1.byteCount } }  // This is less than 4 GiB.

  /// The bytes of the file that the contents fill.
  var writtenRange: ByteRange { ByteRange(writeOffset..<writeOffset &+ contentByteCount) }

  /// The first eight bytes at ``movieOffset``, or `nil` if the plan does not write them.
  var newHeader: Bytes? {
    guard let movieOffset else { return nil }
    var start = writeOffset
    for content in contents {
      let end = start &+ content.byteCount
      if case .generated(let bytes) = content, start <= movieOffset, movieOffset < end {
        return bytes.slice(at: Int(clamping: movieOffset - start), count: 8)
      }
      start = end
    }
    return nil
  }

  /// The number of bytes that the edit writes.
  package var byteCount: UInt64 { contentByteCount &+ UInt64(commit.replacement.count) }

  /// The number of written bytes that are generated instead of copied from other movies.
  package var generatedByteCount: UInt64 {
    contents.reduce(UInt64(commit.replacement.count)) { sum, content in
      if case .source = content { sum } else { sum &+ content.byteCount }
    }
  }

  /// Returns the edit as a plan of the whole file after the edit.
  package func rendered() throws(MovieError) -> OutputPlan {
    try rendered(committing: true)
  }

  /// Returns the whole file as it is just before the commit, with the old movie still in effect, as a plan.
  func renderedBeforeCommit() throws(MovieError) -> OutputPlan {
    try rendered(committing: false)
  }

  private func rendered(committing: Bool) throws(MovieError) -> OutputPlan {
    var output: [OutputPlan.Content] = []
    var position: UInt64 = 0
    func keep(upTo offset: UInt64) {
      output.append(.source(ByteRange(position..<Swift.max(position, offset))))
      position = Swift.max(position, offset)
    }
    func write(_ bytes: Bytes, at offset: UInt64) {
      keep(upTo: offset)
      output.append(.generated(bytes))
      position = offset &+ UInt64(bytes.count)
    }
    // In every form of the edit, the committed header, the mark and the new bytes are in this order in the file.
    if committing { write(commit.replacement, at: commit.offset) }
    if let markOffset { write(Bytes(FreeSpace.mark), at: markOffset) }
    keep(upTo: writeOffset)
    output += contents
    position = writeOffset &+ contentByteCount
    if !truncatesBeforeWriting { keep(upTo: source.primary.byteCount) }
    return try OutputPlan(of: source, output)
  }
}
