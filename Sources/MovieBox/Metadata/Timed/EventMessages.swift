// Events between the fragments of a recording (`emsg`; ISO/IEC 23009-1, 5.10.3.3), such as ID3 tags.
//
// Times of version 1 use the clock of the recording. Times of version 0 count from the start of the fragment after the
// event.

import Subtitles

package struct EventMessage: Sendable {
  package let version: UInt8
  let scheme: String
  let value: String
  package let timeScale: UInt32
  /// The start in ticks of the time scale.
  package let time: UInt64
  /// The duration in ticks, or `nil` if it is unknown.
  package let duration: UInt32?
  let id: UInt32
  let data: Bytes
  /// The payload of the atom.
  package let payload: Bytes
  /// The range of the time in the payload.
  package let timeRange: Range<Int>

  /// Parses the payload of an atom. Returns `nil` if it is truncated, its version is unknown, or its time scale is 0.
  package init?(_ payload: Bytes) {
    guard let version = payload.load(at: 0, as: UInt8.self), version <= 1 else { return nil }
    var position = 4
    func string() -> String? {
      let rest = payload.dropFirst(position)
      guard let end = rest.firstIndex(of: 0) else { return nil }
      position += end + 1
      return String(decoding: rest.prefix(end), as: UTF8.self)
    }
    func number() -> UInt32? {
      guard let number = payload.load(at: position, as: UInt32.self) else { return nil }
      position += 4
      return number
    }
    var (scheme, value): (String?, String?)
    if version == 0 { (scheme, value) = (string(), string()) }
    guard let timeScale = number(), timeScale > 0 else { return nil }
    let time: UInt64
    let timeOffset = position
    if version == 1 {
      guard let wide = payload.load(at: position, as: UInt64.self) else { return nil }
      time = wide
      position += 8
    } else {
      guard let delta = number() else { return nil }
      time = UInt64(delta)
    }
    timeRange = timeOffset..<position
    guard let duration = number(), let id = number() else { return nil }
    if version == 1 { (scheme, value) = (string(), string()) }
    guard let scheme, let value else { return nil }
    (self.version, self.scheme, self.value, self.timeScale) = (version, scheme, value, timeScale)
    (self.time, self.duration, self.id) = (time, duration == .max ? nil : duration, id)
    data = payload.dropFirst(position)
    self.payload = payload
  }

  /// The scheme as an identifier, such as `emsg/https://aomedia.org/emsg/ID3`.
  var identifier: MetadataIdentifier {
    MetadataIdentifier(.init(rawValue: "emsg"), key: scheme.isEmpty ? "event" : scheme)
  }

  /// Returns the event as an item. Frames of ID3 tags are nested items.
  func item(at place: TimedSamplePlace) -> MetadataItem {
    var details = ["id": String(id)]
    if !value.isEmpty { details["value"] = value }
    var item = MetadataItem(identifier, .data(data), data, details: details, at: place.item())
    item.nestedItems = (ID3Tag(data)?.frames ?? []).enumerated().map { number, frame in
      MetadataItem(
        MetadataIdentifier(.id3, frame.type), frame.value, frame.bytes, language: frame.language,
        details: frame.details, at: place.item(number: number))
    }
    return item
  }
}

/// A reader of the events of a file. It limits the size of the events.
package struct EventMessageReader {
  /// The maximum size of an event. An SCTE-35 message has at most 4 KiB.
  static let byteCountLimit: UInt64 = 1 << 20
  /// The maximum size of all events together. They are kept in memory.
  private var remainingByteCount: UInt64 = 16 << 20

  package init() {}

  /// Reads the event in an atom. Returns `nil` if the atom is truncated or unreadable, or exceeds the limits.
  package mutating func read(
    _ atom: FileLayout.TopLevelAtom, from source: some RandomAccessSource
  ) throws -> EventMessage? {
    guard !atom.isTruncated, atom.range.count <= Swift.min(remainingByteCount, Self.byteCountLimit) else { return nil }
    remainingByteCount -= atom.range.count
    return EventMessage(try source.readExactly(atom.payloadRange))
  }
}

/// The events of a movie with their times.
struct EventMessages: Sendable {
  struct Event: Sendable {
    let message: EventMessage
    /// The time range in the movie. An event without a duration lasts one microsecond.
    let microseconds: Range<Int64>
    let place: TimedSamplePlace
  }

  private(set) var events: [Event] = []
  /// The number of events that are unreadable or exceed the limits.
  private(set) var omittedCount = 0

  /// The entry for the events in a list of timed metadata tracks, or `nil` if there are no events.
  var track: TimedMetadataTrack? {
    guard let first = events.map(\.microseconds.lowerBound).min(),
      let last = events.map(\.microseconds.upperBound).max()
    else { return nil }
    return TimedMetadataTrack(
      trackID: nil, format: "emsg", keys: [], describedTrackIDs: [], sampleCount: events.count,
      microseconds: first..<last, declaredIdentifiers: events.map(\.message.identifier).withoutRepetition)
  }

