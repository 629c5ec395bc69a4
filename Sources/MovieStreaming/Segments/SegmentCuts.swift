import MovieBox

/// Where segments begin, as a track that leads has it: all others are cut at the same times.
///
/// Worked out from the samples that can be decoded alone, before any track is cut: so tracks are cut beside one another.
struct SegmentCuts: Sendable {
  /// The numbers of the samples that begin segments after the first.
  private(set) var samples: [Int] = []
  /// When each of them is shown, in ticks of the movie's time.
  private(set) var boundaries: [Int64] = []

  private let isPicture: Bool
  private let timeline: TrackTimeline
  private let interval: Int64
  private let start: Int64
  /// Which multiple of the interval the next segment is to begin at.
  private var nextBoundary: Int64 = 1

  /// Cuts at the first sample that can be decoded alone and is shown at, or half a picture before, a multiple of so many
  /// ticks after the start.
  init(_ lead: StreamedTrack, interval: Int64, start: Int64, atMost limit: Int) throws(MovieError) {
    isPicture = lead.track.mediaType == .video
    timeline = lead.timeline
    self.interval = interval
    self.start = start
    if lead.samples.hasFragmentSamples {
      for sample in lead.samples.samples where sample.isSync {
        try look(at: sample.index, shownAt: sample.presentationTime, for: sample.duration, limit)
      }
    } else {
      let samples = lead.samples
      try samples.table.samples.forEachSync(of: samples.tableSampleCount) { index, time, duration throws(MovieError) in
        try look(at: index, shownAt: time, for: duration, limit)
      }
    }
  }

  private mutating func look(
    at index: Int, shownAt mediaTime: Int64, for duration: UInt32, _ limit: Int
  ) throws(MovieError) {
    guard index > timeline.samples.lowerBound, index < timeline.samples.upperBound else { return }
    let time = mediaTime.addingClamped(timeline.shift)
    let duration = Int64(timeline.duration(duration, ofSample: index))
    let target = start.addingClamped(interval.multipliedReportingOverflow(by: nextBoundary).partialValue)
    // A picture may come half a frame early; of sound, the sample that plays at that time.
    let isReached = isPicture ? time.addingClamped(duration / 2) >= target : time.addingClamped(duration) > target
    // One that is shown before what begins the last segment, as in no movie but a hostile one, begins none.
    guard isReached, time > boundaries.last ?? start else { return }
    guard samples.count < limit else { throw MovieError(.limit, "more than \(limit) segments of all tracks") }
    samples.append(index)
    boundaries.append(time)
    let end = time.addingClamped(isPicture ? duration / 2 : duration - 1)
    let passed = end.addingClamped(start == .min ? .max : -start) / interval
    nextBoundary = max(nextBoundary, passed).addingClamped(1)
  }
}
