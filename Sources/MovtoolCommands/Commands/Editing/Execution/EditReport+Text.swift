import MovieBox
import MovieWriter
import Subtitles

extension EditReport {
  /// Returns the lines of the text output, one for each change. With `isPlanned`, they describe planned changes.
  func lines(isPlanned: Bool) -> [String] {
    var lines = builder.removedTracks.map { (isPlanned ? "would remove " : "removed ") + line(of: $0) }
    lines += builder.addedSubtitles.map { (isPlanned ? "would add " : "added ") + line(of: $0) }
    lines += builder.importedTracks.map { (isPlanned ? "would add " : "added ") + line(of: $0) }
    lines += builder.addedMetadata.map { (isPlanned ? "would add " : "added ") + line(of: $0) }
    lines += builder.retimedTracks.map { (isPlanned ? "would retime " : "retimed ") + line(of: $0, $1) }
    lines += builder.changedTracks.compactMap { line(of: $0) } + builder.links.map { line(of: $0) }
    lines += sharingLines
    if let chapters = builder.chapters { lines.append(chapters.line(isPlanned: isPlanned)) }
    lines += builder.changedFacts.map { line(of: $0, isPlanned: isPlanned) }
    lines += builder.appliedFixes.map { "\(isPlanned ? "would fix" : "fixed") \($0.rule.id): \($0.message)" }
    if let old = builder.oldType {
      let new = builder.edit.movie.type
      lines.append(
        old == new
          ? "the movie is already \(new.name); \(isPlanned ? "would rewrite" : "rewrote") its headers and metadata for this type"
          : "\(isPlanned ? "would convert" : "converted") \(old.name) to \(new.name)")
    }
    if changesNothing { return lines + ["nothing to change: \(movie) is unchanged"] + remainingFindingLines }
    lines.append(isPlanned ? plannedStrategy : strategy)
    if let interleaving {
      let (before, after) = (interleaving.before.description, interleaving.after.description)
      lines.append(
        "interleaving distance: \(before) before, \(after) \(isPlanned ? "then" : "now")"
          + (interleaving.needsSplitting ? "; --split-chunks splits the long chunks that cause this" : ""))
    }
    if plan.isInPlace, builder.changedFacts.contains(where: { $0.action == .removed }) {
      lines.append(
        "\(outputName) still contains the removed items as unused bytes; "
          + "movtool metadata \(movie) --for-sharing -o OUT removes them")
    }
    if reportsUnusedBytes { lines.append(unusedSpace(isPlanned: isPlanned)) }
    return lines + remainingFindingLines
  }

  /// Returns the line for one of many movies: `film.mov: added English SDH (track 4), Spanish (track 5)` or `film.mov:
  /// edited as film.mp4`.
  func shortLine(of command: String, isPlanned: Bool, isRefused: Bool) -> String {
    if isRefused { return "\(movie): not edited, because of \(counted(warnings.count, "warning")) and --strict" }
    let isAddition = command == AddSubtitleCommand.name || command == AddCaptionsCommand.name
    if changesNothing {
      return "\(movie): "
        + (isAddition
          ? "nothing to add, because the movie already has tracks with these languages and roles" : "unchanged")
        + remainingFindingCounts
    }
    let tracks = builder.addedSubtitles.map { added in
      "\(builder.track(added)?.nameWithRoles ?? "") (track \(added.trackID))"
    }
    let verb = isAddition ? (isPlanned ? "would add" : "added") : isPlanned ? "would be edited" : "edited"
    let work = isAddition ? verb + " " + tracks.joined(separator: ", ") : verb
    let place =
      output == movie ? (plan.isInPlace ? "" : isPlanned ? ", to be rewritten" : ", rewritten") : " as \(output)"
    return "\(movie): " + work + place + remainingFindingCounts
  }

