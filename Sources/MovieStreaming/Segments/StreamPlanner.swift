import MovieBox
import MovieWriter
import Subtitles

/// Works a plan out of movies.
struct StreamPlanner {
  let options: StreamOptions
  let movies: [StreamedMovie]
  let identity: SourceIdentity
  private let subtitleLimits: SubtitleLimits
  let budget: StreamBudget
  var notices: [StreamPlan.Notice] = []
  var folders = UniqueNames(before: "-")
  /// What refers to nothing: segments and initialization segments.
  private(set) var mediaFiles: [StreamPlan.File] = []
  private(set) var playlists: [MediaRendition.Playlist] = []
  var multivariant = MultivariantPlaylist()
  /// The group of captions inside the picture; `nil` for none.
  private(set) var captionGroup: String?

  init(
    _ movies: [Movie], from sources: [any RandomAccessSource], options: StreamOptions, limits: SubtitleLimits
  ) throws {
    guard !movies.isEmpty, movies.count == sources.count else {
      throw MovieError(.invalidEdit, "a presentation wants at least one movie, and a source for each")
    }
    self.options = options
    subtitleLimits = limits
    let identities = movies.map(\.layout.identity)
    guard let joined = movies.count == 1 ? identities[0] : SourceIdentity(joining: identities) else {
      throw MovieError(.limit, "sources of more than 2⁶⁴ bytes together")
    }
    identity = joined
    budget = StreamBudget(options.limits, byteCount: joined.byteCount)
    self.movies = try movies.indices.map { index in
      if let refusal = movies[index].refusalAsReferenceMovie { throw refusal }
      let fragments = try movies[index].readFragments(of: sources[index])
      return StreamedMovie(
        index: index, movie: movies[index], source: sources[index],
        sourceOffset: joined.range(ofPart: index)?.offset ?? 0, fragments: fragments,
        prerolls: try PrerollGroups.all(in: movies[index], fragments))
    }
  }

  /// The plan.
  mutating func plan() throws -> StreamPlan {
    let tracks = try movies.map { movie in try movie.playableTracks(&notices) }
    let pictures = try pictures(among: tracks)
    let sounds = tracks.lazy.map { $0.filter { $0.track.mediaType == .audio } }.first { !$0.isEmpty } ?? []
    guard let lead = pictures.first ?? sounds.first else {
      throw MovieError(.unsupported, "the movie has no picture or sound that plays in HLS" + reasons)
    }
    noteUnused(tracks, pictures, sounds)
    let used = pictures + sounds
    let delay = try StreamDelay(used.map(\.timeline))

    let leads = pictures.isEmpty ? [lead] : pictures
    let cuts = try leads.map { try segmentCuts(by: $0, used) }
    let allTimes = try leads.indices.map { try programmeTimes(leads[$0], cuts[$0], used) }
    let times = allTimes[0]
    for (picture, own) in zip(leads, allTimes).dropFirst() {
      try requireAlignment(times, own, of: picture)
      try requireSameEnd(lead, picture)
    }
    let boundaries = times.boundaries.dropFirst().dropLast()
    let others = sounds.dropFirst(pictures.isEmpty ? 1 : 0)
    let segmented = try segment(
      zip(leads, cuts).map { ($0, .leading($1)) }
        + others.map { sound in
          (sound, .following(boundaries.map { times.ticks($0, of: sound.timeline.timeScale) }))
        }, delay)
    for (streamed, cut) in zip(leads, segmented) { noteStarts(of: streamed, cut) }
    var renditions: [MediaRendition] = []
    for (index, streamed) in (leads + others).enumerated() {
      renditions.append(
        try rendition(of: streamed, cutTo: segmented[index], allTimes.indices.contains(index) ? allTimes[index] : times)
      )
    }
    addSessionData()
    try addChapters()
    let language = sounds.first(where: \.track.isEnabled)?.track.language ?? sounds.first?.track.language
    if !pictures.isEmpty { captionGroup = try addCaptions(of: lead, segmented[0].probes, language: language) }
    let clockDelay = delay.ticks(90_000)
    multivariant.clock = MultivariantPlaylist.Clock(
      movie: UInt64(clamping: clockDelay),
      firstSegment: UInt64(clamping: clockDelay.addingClamped(times.ticks(times.boundaries[0], of: 90_000))))
    let texts = try addTexts(times, delay: multivariant.clock.movie)
    return finish(
      pictures: Array(renditions.prefix(pictures.count)), sounds: Array(renditions.dropFirst(pictures.count)),
      texts: texts)
  }

  private var reasons: String {
    notices.filter(\.isWarning).prefix(3).map { ": " + $0.message }.joined()
  }

  // MARK: - Tracks

  /// The picture of each movie: the first enabled one.
  private mutating func pictures(among tracks: [[StreamedTrack]]) throws -> [StreamedTrack] {
    var pictures: [StreamedTrack] = []
    for (index, tracks) in tracks.enumerated() {
      let candidates = tracks.filter { $0.track.mediaType == .video }
      guard let picture = candidates.first(where: \.track.isEnabled) ?? candidates.first else {
        if index > 0 {
          throw MovieError(.invalidEdit, "movie \(index + 1) has no picture that plays in HLS, and so is not a variant")
        }
        continue
      }
      pictures.append(picture)
    }
    if movies.count > 1, pictures.count < movies.count {
      throw MovieError(.invalidEdit, "movie 1 has no picture that plays in HLS, and so is not a variant")
    }
    return pictures
  }

