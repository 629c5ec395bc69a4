// The samples of a track in the order of their times in the movie, without a list of all samples.
//
// A track may have millions of samples, and a list of them would take far more memory than its tables. Therefore,
// samples are read from the tables in blocks. For each block, only the state of the iterator at its start is kept, so
// an edit can present a block again. If samples are not in the order of their times, or if the time of a sample depends
// on other samples, all samples of the track are listed.
//
// Every load of a block is counted, because the edits of a small file can load blocks again and again.

import Subtitles

/// The samples of a track in the order of their times in the media, in blocks.
struct PlacedSampleBlocks: Sendable {
  private enum Contents: Sendable {
    case listed([PlacedSample])
    /// The iterator at the start of each block.
    case tables([PlacedSampleIterator])
  }

  private let contents: Contents
  /// The latest end of all samples up to the end of each block. The ends ascend.
  private let latestEnds: [Int64]

  /// The number of samples that the tables contain for a block, except for the last. Some of these samples may be
  /// omitted, so a block may be empty.
  static let sampleCount = 512

  /// Creates the blocks of samples that are listed in the order of their times. A sample without a duration lasts until
  /// the next sample.
  init(listed samples: [PlacedSample]) {
    var samples = samples
    var following: Int64?
    for index in samples.indices.reversed() {
      let (start, end) = (samples[index].start, samples[index].end)
      if end <= start { samples[index].end = following ?? start.addingClamped(1) }
      if index > 0, samples[index - 1].start < start { following = start }
    }
    var latestEnds: [Int64] = []
    for (index, sample) in samples.enumerated() {
      if index.isMultiple(of: Self.sampleCount) { latestEnds.append(latestEnds.last ?? .min) }
      latestEnds[latestEnds.count - 1] = max(latestEnds[latestEnds.count - 1], sample.end)
    }
    contents = .listed(samples)
    self.latestEnds = latestEnds
  }

  /// Creates the blocks of samples that are read from tables in decoding order. Returns `nil` if the samples must be
  /// listed: they are not in the order of their times, a sample before the last has no duration, or a sample has the
  /// longest duration.
  init?(_ samples: PlacedSampleIterator) {
    var iterator = samples
    var (starts, latestEnds): ([PlacedSampleIterator], [Int64]) = ([], [])
    var (latestEnd, previousStart, previousDuration) = (Int64.min, Int64.min, Int64(1))
    /// The number of blocks up to the last block with samples.
    var count = 0
    var block: [PlacedSample] = []
    while true {
      let start = iterator
      guard iterator.read(&block, from: Self.sampleCount) else { break }
      for sample in block {
        guard sample.start >= previousStart, previousDuration > 0 else { return nil }
        previousStart = sample.start
        previousDuration = sample.end.subtractingClamped(sample.start)
        guard previousDuration != Int64(Sample.longestDuration) else { return nil }
        latestEnd = max(latestEnd, sample.end)
      }
      starts.append(start)
      latestEnds.append(latestEnd)
      if !block.isEmpty { count = starts.count }
    }
    starts.removeLast(starts.count - count)
    latestEnds.removeLast(latestEnds.count - count)
    // The last sample without a duration lasts until the end of the movie.
    if previousDuration == 0, count > 0 { latestEnds[count - 1] = .max }
    contents = .tables(starts)
    self.latestEnds = latestEnds
  }

  /// The number of blocks.
  var count: Int { latestEnds.count }

  /// Returns the index of the first block with a sample that ends after a time, or ``count`` if there is none.
  func firstIndex(endingAfter time: Int64) -> Int { latestEnds.partitioningIndex { $0 > time } }

  subscript(index: Int) -> [PlacedSample] {
    switch contents {
    case .listed(let samples): return Array(samples.dropFirst(index * Self.sampleCount).prefix(Self.sampleCount))
    case .tables(let starts):
      var iterator = starts[index]
      var samples: [PlacedSample] = []
      _ = iterator.read(&samples, from: Self.sampleCount)
      if index == count - 1 { samples.openLast() }
      return samples
    }
  }
}

/// A sample during the time in which an edit presents it.
struct PresentedSample: Sendable {
  let microseconds: Range<Int64>
  /// The time range of the whole sample. An edit may present only a part of the sample.
  let wholeMicroseconds: Range<Int64>
  let bytes: ByteRange
  /// The index of the sample description.
  let description: Int32
}

