// Times on the command line: offsets of cues, offsets of clocks, and frames of a timecode.

import MovieBox
import MovieWriter
import Subtitles

/// A time by which cues are moved, in milliseconds.
struct TimeOffset: Hashable, Sendable {
  /// Milliseconds; negative for earlier.
  let milliseconds: Int64

  private init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Reads seconds (`1.5`, `-0.25`) or `[-][HH:]MM:SS[.mmm]`; a comma may stand for the point, as in SubRip.
  ///
  /// Fails on more than three decimals, on minutes and seconds above 59 where a larger unit stands before them, and
  /// from so many hours on.
  init?(_ text: String, belowHours limit: Int64 = 1_000) {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    let halves = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    let units = halves[0].split(separator: ":", omittingEmptySubsequences: false)
    guard units.count <= 3 else { return nil }
    var seconds: Int64 = 0
    for (index, unit) in units.enumerated() {
      guard let number = Self.digits(unit, atMost: 10), index == 0 || number < 60 else { return nil }
      seconds = seconds * 60 + number  // Below 10^10 · 3600 + 3600.
    }
    var milliseconds: Int64 = 0
    if halves.count == 2 {
      guard let fraction = Self.digits(halves[1], atMost: 3) else { return nil }
      milliseconds = fraction * [0, 100, 10, 1][halves[1].utf8.count]
    }
    let total = seconds * 1000 + milliseconds
    guard total / 3_600_000 < limit else { return nil }
    self.init(milliseconds: isNegative ? -total : total)
  }

  /// The most hours by which cues are moved: the longest movie that gets subtitles.
  static let longestOffsetInHours = Int64(SubtitleLimits().movieMilliseconds / 3_600_000)

  /// Reads a time of a movie, which may be on a clock since 1970.
  init(offset text: String) throws(UsageError) {
    if let offset = TimeOffset(text, belowHours: Self.longestOffsetInHours) {
      self = offset
    } else if TimeOffset(text, belowHours: .max) != nil {
      throw UsageError(
        .invalidValue, "--offset \(text): too large; the limit is \(Self.longestOffsetInHours) hours, a hundred years")
    } else {
      throw UsageError(.invalidValue, "--offset \(text): not a time such as 1.5, -0.25 or 00:01:02.500")
    }
  }

  /// The number that one to `count` digits spell.
  private static func digits(_ text: Substring, atMost count: Int) -> Int64? {
    text.utf8.count <= count ? Int64(digits: text) : nil
  }
}

/// A time by which dates are moved, such as `+8h`, `-1d12h` or `+45m30s`.
struct ClockShift: Hashable, Sendable {
  /// The seconds, negative for earlier. Below 200 years either way, and never 0.
  let seconds: Int64

  /// Reads numbers of days, hours, minutes and seconds (`d`, `h`, `m`, `s`), in this order, after an optional sign. Fails
  /// for other texts, and for 0.
  init?(_ text: String) {
    var rest = text[...]
    let isNegative = rest.first == "-" || rest.first == "−"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    var units: [(Character, Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]
    var seconds: Int64 = 0
    while let unit = rest.firstIndex(where: { !$0.isNumber }) {
      guard let place = units.firstIndex(where: { $0.0 == rest[unit] }), rest[..<unit].utf8.count <= 10,
        let number = Int64(digits: rest[..<unit])
      else { return nil }
      seconds += number * units[place].1  // At most four numbers below 10^10, times 86 400.
      units.removeSubrange(...place)
      rest = rest[rest.index(after: unit)...]
    }
    guard rest.isEmpty, seconds > 0, seconds < 200 * 31_557_600 else { return nil }
    self.seconds = isNegative ? -seconds : seconds
  }

  /// The shift in words, as the option takes it: `+1d8h`.
  var text: String {
    var (rest, words) = (abs(seconds), "")
    for (unit, size) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] as [(String, Int64)] where rest >= size {
      words += "\(rest / size)\(unit)"
      rest %= size
    }
    return (seconds < 0 ? "-" : "+") + words
  }
}

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
