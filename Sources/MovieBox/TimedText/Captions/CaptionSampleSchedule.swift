import Subtitles

/// Distributes the bursts of both fields over the frames of a movie, and writes them as samples of `c608`.
struct CaptionSampleSchedule {
  /// The number of whole frames in the movie.
  let endFrame: Int64
  /// The bursts of the fields, in order. The bursts of a field do not overlap.
  private var fields: [[CaptionBurst]] = [[], []]
  /// The captions that appear later in the movie than in the file.
  private var delays = Tally()
  private var longestDelayInFrames: Int64 = 0
  /// The captions of the movie for which no frame is left.
  private var unsent = Tally()

  /// Delays up to this number of frames are not reported. If the captions have another frame rate, their frames begin
  /// between the frames of line 21.
  static let toleratedDelay: Int64 = 1

  /// A number of captions, and the line of the first of these captions.
  private struct Tally {
    private(set) var count = 0
    private(set) var firstLine = 0

    mutating func count(_ line: Int) {
      if count == 0 { firstLine = line }
      count += 1
    }
  }

  init(endFrame: Int64) {
    self.endFrame = endFrame
  }

  /// Adds the bursts of a field. A burst is delayed until the previous burst is sent. Bursts that only load a caption are
  /// sent earlier instead, because a picture may contain more pairs than line 21 can send until the caption appears.
  ///
  /// Bursts before the movie are omitted unless they load or show the caption at the movie's start. The remaining
  /// bursts are sent from the first frame on. If the erasure of a caption is after the movie, the caption is erased in
  /// the last frames instead.
  mutating func add(_ bursts: [CaptionBurst], field: Int) {
    var next: Int64 = 0
    var ending = EndingCaptions()
    let bursts = Self.affectingMovie(bursts)
    for (burst, frame) in zip(bursts, Self.latestFrames(of: bursts)) {
      var burst = burst
      burst.frame = max(frame, next)
      if let visible = burst.visible {
        // Measure the delay at the first visible pair. Codes that show nothing may be late, because viewers do not
        // notice them.
        let offset = Int64(visible.index)
        let visibleFrame = max(visible.frame, offset)
        let delay = burst.frame + offset - visibleFrame
        if burst.frame + offset >= endFrame {
          if visibleFrame < endFrame { unsent.count(burst.line) }
        } else if delay > Self.toleratedDelay {
          delays.count(burst.line)
          longestDelayInFrames = max(longestDelayInFrames, delay)
        }
      }
      ending.add(burst, endFrame: endFrame)
      guard burst.frame < endFrame else { continue }
      // The number of remaining frames limits the number of pairs, so the sum cannot overflow.
      let room = Int(clamping: endFrame - burst.frame)
      if burst.pairs.count > room { burst.pairs.removeLast(burst.pairs.count - room) }
      next = burst.frame + Int64(burst.pairs.count)
      fields[field].append(burst)
    }
    erase(ending.channels(endFrame: endFrame), inField: field)
  }

  /// The captions of a field that remain visible until the movie ends.
  private struct EndingCaptions {
    /// The frame in which each channel last showed a caption or row, or `nil` if its screen is empty.
    private var shownFrames: [Int64?] = [nil, nil]
    /// Whether codes after the movie would erase or replace the caption of each channel.
    private var areErasedAfterMovie = [false, false]

    /// Adds the next burst. Its pairs from `endFrame` on are not sent.
    mutating func add(_ burst: CaptionBurst, endFrame: Int64) {
      let channel = burst.isOfSecondChannel ? 1 : 0
      let shownFrame = burst.visible.map { burst.frame + Int64($0.index) }
      if burst.erases {
        if burst.frame < endFrame { shownFrames[channel] = nil } else { areErasedAfterMovie[channel] = true }
      }
      guard let shownFrame else { return }
      if shownFrame < endFrame { shownFrames[channel] = shownFrame } else { areErasedAfterMovie[channel] = true }
    }

    /// Returns the channels whose last caption needs an erasure, because readers would end it after 16 seconds.
    func channels(endFrame: Int64) -> [Bool] {
      let assumed = CaptionFrameRate.line21.frame(atMilliseconds: [CaptionScreen].assumedMilliseconds)
      return [false, true].filter { isSecond in
        let channel = isSecond ? 1 : 0
        return areErasedAfterMovie[channel] && shownFrames[channel].map { endFrame - $0 > assumed } ?? false
      }
    }
  }

