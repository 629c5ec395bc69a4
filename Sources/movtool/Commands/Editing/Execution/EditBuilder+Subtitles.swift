import MovieBox
import MovieWriter
import Subtitles

extension EditBuilder {
  /// What becomes of one SUB.
  struct AddedSubtitle {
    let request: SubtitleRequest
    /// The ID of the new track.
    let trackID: UInt32
    /// The cues that the file has, those included that were dropped in reading.
    let cueCount: Int
    /// What was repaired, cut or dropped, in reading and in fitting the cues into the movie.
    let notices: [SubtitleNotice]

    /// How many of the notices are about this.
    func count(_ effect: SubtitleNotice.Effect) -> Int { notices.reduce(0) { $0 + $1.count(effect) } }
  }

  /// Adds a track for each request, groups and associates them. With `replacing`, tracks of the movie with the same
  /// language and role go.
  mutating func add(_ requests: [SubtitleRequest], replacing: Bool, in context: Context) throws {
    for request in requests {
      try context.checkStop()
      try add(request, replacing: replacing, in: context)
    }
    try place(
      added.map { track in
        let (request, settings) = (track.request, track.request.settings)
        // What the name of a file says yields to what is asked for of another.
        let yields = request.isDefaultByName && added.contains { $0.trackID != track.trackID && $0.request.isEnabled }
        return Placement(
          trackID: track.trackID, subject: request.file, isNew: true, alternateGroup: settings.alternateGroup,
          isEnabled: settings.isEnabled, isDefault: request.isDefault && !yields,
          isDefaultByName: request.isDefaultByName)
      })
    do {
      // All tracks are there now, so that a pair is found whichever of the two comes first. What languages say yields to
      // what was asked for.
      for track in added where track.request.forcedFor == nil { try pair(track) }
      for track in added where track.request.forcedFor != nil { try pair(track) }
      // Sound of a commentary is for its own subtitles first.
      let commentaries = Set(
        edit.tracks.filter { $0.taggedCharacteristics.contains(.auxiliaryContent) }.map(\.id))
      for track in added where commentaries.contains(track.trackID) { try follow(track) }
      for track in added where !commentaries.contains(track.trackID) { try follow(track) }
    } catch let error as UsageError {
      throw error  // A selector: the command line is to blame, not the movie.
    } catch {
      throw ToolError(error, about: movie)
    }
  }

  /// The new track, as the edit leaves it.
  func track(_ added: AddedSubtitle) -> OutputTrack? {
    edit.tracks.first { $0.id == added.trackID }
  }

  // MARK: - Adding

  private mutating func add(_ request: SubtitleRequest, replacing: Bool, in context: Context) throws {
    let file = try Self.read(request, in: context)
    let id: UInt32
    do {
      var input = request.input(file)
      input.limits = context.limits.subtitles
      id = try edit.add(input)
    } catch {
      throw ToolError(error, about: error is SubtitleError ? request.file : movie)
    }
    let new = edit.tracks.first { $0.id == id }
    // What the file says in WebVTT is kept as it is, unless it is to be shown otherwise.
    let isVerbatim = !request.isPlain && !request.namesVoices
    let readingNotices = isVerbatim ? file.notices(for: request.format) : file.notices
    let track = AddedSubtitle(
      request: request, trackID: id, cueCount: file.cues.count + file.droppedCueCount,
      notices: readingNotices + (new?.subtitleNotices ?? []))
    added.append(track)
    if let new, new.shownCueCount == 0 { throw Self.noCueShown(track, new) }
    if request.namesVoices, file.webVTT == nil {
      notes.append(
        EditNotice(
          .nothingToDo, trackID: id, "--voices changes nothing: \(request.file) is SubRip, which names no speakers"))
    }
    if request.isForcedByPartner {
      notes.append(
        EditNotice(
          .takenAsForced, trackID: id,
          "\(request.file) becomes a forced-only track: shown though subtitles are off, as --forced-for asks"))
    }
    try setRole(request.settings, request.characteristics, of: id)
    do {
      try replaceThoseLike(id, request, replacing: replacing)
    } catch let error as UsageError {
      throw error
    } catch {
      throw ToolError(error, about: movie)
    }
    try setSelection(request.settings, of: id)
  }

  /// A track that shows nothing is no use to anyone.
  private static func noCueShown(_ added: AddedSubtitle, _ track: OutputTrack) -> ToolError {
    let count = added.cueCount == 1 ? "its only cue is not shown" : "none of its \(added.cueCount) cues is shown"
    let reasons = SubtitleNotice.summary(of: track.subtitleNotices).joined(separator: "; ")
    return ToolError(
      .badData, code: "no-cue-shown", file: added.request.file, "\(count): \(reasons)",
      hint: "--offset moves all cues of a file: --offset -3600 to an hour earlier")
  }

