import MovieBox

/// The samples of a track that a presentation has: those that its edit list shows, and those that are needed to decode
/// them.
struct SampleSelection {
  /// Their numbers, in the order of decoding.
  let numbers: Range<Int>
  /// When the first of them is decoded, in media ticks.
  let firstDecodeTime: UInt64
  /// When the first of them is shown, where the selection begins with a sample that was chosen; `nil` for the first
  /// sample of the track.
  let firstPresentationTime: Int64?
  let firstDuration: UInt32
  /// When the last of them ends by decode times.
  let decodeEnd: UInt64
  /// When the last of them is no longer shown.
  let presentationEnd: Int64
  /// How long the last of them lasts, where that is not what the movie says.
  let lastDuration: UInt32?

  /// The part of the media that is wanted, in media ticks.
  struct Wanted {
    /// The first moment; `nil` for all samples from the first one on.
    var start: Int64?
    /// The end; `nil` for all samples up to the last one.
    var end: Int64?
    /// The end of the edits, which the last sample must not pass; `nil` where nothing says it.
    var endOfLast: Int64?
    /// Whether the duration of the last sample makes no sense.
    var correctsLast = false
  }

  /// Chooses samples; `nil` where none is wanted. Costs two walks over the samples.
  ///
  /// Begins with the last sample before the wanted start that can be decoded alone; a picture may come half its
  /// duration later, for times of edits are rounded. Ends with the last sample that is shown before the wanted end, and
  /// those of later pictures that are decoded before it, without a gap.
  init?(of track: FragmentedTrack, _ wanted: Wanted, isPicture: Bool) throws(MovieError) {
    var (first, chosen): (Sample?, Sample?) = (nil, nil)
    var tail = Tail()
    try track.forEachSample { sample throws(MovieError) in
      if first == nil { first = sample }
      let time = sample.presentationTime
      if let start = wanted.start, sample.isSync {
        if time <= start.addingClamped(isPicture ? Int64(sample.duration) / 2 : 0) { chosen = sample }
      }
      if let end = wanted.end { tail.add(time, of: sample.index, end: end) }
    }
    guard let start = chosen ?? first else { return nil }
    let count = wanted.end == nil ? track.sampleCount : isPicture ? tail.closedCount : tail.neededCount
    guard start.index < count else { return nil }
    numbers = start.index..<count
    firstDecodeTime = start.decodeTime
    firstPresentationTime = chosen?.presentationTime
    firstDuration = start.duration

    let numbers = numbers
    var closing = Closing()
    try track.forEachSample { sample throws(MovieError) in
      if numbers.contains(sample.index) { closing.add(sample) }
    }
    let correctsLast = count == track.sampleCount ? wanted.correctsLast : closing.isLastLonger
    lastDuration = correctsLast ? closing.lastDuration(endingAt: wanted.endOfLast) : nil
    (decodeEnd, presentationEnd) = closing.ends(lastDuration: lastDuration)
  }

  /// The samples from the first one on that is shown at the wanted end or later.
  private struct Tail {
    /// How many samples, counted from the first of the track, have all that are shown before the end.
    private(set) var neededCount = 0
    private var firstIndex = 0
    private var times: [Int64] = []

    mutating func add(_ time: Int64, of index: Int, end: Int64) {
      if time < end { neededCount = index + 1 }
      if times.isEmpty, time < end { return }
      if times.isEmpty { firstIndex = index }
      times.append(time)
    }

    /// ``neededCount``, and more where pictures that are shown between these come later in the order of decoding.
    var closedCount: Int {
      let needed = neededCount - firstIndex
      guard needed > 0, needed < times.count else { return neededCount }
      var earliest = times  // Of each and all that follow it.
      for index in (needed..<times.count - 1).reversed() { earliest[index] = min(earliest[index], earliest[index + 1]) }
      var latest = times[..<needed].max() ?? .min
      for index in needed..<times.count {
        if latest < earliest[index] { return firstIndex + index }
        latest = max(latest, times[index])
      }
      return firstIndex + times.count
    }
  }

  /// When samples end.
  private struct Closing {
    private var last: Sample?
    /// The duration of the last sample before ``last`` that lasts some time.
    private var durationBefore: UInt32 = 0
    /// The latest start and the latest end of those before it.
    private var start = Int64.min
    private var end = Int64.min

    mutating func add(_ sample: Sample) {
      if let last {
        if last.duration > 0 { durationBefore = last.duration }
        start = max(start, last.presentationTime)
        end = max(end, last.presentationTime.addingClamped(Int64(last.duration)))
      }
      last = sample
    }

