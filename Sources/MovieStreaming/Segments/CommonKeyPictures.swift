import MovieBox

/// The key pictures that all variants show at the same times.
///
/// A player changes between variants where segments begin. Encoders place key pictures where the scene changes, or at
/// other distances in each variant; where each variant alone would be cut at pictures that others lack, all are cut at
/// pictures that all have.
struct CommonKeyPictures {
  private let leads: [LeadingTrack]
  /// Those of each variant, in the order of their times; as many of one as of another.
  private let samples: [[KeySample]]
  /// All key pictures of each variant.
  private let all: [[KeySample]]

  /// The longest that a segment may be beside what is asked for, and beside the longest of each variant alone.
  private static let longestFactor: Int128 = 2

  /// Reads the tables of the variants that say which pictures are key pictures.
  init(_ leads: [LeadingTrack]) throws(MovieError) {
    self.leads = leads
    var all: [[KeySample]] = []
    for lead in leads {
      var (found, last): ([KeySample], Int64) = ([], lead.times.boundaries[0])
      try lead.streamed.forEachKeySample { sample throws(MovieError) in
        guard sample.time > last else { return }
        found.append(sample)
        last = sample.time
      }
      all.append(found)
    }
    self.all = all
    // The places of those that are common to the first variant and all before this one, and of their partners.
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

  /// The variants, cut at pictures that all have; `nil` where segments would be much longer than in each alone.
  func leads(_ options: StreamOptions, _ cut: (LeadingTrack, SegmentCuts) throws -> LeadingTrack) rethrows
    -> [LeadingTrack]?
  {
    let first = leads[0]
    var search = first.search(segmentMilliseconds: options.segmentMilliseconds)
    let chosen = samples[0].indices.filter { search.isCut(at: samples[0][$0]) }
    let cutLeads = try zip(leads, samples).map { lead, own in
      try cut(lead, SegmentCuts(at: chosen.map { own[$0] }))
    }
    let longestAlone = leads.map(\.longestSegmentInMilliseconds).max() ?? 0
    let limit = Self.longestFactor * Int128(max(longestAlone, Int64(options.segmentMilliseconds)))
    return cutLeads.contains { Int128($0.longestSegmentInMilliseconds) > limit } ? nil : cutLeads
  }

  /// The least number of whole seconds that segments may last so that each variant alone is cut at common pictures;
  /// `nil` where no duration up to a minute does it.
  var smallestCommonDuration: Int? {
    (1...60).first { seconds in
      var cuts: [[UInt64]] = []
      for (lead, own) in zip(leads, all) {
        var search = lead.search(segmentMilliseconds: seconds * 1_000)
        cuts.append(own.filter { search.isCut(at: $0) }.map(lead.microseconds))
        guard let last = cuts.last, !last.isEmpty, last.count == cuts[0].count,
          zip(last, cuts[0]).allSatisfy({ max($0, $1) - min($0, $1) <= lead.toleranceInMicroseconds })
        else { return false }
      }
      return true
    }
  }
}

extension LeadingTrack {
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

  /// The longest of the segments that begin with a picture and are followed by another.
  fileprivate var longestSegmentInMilliseconds: Int64 {
    let starts = (0...times.segmentCount).map { times.microseconds(ofBoundary: $0) }
    return zip(starts, starts.dropFirst()).map { Int64(clamping: ($1 - min($0, $1)) / 1_000) }.max() ?? 0
  }
}
