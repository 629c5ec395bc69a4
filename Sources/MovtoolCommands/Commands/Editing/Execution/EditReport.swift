import MovieBox
import MovieWriter
import Subtitles

/// The report of an editing command. It describes the changes that were made or, in a dry run, that are planned.
///
/// The text output (`EditReport+Text.swift`) merges similar notices. The JSON output contains each notice.
struct EditReport {
  /// The path of the edited file, or `-` for standard output.
  let output: String
  let builder: EditBuilder
  /// The reported properties of the plan.
  let plan: Plan
  /// The interleaving before and after the edit, or `nil` if no reordering was requested.
  let interleaving: Interleaving?
  /// All warnings. As in the JSON output, similar warnings are not merged.
  let warnings: [Warning]
  /// The sink's report, or `nil` if nothing was written.
  var sinkReport: SinkReport?
  /// Whether nothing was written because the edit changes nothing.
  var changesNothing = false
  /// The findings that only the user can fix after `validate --fix`, or `nil` for other commands.
  var remainingFindings: Validation?
  /// The parts of an upload, or `nil` if they are not reported.
  var parts: Parts?

  /// The path of the movie as the user wrote it.
  var movie: String { builder.movie }
  /// The name of the output for messages.
  var outputName: String { output == "-" ? "standard output" : output }

  /// The reported properties of a plan.
  struct Plan {
    /// The plan of the whole output.
    let outputPlan: OutputPlan
    let isInPlace: Bool
    /// The reason why the movie is not edited in place, or `nil` if it is edited in place or a new file was requested.
    let notInPlaceReason: String?
    let byteCountToWrite: UInt64
    let generatedByteCount: UInt64
    let unusedByteCount: UInt64
    let removedMediaByteCount: UInt64
    /// The number of bytes of all free space at the top level of the output.
    let freeByteCount: UInt64
    /// The number of bytes in free space next to the movie atom. ``freeByteCount`` includes these bytes, and
    /// ``unusedByteCount`` excludes them.
    let spareByteCount: UInt64
    /// Whether the output is fragmented.
    let isFragmented: Bool
    /// The edit's notices, including warnings.
    let notes: [EditNotice]

    /// Creates the properties of a writer's plan.
    init(of writer: MovieFileWriter) {
      switch writer.verifiedPlan {
      case .inPlace:
        isInPlace = true
        notInPlaceReason = nil
      case .newFile(let why):
        isInPlace = false
        notInPlaceReason = why
      }
      outputPlan = writer.plan
      byteCountToWrite = writer.byteCountToWrite
      generatedByteCount = writer.generatedByteCount
      unusedByteCount = writer.unusedByteCount
      removedMediaByteCount = writer.removedMediaByteCount
      (freeByteCount, spareByteCount) = writer.plannedMovie.layout.freeByteCounts
      isFragmented = writer.isFragmented
      notes = writer.notices
    }

    /// Creates the properties of an edit that changes nothing.
    init(unchanged edit: MovieEdit) throws(MovieError) {
      let layout = edit.movie.layout
      outputPlan = try OutputPlan(of: layout.identity, [.source(ByteRange(0..<layout.identity.byteCount))])
      isInPlace = true
      notInPlaceReason = nil
      byteCountToWrite = 0
      generatedByteCount = 0
      unusedByteCount = edit.unusedByteCount(in: layout)
      removedMediaByteCount = 0
      (freeByteCount, spareByteCount) = layout.freeByteCounts
      isFragmented = edit.movie.isFragmented
      notes = edit.notices
    }

    var outputByteCount: UInt64 { outputPlan.byteCount }

    /// The number of bytes that are copied from the movie.
    var copiedByteCount: UInt64 { byteCountToWrite - min(byteCountToWrite, generatedByteCount) }
  }

  /// The interleaving of a movie before and after the edit.
  struct Interleaving {
    let before: InterleavingDistance
    let after: InterleavingDistance
    /// Whether chunks are so long that samples with the same time are far apart, and players on a network have to wait.
    let needsSplitting: Bool

