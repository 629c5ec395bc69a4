import MovieBox
import MovieWriter

/// The segments of a track, each consisting of fragments with their media data.
///
/// Media is not copied: the contents alternate between generated `moof` atoms and ranges of the source. A track is
/// segmented in one pass over its samples.
struct SegmentedTrack: Sendable {
  struct Segment: Sendable {
    /// The number of the segment in the presentation.
    let number: Int
    /// The range of the track's contents that make up the segment.
    var contents: Range<Int>
    var byteCount: UInt64 = 0
    /// The size of the fragments and headers.
    var generatedByteCount: UInt64 = 0
  }

  /// A picture that can be decoded without other pictures. Its bytes begin with the fragment and end with the
  /// fragment's first sample.
  struct IFrame: Sendable {
    /// The index of the segment.
    let segment: Int
    /// The range of bytes in the segment.
    let range: Range<UInt64>
    /// The presentation time in ticks on the movie's clock.
    let time: Int64
  }

  /// The initialization segment.
  let initialization: Bytes
  /// The contents of the track as a single file: the initialization segment, then for each fragment its `moof` atom,
  /// its `mdat` header and its media in the source.
  var contents: [OutputPlan.Content]
  /// The segments that have samples.
  var segments: [Segment] = []
  /// The pictures that can be decoded without other pictures.
  var iFrames: [IFrame] = []
  var sampleCount = 0
  /// Whether a segment begins with an open group of pictures. Such a group contains pictures that players show before
  /// its first picture, and that need pictures of the previous segment.
  var hasOpenGroups = false
  /// Whether the first sample is a sync sample.
  var beginsWithSync = true
  /// The pictures that are searched for captions, at the start of the track and at several later positions. Captions
  /// may start late.
  var probes: [ByteRange] = []
}

/// Divides a track into segments, sample by sample.
struct TrackSegmenter {
  /// The rule that determines the segment boundaries.
  enum Boundaries {
    /// Segments start at these samples of a reference track, and at its first sample.
    case reference(SegmentCuts)
    /// Segments start at the samples that are shown at these times, in ticks of the track.
    case following([Int64])
  }

  /// The shortest duration of a fragment. Groups of pictures that are shorter share a fragment.
  private static let shortestFragmentInMilliseconds: Int64 = 250
  /// The limits of a fragment. Sizes have 32 bits, and a player keeps a fragment in memory.
  private static let largestFragmentByteCount: UInt64 = 512 << 20
  private static let largestFragmentSampleCount = 1 << 16
  /// The largest size of a sample. With this limit, the size of the sample's fragment fits in 32 bits.
  private static let largestSampleByteCount: UInt64 = 0xF000_0000
  /// The number of positions at which pictures are searched for captions, and the number of pictures at each position.
  private static let probedPlaceCount = 6
  private static let probedPictureCount = 24

  private let trackID: UInt32
  private let isPicture: Bool
  private let timeline: TrackTimeline
  private let decodeShift: Int64
  private let boundaries: Boundaries
  /// The start of the next segment, in ticks on the movie's clock, if the track is not the reference. A sample that
  /// ends after this time belongs to the next segment.
  private var nextSegmentStart = Int64.max
  /// The index of the sample that starts the next segment of a reference track.
  private var nextSample = 0
  /// The value added to offsets in the movie's file.
  private let sourceOffset: UInt64
  private let sourceByteCount: UInt64
  private let descriptionCount: Int
  /// The path of the track, for errors.
  private let path: String
  private let budget: StreamBudget
  /// The file offset at which the last nonempty sample ends.
  private var lastSampleEnd: UInt64 = 0
  /// Whether each sample starts at or after the end of the previous sample.
  private var isInOrder = true

