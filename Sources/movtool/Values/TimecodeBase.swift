import MovieBox
import MovieWriter
import Subtitles

/// The time code that a movie begins with, as subtitle files have it whose times go on from there.
struct TimecodeBase: Hashable, Sendable {
  /// Milliseconds, below 100 hours.
  let milliseconds: Int64

  /// Reads `HH:MM:SS`, `HH:MM:SS.mmm`, and `HH:MM:SS:FF` with a number of frames, `;` allowed before it; a rate after
  /// `@`, such as `25` or `23.976`, must say how long a frame is, unless there are none.
  init?(_ text: String) {
    let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let fields = halves[0].split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    let frames = fields.count == 4 ? fields[3] : "00"
    guard (3...4).contains(fields.count), let clock = TimeOffset(fields[..<3].joined(separator: ":")),
      (0..<360_000_000).contains(clock.milliseconds), !text.hasPrefix("-"), !text.hasPrefix("+"),
      frames.utf8.count == 2, let count = UInt64(digits: frames),
      fields.count == 3 || !halves[0].contains(where: { ".,".contains($0) })
    else { return nil }
    guard halves.count == 2 else {
      guard count == 0 else { return nil }
      milliseconds = clock.milliseconds
      return
    }
    // Time codes number frames up to the rate, rounded up.
    guard let rate = DecimalRatio(String(halves[1])), count < rate.framesPerSecond,
      let fraction = (count * 1_000).scaledToNearest(by: rate.denominator, over: rate.numerator)
    else { return nil }
    milliseconds = clock.milliseconds + Int64(clamping: fraction)
  }
}
