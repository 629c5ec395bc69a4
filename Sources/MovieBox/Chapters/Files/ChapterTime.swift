import Subtitles

/// Parses and formats the times of chapter files, in milliseconds.
///
/// Decimal times are parsed digit by digit. A floating-point number would be rounded twice.
enum ChapterTime {
  /// The latest time that is accepted: a hundred years.
  private static let latestMilliseconds = Int64(SubtitleLimits().movieMilliseconds)

  /// Parses `[[H]H:]MM:SS[.fraction]` and rounds to the nearest millisecond. Returns `nil` for other texts.
  static func milliseconds(_ text: some StringProtocol) -> Int64? {
    let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    let units = halves[0].split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(units.count) else { return nil }
    var seconds: Int64 = 0
    for (index, unit) in units.enumerated() {
      guard (1...(index == 0 ? 6 : 2)).contains(unit.utf8.count), unit.utf8.allSatisfy(Ascii.isDigit),
        let number = Int64(unit), index == 0 || number < 60
      else { return nil }
      seconds = seconds * 60 + number  // The sum is below 10⁶ · 3600 + 3600.
    }
    guard let fraction = halves.count == 2 ? fraction(halves[1]) : 0 else { return nil }
    return seconds * 1_000 + fraction
  }

  /// Parses a number of seconds as in JSON: `12`, `-0.5`, `1.2e3`. Returns `nil` if the text is not a valid time.
  static func milliseconds(ofSeconds text: String) -> Int64? {
    if text.contains(where: { $0 == "e" || $0 == "E" }) {
      guard let seconds = Double(text), seconds.isFinite, seconds.magnitude < 1e10 else { return nil }
      return Int64((seconds * 1_000).rounded())
    }
    let isNegative = text.hasPrefix("-")
    let halves = text.dropFirst(isNegative ? 1 : 0).split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = halves.first.flatMap({ Int64($0) }), (0...latestMilliseconds / 1_000).contains(whole),
      let fraction = halves.count == 2 ? fraction(halves[1]) : 0
    else { return nil }
    return isNegative ? -(whole * 1_000 + fraction) : whole * 1_000 + fraction
  }

  /// Parses the digits after the decimal point and rounds to the nearest millisecond.
  private static func fraction(_ digits: some StringProtocol) -> Int64? {
    guard digits.utf8.allSatisfy(Ascii.isDigit), !digits.isEmpty else { return nil }
    let firstDigits =
      Array(digits.utf8.prefix(4)) + repeatElement(UInt8(ascii: "0"), count: Swift.max(0, 4 - digits.utf8.count))
    let value = firstDigits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return (value + 5) / 10
  }

  /// Converts ticks of `numerator` ÷ `denominator` seconds to the nearest millisecond.
  static func milliseconds(ticks: Int64, _ numerator: UInt64, over denominator: UInt64) -> Int64? {
    let scale = numerator.multipliedReportingOverflow(by: 1_000)
    guard !scale.overflow, let value = ticks.magnitude.scaledToNearest(by: scale.partialValue, over: denominator),
      let milliseconds = Int64(exactly: value), milliseconds <= latestMilliseconds
    else { return nil }
    return ticks < 0 ? -milliseconds : milliseconds
  }

  /// Formats a time as `HH:MM:SS.mmm`.
  static func text(_ milliseconds: Int64) -> String { timeText(milliseconds: Swift.max(0, milliseconds)) }

  /// Formats a number of seconds with as few decimals as possible: `12`, `12.5`.
  static func seconds(_ milliseconds: Int64) -> String {
    let value = Swift.max(0, milliseconds)
    guard value % 1_000 != 0 else { return String(value / 1_000) }
    var text = String(value % 1_000 + 1_000).dropFirst()
    while text.last == "0" { text.removeLast() }
    return "\(value / 1_000).\(text)"
  }
}

