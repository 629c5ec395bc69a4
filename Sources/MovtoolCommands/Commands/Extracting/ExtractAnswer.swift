import MovieBox
import MovieWriter
import Subtitles

/// The answer of `extract`: the files, and the warnings about them.
struct ExtractAnswer {
  /// The text of a track.
  struct File {
    let track: ExtractedTrack
    /// The path, or `nil` for standard output.
    let output: String?
    let bytes: Bytes
  }

  let movie: String
  let format: SubtitleFormat
  /// The start time that was subtracted from the times of a fragmented movie, or `nil` if nothing was subtracted.
  let start: MediaTime?
  /// Advice if the movie has no text, or `nil` if there is none.
  var advice: String?
  private(set) var warnings: [Warning]
  private(set) var files: [File] = []
  private var isWritten = false

  init(movie: String, format: SubtitleFormat, start: MediaTime?, warnings: [Warning]) {
    self.movie = movie
    self.format = format
    self.start = start
    self.warnings = warnings
  }

  mutating func add(_ track: ExtractedTrack, _ written: SubtitleFile.Written, as output: String?) {
    warnings += (track.file.notices + written.notices).map { notice in
      Warning(
        code: notice.kind.rawValue, file: movie, trackID: track.id, subject: notice.subject, message: notice.message,
        lostText: notice.lostText)
    }
    guard !track.cues.isEmpty else {
      warnings.append(
        Warning(
          code: "no-cues", file: movie, trackID: track.id, message: "track \(track.id), \(track.name), has no cues"))
      return
    }
    files.append(File(track: track, output: output, bytes: Bytes(written.bytes)))
  }

  /// Adds the files of several tracks, named by the template. If `areSelected` is `true`, the user selected every
  /// track.
  mutating func add(
    _ tracks: [ExtractedTrack], areSelected: Bool, _ template: FileNameTemplate, inFolder folder: String
  ) throws {
    let stem = String(FilePath(movie).stem)
    let format = format
    func name(_ track: ExtractedTrack, _ template: FileNameTemplate) -> String {
      // Video seldom declares a language. The name of a file with its captions then contains no language.
      let isUndetermined = track.pictureChannel != nil && track.track.language == nil
      let template = isUndetermined ? template.withoutLanguage : template
      func text(_ field: FileNameTemplate.Field) -> String {
        switch field {
        case .stem: stem
        case .language: track.language
        case .role: track.role
        case .format: format.rawValue
        case .id: String(track.id)
        case .number, .name, .folder, .extension: ""
        }
      }
      return folder + template.filled(text) { $0 == .language && track.track.language == nil }
    }
    var (tracks, template) = (tracks, template)
    if template.text != FileNameTemplate.standard {
      tracks = omittingCaptions(from: tracks, areSelected: areSelected) { name($0, template) }
    } else if Set(tracks.map { name($0, template) }).count < tracks.count {
      // Several tracks have the same standard name, so each name gets the track ID after the language and role.
      // `add-subtitle` recognizes names such as `film.en.3.srt`. A name such as `film.3.en.srt` could belong to a movie
      // named `film.3`.
      template = try FileNameTemplate("{stem}.{language}[.{role}].{id}.{format}")
    }
    var tracksByName: [String: ExtractedTrack] = [:]
    for track in tracks {
      let output = name(track, template)
      if let other = tracksByName[output] { throw Self.sameNameError(output, of: other, track) }
      tracksByName[output] = track
      add(track, format.write(track), as: output)
    }
  }

  /// Returns the error for two tracks with the same file name. Channels of the same pictures differ in their role.
  private static func sameNameError(_ output: String, of other: ExtractedTrack, _ track: ExtractedTrack) -> UsageError {
    guard other.id == track.id else {
      return UsageError(
        .ambiguous,
        "tracks \(other.id) and \(track.id) would both be written to \(output); "
          + "use {id} or {language} in the name: -o '{stem}.{language}.{id}.{format}'")
    }
    return UsageError(
      .ambiguous,
      "\(other.name) and \(track.name) of track \(track.id) would both be written to \(output); "
        + "use {role} in the name: -o '{stem}.{role}.{format}'")
  }