  private(set) var track: SegmentedTrack
  private var probeInterval = 1
  /// The first sample of the current or next run of pictures to search for captions.
  private var firstProbedSample = 0
  private var builder = FragmentBuilder()
  /// The index in the track's contents of the current fragment's `moof` atom and `mdat` header. They are generated when
  /// the fragment ends.
  private var fragmentHeadIndex: Int?
  /// The range of contiguous samples that has not been added to the track's contents yet.
  private var range = ByteRange(0..<0)
  private var sequenceNumber: UInt32 = 0
  private var segment: SegmentedTrack.Segment
  /// The number of the next segment.
  private var nextSegmentNumber = 0
  private var fragmentStart: Int64 = 0
  private var fragmentBeginsWithSync = false
  private var description: UInt32 = 0
  private var lastDecodeTime: UInt64 = 0
  private var lastDuration: UInt32 = 0
  private var lastSyncTime = Int64.min
  /// The entry of each sample in `sdtp`. Samples of fragments have no entry.
  private let dependencies: Bytes
  private var groups: PrerollGroups
  private let events: TimedEvents

  init(
    _ streamed: StreamedTrack, of streamedMovie: StreamedMovie, delay: StreamDelay, boundaries: Boundaries,
    events: TimedEvents, budget: StreamBudget
  ) {
    let (track, movie) = (streamed.track, streamedMovie.movie)
    trackID = track.id
    isPicture = track.mediaType == .video
    timeline = streamed.timeline
    decodeShift = timeline.decodeShift(delay)
    self.boundaries = boundaries
    self.events = events
    sourceOffset = streamedMovie.sourceOffset
    dependencies =
      movie.tree.descendant(of: track.atom, "mdia", "minf", "stbl", "sdtp")
      .map { movie.tree.payload(of: $0).dropFirst(4) } ?? Bytes()
    sourceByteCount = movie.layout.identity.byteCount
    self.budget = budget
    descriptionCount = track.sampleDescriptions.entries.count
    path = movie.tree.path(of: track.atom)
    nextSample = timeline.samples.lowerBound
    firstProbedSample = timeline.samples.lowerBound
    groups = streamedMovie.prerolls[track.id] ?? PrerollGroups()
    let initialization = Bytes(
      InitializationSegment.bytes(of: track, in: movie, sampleGroups: groups.descriptions))
    self.track = SegmentedTrack(initialization: initialization, contents: [.generated(initialization)])
    segment = SegmentedTrack.Segment(number: 0, contents: 1..<1)
  }

  /// Segments all samples. Throws if samples are not in the file, or if decode times decrease.
  mutating func run(_ samples: FragmentedTrack) throws(MovieError) -> SegmentedTrack {
    // Reserves memory for a source range of each chunk, and for some fragments. The entry of a chunk has at least 4
    // bytes in the file, so the reserved memory is proportional to the size of the file.
    let chunkCount = min(samples.table.chunkCount, samples.sampleCount)
    track.contents.reserveCapacity(chunkCount + chunkCount / 8)
    probeInterval = max(Self.probedPictureCount, timeline.samples.count / Self.probedPlaceCount)
    if samples.hasFragmentSamples {
      for sample in samples.samples { try add(sample) }
    } else {
      try samples.table.samples.forEach { sample throws(MovieError) in try add(sample) }
    }
    try closeFragment()
    try closeSegment()
    if !isInOrder { try requireNoOverlap() }
    return track
  }

