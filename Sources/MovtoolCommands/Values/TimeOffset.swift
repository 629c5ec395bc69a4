// Times on the command line: offsets of cues, shifts of dates, and start time codes.

import MovieBox
import MovieWriter
import Subtitles

/// An offset that moves cues, in milliseconds.
struct TimeOffset: Hashable, Sendable {
  /// The offset in milliseconds. It is negative if cues move to earlier times.
  let milliseconds: Int64

  private init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Parses seconds (`1.5`, `-0.25`) or `[-][HH:]MM:SS[.mmm]`. The decimal separator can also be a comma, as in SubRip.
  ///
  /// Returns `nil` for more than three decimals, and for an offset of `limit` hours or more. After a larger unit,
  /// minutes and seconds must be below 60.
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
      seconds = seconds * 60 + number  // The sum is below 10^10 · 3600 + 3600.
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

  /// The limit of offsets, in hours. It equals the duration of the longest movie that can have subtitles.
  static let longestOffsetInHours = Int64(SubtitleLimits().movieMilliseconds / 3_600_000)

  /// Parses an offset of the command line. The offset may be as large as the time since 1970.
  init(offset text: String) throws(UsageError) {
    if let offset = TimeOffset(text, belowHours: Self.longestOffsetInHours) {
      self = offset
    } else if TimeOffset(text, belowHours: .max) != nil {
      throw UsageError(
        .invalidValue, "--offset \(text): too large; the limit is \(Self.longestOffsetInHours) hours (100 years)")
    } else {
      throw UsageError(
        .invalidValue,
        "--offset \(text): specify seconds with up to three decimals, such as 1.5 or -0.25, or a time such as 00:01:02.500"
      )
    }
  }

  /// Returns the value of a number with up to `count` digits.
  private static func digits(_ text: Substring, atMost count: Int) -> Int64? {
    text.utf8.count <= count ? Int64(digits: text) : nil
  }
}

/// An offset that moves dates, such as `+8h`, `-1d12h` or `+45m30s`.
struct ClockShift: Hashable, Sendable {
  /// The offset in seconds. It is not 0, and its absolute value is less than 200 years. A negative offset moves dates
  /// to earlier times.
  let seconds: Int64

  /// Parses an optional sign and numbers of days, hours, minutes and seconds (`d`, `h`, `m`, `s`) in this order.
  /// Returns `nil` for any other text, and for 0.
  init?(_ text: String) {
    var rest = text[...]
    let isNegative = rest.first == "-" || rest.first == "−"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    var units: [(Character, Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]
    var seconds: Int64 = 0
    while let unit = rest.firstIndex(where: { !$0.isNumber }) {
      guard let index = units.firstIndex(where: { $0.0 == rest[unit] }), rest[..<unit].utf8.count <= 10,
        let number = Int64(digits: rest[..<unit])
      else { return nil }
      seconds += number * units[index].1  // The sum is below 4 · 10^10 · 86 400.
      units.removeSubrange(...index)
      rest = rest[rest.index(after: unit)...]
    }
    guard rest.isEmpty, seconds > 0, seconds < 200 * 31_557_600 else { return nil }
    self.seconds = isNegative ? -seconds : seconds
  }

  /// The offset in the form that the option accepts: `+1d8h`.
  var text: String {
    var (rest, words) = (abs(seconds), "")
    for (unit, size) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] as [(String, Int64)] where rest >= size {
      words += "\(rest / size)\(unit)"
      rest %= size
    }
    return (seconds < 0 ? "-" : "+") + words
  }
}

/// The time code at the start of a movie. It is subtracted from the times in a subtitle file.
struct TimecodeBase: Hashable, Sendable {
  /// The time code as the user wrote it.
  private let text: String
  /// The time of the hours, minutes, seconds and milliseconds, below 24 hours.
  private let clockMilliseconds: Int64
  /// The frame number, or `nil` if there is none.
  private let frameNumber: UInt64?
  /// The frame rate, or `nil` if there is none.
  private let rate: DecimalRatio?
  /// Whether written time codes are drop-frame. A colon before the frame number excludes this.
  let dropsFrames: Bool

