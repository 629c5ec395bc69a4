package import Subtitles

/// What is shown from one change to the next.
package struct TimedSample: Hashable, Sendable {
  /// The longest duration of a generated sample: FFmpeg reads durations in `stts` as signed numbers.
  package static let longestDuration = UInt32(Int32.max)

  /// How long, in ticks of the track; at least 1.
  package var duration: UInt32
  /// What is shown; `nil` in a gap.
  package var text: StyledText?
  /// Where it stands on the picture; the standard place in a gap.
  package var placement: CuePlacement
  /// Whether it is shown although subtitles are off; `false` in a gap.
  package var isForced: Bool
  /// The line of the file that the first of the cues shown has its times in; 0 in a gap.
  package var line: Int

  /// A sample with these values.
  package init(
    duration: UInt32, text: StyledText?, placement: CuePlacement = .standard, isForced: Bool = false, line: Int = 0
  ) {
    self.duration = duration
    self.text = text
    self.placement = placement
    self.isForced = isForced
    self.line = line
  }
}
