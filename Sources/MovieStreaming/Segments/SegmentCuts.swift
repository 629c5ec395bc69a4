import MovieBox

/// A sample that can be decoded alone, after the first of its track.
struct KeySample: Sendable {
  let index: Int
  /// When it is shown, in ticks of the movie's time.
  let time: Int64
  let duration: Int64
}

/// Where segments begin, as a track that leads has it: all others are cut at the same times.
///
/// Worked out from the samples that can be decoded alone, before any track is cut: so tracks are cut beside one another.
struct SegmentCuts: Sendable {
  /// The numbers of the samples that begin segments after the first.
  private(set) var samples: [Int] = []
  /// When each of them is shown, in ticks of the movie's time.
  private(set) var boundaries: [Int64] = []

  /// Cuts at these samples, which are in the order of their times.
  init(at samples: [KeySample]) {
    self.samples = samples.map(\.index)
    boundaries = samples.map(\.time)
  }

  /// Cuts at the first sample that can be decoded alone and is shown at, or half a picture before, a multiple of so many
  /// ticks after the start.
  init(_ lead: StreamedTrack, interval: Int64, start: Int64, atMost limit: Int) throws(MovieError) {
    var search = CutSearch(lead, interval: interval, start: start)
    try lead.forEachKeySample { sample throws(MovieError) in
      guard search.isCut(at: sample) else { return }
      guard samples.count < limit else { throw MovieError(.limit, "more than \(limit) segments of all tracks") }
      samples.append(sample.index)
      boundaries.append(sample.time)
    }
  }
}

/// Chooses the samples that begin segments among those that could, one after the other.
struct CutSearch {
  private let isPicture: Bool
  private let interval: Int64
  private let start: Int64
  /// Which multiple of the interval the next segment is to begin at.
  private var nextBoundary: Int64 = 1
  private var last: Int64

  init(_ lead: StreamedTrack, interval: Int64, start: Int64) {
    isPicture = lead.track.mediaType == .video
    (self.interval, self.start, last) = (interval, start, start)
  }

  /// Whether a segment begins with the next sample.
  mutating func isCut(at sample: KeySample) -> Bool {
    let target = start.addingClamped(interval.multipliedReportingOverflow(by: nextBoundary).partialValue)
    // A picture may come half a frame early; of sound, the sample that plays at that time.
    let (time, duration) = (sample.time, sample.duration)
    let isReached = isPicture ? time.addingClamped(duration / 2) >= target : time.addingClamped(duration) > target
    // A hostile movie may show a key picture before the last cut: it begins no segment.
    guard isReached, time > last else { return false }
    last = time
    let end = time.addingClamped(isPicture ? duration / 2 : duration - 1)
    let passed = end.addingClamped(start == .min ? .max : -start) / interval
    nextBoundary = max(nextBoundary, passed).addingClamped(1)
    return true
  }
}

extension StreamedTrack {
  /// Calls `body` with each sample after the first that can be decoded alone.
  func forEachKeySample(_ body: (KeySample) throws(MovieError) -> Void) throws(MovieError) {
    func visit(_ index: Int, _ mediaTime: Int64, _ duration: UInt32) throws(MovieError) {
      guard index > timeline.samples.lowerBound, index < timeline.samples.upperBound else { return }
      try body(
        KeySample(
          index: index, time: mediaTime.addingClamped(timeline.shift),
          duration: Int64(timeline.duration(duration, ofSample: index))))
    }
    if samples.hasFragmentSamples {
      for sample in samples.samples where sample.isSync {
        try visit(sample.index, sample.presentationTime, sample.duration)
      }
    } else {
      try samples.table.samples.forEachSync(of: samples.tableSampleCount) { index, time, duration throws(MovieError) in
        try visit(index, time, duration)
      }
    }
  }
}