  /// Parses a value of `--timecode-base`: `HH:MM:SS`, `HH:MM:SS.mmm` or `HH:MM:SS:FF` with a frame number, which `;`
  /// may precede. `@` and the frame rate may follow, such as `@25`, `@23.976` or `@24000/1001`.
  ///
  /// - Parameters:
  ///   - text: the value.
  ///   - alternative: the text that an error adds to its examples.
  ///   - hasOffset: whether the command has the option `--offset`, which an error can recommend.
  init(option text: String, _ alternative: String = "", hasOffset: Bool = true) throws(UsageError) {
    let malformed = UsageError(
      .invalidValue,
      "--timecode-base \(text): specify a time such as 01:00:00:00, 01:00:00.500 or 09:57:30:12@25\(alternative)")
    let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let fields = halves[0].split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    guard (3...4).contains(fields.count), let clock = TimeOffset(fields[..<3].joined(separator: ":")),
      !text.hasPrefix("-"), !text.hasPrefix("+"), fields.count == 3 || !halves[0].contains(where: { ".,".contains($0) })
    else { throw malformed }
    let hour = clock.milliseconds / 3_600_000
    guard hour < 24 else {
      throw UsageError(
        .invalidValue,
        "--timecode-base \(text): hour \(hour) is above 23, the last hour of time codes"
          + (hasOffset ? "; --offset shifts cues by any time" : ""))
    }
    (self.text, clockMilliseconds) = (text, clock.milliseconds)
    if fields.count == 4 {
      guard fields[3].utf8.count == 2, let count = UInt64(digits: fields[3]) else { throw malformed }
      frameNumber = count
    } else {
      frameNumber = nil
    }
    dropsFrames = fields.count == 3 || halves[0].contains(";")
    rate = halves.count == 2 ? DecimalRatio(fraction: String(halves[1])) : nil
    guard halves.count == 1 || rate != nil else { throw malformed }
    if let rate, let frameNumber {
      try Self.requireFrame(frameNumber, below: rate.framesPerSecond, text, "at \(halves[1]) frames a second")
    }
  }

  /// Throws if a frame number is not below the number of frames in a nominal second. `place` ends the error.
  private static func requireFrame(
    _ frames: UInt64, below framesPerSecond: UInt64, _ text: String, _ place: String
  ) throws(UsageError) {
    guard frames >= framesPerSecond else { return }
    throw UsageError(
      .invalidValue,
      "--timecode-base \(text): frame \(frames) is above \(framesPerSecond - 1), the last frame of a second \(place)")
  }

  /// The time of the time code by its own frame rate, in milliseconds, or `nil` if it has a frame number but no rate.
  var milliseconds: Int64? {
    guard let frameNumber, frameNumber > 0 else { return clockMilliseconds }
    guard let rate, let fraction = (frameNumber * 1_000).scaledToNearest(by: rate.denominator, over: rate.numerator)
    else {
      return nil
    }
    return clockMilliseconds + Int64(clamping: fraction)
  }

  /// Returns the time of the time code in a subtitle file, in milliseconds. SCC and MCC files declare the numbering of
  /// their frames. Throws if the rate contradicts the file, or if the file has no rate and the frame number needs one.
  ///
  /// - Parameters:
  ///   - file: the contents of the file.
  ///   - name: the name of the file, for errors.
  func milliseconds(in file: SubtitleFile, named name: String) throws(UsageError) -> Int64 {
    guard let numbering = file.timecodeNumbering else {
      if let milliseconds { return milliseconds }
      throw UsageError(
        .invalidValue, "--timecode-base \(text): \(name) has no frame rate; specify the rate, such as \(text)@25")
    }
    return file.milliseconds(ofStart: try start(numbering, of: name))
  }

