// The points of a route, collected from the samples of one track.

import Subtitles

/// Collects the points of a track.
struct RouteBuilder {
  static let location = MetadataIdentifier(.quickTimeMetadata, key: "com.apple.quicktime.location.ISO6709")
  private static let pointCountLimit = 1_000_000
  /// The longest pause within a segment of camera motion metadata. Samples of this metadata may lack locations.
  private static let longestPauseInMicroseconds: Int64 = 10_000_000

  private let trackID: UInt32
  private let format: String
  /// The creation date of the movie in seconds since 1970, or `nil` if it is unknown.
  private let creation: Int64?
  private var segments: [[RoutePoint]] = []
  private var startsSegment = true
  private var pointCount = 0
  private var omittedPointCount = 0
  private var unreadableSampleCount = 0
  /// The end of the previous sample.
  private var previousEnd: Int64?
  private var latency = TelemetryLatency()
  /// The previous payload: the number of its points at the end of the last segment, the date that the payload contains,
  /// the date of its first point, and its duration in seconds.
  private var previousPayload: (pointCount: Int, stored: Double, date: Double, seconds: Double)?

  init(trackID: UInt32, format: String, creation: Int64?) {
    self.trackID = trackID
    self.format = format
    self.creation = creation
  }

  var route: MovieRoute? {
    guard pointCount + omittedPointCount > 0 else { return nil }
    let delay = latency.microseconds
    return MovieRoute(
      trackID: trackID, format: format,
      segments: delay == 0 ? segments : segments.map { $0.map { $0.moved(by: delay) } },
      omittedPointCount: omittedPointCount, unreadableSampleCount: unreadableSampleCount)
  }

  mutating func read(_ reader: TimedMetadataReader) throws {
    var reader = reader
    guard let track = reader.tracks.first else { return }
    while try reader.readSamples({ entry, bytes, problem in
      guard let decoder = track.decoders[Int(entry.description)] else { return }
      // A gap between samples ends the segment. Rounding leaves no gap of more than a millisecond.
      if let previousEnd, entry.microseconds.lowerBound > previousEnd.addingClamped(1_000) { startsSegment = true }
      previousEnd = entry.microseconds.upperBound
      guard problem == nil else {
        unreadableSampleCount += 1
        startsSegment = true
        return
      }
      try add(
        bytes, decoder, entry, at: TimedSamplePlace(trackID: track.id, path: track.path, offset: entry.bytes.offset))
    }) {}
  }

  /// Adds the points of a sample. Throws `.limit` for too many points.
  mutating func add(
    _ bytes: Bytes, _ decoder: TimedSampleDecoder, _ entry: TimedMetadataReader.Entry, at place: TimedSamplePlace
  ) throws(MovieError) {
    switch decoder {
    case .boxed(let decoder): try add(decoder.decode(bytes, at: place), entry)
    case .telemetry: try add(TelemetryPayload(bytes), entry)
    case .cameraMotion: try add(CameraMotionRecord.records(bytes), entry)
    default: break
    }
  }

  private mutating func add(_ sample: DecodedTimedSample, _ entry: TimedMetadataReader.Entry) throws(MovieError) {
    if sample.problem != nil { unreadableSampleCount += 1 }
    let items = sample.items.filter { $0.identifier == Self.location }
    let text = items.lazy.compactMap { item -> GeographicLocation? in
      // Some writers declare no type or a type of their own. Read the value as text regardless of the type.
      GeographicLocation(item.stringValue ?? String(decoding: item.bytes, as: UTF8.self))
    }.first
    guard let text else {
      startsSegment = true
      if !items.isEmpty { omittedPointCount += 1 }
      return
    }
    try add(RoutePoint(entry.microseconds.lowerBound, text))
  }

