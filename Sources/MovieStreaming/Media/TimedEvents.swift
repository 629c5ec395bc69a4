import MovieBox
import MovieWriter

/// The timed events of a recording (`emsg`; ISO/IEC 23009-1, 5.10.3.3), such as ID3 tags and SCTE-35 messages, assigned
/// to the segments of a track.
///
/// A recording contains events between its fragments. A presentation contains them at the start of the segment that
/// plays at their time, in the reference track. Times of version 1 use the media clock and are shifted with it. Times
/// of version 0 count from the start of a segment, and are converted to count from the start of the new segment.
struct TimedEvents: Sendable {
  /// The atoms of each segment with events, by segment number.
  private(set) var atoms: [Int: [UInt8]] = [:]
  /// The number of events that end before the presentation starts.
  private(set) var earlyCount = 0
  /// The number of atoms that are cut off, have no time scale, or exceed the limits.
  private(set) var unreadableCount = 0

  /// Creates an empty list of events.
  init() {}

  /// Reads the events of a movie for the segments of one of its tracks. For events of version 0, also reads the sample
  /// times of the next fragment.
  ///
  /// - Parameters:
  ///   - start: the time that is subtracted from the clock of the recording, or `nil` if the clock is kept.
  ///   - delay: the difference between presentation times and movie times.
  init(of streamed: StreamedMovie, for reference: ReferenceTrack, from start: MediaTime?, laterBy delay: StreamDelay)
    throws
  {
    let layout = streamed.movie.layout
    guard layout.first("emsg") != nil else { return }
    let mapping = SegmentMapping(streamed, reference, start, delay)
    var fragments = streamed.fragments.fragments[...]
    var pendingEvents: [TimedEvent] = []
    var reader = EventMessageReader()
    for atom in layout.atoms {
      if atom.type == "emsg" {
        guard let event = try reader.read(atom, from: streamed.source).map(TimedEvent.init) else {
          unreadableCount += 1
          continue
        }
        if event.version == 1 { add(event, mapping) } else { pendingEvents.append(event) }
      } else if atom.type == "moof" {
        while let next = fragments.first, next.range.offset < atom.range.offset { fragments.removeFirst() }
        guard !pendingEvents.isEmpty, let fragment = fragments.first, fragment.range.offset == atom.range.offset,
          let base = mapping.start(of: fragment)
        else { continue }
        for event in pendingEvents { add(event.withAbsoluteTime(from: base), mapping) }
        pendingEvents = []
      }
    }
    unreadableCount += pendingEvents.count
  }

  /// Adds the ID3 tags of a movie to the segments of one of its tracks.
  mutating func add(
    _ metadata: TimedID3, of streamed: StreamedMovie, for reference: ReferenceTrack, laterBy delay: StreamDelay
  ) {
    let mapping = SegmentMapping(streamed, reference, nil, delay)
    for (number, tag) in metadata.tags.enumerated() {
      if let event = TimedEvent(tag, id: UInt32(clamping: number + 1)) { add(event, mapping) }
    }
  }

  private mutating func add(_ event: TimedEvent, _ mapping: SegmentMapping) {
    guard let placedEvent = mapping.segment(at: event) else {
      earlyCount += 1
      return
    }
    atoms[placedEvent.segment, default: []] += placedEvent.atom
  }

  /// A mapping from movie times to the segments of a track.
  private struct SegmentMapping {
    private let streamed: StreamedMovie
    private let reference: ReferenceTrack
    private let timeline: TrackTimeline
    private let start: MediaTime?
    private let delay: StreamDelay

    init(_ streamed: StreamedMovie, _ reference: ReferenceTrack, _ start: MediaTime?, _ delay: StreamDelay) {
      self.streamed = streamed
      self.reference = reference
      timeline = reference.streamed.timeline
      self.start = start
      self.delay = delay
    }

    /// Returns the time at which a fragment shows its first sample, on the movie's clock, or `nil` if it has no
    /// samples.
    ///
    /// If the fragment contains samples of the reference track, uses these samples. Otherwise, uses the samples of
    /// another track.
    func start(of fragment: MovieFragment) -> MediaTime? {
      let parts = fragment.trackFragments.filter { !$0.runs.isEmpty }
      let trackParts = parts.filter { $0.trackID == reference.streamed.track.id }
      return (trackParts + parts).lazy.compactMap(start(of:)).first
    }

