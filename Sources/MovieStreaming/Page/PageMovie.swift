package import MovieBox
package import Subtitles

/// What a page shows of one movie: names for its menus, texts, chapters, a picture. All of it is read; nothing refers to
/// the file any more but by ``source``.
package struct PageMovie: Sendable {
  /// A line of the menu of subtitles, or texts that are shown although it says "off".
  package struct SubtitleOption: Sendable {
    /// Its name in the page: the track's ID; those that are forced among others have a letter after it.
    package let id: String
    package let name: String
    package let language: LanguageTag?
    package let isSDH: Bool
    package let isDefault: Bool
    /// Whether they are shown when subtitles are off, and in no menu.
    package let isForced: Bool
    /// Whether nobody gets them without asking.
    package let isAuxiliary: Bool
    /// Whether they describe the picture.
    package let describesVideo: Bool
    /// A WebVTT file.
    package let webVTT: [UInt8]
    /// The file where the page does not hold it.
    package var url: String?

    /// The `kind` of a `track` element.
    var kind: String { describesVideo ? "descriptions" : isSDH ? "captions" : "subtitles" }
  }

  /// A line of the menu of sound.
  package struct SoundOption: Sendable {
    package let id: UInt32
    package let name: String
    package let language: LanguageTag?
    package let isDefault: Bool
    package let isAuxiliary: Bool
    package let describesVideo: Bool
    /// Its playlists, one for each codec that it is there in, where there is a stream.
    package var playlists: [Playlist] = []

    /// A playlist of sound.
    package struct Playlist: Hashable, Sendable {
      package let url: String
      /// The formats of its media, as browsers are asked for them.
      package let codecs: String
    }
  }

  /// A line of the list of chapters.
  package struct Chapter: Sendable {
    package let startMilliseconds: Int64
    package let title: String
    package let language: LanguageTag?
    package let image: Bytes?
  }

  /// Where a player that takes segments finds them.
  package struct Stream: Sendable {
    /// The multivariant playlist.
    package let url: String
    /// How much later than in the movie everything is in the segments, in milliseconds.
    package let delayMilliseconds: Int64
    /// How much later the movie begins than the first segment, in milliseconds: a trimmed movie has its first key picture
    /// before its start.
    package let startMilliseconds: Int64

    package init(url: String, delayMilliseconds: Int64, startMilliseconds: Int64 = 0) {
      (self.url, self.delayMilliseconds) = (url, delayMilliseconds)
      self.startMilliseconds = startMilliseconds
    }
  }

  /// The title that the movie states, else the file's name without its suffix.
  package let title: String
  package let artist: String?
  /// The codes of picture and sound.
  package let formats: [String]
  package let durationMilliseconds: Int64
  /// The clock of a recording at its start, which is subtracted from all times; `nil` for 0.
  package let clockMilliseconds: Int64?
  package let hasPicture: Bool
  /// In pixels as it is shown; `nil` where there is none, or nothing says it.
  package let pictureSize: (width: UInt32, height: UInt32)?
  package var sounds: [SoundOption]
  package var subtitles: [SubtitleOption] = []
  package private(set) var chapters: [Chapter] = []
  /// Where the camera went, in a thousand points at most.
  package private(set) var route: [RoutePoint] = []
  /// The cover.
  package private(set) var artwork: Bytes?
  /// The movie's URL, relative to the page.
  package var source: String
  package var stream: Stream?
  /// What was read, until the presentation is planned.
  private var contents = MovieContents()
  /// What the page lacks, for a person.
  package private(set) var notices: [Notice] = []

  /// Something that the movie has and the page does not.
  package struct Notice: Sendable {
    package let code: String
    package let trackID: UInt32?
    package let message: String
  }

  /// Reads what a page shows. `path` leads from the page to the movie, and names it where it states no title.
  ///
  /// Of the media only text, chapters and their pictures are read; no track of text once there are `textByteCountLimit`
  /// bytes. What cannot be read of these is a notice. Throws what the source throws, and ``MovieError``.
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
    artwork = fact("artwork")?.dataValue.flatMap { $0.count <= Self.pictureByteCount ? $0 : nil }
    self.source = uriReference(path)
    let presented = try movie.presented(from: source)
    contents.fragments = presented.fragments
    let duration =
      presented.fragments?.durationInMovieTicks(of: movie, from: presented.start) ?? movie.durationInMovieTicks
    durationMilliseconds = Int64(
      clamping: duration.scaled(by: 1_000, over: UInt64(max(1, movie.timeScale))) ?? 0)
    let chapterIDs = movie.chapterTrackIDs
    let played = movie.tracks.filter { track in
      (track.mediaType == .video || track.mediaType == .audio) && !chapterIDs.contains(track.id)
    }
    let film = movie.mainPicture?.id
    let picture = played.first { $0.id == film } ?? played.first { $0.mediaType == .video }
    hasPicture = picture != nil
    pictureSize = picture.map(\.pictureSize).flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
    if !played.contains(where: { movie.isFragmented || $0.samples.sampleCount > 0 }) {
      notices.append(
        Notice(code: "nothing-to-play", trackID: nil, message: "there is no picture and no sound in it to play"))
    }
    let faults = movie.findings.filter { $0.severity == .error }
    if let first = faults.first {
      let others = faults.count > 1 ? "; and \(faults.count - 1) more that validate lists" : ""
      notices.append(
        Notice(code: first.rule.id, trackID: first.trackID, message: "may not play: \(first.error.reason)" + others))
    }
    if let picture, let disabled = movie.disabledFilm(picture) {
      notices.append(
        Notice(
          code: "film-disabled", trackID: picture.id,
          message: "track \(picture.id): \(disabled); browsers do not show the film of the file"))
    }
    notices += Self.playbackNotices(of: played, in: movie)
    formats = played.flatMap(\.formats).map(\.description).withoutRepetition
    sounds = movie.options(.audible).compactMap { option in
      movie.track(option.trackID).map { SoundOption($0, option) }
    }
    clockMilliseconds = presented.start?.milliseconds
    let texts = presented.movie.readableTracks
    let forcedParts = ForcedCueSets(among: texts)
    let end = texts.isEmpty ? nil : presented.movie.endInMilliseconds(presented.fragments)
    for track in texts {
      guard textByteCount < textByteCountLimit else {
        notices.append(
          Notice(
            code: MovieError.Code.limit.rawValue, trackID: track.id,
            message: "track \(track.id): the page has text enough, \(Self.textByteCountLimit) bytes; left out"))
        continue
      }
      do {
        let text = try TextTrackReader(
          track, of: presented.movie, fragments: presented.fragments, endingAt: end, limits: limits
        ).read(from: source)
        contents.texts[track.id] = text
        add(text, of: track, forcedParts)
      } catch let error as MovieError where error.code != .sourceChanged {
        notices.append(
          Notice(code: error.code.rawValue, trackID: track.id, message: "track \(track.id): \(error.reason); left out"))
      }
    }
    try readChapters(of: movie, from: source, preferring: languages)
    do {
      route = Self.thinned(try movie.route(from: source))
    } catch let error as MovieError where error.code != .sourceChanged {
      notices.append(Notice(code: error.code.rawValue, trackID: nil, message: "the route is left out: \(error.reason)"))
    }
  }

  /// Reports tracks that browsers do not play, by ``/MovieBox/PlayerSupport``.
  private static func playbackNotices(of tracks: [Track], in movie: Movie) -> [Notice] {
    tracks.flatMap { track in
      movie.playerSupport(of: track).compactMap { row in
        row.browsers.effect.map { effect in
          Notice(
            code: "not-in-browsers", trackID: track.id,
            message: "track \(track.id) (\(track.mediaType.name)) is in \(row.name), which Chrome, Edge and Firefox do "
              + "not play: \(effect)")
        }
      }
    }
  }

  /// A thousand points at most, the first and the last among them: a map shows no more.
  private static func thinned(_ points: [RoutePoint]) -> [RoutePoint] {
    guard points.count > 1_000 else { return points }
    return (0..<1_000).map { points[$0 * (points.count - 1) / 999] }
  }

  /// Plans a presentation of the movie, and lets the page play it: `folder` leads there from the page, and ends in a
  /// slash. Neither the fragments nor the texts that the page has are read again.
  package mutating func planStream(
    of movie: Movie, from source: any RandomAccessSource, _ options: StreamOptions, limits: SubtitleLimits,
    at folder: String
  ) throws -> StreamPlan {
    let plan = try StreamPlan(of: movie, from: source, options, limits: limits, contents: contents)
    contents = MovieContents()
    addStream(plan, at: folder)
    return plan
  }

  /// Lets the page play a presentation of the movie: `folder` leads there from the page, and ends in a slash.
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

  /// No text is added to a page that has more: a film of three hours takes 200 kB in each language.
  package static let textByteCountLimit = 16 << 20

  /// Bytes of its subtitles.
  package var textByteCount: Int { subtitles.reduce(0) { $0 + $1.webVTT.count } }

  /// Bytes of its cover and of the pictures of its chapters.
  package var pictureByteCount: Int {
    chapters.reduce(artwork?.count ?? 0) { $0 + ($1.image?.count ?? 0) }
  }

  /// Takes the cover and the pictures of chapters out, for a page that has enough of them.
  package mutating func leaveOutPictures() {
    artwork = nil
    chapters = chapters.map {
      Chapter(startMilliseconds: $0.startMilliseconds, title: $0.title, language: $0.language, image: nil)
    }
    notices.append(
      Notice(
        code: MovieError.Code.limit.rawValue, trackID: nil,
        message: "the page has pictures enough: its cover and the pictures of its chapters are left out"))
  }

  /// Bytes of a cover, and of all pictures of chapters, that the page takes into itself: covers of a few hundred kB are
  /// common, and a page is loaded whole before anything is seen.
  static let pictureByteCount = 4 << 20

  private mutating func add(_ text: TextTrack, of track: Track, _ forcedParts: ForcedCueSets) {
    let isForced = track.containsOnlyForcedSubtitles
    let all = text.file.written(as: .webVTT).bytes
    subtitles.append(SubtitleOption(track, id: String(track.id), isForced: isForced, webVTT: all))
    guard let forced = forcedParts.part(of: text.file, track) else { return }
    let some = forced.written(as: .webVTT).bytes
    subtitles.append(SubtitleOption(track, id: "\(track.id)f", isForced: true, webVTT: some))
  }

  private mutating func readChapters(
    of movie: Movie, from source: some RandomAccessSource, preferring languages: [LanguageTag]
  ) throws {
    var list = try movie.chapters(from: source)
    let imageByteCount = list.chapters.reduce(UInt64(0)) { sum, chapter in
      if case .inMovie(let count) = chapter.image { sum.addingClamped(count) } else { sum }
    }
    if imageByteCount > 0, imageByteCount <= Self.pictureByteCount {
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
  fileprivate init(_ track: Track, _ option: MediaSelectionOption) {
    id = option.trackID
    name = option.displayName
    language = option.language
    isDefault = option.isDefault
    isAuxiliary = track.isAuxiliary
    describesVideo = option.has(.describesVideo)
  }
}

extension Movie {
  /// The lines of a menu.
  fileprivate func options(_ kind: MediaSelectionGroup.Kind) -> [MediaSelectionOption] {
    mediaSelectionGroups.first { $0.kind == kind }?.options ?? []
  }

  /// The tracks of the menu of subtitles that hold text, and those of forced subtitles, in the order of the movie.
  fileprivate var readableTracks: [Track] {
    let menu = Set(options(.legible).map(\.trackID))
    let chapters = chapterTrackIDs
    return tracks.filter { track in
      let isShown = menu.contains(track.id) || track.containsOnlyForcedSubtitles && !chapters.contains(track.id)
      return isShown && TextTrackReader.canRead(track)
    }
  }
}
