import MovieBox
import MovieWriter
import Subtitles

/// Plans a presentation: chooses tracks, segments them, and builds playlists.
///
/// The segments of all variants and renditions must begin at the same times. The reference tracks determine these
/// times.
struct StreamPlanner {
  let options: StreamOptions
  let movies: [StreamedMovie]
  let identity: SourceIdentity
  private let subtitleLimits: SubtitleLimits
  /// Converts an error in the movie at an index before it is thrown.
  let explain: @Sendable (any Error, Int) -> any Error
  let budget: StreamBudget
  /// The time that is subtracted from the times of each movie, or `nil` if nothing is subtracted.
  private let starts: [MediaTime?]
  /// The recordings from which movies were made, by the indices of the movies. Timed events are read from the
  /// recordings, not from the movies.
  private let recordings: [Int: (movie: StreamedMovie, start: MediaTime?)]
  var notices: [StreamPlan.Notice] = []
  var folders = UniqueNames(numberSeparator: "-")
  /// The files that do not refer to other files: segments and initialization segments.
  private(set) var mediaFiles: [StreamPlan.File] = []
  private(set) var playlists: [MediaRendition.Playlist] = []
  var multivariant = MultivariantPlaylist()
  /// The difference between media times and times on the movie's clock, in ticks of 90 kHz.
  var delayIn90kHz: UInt64 = 0
  /// The group of captions inside the video, or `nil` if there are none.
  private(set) var captionGroup: String?

  init(
    _ movies: [(movie: Movie, source: any RandomAccessSource)], options: StreamOptions, limits: SubtitleLimits,
    recordings: [Int: (movie: Movie, source: any RandomAccessSource)] = [:], contents: MovieContents? = nil,
    explain: @escaping @Sendable (any Error, Int) -> any Error
  ) throws {
    guard !movies.isEmpty else { throw MovieError(.invalidEdit, "a presentation needs at least one movie") }
    self.options = options
    subtitleLimits = limits
    self.explain = explain
    let identities = movies.map(\.movie.layout.identity)
    guard let joined = movies.count == 1 ? identities[0] : SourceIdentity(joining: identities) else {
      throw MovieError(.limit, "the total size of the sources exceeds 2⁶⁴ bytes")
    }
    identity = joined
    budget = StreamBudget(options.limits, byteCount: joined.byteCount)
    let fragments = try movies.enumerated().map { index, input in
      do {
        if let refusal = input.movie.referenceMovieError { throw refusal }
        if index == 0, let known = contents?.fragments { return known }
        return try input.movie.readFragments(of: input.source)
      } catch {
        throw explain(error, index)
      }
    }
    let starts: PresentationStarts
    do {
      starts = try PresentationStarts(movies.map(\.movie), fragments, areKept: options.keepsStart)
    } catch {
      throw explain(error, 0)
    }
    notices += starts.notices(options)
    self.starts = starts.starts
    var ofEvents: [Int: (movie: StreamedMovie, start: MediaTime?)] = [:]
    for (index, recording) in recordings.sorted(by: { $0.key < $1.key }) {
      guard recording.movie.layout.first("emsg") != nil else { continue }
      do {
        let presented = try recording.movie.includingFragments(from: recording.source)
        guard let fragments = presented.fragments else { continue }
        // Events are read from the recording's own source, so the index and the offset in the joined source are unused.
        let streamed = StreamedMovie(
          index: 0, movie: presented.movie, source: recording.source, sourceOffset: 0, fragments: fragments,
          prerolls: [:])
        ofEvents[index] = (streamed, presented.start)
      } catch {
        throw explain(error, index)
      }
    }
    self.recordings = ofEvents
    self.movies = try movies.enumerated().map { index, input in
      let presented = PresentedMovie(input.movie, fragments[index], from: starts.starts[index])
      return StreamedMovie(
        index: index, movie: presented.movie, source: input.source,
        sourceOffset: joined.range(ofPart: index)?.offset ?? 0, fragments: fragments[index],
        prerolls: try PrerollGroups.all(in: input.movie, fragments[index]),
        texts: index == 0 && !options.keepsStart ? contents?.texts ?? [:] : [:])
    }
  }

