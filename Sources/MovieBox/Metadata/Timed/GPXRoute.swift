// Routes in GPX files (https://www.topografix.com/GPX/1/1/). Routes become timed metadata of a movie.
//
// A route is a list of segments, and a segment is a list of points with dates. Between two points of a segment, the
// location changes linearly. Nothing is known between segments and in long pauses, so these times become gaps.

public import Subtitles

/// A route from a GPX file, version 1.0 or 1.1.
///
///     let route = try GPXRoute(bytes)
///     let start = movie.recordingStart ?? route.secondsSince1970.lowerBound
///     try edit.addTimedMetadata(route.groups(startingAt: start))
public struct GPXRoute: Sendable {
  fileprivate struct Point {
    let secondsSince1970: Double
    let location: GeographicLocation
  }

  /// The segments in the order of time, each with at least one point.
  private let segments: [[Point]]
  /// The dates of the first and last point, in seconds since 1970.
  public let secondsSince1970: ClosedRange<Double>
  /// The number of points.
  public let pointCount: Int
  /// The number of omitted points. If several points of a segment have the same date, only the first point is kept.
  package let repeatedPointCount: Int

  /// The maximum size of a file.
  package static let byteCountLimit = 64 << 20
  /// The maximum number of elements of a file. A million points in a million segments have four million elements.
  package static let elementCountLimit = 5_000_000
  /// The maximum nesting depth of the elements of a file.
  package static let depthLimit = XMLReader.maximumDepth
  /// Locations are interpolated between two consecutive points if the points are at most this far apart in time.
  private static let longestPauseInMicroseconds: Int64 = 10_000_000
  /// The longest time for which the last point before a gap is shown.
  private static let lastPointDurationLimitInMicroseconds: Int64 = 1_000_000
  /// The maximum number of groups.
  package static let groupCountLimit = TimedMetadataReader.entryCountLimit

  /// Parses a file. Reads the points of tracks (`trk`), and ignores waypoints, planned routes and extensions.
  ///
  /// Throws ``/Subtitles/SubtitleError`` with the line for a document that is not GPX, and for a point without a date
  /// or a valid location. Also throws this error if the dates of a segment go back or if segments overlap. Entities are
  /// rejected. Document type declarations that contain other declarations are rejected too.
  public init(_ utf8: [UInt8]) throws(SubtitleError) {
    try self.init(utf8, elementCountLimit: Self.elementCountLimit)
  }

  /// Parses a file with at most the given number of elements.
  package init(_ utf8: [UInt8], elementCountLimit: Int) throws(SubtitleError) {
    guard utf8.count <= Self.byteCountLimit else {
      throw SubtitleError(.limit, "the file has \(utf8.count) bytes: the limit is \(Self.byteCountLimit)")
    }
    var file = try GPXReader(utf8, elementCountLimit: elementCountLimit)
    let rootLine = file.line
    var (segments, pointCount, repeatedPointCount): ([[Point]], Int, Int) = ([], 0, 0)
    var lines: [(line: Int, start: Double, end: Double)] = []
    while try file.nextTrack() {
      while try file.nextSegment() {
        let segmentLine = file.line
        var points: [Point] = []
        while let (point, line) = try file.nextPoint() {
          if let last = points.last, point.secondsSince1970 <= last.secondsSince1970 {
            guard point.secondsSince1970 == last.secondsSince1970 else {
              throw SubtitleError(.gpx, line: line, "the date of the point is before the date of the previous point")
            }
            repeatedPointCount += 1
            continue
          }
          points.append(point)
        }
        guard let first = points.first, let last = points.last else { continue }
        lines.append((segmentLine, first.secondsSince1970, last.secondsSince1970))
        segments.append(points)
        pointCount += points.count
      }
    }
    lines.sort { $0.start < $1.start }
    for (earlier, later) in zip(lines, lines.dropFirst()) where later.start < earlier.end {
      throw SubtitleError(
        .gpx, line: later.line, "the segment begins before the segment in line \(earlier.line) ends; keep one of them")
    }
    segments.sort { ($0.first?.secondsSince1970 ?? 0) < ($1.first?.secondsSince1970 ?? 0) }
    guard let start = lines.first?.start, let end = lines.last?.end else {
      throw SubtitleError(.gpx, line: rootLine, "the file has no points in a track (trkpt)")
    }
    (self.segments, self.pointCount, self.repeatedPointCount) = (segments, pointCount, repeatedPointCount)
    secondsSince1970 = start...max(start, end)
  }
}

