import MovieBox

/// A video or audio track of a presentation.
struct StreamedTrack: Sendable {
  let movieIndex: Int
  let track: Track
  let codec: CodecString
  /// The codec strings of all formats of the track.
  let codecs: [String]
  /// The properties of the track's formats that determine whether players support them.
  let formats: [CodedFormat]
  /// The number of audio channels, or `nil` if the movie does not declare it.
  let channelCount: UInt32?
  let samples: FragmentedTrack
  private(set) var timeline: TrackTimeline

  /// The words that form the name of the track's folder, such as `video`, or `audio` and `en`.
  var folderWords: [String?] {
    if track.mediaType == .video { return ["video"] }
    let role = track.taggedCharacteristics.contains(.describesVideo) ? "description" : nil
    return ["audio", track.language?.description ?? "und", role]
  }

  /// Returns the track, limited to the samples that the presentation contains. See
  /// ``TrackTimeline/fit(to:isPicture:startingAt:trimmingTo:)``.
  func fitted(startingAt startTime: Int64? = nil, trimmingTo trimmedStart: Int64? = nil) throws(MovieError)
    -> StreamedTrack
  {
    var fittedTrack = self
    try fittedTrack.timeline.fit(
      to: samples, isPicture: track.mediaType == .video, startingAt: startTime, trimmingTo: trimmedStart)
    return fittedTrack
  }

  /// The rows of the player support table that describe the track's formats.
  var playerSupport: [PlayerSupport] { formats.compactMap { PlayerSupport.support(for: $0, in: track.mediaType) } }

  /// The number of Dolby Atmos objects.
  private var atmosObjectCount: UInt32? { formats.first?.atmosObjectCount }

  /// The value of the playlist attribute `CHANNELS`.
  var channels: String? { atmosObjectCount.map { "\($0)/JOC" } ?? channelCount.map { "\($0)" } }
}

/// A movie of a presentation, with its fragments and other data that were read from it.
struct StreamedMovie: Sendable {
  let index: Int
  let movie: Movie
  let source: any RandomAccessSource
  /// The offset of the movie's bytes in the joined source of all movies.
  let sourceOffset: UInt64
  let fragments: MovieFragments
  /// The preroll groups of audio tracks by track ID.
  let prerolls: [UInt32: PrerollGroups]
  /// The texts that the page of the movie has already read, by track ID.
  var texts: [UInt32: TextTrack] = [:]

  /// Returns the unique folder name of a track, such as `video` or `audio-en-sdh`.
  static func uniqueFolder(_ words: [String?], in names: inout UniqueNames) -> String {
    names.name(words.compactMap { $0 }.joined(separator: "-"))
  }

  /// Returns the video and audio tracks that can be streamed. For each track that cannot be streamed, adds a notice
  /// with the reason.
  ///
  /// Throws for encrypted media, for edit lists that HLS cannot express, and if none of the movie's video and audio can
  /// be streamed. `isAudioOnly` excludes video.
  func playableTracks(_ notices: inout [StreamPlan.Notice], isAudioOnly: Bool) throws -> [StreamedTrack] {
    var playableTracks: [StreamedTrack] = []
    for track in movie.tracks where track.mediaType == .video && !isAudioOnly || track.mediaType == .audio {
      if movie.chapterTrackIDs.contains(track.id) { continue }
      do {
        switch try playability(of: track) {
        case .unplayable(let reason):
          notices.append(StreamPlan.Notice(leftOut: track.id, ofMovie: index, because: reason))
        case .playable(let samples, let codec, let codecs):
          let formats = movie.codedFormats(of: track)
          playableTracks.append(
            StreamedTrack(
              movieIndex: index, track: track, codec: codec, codecs: codecs, formats: formats,
              channelCount: try channelCount(of: track, formats.first, samples), samples: samples,
              timeline: try TrackTimeline(track, samples, of: movie)))
        }
      } catch {
        throw StreamRefusal.addingTrack(track.id, to: error)
      }
    }
    notices += playbackNotices(of: playableTracks)
    for track in movie.tracks where !isStreamed(track) && track.mediaType != .metadata {
      let reason =
        track.mediaType == .closedCaption
        ? "contains captions of a format that cannot be read" : "has a type that HLS does not support"
      notices.append(
        StreamPlan.Notice(
          leftOut: track.id, ofMovie: index, isWarning: track.mediaType.isLegible,
          because: "\(name(track)) \(reason)"))
    }
    return playableTracks
  }

  /// Whether presentations can contain tracks of this type, or the track contains the movie's chapters.
  private func isStreamed(_ track: Track) -> Bool {
    track.mediaType == .video || track.mediaType == .audio || movie.chapterTrackIDs.contains(track.id)
      || TextTrackReader.canRead(track)
  }

