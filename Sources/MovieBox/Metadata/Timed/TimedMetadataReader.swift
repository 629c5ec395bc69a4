// The reader of timed metadata. It merges the presented samples of all requested tracks in the order of time, and reads
// and decodes them in batches.
//
// At any time, only a block of each track's samples and the bytes of one batch are in memory. Tracks whose samples are
// not in the order of their times are an exception: all their samples are listed.

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

    init(_ sample: PresentedSample, track: Int32) {
      (microseconds, sampleMicroseconds) = (sample.microseconds, sample.wholeMicroseconds)
      (bytes, description) = (sample.bytes, sample.description)
      self.track = track
    }

    init(_ event: EventMessages.Event, index: Int) {
      (microseconds, sampleMicroseconds) = (event.microseconds, event.microseconds)
      (bytes, track, description) = (ByteRange(0..<0), -1, Int32(clamping: index))
    }

    /// Whether the entry is before another entry. Entries of the same time are in the order of their tracks.
    static func < (first: Entry, second: Entry) -> Bool {
      (first.microseconds.lowerBound, first.track) < (second.microseconds.lowerBound, second.track)
    }
  }

  /// A requested track. It is a class because each sample requires a reference to its track, and copies of these
  /// members would take a quarter of the time of decoding.
  final class RequestedTrack: Sendable {
    let id: UInt32
    let path: String
    let decoders: [TimedSampleDecoder?]
    /// For each sample description, whether its keys contain no requested identifier.
    let areSkipped: [Bool]

    init(id: UInt32, path: String, decoders: [TimedSampleDecoder?], areSkipped: [Bool]) {
      (self.id, self.path, self.decoders, self.areSkipped) = (id, path, decoders, areSkipped)
    }
  }

  private(set) var tracks: [RequestedTrack] = []
  /// The cursors of ``tracks``.
  private var cursors: [PresentedSampleCursor] = []
  /// The events in the requested time range, in the order of time.
  private var events: [EventMessages.Event] = []
  private var nextEvent = 0
  /// The number of events that are unreadable or exceed the limits.
  package private(set) var omittedEventCount = 0
  /// The next entry of each track, and the next event.
  private var queue = EntryQueue()
  private let identifiers: [String]
  private let source: any RandomAccessSource
  private let end: UInt64
  /// The number of entries that were read, and the number of their bytes.
  private var (entryCount, byteCount): (Int, UInt64) = (0, 0)

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

  /// Finds the first samples. See ``Movie/timedMetadata(in:identifiers:range:from:)``.
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
    omittedEventCount = messages.omittedCount
    events = messages.events.filter { range?.overlaps($0.microseconds) ?? true }
    if let first = takeEvent() { queue.insert(first) }
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
    let isRead = decoders.map { $0 != nil }
    let samples = PlacedSampleIterator(track, in: presented.fragments, isRead: isRead)
    let blocks =
      try PlacedSampleBlocks(samples)
      ?? PlacedSampleBlocks(
        listed: joiningLongItems(
          track.placedSamples(in: presented.fragments) { sample, description in
            isRead.indices.contains(description) && isRead[description] ? sample.byteRange : nil
          }, decoders, path))
    cursors.append(
      PresentedSampleCursor(
        blocks,
        try track.presentingMedia.shownSegments(
          movieTimeScale: presented.movie.header.timeScale, unitsPerSecond: 1_000_000),
        movieEnd: presented.endMicroseconds, timeScale: track.mediaHeader.timeScale, in: range,
        visitLimit: 64 * Self.entryCountLimit))
    if let first = try takeSample(ofTrack: index) { queue.insert(first) }
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
        case .boxed? = decoders[sample.description], Self.problem(of: first.bytes, end) == nil,
        Self.problem(of: sample.bytes, end) == nil, try haveSameBytes(first.bytes, sample.bytes, path)
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
    guard Self.problem(of: sample, end) == nil else { return }
    byteCount = byteCount.addingClamped(sample.count)
    guard byteCount / Self.repetitionLimit <= end else {
      throw MovieError(
        .limit, in: path,
        "the samples of timed metadata add up to more than \(Self.repetitionLimit) times the size of the file")
    }
  }

  private static func limitError(_ path: String) -> MovieError {
    MovieError(.limit, in: path, "the track has more than \(entryCountLimit) samples of timed metadata")
  }

  /// Whether an identifier matches a requested pattern.
  private func isRequested(_ identifier: MetadataIdentifier) -> Bool {
    identifiers.contains { identifier.isSelected(by: $0) }
  }
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

// MARK: - Entries

extension TimedMetadataReader {
  /// Moves to the next sample of a track.
  private mutating func takeSample(ofTrack index: Int32) throws(MovieError) -> Entry? {
    do throws(MovieError) {
      return try cursors[Int(index)].next().map { Entry($0, track: index) }
    } catch {
      throw error.path.isEmpty ? MovieError(error.code, in: tracks[Int(index)].path, error.reason) : error
    }
  }