  /// Omits captions that would be written to the file of another text, and adds warnings about them. Returns the other
  /// tracks. So an output name for the only subtitles of a movie remains valid if the movie also contains captions.
  mutating func omittingCaptions(
    from tracks: [ExtractedTrack], areSelected: Bool, named name: (ExtractedTrack) -> String
  ) -> [ExtractedTrack] {
    guard !areSelected else { return tracks }
    let others = Dictionary(tracks.filter { !$0.yieldsToOtherTexts }.map { (name($0), $0) }) { first, _ in first }
    return tracks.filter { track in
      guard track.yieldsToOtherTexts, let other = others[name(track)] else { return true }
      let channel = track.pictureChannel?.rawValue
      let subject =
        channel.map { "\($0) in the pictures of track \(track.id) is" } ?? "the captions of track \(track.id) are"
      let advice = channel == nil ? "--track id:\(track.id) extracts them" : "-o '{stem}[.{role}].{format}' extracts it"
      warnings.append(
        Warning(
          code: "captions-omitted", file: movie, trackID: track.id, subject: channel ?? "",
          message: "\(subject) left out, because \(other.preferredTextClause) written to "
            + "\(name(track) == "-" ? "standard output" : name(track)); \(advice)"))
      return false
    }
  }

  /// Writes either all files or none.
  mutating func writeFiles(mayOverwrite: Bool, in context: Context) throws {
    for file in files where file.output == nil { try context.standardOutput.write(file.bytes.array) }
    let outputFiles = files.compactMap { file in file.output.map { (path: $0, bytes: file.bytes) } }
    try context.write(outputFiles, protecting: [movie], overwrites: mayOverwrite)
    isWritten = !files.isEmpty
  }
}

// MARK: - Messages

extension ExtractAnswer {
  /// Prints the warnings. Warnings with equal code, track and subject are merged.
  func warn(in context: Context) throws {
    var counts: [String: Int] = [:]
    let keys = warnings.map { "\($0.code) \($0.trackID ?? 0) \($0.subject)" }
    for key in keys { counts[key, default: 0] += 1 }
    for (warning, key) in zip(warnings, keys) {
      guard let count = counts.removeValue(forKey: key) else { continue }
      let more = count > 1 ? " (and \(count - 1) more like it)" : ""
      try context.warn(Warning(code: warning.code, file: warning.file, message: warning.message + more))
    }
    if let start, !files.isEmpty { try context.printMessage("note: " + start.subtractionNote) }
  }

  func show(asJSON: Bool, isRefused: Bool, contentName: String, in context: Context) throws {
    if asJSON { return try context.printJSON { write(to: &$0, contentName: contentName) } }
    if isRefused { return try context.printRefusal(warnings) }
    if files.isEmpty {
      return try context.printMessage("\(movie) has no \(contentName) to extract\(adviceClause)")
    }
    for file in files {
      guard let output = file.output else { continue }
      let count = counted(file.track.cues.count, "cue")
      try context.print(["extracted \(file.track.name): track \(file.track.id), \(count), to \(output)"])
    }
  }

  private var adviceClause: String { advice.map { "; " + $0 } ?? "" }

  /// Writes the members of the answer, which `Docs/json.md` lists.
  private func write(to json: inout JSONWriter, contentName: String) {
    json.member("file", movie)
    json.member("isWritten", isWritten)
    json.member("subtractedMilliseconds", start?.milliseconds)
    json.objects("tracks", of: files) { file, json in
      json.member("id", file.track.id)
      json.member("language", file.track.track.language?.description)
      json.member("name", file.track.name)
      json.member("role", file.track.role.isEmpty ? nil : file.track.role)
      json.member("captionChannel", file.track.captionChannel?.rawValue)
      json.member("isInPictures", file.track.pictureChannel != nil)
      json.member("output", file.output)
      json.member("format", format.rawValue)
      json.member("cueCount", file.track.cues.count)
      json.member("byteCount", file.bytes.count)
    }
    let nothing = Warning(
      code: "no-text", file: movie, message: "the movie has no \(contentName) to extract\(adviceClause)")
    let reasons = files.isEmpty && warnings.isEmpty ? [nothing] : warnings
    json.warnings(reasons)
  }
}