  /// Returns the plan of the presentation.
  mutating func plan() throws -> StreamPlan {
    for movie in movies {
      notices += movie.fragments.missingSamples.map { missing in
        StreamPlan.Notice("cut-off", movieIndex: movie.index, trackID: missing.trackID, missing.description)
      }
    }
    let chosenTracks = try chooseTracks()
    for streamed in chosenTracks.all {
      try explaining(streamed) { try budget.check(streamed.samples, ofTrack: streamed.track.id) }
    }
    let tracks = try fit(chosenTracks)
    let delay = try StreamDelay(tracks.all.map(\.timeline))
    let references = try referenceTracks(of: tracks)
    let times = references[0].times

    var cut: [CutTrack] = []
    for reference in references {
      cut.append(
        (reference.streamed, .reference(reference.cuts), try events(for: reference, of: tracks, laterBy: delay)))
    }
    cut += tracks.followers.map { ($0, .following(times.innerBoundaries(of: $0.timeline.timeScale)), TimedEvents()) }
    let segmented = try segment(cut, laterBy: delay)
    for (reference, cut) in zip(references, segmented) { noteDependentStarts(of: reference.streamed, cutTo: cut) }
    noteUnequalEnds(of: tracks)
    for picture in tracks.pictures { noteHiddenPictures(of: picture) }
    noteLateStarts(of: tracks)
    var media: [MediaRendition] = []
    for (index, streamed) in tracks.all.enumerated() {
      let ownTimes = references.indices.contains(index) ? references[index].times : times
      media.append(try rendition(of: streamed, cutTo: segmented[index], at: ownTimes))
    }
    addSessionData()
    try addChapters(from: times)
    multivariant.startInMicroseconds = times.startInMicroseconds
    if let picture = tracks.pictures.first {
      captionGroup = try addCaptions(of: picture, segmented[0].probes, audioLanguage: tracks.language)
    }
    let clockDelay = delay.ticks(90_000)
    delayIn90kHz = UInt64(clamping: clockDelay)
    // ffmpeg may have delayed all tracks. Times in subtitle files do not include this delay, so the playlist adds it to
    // the declared start of the movie.
    let commonDelay = options.keepsStart ? nil : movies[0].movie.commonDelay(movies[0].fragments)
    multivariant.clock = MultivariantPlaylist.Clock(
      movieStart: UInt64(clamping: clockDelay.addingClamped(commonDelay?.ticks(of: 90_000) ?? 0)),
      firstSegmentStart: UInt64(clamping: clockDelay.addingClamped(times.ticks(times.boundaries[0], of: 90_000))))
    let pictureCount = tracks.pictures.count
    return finish(
      Renditions(
        pictures: Array(media.prefix(pictureCount)), sounds: Array(media.dropFirst(pictureCount)),
        texts: try addTexts(at: times, laterBy: delayIn90kHz)))
  }

  /// Runs `work`. Converts an error to an error in the movie at `index`.
  func locatingErrors<Value>(inMovie index: Int, _ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch {
      throw explain(error, index)
    }
  }

  /// Runs `work`. Converts an error to a refusal that contains the track's ID.
  func explaining<Value>(_ streamed: StreamedTrack, _ work: () throws -> Value) throws -> Value {
    try locatingErrors(inMovie: streamed.movieIndex) {
      do {
        return try work()
      } catch {
        throw StreamRefusal.addingTrack(streamed.track.id, to: error)
      }
    }
  }

  /// Returns a colon and up to three reasons why tracks are left out. `index` selects the movie, or all movies if it
  /// is `nil`.
  private func reasons(ofMovie index: Int? = nil) -> String {
    let warnings = notices.filter { $0.isWarning && (index == nil || $0.movieIndex == index) }
    let reasons = warnings.prefix(3).map { $0.leftOutReason ?? $0.message }.joined(separator: "; ")
    return reasons.isEmpty ? "" : ": \(reasons)"
  }

  // MARK: - Tracks

  /// Returns the tracks, limited to the samples that the presentation contains. Adds a notice if the start is trimmed.
  private mutating func fit(_ chosen: StreamedTracks) throws -> StreamedTracks {
    guard options.trimsStart, let trimmed = try chosen.trimmed(options, explaining) else {
      return try chosen.fitted(explaining)
    }
    noteTrimmedStart(of: trimmed, from: chosen)
    return trimmed
  }

