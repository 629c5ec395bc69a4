/// How large a presentation may be before it is refused.
package struct StreamLimits: Hashable, Sendable {
  /// No track may have more samples.
  package var sampleCount = 30_000_000
  /// All tracks together may have no more segments: ten tracks of three days, of six seconds each.
  package var segmentCount = 400_000
  /// All tracks together may have no more fragments, of which each group of pictures is one, but for short ones.
  package var fragmentCount = 500_000
  /// All text together may have no more cues, those counted twice that are in two renditions: ten times what a track may
  /// have.
  package var cueCount = 2_000_000
  /// All segments of text together may have no more bytes: cues are in each segment that they are shown in.
  package var textByteCount = 512 << 20

  package init() {}
}