  /// The numbers of errors and warnings that only the user can fix, for the line about one of many movies.
  private var remainingFindingCounts: String {
    let counts = [Finding.Severity.error, .warning].compactMap { severity -> String? in
      let count = remainingFindings?.findings.count { $0.severity == severity } ?? 0
      return count > 0 ? counted(count, severity.rawValue) : nil
    }
    return counts.isEmpty ? "" : "; left to decide: " + counts.joined(separator: ", ")
  }

  /// The lines about findings that only the user can fix.
  private var remainingFindingLines: [String] {
    guard let remainingFindings else { return [] }
    return remainingFindings.findings.isEmpty
      ? remainingFindings.lines : ["", "left to decide:"] + remainingFindings.lines
  }

  /// Returns a line such as `English SDH: track 5 from film.en.srt, 9 cues (2 repaired, 1 dropped: see the warnings),
  /// group 2, not the default; audio track 2 selects it`.
  private func line(of added: EditBuilder.AddedSubtitle) -> String {
    guard let track = builder.track(added) else { return "track \(added.trackID)" }
    let shown = track.shownCueCount ?? 0
    let cues =
      shown == added.cueCount ? counted(shown, "cue") : "\(shown) of \(counted(added.cueCount, "cue"))"
    let file = FilePath(added.request.file).name
    let source = added.request.file == "-" ? "" : " from \(file)"
    var line =
      "\(track.nameWithRoles): track \(track.id)\(source), \(cues)\(added.notices.effects), \(track.groupName), "
    line += track.isEnabled ? "the default" : "not the default"
    for leader in referrers("folw", to: track.id) { line += "; audio track \(leader) selects it" }
    for full in referrers("forc", to: track.id) { line += "; contains the forced subtitles of track \(full)" }
    for forced in track.references["forc"] ?? [] { line += "; its forced subtitles are in track \(forced)" }
    return line
  }

  /// Returns a line such as `audio, French: track 5 from track 1 of dub.m4a, group 1, not the default`.
  private func line(of imported: EditBuilder.CopiedTrack) -> String {
    guard let track = builder.track(imported) else { return "track \(imported.trackID)" }
    var line = "\(track.kindAndName): track \(track.id) from track \(imported.oldTrackID) of \(imported.file), "
    line += track.groupName + ", "
    line += track.isEnabled ? "the default" : "not the default"
    for leader in referrers("folw", to: track.id) { line += "; audio track \(leader) selects it" }
    for leader in referrers("chap", to: track.id) { line += "; track \(leader) uses it as its chapter list" }
    guard track.mediaType == .metadata else { return line }
    // A metadata track without `cdsc` references describes the whole movie.
    let described = track.references["cdsc"] ?? []
    if !described.isEmpty { line += "; describes track " + described.map(String.init).joined(separator: ", ") }
    for note in plan.notes where note.kind == .association && note.trackID == track.id {
      if let type = note.lostReferenceType, track.references[type] == nil { line += "; " + note.message }
    }
    return line
  }

  /// Returns a line such as `timed metadata: track 5 from ride.gpx, 199 groups, describes track 1; the route covers
  /// 0.092 s to 11.050 s of the movie`.
  private func line(of added: EditBuilder.AddedTimedMetadata) -> String {
    let described = builder.edit.tracks.first { $0.id == added.trackID }?.references["cdsc"] ?? []
    let referent = described.isEmpty ? "the whole movie" : "track " + described.map(String.init).joined(separator: ", ")
    let times = added.commonTimes.map {
      "; the route covers \(TimedText.seconds($0.lowerBound)) to \(TimedText.seconds($0.upperBound)) of the movie"
    }
    return "timed metadata: track \(added.trackID) from \(FilePath(added.file).name), "
      + "\(counted(added.groupCount, "group")), describes \(referent)" + (times ?? "")
  }

