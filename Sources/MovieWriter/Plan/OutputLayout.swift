/// The layout of a new file.
public struct OutputLayout: Hashable, Sendable {
  /// The samples that are interleaved by time.
  public enum Interleaving: Hashable, Sendable {
    /// Nothing is interleaved: all media keeps its order, and new samples form one run beside the movie atom.
    case none
    /// New samples are inserted between the chunks of the movie, which keep their order.
    case newSamples
    /// All chunks are sorted by time.
    case all
  }

  /// Whether the movie atom precedes the media. A movie atom that already does keeps its position in any case.
  public var isFastStart: Bool
  /// The samples that are interleaved by time.
  public var interleaving: Interleaving
  /// Whether chunks longer than about a second are split at sample boundaries first, so that media recorded or added as
  /// one long chunk can be interleaved. See ``Interleaving/all``.
  public var splitsChunks = false
  /// Whether unused bytes are omitted: free space, old movie atoms that an edit in place replaced, and unreferenced
  /// media data.
  public var isCompact: Bool
  /// The block size for sharing blocks with the source, or `nil` if nothing is shared. Media keeps its position within
  /// a block, after free space if needed.
  package var blockByteCount: UInt64?
  /// The size of the empty free space after a movie atom that precedes the media, for later edits in place, or `nil` if
  /// ``MovieFileWriter`` chooses the size. The free space beside the old movie atom is dropped.
  ///
  /// Space smaller than the movie atom is put within the movie atom, beside the metadata, where edits of metadata can
  /// use it.
  public var paddingByteCount: UInt32?
  /// The free space within the movie atom, or `nil` if none is added.
  var metadataRoom: MetadataRoom?

  /// Creates a layout. By default, the file keeps the order of the source, with new samples inserted between its
  /// chunks.
  public init(isFastStart: Bool = false, interleaving: Interleaving = .newSamples, isCompact: Bool = false) {
    self.isFastStart = isFastStart
    self.interleaving = interleaving
    self.isCompact = isCompact
  }
}

extension OutputLayout {
  /// Whether free space is reserved for later edits.
  var pads: Bool { paddingByteCount ?? 0 > 0 }

  /// The default padding: room for a movie atom that has grown by an eighth and a few tracks.
  ///
  /// Returns 0 if that is more than 256 KiB, because viewers wait for the first bytes of a movie, and a smaller space
  /// would not fit a movie atom.
  static func defaultPaddingByteCount(movieByteCount: UInt64) -> UInt32 {
    let wanted = movieByteCount &+ movieByteCount / 8 &+ 4096
    return wanted <= 256 << 10 ? UInt32(clamping: wanted) : 0
  }

  /// The reason why a movie must be rewritten without fragments for this layout, because media moves, or `nil` if it
  /// need not be. Does not consider whether the movie already has the layout.
  var rewriteReason: String? {
    if isFastStart { return "fast start was requested" }
    if interleaving == .all { return "interleaving was requested" }
    if splitsChunks { return "splitting of chunks was requested" }
    return isCompact ? "removal of unused bytes was requested" : nil
  }
}