/// A reader of the points in a GPX document. It creates no objects for elements, because a route may have hundreds of
/// thousands of points.
private struct GPXReader {
  private var reader: XMLReader
  private let namespace: ArraySlice<UInt8>?
  /// The names of elements. All elements of GPX have the prefix of the root element.
  private let track, segment, point, elevation, time: [UInt8]

  private static let (latitude, longitude, xmlns) = (Array("lat".utf8), Array("lon".utf8), Array("xmlns".utf8))

  /// Reads the start of the document up to the root element.
  init(_ utf8: [UInt8], elementCountLimit: Int) throws(SubtitleError) {
    reader = XMLReader(utf8, code: .gpx, elementCountLimit: elementCountLimit)
    _ = try reader.nextElement(atDepth: 1)
    let name = reader.name
    let prefix = name.lastIndex(of: UInt8(ascii: ":")).map { name[...$0] } ?? []
    guard name.dropFirst(prefix.count).elementsEqual("gpx".utf8) else {
      throw SubtitleError(.gpx, line: reader.elementLine, "the root element is \(excerpt(name)) instead of gpx")
    }
    (track, segment, point) = (prefix + Array("trk".utf8), prefix + Array("trkseg".utf8), prefix + Array("trkpt".utf8))
    (elevation, time) = (prefix + Array("ele".utf8), prefix + Array("time".utf8))
    namespace = try reader.attribute(Self.xmlns + (prefix.isEmpty ? [] : [UInt8(ascii: ":")] + prefix.dropLast()))
    guard let namespace else { return }
    guard ["0", "1"].contains(where: { namespace.elementsEqual(("http://www.topografix.com/GPX/1/" + $0).utf8) }) else {
      throw SubtitleError(
        .gpx, line: reader.elementLine, "the namespace \(excerpt(namespace)) is not GPX 1.0 or 1.1")
    }
  }

  /// The line in which the current element begins.
  var line: Int { reader.elementLine }

  /// Moves to the next track. Returns `false` after the last.
  mutating func nextTrack() throws(SubtitleError) -> Bool { try nextElement(track, atDepth: 2) }

  /// Moves to the next segment of the current track. Returns `false` after the last.
  mutating func nextSegment() throws(SubtitleError) -> Bool { try nextElement(segment, atDepth: 3) }

  /// Reads the next point of the current segment, or returns `nil` after the last. Returns the line of the point too.
  mutating func nextPoint() throws(SubtitleError) -> (GPXRoute.Point, line: Int)? {
    guard try nextElement(point, atDepth: 4) else { return nil }
    let line = line
    let latitude = Self.number(try reader.attribute(Self.latitude))
    let longitude = Self.number(try reader.attribute(Self.longitude))
    guard let latitude, let longitude else {
      throw SubtitleError(.gpx, line: line, "the point has no latitude and longitude (lat, lon)")
    }
    var (altitude, date): (Double?, Double?)
    while try reader.nextElement(atDepth: 5) {
      if altitude == nil, try isCurrent(elevation) {
        altitude = try readAltitude()
      } else if date == nil, try isCurrent(time) {
        date = try readDate()
      }
    }
    guard let location = GeographicLocation(latitude: latitude, longitude: longitude, altitude: altitude) else {
      throw SubtitleError(
        .gpx, line: line, "the point is not on Earth: latitudes are up to 90°, longitudes up to 180°")
    }
    guard let date else { throw SubtitleError(.gpx, line: line, "the point has no date (time)") }
    return (GPXRoute.Point(secondsSince1970: date, location: location), line)
  }

