package import MovieBox

/// The fragments and texts that the page of a movie has read. The presentation reuses them instead of reading them
/// again.
package struct MovieContents: Sendable {
  /// The fragments, or `nil` if the movie has none.
  var fragments: MovieFragments?
  /// The texts by track ID, with times from the start of the movie.
  var texts: [UInt32: TextTrack] = [:]
}

// Notices about players that do not play the video or the audio.
extension StreamedMovie {
  /// Reports tracks that some players do not play, according to ``PlayerSupport``.
  ///
  /// The report is a note, not a warning, if all players play another track in the same language.
  func playbackNotices(of tracks: [StreamedTrack]) -> [StreamPlan.Notice] {
    let rows = tracks.map(\.playerSupport)
    struct Content: Hashable {
      let language: LanguageTag?
      let characteristics: [MediaCharacteristic]

      init(_ track: Track) { (language, characteristics) = (track.language, track.taggedCharacteristics) }
    }
    /// Returns the contents of the audio tracks that all players play.
    func contents(playedBy level: KeyPath<PlayerSupport, PlayerSupport.Level>) -> Set<Content> {
      let played = tracks.indices.filter { place in
        tracks[place].track.mediaType == .audio && !rows[place].isEmpty
          && rows[place].allSatisfy { $0[keyPath: level] == .all }
      }
      return Set(played.map { Content(tracks[$0].track) })
    }
    let (onApple, inBrowsers) = (contents(playedBy: \.appleStreams), contents(playedBy: \.browserStreams))
    func isAlsoPlayable(_ track: Track, among contents: Set<Content>) -> Bool {
      track.mediaType == .audio && contents.contains(Content(track))
    }
    return tracks.indices.flatMap { place in
      let track = tracks[place].track
      func notice(
        _ code: String, isWarning: Bool, remedy: StreamRemedy? = nil, _ message: String
      ) -> StreamPlan.Notice {
        StreamPlan.Notice(
          code, movieIndex: index, trackID: track.id, isWarning: isWarning, remedy: remedy,
          "\(name(track)) is in \(message)")
      }
      return rows[place].flatMap { row in
        var found: [StreamPlan.Notice] = []
        if let effect = row.appleStreams.effect {
          let isRenamed = InBandParameterSets.mayContainParameterSets(track)
          found.append(
            notice(
              isRenamed || track.formats.contains("avc3") ? "sets-in-samples" : "not-on-apple",
              isWarning: !isAlsoPlayable(track, among: onApple), remedy: isRenamed ? .renamedFormat : nil,
              "\(row.name), which Apple's players do not play in HLS: \(effect)"
                + (row.browserStreams == .all ? "; hls.js in Chrome, Edge and Firefox plays it" : "")))
        } else if case .some(let players) = row.appleStreams {
          found.append(
            notice(
              "some-players", isWarning: false, "\(row.name), which only some of Apple's players play (\(players))"))
        }
        if let effect = row.browserStreams.effect {
          found.append(
            notice(
              "not-in-browsers", isWarning: !isAlsoPlayable(track, among: inBrowsers),
              "\(row.name), which hls.js in Chrome, Edge and Firefox does not play: \(effect)"
                + (row.appleStreams == .all ? "; Apple's players play it" : "")))
        }
        return found
      }
    }
  }

  /// Returns notices about a film whose track is disabled, and about rotated video.
  func notices(ofPicture picture: StreamedTrack) -> [StreamPlan.Notice] {
    let track = picture.track
    var notices: [StreamPlan.Notice] = []
    if let disabled = movie.disabledFilm(track) {
      notices.append(
        StreamPlan.Notice(
          "film-disabled", movieIndex: index, trackID: track.id,
          "track \(track.id): \(disabled); the presentation shows the film, but players that open the movie file do not"
        ))
    }
    // Safari on iPhone and Mac applies the matrix of a file, but ignores it in HLS (immich-app/immich 30010,
    // kaltura/nginx-vod-module 486, ant-media/Ant-Media-Server 4762). The notice is not a warning, because some callers
    // reject movies with warnings, and all phones rotate portrait movies by the matrix.
    if let rotation = track.header.matrix.rotationText {
      notices.append(
        StreamPlan.Notice(
          "rotated", movieIndex: index, trackID: track.id, isWarning: false, remedy: .upright,
          "the matrix of track \(track.id) specifies that the video is \(rotation); according to three reports, Safari "
            + "ignores the matrix in HLS"))
    }
    return notices
  }

