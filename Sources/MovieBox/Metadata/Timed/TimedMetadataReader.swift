// The reader of timed metadata. It lists the presented samples of all requested tracks in the order of time, and then
// reads and decodes them in batches.
//
// Listing reads no samples, except for samples of the longest duration. At any time, only the samples of one batch are
// in memory.

import Subtitles

/// A reader of timed metadata in batches.
package struct TimedMetadataReader: Sendable {
  /// A presented sample, or an event.
  struct Entry: Sendable {
    let microseconds: Range<Int64>
    /// The time range of the whole sample. An edit may present only a part of the sample.
    let sampleMicroseconds: Range<Int64>
    let bytes: ByteRange
    /// The index of the track in ``tracks``, or -1 for an event.
    let track: Int32
    /// The index of the sample description, or of the event.
    let description: Int32
  }

  /// A requested track.
  struct RequestedTrack: Sendable {
    let id: UInt32
    let path: String
    let decoders: [TimedSampleDecoder?]
    /// For each sample description, whether its keys contain no requested identifier.
    let areSkipped: [Bool]
  }

  private(set) var tracks: [RequestedTrack] = []
  private var entries: [Entry] = []
  private var events: [EventMessages.Event] = []
  private var next = 0
  private let identifiers: [String]
  private let source: any RandomAccessSource
  private let end: UInt64
  /// The number of bytes to read for all entries.
  private var byteCount: UInt64 = 0

  /// The maximum number of presented samples: a sample for each frame of a movie of nine hours.
  static let entryCountLimit = 2_000_000
  /// The maximum size of a sample. Payloads of cameras have some kilobytes.
  static let sampleByteCountLimit: UInt64 = 8 << 20
  /// The maximum ratio of the bytes in all samples to the size of the file. Samples that share their bytes, and edits
  /// that repeat samples, would otherwise make a small file take hours.
  private static let repetitionLimit: UInt64 = 64
  /// The size of a batch.
  private static let batchByteCount: UInt64 = 1 << 20
  private static let batchCount = 512

  /// Lists the samples. See ``Movie/timedMetadata(in:identifiers:range:from:)``.
  package init(
    _ movie: Movie, in trackIDs: Set<UInt32>?, identifiers: [String], range: Range<Int64>?,
    from source: some RandomAccessSource, presented known: PresentedMovie? = nil
  ) throws {
    self.identifiers = identifiers
    self.source = source
    end = try source.identity().byteCount
    let presented = try known ?? movie.includingFragments(from: source)
    for track in presented.movie.tracks where trackIDs?.contains(track.id) ?? true {
      try add(track, of: presented, range)
    }
    if trackIDs == nil { add(try EventMessages(of: presented, from: source), range) }
    if tracks.count > 1 || !events.isEmpty {
      entries.sort { ($0.microseconds.lowerBound, $0.track) < ($1.microseconds.lowerBound, $1.track) }
    }
  }

  /// Lists the events of a media segment (a file without a movie atom). Returns `nil` for other files.
  package init?(
    ofSegment source: some RandomAccessSource, identifiers: [String], range: Range<Int64>?
  ) throws {
    guard let events = try EventMessages(ofSegment: source) else { return nil }
    self.identifiers = identifiers
    self.source = source
    end = try source.identity().byteCount
    add(events, range)
  }

  private mutating func add(_ messages: EventMessages, _ range: Range<Int64>?) {
    events = messages.events
    for (index, event) in events.enumerated() where range?.overlaps(event.microseconds) ?? true {
      entries.append(
        Entry(
          microseconds: event.microseconds, sampleMicroseconds: event.microseconds, bytes: ByteRange(0..<0),
          track: -1, description: Int32(clamping: index)))
    }
  }

  private mutating func add(_ track: Track, of presented: PresentedMovie, _ range: Range<Int64>?) throws {
    let decoders = track.timedSampleDecoders
    let areSkipped = zip(decoders, track.sampleDescriptions.entries).map { decoder, entry in
      guard let decoder else { return true }
      guard !identifiers.isEmpty else { return false }
      if let declared = decoder.declaredIdentifiers { return !declared.contains { isRequested($0) } }
      // Read boxed samples even if no key is requested, because a pattern may request a field or an unknown item.
      guard case .boxed = decoder else { return false }
      let keys = entry.timedMetadataKeys
      return !keys.isEmpty && !keys.contains { isRequested($0.identifier) }
        && !identifiers.contains { $0.hasPrefix("mebx/") }
    }
    guard areSkipped.contains(false) else { return }
    let path = presented.movie.tree.path(of: track.atom)
    let index = Int32(clamping: tracks.count)
    tracks.append(RequestedTrack(id: track.id, path: path, decoders: decoders, areSkipped: areSkipped))
    guard track.sampleCount(in: presented.fragments) <= Self.entryCountLimit else { throw Self.limitError(path) }
    let samples = try joiningLongItems(
      track.placedSamples(in: presented.fragments) { sample, description in
        decoders.indices.contains(description) && decoders[description] != nil ? sample.byteRange : nil
      }, decoders, path)
    let times = Self.times(of: samples)
    let segments = try track.presentingMedia.shownSegments(
      movieTimeScale: presented.movie.header.timeScale, unitsPerSecond: 1_000_000)
    let movieEnd = presented.endMicroseconds
    let scale = track.mediaHeader.timeScale
    var visitedCount = 0
    let first = entries.count
    try segments.visit(times, movieEnd: movieEnd) { number, segment, shown throws(MovieError) in
      visitedCount += 1
      guard entries.count < Self.entryCountLimit, visitedCount / 64 <= Self.entryCountLimit else {
        throw Self.limitError(path)
      }
      guard let shown, range?.overlaps(shown) ?? true else { return }
      let sample = samples[number]
      try spend(sample.bytes, path)
      entries.append(
        Entry(
          microseconds: shown,
          sampleMicroseconds: Self.wholeRange(times[number], shown: shown, from: segment.mediaStart, scale),
          bytes: sample.bytes, track: index, description: Int32(clamping: sample.description)))
    }
    // The samples and the segments are in time order, so the entries should be in time order too. Callers rely on this
    // order, so it is checked.
    if !entries[first...].isInOrder {
      entries[first...].sort { $0.microseconds.lowerBound < $1.microseconds.lowerBound }
    }
  }

  /// Joins the samples of an item that lasts longer than one sample can last.
  ///
  /// Writers divide such an item of boxed metadata into samples with the same bytes. All of them except the last have
  /// the longest duration, so the bytes of other samples are not compared.
  private mutating func joiningLongItems(
    _ samples: [PlacedSample], _ decoders: [TimedSampleDecoder?], _ path: String
  ) throws -> [PlacedSample] {
    let longest = Int64(Sample.longestDuration)
    func isLongest(_ sample: PlacedSample) -> Bool { sample.end.subtractingClamped(sample.start) == longest }
    guard samples.contains(where: isLongest) else { return samples }
    var joined: [PlacedSample] = []
    for (index, sample) in samples.enumerated() {
      if let first = joined.last, isLongest(samples[index - 1]), first.end == sample.start, sample.start < sample.end,
        first.description == sample.description, first.bytes.count == sample.bytes.count,
        case .boxed? = decoders[sample.description], problem(of: first.bytes) == nil, problem(of: sample.bytes) == nil,
        try haveSameBytes(first.bytes, sample.bytes, path)
      {
        joined[joined.count - 1].end = sample.end
      } else {
        joined.append(sample)
      }
    }
    return joined
  }

  private mutating func haveSameBytes(_ first: ByteRange, _ second: ByteRange, _ path: String) throws -> Bool {
    guard first != second else { return true }
    try spend(first, path)
    try spend(second, path)
    return try source.read(first) == source.read(second)
  }

  /// Counts bytes that will be read. Throws if the samples together have far more bytes than the file.
  private mutating func spend(_ sample: ByteRange, _ path: String) throws(MovieError) {
    guard problem(of: sample) == nil else { return }
    byteCount = byteCount.addingClamped(sample.count)
    guard byteCount / Self.repetitionLimit <= end else {
      throw MovieError(
        .limit, in: path,
        "the samples of timed metadata add up to more than \(Self.repetitionLimit) times the size of the file")
    }
  }

  /// Returns the time ranges of the samples in the media. A sample without a duration lasts until the next sample.
  private static func times(of samples: [PlacedSample]) -> [(start: Int64, end: Int64)] {
    var times = samples.map { (start: $0.start, end: $0.end) }
    var following: Int64?
    for index in times.indices.reversed() {
      let (start, end) = times[index]
      if end <= start { times[index].end = following ?? start.addingClamped(1) }
      if index > 0, times[index - 1].start < start { following = start }
    }
    return times
  }

  /// Returns the time range that the movie would present if no edit trimmed the sample.
  private static func wholeRange(
    _ time: (start: Int64, end: Int64), shown: Range<Int64>, from mediaStart: Int64, _ timeScale: UInt32
  ) -> Range<Int64> {
    guard time.start < mediaStart, time.end < .max,
      let hidden = MediaTime(ticks: mediaStart.subtractingClamped(time.start), timeScale: timeScale),
      let duration = MediaTime(ticks: time.end.subtractingClamped(time.start), timeScale: timeScale)
    else { return shown }
    let start = shown.lowerBound.subtractingClamped(hidden.ticks(of: 1_000_000))
    return start..<Swift.max(start.addingClamped(duration.ticks(of: 1_000_000)), shown.upperBound)
  }

  private static func limitError(_ path: String) -> MovieError {
    MovieError(.limit, in: path, "the track has more than \(entryCountLimit) samples of timed metadata")
  }

  /// Whether an identifier matches a requested pattern.
  private func isRequested(_ identifier: MetadataIdentifier) -> Bool {
    identifiers.contains { identifier.isSelected(by: $0) }
  }

  private func isRequested(_ item: MetadataItem) -> Bool { identifiers.contains { item.isSelected(by: $0) } }
}

