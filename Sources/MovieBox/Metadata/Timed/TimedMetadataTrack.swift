import Subtitles

/// A track of a movie that contains timed metadata, or the events between its fragments (`emsg`).
public struct TimedMetadataTrack: Sendable {
  /// The track's ID, or `nil` for the events between fragments.
  public let trackID: UInt32?
  /// The format, such as `mebx`, `gpmd` or `emsg`.
  public let format: String
  /// The keys that the sample descriptions declare. The array is empty for all formats except `mebx`.
  public let keys: [TimedMetadataKey]
  /// The IDs of the tracks that the metadata describes (`cdsc`), or an empty array for metadata of the whole movie.
  public let describedTrackIDs: [UInt32]
  /// The number of samples or events, including the samples in fragments.
  public let sampleCount: Int
  /// The time range in the movie from the first to the last presented sample, in microseconds, or `nil` if no sample is
  /// presented.
  public let microseconds: Range<Int64>?
  /// The identifiers that the sample descriptions declare without a type. They are URIs, media types or namespaces.
  public let declaredIdentifiers: [MetadataIdentifier]
}

extension Movie {
  /// Returns the tracks with timed metadata, in file order, and the events between fragments last.
  ///
  /// Reads the fragments of the movie and the headers of events, but no samples. Throws the errors of the source and
  /// ``MovieError``.
  public func timedMetadataTracks(from source: some RandomAccessSource) throws -> [TimedMetadataTrack] {
    try timedMetadataTracks(in: try includingFragments(from: source), from: source)
  }

  package func timedMetadataTracks(
    in presented: PresentedMovie, from source: some RandomAccessSource
  ) throws -> [TimedMetadataTrack] {
    let end = presented.endMicroseconds
    var list = presented.movie.tracks.compactMap { presented.timedMetadataTrack($0, movieEnd: end) }
    if let events = try EventMessages(of: presented, from: source).track { list.append(events) }
    return list
  }
}

extension TimedMetadataTrack {
  /// Returns the events of a media segment (a file without a movie atom). Returns `nil` for other files.
  package static func events(ofSegment source: some RandomAccessSource) throws -> TimedMetadataTrack? {
    try EventMessages(ofSegment: source)?.track
  }
}

extension Track {
  /// The decoder for each sample description, or `nil` for descriptions without timed metadata.
  var timedSampleDecoders: [TimedSampleDecoder?] {
    let (type, areExternal) = (mediaType, externalDescriptions)
    return sampleDescriptions.entries.enumerated().map { index, entry in
      areExternal.indices.contains(index) && areExternal[index] ? nil : TimedSampleDecoder(entry, type)
    }
  }
}

extension Track {
  /// A copy of the track with an open edit after its empty edits, or the track itself if it has other edits. Some
  /// writers of camera motion metadata declare the start of the media by an edit list that contains only empty edits.
  var presentingMedia: Track {
    guard var list = editList, !list.entries.isEmpty, list.entries.allSatisfy(\.isEmptyEdit) else { return self }
    list.entries.append(EditList.Entry(segmentDuration: 0, mediaTime: 0))
    return replacingEditList(list)
  }
}

extension PresentedMovie {
  /// The end of the movie in microseconds. Makes a pass over all tracks.
  var endMicroseconds: Int64 { movie.endMilliseconds(fragments)?.scaledClamped(by: 1_000) ?? .max }

  /// Returns the description of a track, or `nil` if it contains no timed metadata.
  func timedMetadataTrack(_ track: Track, movieEnd: Int64) -> TimedMetadataTrack? {
    let decoders = track.timedSampleDecoders
    guard decoders.contains(where: { $0 != nil }) else { return nil }
    return TimedMetadataTrack(
      trackID: track.id, format: track.formats.first?.description ?? "",
      keys: track.sampleDescriptions.entries.flatMap(\.timedMetadataKeys).withoutRepetition,
      describedTrackIDs: track.referenced("cdsc"), sampleCount: track.sampleCount(in: fragments),
      microseconds: shownRange(of: track, movieEnd: movieEnd),
      declaredIdentifiers: decoders.flatMap { $0?.declaredIdentifiers ?? [] }.withoutRepetition)
  }

  /// Returns the time range from the first to the last presented sample of a track, in microseconds, or `nil` if no
  /// sample is presented. Uses the edit list and the duration of the media, but makes no pass over the samples.
  ///
  /// If the last sample has no duration, it lasts to the end of the movie, as in ``TimedMetadataReader``.
  private func shownRange(of track: Track, movieEnd: Int64) -> Range<Int64>? {
    let segments: [ShownSegment]
    do throws(MovieError) {
      segments = try track.presentingMedia.shownSegments(
        movieTimeScale: movie.header.timeScale, unitsPerSecond: 1_000_000)
    } catch {
      return nil  // A time scale is 0, so the track has no times.
    }
    guard track.sampleCount(in: fragments) > 0 else { return nil }
    let fragmented = fragments?.track(track.id)
    let mediaEnd =
      fragmented.map { Int64(clamping: $0.endTime).addingClamped(-Int64(clamping: $0.ticksBeforeStart)) }
      ?? Int64(clamping: track.samples.mediaDuration ?? .max)
    let isOpen = (fragmented?.lastSampleDuration ?? track.samples.timeToSample.last?.duration) == 0
    let end = isOpen ? .max : Swift.max(mediaEnd, 1)
    var shown: Range<Int64>?
    for segment in segments {
      guard let range = segment.shown(from: 0, to: end) else { continue }
      let first = range.lowerBound
      var last = range.upperBound
      if end == .max { last = Swift.max(first.addingClamped(1), Swift.min(last, movieEnd)) }
      shown = Swift.min(shown?.lowerBound ?? .max, first)..<Swift.max(shown?.upperBound ?? 0, last)
    }
    return shown
  }
}