  private mutating func readAltitude() throws(SubtitleError) -> Double {
    let line = line
    let text = try reader.elementText()
    guard let meters = Self.number(text) else {
      throw SubtitleError(.gpx, line: line, "\(excerpt(text)) is not an elevation in meters")
    }
    guard abs(meters) <= GeographicLocation.highestAltitude else {
      throw SubtitleError(
        .gpx, line: line, "the elevation \(excerpt(Self.trimmed(text))) exceeds the limit of 1000000000 m")
    }
    return meters
  }

  private mutating func readDate() throws(SubtitleError) -> Double {
    let line = line
    let text = Self.trimmed(try reader.elementText())
    // Read a date without a zone as UTC. GPX dates are in UTC, and some writers omit the zone.
    guard text.count <= 64,
      let date = MetadataDate(utf8: text)?.secondsSince1970
        ?? MetadataDate(utf8: text + [UInt8(ascii: "Z")])?.secondsSince1970
    else { throw SubtitleError(.gpx, line: line, "\(excerpt(text)) is not a date such as 2026-01-09T09:32:07Z") }
    return date
  }

  /// Moves to the next element with a name at a depth. Returns `false` at the end of the parent.
  private mutating func nextElement(_ name: [UInt8], atDepth depth: Int) throws(SubtitleError) -> Bool {
    while try reader.nextElement(atDepth: depth) {
      if try isCurrent(name) { return true }
    }
    return false
  }

  /// Whether the current element has a name of GPX. Elements in other namespaces are extensions.
  private func isCurrent(_ name: [UInt8]) throws(SubtitleError) -> Bool {
    guard reader.hasName(name) else { return false }
    guard let declared = try reader.attribute(Self.xmlns) else { return true }
    return declared == namespace
  }

  /// Parses a decimal number. Names of numbers and hexadecimal numbers are not valid in XML.
  private static func number(_ text: ArraySlice<UInt8>?) -> Double? { text.flatMap { Double(decimal: trimmed($0)) } }

  /// Returns the text without the whitespace of XML around it.
  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var trimmed = text
    while let first = trimmed.first, first <= Ascii.space { trimmed.removeFirst() }
    while let last = trimmed.last, last <= Ascii.space { trimmed.removeLast() }
    return trimmed
  }
}

extension SubtitleError.Code {
  /// A route that is not valid GPX.
  package static let gpx = SubtitleError.Code(rawValue: "gpx-format")
}

// MARK: - Groups

