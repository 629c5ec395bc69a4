/// How a new file is laid out.
public struct OutputLayout: Hashable, Sendable {
  /// Which samples are put between others by time.
  public enum Interleaving: Hashable, Sendable {
    /// None: all media keeps its order, and new samples lie in one run beside the movie atom.
    case none
    /// New samples are put between the chunks of the movie, which keep their order.
    case newSamples
    /// All chunks are put in the order of their times.
    case all
  }

  /// Whether the movie atom comes before the media; a movie that has it there keeps it there anyway.
  public var isFastStart: Bool
  /// What is put between others by time.
  public var interleaving: Interleaving
  /// Whether chunks that last longer than about a second are cut first, at the bounds of samples: what was recorded or
  /// added as one long chunk can then be put between others. See ``Interleaving/all``.
  public var splitsChunks = false
  /// Whether bytes that no sample and no atom uses are left out: free space, old movie atoms that an edit in place has
  /// replaced, unused media data.
  public var isCompact: Bool
  /// The size of blocks that the new file can share with the source: media then keeps its place within a block, after
  /// free space where that is needed. `nil` where nothing is shared.
  package var blockByteCount: UInt64?
  /// How many bytes of empty free space come after a movie atom that stands before the media, so that later edits have
  /// room in place; the free space beside the old one goes then. ``MovieFileWriter`` chooses where it is `nil`.
  ///
  /// Less than a movie atom is put inside the movie atom, beside the metadata, where edits of these can use it.
  public var paddingByteCount: UInt32?
  /// Free space inside the movie atom, or `nil` if none is added.
  var metadataRoom: MetadataRoom?

  /// A layout; as it stands, that of the source with new samples put between its chunks.
  public init(isFastStart: Bool = false, interleaving: Interleaving = .newSamples, isCompact: Bool = false) {
    self.isFastStart = isFastStart
    self.interleaving = interleaving
    self.isCompact = isCompact
  }
}

extension OutputLayout {
  /// Whether free space is to be left for later edits.
  var pads: Bool { paddingByteCount ?? 0 > 0 }

  /// Room for a movie atom of this size that has grown by an eighth and a few tracks, so that later edits take turns
  /// there. None where that is more than 256 KiB: the first bytes of a movie are what its viewers wait for, and less
  /// room would hold no movie atom.
  static func defaultPaddingByteCount(movieByteCount: UInt64) -> UInt32 {
    let wanted = movieByteCount &+ movieByteCount / 8 &+ 4096
    return wanted <= 256 << 10 ? UInt32(clamping: wanted) : 0
  }

  /// Why a movie has to be rewritten for this layout, and without fragments: it moves media; `nil` where it does not.
  /// The movie may have the layout already.
  var rewriteReason: String? {
    if isFastStart { return "the movie atom is to come first" }
    if interleaving == .all { return "the media is to be interleaved" }
    if splitsChunks { return "chunks are to be split" }
    return isCompact ? "unused bytes are to be left out" : nil
  }
}
