package import Subtitles

/// Encodes captions as the samples of a caption track (`c608`).
///
/// Each pair is a sample, because readers disagree about the pairs of a longer sample: ffmpeg gives all of them the
/// sample's time, and GStreamer reads only as many pairs as the video has frames in the sample. Frames without pairs
/// extend the sample before them. The first sample begins at 0, because ffmpeg ignores the empty edit of a caption
/// track.
package enum CaptionTrackEncoder {
  /// The time scale. A frame lasts exactly 1001 ticks, and a millisecond exactly 30.
  package static let timeScale: UInt32 = 30_000
  static let ticksPerFrame: Int64 = 1_001

  /// A caption track before it is written.
  package struct Encoded {
    package let media: SubtitleMedia
    /// The number of cues that are shown at least in part.
    package let shownCueCount: Int
  }

  /// Encodes cues, or the pairs of a caption file that contains the cues.
  ///
  /// - Parameters:
  ///   - times: the times of the cues. Their time scale is ``timeScale``.
  ///   - source: the pairs, or `nil` to encode the cues.
  package static func encode(
    _ times: CueTimes, _ source: CaptionSource?, geometry: SubtitleGeometry
  ) throws(SubtitleError) -> Encoded {
    var schedule = CaptionSampleSchedule(endFrame: Int64(clamping: times.duration) / ticksPerFrame)
    var notices = times.notices
    var shownCueCount = times.spans.count
    if let source {
      for field in source.fields.indices.prefix(2) {
        let pairs = source.pairsErasingLastCaptions(ofField: field)
        schedule.add(CaptionBurst.bursts(of: pairs, source, times.timing), field: field)
      }
      schedule.addNotices(to: &notices)
      shownCueCount = min(shownCueCount, try schedule.shownCueCount(of: source.channel, times.limits))
    } else {
      let encoded = CaptionEncoder.encode(cues(of: times), endFrame: schedule.endFrame, limits: times.limits)
      notices.append(encoded.notices)
      shownCueCount = max(0, shownCueCount - encoded.droppedCount)
      let source = CaptionSource(fields: [encoded.pairs], channel: .cc1, readCues: [])
      schedule.add(CaptionBurst.bursts(of: encoded.pairs, source, CueTiming()), field: 0)
    }
    let samples = schedule.samples(duration: times.duration)
    guard samples.data.count <= times.limits.sampleByteCount else {
      throw SubtitleError(
        .limit, "the captions have \(samples.data.count) bytes: the limit is \(times.limits.sampleByteCount)")
    }
    let media = SubtitleMedia(
      description: .captions, geometry: geometry, data: samples.data, sampleSizes: samples.sizes,
      durationRuns: samples.durationRuns, timeScale: timeScale, duration: times.duration, notices: notices.finished)
    return Encoded(media: media, shownCueCount: shownCueCount)
  }

  /// Returns the cues with their times in the movie.
  private static func cues(of times: CueTimes) -> [Cue] {
    let ticksPerMillisecond = UInt64(timeScale / 1_000)
    return times.spans.map { span in
      var cue = times.cues[span.index]
      cue.startMilliseconds = Int64(clamping: span.start / ticksPerMillisecond)
      cue.endMilliseconds = Int64(clamping: span.end / ticksPerMillisecond)
      return cue
    }
  }
}

/// Pairs of a channel that are sent in consecutive frames. A command that selects a mode, or shows or erases rows,
/// begins a burst.
struct CaptionBurst {
  /// The frame of the first pair in the movie, at 29.97 frames a second. It is negative before the movie.
  var frame: Int64
  var pairs: [CaptionPair] = []
  /// The first pair that shows a caption or row: its index, and its own frame in the movie. The pairs before it in the
  /// burst may take more time than in the file. It is `nil` if the burst shows nothing.
  private(set) var visible: (index: Int, frame: Int64)?
  /// Whether the burst may be sent earlier, because it only loads or erases a caption.
  private(set) var canBeSentEarlier = true
  /// Whether the burst erases the visible rows.
  private(set) var erases = false
  /// The line of the first pair in its file.
  let line: Int
  /// Whether the pairs belong to the second channel of the field.
  let isOfSecondChannel: Bool

  private init(frame: Int64, line: Int, isOfSecondChannel: Bool) {
    (self.frame, self.line, self.isOfSecondChannel) = (frame, line, isOfSecondChannel)
  }

