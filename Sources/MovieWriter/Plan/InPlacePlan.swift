package import MovieBox

/// An edit in place: bytes written where no reader looks, and one write of an atom's header that makes them the movie.
///
/// Before that write the file is the old movie, after it the new one. Where the new bytes go depends on the empty free
/// space beside the movie atom; ``Form`` draws each case.
package struct InPlacePlan: Hashable, Sendable {
  /// Where the new movie atom may come to stand.
  package enum Position: Hashable, Sendable {
    /// Before the media where it stands before the media now.
    case keepingFastStart
    /// After all media, though it came first; such a movie is not a fast-start movie any more.
    case afterMedia
  }

  /// Where the new bytes go. S is the size of the old movie atom, R of what follows it, G of free space, h of a header;
  /// k, p, q and j are spare bytes; the mark is the signature of ``FreeSpace``.
  package enum Form: String, Hashable, Sendable {
    /// After everything; no media lies after the old movie atom.
    ///
    ///     before    … mdat | moov(S) | rest(R)
    ///     1 append  … mdat | moov(S) | rest(R) | free[ mark, k | moov' | mdat' | rest' ]      sync
    ///     2 commit  … mdat | free(S + R + 24 + k)              | moov' | mdat' | rest'        8 bytes; sync
    case appended
    /// After everything, with media between the old movie atom and the new one.
    ///
    ///     before    … moov(S) | media … | rest
    ///     1 append  … moov(S) | media … | rest | free[ mark | mdat' | free(S + k) | moov' | rest' ]        sync
    ///     2 commit  … mdat(over all that, the header and the mark) | mdat' | free(S + k) | moov' | rest'   8 bytes; sync
    ///
    /// The header that commits takes 16 bytes where it covers more than 4 GiB.
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
    /// Inside of `meta`, in empty free space directly after the list of items that changes; the list is `ilst`, in
    /// QuickTime metadata with `keys` before it. The movie atom stays where it is.
    ///
    ///     before    … keys(K) ilst(I) free(F) …                                       sync
    ///     1 write   … keys(K) ilst(I) free(F)[ mark, k | keys' ilst' | free(q) ] …    sync
    ///     2 commit  … free(K + I + 24 + k)             | keys' ilst' | free(q)   …    8 bytes; sync
    case inMetadataAfter
    /// Inside of `meta`, in empty free space directly before that list.
    ///
    ///     before    … free(F) keys(K) ilst(I) …                                             sync
    ///     1 write   … free(F)[ mark, p | keys' ilst' | free(j) ] keys(K) ilst(I) …          sync
    ///     2 commit  … free(24 + p)     | keys' ilst' | free(j, over the old ones) …         8 bytes; sync
    case inMetadataBefore
    /// Inside the movie atom, in empty free space beside or below user data and metadata that change. Atoms between
    /// them and the free space are written again. The movie atom stays where it is.
    ///
    ///     before    … udta(U) meta(M)[ hdlr keys ilst free(F) ] …                                      sync
    ///     1 write   … udta(U) meta(M)[ hdlr keys ilst free(F)[ mark, k, mark | udta' meta' ] ] …       sync
    ///     2 commit  … free(U + M − F + 40 + k)                           | udta' meta'    …            8 bytes; sync
    ///
    /// Free space that precedes the atoms, or is followed by others, ends in the header of free space that hides the
    /// rest.
    case inMovieAtom

    /// Whether the file gets longer.
    var appends: Bool { self == .appended || self == .appendedAfterMedia }
    /// Whether the movie atom stays where it is.
    var isInMovieAtom: Bool { [.inMetadataAfter, .inMetadataBefore, .inMovieAtom].contains(self) }
  }

  /// One write that commits the edit: an atom's size and type in 8 bytes; 16 where the size takes 64 bits, or the 8 of
  /// a 64-bit size alone.
  package struct HeaderWrite: Hashable, Sendable {
    /// Where the bytes stand; they lie in one sector, so that a disk writes all or none.
    package let offset: UInt64
    /// What must still stand there.
    package let expected: Bytes
    /// What comes there instead.
    package let replacement: Bytes

    /// A disk writes whole sectors of at least this size; a write inside one is never torn.
    static let sectorByteCount: UInt64 = 512

    /// Whether a write of so many bytes lies in one sector.
    static func isInOneSector(_ offset: UInt64, byteCount: Int) -> Bool {
      offset % sectorByteCount <= sectorByteCount - UInt64(byteCount)
    }

    /// Whether the write is never torn.
    var isInOneSector: Bool { Self.isInOneSector(offset, byteCount: replacement.count) }
  }

  /// Bytes of the old file, by their place.
  struct StoredBytes: Hashable, Sendable {
    let offset: UInt64
    let bytes: Bytes
  }

  /// What the file must look like.
  package let source: SourceIdentity
  /// Where the new bytes go.
  package let form: Form
  /// Where in the file the first of ``contents`` comes: the end of the file, or of what is kept of it, where the form
  /// appends, else inside free space.
  package let writeOffset: UInt64
  /// The new bytes: generated ones, and media of other movies.
  package let contents: [OutputPlan.Content]
  /// The write that commits.
  package let commit: HeaderWrite
  /// What has to stand in the file until the edit is committed: the old movie atom, what is repeated after the new one,
  /// the first bytes of empty free space that is written to or covered.
  let requiredOldBytes: [StoredBytes]
  /// How many bytes of the old file the contents overwrite: empty space, put back where the edit fails.
  let overwrittenByteCount: UInt64
  /// The first bytes of the empty space that is written to or appended over: its header, and what shows that it is
  /// empty. Looked at before anything is written.
  let overwrittenHead: StoredBytes
  /// Where free space of zeros gets its mark before anything else is written into it, so that what an interrupted edit
  /// leaves there is known for what it is.
  let markOffset: UInt64?

  /// The offset of the new movie atom, or of the first new atom inside the old one.
  var movieOffset: UInt64?
  /// Whether the file is cut to ``writeOffset`` first: the remains of an interrupted edit stand there.
  let truncatesFirst: Bool

  /// How many bytes the contents are.
  package var contentByteCount: UInt64 { contents.reduce(0) { $0 &+ $1.byteCount } }  // Less than 4 GiB: one atom.

  /// The place of the contents.
  var writtenRange: ByteRange { ByteRange(writeOffset..<writeOffset &+ contentByteCount) }

  /// The first eight bytes at ``movieOffset``, or `nil` if the plan writes none there.
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

  /// How many bytes the edit writes.
  package var byteCount: UInt64 { contentByteCount &+ UInt64(commit.replacement.count) }

  /// How many bytes the plan generated; the others are copied from other movies.
  package var generatedByteCount: UInt64 {
    contents.reduce(UInt64(commit.replacement.count)) { sum, content in
      if case .source = content { sum } else { sum &+ content.byteCount }
    }
  }

  /// The same edit as a plan of a whole file: what the file will hold when it is done.
  package func rendered() throws(MovieError) -> OutputPlan {
    try rendered(committing: true)
  }

  /// What the file holds when all is written but the header that commits: still the old movie.
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
    // In this order in the file, whatever the form.
    if committing { write(commit.replacement, at: commit.offset) }
    if let markOffset { write(Bytes(FreeSpace.mark), at: markOffset) }
    keep(upTo: writeOffset)
    output += contents
    position = writeOffset &+ contentByteCount
    if !truncatesFirst { keep(upTo: source.primary.byteCount) }
    return try OutputPlan(of: source, output)
  }
}