  private mutating func add(_ payload: TelemetryPayload, _ entry: TimedMetadataReader.Entry) throws(MovieError) {
    if payload.problem != nil { unreadableSampleCount += 1 }
    // If a camera writes both `GPS9` and `GPS5`, these streams contain the same points, so read only one stream.
    let key: FourCC = payload.streams.contains { $0.data.contains { $0.key == "GPS9" } } ? "GPS9" : "GPS5"
    var isEmpty = true
    for stream in payload.streams {
      for element in stream.data where element.key == key {
        isEmpty = false
        latency.add(stream.totalRowCount, lasting: entry.sampleMicroseconds)
        try add(element, of: stream, entry)
      }
    }
    if isEmpty {
      startsSegment = true
      latency.add(nil, lasting: entry.sampleMicroseconds)
    }
  }

  /// Adds the points of a payload. Their times are spread evenly over the payload's duration.
  private mutating func add(
    _ element: TelemetryElement, of stream: TelemetryStream, _ entry: TimedMetadataReader.Entry
  ) throws(MovieError) {
    let whole = entry.sampleMicroseconds
    let duration = Double(whole.upperBound.subtractingClamped(whole.lowerBound))
    let start = beginPayload(stream.date?.secondsSince1970, lasting: duration / 1_000_000)
    for row in 0..<element.rowCount {
      let share = duration * Double(row) / Double(element.rowCount)
      let time = whole.lowerBound.addingClamped(Int64(exactly: share.rounded()) ?? 0)
      guard entry.microseconds.contains(time) else { continue }
      guard let values = stream.values(element, row: row), values.count >= 3,
        let location = GeographicLocation(latitude: values[0], longitude: values[1], altitude: values[2])
      else {
        omitPoint()
        continue
      }
      var (fix, date) = (stream.fix ?? 3, start.map { $0 + share / 1_000_000 })
      if element.key == "GPS9" {
        // The nine values of a `GPS9` row are latitude, longitude, altitude, two speeds, days since 2000, seconds of
        // the day, precision and fix.
        guard values.count >= 9 else {
          omitPoint()
          continue
        }
        fix = values[8]
        date = 946_684_800 + values[5] * 86_400 + values[6]
      }
      guard fix >= 2, location.isPlausible else {
        omitPoint()
        continue
      }
      try add(
        RoutePoint(time, location, date.flatMap { $0.isFinite ? $0 : nil }, values.count > 3 ? values[3] : nil))
    }
  }

  /// Returns the date of the first point of a payload.
  private mutating func beginPayload(_ stored: Double?, lasting seconds: Double) -> Double? {
    guard let stored else {
      previousPayload = nil
      return nil
    }
    // The receiver repeats its last date until it has a new date.
    let date = previousPayload.flatMap { $0.stored == stored ? $0.date + $0.seconds : nil } ?? stored
    spreadPreviousPayload(until: date)
    previousPayload = (0, stored, date, seconds)
    return date
  }

  /// Makes the points of the previous payload end before the date of the next payload. A receiver may send a payload
  /// earlier than the duration of the sample suggests.
  private mutating func spreadPreviousPayload(until date: Double) {
    guard let previous = previousPayload, previous.pointCount > 0, let last = segments.last?.last?.secondsSince1970,
      last >= date, date > previous.date, previous.seconds > 0
    else { return }
    let scale = (date - previous.date) / previous.seconds
    let number = segments.count - 1
    for index in segments[number].indices.suffix(previous.pointCount) {
      segments[number][index] = segments[number][index].mappingDate { previous.date + ($0 - previous.date) * scale }
    }
  }

