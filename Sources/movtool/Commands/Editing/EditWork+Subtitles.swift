import MovieBox
import MovieWriter

extension EditWork {
  /// What becomes of one SUB.
  struct Added {
    let request: SubtitleRequest
    /// The ID of the new track.
    let trackID: UInt32
    /// The cues that the file has.
    let cueCount: Int
    /// What was repaired, cut or dropped, in reading and in fitting the cues into the movie.
    let notices: [SubtitleNotice]
  }

  /// Adds a track for each request, groups and associates them. With `replacing`, tracks of the movie with the same
  /// language and role go.
  mutating func add(_ requests: [SubtitleRequest], replacing: Bool, in context: Context) throws {
    for request in requests {
      try context.checkStop()
      try add(request, replacing: replacing, in: context)
    }
    do {
      // All tracks are there now, so that a pair is found whichever of the two comes first.
      for track in added { try pair(track) }
      for track in added { try follow(track) }
    } catch let error as UsageError {
      throw error  // A selector: the command line is to blame, not the movie.
    } catch {
      throw ToolError(error, about: movie)
    }
  }

  /// The new track, as the edit leaves it.
  func track(_ added: Added) -> EditedTrack? {
    edit.tracks.first { $0.id == added.trackID }
  }

  // MARK: - Adding

  private mutating func add(_ request: SubtitleRequest, replacing: Bool, in context: Context) throws {
    let file = try Self.read(request.file, in: context)
    let id: UInt32
    do {
      id = try edit.add(request.input(cues: file.cues))
    } catch {
      throw ToolError(error, about: error is SubtitleError ? request.file : movie)
    }
    let new = edit.tracks.first { $0.id == id }
    added.append(
      Added(
        request: request, trackID: id, cueCount: file.cues.count,
        notices: file.notices + (new?.subtitleNotices ?? [])))
    if new?.shownCueCount == 0 {
      let count = file.cues.count == 1 ? "its cue is not shown" : "none of its \(file.cues.count) cues is shown"
      warn("no-cue-shown", request.file, id, "\(count): all lie outside the movie")
    }
    do {
      try joinGroup(id, request, replacing: replacing)
    } catch {
      throw ToolError(error, about: movie)
    }
  }

  private mutating func joinGroup(_ id: UInt32, _ request: SubtitleRequest, replacing: Bool) throws {
    for other in try edit.tracksLike(id) {
      let isNew = added.contains { $0.trackID == other }
      if replacing, !isNew {
        try edit.replace(other, with: id)
      } else {
        let hint = isNew ? "added by the same command" : "--replace puts the new one in its place"
        warn(
          EditNote.Kind.sameLanguageAndRole.rawValue, request.file, id,
          "track \(other) has the same language and role; \(hint)")
      }
    }
    try edit.addToLegibleGroup(id, asDefault: request.isDefault)
  }

  private mutating func warn(_ code: String, _ file: String, _ trackID: UInt32, _ message: String) {
    warnings.append(Warning(code: code, file: file, trackID: trackID, message: message))
  }

  private static func read(_ path: String, in context: Context) throws -> SubtitleFile {
    do {
      let source = try context.open(path)
      let byteCount = try source.identity().byteCount
      let limits = SubtitleLimits()
      guard byteCount <= UInt64(limits.fileByteCount) else {
        throw SubtitleError(
          .limit, "\(byteCount) bytes, the most that is taken of a subtitle file is \(limits.fileByteCount)")
      }
      return try SubRipReader.read(source.readExactly(ByteRange(0..<byteCount)), limits: limits)
    } catch {
      throw ToolError(error, about: path)
    }
  }

  // MARK: - Associations

  private mutating func pair(_ new: Added) throws {
    guard let selector = new.request.forcedFor else {
      try edit.pairForcedSubtitles(new.trackID)
      return
    }
    let regular = edit.tracks.filter {
      $0.id != new.trackID && $0.mediaType.isLegible && !$0.containsOnlyForcedSubtitles
    }
    let partner = try selector.track(among: regular, kind: "regular subtitle track", option: "forced-for")
    try edit.associate(partner.id, with: new.trackID, .forcedSubtitlesOnly)
  }

  private mutating func follow(_ new: Added) throws {
    switch new.request.follow {
    case .none: break
    case .auto: try edit.followAudio(new.trackID)
    case .selected(let selector):
      let audio = edit.tracks.filter { $0.mediaType == .audio }
      let leader = try selector.track(among: audio, kind: "audio track", option: "follow")
      // Of a pair, the forced-only track is the one that the audio names (QTFF "Subtitle Follows").
      let partner = track(new)?.references[TrackAssociation.forcedSubtitlesOnly.rawValue]?.first
      try edit.associate(leader.id, with: partner ?? new.trackID, .selectionFollower)
    }
  }
}
