// Samples whose bytes are read, such as text, chapter pictures and locations. Neighboring samples are read together.

import Subtitles

/// A sample with its time in the media.
struct PlacedSample: Sendable {
  /// The index of the sample, from 0.
  let index: Int
  let start: Int64
  /// The end of the sample, or `Int64.max` for a last sample without a duration.
  var end: Int64
  let bytes: ByteRange
  /// The index of the sample description, from 0.
  let description: Int
}

extension Track {
  /// Returns the number of samples, including the samples in fragments.
  func sampleCount(in fragments: MovieFragments?) -> Int {
    fragments?.track(id)?.sampleCount ?? samples.sampleCount
  }

  /// Returns the number of samples that are larger than a size, including the samples in fragments. Makes a pass over
  /// the sizes of the samples.
  func sampleCount(in fragments: MovieFragments?, largerThan byteCount: UInt32) -> Int {
    if let fragmentedTrack = fragments?.track(id) {
      return fragmentedTrack.samples.count { $0.byteRange.map { $0.count > byteCount } ?? false }
    }
    let sizes = samples.sampleSizes
    if case .uniform(let size) = sizes.layout { return size > byteCount ? samples.sampleCount : 0 }
    return (0..<min(samples.sampleCount, sizes.count)).count { sizes.size(at: $0) > byteCount }
  }

  /// Returns the samples in the order of their times. `bytes` receives a sample and the index of its description. It
  /// returns the range of the sample, or `nil` to omit the sample.
  ///
  /// If the last sample has no duration, it lasts to the end of the movie, because writers store 0 if they do not
  /// know the end.
  func placedSamples(
    in fragments: MovieFragments?, bytes: (Sample, Int) throws(MovieError) -> ByteRange?
  ) throws(MovieError) -> [PlacedSample] {
    var placedSamples: [PlacedSample] = []
    placedSamples.reserveCapacity(min(sampleCount(in: fragments), 1 << 19))
    let origin = mediaOrigin(in: fragments)
    try forEachSample(in: fragments) { sample throws(MovieError) in
      let description = Int(sample.sampleDescriptionIndex) - 1  // The file counts descriptions from 1.
      guard let bytes = try bytes(sample, description) else { return }
      placedSamples.append(PlacedSample(sample, bytes, description, since: origin))
    }
    placedSamples.sort { ($0.start, $0.index) < ($1.start, $1.index) }
    placedSamples.openLast()
    return placedSamples
  }

  /// Returns the start of the media, in the times of the samples. It is above 0 only if a sample of a fragment precedes
  /// the start of the media.
  fileprivate func mediaOrigin(in fragments: MovieFragments?) -> Int64 {
    Int64(clamping: fragments?.track(id)?.ticksBeforeStart ?? 0)
  }

  /// Calls `body` for each sample in decoding order, including the samples in fragments.
  private func forEachSample<E: Error>(in fragments: MovieFragments?, _ body: (Sample) throws(E) -> Void) throws(E) {
    if let fragmentedTrack = fragments?.track(id) {
      for sample in fragmentedTrack.samples { try body(sample) }
    } else {
      for sample in samples.samples { try body(sample) }
    }
  }

  /// Calls `body` for batches of the chosen samples, in decoding order. A batch contains at most `count` samples,
  /// because a film may have a sample for each picture. Throws if a sample's
  /// description is missing or refers to another file.
  func forEachBatch(
    of count: Int, in fragments: MovieFragments?, isRead: (Int) -> Bool, _ body: ([PlacedSample]) throws -> Void
  ) throws {
    let (areExternal, origin, id) = (externalDescriptions, mediaOrigin(in: fragments), id)
    var batch: [PlacedSample] = []
    try forEachSample(in: fragments) { sample in
      let description = Int(sample.sampleDescriptionIndex) - 1  // The file counts descriptions from 1.
      guard let bytes = try Self.byteRange(of: sample, description, areExternal, trackID: id, isRead: isRead) else {
        return
      }
      if batch.count == count {
        try body(batch)
        batch.removeAll(keepingCapacity: true)
      }
      batch.append(PlacedSample(sample, bytes, description, since: origin))
    }
    batch.openLast()
    try body(batch)
  }

