import MovieBox
import MovieStreaming
import MovieWriter

/// The answer of `hls` about a new presentation.
struct HLSAnswer {
  let inputs: [StreamInput]
  /// The warnings and notes about audio and subtitles from other files.
  let addedFileNotices: (warnings: [Warning], notes: [String])
  let folder: String?
  let plan: StreamPlan
  let isDryRun: Bool
  /// Whether nothing was written because of warnings and `--strict`.
  var isRefused = false
  /// Folders of the replaced presentation that still exist, although the new presentation does not use them.
  var remainingFolders: [String] = []

  /// The warnings about added files and about the presentation.
  var warnings: [Warning] {
    addedFileNotices.warnings
      + plan.notices.filter(\.isWarning).map { inputs[$0.movieIndex].warning(from: $0) }
  }

  /// The notes about added files and about the presentation.
  private var notes: [String] {
    addedFileNotices.notes
      + plan.notices.filter { !$0.isWarning }.map { inputs[$0.movieIndex].warning(from: $0).message }
  }

  /// Prints warnings and notes on standard error.
  func printNotices(in context: Context) throws {
    for warning in warnings { try context.warn(warning) }
    for note in notes { try context.printMessage("note: " + note) }
  }

  /// Prints the answer.
  func show(asJSON: Bool, in context: Context) throws {
    if asJSON { return try context.printJSON { write(to: &$0) } }
    if isRefused { return try context.printRefusal(warnings) }
    try context.print(lines)
  }

  private var playlistPath: String { folder.map { "\($0)/\(plan.entryPath)" } ?? plan.entryPath }

  private var generatedByteCount: UInt64 { plan.files.reduce(0) { $0 + $1.generatedByteCount } }

  /// The lines of the text output. They list files, variants, audio and subtitles.
  var lines: [String] {
    let kinds = Dictionary(grouping: plan.files, by: \.kind).mapValues(\.count)
    let verb = isDryRun ? "would write" : "wrote"
    var lines = [
      "\(playlistPath): \(verb) \(plan.files.count) files, \(Quantity.bytes(plan.byteCount)) "
        + "(\(Quantity.bytes(generatedByteCount)) generated), \(kinds[.media] ?? 0) of media, segments of "
        + "\(plan.targetDuration) s"
    ]
    for variant in plan.multivariant.variants {
      let picture = variant.picture.map { "\($0.width)×\($0.height)" } ?? "audio only"
      lines.append(
        "  variant: \(picture), \(variant.codecs.joined(separator: ", ")), \(variant.rates.peak) bit/s at most, "
          + "\(variant.rates.average) on average")
    }
    for rendition in plan.multivariant.renditions {
      var words = [rendition.language ?? "und"]
      if rendition.isDefault { words.append("default") }
      if rendition.isForced { words.append("forced") }
      if !rendition.isAutomaticallySelected { words.append("not selected automatically") }
      words += rendition.characteristics
      lines.append("  \(rendition.kind.rawValue.lowercased()): \(rendition.name) (\(words.joined(separator: ", ")))")
    }
    if let remainingFoldersNote { lines.append("  " + remainingFoldersNote) }
    return lines
  }

  private var remainingFoldersNote: String? {
    remainingFolders.isEmpty
      ? nil : "remaining folders of the previous presentation: " + remainingFolders.joined(separator: ", ")
  }

  private func write(to json: inout JSONWriter) {
    json.member("folder", folder)
    json.member("playlist", plan.entryPath)
    json.member("isWritten", !isDryRun && !isRefused)
    json.member("targetDuration", plan.targetDuration)
    json.member("delayIn90kHz", plan.delayIn90kHz)
    json.member("startInMicroseconds", plan.multivariant.startInMicroseconds ?? 0)
    json.member("byteCount", plan.byteCount)
    json.member("generatedByteCount", generatedByteCount)
    json.objects("variants", of: plan.multivariant.variants) { Self.write($0, to: &$1) }
    json.objects("trickPlay", of: plan.multivariant.trickPlay) { Self.write($0, to: &$1) }
    json.objects("renditions", of: plan.multivariant.renditions) { Self.write($0, to: &$1) }
    json.objects("files", of: plan.files) { file, json in
      json.member("path", file.path)
      json.member("kind", file.kind.rawValue)
      json.member("contentType", file.contentType)
      json.member("byteCount", file.byteCount)
    }
    json.array("notes") { json in
      for note in notes { json.value(note) }
      if let remainingFoldersNote { json.value(remainingFoldersNote) }
    }
    json.warnings(warnings)
  }

  private static func write(_ variant: MultivariantPlaylist.Variant, to json: inout JSONWriter) {
    json.member("playlist", variant.path)
    json.member("bandwidth", variant.rates.peak)
    json.member("averageBandwidth", variant.rates.average)
    json.member("codecs", variant.codecs)
    json.member("width", variant.picture?.width)
    json.member("height", variant.picture?.height)
    json.member("audioGroup", variant.audioGroup)
    json.member("subtitleGroup", variant.subtitleGroup)
  }

  private static func write(_ rendition: MultivariantPlaylist.Rendition, to json: inout JSONWriter) {
    json.member("type", rendition.kind.rawValue)
    json.member("group", rendition.group)
    json.member("name", rendition.name)
    json.member("language", rendition.language)
    json.member("isDefault", rendition.isDefault)
    json.member("isAutomaticallySelected", rendition.isAutomaticallySelected)
    json.member("isForced", rendition.isForced)
    json.member("characteristics", rendition.characteristics)
    json.member("channels", rendition.channels)
    json.member("playlist", rendition.path)
  }
}

/// The answer after subtitles were added to a presentation or removed from it.
struct FolderChangeAnswer {
  let folder: String
  /// Whether the folder was changed.
  let isWritten: Bool
  /// Whether warnings and `--strict` prevented the change.
  let isRefused: Bool
  let warnings: [Warning]

  /// Prints `line`, or the JSON members that `members` writes, and returns the exit code.
  func show(
    asJSON: Bool, in context: Context, line: () -> String, members: (inout JSONWriter) -> Void
  ) throws -> ExitCode {
    if asJSON {
      try context.printJSON { json in
        json.member("folder", folder)
        json.member("isWritten", isWritten)
        members(&json)
        json.warnings(warnings)
      }
    } else if isRefused {
      try context.printRefusal(warnings)
    } else {
      try context.print(["\(folder): \(line())"])
    }
    return isRefused ? .no : .done
  }
}