extension MetadataIdentifier {
  /// Whether the identifier or its common identifier matches a pattern.
  package func isSelected(by pattern: String) -> Bool { matches(pattern) || common?.matches(pattern) ?? false }
}

extension MetadataItem {
  /// Whether a pattern selects the item, by its own identifier or by an item directly inside its value.
  package func isSelected(by pattern: String) -> Bool {
    identifier.isSelected(by: pattern) || nestedItems.contains { $0.identifier.isSelected(by: pattern) }
  }
}

// MARK: - Reading

extension TimedMetadataReader {
  /// Reads the next samples, and calls `body` for each. Returns `false` after the last. Events and samples that cannot
  /// be read have no bytes.
  mutating func readSamples(_ body: (Entry, Bytes, _ problem: String?) throws -> Void) throws -> Bool {
    guard next < entries.count else { return false }
    let first = next
    var ranges: [ByteRange] = []
    ranges.reserveCapacity(Self.batchCount)
    var byteCount: UInt64 = 0
    while next < entries.count, ranges.count < Self.batchCount, byteCount < Self.batchByteCount {
      let range = entries[next].bytes
      ranges.append(problem(of: range) == nil ? range : ByteRange(0..<0))
      byteCount = byteCount.addingClamped(ranges[ranges.count - 1].count)
      next += 1
    }
    try SampleBatch(ranges).forEach(from: source) { index, bytes, offset in
      let entry = entries[first + index]
      let sample = bytes.slice(at: offset, count: Int(clamping: ranges[index].count)) ?? Bytes()
      try body(entry, sample, problem(of: entry.bytes))
    }
    return true
  }