  /// Erases the captions of channels in the last frames of the movie. Codes in these frames that prepare a caption are
  /// omitted, because the caption would appear after the movie. `channels` are the first (`false`) or second (`true`)
  /// channel of the field.
  private mutating func erase(_ channels: [Bool], inField field: Int) {
    guard !channels.isEmpty else { return }
    let erasures = channels.map {
      CaptionBurst(erasing: CaptionChannel(field: field, isSecond: $0), frame: endFrame, line: 0)
    }
    var start = endFrame - Int64(erasures.reduce(0) { $0 + $1.pairs.count })
    while var last = fields[field].last, last.frame + Int64(last.pairs.count) > start {
      let showsNothing = last.visible.map { $0.index >= last.pairs.count } ?? last.canBeSentEarlier
      // A change of the screen is more important than an early erasure.
      guard showsNothing, !last.erases else { return }
      fields[field].removeLast()
      guard last.frame < start else { continue }
      last.pairs.removeLast(Int(clamping: last.frame + Int64(last.pairs.count) - start))
      fields[field].append(last)
    }
    for var erasure in erasures {
      erasure.frame = start
      start += Int64(erasure.pairs.count)
      fields[field].append(erasure)
    }
  }

  /// Returns the latest frame in which each burst can be sent so that the bursts after it are in time.
  private static func latestFrames(of bursts: [CaptionBurst]) -> [Int64] {
    var frames = bursts.map(\.frame)
    for index in bursts.indices.dropLast().reversed() where bursts[index].canBeSentEarlier {
      let latest = min(frames[index], frames[index + 1] - Int64(bursts[index].pairs.count))
      frames[index] =
        bursts[index].erases ? max(latest, frames[index] - CaptionFrameGrid.erasureFrameCount) : latest
    }
    return frames
  }

  /// Adds notices about captions that are later than in the file, and about captions for which no frame is left.
  func addNotices(to notices: inout NoticeList) {
    if delays.count > 0 {
      let milliseconds = CaptionFrameRate.line21.milliseconds(ofFrame: longestDelayInFrames)
      let isSingle = delays.count == 1
      notices.add(
        .delayedCaptions, "track", line: delays.firstLine,
        "\(counted(delays.count, "caption")) of the file \(isSingle ? "appears" : "appear") up to \(milliseconds) ms late, "
          + "because the pairs before \(isSingle ? "it" : "them") are still being sent")
    }
    if unsent.count > 0 {
      let isSingle = unsent.count == 1
      notices.add(
        .droppedPastEnd, "unsent", line: unsent.firstLine,
        "\(counted(unsent.count, "caption")) of the file \(isSingle ? "does" : "do") not appear, because the movie ends "
          + "while the pairs before \(isSingle ? "it" : "them") are sent")
    }
  }

  /// Removes the bursts that do not affect the movie. Each channel is examined alone, because it has a screen of its
  /// own.
  static func affectingMovie(_ bursts: [CaptionBurst]) -> [CaptionBurst] {
    let starts = [false, true].map { isSecond in
      firstIndex(of: bursts.indices.filter { bursts[$0].isOfSecondChannel == isSecond }, in: bursts)
    }
    return bursts.enumerated().filter { $0.offset >= starts[$0.element.isOfSecondChannel ? 1 : 0] }.map(\.element)
  }

  /// Returns the index of the first burst of a channel that affects the movie. `indices` are the bursts of the channel.
  private static func firstIndex(of indices: [Int], in bursts: [CaptionBurst]) -> Int {
    let inside = indices.partitioningIndex { bursts[$0].frame >= 0 }
    var (isErased, isShown) = (false, false)
    for position in indices[..<inside].indices.reversed() {
      switch bursts[indices[position]].change {
      case .show:
        guard isErased || isShown else {
          isShown = true
          continue
        }
        // The caption of this burst is erased or replaced before the movie begins, so begin with the burst after this
        // burst and its erasures.
        let next = indices[(position + 1)...].first { bursts[$0].change != .erase }
        // If the next burst selects no mode, begin with the burst at `position` instead. The command in that burst
        // selects the mode, but shows nothing because no caption is loaded.
        return next.map { bursts[$0].change == nil ? indices[position] : $0 } ?? bursts.endIndex
      case .erase: isErased = isErased || !isShown
      case .write:
        // If the rows were erased or replaced before the movie, begin with this command. Otherwise, begin with the first
        // row that is still visible.
        return indices[isErased || isShown ? position : firstRow(at: position, of: indices[..<inside], in: bursts)]
      case .load, nil: break
      }
    }
    return bursts.startIndex
  }

