// The route of a camera, read from timed metadata that contains locations.
//
// The numbers of points and bytes are limited. A timed metadata track without locations is never read.

/// A location of the camera at a time in the movie.
package struct RoutePoint: Hashable, Sendable {
  package let milliseconds: Int64
  package let location: GeographicLocation
}

extension Movie {
  /// Returns the route of the camera from the first timed metadata track with locations
  /// (`mdta/com.apple.quicktime.location.ISO6709`), or an empty array if there is no such track.
  ///
  /// The track's edit list maps the times to the movie. Samples without a readable location are skipped. Only the
  /// samples of this track are read. Throws the errors of the source, and ``MovieError``.
  package func route(from source: some RandomAccessSource) throws -> [RoutePoint] {
    var presentedMovie: PresentedMovie?
    for index in tracks.indices where tracks[index].dataReferences?.entries.allSatisfy(\.isSelfContained) ?? true {
      guard RouteReader(tracks[index], self, nil).hasLocations else { continue }
      let movie = try presentedMovie ?? self.includingFragments(from: source)
      presentedMovie = movie
      let reader = RouteReader(movie.movie.tracks[index], movie.movie, movie.fragments)
      let points = try reader.read(from: source)
      if !points.isEmpty { return points }
    }
    return []
  }
}

private struct RouteReader {
  /// The maximum number of points, enough for one point per second for more than a day.
  private static let pointCountLimit = 100_000
  /// The maximum size of the samples. A location has about forty bytes, but samples may contain other items too.
  private static let byteCountLimit: UInt64 = 64 << 20
  private static let location = MetadataIdentifier(
    .quickTimeMetadata, key: "com.apple.quicktime.location.ISO6709")

  private let track: Track
  private let movie: Movie
  private let fragments: MovieFragments?
  /// The local IDs of the location keys, for each sample description.
  private let localIDs: [Set<FourCC>]

  init(_ track: Track, _ movie: Movie, _ fragments: MovieFragments?) {
    self.track = track
    self.movie = movie
    self.fragments = fragments
    localIDs = track.sampleDescriptions.entries.map { entry in
      Set(entry.timedMetadataKeys.filter { $0.identifier == Self.location }.map { FourCC(rawValue: $0.localID) })
    }
  }

  var hasLocations: Bool { localIDs.contains { !$0.isEmpty } }

  func read(from source: some RandomAccessSource) throws -> [RoutePoint] {
    let samples = try placedSamples(of: source)
    let contents = try SampleBatch(samples.map(\.bytes)).read(from: source)
    let locatedSamples = zip(samples, contents).compactMap {
      sample, bytes -> (sample: PlacedSample, location: GeographicLocation)? in
      let ids = localIDs[sample.description]
      guard let item = AtomList(bytes).first(where: { ids.contains($0.type) }) else { return nil }
      let location = GeographicLocation(String(decoding: item.payload.array, as: UTF8.self))
      return location.map { (sample, $0) }
    }
    return try points(locatedSamples)
  }

  /// Returns the samples that may contain locations and are within the file.
  private func placedSamples(of source: some RandomAccessSource) throws -> [PlacedSample] {
    let end = try source.identity().byteCount
    var (count, byteCount) = (0, UInt64(0))
    return try track.placedSamples(in: fragments) { sample, description throws(MovieError) in
      guard localIDs.indices.contains(description), !localIDs[description].isEmpty, let bytes = sample.byteRange,
        bytes.end <= end
      else { return nil }
      byteCount = byteCount.addingClamped(bytes.count)
      guard count < Self.pointCountLimit, byteCount <= Self.byteCountLimit else { throw limitError }
      count += 1
      return bytes
    }
  }

  /// Maps the locations to times in the movie.
  private func points(_ locatedSamples: [(sample: PlacedSample, location: GeographicLocation)]) throws(MovieError)
    -> [RoutePoint]
  {
    var points: [RoutePoint] = []
    var visitedCount = 0
    // A location without duration is shown for one tick.
    let times = locatedSamples.map { ($0.sample.start, Swift.max($0.sample.end, $0.sample.start.addingClamped(1))) }
    try track.shownSegments(movieTimeScale: movie.header.timeScale).visit(times, movieEnd: .max) {
      index, _, shown throws(MovieError) in
      visitedCount += 1
      guard points.count < Self.pointCountLimit, visitedCount / 64 <= Self.pointCountLimit else { throw limitError }
      guard let shown else { return }
      points.append(RoutePoint(milliseconds: shown.lowerBound, location: locatedSamples[index].location))
    }
    return points.sorted { $0.milliseconds < $1.milliseconds }
  }

  private var limitError: MovieError {
    MovieError(
      .limit, in: movie.tree.path(of: track.atom),
      "track \(track.id) exceeds the limit of \(Self.pointCountLimit) locations or \(Self.byteCountLimit) bytes")
  }
}

/// A key that a timed metadata track (`mebx`) declares for the items in its samples.
package struct TimedMetadataKey: Hashable, Sendable {
  /// The type of the key's items in samples.
  package let localID: UInt32
  /// The identifier, such as `mdta/com.apple.quicktime.video-orientation`.
  package let identifier: MetadataIdentifier
}

extension SampleEntry {
  /// The keys that a `mebx` sample description declares. Empty for other formats.
  package var timedMetadataKeys: [TimedMetadataKey] {
    guard format == "mebx" else { return [] }
    // The local ID is the type of both the key's definition and the items in samples.
    return AtomList(body).filter { $0.type == "keys" }.flatMap { AtomList($0.payload) }.flatMap { key in
      AtomList(key.payload).filter { $0.type == "keyd" }.compactMap { definition in
        guard let space = definition.payload.load(at: 0, as: UInt32.self) else { return nil }
        return TimedMetadataKey(
          localID: key.type.rawValue,
          identifier: MetadataIdentifier(
            .init(rawValue: FourCC(rawValue: space).description),
            key: String(decoding: definition.payload.dropFirst(4).array, as: UTF8.self)))
      }
    }
  }
}
