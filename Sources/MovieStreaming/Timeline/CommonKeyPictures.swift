import MovieBox

/// The key pictures that all variants show at the same times.
///
/// A player changes between variants at segment boundaries, so all variants need the same boundaries. But encoders may
/// place key pictures at different times in each variant. All variants are then cut only at key pictures that they have
/// in common.
struct CommonKeyPictures {
  private let references: [ReferenceTrack]
  /// The common key pictures of each variant, in time order. All variants have the same number of common key pictures.
  private let commonKeyPictures: [[KeySample]]
  /// All key pictures of each variant.
  private let allKeyPictures: [[KeySample]]

  /// The largest accepted length of a segment, as a multiple of the requested duration or of the longest segment of
  /// independently cut variants, whichever is longer.
  private static let segmentLengthFactor: Int64 = 2
  /// The largest number of key pictures in all variants together. In a track without a sync sample table, every picture
  /// is a key picture, and a film of 3 hours has 260 000 pictures.
  private static let countLimit = 2_000_000

  /// Finds the key pictures of the variants. Throws `.limit` if there are more than two million.
  init(_ references: [ReferenceTrack]) throws(MovieError) {
    self.references = references
    var allKeyPictures: [[KeySample]] = []
    var count = 0
    for reference in references {
      var (found, last): ([KeySample], Int64) = ([], reference.times.boundaries[0])
      try reference.streamed.forEachKeySample { sample throws(MovieError) in
        guard sample.time > last else { return }
        count += 1
        guard count <= Self.countLimit else {
          throw MovieError(
            .limit,
            "the movies have a total of more than \(Self.countLimit) key pictures, which is too many to compare; "
              + "encode the movies with key frames at the same times")
        }
        found.append(sample)
        last = sample.time
      }
      allKeyPictures.append(found)
    }
    self.allKeyPictures = allKeyPictures
    // Each row contains the index of a key picture in the first variant, and the indices of the matching key pictures
    // in the variants compared so far.
    var rows = allKeyPictures[0].indices.map { [$0] }
    for (reference, own) in zip(references, allKeyPictures).dropFirst() {
      var next = 0
      rows = rows.compactMap { row in
        let time = references[0].microseconds(of: allKeyPictures[0][row[0]])
        while next < own.count, reference.microseconds(of: own[next]) + reference.toleranceInMicroseconds < time {
          next += 1
        }
        guard next < own.count, reference.microseconds(of: own[next]) <= time + reference.toleranceInMicroseconds else {
          return nil
        }
        return row + [next]
      }
    }
    commonKeyPictures = allKeyPictures.indices.map { variant in rows.map { allKeyPictures[variant][$0[variant]] } }
  }

  /// Returns the variants, cut at common key pictures. Returns `nil` if their longest segment would be much longer than
  /// the longest segment of independently cut variants.
  func cutReferenceTracks(_ options: StreamOptions, _ cut: (ReferenceTrack, SegmentCuts) throws -> ReferenceTrack)
    rethrows
    -> [ReferenceTrack]?
  {
    let first = references[0]
    var search = first.search(segmentMilliseconds: options.segmentMilliseconds)
    let cutIndices = commonKeyPictures[0].indices.filter { search.isCut(at: commonKeyPictures[0][$0]) }
    let cutReferences = try zip(references, commonKeyPictures).map { reference, own in
      try cut(reference, SegmentCuts(at: cutIndices.map { own[$0] }))
    }
    let longestAlone = references.map(\.longestSegmentInMilliseconds).max() ?? 0
    let limit = Self.longestAcceptedSegment(Int64(options.segmentMilliseconds), longestAlone)
    return cutReferences.contains { $0.longestSegmentInMilliseconds > limit } ? nil : cutReferences
  }

  private static func longestAcceptedSegment(_ milliseconds: Int64, _ longestAlone: Int64) -> Int64 {
    max(longestAlone, milliseconds).multipliedReportingOverflow(by: segmentLengthFactor).partialValue  // Days at most.
  }

  /// The shortest segment duration, from 1 to 60 seconds, for which ``cutReferenceTracks(_:_:)`` returns variants, or
  /// `nil` if there is none.
  var shortestUsableSegmentDuration: Int? { (1...60).first { longestSegment(seconds: $0) != nil } }

  /// The segment duration in whole seconds that makes the longest segment as short as possible, and the length of that
  /// segment. If several durations are equally good, this is the largest, because it results in the fewest segments.
  var bestSegmentDuration: (duration: Int, milliseconds: Int64)? {
    var bestGroup: (duration: Int, milliseconds: Int64)?
    for seconds in 1...60 {
      guard let longest = longestSegment(seconds: seconds), longest <= bestGroup?.milliseconds ?? .max else { continue }
      bestGroup = (seconds, longest)
    }
    return bestGroup
  }