  private mutating func add(
    _ sample: (records: [CameraMotionRecord], problem: String?), _ entry: TimedMetadataReader.Entry
  ) throws(MovieError) {
    if sample.problem != nil { unreadableSampleCount += 1 }
    for record in sample.records where record.type == 5 || record.type == 6 {
      let values = record.values
      let isAccurate = record.type == 6
      let location =
        isAccurate
        ? GeographicLocation(latitude: values[2], longitude: values[3], altitude: values[4])
        : GeographicLocation(latitude: values[0], longitude: values[1], altitude: values[2])
      guard let location, location.isPlausible, !isAccurate || values[1] >= 2 else {
        omitPoint()
        continue
      }
      let speed = isAccurate ? (values[7] * values[7] + values[8] * values[8]).squareRoot() : nil
      let time = entry.microseconds.lowerBound
      if let last = segments.last?.last, time.subtractingClamped(last.microseconds) > Self.longestPauseInMicroseconds {
        startsSegment = true
      }
      try add(
        RoutePoint(
          time, location, isAccurate ? GPSTime.secondsSince1970(values[0], creation: creation) : nil,
          speed.flatMap { $0.isFinite ? $0 : nil }))
    }
  }

  /// Counts a point without a fix, and ends the segment.
  private mutating func omitPoint() {
    omittedPointCount += 1
    startsSegment = true
  }

  private mutating func add(_ point: RoutePoint) throws(MovieError) {
    guard pointCount < Self.pointCountLimit else {
      throw MovieError(.limit, "track \(trackID) has more than \(Self.pointCountLimit) locations")
    }
    pointCount += 1
    if let last = segments.last?.last?.secondsSince1970, let date = point.secondsSince1970, date < last {
      startsSegment = true  // The clock of the receiver was set.
    }
    if startsSegment || segments.isEmpty {
      segments.append([point])
      previousPayload?.pointCount = 1
    } else {
      segments[segments.count - 1].append(point)
      previousPayload?.pointCount += 1
    }
    startsSegment = false
  }
}

extension RoutePoint {
  fileprivate init(
    _ microseconds: Int64, _ location: GeographicLocation, _ seconds: Double? = nil, _ speed: Double? = nil
  ) {
    (self.microseconds, self.location, secondsSince1970, self.speed) = (microseconds, location, seconds, speed)
  }

  fileprivate func mappingDate(_ transform: (Double) -> Double) -> RoutePoint {
    RoutePoint(microseconds, location, secondsSince1970.map(transform), speed)
  }

  fileprivate func moved(by delay: Int64) -> RoutePoint {
    RoutePoint(Swift.max(0, microseconds.addingClamped(delay)), location, secondsSince1970, speed)
  }
}

extension GeographicLocation {
  /// Whether the location is plausible. Receivers without a fix report exactly 0° N, 0° E.
  fileprivate var isPlausible: Bool { latitude != 0 || longitude != 0 }
}

/// A sample of timed metadata outside a movie, decoded both to items and to the points of a route.
package struct TimedMetadataSample: Sendable {
  /// The keys that the sample description declares.
  package let keys: [TimedMetadataKey]
  package let items: [MetadataItem]
  package let points: [RoutePoint]

  /// Decodes a sample that lasts one second. `description` contains the bytes of the sample description after its
  /// header.
  package init(format: FourCC, description: Bytes, _ bytes: Bytes) {
    let entry = SampleEntry(format: format, body: description)
    keys = entry.timedMetadataKeys
    guard let decoder = TimedSampleDecoder(entry, .metadata) else {
      (items, points) = ([], [])
      return
    }
    let place = TimedSamplePlace(trackID: 1, path: "", offset: 0)
    let second: Range<Int64> = 0..<1_000_000
    items = decoder.decode(bytes, lasting: 1_000_000, at: place).items
    var builder = RouteBuilder(trackID: 1, format: format.description, creation: nil)
    do throws(MovieError) {
      try builder.add(
        bytes, decoder,
        TimedMetadataReader.Entry(
          PresentedSample(
            microseconds: second, wholeMicroseconds: second, bytes: ByteRange(0..<UInt64(bytes.count)), description: 0),
          track: 0), at: place)
      points = builder.route?.points ?? []
    } catch {
      points = []  // The sample has more points than the limit.
    }
  }
}