  /// Returns a line such as `subtitle, Spanish: track 4; also removed: the folw reference of track 2 to it`.
  private func line(of removed: EditBuilder.RemovedTrack) -> String {
    var line = "\(removed.track.kindAndName): track \(removed.track.id)"
    for reference in removed.references {
      line += "; also removed: the \(reference.type) reference of track \(reference.trackID) to it"
    }
    return line
  }

  /// Returns a line such as `subtitle, Spanish: track 4, 9 cues (1 dropped: see the warnings), replaces track 3`.
  private func line(of retimed: MovieEdit.RetimedTrack, _ track: EditedTrack) -> String {
    "\(track.kindAndName): track \(track.id), \(counted(track.shownCueCount ?? 0, "cue"))"
      + "\(retimed.notices.effects), replaces track \(retimed.old.id)"
  }

  /// Returns a line such as `subtitle, Spanish: track 4: language es (was en), title "Español"`.
  private func line(of changed: EditBuilder.ChangedTrack) -> String? {
    guard let track = builder.track(changed) else { return nil }
    let parts = changed.changes(to: track).map(\.description)
    let line = "\(track.kindAndName): track \(track.id): "
    if parts.isEmpty { return line + (track.hasChanged ? "rewritten with valid values" : "unchanged") }
    return line + parts.joined(separator: ", ")
  }

  /// The decisions of the sharing policy, one per line.
  private var sharingLines: [String] {
    var table = TextTable([.init(""), .init(""), .init("")])
    for decision in builder.sharingDecisions.filter({ !$0.isKept }) + builder.sharingDecisions.filter(\.isKept) {
      let track = decision.trackID.flatMap { decision.subject == "track \($0)" ? nil : " of track \($0)" } ?? ""
      table.add([decision.isKept ? "kept" : "left out", decision.subject + track, decision.reason])
    }
    return builder.sharingDecisions.isEmpty ? [] : Array(table.lines.dropFirst())
  }

  /// Returns a line such as `set title to "Home": mdta/com.apple.quicktime.title, udta/%A9nam`.
  private func line(of fact: EditBuilder.ChangedFact, isPlanned: Bool) -> String {
    let verb =
      switch fact.action {
      case .set: isPlanned ? "would set" : "set"
      case .added: isPlanned ? "would add" : "added"
      case .removed: isPlanned ? "would remove" : "removed"
      case .moved: isPlanned ? "would move" : "moved"
      }
    let names = fact.identifiers.map(\.description).withoutRepetition + fact.atoms
    let list = names.count > 8 ? names.prefix(8).joined(separator: ", ") + ", …" : names.joined(separator: ", ")
    return "\(verb) \(fact.subject)" + (fact.trackID.map { " of track \($0)" } ?? "") + ": " + list
  }

  /// Returns a line such as `track 2 is followed by track 4 (folw)`.
  private func line(of link: EditBuilder.Link) -> String {
    guard link.isRemoved else {
      return TrackAssociation(rawValue: link.type).sentence(from: link.trackID, to: link.target)
    }
    return "track \(link.trackID) no longer refers to track \(link.target) (\(link.type))"
  }

  /// Returns a line such as `1.2 MB of the 4.0 MB of film.mov (30 %) are used by nothing, 1.1 MB of them media of …`.
  private func unusedSpace(isPlanned: Bool) -> String {
    let total = plan.unusedByteCount &+ plan.spareByteCount  // Both counts are parts of one file.
    let share = total.scaled(by: 100, over: plan.outputByteCount) ?? 0
    var line = "\(Quantity.bytes(total)) of the \(Quantity.bytes(plan.outputByteCount)) of \(outputName)"
    line += " (\(share) %) \(isPlanned ? "would be" : "are") used by nothing: "
    let parts = [
      (total &- min(total, plan.freeByteCount), "media"), (plan.freeByteCount, "free space"),
    ].filter { $0.0 > 0 }
    line += parts.map { "\(Quantity.bytes($0.0)) of \($0.1)" }.joined(separator: " and ")
    return line
      + "; movtool remux \(output == "-" ? "FILE" : output) \(plan.isFragmented ? "--flatten " : "")--compact -o OUT "
      + "removes them"
  }

