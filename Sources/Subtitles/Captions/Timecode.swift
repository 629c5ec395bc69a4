/// A SMPTE time code, `HH:MM:SS:FF`, and its conversion to and from a number of frames.
package struct Timecode: Hashable {
  /// The time code at the start of a written file.
  package struct Start: Hashable, Sendable {
    let numbering: Numbering
    /// The number of frames since 00:00:00:00.
    let frame: Int64

    /// Creates a start. `frame` is the number of frames since 00:00:00:00.
    package init(_ numbering: Numbering, frame: Int64) {
      (self.numbering, self.frame) = (numbering, frame)
    }
  }

  /// The numbering of frames.
  package struct Numbering: Hashable, Sendable {
    /// The number of frames in a nominal second.
    package let framesPerSecond: Int64
    /// The duration of frames.
    let rate: CaptionFrameRate
    /// Whether the first frame numbers of most minutes are skipped. The time codes then agree with real time.
    let dropsFrames: Bool

    /// 29.97 frames a second with drop-frame numbers, which agree with real time.
    static let dropFrame = Numbering(framesPerSecond: 30, rate: .line21, dropsFrames: true)
    /// 29.97 frames a second without drop-frame numbers. The time codes fall behind real time by 3.6 s in an hour.
    static let nonDropFrame = Numbering(framesPerSecond: 30, rate: .line21, dropsFrames: false)

    /// Creates the numbering of files with a frame rate. Only 29.97 and 59.94 frames a second have drop-frame numbers.
    /// Other rates ignore `dropsFrames`.
    init(_ rate: CaptionFrameRate, dropsFrames: Bool) {
      self.init(
        framesPerSecond: rate.nominal, rate: rate,
        dropsFrames: dropsFrames && rate.seconds == 1_001 && rate.nominal % 30 == 0)
    }

    init(framesPerSecond: Int64, rate: CaptionFrameRate, dropsFrames: Bool) {
      (self.framesPerSecond, self.rate, self.dropsFrames) = (framesPerSecond, rate, dropsFrames)
    }

    /// The number of frames in a day of time codes, from 00:00:00:00 up to 24:00:00:00.
    var framesPerDay: Int64 { 86_400 * framesPerSecond - (24 * 60 - 24 * 6) * droppedCount }

    /// The number of frame numbers that are skipped in each minute, except in every tenth minute.
    var droppedCount: Int64 { dropsFrames ? framesPerSecond / 15 : 0 }

    /// Whether an hour of time codes lasts longer than a real hour. In this case, the time codes number 29.97 frames a
    /// second without gaps.
    package var isSlow: Bool { !dropsFrames && rate.seconds == 1_001 }

    /// Returns the start of a frame in milliseconds, rounded down. If drop-frame time codes skip the frame number, the
    /// next frame number that exists is used.
    ///
    /// - Parameters:
    ///   - frames: the frame number at the end of the time code.
    ///   - seconds: the time that the hours, minutes and seconds of the time code display.
    package func milliseconds(ofFrame frames: Int64, atSecond seconds: Int64) -> Int64 {
      rate.milliseconds(ofFrame: frame(frames, atSecond: seconds))
    }

    /// Returns the number of frames from 00:00:00:00 to a time code. The parameters are those of
    /// ``milliseconds(ofFrame:atSecond:)``.
    package func frame(_ frames: Int64, atSecond seconds: Int64) -> Int64 {
      Timecode(hours: seconds / 3_600, minutes: seconds / 60 % 60, seconds: seconds % 60, frames: frames).frame(self)
    }

    /// Returns the number of frames from 00:00:00:00 to the time code that is nearest to a displayed time.
    package func frame(displaying milliseconds: Int64) -> Int64 {
      frame((milliseconds % 1_000 * framesPerSecond + 500) / 1_000, atSecond: milliseconds / 1_000)
    }

    /// Returns the number of frames from 00:00:00:00 to a time code that follows the frame `last` in a file. Time codes
    /// restart after a day. A time code that precedes `last` by more than half a day is therefore on the next day.
    func frame(of code: Timecode, after last: Int64) -> Int64 {
      let day = last / framesPerDay * framesPerDay
      let frame = day + code.frame(self)
      if last - frame > framesPerDay / 2 { return frame + framesPerDay }
      return day > 0 && frame - last > framesPerDay / 2 ? frame - framesPerDay : frame
    }

    /// Returns the time code of a frame in a file that begins at `start`. Time codes restart after a day.
    func code(ofFrame frame: Int64, from start: Int64) -> Timecode {
      Timecode(ofFrame: (max(0, frame) % framesPerDay + start % framesPerDay) % framesPerDay, self)
    }
  }

  var hours: Int64
  var minutes: Int64
  var seconds: Int64
  var frames: Int64

  /// Returns the number of frames since 00:00:00:00. If drop-frame time codes skip the frame number, the next frame
  /// number that exists is used.
  func frame(_ numbering: Numbering) -> Int64 {
    let minute = hours * 60 + minutes
    let frames = isSkipped(numbering) ? numbering.droppedCount : frames
    return (minute * 60 + seconds) * numbering.framesPerSecond + frames
      - numbering.droppedCount * (minute - minute / 10)
  }

  /// Whether drop-frame time codes skip the frame number.
  func isSkipped(_ numbering: Numbering) -> Bool {
    seconds == 0 && minutes % 10 != 0 && frames < numbering.droppedCount
  }

  /// Returns the time that the time code of a frame displays, in milliseconds. The frame number is converted to a
  /// fraction of a second.
  ///
  /// - Parameters:
  ///   - frame: the number of frames since 00:00:00:00. Negative numbers count as 0.
  ///   - framesPerSecond: the number of frames in a nominal second, from 1 to 255.
  ///   - dropsFrames: whether the first frame numbers of most minutes are skipped.
  package static func milliseconds(ofFrame frame: Int64, framesPerSecond: Int64, dropsFrames: Bool) -> Int64 {
    let code = Timecode(ofFrame: frame, framesPerSecond, dropsFrames: dropsFrames)
    return ((code.hours * 60 + code.minutes) * 60 + code.seconds) * 1_000 + code.frames * 1_000 / framesPerSecond
  }

  /// Returns the time code of a frame, such as `01:00:00:00`. The parameters are those of
  /// ``milliseconds(ofFrame:framesPerSecond:dropsFrames:)``.
  package static func text(ofFrame frame: Int64, framesPerSecond: Int64, dropsFrames: Bool) -> String {
    Timecode(ofFrame: frame, framesPerSecond, dropsFrames: dropsFrames).text(isDropFrame: dropsFrames)
  }

  private init(ofFrame frame: Int64, _ framesPerSecond: Int64, dropsFrames: Bool) {
    // The rate does not affect the numbers, so any rate is suitable.
    let numbering = Numbering(framesPerSecond: framesPerSecond, rate: .line21, dropsFrames: dropsFrames)
    self.init(ofFrame: min(frame, 1 << 40), numbering)
  }

  /// Creates the time code of a frame. The hours may exceed 99.
  init(ofFrame frame: Int64, _ numbering: Numbering) {
    var number = max(0, frame)
    if numbering.dropsFrames {
      let minute = 60 * numbering.framesPerSecond - numbering.droppedCount
      let tenMinutes = 10 * minute + numbering.droppedCount
      let (tens, rest) = number.quotientAndRemainder(dividingBy: tenMinutes)
      let skippedMinutes = rest < minute + numbering.droppedCount ? 0 : (rest - numbering.droppedCount) / minute
      number += numbering.droppedCount * (9 * tens + skippedMinutes)
    }
    frames = number % numbering.framesPerSecond
    let total = number / numbering.framesPerSecond
    (hours, minutes, seconds) = (total / 3_600, total / 60 % 60, total % 60)
  }

  private init(hours: Int64, minutes: Int64, seconds: Int64, frames: Int64) {
    (self.hours, self.minutes, self.seconds, self.frames) = (hours, minutes, seconds, frames)
  }

  /// Parses a time code at the start of a line. Returns the time code, whether its last separator marks drop-frame
  /// numbers, and the rest of the line, or `nil` if the line does not begin with a time code.
  static func parse(_ line: ArraySlice<UInt8>) -> (code: Timecode, isDropFrame: Bool, rest: ArraySlice<UInt8>)? {
    var rest = line
    var fields: [Int64] = []
    var isDropFrame = false
    for index in 0..<4 {
      let digits = rest.prefix { Ascii.isDigit($0) }
      guard (1...2).contains(digits.count) else { return nil }
      fields.append(digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) })
      rest = rest.dropFirst(digits.count)
      guard index < 3 else { break }
      guard let separator = rest.popFirst() else { return nil }
      switch separator {
      case UInt8(ascii: ":"): isDropFrame = false
      case UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "."): isDropFrame = true
      default: return nil
      }
    }
    let code = Timecode(hours: fields[0], minutes: fields[1], seconds: fields[2], frames: fields[3])
    return (code, isDropFrame, rest)
  }

  /// Returns the reason why the time code is invalid, or `nil` if it is valid.
  func fault(_ numbering: Numbering) -> String? {
    if hours > 23 { return "hour \(hours) is above 23" }
    if minutes > 59 { return "minute \(minutes) is above 59" }
    if seconds > 59 { return "second \(seconds) is above 59" }
    guard frames >= numbering.framesPerSecond else { return nil }
    let rates = [25, 30, 50, 60].filter { $0 > frames }.map(String.init)
    let advice = rates.isEmpty ? "" : "the file may have \(rates.joined(separator: " or ")) frames a second, or "
    return "frame \(frames) is above \(numbering.framesPerSecond - 1), the last frame of a second at "
      + "\(numbering.framesPerSecond) frames a second; \(advice)the time code is damaged"
  }

  /// Returns the time code as text. Drop-frame codes have a semicolon.
  func text(isDropFrame: Bool) -> String {
    [hours, minutes, seconds].map { $0.padded(to: 2) }.joined(separator: ":") + (isDropFrame ? ";" : ":")
      + frames.padded(to: 2)
  }
}