    init(_ before: Movie, _ after: Movie, splitsChunks: Bool) {
      self.before = before.interleavingDistance()
      self.after = after.interleavingDistance(afterEditing: before, with: self.before)
      let bearable: UInt64 = 3_000_000  // In microseconds. Chunks of about a second lead to a distance of about two.
      needsSplitting = !splitsChunks && self.after.byteCount > 0 && self.after.microseconds > bearable
    }
  }

  /// Whether the summary reports unused bytes: the bytes contain media of removed tracks, or exceed a tenth of the
  /// file.
  var reportsUnusedBytes: Bool {
    !builder.removedTracks.isEmpty && plan.removedMediaByteCount > 0 || plan.unusedByteCount > plan.outputByteCount / 10
  }

  /// The notices that require no action.
  var notes: [EditNotice] { (plan.notes + builder.notes).filter { !$0.isWarning } }

  /// The notes to print besides the summary. The summary already describes changed references and removed tracks.
  var notesOutsideSummary: [EditNotice] {
    let removedIDs = Set(builder.removedTracks.map(\.track.id) + builder.retimed.map(\.old.id))
    return notes.filter { note in
      note.kind != .association && !(note.kind == .removed && note.trackID.map(removedIDs.contains) ?? false)
    }
  }

  /// Returns the file that contains a range of the source, and the offset in it.
  func origin(of range: ByteRange) -> (file: String, offset: UInt64) {
    let (part, offset) = builder.edit.fileAndOffset(ofSourceOffset: range.offset)
    // If a conversion rewrote samples, they are the first of the other sources. This source is not a file.
    let index = part - 1 - (builder.edit.otherFileCount - builder.otherFiles.count)
    return (builder.otherFiles.indices.contains(index) ? builder.otherFiles[index] : movie, offset)
  }

  /// Returns the IDs of the tracks that have a reference of this type to a track.
  func referrers(_ type: FourCC, to id: UInt32) -> [UInt32] {
    builder.edit.tracks.filter { $0.references[type]?.contains(id) ?? false }.map(\.id)
  }

  /// Notes about the replaced file. They are known only after the new file was written.
  var notesAfterWriting: [String] {
    guard let sinkReport else { return [] }
    var lines: [String] = []
    if sinkReport.otherHardLinks > 0 {
      lines.append(
        sinkReport.otherHardLinks == 1
          ? "another hard link still refers to the old movie"
          : "\(sinkReport.otherHardLinks) other hard links still refer to the old movie")
    }
    if !sinkReport.lostAttributes.isEmpty {
      lines.append("not copied from the old file: \(sinkReport.lostAttributes.joined(separator: ", "))")
    }
    return lines
  }
}

extension EditOutcome {
  /// Determines the outcome of an edit. The outcome is `failed` if `--strict` prevented the edit.
  init(_ report: EditReport, isRefused: Bool) {
    self = isRefused ? .failed : report.changesNothing ? .unchanged : .edited
  }
}