  private var strategy: String {
    let writtenByteCount = sinkReport?.bytesWritten ?? 0
    if plan.isInPlace { return "edited \(output) in place: \(Quantity.exactBytes(writtenByteCount)) written" }
    var bytes = "\(Quantity.exactBytes(plan.outputByteCount)), \(Quantity.bytes(plan.generatedByteCount)) of them new"
    if let cloned = sinkReport?.bytesCloned, cloned > 0 { bytes += ", \(Quantity.bytes(cloned)) shared with \(movie)" }
    let inputByteCount = builder.edit.movie.layout.identity.byteCount
    if plan.outputByteCount < inputByteCount {
      bytes += ", \(Quantity.bytes(inputByteCount - plan.outputByteCount)) less than before"
    }
    guard let reason = plan.notInPlaceReason else { return "wrote \(outputName): \(bytes)" }
    return "rewrote \(output), because \(reason): \(bytes)"
  }

  private var plannedStrategy: String {
    if plan.isInPlace {
      return "would edit \(output) in place: \(Quantity.exactBytes(plan.byteCountToWrite)) to write"
    }
    let bytes = "\(Quantity.bytes(plan.generatedByteCount)) new, \(Quantity.bytes(plan.copiedByteCount)) copied"
    guard let reason = plan.notInPlaceReason else { return "would write \(outputName): \(bytes)" }
    return "would rewrite \(output), because \(reason): \(bytes)"
  }

  /// The first 20 extents of the output, one per line, and the number of further extents. New samples between old
  /// samples can cause thousands of extents.
  var extentLines: [String] {
    let extents = plan.outputPlan.extents
    let shown = extents.prefix(20)
    var table = TextTable([.init("offset", .right), .init("bytes", .right), .init("from")])
    for extent in shown {
      table.add([String(extent.offset), String(extent.content.byteCount), description(extent)])
    }
    guard shown.count < extents.count else { return table.lines }
    return table.lines + ["and \(extents.count - shown.count) more; --json lists all of them"]
  }

  private func description(_ extent: OutputPlan.Extent) -> String {
    switch extent.content {
    case .generated: "new"
    case .zeros: "zeros"
    case .source(let range):
      if plan.isInPlace, range.offset < builder.edit.movie.layout.identity.byteCount {
        "stays"
      } else {
        "copied from byte \(origin(of: range).offset) of \(origin(of: range).file)"
      }
    }
  }
}

extension [SubtitleNotice] {
  /// The numbers of changed cues, to follow the number of all cues: ` (2 repaired, 1 dropped: see the warnings)`.
  fileprivate var effects: String {
    let effects = SubtitleNotice.Effect.allCases.compactMap { effect in
      let count = reduce(0) { $0 + $1.count(effect) }
      return count > 0 ? "\(count) \(effect.words(for: count))" : nil
    }
    return effects.isEmpty ? "" : " (\(effects.joined(separator: ", ")): see the warnings)"
  }
}

extension SubtitleNotice.Effect {
  /// Returns the word that describes the effect on `count` cues, such as `repaired`.
  fileprivate func words(for count: Int) -> String {
    switch self {
    case .repaired: "repaired"
    case .cut: "cut"
    case .dropped: "dropped"
    case .inexpressible: count == 1 ? "style or tag omitted" : "styles or tags omitted"
    }
  }
}

extension InterleavingDistance {
  /// The distance in words: `up to 12 MB or 2.500 s apart`.
  var description: String {
    guard byteCount > 0 else { return "in order" }
    let time = Quantity.duration(microseconds, timeScale: 1_000_000).map { " or " + $0 } ?? ""
    return "up to \(Quantity.bytes(byteCount))\(time) apart"
  }
}