  /// Creates a burst that erases the visible rows of a channel.
  init(erasing channel: CaptionChannel, frame: Int64, line: Int) {
    self.init(frame: frame, line: line, isOfSecondChannel: channel.isSecond)
    pairs = Array(repeating: .erasingDisplayedMemory(of: channel), count: 2)
    erases = true
  }

  /// Divides the pairs of a field into bursts and maps their times to the movie. Pairs without data are omitted.
  static func bursts(of pairs: [TimedCaptionPair], _ source: CaptionSource, _ timing: CueTiming) -> [CaptionBurst] {
    var bursts: [CaptionBurst] = []
    // The time of the last pair, or `nil` if a pair without data followed it.
    var lastTime: Int64?
    // The last pair with data, and whether it repeats the control code before it.
    var last: (timed: TimedCaptionPair, isRepetition: Bool)?
    var receiver = CaptionReceiver()
    for timed in pairs {
      guard !timed.pair.isNull else {
        lastTime = nil
        continue
      }
      let isConsecutive = lastTime.map { timed.time <= $0.addingClamped(source.rate.pairDistance) } ?? false
      let beginsPart = timed.pair.changesModeOrScreen && !timed.pair.hasSameCodes(as: bursts.last?.pairs.last)
      // A repetition directly follows the first code, because receivers execute a code twice if a gap precedes the
      // copy.
      let isRepetition = last.map { !$0.isRepetition && source.repeats($0.timed, timed) } ?? false
      last = (timed, isRepetition)
      let effect = receiver.receive(timed.pair, isRepetition: isRepetition)
      let continues =
        (isRepetition || isConsecutive) && !beginsPart && effect.isOfSecondChannel == bursts.last?.isOfSecondChannel
      if !continues {
        bursts.append(
          CaptionBurst(
            frame: frame(at: timed.time, source.rate, timing), line: timed.line,
            isOfSecondChannel: effect.isOfSecondChannel))
      }
      let index = bursts.count - 1
      if effect.kind == .show, !isRepetition, bursts[index].visible == nil {
        bursts[index].visible = (bursts[index].pairs.count, frame(at: timed.time, source.rate, timing))
      }
      bursts[index].canBeSentEarlier = bursts[index].canBeSentEarlier && effect.canBeSentEarlier
      bursts[index].erases = bursts[index].erases || effect.kind == .erase
      bursts[index].pairs.append(timed.pair)
      lastTime = timed.time
    }
    return bursts
  }

  /// Returns the frame in the movie that is nearest to a frame of the file.
  private static func frame(at frame: Int64, _ rate: CaptionFrameRate, _ timing: CueTiming) -> Int64 {
    let timeScale = Int128(CaptionTrackEncoder.timeScale)
    let ticksPerMillisecond = timeScale / 1_000
    var ticks = Int128(frame) * Int128(rate.seconds) * timeScale / Int128(rate.frames)
    ticks -= Int128(timing.baseMilliseconds) * ticksPerMillisecond
    if timing.scale != .one {
      // Limit the ticks first. The numerator is below 2⁶⁴, so the product then cannot overflow.
      ticks = min(max(ticks, -(1 << 62)), 1 << 62)
      ticks = ticks * Int128(timing.scale.numerator) / Int128(timing.scale.denominator)
    }
    ticks += Int128(timing.offsetMilliseconds) * ticksPerMillisecond
    let ticksPerFrame = Int128(CaptionTrackEncoder.ticksPerFrame)
    let (quotient, remainder) = (ticks + ticksPerFrame / 2).quotientAndRemainder(dividingBy: ticksPerFrame)
    let limit: Int128 = 1 << 52  // Sums and differences of frames cannot overflow.
    return Int64(min(max(remainder < 0 ? quotient - 1 : quotient, -limit), limit))
  }

  /// The effect of the first pair on the mode or the visible rows.
  var change: CaptionPair.ModeOrScreenChange? { pairs.first?.modeOrScreenChange }

  /// The number of visible rows if the burst begins with a command that selects roll-up captions, or `nil` for other
  /// bursts.
  var rowCount: Int? { pairs.first?.rollUpRowCount }

  /// The number of carriage returns. A code and its repetition count once.
  var carriageReturnCount: Int {
    pairs.indices.count { pairs[$0].isCarriageReturn && ($0 == 0 || !pairs[$0 - 1].isCarriageReturn) }
  }
}
