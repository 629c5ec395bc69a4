import MovieBox

/// The key pictures that all variants show at the same times.
///
/// A player changes between variants where segments begin. Encoders place key pictures where the scene changes, or at
/// other distances in each variant; where each variant alone would be cut at pictures that others lack, all are cut at
/// pictures that all have.
struct CommonKeyPictures {
  private let leads: [ReferenceTrack]
  /// The common key pictures of each variant, in time order. All arrays have the same count.
  private let samples: [[KeySample]]
  /// All key pictures of each variant.
  private let all: [[KeySample]]

  /// The factor by which a segment may exceed the requested duration, or the longest segment of a variant cut alone.
  private static let longestFactor: Int64 = 2
  /// The most key pictures of all variants together. A picture without a table of key pictures counts as one, and a film
  /// of 3 hours has 260 000 of those.
  private static let countLimit = 2_000_000

  /// Finds the key pictures of the variants. Throws `.limit` for more than two million.
  init(_ leads: [ReferenceTrack]) throws(MovieError) {
    self.leads = leads
    var all: [[KeySample]] = []
    var count = 0
    for lead in leads {
      var (found, last): ([KeySample], Int64) = ([], lead.times.boundaries[0])
      try lead.streamed.forEachKeySample { sample throws(MovieError) in
        guard sample.time > last else { return }
        count += 1
        guard count <= Self.countLimit else {
          throw MovieError(
            .limit,
            "the movies have more than \(Self.countLimit) key pictures together, too many to find those that all have: "
              + "encode the movies with key frames at the same times")
        }
        found.append(sample)
        last = sample.time
      }
      all.append(found)
    }
    self.all = all
    // Rows of indices: a key picture of the first variant, and its matches in the variants compared so far.
    var places = all[0].indices.map { [$0] }
    for (lead, own) in zip(leads, all).dropFirst() {
      var next = 0
      places = places.compactMap { row in
        let time = leads[0].microseconds(of: all[0][row[0]])
        while next < own.count, lead.microseconds(of: own[next]) + lead.toleranceInMicroseconds < time { next += 1 }
        guard next < own.count, lead.microseconds(of: own[next]) <= time + lead.toleranceInMicroseconds else {
          return nil
        }
        return row + [next]
      }
    }
    samples = all.indices.map { variant in places.map { all[variant][$0[variant]] } }
  }

  /// The variants, cut at pictures that all have, or `nil` if segments would be much longer than
  /// in each variant alone.
  func leads(_ options: StreamOptions, _ cut: (ReferenceTrack, SegmentCuts) throws -> ReferenceTrack) rethrows
    -> [ReferenceTrack]?
  {
    let first = leads[0]
    var search = first.search(segmentMilliseconds: options.segmentMilliseconds)
    let chosen = samples[0].indices.filter { search.isCut(at: samples[0][$0]) }
    let cutLeads = try zip(leads, samples).map { lead, own in
      try cut(lead, SegmentCuts(at: chosen.map { own[$0] }))
    }
    let longestAlone = leads.map(\.longestSegmentInMilliseconds).max() ?? 0
    let limit = Self.limit(Int64(options.segmentMilliseconds), longestAlone)
    return cutLeads.contains { $0.longestSegmentInMilliseconds > limit } ? nil : cutLeads
  }

  private static func limit(_ milliseconds: Int64, _ longestAlone: Int64) -> Int64 {
    max(longestAlone, milliseconds).multipliedReportingOverflow(by: longestFactor).partialValue  // Days at most.
  }

  /// The smallest number of whole seconds for segments of variants that ``leads(_:_:)`` cuts, or `nil` if there is none up
  /// to a minute.
  var smallestDuration: Int? { (1...60).first { longestSegment(seconds: $0) != nil } }

  /// The number of whole seconds that makes the longest segment shortest, and that segment in milliseconds; the largest
  /// such number, for it makes the fewest segments.
  var durationOfShortestSegments: (duration: Int, milliseconds: Int64)? {
    var best: (duration: Int, milliseconds: Int64)?
    for seconds in 1...60 {
      guard let longest = longestSegment(seconds: seconds), longest <= best?.milliseconds ?? .max else { continue }
      best = (seconds, longest)
    }
    return best
  }

  /// The longest segment, in milliseconds, if segments of so many seconds begin at common key pictures; or `nil` if it is
  /// much longer than in each variant alone.
  private func longestSegment(seconds: Int) -> Int64? {
    guard !samples[0].isEmpty else { return nil }
    let longest = zip(leads, samples).map { $0.longestSegment(cutAt: $1, seconds: seconds) }.max() ?? 0
    let alone = zip(leads, all).map { $0.longestSegment(cutAt: $1, seconds: seconds) }.max() ?? 0
    return longest <= Self.limit(Int64(seconds) * 1_000, alone) ? longest : nil
  }
}

extension ReferenceTrack {
  /// A search for the pictures that begin segments of so many milliseconds.
  fileprivate func search(segmentMilliseconds: Int) -> CutSearch {
    CutSearch(
      streamed, interval: Self.interval(segmentMilliseconds, scale: streamed.timeline.timeScale),
      start: times.boundaries[0])
  }

  /// When a picture is shown, from the start of the programme.
  fileprivate func microseconds(of sample: KeySample) -> UInt64 {
    times.microseconds(sample.time, scale: streamed.timeline.timeScale)
  }

  /// The longest segment.
  var longestSegmentInMilliseconds: Int64 {
    Self.longest((0...times.segmentCount).map { times.microseconds(ofBoundary: $0) })
  }

  /// The longest segment, in milliseconds, if segments of so many seconds begin at some of these pictures.
  fileprivate func longestSegment(cutAt pictures: [KeySample], seconds: Int) -> Int64 {
    var search = search(segmentMilliseconds: seconds * 1_000)
    let cuts = pictures.filter { search.isCut(at: $0) }.map { microseconds(of: $0) }
    return Self.longest(
      [times.microseconds(ofBoundary: 0)] + cuts + [times.microseconds(ofBoundary: times.segmentCount)])
  }

  private static func longest(_ starts: [UInt64]) -> Int64 {
    zip(starts, starts.dropFirst()).map { Int64(clamping: ($1 - min($0, $1)) / 1_000) }.max() ?? 0
  }
}

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
