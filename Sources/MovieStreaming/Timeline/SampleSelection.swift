import MovieBox

/// The samples of a track that a presentation contains: the samples that the edit list shows, and the samples that are
/// needed to decode them.
///
/// Players disagree about edit lists in fragments. Samples that an edit list hides are therefore omitted, unless they
/// are needed to decode the first shown picture.
struct SampleSelection {
  /// The indices of the samples in decode order.
  let sampleIndices: Range<Int>
  /// The decode time of the first sample in media ticks.
  let firstDecodeTime: UInt64
  /// The presentation time of the sync sample with which the selection starts, or `nil` if it starts with the first
  /// sample of the track.
  let firstPresentationTime: Int64?
  let firstDuration: UInt32
  /// The decode time at which the last sample ends.
  let decodeEnd: UInt64
  /// The presentation time at which the last sample ends.
  let presentationEnd: Int64
  /// The corrected duration of the last sample, or `nil` if its duration in the movie is used.
  let lastDuration: UInt32?

  /// The range of media that must be selected, in media ticks.
  struct RequiredRange {
    /// The start, or `nil` to start with the first sample.
    var start: Int64?
    /// The end, or `nil` to end with the last sample.
    var end: Int64?
    /// The end of the edits, or `nil` if it is unknown. A corrected last sample does not extend past this time.
    var lastSampleEndLimit: Int64?
    /// Whether the duration of the last sample is implausible.
    var correctsLastDuration = false
  }

  /// Selects samples, or returns `nil` if no sample is required. Makes two passes over the samples.
  ///
  /// The selection starts with the last sync sample before the required start. Edit times are rounded, so a picture
  /// also counts if it is shown after the start by at most half of its duration. The selection ends with the last
  /// sample in decode order that is shown before the required end. Pictures that are decoded later but shown between
  /// selected pictures are added, so that there is no gap.
  init?(of track: FragmentedTrack, _ required: RequiredRange, isPicture: Bool) throws(MovieError) {
    var (firstSample, chosenSample): (Sample?, Sample?) = (nil, nil)
    var tail = Tail()
    try track.forEachSample { sample throws(MovieError) in
      if firstSample == nil { firstSample = sample }
      let time = sample.presentationTime
      if let start = required.start, sample.isSync {
        if time <= start.addingClamped(isPicture ? Int64(sample.duration) / 2 : 0) { chosenSample = sample }
      }
      if let end = required.end { tail.add(time, of: sample.index, end: end) }
    }
    guard let start = chosenSample ?? firstSample else { return nil }
    let count = required.end == nil ? track.sampleCount : isPicture ? tail.gaplessCount : tail.neededCount
    guard start.index < count else { return nil }
    sampleIndices = start.index..<count
    firstDecodeTime = start.decodeTime
    firstPresentationTime = chosenSample?.presentationTime
    firstDuration = start.duration

    let sampleIndices = sampleIndices
    var closing = SampleEnds()
    try track.forEachSample { sample throws(MovieError) in
      if sampleIndices.contains(sample.index) { closing.add(sample) }
    }
    let correctsLastDuration = count == track.sampleCount ? required.correctsLastDuration : closing.isLastLonger
    lastDuration = correctsLastDuration ? closing.lastDuration(endingAt: required.lastSampleEndLimit) : nil
    (decodeEnd, presentationEnd) = closing.ends(lastDuration: lastDuration)
  }

  /// The samples of a track, starting with the first sample that is shown at or after the required end.
  private struct Tail {
    /// The number of samples from the start of the track up to the last sample that is shown before the required end.
    private(set) var neededCount = 0
    private var firstIndex = 0
    private var times: [Int64] = []

    mutating func add(_ time: Int64, of index: Int, end: Int64) {
      if time < end { neededCount = index + 1 }
      if times.isEmpty, time < end { return }
      if times.isEmpty { firstIndex = index }
      times.append(time)
    }

    /// ``neededCount``, plus the number of later samples that are shown between the needed samples.
    var gaplessCount: Int {
      let needed = neededCount - firstIndex
      guard needed > 0, needed < times.count else { return neededCount }
      var earliest = times  // Each value is then the minimum of itself and all later values.
      for index in (needed..<times.count - 1).reversed() { earliest[index] = min(earliest[index], earliest[index + 1]) }
      var latest = times[..<needed].max() ?? .min
      for index in needed..<times.count {
        if latest < earliest[index] { return firstIndex + index }
        latest = max(latest, times[index])
      }
      return firstIndex + times.count
    }
  }

  /// The end times of samples.
  private struct SampleEnds {
    private var last: Sample?
    /// The last duration above 0 among the samples before ``last``.
    private var previousDuration: UInt32 = 0
    /// The latest start and the latest end of the samples before ``last``.
    private var start = Int64.min
    private var end = Int64.min

