import Subtitles

/// The format of the time codes in a time code track (QTFF "Timecode Sample Description").
struct TimecodeFormat: Hashable, Sendable {
  /// Whether time codes skip frame numbers to agree with real time.
  let dropsFrames: Bool
  /// Whether samples contain counter values instead of time codes.
  let isCounter: Bool
  /// The number of frames in each second of the time code, at least 1. For 29.97 fps, it is 30.
  let framesPerSecond: Int64
  /// The number of ticks per second.
  let timeScale: UInt32
  /// The duration of a frame in ticks.
  let frameDuration: UInt32

  /// Whether time codes keep pace with real time. At 29.97 frames a second, time codes fall behind unless they skip
  /// frame numbers.
  var keepsRealTime: Bool { dropsFrames || Int64(timeScale) >= framesPerSecond * Int64(frameDuration) }

  /// Reads a `tmcd` description. Returns `nil` if it is too short or has no frame rate.
  init?(_ entry: SampleEntry) {
    guard let flags = entry.body.load(at: 4, as: UInt32.self), let timeScale = entry.body.load(at: 8, as: UInt32.self),
      let duration = entry.body.load(at: 12, as: UInt32.self), let frames = entry.body.load(at: 16, as: UInt8.self),
      frames > 0
    else { return nil }
    (dropsFrames, isCounter) = (flags & 1 != 0, flags & 8 != 0)
    (framesPerSecond, self.timeScale, frameDuration) = (Int64(frames), timeScale, duration)
  }

  /// Returns the time code of a frame, such as `01:00:00:00`. In a drop-frame time code, a semicolon precedes the frame
  /// number.
  func text(ofFrame frame: Int64) -> String {
    (frame < 0 ? "-" : "")
      + Timecode.text(ofFrame: abs(frame), framesPerSecond: framesPerSecond, dropsFrames: dropsFrames)
  }

  /// Returns the number of frames in a duration of the media.
  func frameCount(ofMediaTicks ticks: Int64, timeScale mediaTimeScale: UInt32) -> Int64 {
    guard mediaTimeScale > 0, frameDuration > 0 else { return 0 }
    return Int64(clamping: Int128(ticks) * Int128(timeScale) / (Int128(mediaTimeScale) * Int128(frameDuration)))
  }
}
