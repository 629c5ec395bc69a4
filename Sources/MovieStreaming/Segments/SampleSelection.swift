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
