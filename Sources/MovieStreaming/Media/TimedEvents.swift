import MovieBox
import MovieWriter

/// The timed events of a recording (`emsg`; ISO/IEC 23009-1, 5.10.3.3), such as ID3 tags and SCTE-35 messages, as the
/// segments of a track contain them.
///
/// A recording has events between its fragments. A presentation has them at the start of the segments that play at
/// their times, in the track whose key pictures begin segments. A time of version 1 is on the clock of the media, and
/// moves with it. A time of version 0 counts from the start of a segment, and counts from that of the new one.
struct TimedEvents: Sendable {
  /// The atoms of each segment, by its number. Segments without events are missing.
  private(set) var atoms: [Int: [UInt8]] = [:]
  /// The number of events that end before the presentation begins.
  private(set) var earlyCount = 0
  /// The number of atoms that are cut off, have no time scale, or exceed the limits.
  private(set) var unreadableCount = 0

  /// An atom of more bytes is no event; a message of SCTE-35 has at most 4 KiB.
  private static let largestByteCount: UInt64 = 1 << 20
  /// All events are in memory.
  private static let largestTotalByteCount: UInt64 = 16 << 20

  /// No events.
  init() {}

  /// The events of a movie, for the segments of one of its tracks. Reads each event, and of the fragments after those of
  /// version 0 the times.
  ///
  /// - Parameters:
  ///   - start: the time that is subtracted from the clock of the recording, or `nil` if the clock is kept.
  ///   - delay: how much later the presentation is than the movie.
  init(of streamed: StreamedMovie, for lead: ReferenceTrack, from start: MediaTime?, laterBy delay: StreamDelay) throws
  {
    let layout = streamed.movie.layout
    guard layout.first("emsg") != nil else { return }
    let clock = Clock(streamed, lead, start, delay)
    var fragments = streamed.fragments.fragments[...]
    var pending: [TimedEvent] = []
    var left = Self.largestTotalByteCount
    for atom in layout.atoms {
      if atom.type == "emsg" {
        guard !atom.isTruncated, atom.range.count <= min(left, Self.largestByteCount) else {
          unreadableCount += 1
          continue
        }
        left -= atom.range.count
        guard let event = TimedEvent(try streamed.source.readExactly(atom.payloadRange)) else {
          unreadableCount += 1
          continue
        }
        if event.version == 1 { add(event, clock) } else { pending.append(event) }
      } else if atom.type == "moof" {
        while let next = fragments.first, next.range.offset < atom.range.offset { fragments.removeFirst() }
        guard !pending.isEmpty, let fragment = fragments.first, fragment.range.offset == atom.range.offset,
          let base = clock.start(of: fragment)
        else { continue }
        for event in pending { add(event.counted(from: base), clock) }
        pending = []
      }
    }
    unreadableCount += pending.count
  }

  private mutating func add(_ event: TimedEvent, _ clock: Clock) {
    guard let placed = clock.place(event) else {
      earlyCount += 1
      return
    }
    atoms[placed.segment, default: []] += placed.atom
  }

  /// A map from times of a movie to the segments of a track.
  private struct Clock {
    private let streamed: StreamedMovie
    private let lead: ReferenceTrack
    private let timeline: TrackTimeline
    private let start: MediaTime?
    private let delay: StreamDelay

    init(_ streamed: StreamedMovie, _ lead: ReferenceTrack, _ start: MediaTime?, _ delay: StreamDelay) {
      self.streamed = streamed
      self.lead = lead
      timeline = lead.streamed.timeline
      self.start = start
      self.delay = delay
    }

    /// When a fragment shows its first sample, on the clock of the movie; `nil` without samples.
    ///
    /// The track whose segments have the events counts, or the first other one if the fragment has none of its samples.
    func start(of fragment: MovieFragment) -> MediaTime? {
      let parts = fragment.trackFragments.filter { !$0.runs.isEmpty }
      let own = parts.filter { $0.trackID == lead.streamed.track.id }
      return (own + parts).lazy.compactMap(start(of:)).first
    }

