package import MovieBox
package import Subtitles

/// The contents of a page for one movie: names for its menus, texts, chapters and pictures. All contents are in memory.
/// The page refers to the movie's file by ``source``.
///
/// A track or a picture that cannot be read results in a notice instead of an error, because the page is useful without
/// it.
package struct PageMovie: Sendable {
  /// An entry of the subtitle menu, or forced subtitles. Forced subtitles are shown even if the menu is set to "off".
  package struct SubtitleOption: Sendable {
    /// The ID in the page: the track ID, followed by a letter for the forced cues of the track.
    package let id: String
    package let name: String
    package let language: LanguageTag?
    package let isSDH: Bool
    package let isDefault: Bool
    /// Whether the subtitles are forced: shown if subtitles are off, and not in the menu.
    package let isForced: Bool
    /// Whether the subtitles are never selected automatically.
    package let isAuxiliary: Bool
    /// Whether the text describes the video.
    package let describesVideo: Bool
    /// The contents of a WebVTT file.
    package let webVTT: [UInt8]
    /// The URL of the file if the page does not contain the text.
    package var url: String?

    /// The `kind` of a `track` element.
    var kind: String { describesVideo ? "descriptions" : isSDH ? "captions" : "subtitles" }
  }

  /// An entry of the audio menu.
  package struct SoundOption: Sendable {
    package let id: UInt32
    package let name: String
    package let language: LanguageTag?
    package let isDefault: Bool
    package let isAuxiliary: Bool
    package let describesVideo: Bool
    /// The playlists of the audio, one for each of its codecs, or empty without a stream.
    package var playlists: [Playlist] = []

    /// An audio playlist.
    package struct Playlist: Hashable, Sendable {
      package let url: String
      /// The `codecs` parameter of the media type that browsers are asked about.
      package let codecs: String
    }
  }

  /// An entry of the chapter list.
  package struct Chapter: Sendable {
    package let startMilliseconds: Int64
    package let title: String
    package let language: LanguageTag?
    package let image: Bytes?
  }

  /// The presentation of the movie, for players of segments.
  package struct Stream: Sendable {
    /// The URL of the multivariant playlist.
    package let url: String
    /// The difference between segment times and movie times, in milliseconds.
    package let delayMilliseconds: Int64
    /// The start of the movie in the first segment, in milliseconds. It is above 0 for a trimmed movie, whose first
    /// sync sample is before its start.
    package let startMilliseconds: Int64

    package init(url: String, delayMilliseconds: Int64, startMilliseconds: Int64 = 0) {
      (self.url, self.delayMilliseconds) = (url, delayMilliseconds)
      self.startMilliseconds = startMilliseconds
    }
  }

  /// The title in the metadata, or else the file name without its extension.
  package let title: String
  package let artist: String?
  /// The codes of the video and audio formats.
  package let formats: [String]
  package let durationMilliseconds: Int64
  /// The time on the recording's clock that is subtracted from all times, or `nil` if nothing is subtracted.
  package let clockMilliseconds: Int64?
  package let hasPicture: Bool
  /// The display size in pixels, or `nil` if there is no picture or no declared size.
  package let pictureSize: (width: UInt32, height: UInt32)?
  package var sounds: [SoundOption]
  package var subtitles: [SubtitleOption] = []
  package private(set) var chapters: [Chapter] = []
  /// The segments of the camera's route, with at most a thousand points in total and at least one point each.
  package private(set) var route: [[RoutePoint]] = []
  /// The cover.
  package private(set) var artwork: Bytes?
  /// The movie's URL, relative to the page.
  package var source: String
  package var stream: Stream?
  /// The contents that were read for the page. They are kept until the presentation is planned.
  private var contents = MovieContents()
  /// Notices about contents that the page omits or that browsers cannot play.
  package private(set) var notices: [StreamPlan.Notice] = []

  /// Reads the contents of a page. `path` is the path of the movie, relative to the page. Its file name is the title if
  /// the metadata contains no title.
  ///
  /// Reads only text samples, chapters and chapter pictures of the media. Skips the remaining text tracks after
  /// `textByteCountLimit` bytes of text. Adds a notice for each track or picture that cannot be read. Throws the errors
  /// of the source, and ``MovieError``.
  package init(
    _ movie: Movie, from source: some RandomAccessSource, at path: String, preferring languages: [LanguageTag] = [],
    limits: SubtitleLimits = SubtitleLimits(), textByteCountLimit: Int = PageMovie.textByteCountLimit
  ) throws {
    let metadata = movie.commonMetadata
    func fact(_ name: String) -> MetadataItem? {
      let items = metadata.filter { $0.identifier.common?.key == name }
      return items.preferring(languages).first ?? items.first
    }
    func text(_ name: String) -> String? { fact(name)?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    let stem = FilePath(path).stem
    title = text("title") ?? (stem.isEmpty ? "movie" : String(stem))
    artist = text("artist") ?? text("author")
    artwork = fact("artwork")?.dataValue.flatMap { $0.count <= Self.pictureByteCountLimit ? $0 : nil }
    self.source = uriReference(path)
    let presented = try movie.includingFragments(from: source)
    contents.fragments = presented.fragments
    let duration =
      presented.fragments?.durationInMovieTicks(of: movie, from: presented.start) ?? movie.durationInMovieTicks
    durationMilliseconds = Int64(
      clamping: duration.scaled(by: 1_000, over: UInt64(max(1, movie.timeScale))) ?? 0)
    let chapterIDs = movie.chapterTrackIDs
    let playedTracks = movie.tracks.filter { track in
      (track.mediaType == .video || track.mediaType == .audio) && !chapterIDs.contains(track.id)
    }
    let film = movie.mainPicture?.id
    let picture = playedTracks.first { $0.id == film } ?? playedTracks.first { $0.mediaType == .video }
    hasPicture = picture != nil
    pictureSize = picture.map(\.pictureSize).flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
    if !playedTracks.contains(where: { movie.isFragmented || $0.samples.sampleCount > 0 }) {
      notices.append(
        StreamPlan.Notice("nothing-to-play", "the movie has no video or audio to play"))
    }
    let faults = movie.findings.filter { $0.severity == .error }
    if let first = faults.first {
      let others = faults.count > 1 ? "; validate lists \(faults.count - 1) more" : ""
      notices.append(
        StreamPlan.Notice(first.rule.id, trackID: first.trackID, "may not play: \(first.error.reason)" + others))
    }
    if let picture, let disabled = movie.disabledFilm(picture) {
      notices.append(
        StreamPlan.Notice(
          "film-disabled", trackID: picture.id,
          "track \(picture.id): \(disabled); browsers that play the movie file do not show the film"))
    }
    notices += Self.playbackNotices(of: playedTracks, in: movie)
    formats = playedTracks.flatMap(\.formats).map(\.description).withoutRepetition
    sounds = movie.options(.audible).compactMap { option in
      movie.track(option.trackID).map { SoundOption($0, option) }
    }
    clockMilliseconds = presented.start?.milliseconds
    let texts = presented.movie.readableTracks
    let forcedCueSets = ForcedCueSets(among: texts)
    let end = texts.isEmpty ? nil : presented.movie.endMilliseconds(presented.fragments)
    for track in texts {
      guard textByteCount < textByteCountLimit else {
        notices.append(
          StreamPlan.Notice(
            MovieError.Code.limit.rawValue, trackID: track.id,
            "track \(track.id) is omitted: the page's text limit of \(Self.textByteCountLimit) bytes is reached"))
        continue
      }
      do {
        let text = try TextTrackReader(
          track, of: presented.movie, fragments: presented.fragments, endingAt: end, limits: limits
        ).read(from: source)
        contents.texts[track.id] = text
        guard !text.cues.isEmpty || !track.hasClosedCaptions else {
          let reason = text.notices.last?.message ?? "track \(track.id) shows no captions"
          notices.append(StreamPlan.Notice("no-cues", trackID: track.id, reason + "; left out"))
          continue
        }
        add(text, of: track, forcedCueSets)
      } catch let error as MovieError where error.code != .sourceChanged {
        notices.append(
          StreamPlan.Notice(error.code.rawValue, trackID: track.id, "track \(track.id): \(error.reason); left out"))
      }
    }
    try readChapters(of: movie, from: source, preferring: languages)
    do {
      route = Self.thinned(try movie.route(from: source)?.segments ?? [])
    } catch let error as MovieError where error.code != .sourceChanged {
      notices.append(StreamPlan.Notice(error.code.rawValue, "the route is omitted: \(error.reason)"))
    }
  }

  /// Returns notices about tracks that browsers do not play, according to ``/MovieBox/PlayerSupport``.
  private static func playbackNotices(of tracks: [Track], in movie: Movie) -> [StreamPlan.Notice] {
    // The languages with an audio track that all browsers play. Other audio in these languages needs no notice.
    let heard = Set(
      tracks.filter { track in
        track.mediaType == .audio && movie.playerSupport(of: track).contains { $0.browsers == .all }
      }.map(\.language))
    return tracks.flatMap { track in
      movie.playerSupport(of: track).compactMap { row -> StreamPlan.Notice? in
        let name = "track \(track.id) (\(track.mediaType.name)) is in \(row.name)"
        switch row.browsers {
        case .none(let effect):
          return StreamPlan.Notice(
            "not-in-browsers", trackID: track.id, "\(name), which Chrome, Edge and Firefox do not play: \(effect)")
        case .some(let players) where track.mediaType == .audio && !heard.contains(track.language):
          return StreamPlan.Notice(
            "some-browsers", trackID: track.id, "\(name), which only some browsers play (\(players))")
        default: return nil
        }
      }
    }
  }

  /// Returns at most a thousand points, including the first and the last. A map cannot show more. Segments without
  /// returned points are omitted.
  private static func thinned(_ segments: [[RoutePoint]]) -> [[RoutePoint]] {
    let count = segments.reduce(0) { $0 + $1.count }
    guard count > 1_000 else { return segments }
    var position = 0
    var index = 0
    return segments.compactMap { segment in
      let end = position + segment.count
      var points: [RoutePoint] = []
      while index < 1_000, index * (count - 1) / 999 < end {
        points.append(segment[index * (count - 1) / 999 - position])
        index += 1
      }
      position = end
      return points.isEmpty ? nil : points
    }
  }

  /// Plans a presentation of the movie and makes the page play it. `folder` is the relative path of its folder, with a
  /// trailing slash. Does not read fragments and texts again.
  package mutating func planStream(
    of movie: Movie, from source: any RandomAccessSource, _ options: StreamOptions, limits: SubtitleLimits,
    at folder: String
  ) throws -> StreamPlan {
    let plan = try StreamPlan(of: movie, from: source, options, limits: limits, contents: contents)
    contents = MovieContents()
    addStream(plan, at: folder)
    return plan
  }

  /// Makes the page play a presentation of the movie. `folder` is the relative path of its folder, with a trailing
  /// slash.
  package mutating func addStream(_ plan: StreamPlan, at folder: String) {
    let folder = uriReference(folder)
    stream = Stream(
      url: folder + plan.entryPath, delayMilliseconds: Int64(clamping: plan.delayIn90kHz / 90),
      startMilliseconds: Int64(clamping: (plan.multivariant.startInMicroseconds ?? 0).addingClamped(999) / 1_000))
    for index in sounds.indices {
      let id = sounds[index].id
      let renditions = plan.multivariant.renditions.filter { $0.kind == .audio }
      var seen: Set<SoundOption.Playlist> = []
      sounds[index].playlists = renditions.compactMap { rendition in
        guard rendition.trackID == id, let path = rendition.path else { return nil }
        let playlist = SoundOption.Playlist(
          url: folder + uriReference(path), codecs: rendition.codecs.joined(separator: ","))
        return seen.insert(playlist).inserted ? playlist : nil
      }
    }
  }

  /// The size of the page's texts after which further texts are omitted. The text of a three-hour film has 200 kB for
  /// each language.
  package static let textByteCountLimit = 16 << 20

  /// The size of all subtitles.
  package var textByteCount: Int { subtitles.reduce(0) { $0 + $1.webVTT.count } }

  /// The size of the cover and the chapter pictures.
  package var pictureByteCount: Int {
    chapters.reduce(artwork?.count ?? 0) { $0 + ($1.image?.count ?? 0) }
  }

  /// Removes the cover and the chapter pictures, and adds a notice that the page's limit for pictures is reached.
  package mutating func removePictures() {
    artwork = nil
    chapters = chapters.map {
      Chapter(startMilliseconds: $0.startMilliseconds, title: $0.title, language: $0.language, image: nil)
    }
    notices.append(
      StreamPlan.Notice(
        MovieError.Code.limit.rawValue,
        "the cover and the chapter pictures are omitted, because the page's limit for pictures is reached"))
  }

  /// The largest size of a movie's cover, and the largest total size of a movie's chapter pictures. Covers of a few
  /// hundred kB are common, and a page must be loaded completely before it is shown.
  static let pictureByteCountLimit = 4 << 20

  private mutating func add(_ text: TextTrack, of track: Track, _ forcedCueSets: ForcedCueSets) {
    let isForced = track.containsOnlyForcedSubtitles
    let webVTT = text.file.written(as: .webVTT).bytes
    subtitles.append(SubtitleOption(track, id: String(track.id), isForced: isForced, webVTT: webVTT))
    guard let forcedPart = forcedCueSets.forcedCues(of: text.file, track) else { return }
    let forcedText = forcedPart.written(as: .webVTT).bytes
    subtitles.append(SubtitleOption(track, id: "\(track.id)f", isForced: true, webVTT: forcedText))
  }

  private mutating func readChapters(
    of movie: Movie, from source: some RandomAccessSource, preferring languages: [LanguageTag]
  ) throws {
    var list = try movie.chapters(from: source)
    let imageByteCount = list.chapters.reduce(UInt64(0)) { sum, chapter in
      if case .inMovie(let count) = chapter.image { sum.addingClamped(count) } else { sum }
    }
    if imageByteCount > 0, imageByteCount <= Self.pictureByteCountLimit {
      list = try movie.chapters(from: source, readsImages: true)
    }
    chapters = list.chapters.map { chapter in
      let title = chapter.title(preferring: languages)
      var image: Bytes?
      if case .data(let bytes) = chapter.image { image = bytes }
      return Chapter(
        startMilliseconds: chapter.startMilliseconds, title: title ?? "",
        language: chapter.titles.first { $0.text == title }?.language, image: image)
    }
  }
}

extension PageMovie.SubtitleOption {
  fileprivate init(_ track: Track, id: String, isForced: Bool, webVTT: [UInt8]) {
    self.id = id
    name = track.displayName + (isForced ? " (forced)" : "")
    language = track.language
    isSDH = track.isSDH || track.mediaType == .closedCaption
    isDefault = track.isEnabled && !isForced
    self.isForced = isForced
    isAuxiliary = track.isAuxiliary
    describesVideo = track.taggedCharacteristics.contains(.describesVideo)
    self.webVTT = webVTT
  }
}

extension PageMovie.SoundOption {
  fileprivate init(_ track: Track, _ option: MediaSelectionGroup.Option) {
    id = option.trackID
    name = option.displayName
    language = option.language
    isDefault = option.isDefault
    isAuxiliary = track.isAuxiliary
    describesVideo = option.has(.describesVideo)
  }
}

extension Movie {
  /// Returns the options of a selection group, or an empty array if there is no such group.
  fileprivate func options(_ kind: MediaSelectionGroup.Kind) -> [MediaSelectionGroup.Option] {
    mediaSelectionGroups.first { $0.kind == kind }?.options ?? []
  }

  /// The text tracks in the subtitle menu and the forced text tracks, in movie order.
  fileprivate var readableTracks: [Track] {
    let menu = Set(options(.legible).map(\.trackID))
    let chapters = chapterTrackIDs
    return tracks.filter { track in
      let isShown = menu.contains(track.id) || track.containsOnlyForcedSubtitles && !chapters.contains(track.id)
      return isShown && TextTrackReader.canRead(track)
    }
  }
}