  /// Reads the events. Omits unreadable events, events that exceed the limits, and repetitions.
  init(of presented: PresentedMovie, from source: some RandomAccessSource) throws {
    var fragments = (presented.fragments?.fragments ?? [])[...]
    try read(
      presented.movie.layout, from: source,
      base: -(presented.start.map { Self.microseconds($0.ticks, $0.timeScale) } ?? 0)
    ) { atom in
      while let next = fragments.first, next.range.offset < atom.range.offset { fragments.removeFirst() }
      return fragments.first.flatMap { presented.start(of: $0) } ?? 0
    }
  }

  /// Reads the events of a media segment (a file without a movie atom). Returns `nil` for other files.
  ///
  /// Times use the clock of the recording. The segment index (`sidx`) contains the start of the segment. Without the
  /// index, the segment starts at 0.
  init?(ofSegment source: some RandomAccessSource) throws {
    let layout = try FileLayout(of: source)
    guard layout.first("moov") == nil, layout.first("emsg") != nil else { return nil }
    var start: Int64 = 0
    if let sidx = layout.first("sidx"), !sidx.isTruncated, sidx.range.count <= EventMessageReader.byteCountLimit {
      let index = try SegmentIndex(payload: source.readExactly(sidx.payloadRange))
      start = Self.microseconds(Int64(clamping: index.earliestPresentationTime), index.timeScale)
    }
    try read(layout, from: source, base: 0) { _ in start }
  }

  /// - Parameters:
  ///   - base: the time that is added to the times of version 1.
  ///   - start: returns the start of a fragment. It is called once for each fragment, in file order.
  private mutating func read(
    _ layout: FileLayout, from source: some RandomAccessSource, base: Int64,
    start: (FileLayout.TopLevelAtom) -> Int64
  ) throws {
    guard layout.first("emsg") != nil else { return }
    var reader = EventMessageReader()
    var pending: [(EventMessage, TimedSamplePlace)] = []
    var known: Set<Bytes> = []
    for atom in layout.atoms {
      if atom.type == "emsg" {
        guard let message = try reader.read(atom, from: source) else {
          omittedCount += 1
          continue
        }
        let place = TimedSamplePlace(trackID: nil, path: "emsg", offset: atom.range.offset)
        if message.version == 0 {
          pending.append((message, place))
        } else if known.insert(message.payload).inserted {
          add(message, relativeTo: base, at: place)
        }
      } else if atom.type == "moof" {
        let time = start(atom)
        for (message, place) in pending { add(message, relativeTo: time, at: place) }
        pending = []
      }
    }
    for (message, place) in pending { add(message, relativeTo: 0, at: place) }
    events.sort { $0.microseconds.lowerBound < $1.microseconds.lowerBound }
  }

  private mutating func add(_ message: EventMessage, relativeTo base: Int64, at place: TimedSamplePlace) {
    let start = Self.microseconds(Int64(clamping: message.time), message.timeScale).addingClamped(base)
    guard start < .max else { return }
    let duration = Self.microseconds(Int64(message.duration ?? 0), message.timeScale)
    events.append(
      Event(
        message: message, microseconds: start..<Swift.max(start + 1, start.addingClamped(duration)), place: place))
  }

  private static func microseconds(_ ticks: Int64, _ timeScale: UInt32) -> Int64 {
    MediaTime(ticks: ticks, timeScale: timeScale)?.ticks(of: 1_000_000) ?? 0
  }
}

extension PresentedMovie {
  /// Returns the time at which a fragment presents its first sample, in microseconds of the movie, or `nil` if the
  /// fragment has no samples.
  func start(of fragment: MovieFragment) -> Int64? {
    fragment.trackFragments.lazy.compactMap { part -> Int64? in
      guard let samples = fragments?.track(part.trackID), let track = movie.track(part.trackID) else { return nil }
      // Subtract the start of the track's edit, so the times count from the start of the recording.
      let shift = (-Swift.max(0, track.presentationStartInMediaTicks))
        .addingClamped(-Int64(clamping: samples.ticksBeforeStart))
      let empty = MediaTime(
        ticks: Int64(clamping: track.presentationStartInMovieTicks), timeScale: movie.header.timeScale)
      return samples.presentationStart(of: part).flatMap {
        MediaTime(ticks: $0.addingClamped(shift), timeScale: track.mediaHeader.timeScale)?.ticks(of: 1_000_000)
      }?.addingClamped(empty?.ticks(of: 1_000_000) ?? 0)
    }.first
  }
}