extension FragmentedTrack {
  /// The duration of the last sample in media ticks, or `nil` if the fragments contain no samples.
  fileprivate var lastSampleDuration: UInt32? {
    guard let run = runs.last(where: { $0.sampleCount > 0 }) else { return nil }
    return run.table[run.sampleCount - 1].duration ?? run.defaults.duration
  }
}

// MARK: - Summaries

extension TimedMetadataTrack {
  /// The name of the format, or `nil` if it has none.
  package var formatName: String? { Self.name(ofFormat: format) }

  /// Returns the name of a format, or `nil` if it has none.
  package static func name(ofFormat format: String) -> String? {
    switch format {
    case "mebx": nil
    case "gpmd": "GoPro telemetry"
    case "camm": "camera motion"
    case "tmcd": "time code"
    case "emsg": "events"
    case "rtmd": "Sony camera data"
    case "djmd": "DJI camera data"
    case "urim", "mett", "metx": "timed metadata"
    default: nil
    }
  }

  /// Returns the contents in a few words, such as "still image at 1.73 s" or "places: 199, 12.0 s to 23.7 s".
  ///
  /// - Parameters:
  ///   - value: the orientation of a video, or `nil` for other contents.
  ///   - placeCount: the number of samples that are not gaps, for a track with locations.
  fileprivate func summary(_ value: MetadataItem?, placeCount: Int) -> String {
    func time(_ microseconds: Int64, _ digits: Int64) -> String {
      let unit: Int64 = digits == 2 ? 10_000 : 100_000
      let rounded = microseconds.addingClamped(unit / 2) / unit
      let (seconds, fraction) = rounded.quotientAndRemainder(dividingBy: 1_000_000 / unit)
      return "\(seconds).\(fraction.padded(to: Int(digits))) s"
    }
    // Fields of structured values are not listed.
    let keys = Set(keys.map(\.identifier).filter { $0.space.rawValue != "fiel" }.map(\.key))
    let range = microseconds.map { ", \(time($0.lowerBound, 1)) to \(time($0.upperBound, 1))" } ?? ""
    if keys.contains("com.apple.quicktime.still-image-time"), let microseconds, sampleCount == 1 {
      return "still image at \(time(microseconds.lowerBound, 2))"
    }
    if let text = value?.stringValue { return "orientation \(text)" }
    if keys.contains("com.apple.quicktime.location.ISO6709") { return "places: \(placeCount)\(range)" }
    let names = keys.map { $0.split(separator: ".").last.map(String.init) ?? $0 }.sorted().prefix(4)
    let name = formatName ?? (names.isEmpty ? format : names.joined(separator: ", "))
    return "\(name): \(sampleCount)\(range)"
  }
}

extension Movie {
  /// The size of a gap in boxed metadata: an atom without contents.
  private static let gapByteCount: UInt32 = 8

  /// Returns a line for each track with timed metadata, except for time codes. Reads no sample except for the
  /// orientation of a video.
  ///
  /// - Parameter fragments: the movie's fragments, or `nil` if it has none.
  package func timedMetadataSummaries(
    _ fragments: MovieFragments?, from source: some RandomAccessSource
  ) throws -> [String] {
    let candidates = tracks.filter { $0.mediaType != .timecode && $0.timedSampleDecoders.contains { $0 != nil } }
    guard !candidates.isEmpty else { return [] }
    let presented = PresentedMovie(self, fragments, from: fragments?.start(in: self))
    let end = presented.endMicroseconds
    return try presented.movie.tracks.compactMap { track in
      guard candidates.contains(where: { $0.id == track.id }),
        let listed = presented.timedMetadataTrack(track, movieEnd: end)
      else { return nil }
      var orientation: MetadataItem?
      let key = "com.apple.quicktime.video-orientation"
      if listed.sampleCount == 1, listed.keys.count == 1, listed.keys[0].identifier.key == key {
        var reader = try TimedMetadataReader(
          self, in: [track.id], identifiers: [], range: nil, from: source, presented: presented)
        orientation = try reader.nextGroups()?.first?.items.first { $0.identifier.key == key }
      }
      let hasPlaces = listed.keys.contains { $0.identifier == RouteBuilder.location }
      let placeCount = hasPlaces ? track.sampleCount(in: presented.fragments, largerThan: Self.gapByteCount) : 0
      return "track \(track.id): \(listed.summary(orientation, placeCount: placeCount))"
    }
  }
}
