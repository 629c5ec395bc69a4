import Subtitles

/// The byte pairs of CEA-608 in the media of a track: the samples of a caption track, or the pictures of a video track.
///
/// The pairs are decoded once. Each channel becomes a text. As for subtitle tracks, the edit list converts the times of
/// the text from media time to presentation time.
///
///     var captions = MediaCaptions(unitsPerFrame: 1_001)
///     captions.fields[0].append(TimedCaptionPair(time: 0, pair))
///     let text = try captions.decoded(presentation, limits).text(of: nil)
struct MediaCaptions {
  /// The byte pairs of the two fields of line 21, with media times that do not decrease. Pairs without data may be
  /// omitted.
  var fields: [[TimedCaptionPair]] = [[], []]
  /// The services of CEA-708. They are not decoded.
  var digitalServices = DigitalCaptionServices()
  /// The handling of bytes whose parity is not odd.
  var parity = CaptionDecoder.Parity.ignored
  /// The start of the last sample if the file does not declare the duration of that sample, or `nil` if the duration is
  /// known. If the movie ends at this time, the pairs of the last sample are not presented.
  var lastSampleStart: Int64?
  /// The end of the media, or `nil` if it is unknown. The last caption ends at this time.
  var end: Int64?
  /// The frame rate of the pictures. It is `nil` for a caption track, or if caption files do not support the rate.
  var pictureRate: CaptionFrameRate?
  /// The maximum distance, in frames, of a repeated control code from the first code. It is above 1 for pictures,
  /// because some pictures contain no pair.
  var repetitionFrames: Int64 = 1
  /// The time between the pairs of consecutive frames, in media ticks, rounded down.
  let unitsPerFrame: Int64

  /// Creates captions without pairs.
  init(unitsPerFrame: Int64) {
    self.unitsPerFrame = unitsPerFrame
  }

  /// Decodes the pairs.
  ///
  /// Throws if `limits` are exceeded.
  func decoded(_ presentation: CuePresentation, _ limits: SubtitleLimits) throws(MovieError) -> DecodedMediaCaptions {
    do throws(SubtitleError) {
      let decoded = try DecodedCaptions(
        fields, unitsPerFrame: unitsPerFrame, repetitionFrames: repetitionFrames, parity: parity, limits: limits)
      return DecodedMediaCaptions(
        captions: self, decoded: decoded, presentation: presentation, limits: limits)
    } catch {
      throw MovieError(.limit, in: presentation.path, "track \(presentation.trackID): \(error.reason)")
    }
  }
}

/// The kind of frame that is the unit for the times of caption pairs.
package enum CaptionPairFrames: Hashable, Sendable {
  /// Frames of line 21, at 29.97 frames a second.
  case line21
  /// The pictures of the movie. If SCC and MCC files cannot declare the rate of the pictures, frames of line 21 are
  /// counted instead.
  case pictures
}

struct DecodedMediaCaptions {
  let captions: MediaCaptions
  let decoded: DecodedCaptions
  let presentation: CuePresentation
  let limits: SubtitleLimits

