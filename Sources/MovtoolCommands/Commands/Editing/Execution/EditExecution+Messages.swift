import MovieBox
import MovieWriter
import Subtitles

// The messages of an editing command: warnings, notes, the report, and advice if the edit is refused.
extension EditExecution {
  /// Prints warnings and notes. Notices of the same kind are merged into one line. Notes that the summary contains are
  /// omitted.
  func printNotices(_ editWarnings: [Warning], _ answer: EditReport, _ context: Context) throws {
    for warning in editWarnings { try context.warn(warning) }
    for added in answer.builder.addedSubtitles {
      for line in SubtitleNotice.summary(of: added.notices) {
        try context.warn(Warning(code: "", file: added.request.file, message: line))
      }
      if added.notices.contains(where: { $0.kind == .inexpressibleStyle && $0.subject == "voice" }) {
        try context.printMessage(notePrefix(context) + "--voices writes the names of speakers before their words")
      }
    }
    for retimed in answer.builder.retimed {
      for line in SubtitleNotice.summary(of: retimed.notices.map(\.withScaleOption)) {
        try context.warn(Warning(code: "", file: movie, message: line))
      }
    }
    for note in answer.notesOutsideSummary { try context.printMessage(notePrefix(context) + note.message) }
  }

  func show(_ answer: EditReport, isRefused: Bool, in context: Context) throws {
    context.record?.outcome = EditOutcome(answer, isRefused: isRefused)
    if options.isJSON {
      try context.printJSON { json in
        if context.record != nil { json.member("outcome", EditOutcome(answer, isRefused: isRefused).rawValue) }
        answer.write(to: &json, isDryRun: options.isDryRun)
      }
      return
    }
    if context.record != nil {
      try context.print([answer.shortLine(of: command, isPlanned: options.isDryRun, isRefused: isRefused)])
      for line in answer.notesAfterWriting { try context.printMessage(notePrefix(context) + line) }
      return
    }
    if isRefused {
      try context.printRefusal(answer.warnings)
    } else {
      try context.print(answer.lines(isPlanned: options.isDryRun))
      if options.isDryRun, !answer.changesNothing { try context.print([""] + answer.extentLines) }
      for line in answer.notesAfterWriting { try context.printMessage(notePrefix(context) + line) }
    }
  }

  /// Returns the start of a note. It contains the movie's name if there are many movies.
  private func notePrefix(_ context: Context) -> String { context.record != nil ? "\(movie): note: " : "note: " }

  /// Returns advice about tracks that the output type cannot contain, or `nil` if it can contain all tracks.
  static func advice(onRefusalOf edit: MovieEdit) -> String? {
    guard let advice = edit.conversionAdvice else { return nil }
    let ids = advice.tracks
    let selectors = ids.prefix(9).map { "--track id:\($0)" }.joined(separator: " ") + (ids.count > 9 ? " …" : "")
    let keepsAudio = advice.areExactlyAudioTracks
    let ways = [
      ids.isEmpty
        ? nil
        : keepsAudio
          ? "movtool remux --track audio keeps only the audio" : "movtool remux \(selectors) omits the track",
      advice.type.map { "\($0.name) (.\($0.rawValue)) can contain \(keepsAudio ? "all tracks" : "the track")" },
    ].compactMap(\.self)
    return ways.isEmpty ? nil : ways.joined(separator: "; ")
  }

  /// Warns that the report could not be printed. The exit code remains 0, because the movie has been edited.
  static func warnOfUnprintedReport(_ answer: EditReport, _ failure: any Error, _ context: Context) {
    do {
      let reason = ToolError(failure).message
      try context.warn(
        Warning(
          code: "", file: answer.outputName,
          message: "the movie is edited, but the summary could not be shown: \(reason)"))
    } catch {
      return  // Standard error has failed too.
    }
  }

  /// Returns warnings for the notices about the cues of a file.
  static func warnings(of added: EditBuilder.AddedSubtitle) -> [Warning] {
    warnings(of: added.notices, added.request.file, trackID: added.trackID)
  }

  static func warnings(of notices: [SubtitleNotice], _ file: String, trackID: UInt32) -> [Warning] {
    notices.map { Warning($0, file, trackID: trackID) }
  }
}
