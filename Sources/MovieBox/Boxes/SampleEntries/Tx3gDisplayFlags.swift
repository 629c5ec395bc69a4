/// The display flags of a `tx3g` sample description. Unknown bits are kept.
///
/// The `text` entries of QuickTime have a flag word of their own with other meanings.
package struct Tx3gDisplayFlags: OptionSet, Hashable, Sendable {
  /// The word as it stands in the file.
  package let rawValue: UInt32

  /// Flags with these bits.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Text boxes are obeyed; without it text stands at the bottom (QuickTime File Format, subtitle media).
  package static let verticalPlacement = Tx3gDisplayFlags(rawValue: 0x2000_0000)
  /// Some samples are forced: they carry `frcd`.
  package static let someSamplesForced = Tx3gDisplayFlags(rawValue: 0x4000_0000)
  /// Every sample is forced. Never written alone: see ``forcedOnly``.
  package static let allSamplesForced = Tx3gDisplayFlags(rawValue: 0x8000_0000)
  /// What a track of forced samples only carries: 0xC0000000, since the bit for all must come with the bit for some.
  package static let forcedOnly: Tx3gDisplayFlags = [.someSamplesForced, .allSamplesForced]
}