  /// Returns the samples whose description satisfies `isRead`, in the order of their times. Rethrows the errors of
  /// `check`. Also throws if a sample's description is missing or refers to another file.
  func placedSamples(
    in fragments: MovieFragments?, isRead: (Int) -> Bool, check: (Sample, ByteRange) throws(MovieError) -> Void
  ) throws(MovieError) -> [PlacedSample] {
    // Copy two properties of the track for the closure below. If the closure captured the track, the track would be
    // copied for each sample.
    let (areExternal, id) = (externalDescriptions, id)
    return try placedSamples(in: fragments) { sample, description throws(MovieError) in
      let bytes = try Self.byteRange(of: sample, description, areExternal, trackID: id, isRead: isRead)
      if let bytes { try check(sample, bytes) }
      return bytes
    }
  }

  /// Returns the range of a sample, or `nil` if its description is not chosen.
  private static func byteRange(
    of sample: Sample, _ description: Int, _ areExternal: [Bool], trackID: UInt32, isRead: (Int) -> Bool
  ) throws(MovieError) -> ByteRange? {
    guard areExternal.indices.contains(description) else {
      throw MovieError(
        .malformed,
        "sample \(sample.index + 1) has description \(sample.sampleDescriptionIndex), but there are only \(areExternal.count)"
      )
    }
    guard isRead(description) else { return nil }
    guard !areExternal[description] else {
      throw MovieError(.unsupported, "the media of track \(trackID) is in another file")
    }
    guard let bytes = sample.byteRange else {
      throw MovieError(.malformed, "the range of sample \(sample.index + 1) of track \(trackID) exceeds 64 bits")
    }
    return bytes
  }
}

extension PlacedSample {
  fileprivate init(_ sample: Sample, _ bytes: ByteRange, _ description: Int, since origin: Int64) {
    let start = sample.presentationTime.addingClamped(-origin)
    self.init(
      index: sample.index, start: start, end: start.addingClamped(Int64(sample.duration)), bytes: bytes,
      description: description)
  }
}

/// An iterator over the samples of a track with their times in the media, in decoding order. It omits samples whose
/// description is not read, and samples whose range exceeds 64 bits.
struct PlacedSampleIterator: Sendable {
  private var tableSamples: SampleIndex.Iterator?
  private var fragmentSamples: FragmentedSampleIndex.Iterator?
  private let origin: Int64
  private let isRead: [Bool]

  /// - Parameters:
  ///   - track: the track.
  ///   - fragments: the fragments of the movie, or `nil` if it has none.
  ///   - isRead: for each sample description, whether its samples are read.
  init(_ track: Track, in fragments: MovieFragments?, isRead: [Bool]) {
    fragmentSamples = fragments?.track(track.id)?.samples.makeIterator()
    tableSamples = fragmentSamples == nil ? track.samples.samples.makeIterator() : nil
    origin = track.mediaOrigin(in: fragments)
    self.isRead = isRead
  }

  /// Replaces `samples` by the samples that are read among the next `count` samples of the track. Returns `false` if the
  /// track has no more samples.
  mutating func read(_ samples: inout [PlacedSample], from count: Int) -> Bool {
    samples.removeAll(keepingCapacity: true)
    samples.reserveCapacity(count)
    for position in 0..<count {
      guard let sample = tableSamples?.next() ?? fragmentSamples?.next() else { return position > 0 }
      let description = Int(sample.sampleDescriptionIndex) - 1  // The file counts descriptions from 1.
      guard isRead.indices.contains(description), isRead[description], let bytes = sample.byteRange else { continue }
      samples.append(PlacedSample(sample, bytes, description, since: origin))
    }
    return true
  }
}

extension [PlacedSample] {
  /// Extends the last sample to the end of the movie if the sample has no duration.
  mutating func openLast() {
    if let last, last.start == last.end { self[count - 1].end = .max }
  }
}

extension Movie {
  /// Returns the end of the movie in milliseconds, or `nil` if it overflows or the movie has no time scale. Makes a
  /// pass over all tracks.
  package func endMilliseconds(_ fragments: MovieFragments?) -> Int64? {
    ListPass.end(after: tracks.count)
    let end = max(fragments?.durationInMovieTicks(of: self) ?? 0, endInMovieTicks)
    return end.scaled(by: 1_000, over: UInt64(header.timeScale)).map { Int64(clamping: $0) }
  }
}