  /// Returns the reason why a sample cannot be read, or `nil` if it can.
  private func problem(of sample: ByteRange) -> String? {
    if sample.end > end {
      return "the sample of \(sample.count) bytes extends past the end of the file at \(end)"
    }
    return sample.count > Self.sampleByteCountLimit
      ? "the sample has \(sample.count) bytes: the limit is \(Self.sampleByteCountLimit)" : nil
  }

  /// Reads the next groups. Returns `nil` after the last. Throws the errors of the source.
  package mutating func nextGroups() throws -> [TimedMetadataGroup]? {
    var groups: [TimedMetadataGroup] = []
    groups.reserveCapacity(Self.batchCount)
    let reader = self
    let isRead = try readSamples { entry, bytes, problem in
      if let group = reader.group(entry, bytes, problem) { groups.append(group) }
    }
    return isRead ? groups : nil
  }

  private func group(_ entry: Entry, _ bytes: Bytes, _ problem: String?) -> TimedMetadataGroup? {
    guard entry.track >= 0 else {
      let event = events[Int(entry.description)]
      let item = event.message.item(at: event.place)
      guard identifiers.isEmpty || isRequested(item) else { return nil }
      return TimedMetadataGroup(microseconds: entry.microseconds, items: [item], trackID: nil, problem: nil)
    }
    let track = tracks[Int(entry.track)]
    guard let decoder = track.decoders[Int(entry.description)] else { return nil }
    guard problem == nil else {
      return TimedMetadataGroup(microseconds: entry.microseconds, items: [], trackID: track.id, problem: problem)
    }
    let whole = entry.sampleMicroseconds
    var decoded = DecodedTimedSample()
    // If a sample description declares no requested keys, its samples become gaps and are not decoded.
    if !track.areSkipped[Int(entry.description)] {
      decoded = decoder.decode(
        bytes, lasting: whole.upperBound.subtractingClamped(whole.lowerBound),
        at: TimedSamplePlace(trackID: track.id, path: track.path, offset: entry.bytes.offset))
    }
    if !identifiers.isEmpty {
      decoded.items.removeAll { !isRequested($0) }
      // Only a boxed sample contains all items that are valid at its time, so only an empty boxed sample is a gap.
      if decoded.items.isEmpty, decoded.problem == nil {
        guard case .boxed = decoder else { return nil }
      }
    }
    return TimedMetadataGroup(
      microseconds: entry.microseconds, items: decoded.items, trackID: track.id, problem: decoded.problem)
  }
}

extension ArraySlice<TimedMetadataReader.Entry> {
  /// Whether the entries are sorted by start.
  fileprivate var isInOrder: Bool {
    zip(self, dropFirst()).allSatisfy { $0.microseconds.lowerBound <= $1.microseconds.lowerBound }
  }
}

extension Int64 {
  /// Returns the product, limited to 64 bits.
  func scaledClamped(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? (self < 0 ? .min : .max) : product
  }
}