    /// Returns the time at which a track fragment shows its first sample, on the movie's clock, or `nil` if it has no
    /// samples.
    private func start(of trackFragment: TrackFragment) -> MediaTime? {
      guard let samples = streamed.fragments.track(trackFragment.trackID),
        let track = streamed.movie.track(trackFragment.trackID)
      else { return nil }
      // The edit list subtracts the start of the recording too.
      let empty = MediaTime(
        ticks: Int64(clamping: track.presentationStartInMovieTicks), timeScale: streamed.movie.header.timeScale)
      let scale = track.mediaHeader.timeScale
      let shift = (empty?.ticks(of: scale) ?? 0)
        .addingClamped(-max(0, track.presentationStartInMediaTicks))
        .addingClamped(-Int64(clamping: samples.ticksBeforeStart))
      return samples.presentationStart(of: trackFragment).flatMap {
        MediaTime(ticks: $0.addingClamped(shift), timeScale: scale)
      }
    }

    /// Returns the segment that plays at the time of an event, and the event's atom with its time in the presentation.
    /// Returns `nil` if the event ends before the presentation starts.
    func segment(at event: TimedEvent) -> (segment: Int, atom: [UInt8])? {
      let scale = event.timeScale
      // Times of version 0 are already on the movie's clock. Times of version 1 are on the recording's clock.
      let origin = event.version == 1 ? start?.ticks(of: scale) ?? 0 : 0
      let time = event.time.addingClamped(-origin)  // A start is positive, so its negation does not overflow.
      let opening = MediaTime(ticks: timeline.start, timeScale: timeline.timeScale)?.ticks(of: scale) ?? 0
      guard time >= opening || time.addingClamped(event.knownDuration) > opening else { return nil }
      let ticks = MediaTime(ticks: time, timeScale: scale)?.ticks(of: timeline.timeScale) ?? 0
      let segment = reference.cuts.boundaries.partitioningIndex { $0 > ticks }
      guard event.version == 0 else {
        return (segment, event.atom(withTime: UInt64(clamping: time.addingClamped(delay.ticks(scale)))))
      }
      let first = segment == 0 ? timeline.start : reference.cuts.boundaries[segment - 1]
      let base = MediaTime(ticks: first, timeScale: timeline.timeScale)?.ticks(of: scale) ?? 0
      return (segment, event.atom(withTime: UInt64(clamping: time.addingClamped(-base))))
    }
  }
}

private struct TimedEvent {
  private let message: EventMessage
  var version: UInt8 { message.version }
  var timeScale: UInt32 { message.timeScale }
  /// The start of the event in ticks of ``timeScale``, on the recording's clock or from the start of a segment.
  private(set) var time: Int64
  /// The duration in ticks, or 0 if it is unknown.
  var knownDuration: Int64 { Int64(message.duration ?? 0) }

  init(_ message: EventMessage) {
    self.message = message
    time = Int64(clamping: message.time)
  }

  /// Creates an event of version 1 with a tag. Its time is on the movie's clock.
  init?(_ tag: TimedID3.Tag, id: UInt32) {
    var writer = ByteWriter()
    writer.write(UInt32(1) << 24)  // The version.
    writer.write(UInt32(1_000_000))
    writer.write(UInt64(clamping: tag.microseconds.lowerBound))
    writer.write(UInt32(clamping: tag.microseconds.upperBound.subtractingClamped(tag.microseconds.lowerBound)))
    writer.write(id)
    writer.write(cString: TimedID3.scheme)
    writer.write(cString: "")
    writer.write(tag.bytes)
    guard let message = EventMessage(Bytes(writer.take())) else { return nil }
    self.init(message)
  }

  /// Returns the event with a time that counts from 0 instead of from the start of its segment.
  func withAbsoluteTime(from base: MediaTime) -> TimedEvent {
    var shifted = self
    shifted.time = time.addingClamped(base.ticks(of: timeScale))
    return shifted
  }

  /// Returns the atom with another time.
  func atom(withTime time: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("emsg") { writer in
      writer.write(message.payload.slice(at: 0, count: message.timeRange.lowerBound) ?? Bytes())
      if version == 1 { writer.write(time) } else { writer.write(UInt32(clamping: time)) }
      writer.write(message.payload.dropFirst(message.timeRange.upperBound))
    }
    return writer.take()
  }
}
