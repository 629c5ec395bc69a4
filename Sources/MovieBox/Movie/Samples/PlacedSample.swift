// Samples that are read for their contents: text, chapter pictures, places. Neighbours are read together.

import Subtitles

/// A sample by its time in the media: of text, of pictures of chapters, of places.
struct PlacedSample: Sendable {
  /// The sample's number, from 0.
  let index: Int
  let start: Int64
  /// `Int64.max` for a last sample of no duration.
  fileprivate(set) var end: Int64
  let bytes: ByteRange
  /// The sample's description, counted from 0.
  let description: Int
}

extension Track {
  /// The number of samples: in the movie's fragments, where it has any.
  func sampleCount(in fragments: MovieFragments?) -> Int {
    fragments?.track(id)?.sampleCount ?? samples.sampleCount
  }

  /// The samples in the order of their time; `bytes` says where one lies that has a description, counted from 0, and
  /// leaves out what is not to be read.
  ///
  /// A last sample of no duration is shown to the end: writers that do not know when it comes write 0.
  func placedSamples(
    in fragments: MovieFragments?, bytes: (Sample, Int) throws(MovieError) -> ByteRange?
  ) throws(MovieError) -> [PlacedSample] {
    var placed: [PlacedSample] = []
    let origin = Int64(clamping: fragments?.track(id)?.ticksBeforeStart ?? 0)
    func add(_ sample: Sample) throws(MovieError) {
      let description = Int(sample.sampleDescriptionIndex) - 1  // Stored from 1.
      guard let bytes = try bytes(sample, description) else { return }
      let start = sample.presentationTime.addingClamped(-origin)
      placed.append(
        PlacedSample(
          index: sample.index, start: start, end: start.addingClamped(Int64(sample.duration)), bytes: bytes,
          description: description))
    }
    if let fragmented = fragments?.track(id) {
      for sample in fragmented.samples { try add(sample) }
    } else {
      for sample in samples.samples { try add(sample) }
    }
    placed.sort { ($0.start, $0.index) < ($1.start, $1.index) }
    if let last = placed.last, last.start == last.end { placed[placed.count - 1].end = .max }
    return placed
  }

  /// Samples as ``placedSamples(in:bytes:)`` has them, of descriptions that are read; throws where one has a description
  /// that is not there, or lies in another file.
  func placedSamples(
    in fragments: MovieFragments?, isRead: (Int) -> Bool, check: (Sample, ByteRange) throws(MovieError) -> Void
  ) throws(MovieError) -> [PlacedSample] {
    let areExternal = externalDescriptions
    return try placedSamples(in: fragments) { sample, description throws(MovieError) in
      guard areExternal.indices.contains(description) else {
        throw MovieError(
          .malformed,
          "sample \(sample.index + 1) has description \(sample.sampleDescriptionIndex) of \(areExternal.count)")
      }
      guard isRead(description) else { return nil }
      guard !areExternal[description] else {
        throw MovieError(.unsupported, "the media of track \(id) lies in another file")
      }
      guard let bytes = sample.byteRange else {
        throw MovieError(.malformed, "sample \(sample.index + 1) of track \(id) lies past the end of 64 bits")
      }
      try check(sample, bytes)
      return bytes
    }
  }
}

extension Movie {
  /// Returns the end of the movie, in milliseconds; `nil` for a number beyond 64 bits, and without a time scale. Costs
  /// a pass over all tracks.
  package func endInMilliseconds(_ fragments: MovieFragments?) -> Int64? {
    ListPass.end(after: tracks.count)
    let end = max(fragments?.durationInMovieTicks(of: self) ?? 0, endInMovieTicks)
    return end.scaled(by: 1_000, over: UInt64(header.timeScale)).map { Int64(clamping: $0) }
  }
}

extension [ShownSegment] {
  /// Visits all media of a list that segments may show, in order, each with when that is on the movie's clock; `nil`
  /// where it is not shown at all. The list is in the order of `times`, starts of one kind and ends, of which
  /// `Int64.max` is the movie's end.
  func visit(
    _ times: [(start: Int64, end: Int64)], movieEnd: Int64,
    _ body: (Int, ShownSegment, Range<Int64>?) throws(MovieError) -> Void
  ) throws(MovieError) {
    /// The latest end of each and those before it: what a segment shows begins with the first beyond its start.
    var latestEnds: [Int64] = []
    latestEnds.reserveCapacity(times.count)
    for time in times { latestEnds.append(Swift.max(latestEnds.last ?? .min, time.end)) }
    for segment in self {
      var index = latestEnds.partitioningIndex { $0 > segment.mediaStart }
      while index < times.count, !segment.isOver(at: times[index].start) {
        let (start, end) = times[index]
        var shown = segment.shown(from: start, to: end)
        if end == .max, let range = shown {
          shown = range.lowerBound..<Swift.max(range.lowerBound + 1, Swift.min(range.upperBound, movieEnd))
        }
        try body(index, segment, shown)
        index += 1
      }
    }
  }
}

/// Reads many small ranges with few reads: neighbouring ranges are read together.
struct SampleBatch {
  /// Skipping fewer bytes than this costs more than reading them.
  static let nearByteCount: UInt64 = 1_024
  /// No read is longer, but for a sample that is.
  static let readByteCount: UInt64 = 4 << 20

  private let ranges: [ByteRange]

  /// Ranges in any order; they may overlap and be empty.
  init(_ ranges: [ByteRange]) {
    self.ranges = ranges
  }

  /// The bytes of each range, in the order given.
  func read(from source: some RandomAccessSource) throws -> [Bytes] {
    var contents = [Bytes](repeating: Bytes(), count: ranges.count)
    let order = ranges.indices.filter { ranges[$0].count > 0 }.sorted { ranges[$0].offset < ranges[$1].offset }
    var next = 0
    while next < order.count {
      var group = ranges[order[next]]
      var last = next + 1
      while last < order.count,
        let joined = group.joined(
          with: ranges[order[last]], over: Self.nearByteCount, upTo: Self.readByteCount)
      {
        group = joined
        last += 1
      }
      let bytes = try source.readExactly(group)
      for index in order[next..<last] {
        let range = ranges[index]
        let offset = Int(clamping: range.offset - group.offset)  // The group begins with its first range.
        contents[index] = bytes.slice(at: offset, count: Int(clamping: range.count)) ?? Bytes()
      }
      next = last
    }
    return contents
  }
}