  /// Returns the position of the burst with which the visible rows begin. Earlier rows have rolled off the screen.
  ///
  /// - Parameters:
  ///   - position: the position of the last burst that selects a mode in which characters are visible.
  ///   - indices: the bursts of the channel before the movie.
  private static func firstRow(at position: Int, of indices: ArraySlice<Int>, in bursts: [CaptionBurst]) -> Int {
    guard let depth = bursts[indices[position]].rowCount else { return position }
    var first = position
    var rowCount = indices[(position + 1)...].reduce(0) { $0 + bursts[$1].carriageReturnCount }
    for earlier in indices[...position].indices.reversed() {
      let burst = bursts[indices[earlier]]
      guard burst.change == nil || burst.rowCount == depth else { break }
      if burst.change != nil { first = earlier }
      rowCount += burst.carriageReturnCount
      guard rowCount < depth else { break }
    }
    return first
  }

  /// Returns the number of cues of a channel that the scheduled pairs show.
  func shownCueCount(of channel: CaptionChannel, _ limits: SubtitleLimits) throws(SubtitleError) -> Int {
    let pairs = fields.map { bursts in
      bursts.flatMap { burst in
        burst.pairs.enumerated().map { TimedCaptionPair(time: burst.frame + Int64($0.offset), $0.element) }
      }
    }
    return try DecodedCaptions(pairs, limits: limits).screens(of: channel).shownBlocks.count
  }

  // MARK: - Samples

  /// Samples and their tables.
  struct Samples {
    var data: [UInt8] = []
    var sizes: [UInt32] = []
    var durationRuns: [SampleDurationRun] = []
  }

  /// Returns the samples. Together they last `duration` ticks.
  func samples(duration: UInt64) -> Samples {
    var samples = Samples()
    guard duration > 0 else { return samples }
    let starts = Set(fields.joined().map(\.frame) + [0]).sorted()
    var indices = [0, 0]
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] : endFrame
      var parts: [ArraySlice<CaptionPair>] = []
      for field in 0..<2 {
        parts.append(pairs(of: field, &indices[field], from: start, to: end))
      }
      let startTicks = UInt64(start) * UInt64(CaptionTrackEncoder.ticksPerFrame)
      let endTicks =
        index + 1 < starts.count ? UInt64(end) * UInt64(CaptionTrackEncoder.ticksPerFrame) : duration
      samples.add(parts[0], parts[1], duration: endTicks - startTicks)
    }
    return samples
  }

  /// Returns the pairs of a field in a range of frames. `index` is the index of the first burst that may overlap the
  /// range. The call advances the index.
  private func pairs(
    of field: Int, _ index: inout Int, from start: Int64, to end: Int64
  ) -> ArraySlice<CaptionPair> {
    let bursts = fields[field]
    while index < bursts.count, bursts[index].frame + Int64(bursts[index].pairs.count) <= start { index += 1 }
    guard index < bursts.count, bursts[index].frame <= start else { return [] }
    let first = Int(clamping: start - bursts[index].frame)
    let last = min(bursts[index].pairs.count, Int(clamping: end - bursts[index].frame))
    return bursts[index].pairs[first..<max(first, last)]
  }
}

extension CaptionSampleSchedule.Samples {
  /// Adds a sample for each pair, or one sample without a pair if there are no pairs. Pairs are in consecutive frames.
  /// The last sample lasts until the end of `duration`. If it would be too long, samples without pairs follow it.
  fileprivate mutating func add(
    _ first: ArraySlice<CaptionPair>, _ second: ArraySlice<CaptionPair>, duration: UInt64
  ) {
    let (first, second) = (Array(first), Array(second))
    let count = max(first.count, second.count)
    var rest = duration
    var index = 0
    while rest > 0 {
      let isLast = index + 1 >= count
      let part = min(rest, isLast ? UInt64(Sample.longestDuration) : UInt64(CaptionTrackEncoder.ticksPerFrame))
      var writer = ByteWriter()
      writer.atom("cdat") { Self.write(index < first.count ? first[index] : .null, to: &$0) }
      if index < second.count { writer.atom("cdt2") { Self.write(second[index], to: &$0) } }
      data += writer.bytes
      sizes.append(UInt32(clamping: writer.bytes.count))
      durationRuns.add(UInt32(clamping: part))
      rest -= part
      index += 1
    }
  }

  private static func write(_ pair: CaptionPair, to writer: inout ByteWriter) {
    let pair = pair.withOddParity
    writer.write(pair.first)
    writer.write(pair.second)
  }
}