extension GPXRoute {
  /// Returns the locations as groups of timed metadata. Times without a known location become gaps when the groups are
  /// written.
  ///
  /// Without a rate, each point is a group that lasts until the next point. The last point before a gap lasts as long
  /// as the previous point, but at most a second and at most half of the time until the next point. A pause of more
  /// than ten seconds is a gap.
  ///
  /// Throws ``MovieError`` with the code `.limit` for too many groups, and `.invalidEdit` for an invalid rate.
  ///
  /// - Parameters:
  ///   - start: the date at which the movie starts, in seconds since 1970.
  ///   - duration: the duration of the movie in microseconds. Points after the end of the movie are omitted.
  ///   - rate: the number of interpolated locations per second, from 0.1 to 1000, or `nil` for the points themselves.
  public func groups(
    startingAt start: Double, lasting duration: Int64 = .max, rate: Double? = nil
  ) throws(MovieError) -> [TimedMetadataGroup] {
    var groups: [TimedMetadataGroup] = []
    if let rate, !(0.1...1_000 ~= rate) {
      throw MovieError(.invalidEdit, "a rate of \(rate) locations per second is not possible; use 0.1 to 1000")
    }
    let runs = runs(startingAt: start)
    // The earliest start of the next run. If two segments have a common date, the last point of the earlier segment
    // lasts a microsecond, and so does the gap between the segments.
    var earliest = Int64.min
    for (index, run) in runs.enumerated() {
      guard let first = run.first, let last = run.last, first.time < duration else { break }
      let runStart = earliest
      let lastTime = max(last.time, runStart)
      earliest = lastTime.addingClamped(2)
      let limit = runs.indices.contains(index + 1) ? max(runs[index + 1].first?.time ?? .max, earliest) : .max
      let times = try times(of: run, rate, lasting: duration)
      let lastLength =
        rate.flatMap { Int64(exactly: (1_000_000 / $0).rounded()) }
        ?? min(Self.lastPointDurationLimitInMicroseconds, run.dropLast().last.map { last.time - $0.time } ?? .max)
      // The last point lasts for at most half of the break. The other half remains a gap.
      let halfBreak = max(1, limit.subtractingClamped(lastTime) / 2)
      let end = min(limit, duration, lastTime.addingClamped(min(lastLength, halfBreak)))
      var next = run.startIndex
      for (position, time) in times.enumerated() {
        while next + 1 < run.count, run[next + 1].time <= time { next += 1 }
        let groupEnd = position + 1 < times.count ? times[position + 1] : end
        let groupStart = max(time, runStart)
        guard groupStart < groupEnd, let location = Self.location(at: time, in: run, after: next) else { continue }
        guard groups.count < Self.groupCountLimit else {
          throw MovieError(.limit, "the route requires more than \(Self.groupCountLimit) groups; use a lower rate")
        }
        let utf8 = location.preciseUTF8
        let item = MetadataItem(
          RouteBuilder.location, .text(String(decoding: utf8, as: UTF8.self)), typeCode: 1, Bytes(utf8), at: .nowhere)
        groups.append(TimedMetadataGroup(microseconds: groupStart..<groupEnd, items: [item]))
      }
    }
    return groups
  }

  /// A point at a time in the movie, in microseconds.
  private typealias TimedPoint = (time: Int64, location: GeographicLocation)