  /// Returns the tracks of the presentation.
  private mutating func chooseTracks() throws -> StreamedTracks {
    var playableTracks: [[StreamedTrack]] = []
    for movie in movies {
      playableTracks.append(
        try locatingErrors(inMovie: movie.index) {
          try movie.playableTracks(&notices, isAudioOnly: options.isAudioOnly)
        })
    }
    for movie in movies where !options.isAudioOnly {
      try locatingErrors(inMovie: movie.index) {
        try movie.requireConfiguration(among: playableTracks[movie.index], .video)
      }
    }
    if !playableTracks.joined().contains(where: { $0.track.mediaType == .audio }) {
      try locatingErrors(inMovie: 0) { try movies[0].requireConfiguration(among: playableTracks[0], .audio) }
    }
    let pictures = try pictures(among: playableTracks)
    // The audio must come from the movie that ``StreamPlan/audioMovieIndex(in:explain:)`` returns.
    let sounds = playableTracks.lazy.map { $0.filter { $0.track.mediaType == .audio } }.first { !$0.isEmpty } ?? []
    guard let tracks = StreamedTracks(pictures: pictures, sounds: sounds) else {
      throw MovieError(
        .unsupported,
        (options.isAudioOnly
          ? "the movie has no audio that HLS supports" : "the movie has no video or audio that HLS supports")
          + reasons())
    }
    if sounds.isEmpty { noteMissingAudio() }
    noteUnusedTracks(among: playableTracks, except: tracks)
    notices += movies.compactMap { $0.omittedMetadataNotice(except: options.timedID3, in: tracks) }
    for picture in pictures { notices += movies[picture.movieIndex].notices(ofPicture: picture) }
    return tracks
  }

  /// Returns the video track of each movie: the main track, or the first enabled track if the main track cannot be
  /// played.
  private mutating func pictures(among tracks: [[StreamedTrack]]) throws -> [StreamedTrack] {
    var pictures: [StreamedTrack] = []
    for (index, tracks) in tracks.enumerated() {
      let candidates = tracks.filter { $0.track.mediaType == .video }
      let film = movies[index].movie.mainPicture?.id
      let chosen = candidates.first { $0.track.id == film } ?? candidates.first(where: \.track.isEnabled)
      guard let picture = chosen ?? candidates.first else {
        guard movies.count > 1 else {
          // If no audio can be played either, the caller throws an error about video and audio.
          if !options.isAudioOnly, !tracks.isEmpty, movies[0].hasVideo {
            throw MovieError(.noPicture, "the movie has no video that HLS supports" + reasons())
          }
          continue
        }
        throw explain(
          StreamRefusal(
            MovieError(
              .invalidEdit,
              "the movie cannot be a variant: it has no video that HLS supports" + reasons(ofMovie: index)),
            remedy: .audioFileOfAnotherMovie), index)
      }
      pictures.append(picture)
    }
    return pictures
  }

  /// Reports the playable tracks that are not in the presentation.
  private mutating func noteUnusedTracks(among playable: [[StreamedTrack]], except tracks: StreamedTracks) {
    let identities = movies.map(\.movie.layout.identity)
    for index in identities.indices.dropFirst() where identities[..<index].contains(identities[index]) {
      notices.append(
        StreamPlan.Notice(
          "same-movie", movieIndex: index,
          "\(options.name(ofMovie: index)) duplicates an earlier input, so its variant is redundant"))
    }
    let usedTracks = Set(tracks.all.map { [UInt32($0.movieIndex), $0.track.id] })
    for streamed in playable.joined() where !usedTracks.contains([UInt32(streamed.movieIndex), streamed.track.id]) {
      let kind = streamed.track.mediaType
      let reason =
        kind == .video
        ? "additional video (\(kind.name)): a variant has only one video track"
        : "audio of \(options.name(ofMovie: streamed.movieIndex)): all variants use the audio of the first movie"
      notices.append(
        StreamPlan.Notice(
          leftOut: streamed.track.id, ofMovie: streamed.movieIndex, isWarning: kind == .video,
          because: "track \(streamed.track.id) is \(reason)"))
    }
  }

