import MovieBox
import MovieWriter
import Subtitles

/// The route that `timed --gpx` and `timed --geojson` write.
struct TimedRoute {
  private let format: TimedCommand.RouteFormat
  private let tracks: [TrackSelector]
  /// The time range in microseconds, or `nil` for the whole movie.
  private let range: Range<Int64>?
  private let clock: RouteClock?
  private let file: String

  init(
    _ format: TimedCommand.RouteFormat, _ tracks: [TrackSelector], _ range: Range<Int64>?, _ clock: RouteClock?,
    of file: String
  ) {
    (self.format, self.tracks, self.range, self.clock, self.file) = (format, tracks, range, clock, file)
  }

  /// Reads the route and writes it to a file or to standard output. The exit code is 1 if there is no route.
  func write(to output: String?, overwrites: Bool, asJSON: Bool, in context: Context) throws -> ExitCode {
    let (dated, route, ids, warnings) = try read(in: context)
    guard let dated else {
      if asJSON {
        try answer(nil, to: nil, warnings, in: context)
      } else {
        let reason = route.map { route in
          range == nil ? ": all \(route.omittedPointCount) points are without a GPS fix" : " in this time range"
        }
        try context.printMessage(Self.subject(file, ids) + " no route" + (reason ?? ""))
      }
      return .no
    }
    let name = String(FilePath(file).stem)
    let bytes = format == .gpx ? dated.gpx(named: name) : dated.geoJSON(named: name)
    if let output {
      try context.write([(output, Bytes(bytes))], protecting: [file], overwrites: overwrites)
    } else {
      try context.output.write(bytes)
    }
    if asJSON {
      try answer(dated, to: output, warnings, in: context)
    } else {
      for warning in warnings { try context.warn(warning) }
      if let output {
        try context.print(["wrote " + Self.line(dated, to: output)])
      } else {
        try context.printMessage("note: " + Self.line(dated, to: nil))
      }
    }
    return .done
  }

  /// Returns the beginning of a message about the file or its selected tracks.
  private static func subject(_ file: String, _ ids: Set<UInt32>?) -> String {
    guard let ids = ids?.sorted() else { return file + " has" }
    return "track \(ids.map(String.init).joined(separator: ", ")) of \(file) \(ids.count == 1 ? "has" : "have")"
  }

  private func read(
    in context: Context
  ) throws -> (dated: DatedRoute?, route: MovieRoute?, ids: Set<UInt32>?, warnings: [Warning]) {
    do {
      let source = try context.open(file)
      let movie: Movie
      do {
        movie = try Movie(of: source, limits: context.limits.movie)
      } catch let error as MovieError where error.code == .notAMovie {
        throw try error.explained(byEventsOf: source)
      }
      var warnings = try Warning.missingSamples(of: movie, source, file)
      let ids =
        tracks.isEmpty
        ? nil : try TrackSelector.ids(of: tracks, among: movie.tracks.map { EditedTrack($0) }, option: "track")
      guard var route = try movie.route(in: ids, from: source) else { return (nil, nil, ids, warnings) }
      if let range { route = route.limited(to: range) }
      guard !route.segments.isEmpty else { return (nil, route, ids, warnings) }
      guard let dated = DatedRoute(route, in: movie, clock: clock) else {
        let advice =
          DatedRoute(route, in: movie)?.clock.map { "; use --clock \($0.rawValue)" }
          ?? "; omit --clock, and the points are written without dates"
        throw UsageError(
          .noMatch,
          (clock == .gps
            ? "--clock gps: the track contains no time of a GPS receiver"
            : "--clock movie: the movie has no creation date") + advice)
      }
      if route.omittedPointCount > 0 {
        warnings.append(
          Warning(
            code: "no-fix", file: file, trackID: route.trackID,
            message: "\(counted(route.omittedPointCount, "point")) without a GPS fix or a valid location "
              + "\(route.omittedPointCount == 1 ? "is" : "are") omitted"))
      }
      if route.unreadableSampleCount > 0 {
        warnings.append(
          Warning(
            code: MovieError.Code.malformed.rawValue, file: file, trackID: route.trackID,
            message: "\(counted(route.unreadableSampleCount, "sample")) could not be read completely"))
      }
      if let note = dated.creationDateNote {
        warnings.append(Warning(code: "creation-date", file: file, trackID: route.trackID, message: note))
      }
      if let note = dated.cameraClockNote {
        warnings.append(Warning(code: "camera-clock", file: file, trackID: route.trackID, message: note))
      }
      return (dated, route, ids, warnings)
    } catch let error as UsageError {
      throw error
    } catch {
      throw try ToolError.blaming(file, for: error)
    }
  }

  /// A line about the contents of the written file, or of standard output.
  private static func line(_ dated: DatedRoute, to output: String?) -> String {
    let route = dated.route
    let count = route.segments.reduce(0) { $0 + $1.count }
    let segments = route.segments.count
    let dates = dated.clock?.description ?? "without dates, because the movie has no creation date"
    return "\(counted(count, "point")) in \(counted(segments, "segment")) of track \(route.trackID) (\(route.format))"
      + (output.map { " to " + $0 } ?? "") + "; " + dates
  }

  private func answer(_ dated: DatedRoute?, to output: String?, _ warnings: [Warning], in context: Context) throws {
    try context.printJSON { json in
      json.member("file", file)
      json.member("output", output)
      json.object("route", of: dated) { dated, json in
        json.member("track", dated.route.trackID)
        json.member("format", dated.route.format)
        json.member("clock", dated.clock?.rawValue)
        json.member("pointCount", dated.route.segments.reduce(0) { $0 + $1.count })
        json.member("segmentCount", dated.route.segments.count)
        json.member("omittedPointCount", dated.route.omittedPointCount)
        json.member("startMicroseconds", dated.route.segments.first?.first?.microseconds)
        json.member("endMicroseconds", dated.route.segments.last?.last?.microseconds)
      }
      json.warnings(warnings)
    }
  }
}

extension MovieError {
  /// Returns an error that explains why a media segment with events has neither a route nor tracks. Returns the same
  /// error for other files.
  func explained(byEventsOf segment: some RandomAccessSource) throws -> MovieError {
    guard try TimedMetadataTrack.events(ofSegment: segment) != nil else { return self }
    guard try FileLayout(of: segment).first("moof") != nil else {
      return MovieError(code, "is a media segment that contains only events, so it has no tracks and no route")
    }
    return MovieError(
      code,
      "is a media segment without a movie atom (moov), so only its events can be read; to read its tracks, prepend its "
        + "initialization segment")
  }
}