  /// Throws if all video, or all audio, is left out because no player can configure a decoder for it.
  func requireConfiguration(among playable: [StreamedTrack], _ mediaType: MediaType) throws(MovieError) {
    guard !playable.contains(where: { $0.track.mediaType == mediaType }) else { return }
    for track in movie.tracks where track.mediaType == mediaType && !movie.chapterTrackIDs.contains(track.id) {
      guard fragments.track(track.id)?.sampleCount ?? 0 > 0, let defect = movie.configurationDefect(of: track) else {
        continue
      }
      throw MovieError(
        .malformed, in: movie.tree.path(of: track.atom), "\(name(track)) \(defect), and no player can decode it")
    }
  }

  /// Whether the movie has a video track. Chapter pictures and a single picture, such as a cover, do not count.
  var hasVideo: Bool {
    movie.tracks.contains { track in
      track.mediaType == .video && !movie.chapterTrackIDs.contains(track.id)
        && fragments.track(track.id)?.sampleCount ?? 0 > 1
    }
  }

  /// Returns the number of audio channels according to the configuration, the header of the first MP3 packet, or else
  /// the sample description. Rethrows errors of the source.
  ///
  /// ISO/IEC 14496-14 requires the number 2 in every sample description of `mp4a`, even for mono. MP3 has no
  /// configuration, so only its packets distinguish mono from stereo.
  func channelCount(of track: Track, _ format: CodedFormat?, _ samples: FragmentedTrack) throws -> UInt32? {
    if let count = movie.channelCount(of: track) { return count }
    guard track.mediaType == .audio, let format else { return nil }
    let isMPEG = [0x69, 0x6B].contains(format.streamType) || [32, 33, 34].contains(format.soundObjectType)
    if isMPEG, let first = samples.samples.first(where: { _ in true })?.byteRange, first.count >= 4,
      first.end <= movie.layout.identity.byteCount, let head = ByteRange(offset: first.offset, count: 4),
      let header = try source.read(head).load(at: 0, as: UInt32.self), header >> 21 == 0x7FF
    {
      return header >> 6 & 3 == 3 ? 1 : 2  // The mode (ISO/IEC 11172-3, 2.4.2.3).
    }
    guard let entry = track.sampleDescriptions.entries.first else { return nil }
    do throws(MovieError) {
      let count = try SoundDescription(body: entry.body).channelCount
      return count > 0 ? count : nil
    } catch {
      return nil
    }
  }
}

extension MovieError.Code {
  /// The movie has video, but HLS does not support its formats.
  package static let noPicture = MovieError.Code(rawValue: "no-picture")
}

extension Matrix {
  /// The rotation of the picture by the matrix, such as `turned by 90°`, or `nil` if the picture is not rotated.
  var rotationText: String? {
    switch (a.signum(), b.signum(), c.signum(), d.signum()) {
    case (0, 1, -1, 0): "turned by 90°"
    case (-1, 0, 0, -1): "turned by 180°"
    case (0, -1, 1, 0): "turned by 270°"
    case (-1, 0, 0, 1), (1, 0, 0, -1): "mirrored"
    case (0, 1, 1, 0), (0, -1, -1, 0): "turned and mirrored"
    case (_, let b, let c, _) where b != 0 || c != 0: "slanted"
    default: nil
    }
  }
}
