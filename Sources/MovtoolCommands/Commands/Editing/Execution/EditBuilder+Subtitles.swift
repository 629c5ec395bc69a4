import MovieBox
import MovieWriter
import Subtitles

extension EditBuilder {
  /// A subtitle file that was added, for the report.
  struct AddedSubtitle {
    let request: SubtitleRequest
    /// The ID of the new track.
    let trackID: UInt32
    /// The number of cues in the file, including dropped cues.
    let cueCount: Int
    /// Notices about cues that were repaired, cut or dropped, either while the file was read or to fit the movie.
    let notices: [SubtitleNotice]

    /// Returns the number of notices with this effect.
    func count(_ effect: SubtitleNotice.Effect) -> Int { notices.reduce(0) { $0 + $1.count(effect) } }
  }

  /// Adds a track for each request, and groups and associates the tracks. `policy` applies to existing tracks with the
  /// language and role of a request.
  mutating func add(
    _ requests: [SubtitleRequest], _ policy: SubtitleInput.ExistingTrackPolicy, in context: Context
  ) throws {
    var files: [SubtitleFile] = []
    var requests = requests
    for index in requests.indices {
      try context.checkStop()
      let file = try read(requests[index], in: context)
      files.append(file)
      requests[index] = requests[index].adoptingLanguage(of: file)
    }
    warnings += requests.flatMap(\.warnings)
    let timecode = try requests.contains(where: \.usesMovieTimecode) ? movieTimecode() : nil
    let inputs = try zip(requests, files).map {
      try $0.input($1, context.limits.subtitles, policy, among: edit.tracks, movieTimecode: timecode)
    }
    let tracks = try edit.addSubtitles(inputs) { index, id, full in
      try requests[index].fullTrackSelector.map {
        let others = full.filter { $0.id != id }
        return try $0.track(among: others, kind: "subtitle track that is not forced-only", option: "forced-for").id
      }
    } explain: { [movie] error, edit, added in
      added.count < requests.count
        ? Self.explanation(
          of: error, adding: requests[added.count], files[added.count], inputs[added.count].timing, to: edit,
          about: movie)
        : Self.explanation(of: error, arranging: requests, added, about: movie)
    }
    for (index, request) in requests.enumerated() {
      report(request, files[index], inputs[index], tracks[index], among: tracks)
    }
    warnOfMissingForcedCues(
      requests.indices.filter { tracks[$0].isAdded }.map { index in
        NewSubtitles(file: requests[index].file, input: inputs[index], trackID: tracks[index].trackID)
      })
    if requests.contains(where: { $0.channel != nil }), !files.contains(where: \.hasChannels) {
      notes.append(EditNotice(.nothingToDo, "--channel has no effect: only SCC and MCC files contain channels"))
    }
    // Warn once for all files that `--voices` has no effect. It has an effect if at least one file is WebVTT.
    if requests.contains(where: \.namesVoices),
      !zip(requests, files).contains(where: { $0.namesVoices && $1.webVTT != nil })
    {
      notes.append(EditNotice(.nothingToDo, "--voices has no effect: SubRip files do not contain names of speakers"))
    }
  }

  /// Returns the time code of the movie's start, in milliseconds.
  private func movieTimecode() throws -> Int64 {
    do {
      if let timecode = try Self.movieTimecode(of: edit) { return timecode }
    } catch {
      throw ToolError(error, about: movie)
    }
    throw UsageError(missingTimecodeOf: movie)
  }

  /// Returns the time code of the movie's start, in milliseconds, or `nil` if the movie has no time code track.
  private static func movieTimecode(of edit: MovieEdit) throws -> Int64? {
    let movie = edit.movie
    return try movie.reading(edit.source) { try movie.startTimecode(from: edit.source) }?.milliseconds
  }

  /// Returns the state of an added track after the edit.
  func track(_ added: AddedSubtitle) -> EditedTrack? {
    edit.tracks.first { $0.id == added.trackID }
  }

  // MARK: - Adding