  /// Returns the time of a point in a movie that starts at a date, in microseconds.
  private static func time(of point: Point, startingAt start: Double) -> Int64 {
    let microseconds = ((point.secondsSince1970 - start) * 1_000_000).rounded()
    return Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max)
  }

  /// Returns the number of points before the start or after the end of a movie.
  ///
  /// - Parameters:
  ///   - start: the date at which the movie starts, in seconds since 1970.
  ///   - duration: the duration of the movie in microseconds.
  package func outsidePointCount(startingAt start: Double, lasting duration: Int64) -> Int {
    segments.joined().count { point in
      let time = Self.time(of: point, startingAt: start)
      return time < 0 || time >= duration
    }
  }

  /// Returns the points in runs. A run ends at the end of a segment, or before a pause longer than
  /// ``longestPauseInMicroseconds``.
  private func runs(startingAt start: Double) -> [[TimedPoint]] {
    var runs: [[TimedPoint]] = []
    for segment in segments {
      var run: [TimedPoint] = []
      for point in segment {
        let time = Self.time(of: point, startingAt: start)
        if let last = run.last {
          if time.subtractingClamped(last.time) > Self.longestPauseInMicroseconds {
            runs.append(run)
            run = []
          } else if time <= last.time {
            continue
          }
        }
        run.append((time, point.location))
      }
      if !run.isEmpty { runs.append(run) }
    }
    return runs
  }

  /// Returns the times of the groups of a run in the movie. Without a rate, these are the times of the points, and the
  /// start of the movie if it is between two points. With a rate, these are the multiples of the interval, and the
  /// times of the first and the last point.
  private func times(
    of run: [TimedPoint], _ rate: Double?, lasting duration: Int64
  ) throws(MovieError) -> [Int64] {
    guard let first = run.first?.time, let last = run.last?.time, last >= 0 else { return [] }
    let start = max(0, first)
    guard let rate else {
      return [start] + run.lazy.map(\.time).filter { $0 > start && $0 < duration }
    }
    let end = min(last, duration - 1)
    // Each time is computed from its number, so rounding errors do not accumulate.
    let firstNumber = (Double(start) * rate / 1_000_000).rounded(.down)
    var times = [start]
    for offset in 1...Self.groupCountLimit {
      let time = Int64(exactly: ((firstNumber + Double(offset)) * 1_000_000 / rate).rounded())
      guard let time, time <= end else {
        // The last point has its own location, even if it is between two multiples of the interval.
        if let latest = times.last, latest < last, last < duration { times.append(last) }
        return times
      }
      if time > start { times.append(time) }
    }
    throw MovieError(.limit, "the route requires more than \(Self.groupCountLimit) groups; use a lower rate")
  }

  /// Returns the location at `time`. The time is before the first point, or at or after the point at `index`.
  private static func location(at time: Int64, in run: [TimedPoint], after index: Int) -> GeographicLocation? {
    let point = run[index]
    guard time > point.time, index + 1 < run.count else { return point.location }
    let next = run[index + 1]
    let share = Double(time - point.time) / Double(next.time - point.time)
    // Interpolated numbers have nine decimals. A billionth of a degree is a tenth of a millimeter.
    func rounded(_ number: Double) -> Double { (number * 1e9).rounded() / 1e9 }
    func between(_ first: Double, _ second: Double) -> Double { rounded(first + (second - first) * share) }
    // Interpolate along the shorter way around the Earth, which may cross the 180th meridian.
    var difference = next.location.longitude - point.location.longitude
    if difference > 180 { difference -= 360 } else if difference < -180 { difference += 360 }
    var longitude = point.location.longitude + difference * share
    if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
    let altitude = point.location.altitude.flatMap { low in next.location.altitude.map { between(low, $0) } }
    return GeographicLocation(
      latitude: between(point.location.latitude, next.location.latitude), longitude: rounded(longitude),
      altitude: altitude)
  }
}

extension GeographicLocation {
  /// The location in ISO 6709 with up to 12 decimals, such as `+33.1268403-117.3274043-019.468/`. The degrees have at
  /// least five decimals, as in `description`.
  package var preciseText: String { String(decoding: preciseUTF8, as: UTF8.self) }

  /// ``preciseText`` in UTF-8.
  fileprivate var preciseUTF8: [UInt8] {
    var utf8: [UInt8] = []
    utf8.reserveCapacity(48)
    Self.append(latitude, wholeDigitCount: 2, decimalCount: 5, to: &utf8)
    Self.append(longitude, wholeDigitCount: 3, decimalCount: 5, to: &utf8)
    if let altitude { Self.append(altitude, wholeDigitCount: 3, decimalCount: 3, to: &utf8) }
    utf8.append(UInt8(ascii: "/"))
    return utf8
  }

  /// Appends a number with a sign and at least the given numbers of digits.
  private static func append(
    _ number: Double, wholeDigitCount: Int, decimalCount: Int, to utf8: inout [UInt8]
  ) {
    utf8.append(UInt8(ascii: number < 0 ? "-" : "+"))
    let start = utf8.count
    number.magnitude.appendDecimal(to: &utf8)
    let point = utf8[start...].firstIndex(of: UInt8(ascii: ".")) ?? utf8.endIndex
    // Remove the 0 of `.0`, with which the text of a whole number ends.
    if utf8.endIndex - point == 2, utf8[point + 1] == UInt8(ascii: "0") { utf8.removeLast() }
    let writtenCount = utf8.endIndex - point - 1
    if writtenCount < decimalCount {
      utf8.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: decimalCount - writtenCount))
    }
    let missingCount = wholeDigitCount - (point - start)
    if missingCount > 0 { utf8.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: missingCount), at: start) }
  }
}
