import Subtitles

/// Times as files of chapters write them, in milliseconds.
enum ChapterTime {
  /// No time is later: a hundred years.
  private static let latest = Int64(SubtitleLimits().movieMilliseconds)

  /// `[[H]H:]MM:SS[.fraction]`, rounded to the nearest millisecond; `nil` for other texts.
  static func milliseconds(_ text: some StringProtocol) -> Int64? {
    let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    let units = halves[0].split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(units.count) else { return nil }
    var seconds: Int64 = 0
    for (index, unit) in units.enumerated() {
      guard (1...(index == 0 ? 6 : 2)).contains(unit.utf8.count), unit.utf8.allSatisfy(Ascii.isDigit),
        let number = Int64(unit), index == 0 || number < 60
      else { return nil }
      seconds = seconds * 60 + number  // Below 10⁶ · 3600 + 3600.
    }
    guard let fraction = halves.count == 2 ? fraction(halves[1]) : 0 else { return nil }
    return seconds * 1_000 + fraction
  }

  /// A number of seconds, as JSON writes it: `12`, `-0.5`, `1.2e3`. `nil` for what is no time.
  static func milliseconds(ofSeconds text: String) -> Int64? {
    if text.contains(where: { $0 == "e" || $0 == "E" }) {
      guard let seconds = Double(text), seconds.isFinite, seconds.magnitude < 1e10 else { return nil }
      return Int64((seconds * 1_000).rounded())
    }
    let isNegative = text.hasPrefix("-")
    let halves = text.dropFirst(isNegative ? 1 : 0).split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = halves.first.flatMap({ Int64($0) }), (0...latest / 1_000).contains(whole),
      let fraction = halves.count == 2 ? fraction(halves[1]) : 0
    else { return nil }
    return isNegative ? -(whole * 1_000 + fraction) : whole * 1_000 + fraction
  }

  /// Digits after the point, as milliseconds to the nearest.
  private static func fraction(_ digits: some StringProtocol) -> Int64? {
    guard digits.utf8.allSatisfy(Ascii.isDigit), !digits.isEmpty else { return nil }
    let four =
      Array(digits.utf8.prefix(4)) + repeatElement(UInt8(ascii: "0"), count: Swift.max(0, 4 - digits.utf8.count))
    let value = four.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return (value + 5) / 10
  }

  /// Converts ticks of `numerator` ÷ `denominator` seconds to milliseconds, to the nearest.
  static func milliseconds(ticks: Int64, _ numerator: UInt64, over denominator: UInt64) -> Int64? {
    let scale = numerator.multipliedReportingOverflow(by: 1_000)
    guard !scale.overflow, let value = ticks.magnitude.scaledToNearest(by: scale.partialValue, over: denominator),
      let milliseconds = Int64(exactly: value), milliseconds <= latest
    else { return nil }
    return ticks < 0 ? -milliseconds : milliseconds
  }

  /// `HH:MM:SS.mmm`.
  static func text(_ milliseconds: Int64) -> String { timeText(milliseconds: Swift.max(0, milliseconds)) }

  /// A number of seconds with as many decimals as it needs: `12`, `12.5`.
  static func seconds(_ milliseconds: Int64) -> String {
    let value = Swift.max(0, milliseconds)
    guard value % 1_000 != 0 else { return String(value / 1_000) }
    var text = String(value % 1_000 + 1_000).dropFirst()
    while text.last == "0" { text.removeLast() }
    return "\(value / 1_000).\(text)"
  }
}