  private mutating func add(_ sample: Sample) throws(MovieError) {
    guard timeline.samples.contains(sample.index), sample.presentationTime >= timeline.firstMediaTime else { return }
    guard let range = sample.byteRange, range.end <= sourceByteCount else {
      throw MovieError(
        .truncated, at: sample.byteRange?.offset,
        "sample \(sample.index + 1) of track \(trackID) extends past the end of the file at \(sourceByteCount)")
    }
    let time = sample.presentationTime.addingClamped(timeline.shift)
    let duration = timeline.duration(sample.duration, ofSample: sample.index)
    let isFirst = track.sampleCount == 0
    if isFirst {
      track.beginsWithSync = sample.isSync
    } else if sample.decodeTime < lastDecodeTime {
      throw MovieError(
        .unsupported,
        "sample \(sample.index + 1) of track \(trackID) has an earlier decode time than the previous sample")
    }
    let begins = beginsSegment(sample, at: time, lasting: duration, isFirst: isFirst)
    if begins || beginsFragment(sample, range.count, at: time) {
      try requireValid(sample, range.count)
      try closeFragment()
      if begins {
        try closeSegment()
        addEvents()
      }
      let decodeTime = Int64(clamping: sample.decodeTime).addingClamped(decodeShift)
      builder.begin(decodeTime: UInt64(clamping: decodeTime), description: sample.sampleDescriptionIndex)
      description = sample.sampleDescriptionIndex
      fragmentStart = time
      fragmentBeginsWithSync = sample.isSync
      fragmentHeadIndex = track.contents.count
      track.contents.append(.generated(Bytes()))
    } else if sample.decodeTime != lastDecodeTime &+ UInt64(lastDuration) {
      // The source may have gaps between its fragments. A sample before a gap lasts until the next sample is decoded.
      guard let duration = UInt32(exactly: sample.decodeTime - lastDecodeTime) else {
        throw MovieError(.unsupported, "a gap before sample \(sample.index + 1) of track \(trackID) is too long")
      }
      builder.setLastDuration(duration)
    }
    if isPicture {
      if sample.index >= firstProbedSample + Self.probedPictureCount { firstProbedSample += probeInterval }
      if sample.index >= firstProbedSample { track.probes.append(range) }
      if sample.isSync { lastSyncTime = time } else if time < lastSyncTime { track.hasOpenGroups = true }
    }
    let offset = sample.compositionOffset.addingClamped(timeline.compositionShift)
    builder.append(
      duration: duration, size: UInt32(clamping: range.count),
      flags: flags(of: sample), compositionOffset: UInt32(clamping: offset))
    if self.range.count > 0, range.offset == self.range.end {
      self.range = ByteRange(self.range.offset..<range.end)
    } else if range.count > 0 {
      closeRange()
      self.range = range
      if range.offset < lastSampleEnd { isInOrder = false }
    }
    if range.count > 0 { lastSampleEnd = range.end }
    (lastDecodeTime, lastDuration) = (sample.decodeTime, duration)
    track.sampleCount += 1
  }

  /// Throws if no fragment can contain the sample.
  private func requireValid(_ sample: Sample, _ byteCount: UInt64) throws(MovieError) {
    let number = sample.sampleDescriptionIndex
    guard number >= 1, Int(number) <= descriptionCount else {
      throw MovieError(
        .malformed, in: path,
        "sample \(sample.index + 1) of track \(trackID) refers to sample description \(number), but there are only \(descriptionCount)"
      )
    }
    guard byteCount <= Self.largestSampleByteCount else {
      throw MovieError(
        .limit, in: path,
        "sample \(sample.index + 1) of track \(trackID) has \(byteCount) bytes; the limit is \(Self.largestSampleByteCount)"
      )
    }
  }

  /// This function is inlined, because a call would copy the whole value for each sample.
  @inline(__always)
  private func flags(of sample: Sample) -> UInt32 {
    guard let byte = dependencies.load(at: sample.index, as: UInt8.self), byte != 0 else {
      return sample.isSync ? Self.syncFlags : Self.nonSyncFlags
    }
    return UInt32(byte) << 20 | (sample.isSync ? 0 : Self.nonSyncBit)
  }

  private static let nonSyncBit: UInt32 = 0x1_0000
  /// Flags of a sample without dependencies, and of a non-sync sample with dependencies (ISO/IEC 14496-12 8.8.3.1).
  private static let syncFlags: UInt32 = 0x0200_0000
  private static let nonSyncFlags: UInt32 = 0x0101_0000

  // MARK: - Boundaries

