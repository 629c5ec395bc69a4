/// The display flags of a `tx3g` sample description. Unknown bits are kept.
///
/// The `text` entries of QuickTime have a flag word of their own with other meanings.
public struct Tx3gDisplayFlags: OptionSet, Hashable, Sendable {
  /// The word as it stands in the file.
  public let rawValue: UInt32

  /// Flags with these bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Text scrolls in.
  public static let scrollIn = Tx3gDisplayFlags(rawValue: 0x20)
  /// Text scrolls out.
  public static let scrollOut = Tx3gDisplayFlags(rawValue: 0x40)
  /// Karaoke highlights stay.
  public static let continuousKaraoke = Tx3gDisplayFlags(rawValue: 0x800)
  /// Text is written vertically.
  public static let writeVertically = Tx3gDisplayFlags(rawValue: 0x2_0000)
  /// The background fills the whole region.
  public static let fillRegion = Tx3gDisplayFlags(rawValue: 0x4_0000)
  /// Text boxes are obeyed; without it text stands at the bottom (QuickTime File Format, subtitle media).
  public static let verticalPlacement = Tx3gDisplayFlags(rawValue: 0x2000_0000)
  /// Some samples are forced: they carry `frcd`.
  public static let someSamplesForced = Tx3gDisplayFlags(rawValue: 0x4000_0000)
  /// Every sample is forced. Never written alone: see ``forcedOnly``.
  public static let allSamplesForced = Tx3gDisplayFlags(rawValue: 0x8000_0000)
  /// What a track of forced samples only carries: 0xC0000000, since the bit for all must come with the bit for some.
  public static let forcedOnly: Tx3gDisplayFlags = [.someSamplesForced, .allSamplesForced]
}