extension ShownSegment {
  /// Returns the time range of the movie in which the segment presents the media from `start` to `end`, or `nil` if it
  /// presents none of this media. A range with the end `Int64.max` extends to the end of the movie.
  func shown(from start: Int64, to end: Int64, movieEnd: Int64) -> Range<Int64>? {
    guard end == .max else { return shown(from: start, to: end) }
    return shown(from: start, to: end).map { range in
      range.lowerBound..<Swift.max(range.lowerBound + 1, Swift.min(range.upperBound, movieEnd))
    }
  }
}

extension [ShownSegment] {
  /// Calls `body` once for each pair of a segment and a range in `times` that may overlap. `body` receives the index of
  /// the range, the segment, and the time range of the movie in which the segment presents the range. The time range is
  /// `nil` if the segment presents nothing of the range. `times` contains ranges in media time, sorted by start. A
  /// range with the end `Int64.max` extends to the end of the movie.
  func visit(
    _ times: [(start: Int64, end: Int64)], movieEnd: Int64,
    _ body: (Int, ShownSegment, Range<Int64>?) throws(MovieError) -> Void
  ) throws(MovieError) {
    /// For each index, the latest end of the ranges up to this index. The ends ascend, so a binary search finds the
    /// first range that ends after a segment's start.
    var latestEnds: [Int64] = []
    latestEnds.reserveCapacity(times.count)
    for time in times { latestEnds.append(Swift.max(latestEnds.last ?? .min, time.end)) }
    for segment in self {
      var index = latestEnds.partitioningIndex { $0 > segment.mediaStart }
      while index < times.count, !segment.hasEnded(at: times[index].start) {
        let (start, end) = times[index]
        try body(index, segment, segment.shown(from: start, to: end, movieEnd: movieEnd))
        index += 1
      }
    }
  }
}

/// A batch of small ranges. Neighboring ranges are read together, so few reads are necessary.
struct SampleBatch {
  /// The largest gap between two ranges that is read instead of skipped. An additional read would take longer.
  static let maximumGapByteCount: UInt64 = 1_024
  /// The maximum size of a read, unless a single sample is larger.
  static let maximumReadByteCount: UInt64 = 4 << 20

  private let ranges: [ByteRange]

  /// Creates a batch of ranges in any order. The ranges may overlap or be empty.
  init(_ ranges: [ByteRange]) {
    self.ranges = ranges
  }

  /// Reads the bytes of each range, in the given order.
  func read(from source: some RandomAccessSource) throws -> [Bytes] {
    var contents = [Bytes](repeating: Bytes(), count: ranges.count)
    let order = ranges.indices.filter { ranges[$0].count > 0 }.sorted { ranges[$0].offset < ranges[$1].offset }
    var next = 0
    while next < order.count {
      var group = ranges[order[next]]
      var last = next + 1
      while last < order.count,
        let joined = group.joined(
          with: ranges[order[last]], maximumGap: Self.maximumGapByteCount, maximumByteCount: Self.maximumReadByteCount)
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

  /// Calls `body` for each range, in the given order. `body` receives the index of the range, bytes that contain the
  /// range, and the offset of the range in these bytes.
  ///
  /// If the ranges are in the order of the file, only the bytes of one read are in memory at a time.
  func forEach(from source: some RandomAccessSource, _ body: (Int, Bytes, Int) throws -> Void) throws {
    guard zip(ranges, ranges.dropFirst()).allSatisfy({ $0.offset <= $1.offset }) else {
      for (index, bytes) in try read(from: source).enumerated() { try body(index, bytes, 0) }
      return
    }
    var next = 0
    while next < ranges.count {
      var group = ranges[next]
      var last = next + 1
      while last < ranges.count,
        let joined = group.joined(
          with: ranges[last], maximumGap: Self.maximumGapByteCount, maximumByteCount: Self.maximumReadByteCount)
      {
        group = joined
        last += 1
      }
      let bytes = try source.readExactly(group)
      for index in next..<last { try body(index, bytes, Int(clamping: ranges[index].offset - group.offset)) }
      next = last
    }
  }
}