/// The frame rate of a movie as a fraction: `30000 ÷ 1001` a second.
package struct ChapterFrameRate: Hashable, Sendable {
  package let frames: UInt64
  package let seconds: UInt64

  /// A rate, or `nil` for none between one frame and 1000 frames a second.
  package init?(frames: UInt64, seconds: UInt64) {
    guard frames > 0, seconds > 0, frames < 1 << 40, seconds < 1 << 40, frames >= seconds, frames / seconds <= 1_000
    else { return nil }
    (self.frames, self.seconds) = (frames, seconds)
  }

  /// The rate of a track of pictures that all last as long, or `nil` for another track. The duration of the last picture
  /// does not count: many writers give it another one.
  package init?(of track: Track) {
    guard track.mediaType == .video, !track.holdsStillPictures, let first = track.samples.timeToSample.first,
      first.duration > 0
    else { return nil }
    var others = track.samples.timeToSample.dropFirst()
    if others.last?.sampleCount == 1 { others = others.dropLast() }
    guard others.allSatisfy({ $0.duration == first.duration }) else { return nil }
    self.init(frames: UInt64(track.mediaHeader.timeScale), seconds: UInt64(first.duration))
  }

  /// The frames that a timecode counts in a second.
  var nominal: Int64 { Int64(clamping: (frames + seconds - 1) / seconds) }
}

/// Turns timecodes into times: `HH:MM:SS:FF` of editors, whose last part counts frames.
///
/// A list does not declare how many frames a second has. The movie's own rate counts if the frames fit it, else the
/// lowest usual rate that they fit; the result is then off by less than a second, and a notice reports it.
struct FrameClock {
  /// The rate, and whether seconds of timecodes are counted in frames: with 23.976 frames a second they are longer.
  private let rate: ChapterFrameRate?
  private let usual: Int64
  /// Whether nothing says the rate.
  let isGuessed: Bool

  init(_ frames: [ChapterTimestamp.Frames], _ rate: ChapterFrameRate?) {
    let highest = frames.filter { $0.perThousandSeconds == nil }.map(\.count).max()
    if let rate, let highest, highest < rate.nominal {
      (self.rate, usual, isGuessed) = (rate, rate.nominal, false)
    } else {
      let rates: [Int64] = [25, 30, 50, 60, 100, 120]
      usual = rates.first { $0 > highest ?? 0 } ?? 1_000
      self.rate = nil
      isGuessed = highest.map { $0 > 0 } ?? false
    }
  }

  /// A notice that the rate is a guess.
  var guess: String { "timecodes count frames, and \(usual) frames a second are a guess" }

  /// The time of a timecode on a clock.
  func milliseconds(_ time: ChapterTimestamp) -> Int64 {
    guard let frames = time.frames else { return time.milliseconds }
    let rate = frames.perThousandSeconds ?? usual * 1_000
    return time.milliseconds.addingClamped((frames.count * 1_000_000 + rate / 2) / rate)
  }

  /// The time of a timecode of an editor, which counts whole frames from the start of the timeline.
  func editorMilliseconds(_ time: ChapterTimestamp, from start: ChapterTimestamp? = nil) -> Int64 {
    guard let rate else { return milliseconds(time) - (start.map { milliseconds($0) } ?? 0) }
    let count = frameNumber(time, rate) - (start.map { frameNumber($0, rate) } ?? 0)
    let value = milliseconds(ofFrames: count)
    return count < 0 ? -value : value
  }

  /// Returns the duration of `count` frames.
  func milliseconds(ofFrames count: Int64) -> Int64 {
    let (frames, seconds) = rate.map { ($0.frames, $0.seconds) } ?? (UInt64(clamping: usual), 1)
    return Int64(clamping: count.magnitude.scaledToNearest(by: seconds * 1_000, over: frames) ?? 0)
  }

  private func frameNumber(_ time: ChapterTimestamp, _ rate: ChapterFrameRate) -> Int64 {
    let (minutes, count) = (time.milliseconds / 60_000, time.frames?.count ?? 0)
    var number = time.milliseconds / 1_000 * rate.nominal + count
    if time.frames?.isDropFrame ?? false, rate.nominal % 30 == 0 {
      // Of each minute but every tenth the first two numbers are left out, of 60 frames a second four.
      number -= (minutes - minutes / 10) * rate.nominal / 15
    }
    return number
  }
}
