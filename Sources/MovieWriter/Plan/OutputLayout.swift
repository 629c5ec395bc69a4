/// The layout of a new file.
public struct OutputLayout: Hashable, Sendable {
  /// The samples that are interleaved by time.
  public enum Interleaving: Hashable, Sendable {
    /// Nothing is interleaved. All media keeps its order, and new samples form one run next to the movie atom.
    case none
    /// New samples are inserted between the chunks of the movie. The chunks keep their order.
    case newSamples
    /// All chunks are sorted by time.
    case all
  }

  /// Whether the movie atom precedes the media. A movie atom that already precedes the media keeps its position in any
  /// case.
  public var isFastStart: Bool
  /// The samples that are interleaved by time.
  public var interleaving: Interleaving
  /// Whether chunks longer than about a second are first split at sample boundaries. Media that was recorded or added
  /// as one long chunk can then be interleaved. See ``Interleaving/all``.
  public var splitsChunks = false
  /// Whether unused bytes are omitted: free space, old movie atoms that an in-place edit replaced, and unreferenced
  /// media data.
  public var isCompact: Bool
  /// Whether to omit free space that contains only remains of in-place edits, such as an old movie atom.
  public var omitsSpaceLeftByEdits = false
  /// The size of the blocks that the new file can share with the source, or `nil` if it shares no blocks. Media keeps
  /// its position within a block. If necessary, free space is inserted before the media.
  package var blockByteCount: UInt64?
  /// The size of the empty free space after a movie atom that precedes the media, for later in-place edits, or `nil` if
  /// ``MovieFileWriter`` chooses the size. The free space next to the old movie atom is dropped.
  ///
  /// Space that is smaller than the movie atom is added within the movie atom, next to the metadata, where edits of
  /// metadata can use it.
  public var paddingByteCount: UInt32?
  /// The free space within the movie atom, or `nil` if none is added.
  var metadataRoom: MetadataRoom?

  /// Creates a layout. By default, the file keeps the order of the source, and new samples are inserted between its
  /// chunks.
  public init(isFastStart: Bool = false, interleaving: Interleaving = .newSamples, isCompact: Bool = false) {
    self.isFastStart = isFastStart
    self.interleaving = interleaving
    self.isCompact = isCompact
  }

  /// The layout for an object store that contains the old movie. New samples form one run and old movie atoms are
  /// omitted, so that the store can copy the media in long ranges.
  public static let objectStore: OutputLayout = {
    var layout = OutputLayout(interleaving: .none)
    layout.omitsSpaceLeftByEdits = true
    return layout
  }()
}

extension OutputLayout {
  /// Whether free space is reserved for later edits.
  var reservesPadding: Bool { paddingByteCount ?? 0 > 0 }

  /// Returns the default padding. It has room for a whole new movie atom: the size of the old movie atom, an eighth of
  /// this size, and 4 KiB.
  ///
  /// Returns 0 if this size exceeds 256 KiB. Larger padding would delay playback, and the movie atom would not fit into
  /// smaller padding.
  static func defaultPaddingByteCount(movieByteCount: UInt64) -> UInt32 {
    let byteCount = movieByteCount &+ movieByteCount / 8 &+ 4096
    return byteCount <= 256 << 10 ? UInt32(clamping: byteCount) : 0
  }

  /// The reason why this layout requires a file without fragments, or `nil` if fragments can be kept. A layout that
  /// moves media always requires such a file, even if the movie already has the layout.
  var rewriteReason: String? {
    if isFastStart { return "fast start was requested" }
    if interleaving == .all { return "interleaving was requested" }
    if splitsChunks { return "splitting of chunks was requested" }
    return isCompact ? "removal of unused bytes was requested" : nil
  }
}
