import MovieBox
import MovieWriter
import Subtitles

/// What `extract` writes, and what it says of it.
struct ExtractAnswer {
  /// The text of one track.
  struct File {
    let track: ExtractedTrack
    /// Its name; `nil` for standard output.
    let output: String?
    let bytes: Bytes
  }

  let movie: String
  let format: SubtitleFormat
  /// What is subtracted from the times of a fragmented movie; `nil` for nothing.
  let start: MediaTime?
  private(set) var warnings: [Warning]
  private(set) var files: [File] = []
  private var isWritten = false

  init(movie: String, format: SubtitleFormat, start: MediaTime?, warnings: [Warning]) {
    self.movie = movie
    self.format = format
    self.start = start
    self.warnings = warnings
  }

  /// Adds the file of one track.
  mutating func add(_ track: ExtractedTrack, _ written: SubtitleFile.Written, as output: String?) {
    warnings += (track.text.notices + written.notices).map { notice in
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

  /// Adds the files of several tracks, each under its name.
  mutating func add(_ tracks: [ExtractedTrack], _ template: FileNameTemplate, inFolder folder: String) throws {
    func name(_ track: ExtractedTrack, _ template: FileNameTemplate) -> String {
      folder
        + template.filled { field in
          switch field {
          case .stem: String(FilePath(movie).stem)
          case .language: track.language
          case .role: track.role
          case .format: format.rawValue
          case .id: String(track.id)
          case .number: ""
          }
        }
    }
    var template = template
    if template.text == FileNameTemplate.standard, Set(tracks.map { name($0, template) }).count < tracks.count {
      // The ID stands where names are still understood when the files are added again.
      template = try FileNameTemplate("{stem}.{id}.{language}[.{role}].{format}")
    }
    var taken: [String: UInt32] = [:]
    for track in tracks {
      let output = name(track, template)
      if let other = taken[output] {
        throw UsageError(
          .ambiguous, "-o \(template.text) names tracks \(other) and \(track.id) alike; a template with {id} does not")
      }
      taken[output] = track.id
      add(track, format.write(track), as: output)
    }
  }

  /// Writes the files, all or none.
  mutating func carryOut(mayOverwrite: Bool, in context: Context) throws {
    for file in files where file.output == nil { try context.standardOutput.write(file.bytes.array) }
    let named = files.compactMap { file in file.output.map { (path: $0, bytes: file.bytes) } }
    try context.write(named, besides: [movie], overwrites: mayOverwrite)
    isWritten = !files.isEmpty
  }
}

// MARK: - What is said

extension ExtractAnswer {
  /// Says the warnings: those that are alike about one track in one line.
  func warn(in context: Context) throws {
    var told: [String: Int] = [:]
    let keys = warnings.map { "\($0.code) \($0.trackID ?? 0) \($0.subject)" }
    for key in keys { told[key, default: 0] += 1 }
    for (warning, key) in zip(warnings, keys) {
      guard let count = told.removeValue(forKey: key) else { continue }
      let more = count > 1 ? " (and \(count - 1) more like it)" : ""
      try context.warn(Warning(code: warning.code, file: warning.file, message: warning.message + more))
    }
    if let start, !files.isEmpty { try context.say("note: " + start.subtractionNote) }
  }

  func show(asJSON: Bool, isRefused: Bool, wanted: String, in context: Context) throws {
    if asJSON { return try context.printJSON { write(to: &$0, wanted: wanted) } }
    if isRefused { return try context.sayRefused(warnings) }
    if files.isEmpty { return try context.say("\(movie) has no \(wanted) to extract") }
    for file in files {
      guard let output = file.output else { continue }
      let count = counted(file.track.cues.count, "cue")
      try context.print(["extracted \(file.track.name): track \(file.track.id), \(count), to \(output)"])
    }
  }

  /// Writes the members of the answer; `Docs/json.md` has every one.
  private func write(to json: inout JSONWriter, wanted: String) {
    json.member("file", movie)
    json.member("isWritten", isWritten)
    json.member("subtractedMilliseconds", start?.milliseconds)
    json.objects("tracks", of: files) { file, json in
      json.member("id", file.track.id)
      json.member("language", file.track.track.language?.description)
      json.member("name", file.track.name)
      json.member("role", file.track.role.isEmpty ? nil : file.track.role)
      json.member("output", file.output)
      json.member("format", format.rawValue)
      json.member("cueCount", file.track.cues.count)
      json.member("byteCount", file.bytes.count)
    }
    let nothing = Warning(code: "no-text", file: movie, message: "the movie has no \(wanted) to extract")
    let reasons = files.isEmpty && warnings.isEmpty ? [nothing] : warnings
    json.warnings(reasons)
  }
}
