import Subtitles

/// Distributes the bursts of both fields over the frames of a movie, and writes them as samples of `c608`.
struct CaptionSampleSchedule {
  /// The number of whole frames in the movie.
  let endFrame: Int64
  /// The bursts of the fields, in order. The bursts of a field do not overlap.
  private var fields: [[CaptionBurst]] = [[], []]
  /// The number of captions that appear later than in the file, their longest delay in frames, and the line of the
  /// first of them.
  private var delays = (count: 0, longest: Int64(0), firstLine: 0)

  /// Deviations up to this number of frames are not reported. Frames of other rates begin between frames of 29.97.
  private static let toleratedDelay: Int64 = 1

  init(endFrame: Int64) {
    self.endFrame = endFrame
  }

  /// Adds the bursts of a field. A burst is delayed until the previous burst is sent.
  ///
  /// Bursts before the movie are omitted unless they load or show the caption at the movie's start. The remaining
  /// bursts are sent from the first frame on.
  mutating func add(_ bursts: [CaptionBurst], field: Int) {
    var next: Int64 = 0
    for burst in bursts[Self.firstIndex(of: bursts)...] {
      var burst = burst
      let delay = max(0, next - burst.frame)
      burst.frame = max(burst.frame, next)
      guard burst.frame < endFrame else { break }
      if delay > Self.toleratedDelay, burst.change == .show || burst.change == .write {
        if delays.count == 0 { delays.firstLine = burst.line }
        (delays.count, delays.longest) = (delays.count + 1, max(delays.longest, delay))
      }
      // The number of remaining frames bounds the pairs, so the sum cannot overflow.
      let room = Int(clamping: endFrame - burst.frame)
      if burst.pairs.count > room { burst.pairs.removeLast(burst.pairs.count - room) }
      next = burst.frame + Int64(burst.pairs.count)
      fields[field].append(burst)
    }
  }

  /// Adds a notice about captions that are later than in the file.
  func addNotices(to notices: inout NoticeList) {
    guard delays.count > 0 else { return }
    let milliseconds = CaptionFrameRate.line21.milliseconds(ofFrame: delays.longest)
    notices.add(
      .delayedCaptions, "track", line: delays.firstLine,
      "\(counted(delays.count, "caption")) of the file \(delays.count == 1 ? "appears" : "appear") later, by up to \(milliseconds) ms, because the pairs "
        + "before them take the time")
  }

  /// Returns the index of the first burst that affects the movie.
  private static func firstIndex(of bursts: [CaptionBurst]) -> Int {
    let inside = bursts.firstIndex { $0.frame >= 0 } ?? bursts.endIndex
    var (isErased, isShown) = (false, false)
    for index in bursts[..<inside].indices.reversed() {
      switch bursts[index].change {
      case .show:
        // This caption is replaced or erased before the movie. This burst and the erasures directly after it are
        // therefore omitted.
        if isErased || isShown { return bursts[(index + 1)...].firstIndex { $0.change != .erase } ?? bursts.endIndex }
        isShown = true
      case .erase: isErased = isErased || !isShown
      case .write: return index
      case .load, nil: break
      }
    }
    return bursts.startIndex
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

  /// Returns the pairs of a field in a range of frames. `index` is the burst that may overlap the range, and advances.
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
      let part = min(rest, isLast ? UInt64(TimedSample.longestDuration) : UInt64(CaptionTrackEncoder.ticksPerFrame))
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
    writer.write(pair.first)
    writer.write(pair.second)
  }
}