  /// Returns the length in milliseconds of the longest segment if the variants are cut every `seconds` seconds at
  /// common key pictures. Returns `nil` if that segment is much longer than the longest segment of independently cut
  /// variants.
  private func longestSegment(seconds: Int) -> Int64? {
    guard !commonKeyPictures[0].isEmpty else { return nil }
    let longestCommonSegment =
      zip(references, commonKeyPictures).map { $0.longestSegment(cutAt: $1, seconds: seconds) }.max() ?? 0
    let longestOwnSegment =
      zip(references, allKeyPictures).map { $0.longestSegment(cutAt: $1, seconds: seconds) }.max() ?? 0
    return longestCommonSegment <= Self.longestAcceptedSegment(Int64(seconds) * 1_000, longestOwnSegment)
      ? longestCommonSegment : nil
  }
}

extension ReferenceTrack {
  /// Returns a search for the pictures at which segments of this duration start.
  fileprivate func search(segmentMilliseconds: Int) -> CutSearch {
    CutSearch(
      streamed, interval: Self.interval(segmentMilliseconds, scale: streamed.timeline.timeScale),
      start: times.boundaries[0])
  }

  /// Returns the time of a picture from the start of the presentation.
  fileprivate func microseconds(of sample: KeySample) -> UInt64 {
    times.microseconds(sample.time, scale: streamed.timeline.timeScale)
  }

  /// The duration of the longest segment.
  var longestSegmentInMilliseconds: Int64 {
    Self.longestDistance(between: (0...times.segmentCount).map { times.microseconds(ofBoundary: $0) })
  }

  /// Returns the length in milliseconds of the longest segment if the track is cut every `seconds` seconds at these
  /// pictures.
  fileprivate func longestSegment(cutAt pictures: [KeySample], seconds: Int) -> Int64 {
    var search = search(segmentMilliseconds: seconds * 1_000)
    let cuts = pictures.filter { search.isCut(at: $0) }.map { microseconds(of: $0) }
    return Self.longestDistance(
      between: [times.microseconds(ofBoundary: 0)] + cuts + [times.microseconds(ofBoundary: times.segmentCount)])
  }

  private static func longestDistance(between starts: [UInt64]) -> Int64 {
    zip(starts, starts.dropFirst()).map { Int64(clamping: ($1 - min($0, $1)) / 1_000) }.max() ?? 0
  }
}

/// A sync sample of a track, except the first sample.
struct KeySample: Sendable {
  let index: Int
  /// The presentation time in ticks on the movie's clock.
  let time: Int64
  let duration: Int64
}

/// The segment boundaries of a reference track. All other tracks are cut at the same times.
///
/// They are computed from the sync samples before any track is cut, so that tracks can be cut in parallel.
struct SegmentCuts: Sendable {
  /// The indices of the samples with which the segments begin. The first segment is not included.
  private(set) var samples: [Int] = []
  /// The presentation times of these samples, in ticks on the movie's clock.
  private(set) var boundaries: [Int64] = []

  /// Creates cuts at these samples, which must be in time order.
  init(at samples: [KeySample]) {
    self.samples = samples.map(\.index)
    boundaries = samples.map(\.time)
  }

  /// Cuts a track at sync samples. For each multiple of `interval` after the start, a segment begins with the first
  /// sync sample that is shown at that time or later. A sync sample that is at most half a picture early counts too.
  init(_ reference: StreamedTrack, interval: Int64, start: Int64, atMost limit: Int) throws(MovieError) {
    var search = CutSearch(reference, interval: interval, start: start)
    try reference.forEachKeySample { sample throws(MovieError) in
      guard search.isCut(at: sample) else { return }
      guard samples.count < limit else { throw MovieError(.limit, "the tracks have more than \(limit) segments") }
      samples.append(sample.index)
      boundaries.append(sample.time)
    }
  }
}

/// Decides for each sync sample, in order, whether it starts a segment.
struct CutSearch {
  private let isPicture: Bool
  private let interval: Int64
  private let start: Int64
  /// The multiple of the interval at which the next segment should start.
  private var nextBoundary: Int64 = 1
  private var lastCutTime: Int64

  init(_ reference: StreamedTrack, interval: Int64, start: Int64) {
    isPicture = reference.track.mediaType == .video
    (self.interval, self.start, lastCutTime) = (interval, start, start)
  }

  /// Whether a segment starts at this sample.
  mutating func isCut(at sample: KeySample) -> Bool {
    let target = start.addingClamped(interval.multipliedReportingOverflow(by: nextBoundary).partialValue)
    // A picture may start a segment if it is shown at most half its duration before the target time, or later. An audio
    // sample may start one if it ends after the target time.
    let (time, duration) = (sample.time, sample.duration)
    let isReached = isPicture ? time.addingClamped(duration / 2) >= target : time.addingClamped(duration) > target
    // A key picture of a hostile movie may be shown before the previous cut. Such a key picture starts no segment.
    guard isReached, time > lastCutTime else { return false }
    lastCutTime = time
    let end = time.addingClamped(isPicture ? duration / 2 : duration - 1)
    let passed = end.addingClamped(start == .min ? .max : -start) / interval
    nextBoundary = max(nextBoundary, passed).addingClamped(1)
    return true
  }
}

extension StreamedTrack {
  /// Calls `body` with each sync sample after the first sample.
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
