// Routes as files: GPX 1.1 and GeoJSON (RFC 7946).

import Subtitles

/// The clock for the dates of a route's points.
package enum RouteClock: String, Sendable, CaseIterable {
  /// The time of the GPS receiver.
  case gps
  /// The creation date of the movie plus the time in the movie.
  case movie
}

/// A route with the dates of its points, for writing to a file.
package struct DatedRoute: Sendable {
  package let route: MovieRoute
  /// The clock, or `nil` if the file contains no dates.
  package let clock: RouteClock?
  /// The creation date of the movie in seconds since 1970, or `nil` if it is unknown.
  private let creation: Double?
  /// A note that the creation date is implausible, or `nil` if it is plausible or the dates come from another clock.
  package let creationDateNote: String?

  /// Creates a route with the dates of one clock. By default, this is the clock of the GPS receiver if it dated all
  /// points, or else the clock of the movie if its creation date is known.
  ///
  /// Returns `nil` if the file does not contain the requested clock.
  package init?(_ route: MovieRoute, in movie: Movie, clock requested: RouteClock? = nil) {
    self.route = route
    creation = movie.recordingStart
    let hasGPS = route.segments.allSatisfy { $0.allSatisfy { $0.secondsSince1970 != nil } }
    let available: [RouteClock] = (hasGPS ? [.gps] : []) + (creation == nil ? [] : [.movie])
    clock = requested ?? available.first
    creationDateNote = clock == .movie ? movie.recordingStartNote : nil
    if let requested, !available.contains(requested) { return nil }
  }

  /// Returns the date of a point in seconds since 1970, or `nil` if the file contains no dates.
  package func date(of point: RoutePoint) -> Double? {
    switch clock {
    case .gps: point.secondsSince1970
    case .movie: creation.map { $0 + Double(point.microseconds) / 1_000_000 }
    case nil: nil
    }
  }

  /// A note about the camera's clock, or `nil` if it agrees with the GPS receiver or a date is missing.
  ///
  /// Many cameras store local time as if it were UTC. The difference is then close to whole quarters of an hour.
  package var cameraClockNote: String? {
    guard let creation, let point = route.segments.lazy.flatMap({ $0 }).first(where: { $0.secondsSince1970 != nil }),
      let seconds = point.secondsSince1970
    else { return nil }
    let difference = creation + Double(point.microseconds) / 1_000_000 - seconds
    let quarters = (difference / 900).rounded()
    guard abs(quarters) >= 1, abs(quarters) <= 4 * 14, abs(difference - quarters * 900) <= Self.clockTolerance else {
      return nil
    }
    let minutes = Int64(abs(quarters)) * 15
    let zone = "UTC\(quarters < 0 ? "−" : "+")\((minutes / 60).padded(to: 2)):\((minutes % 60).padded(to: 2))"
    return "the movie's creation date differs from the time of the GPS receiver by about \(minutes / 60) h "
      + "\((minutes % 60).padded(to: 2)) min: the camera probably stored local time (\(zone)) as UTC"
  }

  /// The largest error of a camera's clock, in seconds.
  private static let clockTolerance = 120.0
}

extension Movie {
  /// The start of the recording in seconds since 1970, or `nil` if it is unknown. A creation date with a zone takes
  /// precedence over the dates in headers.
  public var recordingStart: Double? {
    taggedRecordingStart ?? recordedDate.map { Double($0.secondsSince1970) }
  }

  /// A note that the header date of ``recordingStart`` is implausible, or `nil` if the date is plausible or comes from
  /// a tag.
  package var recordingStartNote: String? {
    guard taggedRecordingStart == nil, let date = recordedDate else { return nil }
    return doubt(about: date).map { "the creation date \(date.date) " + $0 }
  }

  private var taggedRecordingStart: Double? {
    commonMetadata.lazy.filter { $0.identifier.common?.key == "creationDate" }
      .compactMap { $0.dateValue?.secondsSince1970 }.first
  }
}

// MARK: - Files

extension DatedRoute {
  /// Returns the route as GPX 1.1.
  package func gpx(named name: String) -> [UInt8] {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="movtool" xmlns="http://www.topografix.com/GPX/1/1">
        <trk>
          <name>\(name.escapedInXML)</name>

      """
    if let clock { text += "    <desc>\(clock.description)</desc>\n" }
    for segment in route.segments {
      text += "    <trkseg>\n"
      for point in segment {
        let location = point.location
        text += "      <trkpt lat=\"\(location.latitude.decimalText)\" lon=\"\(location.longitude.decimalText)\">"
        if let altitude = location.altitude { text += "<ele>\(altitude.decimalText)</ele>" }
        if let date = date(of: point) { text += "<time>\(UTCText.text(secondsSince1970: date))</time>" }
        text += "</trkpt>\n"
      }
      text += "    </trkseg>\n"
    }
    return Array((text + "  </trk>\n</gpx>\n").utf8)
  }

  /// Returns the route as a GeoJSON feature. Its geometry contains a line for each segment, and its properties contain
  /// the dates of the points.
  package func geoJSON(named name: String) -> [UInt8] {
    var json = JSONWriter(.compact)
    // A line has at least two positions (RFC 7946 3.1.4).
    let lines = route.segments.map { $0.count == 1 ? [$0[0], $0[0]] : $0 }
    json.object { json in
      json.member("type", "Feature")
      json.object("properties") { json in
        json.member("name", name)
        json.member("clock", clock?.rawValue)
        json.array("coordTimes") { json in
          for line in lines {
            json.array { json in
              for point in line {
                if let date = date(of: point) {
                  json.value(UTCText.text(secondsSince1970: date))
                } else {
                  json.null()
                }
              }
            }
          }
        }
      }
      json.object("geometry") { json in
        json.member("type", "MultiLineString")
        json.array("coordinates") { json in
          for line in lines {
            json.array { json in
              for point in line {
                json.array { json in
                  json.value(point.location.longitude)
                  json.value(point.location.latitude)
                  if let altitude = point.location.altitude { json.value(altitude) }
                }
              }
            }
          }
        }
      }
    }
    return json.takeBytes() + [UInt8(ascii: "\n")]
  }
}

extension RouteClock {
  /// The clock, for use in a sentence about a route.
  package var description: String {
    switch self {
    case .gps: "times of the GPS receiver"
    case .movie: "times of the movie: its creation date plus the time in the movie"
    }
  }
}