  private mutating func beginsSegment(
    _ sample: Sample, at time: Int64, lasting duration: UInt32, isFirst: Bool
  ) -> Bool {
    switch boundaries {
    case .reference(let cuts):
      guard sample.index == nextSample else { return false }
      if !isFirst { nextSegmentNumber = segment.number + 1 }
      // No segment starts after the last segment, so there is no next sample.
      nextSample = nextSegmentNumber < cuts.samples.count ? cuts.samples[nextSegmentNumber] : -1
      return true
    case .following(let boundaries):
      let end = time.addingClamped(Int64(duration))
      guard isFirst || end > nextSegmentStart else { return false }
      nextSegmentNumber = segment.number
      while nextSegmentNumber < boundaries.count, boundaries[nextSegmentNumber] < end { nextSegmentNumber += 1 }
      nextSegmentStart = nextSegmentNumber < boundaries.count ? boundaries[nextSegmentNumber] : .max
      return true
    }
  }

  private func beginsFragment(_ sample: Sample, _ byteCount: UInt64, at time: Int64) -> Bool {
    if sample.sampleDescriptionIndex != description { return true }
    if builder.mediaByteCount &+ byteCount > Self.largestFragmentByteCount { return true }
    if builder.sampleCount >= Self.largestFragmentSampleCount { return true }
    guard isPicture, sample.isSync else { return false }
    return (time - fragmentStart) >= Int64(timeline.timeScale) * Self.shortestFragmentInMilliseconds / 1_000
  }

  private mutating func closeFragment() throws(MovieError) {
    guard builder.sampleCount > 0 else { return }
    try budget.consumeFragment(builder.sampleCount, builder.mediaByteCount)
    sequenceNumber &+= 1
    // These sample indices are inexact if samples in the middle of the track are omitted. Only sample groups need the
    // indices. Only audio has sample groups here, and samples in the middle are omitted only from video.
    let end = timeline.samples.lowerBound + track.sampleCount
    let samples = end - builder.sampleCount..<end
    let head = builder.write(sequenceNumber: sequenceNumber, sampleGroups: groups.atoms(for: samples))
    if isPicture, fragmentBeginsWithSync {
      let end = segment.byteCount + UInt64(head.count) + UInt64(builder.firstByteCount)
      track.iFrames.append(
        SegmentedTrack.IFrame(
          segment: track.segments.count, range: segment.byteCount..<end, time: fragmentStart))
    }
    segment.byteCount &+= UInt64(head.count) &+ builder.mediaByteCount
    segment.generatedByteCount &+= UInt64(head.count)
    closeRange()
    if let fragmentHeadIndex { track.contents[fragmentHeadIndex] = .generated(Bytes(head)) }
    builder.begin(decodeTime: 0, description: 1)
  }

  /// Adds the pending range of samples to the contents.
  private mutating func closeRange() {
    if range.count > 0, let moved = range.moved(by: sourceOffset) { track.contents.append(.source(moved)) }
    range = ByteRange(0..<0)
  }

  private mutating func closeSegment() throws(MovieError) {
    let (start, end) = (segment.contents.lowerBound, track.contents.count)
    if end > start {
      try budget.consumeSegments()
      segment.contents = start..<end
      track.segments.append(segment)
    }
    segment = SegmentedTrack.Segment(number: nextSegmentNumber, contents: end..<end)
  }

  /// Adds the events of the segment before its first fragment.
  private mutating func addEvents() {
    guard let atoms = events.atoms[segment.number] else { return }
    track.contents.append(.generated(Bytes(atoms)))
    segment.byteCount &+= UInt64(atoms.count)
    segment.generatedByteCount &+= UInt64(atoms.count)
  }

  /// Throws if samples overlap. A file of the presentation cannot contain a source range twice.
  ///
  /// Samples in file order never overlap, so they need no check.
  private func requireNoOverlap() throws(MovieError) {
    var ranges: [ByteRange] = []
    for content in track.contents {
      if case .source(let range) = content { ranges.append(range) }
    }
    ranges.sort { $0.offset < $1.offset }
    for (range, next) in zip(ranges, ranges.dropFirst()) where range.end > next.offset {
      throw MovieError(
        .unsupported, at: next.offset - sourceOffset, in: path, "two samples of track \(trackID) use the same bytes")
    }
  }
}
