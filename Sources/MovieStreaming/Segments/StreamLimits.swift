/// How large a presentation may be before it is refused.
package struct StreamLimits: Hashable, Sendable {
  /// No track may have more samples.
  package var sampleCount = 30_000_000
  /// No programme may have more segments: one of six seconds each lasts a week.
  package var segmentCount = 100_000
  /// All text together may have no more cues, those counted twice that are in two renditions: ten times what a track may
  /// have.
  package var cueCount = 2_000_000
  /// All segments of text together may have no more bytes: cues are in each segment that they are shown in.
  package var textByteCount = 512 << 20

  package init() {}
}