  /// Returns the text of a channel, by default of the first channel that shows captions. If nothing is shown, the text
  /// has no cues, and a notice contains the reason.
  ///
  /// - Parameters:
  ///   - channel: the channel, or `nil` for the first channel that shows captions.
  ///   - notices: the notices about the samples. They are added to the notices of the text.
  ///   - frames: the frames of the pairs, or `nil` for a text without pairs.
  func text(
    of channel: CaptionChannel?, _ notices: NoticeList, pairsIn frames: CaptionPairFrames?
  ) throws(MovieError) -> TextTrack {
    var notices = notices
    let name = "track \(presentation.trackID)"
    func add(_ notice: SubtitleNotice, about subject: String? = nil) {
      notices.add(notice.kind, notice.subject, line: 0, "\(subject ?? name): \(notice.message)")
    }
    // Several channels may be requested one after the other, so the notices name the channel.
    let channelName = channel.map { "\(name), \($0.rawValue)" } ?? name
    for finding in decoded.findings(of: channel) { add(finding, about: channelName) }
    var cues: [Cue] = []
    var source: CaptionSource?
    let chosen = decoded.channel(channel)
    if let chosen {
      if let notice = decoded.noticeAboutServices(except: chosen, of: "the track") { add(notice) }
      let screens = decoded.screens(of: chosen)
      // No notice is needed if the last caption ends with the media.
      if let notice = screens.noticeAboutEnd, !endsWithMedia(screens) { add(notice, about: channelName) }
      cues = presentation.endingWithMovie(try presentation.cues(mediaCues(screens)).cues)
      if frames == .pictures, let rate = captions.pictureRate {
        source = CaptionSource(fields: try pairs(at: rate), rate: rate, channel: chosen, readCues: cues)
      } else if frames != nil {
        let (fields, delays) = try line21Pairs(of: chosen)
        if delays.count > 0 {
          add(
            SubtitleNotice(
              line: 0, kind: .delayedCaptions,
              message:
                "\(counted(delays.count, "caption")) of \(chosen.rawValue) \(delays.count == 1 ? "appears" : "appear") "
                + "up to \(CaptionFrameRate.line21.milliseconds(ofFrame: delays.longestInFrames)) ms late, "
                + "because the codes before "
                + "\(delays.count == 1 ? "it" : "them") are still being sent at 29.97 frames a second"))
        }
        source = CaptionSource(fields: fields, channel: chosen, readCues: cues)
        source?.endFrames = try endFrames()
      }
      let lostCount = try unpresentedPairCount()
      if lostCount > 0 {
        add(
          SubtitleNotice(
            line: 0, kind: .droppedPastEnd, subject: SubtitleNotice.pairsSubject,
            message: "the last sample has no duration, so the movie ends when the sample starts: "
              + "\(counted(lostCount, "pair")) of captions \(lostCount == 1 ? "is" : "are") not shown"))
      }
    } else {
      var services = captions.digitalServices
      services.finish()
      let reason =
        if let channel, !decoded.serviceNames.isEmpty {
          "\(channel.rawValue) shows no captions; the track contains \(decoded.serviceNames.joined(separator: ", "))"
        } else {
          decoded.reasonForNoCues(services.numbers, of: "the track")
        }
      notices.add(.otherServices, "none", line: 0, "\(name): \(reason)")
    }
    var text = TextTrack(trackID: presentation.trackID, cues: cues, notices: notices.finished)
    (text.captions, text.captionChannel) = (source, chosen)
    return text
  }

  /// Returns the pairs in the frames of line 21 that are nearest to their times in the movie. Each frame contains one
  /// pair of each field, so some pairs move to other frames. Also returns the delays of the captions of `channel`.
  private func line21Pairs(
    of channel: CaptionChannel
  ) throws(MovieError) -> (fields: [[TimedCaptionPair]], delays: CaptionFrameGrid.Delays) {
    var fields: [[TimedCaptionPair]] = []
    var delays = CaptionFrameGrid.Delays()
    for (field, pairs) in captions.fields.enumerated() {
      let opening = openingPairs(of: pairs, at: .line21, distance: 1)
      var last = opening.pairs.isEmpty ? nil : (index: opening.endIndex - 1, isRepetition: false)
      let elements = try presentation.instants(pairs.map(\.time)).map { index, milliseconds in
        var link = CaptionFrameGrid.Link.none
        if let last, index == last.index + 1 {
          let (previous, pair) = (pairs[last.index], pairs[index])
          link =
            !last.isRepetition && repeats(previous, pair)
            ? .repetition : areConsecutive(previous, pair) ? .follower : .none
        }
        last = (index, link == .repetition)
        return CaptionFrameGrid.Element(
          pair: pairs[index].pair, nearestFrame: CaptionFrameRate.line21.frame(atMilliseconds: milliseconds), link: link
        )
      }
      var grid = CaptionFrameGrid(after: opening.pairs)
      let frames = grid.frames(of: elements) { channel.field == field && channel.isSecond == $0 }
      if channel.field == field { delays = grid.delays }
      fields.append(opening.pairs + zip(elements, frames).map { TimedCaptionPair(time: $1, $0.pair) })
    }
    return (fields, delays)
  }

  /// Returns each pair in the frame that is nearest to the pair's time in the movie. A frame may contain several pairs
  /// of a field. A repeated control code moves to the frame after the first code.
  private func pairs(at rate: CaptionFrameRate) throws(MovieError) -> [[TimedCaptionPair]] {
    let distance = rate.pairDistance
    return try captions.fields.map { pairs throws(MovieError) in
      let opening = openingPairs(of: pairs, at: rate, distance: distance)
      var next = opening.pairs.last.map { $0.time + distance } ?? .min
      var last: (index: Int, frame: Int64, isRepetition: Bool)?
      let presented = try presentation.instants(pairs.map(\.time)).map { index, milliseconds in
        var frame = rate.frame(atMilliseconds: milliseconds)
        var isRepetition = false
        if let last, index == last.index + 1, !last.isRepetition, repeats(pairs[last.index], pairs[index]) {
          isRepetition = true
          frame = min(frame, last.frame + distance)
        }
        if frame < next { (frame, next) = (next, next + distance) }
        last = (index, frame, isRepetition)
        return TimedCaptionPair(time: frame, pairs[index].pair)
      }
      return opening.pairs + presented
    }
  }