  /// Returns the error to report if a file's track cannot be added. `edit` is the edit at the time of the failure.
  private static func explanation(
    of error: any Error, adding request: SubtitleRequest, _ file: SubtitleFile, _ timing: CueTiming,
    to edit: MovieEdit, about movie: String
  ) -> any Error {
    switch error {
    case MovieEdit.Conflict.noCueShown(let id):
      let track = edit.tracks.first { $0.id == id }
      let added = AddedSubtitle(
        request: request, trackID: id, cueCount: file.cues.count + file.droppedCueCount,
        notices: notices(request, file, track))
      return noCueShown(added, of: file, timing, track?.subtitleNotices ?? [], in: edit)
    case MovieEdit.Conflict.severalToReplace(let ids):
      return UsageError(
        .ambiguous,
        "--replace replaces one track with \(request.file), but several tracks have its language and role: "
          + "\(edit.tracks.filter { ids.contains($0.id) }.lines); remove all but one of them with movtool remove")
    case is SubtitleError: return ToolError(error, about: request.file)
    default: return request.settings.role == nil ? ToolError(error, about: movie) : explanation(of: error, about: movie)
    }
  }

  /// Returns the error to report if the new tracks cannot be grouped or associated.
  private static func explanation(
    of error: any Error, arranging requests: [SubtitleRequest], _ added: [MovieEdit.AddedSubtitles], about movie: String
  ) -> any Error {
    if case MovieEdit.Conflict.references(let type, let id, let targets) = error {
      let words = targets.compactMap { target in
        zip(requests, added).first { $1.trackID == target }.flatMap { $0.0.words(for: type) }
      }
      return UsageError.contradiction(words.first ?? "", words.last ?? "", about: type, of: id)
    }
    return explanation(
      of: error, about: movie,
      placing: zip(requests, added).map { request, track in
        EnabledFlagRequest(
          trackID: track.trackID, subject: request.file, isEnabled: request.settings.isEnabled,
          isDefault: request.isDefault, isDefaultByName: request.isDefaultByName)
      })
  }

  /// Adds notices about a file.
  private mutating func report(
    _ request: SubtitleRequest, _ file: SubtitleFile, _ input: SubtitleInput, _ track: MovieEdit.AddedSubtitles,
    among tracks: [MovieEdit.AddedSubtitles]
  ) {
    let id = track.trackID
    guard track.isAdded else {
      notes.append(
        EditNotice(.nothingToDo, trackID: id, "\(request.file) is skipped: track \(id) has the same language and role"))
      return
    }
    addedSubtitles.append(
      AddedSubtitle(
        request: request, trackID: id, cueCount: file.cues.count + file.droppedCueCount,
        notices: Self.notices(request, file, edit.tracks.first { $0.id == id })))
    // With --channel, the requested channel has already become CC1.
    if request.format == .captions, let channel = file.captions?.channel, channel != .cc1 {
      warn(
        "no-cc1", request.file, id,
        "CC1 shows no captions, but players show only CC1 of a caption track; --channel \(channel.word) writes "
          + "\(channel.rawValue) as CC1")
    }
    if input.containsOnlyForcedSubtitles, input.becomesDefault {
      warnings.append(SubtitleRequest.forcedDefault(request.file))
    }
    if let contradictedLanguage = request.contradictedLanguage {
      notes.append(
        EditNotice(
          .languageOverridden, trackID: id,
          "\(request.file) declares \(contradictedLanguage.englishName) in its name; --language sets "
            + (request.language?.englishName ?? "und")))
    }
    if request.isDefaultByName, !input.becomesDefault, input.isCommentary {
      notes.append(
        EditNotice(
          .nothingToDo, trackID: id,
          "\(request.file) is a commentary, so \"default\" in its name has no effect; --default enables the track"))
    }
    if request.isForcedByPartner {
      notes.append(
        EditNotice(
          .takenAsForced, trackID: id,
          "\(request.file) becomes a forced-only track because of --forced-for, and is shown even if subtitles are off")
      )
    }
    // Menus can distinguish two tracks with the same language and role only by their titles.
    for other in request.title == nil ? track.matchingTrackIDs : [] {
      let isNew = tracks.contains { $0.trackID == other && $0.isAdded }
      let hint = isNew ? "added by the same command" : "--replace replaces that track"
      warn(
        EditNotice.Kind.sameLanguageAndRole.rawValue, request.file, id,
        "track \(other) of \(origin(ofTrack: other)) has the same language and role; \(hint)")
    }
    if input.existingTrackPolicy == .replace, track.replacedTrackID == nil {
      notes.append(
        EditNotice(
          .nothingToDo, trackID: id,
          "--replace has no effect: no track has the language and role of \(request.file)"))
    }
  }

