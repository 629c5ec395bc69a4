// The route of a camera, read from the first track with locations: boxed metadata (`mebx`), GoPro telemetry (`gpmd`) or
// camera motion metadata (`camm`).
//
// A new segment begins after a gap, after a lost fix, and after a pause. Points without a fix are omitted and counted.

/// A location of the camera at a time in the movie.
public struct RoutePoint: Hashable, Sendable {
  /// The time in the movie, in microseconds.
  public let microseconds: Int64
  /// The location.
  public let location: GeographicLocation
  /// The time of the GPS receiver in seconds since 1970, or `nil` if the file does not contain it.
  public let secondsSince1970: Double?
  /// The speed over ground in meters per second, or `nil` if the file does not contain it.
  public let speed: Double?

  /// The time in the movie, rounded down to milliseconds.
  package var milliseconds: Int64 { microseconds / 1_000 }
}

/// The route of a camera.
///
///     if let route = try movie.route(from: source) {
///       for point in route.points { print(point.microseconds, point.location.latitude, point.location.longitude) }
///     }
public struct MovieRoute: Sendable {
  /// The ID of the track that contains the locations.
  public let trackID: UInt32
  /// The format of the track, such as `mebx`, `gpmd` or `camm`.
  public let format: String
  /// The segments, each with at least one point. A segment ends where the locations are interrupted.
  public let segments: [[RoutePoint]]
  /// The number of points without a fix or, except in `mebx`, at 0° N, 0° E. The segments omit these points.
  public let omittedPointCount: Int
  /// The number of samples that could not be read completely.
  public let unreadableSampleCount: Int

  /// All points, in the order of time.
  public var points: [RoutePoint] { segments.flatMap { $0 } }

  /// Returns the points within a time range of the movie, in microseconds. The counts of omitted points and unreadable
  /// samples do not change: they still describe the whole route.
  package func limited(to range: Range<Int64>) -> MovieRoute {
    MovieRoute(
      trackID: trackID, format: format,
      segments: segments.map { $0.filter { range.contains($0.microseconds) } }.filter { !$0.isEmpty },
      omittedPointCount: omittedPointCount, unreadableSampleCount: unreadableSampleCount)
  }
}

extension Movie {
  /// Returns the route of the camera from the first track with locations, or `nil` if no track contains any.
  ///
  /// The track's edit list maps the times to the movie. Reads the samples of tracks that may contain locations, in
  /// batches. Throws the errors of the source, and ``MovieError``. The error is `.limit` for more than a million
  /// points.
  ///
  /// - Parameters:
  ///   - trackIDs: the IDs of the tracks that may contain the route, or `nil` for all tracks.
  ///   - source: the source of the movie.
  public func route(in trackIDs: Set<UInt32>? = nil, from source: some RandomAccessSource) throws -> MovieRoute? {
    let tracks = tracks.filter { trackIDs?.contains($0.id) ?? true }.filter(\.mayContainLocations)
    guard !tracks.isEmpty else { return nil }
    let presented = try self.includingFragments(from: source)
    for track in tracks {
      let reader = try TimedMetadataReader(
        self, in: [track.id], identifiers: [], range: nil, from: source, presented: presented)
      var builder = RouteBuilder(
        trackID: track.id, format: track.formats.first?.description ?? "", creation: recordedDate?.secondsSince1970)
      try builder.read(reader)
      if let route = builder.route { return route }
    }
    return nil
  }
}

extension Track {
  /// Whether a sample description declares locations.
  fileprivate var mayContainLocations: Bool {
    sampleDescriptions.entries.contains { entry in
      ["gpmd", "camm"].contains(entry.format)
        || entry.timedMetadataKeys.contains { $0.identifier == RouteBuilder.location }
    }
  }
}
