import MovieBox
import MovieWriter
import Subtitles

extension EditReport {
  /// Writes the members of the answer; `Docs/json.md` has every one.
  func write(to json: inout JSONWriter, isDryRun: Bool) {
    json.member("file", movie)
    json.member("output", output)
    json.member("isDryRun", isDryRun)
    json.member("isWritten", report != nil)
    json.member("strategy", plan.isInPlace ? "in-place" : "rewrite")
    json.member("reason", plan.reason)
    json.object("conversion", of: builder.oldType) { old, json in
      json.member("from", old.rawValue)
      json.member("to", builder.edit.movie.type.rawValue)
    }
    json.member("bytesWritten", report?.bytesWritten ?? 0)
    json.member("bytesGenerated", plan.generatedByteCount)
    json.member("bytesCopied", plan.copiedByteCount)
    json.member("bytesCloned", report?.bytesCloned ?? 0)
    json.member("bytesUnused", plan.unusedByteCount)
    json.member("bytesOfRemovedMedia", plan.removedMediaByteCount)
    json.member("fileByteCount", plan.outputByteCount)
    writeInterleaving(to: &json)
    writeTracks(to: &json)
    writeImportedTracks(to: &json)
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
    guard isDryRun else {
      json.memberNull("extents")
      json.memberNull("parts")
      return
    }
    json.objects("extents", of: plan.whole.extents) { write($0.range, from: $0.sourceRange, to: &$1) }
    json.objects("parts", of: plan.whole.parts(.s3)) { part, json in
      if case .copied(let source) = part.origin {
        write(part.range, from: source, to: &json)
      } else {
        write(part.range, from: nil, to: &json)
      }
    }
  }

  /// A run of the output, and where its bytes are from; `nil` for nowhere.
  private func write(_ range: ByteRange, from source: ByteRange?, to json: inout JSONWriter) {
    json.member("offset", range.offset)
    json.member("byteCount", range.count)
    let origin = source.map(origin)
    json.member("sourceFile", origin?.file)
    json.member("sourceOffset", origin?.offset)
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
    let tracks = builder.added.compactMap { added in builder.track(added).map { (added, $0) } }
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
    let tracks = builder.imported.compactMap { imported in builder.track(imported).map { (imported, $0) } }
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

  private func writeRemovedTracks(to json: inout JSONWriter) {
    json.objects("removedTracks", of: builder.removed) { removed, json in
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
    let tracks = builder.changed.compactMap { changed in builder.track(changed).map { (changed, $0) } }
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
    let facts = builder.facts.flatMap { fact in fact.identifiers.map { (fact, $0) } }
    json.objects("metadata", of: facts) { pair, json in
      let (fact, identifier) = pair
      json.member("action", fact.action.rawValue)
      json.member("identifier", identifier.description)
      json.member("track", fact.trackID)
    }
  }

  private func writeSharing(to json: inout JSONWriter) {
    json.objects("sharing", of: builder.sharing) { decision, json in
      json.member("subject", decision.subject)
      json.member("track", decision.trackID)
      json.member("stays", decision.stays)
      json.member("reason", decision.reason)
    }
  }

  private func writeFixes(to json: inout JSONWriter) {
    json.objects("fixed", of: builder.fixed) { fix, json in
      json.member("rule", fix.rule.id)
      json.member("track", fix.trackID)
      json.member("message", fix.message)
    }
    guard let remaining else { return json.memberNull("left") }
    json.object("left") { remaining.write(to: &$0) }
  }
}