    /// When a track's part of a fragment shows its first sample, on the clock of the movie; `nil` without samples.
    private func start(of part: TrackFragment) -> MediaTime? {
      guard let samples = streamed.fragments.track(part.trackID),
        let track = streamed.movie.track(part.trackID)
      else { return nil }
      var earliest: Int64?
      for run in samples.runs[part.runs.clamped(to: samples.runs.indices)] {
        var time = Int64(clamping: run.decodeTime)
        for entry in run.table {
          earliest = min(earliest ?? .max, time.addingClamped(Int64(entry.compositionOffset ?? 0)))
          time = time.addingClamped(Int64(entry.duration ?? run.defaults.duration))
        }
      }
      // The edit list subtracts the start of the recording too.
      let empty = MediaTime(
        ticks: Int64(clamping: track.presentationStartInMovieTicks), timeScale: streamed.movie.header.timeScale)
      let scale = track.mediaHeader.timeScale
      let shift = (empty?.ticks(of: scale) ?? 0)
        .addingClamped(-max(0, track.presentationStartInMediaTicks))
        .addingClamped(-Int64(clamping: samples.ticksBeforeStart))
      return earliest.flatMap { MediaTime(ticks: $0.addingClamped(shift), timeScale: scale) }
    }

    /// The segment that plays at the time of an event, and the atom with the time of the presentation; `nil` for an event
    /// that ends before the presentation begins.
    func place(_ event: TimedEvent) -> (segment: Int, atom: [UInt8])? {
      let scale = event.timeScale
      // Of version 0 the base is on the clock of the movie.
      let origin = event.version == 1 ? start?.ticks(of: scale) ?? 0 : 0
      let time = event.time.addingClamped(-origin)  // A start is positive.
      let opening = MediaTime(ticks: timeline.start, timeScale: timeline.timeScale)?.ticks(of: scale) ?? 0
      guard time >= opening || time.addingClamped(event.knownDuration) > opening else { return nil }
      let ticks = MediaTime(ticks: time, timeScale: scale)?.ticks(of: timeline.timeScale) ?? 0
      let segment = lead.cuts.boundaries.partitioningIndex { $0 > ticks }
      guard event.version == 0 else {
        return (segment, event.atom(UInt64(clamping: time.addingClamped(delay.ticks(scale)))))
      }
      let first = segment == 0 ? timeline.start : lead.cuts.boundaries[segment - 1]
      let base = MediaTime(ticks: first, timeScale: timeline.timeScale)?.ticks(of: scale) ?? 0
      return (segment, event.atom(UInt64(clamping: time.addingClamped(-base))))
    }
  }
}

/// One event.
private struct TimedEvent {
  let version: UInt8
  let timeScale: UInt32
  /// When the event begins, in ticks of ``timeScale``: on the clock of the recording, or from the start of a segment.
  private(set) var time: Int64
  /// The duration in ticks, or 0 if it is unknown.
  let knownDuration: Int64
  private let payload: Bytes
  /// The offset of the time in the payload.
  private let place: Int

  /// The event of an atom, or `nil` for versions without a known form, and without a time scale.
  init?(_ payload: Bytes) {
    guard let version = payload.load(at: 0, as: UInt8.self) else { return nil }
    var place = 8
    if version == 0 {
      // The scheme and the value come first, each with a zero at its end.
      var offset = 4
      for _ in 0..<2 {
        guard let end = payload.dropFirst(offset).firstIndex(of: 0) else { return nil }
        offset += end + 1
      }
      place = offset + 4
    }
    guard version <= 1, let timeScale = payload.load(at: place - 4, as: UInt32.self), timeScale > 0 else { return nil }
    let width = version == 1 ? 8 : 4
    let time =
      version == 1
      ? payload.load(at: place, as: UInt64.self) : payload.load(at: place, as: UInt32.self).map { UInt64($0) }
    guard let time, let duration = payload.load(at: place + width, as: UInt32.self) else { return nil }
    self.version = version
    self.timeScale = timeScale
    self.time = Int64(clamping: time)
    knownDuration = duration == .max ? 0 : Int64(duration)
    self.payload = payload
    self.place = place
  }

  /// The event with a time that counts from 0 instead of from the start of its segment.
  func counted(from base: MediaTime) -> TimedEvent {
    var counted = self
    counted.time = time.addingClamped(base.ticks(of: timeScale))
    return counted
  }

  /// The atom with another time.
  func atom(_ time: UInt64) -> [UInt8] {
    let width = version == 1 ? 8 : 4
    var writer = ByteWriter()
    writer.atom("emsg") { writer in
      writer.write(payload.slice(at: 0, count: place) ?? Bytes())
      if version == 1 { writer.write(time) } else { writer.write(UInt32(clamping: time)) }
      writer.write(payload.dropFirst(place + width))
    }
    return writer.take()
  }
}