/// A frame rate as a fraction, such as 30000 ÷ 1001 frames per second.
package struct ChapterFrameRate: Hashable, Sendable {
  package let frames: UInt64
  package let seconds: UInt64

  /// Creates a rate, or returns `nil` if it is not between 1 and 1000 frames per second.
  package init?(frames: UInt64, seconds: UInt64) {
    guard frames > 0, seconds > 0, frames < 1 << 40, seconds < 1 << 40, frames >= seconds, frames / seconds <= 1_000
    else { return nil }
    (self.frames, self.seconds) = (frames, seconds)
  }

  /// Returns the rate of a video track whose frames have equal durations, or `nil` for other tracks. The duration of
  /// the last frame is ignored, because many writers change it.
  package init?(of track: Track) {
    guard track.mediaType == .video, !track.hasStillPictures, let first = track.samples.timeToSample.first,
      first.duration > 0
    else { return nil }
    var otherEntries = track.samples.timeToSample.dropFirst()
    if otherEntries.last?.sampleCount == 1 { otherEntries = otherEntries.dropLast() }
    guard otherEntries.allSatisfy({ $0.duration == first.duration }) else { return nil }
    self.init(frames: UInt64(track.mediaHeader.timeScale), seconds: UInt64(first.duration))
  }

  /// The frame rate, rounded up to an integer. The timecode counts this many frames in each of its seconds.
  var nominalFramesPerSecond: Int64 { Int64(clamping: (frames + seconds - 1) / seconds) }
}

/// Converts timecodes to times. A timecode has the format `HH:MM:SS:FF` and ends with a frame number.
///
/// A chapter list does not declare a frame rate. If all frame numbers are below the movie's rate, the clock uses the
/// movie's rate. Otherwise, it guesses the lowest common rate above the frame numbers, and a notice reports the guess.
/// A wrong guess changes a time by less than a second.
struct FrameClock {
  /// The movie's rate, or `nil` if the rate is guessed. The clock converts the number of frames, because the seconds of
  /// a timecode are longer than real seconds at a rate such as 23.976.
  private let rate: ChapterFrameRate?
  private let assumedRate: Int64
  let isGuessed: Bool

  init(_ frames: [ChapterTimestamp.Frames], _ rate: ChapterFrameRate?) {
    let highestCount = frames.filter { $0.perThousandSeconds == nil }.map(\.count).max()
    if let rate, let highestCount, highestCount < rate.nominalFramesPerSecond {
      (self.rate, assumedRate, isGuessed) = (rate, rate.nominalFramesPerSecond, false)
    } else {
      let rates: [Int64] = [25, 30, 50, 60, 100, 120]
      assumedRate = rates.first { $0 > highestCount ?? 0 } ?? 1_000
      self.rate = nil
      isGuessed = highestCount.map { $0 > 0 } ?? false
    }
  }

  /// The notice for a guessed rate.
  var assumedRateMessage: String {
    "the frame rate of the timecodes is unknown: \(assumedRate) frames per second are assumed"
  }

  /// Converts a timecode whose seconds are real seconds.
  func milliseconds(_ time: ChapterTimestamp) -> Int64 {
    guard let frames = time.frames else { return time.milliseconds }
    let rate = frames.perThousandSeconds ?? assumedRate * 1_000
    return time.milliseconds.addingClamped((frames.count * 1_000_000 + rate / 2) / rate)
  }

  /// Converts a timecode of an editing program. It is the number of frames since the start of the timeline.
  func editorMilliseconds(_ time: ChapterTimestamp, from start: ChapterTimestamp? = nil) -> Int64 {
    guard let rate else { return milliseconds(time) - (start.map { milliseconds($0) } ?? 0) }
    let count = frameNumber(time, rate) - (start.map { frameNumber($0, rate) } ?? 0)
    let value = milliseconds(ofFrames: count)
    return count < 0 ? -value : value
  }

  func milliseconds(ofFrames count: Int64) -> Int64 {
    let (frames, seconds) = rate.map { ($0.frames, $0.seconds) } ?? (UInt64(clamping: assumedRate), 1)
    return Int64(clamping: count.magnitude.scaledToNearest(by: seconds * 1_000, over: frames) ?? 0)
  }

  private func frameNumber(_ time: ChapterTimestamp, _ rate: ChapterFrameRate) -> Int64 {
    let (minutes, count) = (time.milliseconds / 60_000, time.frames?.count ?? 0)
    var number = time.milliseconds / 1_000 * rate.nominalFramesPerSecond + count
    if time.frames?.isDropFrame ?? false, rate.nominalFramesPerSecond % 30 == 0 {
      // At 30 frames per second, drop-frame timecodes skip the first two frame numbers of each minute. At 60 frames per
      // second, they skip four. They skip none in every tenth minute.
      number -= (minutes - minutes / 10) * rate.nominalFramesPerSecond / 15
    }
    return number
  }
}