    mutating func add(_ sample: Sample) {
      if let last {
        if last.duration > 0 { previousDuration = last.duration }
        start = max(start, last.presentationTime)
        end = max(end, last.presentationTime.addingClamped(Int64(last.duration)))
      }
      last = sample
    }

    /// Whether the last sample has a longer duration than the sample before it. An example is a slide.
    var isLastLonger: Bool { (last?.duration ?? 0) > previousDuration }

    /// Returns the corrected duration of the last sample. The sample lasts at most until the edits end. If their end is
    /// unknown or precedes the sample, it lasts as long as the previous sample.
    func lastDuration(endingAt editEnd: Int64?) -> UInt32? {
      guard let last else { return nil }
      let isShownLast = last.presentationTime >= start
      guard last.duration > 0, isShownLast, let editEnd, editEnd > last.presentationTime else {
        return previousDuration > 0 ? previousDuration : nil
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
  /// Calls `body` with each sample in file order.
  func forEachSample(_ body: (Sample) throws(MovieError) -> Void) throws(MovieError) {
    if hasFragmentSamples {
      for sample in samples { try body(sample) }
    } else {
      try table.samples.forEach(body)
    }
  }
}

/// The highest number of pictures per second in a track (RFC 8216, 4.3.4.2).
struct FrameRate: Hashable, Sendable {
  let framesPerThousandSeconds: UInt64

  /// Computes the rate of a video track, or returns `nil` if the times do not determine a rate.
  ///
  /// The result is the average rate of the track. If the rate in any second exceeds the average by more than a
  /// twentieth, the result is the rate in that second. The distance between two pictures is not precise enough to
  /// compute a rate, because times are rounded to ticks. Makes a pass over the samples if durations vary throughout the
  /// track.
  init?(of streamed: StreamedTrack) {
    let (samples, scale) = (streamed.samples, UInt64(streamed.timeline.timeScale))
    let numbers = streamed.timeline.samples
    guard let average = Self.rate(UInt64(numbers.count), scale, streamed.timeline.mediaDuration) else {
      return nil
    }
    let isWhole = numbers == 0..<samples.sampleCount
    let fastest = isWhole ? Self.rateOfFastestRun(samples, scale) : nil
    let highestRate = fastest ?? Self.rateOfBusiestSecond(numbers, of: samples, scale)
    let isVariable = highestRate.map { $0 > average.addingClamped(average / 20) } ?? false
    framesPerThousandSeconds = isVariable ? highestRate ?? average : average
  }

  /// Returns the rate of the run with the shortest samples, or `nil` if the run lasts less than a second. No second can
  /// contain more samples than a second of this run, so the samples need not be read.
  private static func rateOfFastestRun(_ samples: FragmentedTrack, _ scale: UInt64) -> UInt64? {
    guard !samples.hasFragmentSamples else { return nil }
    var remainingCount = UInt64(samples.tableSampleCount)
    var fastest = (duration: UInt64.max, lastsSecond: false)
    for run in samples.table.timeToSample where remainingCount > 0 {
      let (count, duration) = (min(UInt64(run.sampleCount), remainingCount), UInt64(run.duration))
      remainingCount -= count
      guard count > 0, duration <= fastest.duration else { continue }
      let lastsSecond = count * duration >= scale  // Both factors have 32 bits.
      fastest = (duration, lastsSecond || duration == fastest.duration && fastest.lastsSecond)
    }
    return remainingCount == 0 && fastest.lastsSecond ? rate(1, scale, fastest.duration) : nil
  }

  private static func rate(_ count: UInt64, _ scale: UInt64, _ duration: UInt64) -> UInt64? {
    let product = count.multipliedFullWidth(by: scale * 1_000)  // A scale has 32 bits.
    guard duration > product.high else { return nil }
    let (quotient, rest) = duration.dividingFullWidth((product.high, product.low))
    let rate = quotient.addingClamped(rest >= duration - rest ? 1 : 0)
    return rate > 0 ? rate : nil
  }

  /// Returns the highest rate in any second, or `nil` for a track shorter than a second.
  private static func rateOfBusiestSecond(
    _ numbers: Range<Int>, of samples: FragmentedTrack, _ scale: UInt64
  ) -> UInt64? {
    var first = samples.samples.lazy.filter { numbers.contains($0.index) }.makeIterator()
    var (count, duration, highestRate): (UInt64, UInt64, UInt64?) = (0, 0, nil)
    for sample in samples.samples where numbers.contains(sample.index) {
      count &+= 1
      duration &+= UInt64(sample.duration)  // The sum is little more than a second.
      while duration >= scale, let start = first.next() {
        highestRate = max(highestRate ?? 0, rate(count, scale, duration) ?? 0)
        count &-= 1
        duration &-= UInt64(start.duration)
      }
    }
    return highestRate
  }
}
