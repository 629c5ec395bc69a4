package import MovieBox

// Writes the report as JSON for `--json`. `Docs/json.md` documents every member.
extension MovieReport {
  /// Returns the report as JSON in UTF-8. It is the object that `movtool inspect --json` prints for a file, without fix
  /// commands for findings and without hints about errors. `Docs/json.md` documents the members.
  ///
  /// Unknown members are `null`. Members that require a pass over all chunks are also `null`, unless `hasLayout` is
  /// `true`.
  public func json(hasLayout: Bool = false) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      write(to: &json, hasLayout: hasLayout) { finding, json in
        finding.writeMembers(to: &json)
      } error: { error, json in
        Self.write(error, to: &json)
      }
    }
    return json.bytes
  }

  /// Writes the members of the file's object. `finding` and `error` write the members of their argument.
  package func write(
    to json: inout JSONWriter, hasLayout: Bool, finding writeFinding: (Finding, inout JSONWriter) -> Void,
    error writeError: (any Error, inout JSONWriter) -> Void
  ) {
    json.member("file", file)
    json.member("byteCount", layout?.identity.byteCount)
    json.member("dialect", movie.map { $0.dialect == .quickTime ? "quicktime" : "iso" })
    writeBrands(to: &json)
    json.member("timeScale", movie?.header.timeScale)
    json.member("duration", durationInMovieTicks)
    json.member("seconds", movie.flatMap { Self.seconds(durationInMovieTicks ?? 0, $0.header.timeScale) })
    json.member("startSeconds", start.map { Double($0.ticks) / Double($0.timeScale) })
    json.member("nextTrackID", movie?.header.nextTrackID)
    json.member("isFragmented", movie?.isFragmented)
    json.member("fragmentCount", layout.map { _ in fragmentCount })
    json.member("movieAtomPlace", movieAtomPlace?.rawValue)
    json.member("isMovieAtomCompressed", movie?.hasCompressedMovieAtom)
    json.objects("missingSamples", of: missingSamples) { missing, json in
      json.member("track", missing.trackID)
      json.member("startMilliseconds", missing.startMilliseconds)
      json.member("sampleCount", missing.sampleCount)
    }
    writeEditing(to: &json)
    writeAtoms(to: &json, hasLayout ? mediaUse : nil)
    json.object("interleaving", of: hasLayout ? interleaving : nil) { $0.write(to: &$1) }
    writeTracks(to: &json)
    writeGroups(to: &json)
    if let captionServices {
      json.member("captionServices", captionServices)
    } else {
      json.memberNull("captionServices")
    }
    json.objects("metadata", of: movie?.commonMetadata ?? []) { item, json in
      json.member("fact", item.identifier.common?.key)
      json.member("identifier", item.identifier.description)
      json.member("string", item.stringValue)
      json.member("language", item.language?.description)
      json.member("picture", item.dataValue.flatMap { PictureFormat($0)?.rawValue })
      json.member("byteCount", item.bytes.count)
    }
    writeRecording(to: &json)
    json.objects("findings", of: findings) { writeFinding($0, &$1) }
    json.object("error", of: error, writeError)
  }

  private static func write(_ error: any Error, to json: inout JSONWriter) {
    let (movie, file) = (error as? MovieError, error as? FileError)
    json.member("code", movie?.code.rawValue ?? file?.code.rawValue)
    json.member("path", movie.flatMap { $0.path.isEmpty ? nil : $0.path })
    json.member("offset", movie?.offset)
    json.member("message", movie?.reason ?? file?.reason ?? "\(error)")
    json.member("isTransient", movie?.code.isTransient ?? file?.code.isTransient ?? false)
  }

  /// Returns the 16 bytes of a user type in the notation of RFC 9562.
  package static func uuid(_ bytes: Bytes) -> String {
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { range in
      Hexadecimal.digits(of: bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
    }
    return groups.joined(separator: "-")
  }

  private static func seconds(_ ticks: UInt64, _ timeScale: UInt32) -> Double? {
    timeScale == 0 ? nil : Double(ticks) / Double(timeScale)
  }

  private func writeBrands(to json: inout JSONWriter) {
    guard let fileType else { return json.memberNull("brands") }
    json.object("brands") { json in
      json.member("major", fileType.majorBrand.description)
      json.member("minorVersion", fileType.minorVersion)
      json.member("compatible", fileType.compatibleBrands.map(\.description))
    }
  }

  private func writeRecording(to json: inout JSONWriter) {
    json.object("recorded", of: movie?.recording) { $0.write(to: &$1) }
  }

  private func writeEditing(to json: inout JSONWriter) {
    guard let editing else { return json.memberNull("editing") }
    json.object("editing") { json in
      json.member("isPossible", editing.refusal == nil)
      json.member("isInPlace", editing.refusal == nil && editing.inPlaceBlocker == nil && !editing.needsNewFile)
      json.member("needsNewFile", editing.needsNewFile)
      json.member("canSalvage", editing.canSalvage)
      json.member("reason", editing.refusal?.reason ?? editing.inPlaceBlocker)
    }
  }

  private func writeAtoms(to json: inout JSONWriter, _ use: MediaUse?) {
    guard let layout else { return json.memberNull("atoms") }
    json.objects("atoms", of: layout.atoms) { atom, json in
      let use = atom.type == "mdat" ? use : nil
      json.member("type", atom.type.description)
      json.member("offset", atom.range.offset)
      json.member("byteCount", atom.range.count)
      json.member("claimedByteCount", atom.claimedByteCount)
      json.member("uuid", atom.userType.map(Self.uuid))
      if let use { json.member("tracks", use.trackIDs(in: atom)) } else { json.memberNull("tracks") }
      json.member("unnamedByteCount", use?.unreferencedByteCount(in: atom))
    }
  }

  // MARK: - Tracks

  private func writeTracks(to json: inout JSONWriter) {
    guard let movie else { return json.memberNull("tracks") }
    let references = TrackReferences(movie)
    json.objects("tracks", of: movie.tracks.indices) { index, json in
      let track = movie.tracks[index]
      json.member("id", track.id)
      json.member("path", movie.tree.path(of: track.atom))
      Self.writeIdentity(of: track, in: movie, to: &json)
      Self.writeMedia(of: track, media[index], details[index], to: &json)
      Self.writeTimes(of: track, media[index], to: &json)
      json.objects("references", of: track.references) { Self.write($0.type, $0.trackIDs, to: &$1) }
      json.objects("referencedBy", of: references.incomingReferences(to: track)) {
        Self.write($0.type, $0.trackIDs, to: &$1)
      }
    }
  }

  private static func writeIdentity(of track: Track, in movie: Movie, to json: inout JSONWriter) {
    json.member("offset", movie.tree.range(of: track.atom).offset)
    json.member("kind", track.kindName)
    json.member("handler", track.handler?.handlerType.description)
    json.member("language", track.language?.description)
    json.member("languageName", track.language?.englishName)
    json.member("title", track.title)
    json.member("role", track.role(in: movie))
    json.member("isEnabled", track.isEnabled)
    json.member("isInMovie", track.header.isInMovie)
    json.member("alternateGroup", track.alternateGroup)
    json.member("layer", track.header.layer)
    json.member("isSDH", track.isSDH)
    json.member("isForcedOnly", track.containsOnlyForcedSubtitles)
    json.member("hasForcedSamples", track.containsSomeForcedSubtitles)
    json.member("isChapterList", movie.chapterTrackIDs.contains(track.id))
    json.member("characteristics", track.taggedCharacteristics.map(\.rawValue))
    json.objects("kinds", of: track.kinds) { kind, json in
      json.member("scheme", kind.schemeURI)
      json.member("value", kind.value)
    }
  }

  private static func writeMedia(
    of track: Track, _ media: TrackMedia, _ details: TrackDetails, to json: inout JSONWriter
  ) {
    json.member("formats", track.formats.map(\.description))
    json.member("width", details.displaySize?.width)
    json.member("height", details.displaySize?.height)
    json.member("codedWidth", details.codedSize?.width)
    json.member("codedHeight", details.codedSize?.height)
    json.member("channelCount", details.channelCount)
    json.member("sampleRate", details.sampleRate)
    json.member("sampleCount", media.sampleCount)
    json.member("chunkCount", media.chunkCount)
    json.member("hasExternalMedia", track.hasExternalMedia)
  }

  private static func writeTimes(of track: Track, _ media: TrackMedia, to json: inout JSONWriter) {
    json.member("duration", media.durationInMovieTicks)
    json.member("mediaTimeScale", track.mediaHeader.timeScale)
    json.member("mediaDuration", media.mediaDuration)
    json.member("presentationStart", media.presentationStart)
    guard let editList = track.editList else { return json.memberNull("edits") }
    json.objects("edits", of: editList.entries) { edit, json in
      json.member("duration", edit.segmentDuration)
      json.member("mediaTime", edit.mediaTime)
      json.member("rate", edit.mediaRate)
    }
  }

  private static func write(_ type: FourCC, _ trackIDs: [UInt32], to json: inout JSONWriter) {
    json.member("type", type.description)
    json.member("tracks", trackIDs.filter { $0 != 0 })
  }

  // MARK: - Menus

  private func writeGroups(to json: inout JSONWriter) {
    guard let movie else { return json.memberNull("selectionGroups") }
    json.objects("selectionGroups", of: movie.mediaSelectionGroups) { group, json in
      let defaultOption = group.defaultOption
      json.member("kind", group.kind.rawValue)
      json.member("alternateGroup", group.alternateGroup)
      json.member("allowsEmptySelection", group.allowsEmptySelection)
      json.member("defaultTrack", defaultOption?.trackID)
      json.objects("options", of: group.options) { option, json in
        json.member("track", option.trackID)
        json.member("name", option.displayName)
        json.member("language", option.language?.description)
        json.member("isDefault", option == defaultOption)
        json.member("forcedTrack", option.forcedPartner)
        json.member("obstacle", option.obstacle)
        json.member("characteristics", option.taggedCharacteristics.map(\.rawValue))
        json.member("inferredCharacteristics", option.inferredCharacteristics.map(\.rawValue))
      }
    }
  }
}

extension Finding {
  /// Writes the members of the finding's object that describe the defect.
  package func writeMembers(to json: inout JSONWriter) {
    json.member("rule", rule.id)
    json.member("severity", severity.rawValue)
    json.member("code", error.code.rawValue)
    json.member("path", error.path.isEmpty ? nil : error.path)
    json.member("offset", error.offset)
    json.member("message", error.reason)
  }
}

extension RecordedDate {
  /// Writes the members of the date's object.
  package func write(to json: inout JSONWriter) {
    json.member("date", header.date.description)
    json.member("path", header.path)
    json.member("track", header.trackID)
    json.member("isTagged", isTagged)
    json.member("contradictedBy", contradictingTag?.identifier.description)
    json.member("doubt", doubt)
  }
}

extension InterleavingDistance {
  /// Writes the members of the distance's object.
  package func write(to json: inout JSONWriter) {
    json.member("byteCount", byteCount)
    json.member("microseconds", microseconds)
    json.member("tracks", trackIDs)
  }
}

extension Track {
  /// The kind of media in one word.
  package var kindName: String { handler == nil ? "unknown" : mediaType.name }
}