  /// Returns the notices about reading a file and fitting it into the movie. WebVTT that is stored unchanged keeps all
  /// its features, so there are no notices about lost features.
  private static func notices(
    _ request: SubtitleRequest, _ file: SubtitleFile, _ track: EditedTrack?
  ) -> [SubtitleNotice] {
    let isVerbatim =
      !request.isPlain && !request.namesVoices || request.format == .captions && file.captions == nil
    return (isVerbatim ? file.notices(for: request.format) : file.notices)
      + (track?.subtitleNotices ?? []).map(\.withScaleOption)
  }

  /// Returns the error for a file if none of its cues would be shown. `edit` is the edit at the time of the failure.
  private static func noCueShown(
    _ added: AddedSubtitle, of file: SubtitleFile, _ timing: CueTiming, _ notices: [SubtitleNotice],
    in edit: MovieEdit
  ) -> ToolError {
    let count = added.cueCount == 1 ? "its only cue is not shown" : "none of its \(added.cueCount) cues is shown"
    let reasons = SubtitleNotice.summary(of: notices).joined(separator: "; ")
    // If the time code track is damaged, give advice without it. The damage is not the cause of this error.
    var movieBase: Int64?
    if case .success(let timecode?) = Result(catching: { try movieTimecode(of: edit) }), timecode != 0 {
      movieBase = file.milliseconds(ofTimecode: timecode)
    }
    return ToolError(
      .badData, code: "no-cue-shown", file: added.request.file, "\(count): \(reasons)",
      hint: file.adviceIfNoCueIsShown(
        timing, in: 0..<max(0, Int64(clamping: edit.endMilliseconds)), movieBase: movieBase))
  }

  private mutating func warn(_ code: String, _ file: String, _ trackID: UInt32, _ message: String) {
    warnings.append(Warning(code: code, file: file, trackID: trackID, message: message))
  }

  /// Reads the file of a request. Adds advice to the notices about its encoding and its times.
  private mutating func read(_ request: SubtitleRequest, in context: Context) throws -> SubtitleFile {
    var file = try request.read(in: context)
    notes += file.unroll(request.unrolls, request.file)
    if request.partMilliseconds != nil, file.partCount == 1 {
      notes.append(
        EditNotice(.nothingToDo, "--part-duration has no effect: \(request.file) contains at most one WEBVTT line"))
    }
    for index in file.notices.indices {
      switch file.notices[index].kind {
      case .encodingGuessed: file.notices[index].message += "; --encoding NAME sets another encoding"
      case .timestampMap: file.notices[index].message += "; --offset shifts all times"
      default: break
      }
    }
    return file
  }
}

extension SubtitleNotice {
  /// The notice, extended by the `--scale` option that would move all cues into the movie. Unchanged if there is no
  /// such option.
  var withScaleOption: SubtitleNotice {
    var notice = self
    if kind == .otherFrameRate { notice.message += "; --scale \(subject) does that" }
    return notice
  }
}

extension SubtitleRequest {
  /// Returns the words of the option that requests a reference of this type.
  fileprivate func words(for type: FourCC) -> String? {
    if type == "forc" { return fullTrackSelector.map { "--forced-for \($0.text) for \(file)" } }
    guard case .selected(let selector) = follow else { return nil }
    return "--follow \(selector.text) for \(file)"
  }
}