  /// Returns the time code as the start of a file with this numbering. Throws if the rate or the frame number
  /// contradicts the numbering. `name` is the name of the file, for errors.
  func start(_ numbering: Timecode.Numbering, of name: String) throws(UsageError) -> Timecode.Start {
    let framesPerSecond = UInt64(clamping: numbering.framesPerSecond)
    if let rate, rate.framesPerSecond != framesPerSecond {
      throw UsageError(
        .conflict,
        "--timecode-base \(text): the time codes of \(name) count \(framesPerSecond) frames a second; omit the rate")
    }
    guard let frameNumber else {
      return Timecode.Start(numbering, frame: numbering.frame(displaying: clockMilliseconds))
    }
    try Self.requireFrame(frameNumber, below: framesPerSecond, text, "in \(name)")
    return Timecode.Start(
      numbering, frame: numbering.frame(Int64(clamping: frameNumber), atSecond: clockMilliseconds / 1_000))
  }
}

extension SubtitleFile {
  /// The whole hour before the first cue as a value of `--timecode-base`, or `nil` if it is 0.
  var hourBase: (hour: Int64, text: String, milliseconds: Int64)? {
    guard let first = cues.map(\.startMilliseconds).min() else { return nil }
    // The first frame of an hour begins a few milliseconds before the hour in drop-frame time codes.
    // Without gaps, an hour of time codes at 29.97 frames a second lasts 3603.6 seconds.
    var hour = first / (timecodeNumbering?.isSlow == true ? 3_603_600 : 3_600_000)
    if let next = hourBase(hour + 1), next.milliseconds <= first { hour += 1 }
    return hour > 0 ? hourBase(hour) : nil
  }

  private func hourBase(_ hour: Int64) -> (hour: Int64, text: String, milliseconds: Int64)? {
    guard hour < 24 else { return nil }
    let milliseconds = timecodeNumbering?.milliseconds(ofFrame: 0, atSecond: hour * 3_600) ?? hour * 3_600_000
    return (hour, "\(hour.padded(to: 2)):00:00:00", milliseconds)
  }

  /// Returns advice for a file if none of its cues is shown: the values of `--timecode-base` that would show cues, or
  /// `--offset` if there are none.
  ///
  /// - Parameters:
  ///   - timing: the mapping of times for which no cue is shown.
  ///   - shown: the times at which cues can be shown, in milliseconds.
  ///   - movieBase: the time code of the movie's start as a time in this file, or `nil` if there is none.
  func adviceIfNoCueIsShown(_ timing: CueTiming, in shown: Range<Int64>, movieBase: Int64? = nil) -> String {
    func helps(_ base: Int64) -> Bool {
      base != timing.baseMilliseconds && showsCue(after: base, timing, in: shown)
    }
    var advice: [String] = []
    if helps(0) { advice.append("omit --timecode-base: cues are shown without it") }
    if let base = hourBase, helps(base.milliseconds) {
      let times = timecodeNumbering == nil ? "times" : "time codes"
      advice.append("the \(times) begin in hour \(base.hour): --timecode-base \(base.text) subtracts it")
    }
    if let movieBase, helps(movieBase) {
      advice.append("--timecode-base movie subtracts the time code of the movie's start")
    }
    guard advice.isEmpty else { return advice.joined(separator: ", ") }
    return "--offset shifts all cues of a file: 3600 means an hour later, -3600 means an hour earlier"
  }

  /// Whether a cue is shown if `base` is subtracted from all times, before the offset and scale of `timing` apply. All
  /// times are in milliseconds.
  private func showsCue(after base: Int64, _ timing: CueTiming, in shown: Range<Int64>) -> Bool {
    var timing = timing
    timing.baseMilliseconds = base
    return cues.contains {
      timing.movieMilliseconds($0.startMilliseconds) < shown.upperBound
        && timing.movieMilliseconds($0.endMilliseconds) > shown.lowerBound
    }
  }
}