extension EditReport {
  /// Writes the members of the answer, which `Docs/json.md` lists.
  func write(to json: inout JSONWriter, isDryRun: Bool) {
    json.member("file", movie)
    json.member("output", output)
    json.member("isDryRun", isDryRun)
    json.member("isWritten", sinkReport != nil)
    json.member("strategy", plan.isInPlace ? "in-place" : "rewrite")
    json.member("reason", plan.notInPlaceReason)
    json.object("conversion", of: builder.oldType) { old, json in
      json.member("from", old.rawValue)
      json.member("to", builder.edit.movie.type.rawValue)
    }
    json.member("bytesWritten", sinkReport?.bytesWritten ?? 0)
    json.member("bytesGenerated", plan.generatedByteCount)
    json.member("bytesCopied", plan.copiedByteCount)
    json.member("bytesCloned", sinkReport?.bytesCloned ?? 0)
    json.member("bytesUnused", plan.unusedByteCount)
    json.member("bytesOfRemovedMedia", plan.removedMediaByteCount)
    json.member("fileByteCount", plan.outputByteCount)
    writeInterleaving(to: &json)
    writeTracks(to: &json)
    writeImportedTracks(to: &json)
    writeAddedMetadata(to: &json)
    writeRemovedTracks(to: &json)
    writeRetimedTracks(to: &json)
    writeChangedTracks(to: &json)
    writeLinks(to: &json)
    writeFacts(to: &json)
    json.headerDates(builder.headerDates)
    builder.chapters.write(to: &json)
    writeSharing(to: &json)
    writeFixes(to: &json)
    var rows = notes.map { (code: $0.kind.rawValue, trackID: $0.trackID, message: $0.message) }
    for line in notesAfterWriting { rows.append((code: "replaced-file", trackID: nil, message: line)) }
    json.objects("notes", of: rows) { note, json in
      json.member("code", note.code)
      json.member("track", note.trackID)
      json.member("message", note.message)
    }
    json.warnings(warnings)
    writePlan(to: &json, isDryRun: isDryRun)
  }

  private func writeInterleaving(to json: inout JSONWriter) {
    guard let interleaving else { return json.memberNull("interleaving") }
    json.object("interleaving") { json in
      json.object("before") { interleaving.before.write(to: &$0) }
      json.object("after") { interleaving.after.write(to: &$0) }
      json.member("needsSplitting", interleaving.needsSplitting)
    }
  }

  private func writeTracks(to json: inout JSONWriter) {
    let tracks = builder.addedSubtitles.compactMap { added in builder.track(added).map { (added, $0) } }
    json.objects("tracks", of: tracks) { pair, json in
      let (added, track) = pair
      json.member("id", track.id)
      json.member("file", added.request.file)
      json.member("format", added.request.format.rawValue)
      json.member("language", track.language?.description)
      json.member("languageOrigin", added.request.languageOrigin.rawValue)
      json.member("title", track.title)
      json.member("isSDH", track.isSDH)
      json.member("isForcedOnly", track.containsOnlyForcedSubtitles)
      json.member("isDefault", track.isEnabled)
      json.member("alternateGroup", track.alternateGroup)
      json.member("characteristics", track.taggedCharacteristics.map(\.rawValue))
      json.member("cueCount", added.cueCount)
      json.member("shownCueCount", track.shownCueCount)
      json.member("repairedCount", added.count(.repaired))
      json.member("cutCount", added.count(.cut))
      json.member("droppedCount", added.count(.dropped))
      json.member("inexpressibleCount", added.count(.inexpressible))
      json.member("followedAudioTracks", referrers("folw", to: track.id))
      json.member("fullTracks", referrers("forc", to: track.id))
      json.member("forcedTrack", track.references["forc"]?.first)
    }
  }

  private func writeImportedTracks(to json: inout JSONWriter) {
    let tracks = builder.importedTracks.compactMap { imported in builder.track(imported).map { (imported, $0) } }
    json.objects("importedTracks", of: tracks) { pair, json in
      let (imported, track) = pair
      json.member("id", track.id)
      json.member("file", imported.file)
      json.member("sourceTrack", imported.oldTrackID)
      json.member("kind", track.mediaType.name)
      json.member("language", track.language?.description)
      json.member("title", track.title)
      json.member("isDefault", track.isEnabled)
      json.member("alternateGroup", track.alternateGroup)
      json.member("characteristics", track.taggedCharacteristics.map(\.rawValue))
      json.member("followedAudioTracks", referrers("folw", to: track.id))
      json.member("chapteredTracks", referrers("chap", to: track.id))
    }
  }