/// A cursor over the samples that the edits of a track present, in the order of their times in the movie.
struct PresentedSampleCursor: Sendable {
  private let blocks: PlacedSampleBlocks
  private let segments: [ShownSegment]
  private let movieEnd: Int64
  private let timeScale: UInt32
  /// The time range in microseconds, or `nil` for the whole movie.
  private let range: Range<Int64>?
  /// The maximum number of samples to visit and to load. Edits can repeat samples.
  private let visitLimit: Int
  private var visitCount = 0
  private var segment = 0
  /// The index and the samples of the current block, and the position of the next sample.
  private var (block, samples, position): (Int, [PlacedSample], Int) = (-1, [], 0)
  /// For each sample of the current block, the latest end of the block's samples up to this sample.
  private var latestEnds: [Int64] = []

  /// Creates a cursor at the first presented sample.
  ///
  /// - Parameters:
  ///   - blocks: the samples of the track.
  ///   - segments: the edits of the track, in microseconds.
  ///   - movieEnd: the end of the movie in microseconds.
  ///   - timeScale: the time scale of the media.
  ///   - range: the time range of the samples in microseconds, or `nil` for the whole movie.
  ///   - visitLimit: the maximum number of samples to visit and to load.
  init(
    _ blocks: PlacedSampleBlocks, _ segments: [ShownSegment], movieEnd: Int64, timeScale: UInt32,
    in range: Range<Int64>?,
    visitLimit: Int
  ) {
    (self.blocks, self.segments, self.movieEnd, self.timeScale) = (blocks, segments, movieEnd, timeScale)
    (self.range, self.visitLimit) = (range, visitLimit)
    enterSegment()
  }

  /// Returns the next sample, or `nil` after the last. Throws `.limit` if too many samples are visited.
  mutating func next() throws(MovieError) -> PresentedSample? {
    while segment < segments.count {
      try requireVisits()
      while position < samples.count || load(block + 1) {
        try requireVisits()
        guard position < samples.count else { continue }
        guard !segments[segment].hasEnded(at: samples[position].start) else { break }
        let sample = samples[position]
        position += 1
        visitCount += 1
        let edit = segments[segment]
        guard let shown = edit.shown(from: sample.start, to: sample.end, movieEnd: movieEnd) else { continue }
        if let range {
          // All later samples begin at the same time or later.
          guard shown.lowerBound < range.upperBound else {
            segment = segments.count
            return nil
          }
          guard range.overlaps(shown) else { continue }
        }
        return PresentedSample(
          microseconds: shown,
          wholeMicroseconds: sample.wholeRange(shown: shown, from: edit.mediaStart, timeScale),
          bytes: sample.bytes, description: Int32(clamping: sample.description))
      }
      segment += 1
      enterSegment()
    }
    return nil
  }

  private func requireVisits() throws(MovieError) {
    guard visitCount <= visitLimit else {
      throw MovieError(.limit, "the edit list presents or hides more than \(visitLimit) samples")
    }
  }

  /// Moves to the first sample of the current segment.
  private mutating func enterSegment() {
    guard segment < segments.count else { return }
    let start = segments[segment].mediaStart
    if load(blocks.firstIndex(endingAfter: start)) { position = latestEnds.partitioningIndex { $0 > start } }
  }

  /// Moves to the start of a block, and returns whether the block exists.
  private mutating func load(_ index: Int) -> Bool {
    position = 0
    guard index != block else { return index < blocks.count }
    block = index
    samples = index < blocks.count ? blocks[index] : []
    latestEnds.removeAll(keepingCapacity: true)
    for sample in samples { latestEnds.append(max(latestEnds.last ?? .min, sample.end)) }
    visitCount += PlacedSampleBlocks.sampleCount
    return index < blocks.count
  }
}

extension PlacedSample {
  /// Returns the time range that the movie would present if no edit trimmed the sample.
  fileprivate func wholeRange(
    shown: Range<Int64>, from mediaStart: Int64, _ timeScale: UInt32
  ) -> Range<Int64> {
    guard start < mediaStart, end < .max,
      let hidden = MediaTime(ticks: mediaStart.subtractingClamped(start), timeScale: timeScale),
      let duration = MediaTime(ticks: end.subtractingClamped(start), timeScale: timeScale)
    else { return shown }
    let wholeStart = shown.lowerBound.subtractingClamped(hidden.ticks(of: 1_000_000))
    return wholeStart..<max(wholeStart.addingClamped(duration.ticks(of: 1_000_000)), shown.upperBound)
  }
}
