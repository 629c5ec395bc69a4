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
    json.member("road", plan.isInPlace ? "in-place" : "new-file")  // The name that schema 1 had.
    json.member("reason", plan.reason)
    json.object("conversion", of: builder.oldType) { old, json in
      json.member("from", old.rawValue)
      json.member("to", builder.edit.movie.type.rawValue)
    }
    json.member("bytesWritten", report?.bytesWritten ?? 0)
    json.member("bytesGenerated", plan.generatedByteCount)
    json.member("bytesCopied", plan.copiedByteCount)
    json.member("bytesCloned", report?.bytesCloned ?? 0)
    for name in ["bytesUnused", "bytesDead"] {  // The second is the name that schema 1 had.
      json.member(name, plan.unusedByteCount)
    }
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
    builder.chapters.write(to: &json)
    writeSharing(to: &json)
    writeFixes(to: &json)
    json.array("notes") { json in
      for note in notes {
        json.object { json in
          json.member("code", note.kind.rawValue)
          json.member("track", note.trackID)
          json.member("message", note.message)
        }
      }
      for line in notesAfterWriting {
        json.object { json in
          json.member("code", "replaced-file")
          json.memberNull("track")
          json.member("message", line)
        }
      }
    }
    json.array("warnings") { json in for warning in warnings { json.object { warning.write(to: &$0) } } }
    guard isDryRun else {
      json.memberNull("extents")
      json.memberNull("parts")
      return
    }
    json.array("extents") { json in
      for extent in plan.whole.extents { write(extent.range, from: extent.sourceRange, to: &json) }
    }
    json.array("parts") { json in
      for part in plan.whole.parts(.s3) {
        if case .copied(let source) = part.origin {
          write(part.range, from: source, to: &json)
        } else {
          write(part.range, from: nil, to: &json)
        }
      }
    }
  }

  /// A run of the output, and where its bytes are from; `nil` for nowhere.
  private func write(_ range: ByteRange, from source: ByteRange?, to json: inout JSONWriter) {
    json.object { json in
      json.member("offset", range.offset)
      json.member("byteCount", range.count)
      let origin = source.map(origin)
      json.member("sourceFile", origin?.file)
      json.member("sourceOffset", origin?.offset)
    }
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
    json.array("tracks") { json in
      for added in builder.added {
        guard let track = builder.track(added) else { continue }
        json.object { json in
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
          Self.write("followedAudioTracks", referrers("folw", to: track.id), to: &json)
          Self.write("fullTracks", referrers("forc", to: track.id), to: &json)
          Self.write("regularTracks", referrers("forc", to: track.id), to: &json)  // In schema 1.
          json.member("forcedTrack", track.references["forc"]?.first)
        }
      }
    }
  }

  private func writeImportedTracks(to json: inout JSONWriter) {
    json.array("importedTracks") { json in
      for imported in builder.imported {
        guard let track = builder.track(imported) else { continue }
        json.object { json in
          json.member("id", track.id)
          json.member("file", imported.file)
          json.member("sourceTrack", imported.oldTrackID)
          json.member("kind", track.mediaType.name)
          json.member("language", track.language?.description)
          json.member("title", track.title)
          json.member("isDefault", track.isEnabled)
          json.member("alternateGroup", track.alternateGroup)
          json.member("characteristics", track.taggedCharacteristics.map(\.rawValue))
          Self.write("followedAudioTracks", referrers("folw", to: track.id), to: &json)
          Self.write("chapteredTracks", referrers("chap", to: track.id), to: &json)
        }
      }
    }
  }

  private func writeRemovedTracks(to json: inout JSONWriter) {
    json.array("removedTracks") { json in
      for removed in builder.removed {
        json.object { json in
          json.member("id", removed.track.id)
          json.member("kind", removed.track.mediaType.name)
          json.member("language", removed.track.language?.description)
          json.array("references") { json in
            for reference in removed.references {
              json.object { json in
                json.member("type", reference.type.description)
                json.member("track", reference.trackID)
              }
            }
          }
        }
      }
    }
  }

  private func writeRetimedTracks(to json: inout JSONWriter) {
    json.array("retimedTracks") { json in
      for retimed in builder.retimed {
        guard let track = builder.edit.tracks.first(where: { $0.id == retimed.trackID }) else { continue }
        json.object { json in
          json.member("id", track.id)
          json.member("oldTrack", retimed.old.id)
          json.member("language", track.language?.description)
          json.member("shownCueCount", track.shownCueCount)
        }
      }
    }
  }

  private func writeChangedTracks(to json: inout JSONWriter) {
    json.array("changedTracks") { json in
      for changed in builder.changed {
        guard let track = builder.track(changed) else { continue }
        json.object { json in
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
    }
  }

  private func writeLinks(to json: inout JSONWriter) {
    json.array("links") { json in
      for link in builder.links {
        json.object { json in
          json.member("type", link.type.description)
          json.member("track", link.trackID)
          json.member("target", link.target)
          json.member("isRemoved", link.isRemoved)
        }
      }
    }
  }

  private func writeFacts(to json: inout JSONWriter) {
    json.array("metadata") { json in
      for fact in builder.facts {
        for identifier in fact.identifiers {
          json.object { json in
            json.member("action", fact.action.rawValue)
            json.member("identifier", identifier.description)
            json.member("track", fact.trackID)
          }
        }
      }
    }
  }

  private func writeSharing(to json: inout JSONWriter) {
    json.array("sharing") { json in
      for decision in builder.sharing {
        json.object { json in
          json.member("subject", decision.subject)
          json.member("track", decision.trackID)
          json.member("stays", decision.stays)
          json.member("reason", decision.reason)
        }
      }
    }
  }

  private func writeFixes(to json: inout JSONWriter) {
    for name in ["fixed", "mended"] {  // The second is the name that schema 1 had.
      json.array(name) { json in
        for fix in builder.fixed {
          json.object { json in
            json.member("rule", fix.rule.id)
            json.member("track", fix.trackID)
            json.member("message", fix.message)
          }
        }
      }
    }
    guard let remaining else { return json.memberNull("left") }
    json.object("left") { remaining.write(to: &$0) }
  }

  private static func write(_ name: String, _ ids: [UInt32], to json: inout JSONWriter) {
    json.array(name) { json in for id in ids { json.value(id) } }
  }
}
