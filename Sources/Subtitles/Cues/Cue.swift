/// A text and the time that it is shown for, as a subtitle file says it.
///
///     let cue = Cue(startMilliseconds: 1_000, endMilliseconds: 2_500, text: StyledText("Who is there?"))
public struct Cue: Hashable, Sendable {
  /// When the text appears, in milliseconds; below 0 where a file says so.
  public var startMilliseconds: Int64
  /// When the text disappears, in milliseconds.
  public var endMilliseconds: Int64
  /// What is shown.
  public var text: StyledText
  /// Where it stands on the picture.
  public var placement: CuePlacement
  /// Whether it is shown although subtitles are off.
  public var isForced: Bool
  /// The line of the file that the times stand in, from 1; 0 where the cue is from no file.
  public var line: Int

  /// A cue with these values.
  public init(
    startMilliseconds: Int64, endMilliseconds: Int64, text: StyledText, placement: CuePlacement = .standard,
    isForced: Bool = false, line: Int = 0
  ) {
    self.startMilliseconds = startMilliseconds
    self.endMilliseconds = endMilliseconds
    self.text = text
    self.placement = placement
    self.isForced = isForced
    self.line = line
  }

  /// The cue without styles, in the standard place.
  public var plain: Cue {
    var cue = self
    cue.text = StyledText(text.text, checkedRuns: [])
    cue.placement = .standard
    return cue
  }
}

/// A time as `HH:MM:SS.mmm`, with `-` before a negative one.
package func timeText(milliseconds: Int64) -> String {
  let total = milliseconds.magnitude
  let clock = [total / 3_600_000, total / 60_000 % 60, total / 1_000 % 60].map { $0.padded(to: 2) }
  return (milliseconds < 0 ? "-" : "") + clock.joined(separator: ":") + "." + (total % 1_000).padded(to: 3)
}
