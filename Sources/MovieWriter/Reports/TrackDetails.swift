package import MovieBox

/// The video and audio properties of a track, from its header and first sample description.
package struct TrackDetails: Equatable, Sendable {
  /// A size in pixels.
  package struct Size: Equatable, Sendable {
    package let width: UInt32
    package let height: UInt32
  }

  /// The display size after applying the matrix, or `nil` if the track has no display size.
  package private(set) var displaySize: Size?
  /// The size of the coded picture.
  package private(set) var codedSize: Size?
  /// The number of audio channels, or `nil` if the movie atom does not declare it.
  package private(set) var channelCount: UInt32?
  /// The number of audio samples per second.
  package private(set) var sampleRate: UInt32?

  /// Reads the first sample description. The properties are `nil` if it cannot be parsed.
  package init(_ track: Track, in movie: Movie) {
    let size = track.pictureSize
    if size.width > 0, size.height > 0 { displaySize = Size(width: size.width, height: size.height) }
    guard let entry = track.sampleDescriptions.entries.first else { return }
    do throws(MovieError) {
      switch track.mediaType {
      case .video:
        let description = try VideoDescription(body: entry.body)
        codedSize = Size(width: UInt32(description.width), height: UInt32(description.height))
      case .audio:
        let description = try SoundDescription(body: entry.body)
        channelCount = movie.channelCount(of: track)
        let rate = description.sampleRate(of: entry.format, mediaTimeScale: track.mediaHeader.timeScale)
        // Audio that declares no rate is reported without a rate.
        sampleRate = description.sampleRate > 0 || rate > UInt32(UInt16.max) ? rate : 0
      default: break
      }
    } catch {
      return  // The rule `description.unreadable` reports the description.
    }
  }

  /// The properties as the text of a table cell, such as `1280 × 720` or `6 channels, 48 kHz`.
  package var description: String {
    if let sampleRate {
      let channels: String? =
        switch channelCount {
        case nil, 0: nil
        case 1: "mono"
        case 2: "stereo"
        case let count?: "\(count) channels"
        }
      let rate = sampleRate > 0 ? Self.kilohertz(sampleRate) : nil
      return [channels, rate].compactMap(\.self).joined(separator: ", ")
    }
    return (displaySize ?? codedSize).map { "\($0.width) × \($0.height)" } ?? ""
  }

  /// Returns the rate as text, such as `48 kHz`, `44.1 kHz` or `11.025 kHz`.
  private static func kilohertz(_ rate: UInt32) -> String {
    var fraction = String(1000 + rate % 1000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(rate / 1000)" + (fraction.isEmpty ? "" : "." + fraction) + " kHz"
  }
}

/// The sample statistics of a track, including samples in fragments.
package struct TrackMedia: Equatable, Sendable {
  /// The number of samples.
  package let sampleCount: Int
  /// The number of chunks. Each run of samples in a fragment counts as one chunk.
  package let chunkCount: Int
  /// The presented duration in movie ticks.
  package let durationInMovieTicks: UInt64
  /// The duration of the samples in media ticks, or `nil` if unknown.
  package let mediaDuration: UInt64?
  /// The start of the presentation in movie ticks.
  package let presentationStart: UInt64

  /// Creates the statistics of `track`, with times counted from `start` on the clock of the movie. If `fragmented` is
  /// `nil`, only the movie atom is considered.
  package init(_ track: Track, in movie: Movie, _ fragmented: FragmentedTrack?, from start: MediaTime? = nil) {
    let timeScale = movie.header.timeScale
    guard let fragmented, fragmented.startTime != nil else {
      sampleCount = track.samples.sampleCount
      chunkCount = track.samples.chunkCount
      durationInMovieTicks = track.durationInMovieTicks(movieTimeScale: timeScale)
      mediaDuration = track.mediaHeader.isDurationUnknown ? nil : track.mediaHeader.duration
      presentationStart = track.presentationStartInMovieTicks
      return
    }
    sampleCount = fragmented.sampleCount
    chunkCount = track.samples.chunkCount + fragmented.runs.count
    durationInMovieTicks = fragmented.durationInMovieTicks(of: track, movieTimeScale: timeScale, from: start)
    mediaDuration = fragmented.mediaDuration
    let edits = fragmented.flattenedEditList(of: track, movieTimeScale: timeScale, from: start)
    presentationStart = edits?.presentationStartInMovieTicks ?? 0
  }

  private init(_ media: TrackMedia, sampleCount: Int, chunkCount: Int, durationInMovieTicks: UInt64, duration: UInt64) {
    (self.sampleCount, self.chunkCount) = (sampleCount, chunkCount)
    self.durationInMovieTicks = durationInMovieTicks
    mediaDuration = duration
    presentationStart = media.presentationStart
  }

  /// Returns the statistics without the samples that are cut off. The movie must not be fragmented.
  func without(_ missing: MissingSamples, of track: Track, movieTimeScale: UInt32) -> TrackMedia {
    let count = Swift.max(0, sampleCount - (missing.sampleCount ?? 0))
    let end = UInt64(clamping: missing.startMilliseconds).scaled(by: UInt64(movieTimeScale), over: 1_000) ?? .max
    let firstMissing = track.samples.samples.dropFirst(count).first { _ in true }
    let chunks = track.samples.chunks.prefix { $0.firstSample < count }
    return TrackMedia(
      self, sampleCount: count, chunkCount: chunks.count, durationInMovieTicks: Swift.min(durationInMovieTicks, end),
      duration: firstMissing?.decodeTime ?? mediaDuration ?? 0)
  }
}

/// The references between the tracks of a movie, in both directions.
package struct TrackReferences {
  /// The tracks that refer to a track with one type of reference.
  package struct IncomingReferences: Equatable, Sendable {
    package let type: FourCC
    package let trackIDs: [UInt32]
  }

  private let movie: Movie
  /// The first track with each ID.
  private let tracksByID: [UInt32: Track]
  /// The references to each track ID: the types of the references in file order, and for each type the referring
  /// tracks.
  private var referrers: [UInt32: (types: [FourCC], tracks: [FourCC: [UInt32]])] = [:]

  package init(_ movie: Movie) {
    self.movie = movie
    tracksByID = Dictionary(movie.tracks.map { ($0.id, $0) }) { first, _ in first }
    for track in movie.tracks {
      for reference in track.references {
        for id in Set(reference.trackIDs) where tracksByID[id] != nil {
          let isNew = referrers[id, default: ([], [:])].tracks[reference.type, default: []].isEmpty
          if isNew { referrers[id, default: ([], [:])].types.append(reference.type) }
          referrers[id, default: ([], [:])].tracks[reference.type, default: []].append(track.id)
        }
      }
    }
  }

  /// Returns the tracks that refer to the track, by type of reference in file order.
  ///
  /// If several tracks have the same ID, the first of them gets all references.
  package func incomingReferences(to track: Track) -> [IncomingReferences] {
    guard tracksByID[track.id]?.atom == track.atom, let found = referrers[track.id] else { return [] }
    return found.types.map { IncomingReferences(type: $0, trackIDs: found.tracks[$0] ?? []) }
  }

  /// The lines that describe references, with one line for each track that has incoming or outgoing references.
  package var lines: [String] {
    movie.tracks.compactMap { track in
      var parts: [String] = []
      for reference in track.references {
        let targets = reference.trackIDs.filter { $0 != 0 }
        if !targets.isEmpty {
          parts.append("\(TrackAssociation(rawValue: reference.type).phrase) \(names(targets)) (\(reference.type))")
        }
      }
      for reference in incomingReferences(to: track) {
        parts.append(Self.incomingText(reference.type, names(reference.trackIDs)))
      }
      return parts.isEmpty ? nil : "\(name(track.id)) \(parts.joined(separator: "; "))"
    }
  }

  private func names(_ ids: [UInt32]) -> String {
    ids.map(name).joined(separator: " and ")
  }

  private func name(_ id: UInt32) -> String {
    tracksByID[id].map { "\($0.kindName) \(id)" } ?? "track \(id), which does not exist,"
  }

  /// Returns a phrase about a track to which other tracks refer, such as "is the time code of video 1". `others` contains
  /// the names of the referring tracks.
  private static func incomingText(_ type: FourCC, _ others: String) -> String {
    switch type {
    case "folw": "follows \(others)"
    case "forc": "contains the forced subtitles of \(others)"
    case "fall": "is the fallback of \(others)"
    case "chap": "contains the chapters of \(others)"
    case "tmcd": "is the time code of \(others)"
    case "cdsc": "is described by \(others)"
    default: "is referred to by \(others) (\(type))"
    }
  }
}