  /// Returns the timed events for the segments of a reference track. Warns about omitted events.
  private mutating func events(
    for reference: ReferenceTrack, of tracks: StreamedTracks, laterBy delay: StreamDelay
  ) throws -> TimedEvents {
    let index = reference.streamed.movieIndex
    let (movie, start) = recordings[index] ?? (movies[index], starts[index])
    var events = try TimedEvents(of: movie, for: reference, from: start, laterBy: delay)
    if !options.timedID3.isEmpty {
      let metadata = try locatingErrors(inMovie: index) {
        try TimedID3(
          of: movies[index], identifiers: options.timedID3,
          omitting: Set(movies[index].metadataOfOmittedTracks(besides: tracks).keys))
      }
      notices += [metadata.missingItemsNotice(ofMovie: index), metadata.repeatedItemsNotice(ofMovie: index)]
        .compactMap(\.self)
      events.add(metadata, of: movies[index], for: reference, laterBy: delay)
    }
    let reasons = [
      events.earlyCount > 0 ? "\(events.earlyCount) before the start of the presentation" : nil,
      events.unreadableCount > 0 ? "\(events.unreadableCount) unreadable" : nil,
    ].compactMap { $0 }
    if !reasons.isEmpty {
      notices.append(
        StreamPlan.Notice(
          "events-left-out", movieIndex: index,
          "timed events (emsg) are omitted: \(reasons.joined(separator: ", "))"))
    }
    return events
  }

  // MARK: - Files

  /// Reports segments of a reference track that cannot be decoded independently.
  private mutating func noteDependentStarts(of track: StreamedTrack, cutTo segmented: SegmentedTrack) {
    if !segmented.beginsWithSync {
      multivariant.areSegmentsIndependent = false
      notices.append(
        StreamPlan.Notice(
          "no-sync-start", movieIndex: track.movieIndex, trackID: track.track.id,
          "the first picture of track \(track.track.id) cannot be decoded without other pictures"))
    }
    if segmented.hasOpenGroups {
      multivariant.areSegmentsIndependent = false
      notices.append(
        StreamPlan.Notice(
          "open-groups", movieIndex: track.movieIndex, trackID: track.track.id,
          "track \(track.track.id) has open groups of pictures: some pictures depend on the previous segment, so "
            + "Chromium stops after a seek; encode the movie with closed groups, as HLS requires"))
    }
  }

  mutating func addFile(_ file: StreamPlan.File) { mediaFiles.append(file) }

  /// Adds the files and playlists of a track to the plan.
  private mutating func rendition(
    of streamed: StreamedTrack, cutTo segmented: SegmentedTrack, at times: PresentationTimeline
  ) throws(MovieError) -> MediaRendition {
    let rendition = try MediaRendition(
      streamed, cutTo: segmented, at: times, in: StreamedMovie.uniqueFolder(streamed.folderWords, in: &folders),
      isSingleFile: options.isSingleFile)
    mediaFiles += rendition.files
    playlists += [rendition.playlist, rendition.trickPlay].compactMap { $0 }
    return rendition
  }

  /// Adds the text renditions. Their segments begin at all or at some of the boundaries of the media segments.
  private mutating func addTexts(at times: PresentationTimeline, laterBy delay: UInt64) throws -> [Renditions.Text] {
    let textTimes = options.textSegmentMilliseconds.map(times.thinned) ?? times
    var renditions: [Renditions.Text] = []
    var limit = options.limits.textByteCount
    for movie in movies {
      let texts = try locatingErrors(inMovie: movie.index) {
        try TextRenditions(movie, options, subtitleLimits, budget)
      }
      notices += texts.notices
      if texts.renditions.isEmpty { continue }
      for text in texts.renditions {
        try budget.consumeSegments(textTimes.segmentCount)
        if let early = text.earlyCuesNotice(times) {
          notices.append(
            StreamPlan.Notice("cues-before-start", movieIndex: movie.index, trackID: text.trackID, early))
        }
        if let late = text.lateCuesNotice(times) {
          notices.append(StreamPlan.Notice("cues-after-end", movieIndex: movie.index, trackID: text.trackID, late))
        }
        let folder = StreamedMovie.uniqueFolder(text.folderWords, in: &folders)
        let (files, playlist) = try text.files(in: folder, textTimes, delay: delay, limit: &limit)
        mediaFiles += files
        var rendition = text.rendition
        rendition.path = "\(folder)/playlist.m3u8"
        playlists.append(MediaRendition.Playlist(path: "\(folder)/playlist.m3u8", contents: playlist))
        renditions.append(Renditions.Text(rendition: rendition, playlist: playlist))
      }
      break  // Further variants have the same text.
    }
    return renditions
  }
}