  /// Whether the movie has audio that HLS supports. Chapters do not count. Throws for encrypted audio.
  var hasPlayableSound: Bool {
    get throws(MovieError) {
      for track in movie.tracks where track.mediaType == .audio && !movie.chapterTrackIDs.contains(track.id) {
        if case .playable = try playability(of: track) { return true }
      }
      return false
    }
  }

  /// A video or audio track's data for a presentation, or the reason why it cannot be streamed.
  private enum Playability {
    case playable(FragmentedTrack, CodecString, codecs: [String])
    case unplayable(reason: String)
  }

  private func playability(of track: Track) throws(MovieError) -> Playability {
    if let format = track.formats.first(where: { ["encv", "enca"].contains($0) }) {
      throw MovieError(
        .unsupported, in: movie.tree.path(of: track.atom),
        "\(name(track)) is encrypted (\(format)); decrypt the movie first")
    }
    guard let samples = fragments.track(track.id), samples.sampleCount > 0 else {
      return .unplayable(reason: "\(name(track)) has no samples")
    }
    if let defect = movie.configurationDefect(of: track) { return .unplayable(reason: "\(name(track)) \(defect)") }
    guard let codecs = codecs(of: track), let first = codecs.first else {
      let isMP3 = track.formats.contains(".mp3")
      let format =
        movie.playerSupport(of: track).first.map { "\($0.name), which HLS does not support" }
        ?? "a format that HLS does not support"
      return .unplayable(
        reason: "\(name(track)) is in \(format)"
          + (isMP3 ? " in a QuickTime movie; convert the movie to MP4 first" : ""))
    }
    let locator = ChunkLocator(track)
    if locator.hasExternalChunks { return .unplayable(reason: "\(name(track)) has samples in another file") }
    if !locator.hasNoLegacyAudioPackets {
      return .unplayable(reason: "\(name(track)) consists of QuickTime audio packets")
    }
    return .playable(samples, first, codecs: codecs.map(\.text))
  }

  func name(_ track: Track) -> String {
    let formats = track.formats.map(\.description).joined(separator: ", ")
    return "track \(track.id) (\(track.mediaType.name)\(formats.isEmpty ? "" : ", \(formats)"))"
  }

  /// Returns the distinct codec strings of a track in the order of its sample descriptions, or `nil` if HLS does not
  /// support one of its formats.
  private func codecs(of track: Track) -> [CodecString]? {
    var codecs: [CodecString] = []
    for entry in movie.tree.sampleDescriptions(ofTrack: track.atom) {
      guard let codec = CodecString(entry, of: movie.tree) else { return nil }
      if !codecs.contains(codec) { codecs.append(codec) }
    }
    return codecs.isEmpty ? nil : codecs
  }
}

extension StreamedMovie {
  /// Returns the properties of the track's video that a playlist declares.
  func picture(of streamed: StreamedTrack) -> MultivariantPlaylist.Picture {
    let track = streamed.track
    var (width, height) = track.pictureSize
    if width == 0 || height == 0, let entry = track.sampleDescriptions.entries.first {
      width = UInt32(entry.body.load(at: 16, as: UInt16.self) ?? 0)
      height = UInt32(entry.body.load(at: 18, as: UInt16.self) ?? 0)
    }
    return MultivariantPlaylist.Picture(
      width: width, height: height, framesPerThousandSeconds: FrameRate(of: streamed)?.framesPerThousandSeconds,
      range: range(of: streamed))
  }

  /// Returns the dynamic range. It is derived from the transfer function in `colr` (ISO/IEC 23091-2, table 3), or else
  /// from the base layer of Dolby Vision or the codec's parameters.
  private func range(of streamed: StreamedTrack) -> String {
    let tree = movie.tree
    // Dolby Vision without a compatible base layer has a transfer function of its own. Playlists declare it as PQ.
    if ["dvh1.05", "dvhe.05", "dav1.10"].contains(where: streamed.codec.text.hasPrefix) { return "PQ" }
    for entry in tree.sampleDescriptions(ofTrack: streamed.track.atom) {
      let colr = tree.child(of: entry, "colr").map(tree.payload(of:))
      let isNumbered = colr?.load(at: 0, as: UInt32.self).map {
        [FourCC("nclx"), FourCC("nclc")].contains(FourCC(rawValue: $0))
      }
      let said = isNumbered == true ? colr?.load(at: 6, as: UInt16.self).map { UInt32($0) } : nil
      // In `colr`, the number 2 means that the transfer function is unspecified.
      switch said.flatMap({ $0 == 2 ? nil : $0 }) ?? TransferFunction(entry, of: tree)?.number {
      case 16?: return "PQ"
      case 18?: return "HLG"
      default: continue
      }
    }
    switch streamed.codec.supplement?.suffix(5) {
    case "/db1p": return "PQ"
    case "/db4h": return "HLG"
    default: return "SDR"
    }
  }
}