  /// Moves to the next event.
  private mutating func takeEvent() -> Entry? {
    guard nextEvent < events.count else { return nil }
    nextEvent += 1
    return Entry(events[nextEvent - 1], index: nextEvent - 1)
  }

  /// Returns the next entry of all tracks and events, or `nil` after the last.
  private mutating func takeEntry() throws(MovieError) -> Entry? {
    guard let entry = queue.first else { return nil }
    if entry.track < 0 {
      queue.replaceFirst(with: takeEvent())
    } else {
      queue.replaceFirst(with: try takeSample(ofTrack: entry.track))
      let path = tracks[Int(entry.track)].path
      entryCount += 1
      guard entryCount <= Self.entryCountLimit else { throw Self.limitError(path) }
      try spend(entry.bytes, path)
    }
    return entry
  }
}

/// The next entries of several sources, as a binary heap: each entry precedes the entries at twice its index plus one
/// and plus two.
private struct EntryQueue: Sendable {
  typealias Entry = TimedMetadataReader.Entry
  private var entries: [Entry] = []

  /// The earliest entry, or `nil` if the queue is empty.
  var first: Entry? { entries.first }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0, entries[index] < entries[(index - 1) / 2] {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Replaces the earliest entry by the next entry of its source, or removes it if the source has no more entries.
  mutating func replaceFirst(with entry: Entry?) {
    guard let entry = entry ?? entries.popLast(), !entries.isEmpty else { return }
    entries[0] = entry
    var index = 0
    while true {
      var earliest = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count && entries[child] < entries[earliest] {
        earliest = child
      }
      guard earliest != index else { return }
      entries.swapAt(index, earliest)
      index = earliest
    }
  }
}

// MARK: - Reading

extension TimedMetadataReader {
  /// Reads the next samples, and calls `body` for each. Returns `false` after the last. Events and samples that cannot
  /// be read have no bytes.
  mutating func readSamples(_ body: (Entry, Bytes, _ problem: String?) throws -> Void) throws -> Bool {
    var (batch, ranges): ([Entry], [ByteRange]) = ([], [])
    ranges.reserveCapacity(Self.batchCount)
    var byteCount: UInt64 = 0
    // The closure below captures this value, because a captured reader would be copied for each sample.
    let end = end
    while ranges.count < Self.batchCount, byteCount < Self.batchByteCount, let entry = try takeEntry() {
      batch.append(entry)
      ranges.append(Self.problem(of: entry.bytes, end) == nil ? entry.bytes : ByteRange(0..<0))
      byteCount = byteCount.addingClamped(ranges[ranges.count - 1].count)
    }
    guard !batch.isEmpty else { return false }
    try SampleBatch(ranges).forEach(from: source) { index, bytes, offset in
      let sample = bytes.slice(at: offset, count: Int(clamping: ranges[index].count)) ?? Bytes()
      try body(batch[index], sample, Self.problem(of: batch[index].bytes, end))
    }
    return true
  }

  /// Returns the reason why a sample cannot be read from a file with the given end, or `nil` if it can.
  private static func problem(of sample: ByteRange, _ end: UInt64) -> String? {
    if sample.end > end {
      return "the sample of \(sample.count) bytes extends past the end of the file at \(end)"
    }
    return sample.count > sampleByteCountLimit
      ? "the sample has \(sample.count) bytes: the limit is \(sampleByteCountLimit)" : nil
  }

  /// Reads the next groups, and calls `body` for each. Returns `false` after the last. Throws the errors of the source.
  package mutating func readGroups(_ body: (TimedMetadataGroup) -> Void) throws -> Bool {
    let decoder = GroupDecoder(tracks: tracks, events: events, identifiers: identifiers)
    return try readSamples { entry, bytes, problem in
      if let group = decoder.group(entry, bytes, problem) { body(group) }
    }
  }

  /// Reads the next groups. Returns `nil` after the last. Throws the errors of the source.
  package mutating func nextGroups() throws -> [TimedMetadataGroup]? {
    var groups: [TimedMetadataGroup] = []
    groups.reserveCapacity(Self.batchCount)
    return try readGroups { groups.append($0) } ? groups : nil
  }
}

/// A decoder of the groups of a reader.
private struct GroupDecoder {
  let tracks: [TimedMetadataReader.RequestedTrack]
  let events: [EventMessages.Event]
  let identifiers: [String]

  private func isRequested(_ item: MetadataItem) -> Bool { identifiers.contains { item.isSelected(by: $0) } }

  func group(_ entry: TimedMetadataReader.Entry, _ bytes: Bytes, _ problem: String?) -> TimedMetadataGroup? {
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

extension Int64 {
  /// Returns the product, limited to 64 bits.
  func scaledClamped(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? (self < 0 ? .min : .max) : product
  }
}
