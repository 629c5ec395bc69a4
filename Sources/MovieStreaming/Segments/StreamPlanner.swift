import MovieBox
import MovieWriter
import Subtitles

/// Works a plan out of movies.
struct StreamPlanner {
  let options: StreamOptions
  let movies: [StreamedMovie]
  let identity: SourceIdentity
  private let subtitleLimits: SubtitleLimits
  var notices: [StreamPlan.Notice] = []
  var folders = UniqueNames(before: "-")
  /// What refers to nothing: segments and initialization segments.
  private(set) var mediaFiles: [StreamPlan.File] = []
  private(set) var playlists: [Playlist] = []
  var multivariant = MultivariantPlaylist()
  /// The group of captions inside the picture; `nil` for none.
  private(set) var captionGroup: String?

  /// A media playlist before the target duration of all is known.
  struct Playlist {
    let path: String
    let playlist: MediaPlaylist
  }

  /// A track of picture or sound with its playlist.
  struct Rendition {
    let streamed: StreamedTrack
    let playlist: MediaPlaylist
    let path: String
    /// The playlist of single pictures.
    var trickPlay: (playlist: MediaPlaylist, path: String)?
  }

  init(
    _ movies: [Movie], from sources: [any RandomAccessSource], _ options: StreamOptions, _ limits: SubtitleLimits
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
    self.movies = try movies.indices.map { index in
      if let refusal = movies[index].refusalAsReferenceMovie { throw refusal }
      return StreamedMovie(
        index: index, movie: movies[index], source: sources[index],
        sourceOffset: joined.range(ofPart: index)?.offset ?? 0,
        fragments: try movies[index].readFragments(of: sources[index]))
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

    let first = try segmentLead(lead, used, delay)
    let times = try programmeTimes(lead, first, used)
    var pictureRenditions = [try rendition(lead, first, times, lead.track.mediaType == .video ? "video" : nil)]
    for picture in pictures.dropFirst() {
      let segmented = try segmentLead(picture, used, delay)
      let own = try programmeTimes(picture, segmented, used)
      try requireAlignment(times, own, of: picture)
      try requireSameEnd(lead, picture)
      pictureRenditions.append(try rendition(picture, segmented, own, "video"))
    }
    let isLeadSound = pictures.isEmpty
    var soundRenditions: [Rendition] = isLeadSound ? [pictureRenditions.removeFirst()] : []
    let boundaries = times.boundaries.dropFirst().dropLast()
    for sound in sounds.dropFirst(isLeadSound ? 1 : 0) {
      let cuts = boundaries.map { times.ticks($0, of: sound.timeline.timeScale) }
      let segmented = try segment(sound, delay, .following(cuts))
      soundRenditions.append(try rendition(sound, segmented, times, nil))
    }
    addSessionData()
    try addChapters()
    let language = sounds.first(where: \.track.isEnabled)?.track.language ?? sounds.first?.track.language
    if !pictures.isEmpty { captionGroup = try addCaptions(of: lead, first.probes, language: language) }
    let texts = try addTexts(times, delay: UInt64(clamping: delay.ticks(90_000)))
    return try finish(pictureRenditions, soundRenditions, texts, delay)
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
    let used = Set((pictures + sounds).map { [UInt32($0.movieIndex), $0.track.id] })
    for streamed in tracks.joined() where !used.contains([UInt32(streamed.movieIndex), streamed.track.id]) {
      let kind = streamed.track.mediaType
      let reason =
        kind == .video
        ? "a second picture (\(kind.name)): a variant has one"
        : "sound of a further variant: that of the first plays with all"
      notices.append(
        StreamPlan.Notice(
          "track-left-out", movieIndex: streamed.movieIndex, trackID: streamed.track.id,
          isWarning: kind == .video, "track \(streamed.track.id) is \(reason); left out"))
    }
  }

  // MARK: - Segments

  private func segment(
    _ streamed: StreamedTrack, _ delay: StreamDelay, _ cutting: TrackSegmenter.Cutting
  ) throws(MovieError) -> SegmentedTrack {
    let movie = movies[streamed.movieIndex]
    var segmenter = try TrackSegmenter(
      streamed.track, of: movie.movie, streamed.timeline, delay: delay, cutting: cutting,
      sourceOffset: movie.sourceOffset, segmentCountLimit: options.limits.segmentCount)
    return try segmenter.run(streamed.samples, atMost: options.limits.sampleCount)
  }

  /// The segments of the track that says where all others are cut.
  private mutating func segmentLead(
    _ lead: StreamedTrack, _ used: [StreamedTrack], _ delay: StreamDelay
  ) throws(MovieError) -> SegmentedTrack {
    let scale = Int64(lead.timeline.timeScale)
    let interval = max(1, Int64(options.segmentMilliseconds) * scale / 1_000)
    let segmented = try segment(
      lead, delay, .leading(interval: interval, start: start(of: used, lead)))
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
    return segmented
  }

  /// When the first of all tracks begins, in ticks of the one that leads; half a frame is none.
  private func start(of used: [StreamedTrack], _ lead: StreamedTrack) -> Int64 {
    let scale = Int128(lead.timeline.timeScale)
    var start = lead.timeline.start
    for other in used where other.track.mediaType == .audio {
      let own = Int64(clamping: Int128(other.timeline.start) * scale / Int128(other.timeline.timeScale))
      if own < start - Int64(lead.timeline.firstDuration) / 2 { start = own }
    }
    return start
  }

  /// When segments begin, by the track that leads, up to the end of what lasts longest.
  private func programmeTimes(
    _ lead: StreamedTrack, _ segmented: SegmentedTrack, _ used: [StreamedTrack]
  ) throws(MovieError) -> ProgrammeTimes {
    let scale = lead.timeline.timeScale
    let start = start(of: used, lead)
    var end = lead.timeline.end
    for other in used where other.movieIndex == lead.movieIndex || other.track.mediaType == .audio {
      end = max(end, Int64(clamping: Int128(other.timeline.end) * Int128(scale) / Int128(other.timeline.timeScale)))
    }
    var boundaries = [start] + segmented.boundaries
    let interval = max(1, Int64(options.segmentMilliseconds) * Int64(scale) / 1_000)
    // Sound that outlasts the picture goes on in segments of its own.
    var last = max(boundaries.last ?? start, lead.timeline.end - interval)
    while end - last > interval + Int64(scale) / 2, last < lead.timeline.end || lead.timeline.end > start {
      last += interval
      guard last > (boundaries.last ?? start), last >= lead.timeline.end else { continue }
      boundaries.append(last)
      guard boundaries.count <= options.limits.segmentCount else { break }
    }
    guard boundaries.count <= options.limits.segmentCount else {
      throw MovieError(.limit, "more than \(options.limits.segmentCount) segments")
    }
    guard end > (boundaries.last ?? start) else {
      throw MovieError(
        .malformed, "track \(lead.track.id) has times that make no sense: it ends before its last segment")
    }
    return ProgrammeTimes(timeScale: scale, boundaries: boundaries + [end])
  }

  /// Variants are switched at the boundaries of segments, which must be the same (HLS Authoring Specification 8.22).
  private func requireAlignment(
    _ times: ProgrammeTimes, _ other: ProgrammeTimes, of picture: StreamedTrack
  ) throws(MovieError) {
    let tolerance = UInt64(picture.timeline.firstDuration) * 500_000 / UInt64(picture.timeline.timeScale)
    for index in 0..<max(times.segmentCount, other.segmentCount) {
      let (one, two) = (times.microseconds(ofBoundary: index), other.microseconds(ofBoundary: index))
      let isThere = index < min(times.segmentCount, other.segmentCount)
      guard !isThere || (one > two ? one - two : two - one) > tolerance else { continue }
      func text(_ times: ProgrammeTimes, _ time: UInt64) -> String {
        index < times.segmentCount ? "at " + timeText(milliseconds: Int64(clamping: time / 1_000)) : "nowhere"
      }
      throw MovieError(
        .invalidEdit,
        "the variants do not begin segments at the same pictures: segment \(index + 1) begins \(text(times, one)) in "
          + "movie 1, \(text(other, two)) in movie \(picture.movieIndex + 1); encode both with key frames at the same times"
      )
    }
  }

  /// A player that changes to a variant must find all of the programme there (HLS Authoring Specification 8.3).
  private func requireSameEnd(_ lead: StreamedTrack, _ picture: StreamedTrack) throws(MovieError) {
    func milliseconds(_ streamed: StreamedTrack) -> Int64 {
      Int64(clamping: Int128(streamed.timeline.end) * 1_000 / Int128(streamed.timeline.timeScale))
    }
    let (first, other) = (milliseconds(lead), milliseconds(picture))
    guard (first - other).magnitude > 500 else { return }
    throw MovieError(
      .invalidEdit,
      "the variants do not last equally long: the picture of movie 1 ends at \(timeText(milliseconds: first)), that of "
        + "movie \(picture.movieIndex + 1) at \(timeText(milliseconds: other))")
  }

  // MARK: - Files

  mutating func addFile(_ file: StreamPlan.File) { mediaFiles.append(file) }

  private mutating func rendition(
    _ streamed: StreamedTrack, _ segmented: SegmentedTrack, _ times: ProgrammeTimes, _ word: String?
  ) throws(MovieError) -> Rendition {
    let track = streamed.track
    let role = track.taggedCharacteristics.contains(.describesVideo) ? "description" : nil
    let words: [String?] = word == nil ? ["audio", track.language?.description ?? "und", role] : [word]
    let folder = StreamedMovie.folder(words, unlike: &folders)
    let isPicture = track.mediaType == .video
    let type = isPicture ? "video/mp4" : "audio/mp4"
    let durations = times.durations(of: segmented, streamed.timeline)
    let (all, own) = (times.microseconds(ofBoundary: times.segmentCount), durations.reduce(0, &+))
    if all > own, case let missing = all - own, missing > 500_000 {
      notices.append(
        StreamPlan.Notice(
          "ends-early", movieIndex: streamed.movieIndex, trackID: track.id,
          "track \(track.id) ends \(missing / 1_000) ms before the programme does; players want all to last equally long"
        ))
    }
    let initialCount = UInt64(segmented.initialization.count)
    var segments: [MediaPlaylist.Segment] = []
    var starts: [UInt64] = []
    var places: [MediaPlaylist.Place] = []
    if options.isSingleFile {
      let path = "\(folder)/media.mp4"
      var contents: [OutputPlan.Content] = [.generated(segmented.initialization)]
      var offset = initialCount
      for segment in segmented.segments {
        contents += segment.contents
        starts.append(offset)
        let (end, overflow) = offset.addingReportingOverflow(segment.byteCount)
        guard !overflow else { throw MovieError(.limit, "a file of more than 2⁶⁴ bytes") }
        places.append(MediaPlaylist.Place(path: "media.mp4", range: offset..<end))
        offset = end
      }
      mediaFiles.append(StreamPlan.File(path, .media, type, contents))
    } else {
      mediaFiles.append(
        StreamPlan.File("\(folder)/init.mp4", .initialization, type, [.generated(segmented.initialization)]))
      for (index, segment) in segmented.segments.enumerated() {
        let name = "segment-\(index + 1).m4s"
        mediaFiles.append(StreamPlan.File("\(folder)/\(name)", .media, type, segment.contents))
        starts.append(0)
        places.append(MediaPlaylist.Place(path: name))
      }
    }
    for (index, segment) in segmented.segments.enumerated() {
      segments.append(
        MediaPlaylist.Segment(place: places[index], byteCount: segment.byteCount, microseconds: durations[index]))
    }
    let map =
      options.isSingleFile
      ? MediaPlaylist.Place(path: "media.mp4", range: 0..<initialCount) : MediaPlaylist.Place(path: "init.mp4")
    let playlist = MediaPlaylist(map: map, segments: segments)
    let path = "\(folder)/playlist.m3u8"
    playlists.append(Playlist(path: path, playlist: playlist))
    var result = Rendition(streamed: streamed, playlist: playlist, path: path)
    if isPicture, !segmented.iFrames.isEmpty {
      let end = durations.reduce(0, &+)
      let frames = segmented.iFrames.map { times.microseconds($0.time, scale: streamed.timeline.timeScale) }
      let pictures = segmented.iFrames.enumerated().map { index, frame in
        let start = index == 0 ? 0 : frames[index]
        let stop = index + 1 < frames.count ? frames[index + 1] : end
        let place = starts[frame.segment]
        return MediaPlaylist.Segment(
          place: MediaPlaylist.Place(
            path: places[frame.segment].path,
            range: place + frame.range.lowerBound..<place + frame.range.upperBound),
          byteCount: frame.range.upperBound - frame.range.lowerBound, microseconds: stop > start ? stop - start : 0)
      }
      let trickPlay = MediaPlaylist(map: map, segments: pictures, hasOnlyIFrames: true)
      let path = "\(folder)/iframes.m3u8"
      playlists.append(Playlist(path: path, playlist: trickPlay))
      result.trickPlay = (trickPlay, path)
    }
    return result
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
      textTimes = ProgrammeTimes(timeScale: times.timeScale, boundaries: kept + times.boundaries.suffix(1))
    }
    var found: [(MultivariantPlaylist.Rendition, MediaPlaylist)] = []
    var limit = options.limits.textByteCount
    for movie in movies {
      let texts = try TextRenditions(movie, options, subtitleLimits)
      if texts.renditions.isEmpty { continue }
      notices += texts.notices
      for text in texts.renditions {
        let folder = StreamedMovie.folder(text.folderWords, unlike: &folders)
        let (files, playlist) = try text.files(in: folder, textTimes, delay: delay, limit: &limit)
        mediaFiles += files
        var rendition = text.rendition
        rendition.path = "\(folder)/playlist.m3u8"
        playlists.append(Playlist(path: rendition.path ?? "", playlist: playlist))
        found.append((rendition, playlist))
      }
      break  // Those of further variants are the same.
    }
    return found
  }
}