  private func writeAddedMetadata(to json: inout JSONWriter) {
    json.objects("metadataTracks", of: builder.addedMetadata) { added, json in
      json.member("id", added.trackID)
      json.member("file", added.file)
      json.member("groupCount", added.groupCount)
      json.array("describes") { json in
        for id in builder.edit.tracks.first(where: { $0.id == added.trackID })?.references["cdsc"] ?? [] {
          json.value(id)
        }
      }
      json.member("overlapStartMicroseconds", added.commonTimes?.lowerBound)
      json.member("overlapEndMicroseconds", added.commonTimes?.upperBound)
    }
  }

  private func writeRemovedTracks(to json: inout JSONWriter) {
    json.objects("removedTracks", of: builder.removedTracks) { removed, json in
      json.member("id", removed.track.id)
      json.member("kind", removed.track.mediaType.name)
      json.member("language", removed.track.language?.description)
      json.objects("references", of: removed.references) { reference, json in
        json.member("type", reference.type.description)
        json.member("track", reference.trackID)
      }
    }
  }

  private func writeRetimedTracks(to json: inout JSONWriter) {
    json.objects("retimedTracks", of: builder.retimedTracks) { pair, json in
      let (retimed, track) = pair
      json.member("id", track.id)
      json.member("oldTrack", retimed.old.id)
      json.member("language", track.language?.description)
      json.member("shownCueCount", track.shownCueCount)
    }
  }

  private func writeChangedTracks(to json: inout JSONWriter) {
    let tracks = builder.changedTracks.compactMap { changed in builder.track(changed).map { (changed, $0) } }
    json.objects("changedTracks", of: tracks) { pair, json in
      let (changed, track) = pair
      json.member("id", track.id)
      json.member("kind", track.mediaType.name)
      json.member("language", track.language?.description)
      json.member("title", track.title)
      json.member("isSDH", track.isSDH)
      json.member("isForcedOnly", track.containsOnlyForcedSubtitles)
      json.member("isEnabled", track.isEnabled)
      json.member("isSelectedAutomatically", !track.isExcludedFromAutomaticSelection)
      json.member("alternateGroup", track.alternateGroup)
      json.member("characteristics", track.taggedCharacteristics.map(\.rawValue))
      json.member("changes", changed.changes(to: track).map(\.name))
    }
  }

  private func writeLinks(to json: inout JSONWriter) {
    json.objects("links", of: builder.links) { link, json in
      json.member("type", link.type.description)
      json.member("track", link.trackID)
      json.member("target", link.target)
      json.member("isRemoved", link.isRemoved)
    }
  }

  private func writeFacts(to json: inout JSONWriter) {
    let facts = builder.changedFacts.flatMap { fact in fact.identifiers.map { (fact, $0) } }
    json.objects("metadata", of: facts) { pair, json in
      let (fact, identifier) = pair
      json.member("action", fact.action.rawValue)
      json.member("identifier", identifier.description)
      json.member("track", fact.trackID)
    }
  }

  private func writeSharing(to json: inout JSONWriter) {
    json.objects("sharing", of: builder.sharingDecisions) { decision, json in
      json.member("subject", decision.subject)
      json.member("track", decision.trackID)
      json.member("stays", decision.isKept)
      json.member("reason", decision.reason)
    }
  }

  private func writeFixes(to json: inout JSONWriter) {
    json.objects("fixed", of: builder.appliedFixes) { fix, json in
      json.member("rule", fix.rule.id)
      json.member("track", fix.trackID)
      json.member("message", fix.message)
    }
    guard let remainingFindings else { return json.memberNull("left") }
    json.object("left") { remainingFindings.write(to: &$0) }
  }
}

extension FileLayout {
  /// The number of bytes of all free space at the top level of the file, and of the free space next to the movie atom.
  fileprivate var freeByteCounts: (all: UInt64, besideMovieAtom: UInt64) {
    let movie = first("moov")?.range
    let free = atoms.filter(\.isFreeSpace)
    let adjacentSpace = free.filter { $0.range.end == movie?.offset || $0.range.offset == movie?.end }
    return (free.reduce(0) { $0 &+ $1.range.count }, adjacentSpace.reduce(0) { $0 &+ $1.range.count })
  }
}