  /// Says which tracks that could be played are not in the presentation.
  private mutating func noteUnused(
    _ tracks: [[StreamedTrack]], _ pictures: [StreamedTrack], _ sounds: [StreamedTrack]
  ) {
    let identities = movies.map(\.movie.layout.identity)
    for index in identities.indices.dropFirst() where identities[..<index].contains(identities[index]) {
      notices.append(
        StreamPlan.Notice(
          "same-movie", movieIndex: index,
          "movie \(index + 1) is one of those before it: its variant is the same, and helps nobody"))
    }
    let used = Set((pictures + sounds).map { [UInt32($0.movieIndex), $0.track.id] })
    for streamed in tracks.joined() where !used.contains([UInt32(streamed.movieIndex), streamed.track.id]) {
      let kind = streamed.track.mediaType
      let reason =
        kind == .video
        ? "a second picture (\(kind.name)): a variant has one"
        : "sound of movie \(streamed.movieIndex + 1): that of the first plays with all variants"
      notices.append(
        StreamPlan.Notice(
          "track-left-out", movieIndex: streamed.movieIndex, trackID: streamed.track.id,
          isWarning: kind == .video, "track \(streamed.track.id) is \(reason); left out"))
    }
  }

  // MARK: - Segments

  /// Where a track that leads begins segments.
  private func segmentCuts(by lead: StreamedTrack, _ used: [StreamedTrack]) throws(MovieError) -> SegmentCuts {
    let interval = max(1, Int64(options.segmentMilliseconds) * Int64(lead.timeline.timeScale) / 1_000)
    return try SegmentCuts(
      lead, interval: interval, start: start(of: used, lead), atMost: options.limits.segmentCount)
  }

  /// Says which segments of a track that leads cannot be decoded alone.
  private mutating func noteStarts(of lead: StreamedTrack, _ segmented: SegmentedTrack) {
    if !segmented.beginsWithSync {
      multivariant.areSegmentsIndependent = false
      notices.append(
        StreamPlan.Notice(
          "no-sync-start", movieIndex: lead.movieIndex, trackID: lead.track.id,
          "track \(lead.track.id) begins with a picture that cannot be decoded alone"))
    }
    if segmented.hasOpenGroups {
      multivariant.areSegmentsIndependent = false
      notices.append(
        StreamPlan.Notice(
          "open-groups", movieIndex: lead.movieIndex, trackID: lead.track.id,
          "track \(lead.track.id) has open groups of pictures: some at the start of segments need the segment before, "
            + "where HLS wants IDR pictures"))
    }
  }

  // MARK: - Files

  mutating func addFile(_ file: StreamPlan.File) { mediaFiles.append(file) }

  /// The files of a track, which become those of the plan.
  private mutating func rendition(
    of streamed: StreamedTrack, cutTo segmented: SegmentedTrack, _ times: ProgrammeTimes
  ) throws(MovieError) -> MediaRendition {
    let rendition = try MediaRendition(
      streamed, cutTo: segmented, times, in: StreamedMovie.folder(streamed.folderWords, unlike: &folders),
      isSingleFile: options.isSingleFile)
    mediaFiles += rendition.files
    playlists += [rendition.playlist, rendition.trickPlay].compactMap { $0 }
    if let notice = rendition.notice { notices.append(notice) }
    return rendition
  }

  /// The segments of text, at the times of the programme or at some of them.
  private mutating func addTexts(
    _ times: ProgrammeTimes, delay: UInt64
  ) throws -> [(rendition: MultivariantPlaylist.Rendition, playlist: MediaPlaylist)] {
    var textTimes = times
    if let wanted = options.textSegmentMilliseconds {
      let interval = Int64(wanted) * Int64(times.timeScale) / 1_000
      var kept = [times.boundaries[0]]
      for boundary in times.boundaries.dropFirst().dropLast() where boundary - (kept.last ?? 0) >= interval {
        kept.append(boundary)
      }
      textTimes =
        ProgrammeTimes(timeScale: times.timeScale, boundaries: kept + times.boundaries.suffix(1)) ?? times
    }
    var found: [(MultivariantPlaylist.Rendition, MediaPlaylist)] = []
    var limit = options.limits.textByteCount
    for movie in movies {
      let texts = try TextRenditions(movie, options, subtitleLimits, budget)
      if texts.renditions.isEmpty { continue }
      notices += texts.notices
      for text in texts.renditions {
        try budget.takeSegments(textTimes.segmentCount)
        let folder = StreamedMovie.folder(text.folderWords, unlike: &folders)
        let (files, playlist) = try text.files(in: folder, textTimes, delay: delay, limit: &limit)
        mediaFiles += files
        var rendition = text.rendition
        rendition.path = "\(folder)/playlist.m3u8"
        playlists.append(MediaRendition.Playlist(path: "\(folder)/playlist.m3u8", playlist: playlist))
        found.append((rendition, playlist))
      }
      break  // Those of further variants are the same.
    }
    return found
  }
}