  /// Returns the pairs that load the captions at the start of a trimmed track. The pairs are `distance` frames apart,
  /// from the first presented frame on. Also returns the index of the first pair that the track may present.
  private func openingPairs(
    of pairs: [TimedCaptionPair], at rate: CaptionFrameRate, distance: Int64
  ) -> (pairs: [TimedCaptionPair], endIndex: Int) {
    guard let opening = presentation.opening, let first = pairs.first, first.time < opening.mediaTime else {
      return ([], 0)
    }
    func frame(_ time: Int64) -> Int64 {
      let (ticks, overflows) = time.subtractingReportingOverflow(first.time)
      return CaptionFrameRate.line21.frame(atMilliseconds: presentation.mediaMilliseconds(overflows ? .max : ticks))
    }
    let end = pairs.partitioningIndex { $0.time >= opening.mediaTime }
    let endFrame = frame(opening.mediaTime) + 1
    var earlier: [TimedCaptionPair] = []
    for (index, pair) in pairs[..<end].enumerated() {
      var time = frame(pair.time) - endFrame
      if let last = earlier.last, repeats(pairs[index - 1], pair) { time = min(time, last.time + 1) }
      earlier.append(TimedCaptionPair(time: time, pair.pair))
    }
    let source = CaptionSource(fields: [], channel: .cc1, readCues: [])
    // Drop the bursts before the first caption command, because they show no captions.
    let bursts = CaptionBurst.bursts(of: earlier, source, CueTiming()).drop { $0.change == nil }
    let start = rate.frame(atMilliseconds: opening.milliseconds)
    let loading = CaptionSampleSchedule.affectingMovie(Array(bursts)).flatMap(\.pairs)
    return (loading.enumerated().map { TimedCaptionPair(time: start + Int64($0.offset) * distance, $0.element) }, end)
  }

  /// Returns the frames of line 21 in which the last captions of the channels end in the movie.
  private func endFrames() throws(MovieError) -> [CaptionChannel: Int64] {
    var frames: [CaptionChannel: Int64] = [:]
    for channel in decoded.shownChannels {
      let cues = presentation.endingWithMovie(try presentation.cues(mediaCues(decoded.screens(of: channel))).cues)
      frames[channel] = cues.map(\.endMilliseconds).max().map { CaptionFrameRate.line21.frame(atMilliseconds: $0) }
    }
    return frames
  }

  /// Returns the number of pairs in the last sample that the movie does not present.
  private func unpresentedPairCount() throws(MovieError) -> Int {
    guard let start = captions.lastSampleStart else { return 0 }
    var count = 0
    for pairs in captions.fields {
      let last = pairs[pairs.partitioningIndex { $0.time >= start }...].map(\.time)
      count += max(0, last.count - (try presentation.instants(last)).count)
    }
    return count
  }

  /// Whether the second pair directly follows the first pair. Rounding may leave an empty frame between their frames.
  private func areConsecutive(_ first: TimedCaptionPair, _ second: TimedCaptionPair) -> Bool {
    let (distance, overflows) = second.time.subtractingReportingOverflow(first.time)
    let unit = max(captions.unitsPerFrame, 1)
    return !overflows && distance <= unit + (unit < 8 ? 0 : 1 + unit / 10)
  }

  /// Whether the second pair repeats the control code of the first pair. In a file, the second pair must directly
  /// follow the first pair. Otherwise, receivers would execute the code twice.
  private func repeats(_ first: TimedCaptionPair, _ second: TimedCaptionPair) -> Bool {
    let (distance, overflows) = second.time.subtractingReportingOverflow(first.time)
    return !overflows && first.pair.hasSameCodes(as: second.pair) && first.pair.isControl
      && distance / (captions.repetitionFrames + 1) < max(captions.unitsPerFrame, 1)
  }

  /// Returns the texts of screens with media times. The last text ends after 16 seconds or with the media if nothing
  /// erases it.
  private func mediaCues(_ screens: [CaptionScreen]) -> [CueJoining.MediaCue] {
    screens.shownBlocks.map { block in
      CueJoining.MediaCue(
        start: block.start, end: block.end ?? min(assumedEnd(block.start), max(captions.end ?? .max, block.start)),
        shown: ShownText(text: block.text, placement: block.placement))
    }
  }

  /// Returns the time at which a receiver erases a caption if no more captions arrive.
  private func assumedEnd(_ start: Int64) -> Int64 {
    start.addingClamped(Int64(presentation.mediaTimeScale) * [CaptionScreen].assumedMilliseconds / 1_000)
  }

  private func endsWithMedia(_ screens: [CaptionScreen]) -> Bool {
    guard let end = captions.end, let last = screens.last else { return false }
    return end < assumedEnd(last.time)
  }
}