  private mutating func replaceThoseLike(_ id: UInt32, _ request: SubtitleRequest, replacing: Bool) throws {
    var replacesAny = false
    let others = try edit.tracksLike(id)
    let old = others.filter { other in !added.contains { $0.trackID == other } }
    guard !replacing || old.count <= 1 else {
      throw UsageError(
        .ambiguous,
        "--replace puts \(request.file) in the place of one track, and several have its language and role: "
          + "\(edit.tracks.filter { old.contains($0.id) }.lines); movtool remove takes the others out")
    }
    for other in others {
      let isNew = added.contains { $0.trackID == other }
      if replacing, !isNew {
        replacesAny = true
        try edit.replace(other, with: id)
      } else {
        let hint = isNew ? "added by the same command" : "--replace puts the new one in its place"
        warn(
          EditNotice.Kind.sameLanguageAndRole.rawValue, request.file, id,
          "track \(other) has the same language and role; \(hint)")
      }
    }
    if replacing, !replacesAny {
      notes.append(
        EditNotice(
          .nothingToDo, trackID: id,
          "--replace replaces nothing: no track has the language and role of \(request.file)"))
    }
  }

  private mutating func warn(_ code: String, _ file: String, _ trackID: UInt32, _ message: String) {
    warnings.append(Warning(code: code, file: file, trackID: trackID, message: message))
  }

  private static func read(_ request: SubtitleRequest, in context: Context) throws -> SubtitleFile {
    do {
      let limits = context.limits.subtitles
      if let bytes = try context.readStream(request.file, limits.fileByteCount) {
        return try read(bytes, request, limits)
      }
      let source = try context.open(request.file)
      try requireText(source.signature())  // Before a film of gigabytes is found too long.
      let byteCount = try source.identity().byteCount
      guard byteCount <= UInt64(limits.fileByteCount) else {
        throw SubtitleError(
          .limit, "\(byteCount) bytes, the most that is taken of a subtitle file is \(limits.fileByteCount)")
      }
      return try read(source.readExactly(ByteRange(0..<byteCount)), request, limits)
    } catch {
      throw ToolError(error, about: request.file)
    }
  }

  private static func requireText(_ format: FileSignature?) throws(SubtitleError) {
    if let format, !format.isText { throw wrongFormat(format) }
  }

  private static func wrongFormat(_ format: FileSignature) -> SubtitleError {
    let known = SubtitleFileFormat.allCases.map { "\($0.rawValue) (\($0.fileNameSuffix))" }
    return SubtitleError(.format, "\(format.rawValue); subtitles are read from \(known.joined(separator: " and "))")
  }

  /// Reads the bytes of a file; where their encoding is a guess, the notice says how to do better.
  private static func read(
    _ bytes: Bytes, _ request: SubtitleRequest, _ limits: SubtitleLimits
  ) throws(SubtitleError) -> SubtitleFile {
    let format = FileSignature(bytes)
    try requireText(format)
    var file: SubtitleFile
    do throws(SubtitleError) {
      file = try SubtitleFile.read(
        bytes.array, named: request.file, encoding: request.encoding, language: request.language?.description,
        limits: limits)
    } catch {
      // Only then: lines of SubRip may look like another format.
      guard error.code == .noCues, let format, !format.isReadableSubtitles, format != .text else { throw error }
      throw wrongFormat(format)
    }
    for index in file.notices.indices {
      switch file.notices[index].kind {
      case .encodingGuessed: file.notices[index].message += "; --encoding NAME reads it as another"
      case .timestampMap: file.notices[index].message += "; --offset moves all times"
      default: break
      }
    }
    return file
  }

  // MARK: - Associations

  private mutating func pair(_ new: AddedSubtitle) throws {
    guard let selector = new.request.forcedFor else {
      try edit.pairForcedSubtitles(new.trackID)
      return
    }
    let regular = edit.tracks.filter {
      $0.id != new.trackID && $0.mediaType.isLegible && !$0.containsOnlyForcedSubtitles
    }
    let partner = try selector.track(
      among: regular, kind: "subtitle track that is not forced-only", option: "forced-for")
    try edit.associate(partner.id, with: new.trackID, .forcedSubtitlesOnly)
    try keep(
      RequestedReference(
        type: "forc", trackID: partner.id, target: new.trackID,
        description: "--forced-for \(selector.text) for \(new.request.file)"))
  }

  private mutating func follow(_ new: AddedSubtitle) throws {
    switch new.request.follow {
    case .none: break
    case .auto: try edit.followAudio(new.trackID)
    case .selected(let selector):
      let audio = edit.tracks.filter { $0.mediaType == .audio }
      let leader = try selector.track(among: audio, kind: "audio track", option: "follow")
      let named = try edit.link(leader.id, to: new.trackID, .selectionFollower)
      try keep(
        RequestedReference(
          type: "folw", trackID: leader.id, target: named,
          description: "--follow \(selector.text) for \(new.request.file)"))
    }
  }
}