    /// Whether the last sample lasts longer than those before it, as a slide does.
    var isLastLonger: Bool { (last?.duration ?? 0) > durationBefore }

    /// As long as the sample before it; up to the end of the edits, where it reaches past that.
    func lastDuration(endingAt editEnd: Int64?) -> UInt32? {
      guard let last else { return nil }
      let isShownLast = last.presentationTime >= start
      guard last.duration > 0, isShownLast, let editEnd, editEnd > last.presentationTime else {
        return durationBefore > 0 ? durationBefore : nil
      }
      return min(last.duration, UInt32(clamping: editEnd.addingClamped(-last.presentationTime)))
    }

    func ends(lastDuration: UInt32?) -> (decoding: UInt64, presentation: Int64) {
      guard let last else { return (0, 0) }
      let duration = lastDuration ?? last.duration
      return (
        last.decodeTime.addingClamped(UInt64(duration)),
        max(end, last.presentationTime.addingClamped(Int64(duration)))
      )
    }
  }
}

extension FragmentedTrack {
  /// Calls `body` with each sample, in the order of the file.
  func forEachSample(_ body: (Sample) throws(MovieError) -> Void) throws(MovieError) {
    if hasFragmentSamples {
      for sample in samples { try body(sample) }
    } else {
      try table.samples.forEach(body)
    }
  }
}

/// How many pictures a second a track has at most (RFC 8216, 4.3.4.2).
struct FrameRate: Hashable, Sendable {
  let framesPerThousandSeconds: UInt64

  /// That of a track of pictures; `nil` where its times say none.
  ///
  /// The rate of the whole track, but where some second has more by a twentieth: that of the second then. Times are
  /// rounded to ticks, so that two pictures alone say little. Costs a walk over the samples of a track whose times vary all
  /// the time.
  init?(of streamed: StreamedTrack) {
    let (samples, scale) = (streamed.samples, UInt64(streamed.timeline.timeScale))
    let numbers = streamed.timeline.samples
    guard let average = Self.rate(UInt64(numbers.count), scale, streamed.timeline.mediaDuration) else {
      return nil
    }
    let isWhole = numbers == 0..<samples.sampleCount
    let fastest = isWhole ? Self.rateOfFastestRun(samples, scale) : nil
    let most = fastest ?? Self.rateOfBusiestSecond(numbers, of: samples, scale)
    let isVariable = most.map { $0 > average.addingClamped(average / 20) } ?? false
    framesPerThousandSeconds = isVariable ? most ?? average : average
  }

  /// That of the run with the shortest samples, where it lasts a second: no second has more of them then, and none has to
  /// be walked. `nil` where it is shorter.
  private static func rateOfFastestRun(_ samples: FragmentedTrack, _ scale: UInt64) -> UInt64? {
    guard !samples.hasFragmentSamples else { return nil }
    var left = UInt64(samples.tableSampleCount)
    var fastest = (duration: UInt64.max, lastsSecond: false)
    for run in samples.table.timeToSample where left > 0 {
      let (count, duration) = (min(UInt64(run.sampleCount), left), UInt64(run.duration))
      left -= count
      guard count > 0, duration <= fastest.duration else { continue }
      let lastsSecond = count * duration >= scale  // Of 32 bits each.
      fastest = (duration, lastsSecond || duration == fastest.duration && fastest.lastsSecond)
    }
    return left == 0 && fastest.lastsSecond ? rate(1, scale, fastest.duration) : nil
  }

  private static func rate(_ count: UInt64, _ scale: UInt64, _ duration: UInt64) -> UInt64? {
    let product = count.multipliedFullWidth(by: scale * 1_000)  // A scale has 32 bits.
    guard duration > product.high else { return nil }
    let (quotient, rest) = duration.dividingFullWidth((product.high, product.low))
    let rate = quotient.addingClamped(rest >= duration - rest ? 1 : 0)
    return rate > 0 ? rate : nil
  }

  /// `nil` for less than a second.
  private static func rateOfBusiestSecond(
    _ numbers: Range<Int>, of samples: FragmentedTrack, _ scale: UInt64
  ) -> UInt64? {
    var first = samples.samples.lazy.filter { numbers.contains($0.index) }.makeIterator()
    var (count, duration, most): (UInt64, UInt64, UInt64?) = (0, 0, nil)
    for sample in samples.samples where numbers.contains(sample.index) {
      count &+= 1
      duration &+= UInt64(sample.duration)  // Of samples that last a second, and one more.
      while duration >= scale, let start = first.next() {
        most = max(most ?? 0, rate(count, scale, duration) ?? 0)
        count &-= 1
        duration &-= UInt64(start.duration)
      }
    }
    return most
  }
}
