import MovieBox
import MovieWriter

extension EditBuilder {
  /// A track that `set` changes, in its state before the edit.
  struct ChangedTrack {
    let old: EditedTrack
  }

  /// A reference that the edit adds or removes.
  struct Link: Hashable {
    let type: FourCC
    /// The ID of the track that contains the reference.
    let trackID: UInt32
    /// The ID of the referenced track.
    let target: UInt32
    let isRemoved: Bool
  }

  /// Applies the requested changes. Selectors refer to the movie before the edit.
  mutating func change(_ requests: [TrackChanges]) throws {
    try editing { builder in
      var chosen: [(id: UInt32, request: TrackChanges)] = []
      for request in requests {
        let track = try request.track.track(among: builder.edit.tracks, kind: "track", option: "track")
        for other in chosen where other.id == track.id { try request.requireAgreement(with: other.request, track.id) }
        if !chosen.contains(where: { $0.id == track.id }) { builder.changedTracks.append(ChangedTrack(old: track)) }
        chosen.append((track.id, request))
      }
      for (id, request) in chosen {
        try builder.applyLabels(id, request)
        if let warning = Warning(unregistered: request.language, builder.movie, trackID: id) {
          builder.warnings.append(warning)
        }
      }
      do {
        try builder.edit.place(
          chosen.map { id, request in
            TrackPlacement(
              trackID: id, alternateGroup: request.alternateGroup, isEnabled: request.isEnabled,
              isDefault: request.becomesDefault)
          })
      } catch {
        throw Self.explanation(
          of: error, about: builder.movie,
          placing: chosen.map { id, request in
            EnabledFlagRequest(
              trackID: id, subject: request.track.text, isEnabled: request.isEnabled, isDefault: request.becomesDefault)
          })
      }
      for (id, request) in chosen where request.becomesDefault {
        let isForced = builder.edit.tracks.first { $0.id == id }?.containsOnlyForcedSubtitles == true
        if isForced { builder.warnings.append(SubtitleRequest.forcedDefault(builder.movie)) }
      }
    }
  }

  private mutating func applyLabels(_ id: UInt32, _ request: TrackChanges) throws(MovieError) {
    if let role = request.role { try edit.setRole(role, of: id) }
    try edit.removeCharacteristics(request.removedCharacteristics, from: id)
    try edit.addCharacteristics(request.addedCharacteristics, to: id)
    if let isOn = request.isSelectedAutomatically { try edit.setExcludedFromAutomaticSelection(!isOn, of: id) }
    if let language = request.language { try edit.setLanguage(language, of: id) }
    if let title = request.title { try edit.setTitle(title.isEmpty ? nil : title, of: id) }
  }

  /// Adds and removes references. The order of the options does not matter. References are removed first. Then forced
  /// subtitles are linked to full subtitles, other requested references are added, and audio is linked to subtitles in
  /// its language.
  mutating func link(_ requests: [LinkRequest], byLanguage: Bool) throws {
    let before = edit.tracks
    try editing { builder in
      try builder.requireNoneAddedAndRemoved(requests)
      func rank(_ request: LinkRequest) -> Int {
        request.association == nil ? 0 : request.association == .forcedSubtitlesOnly ? 1 : 2
      }
      for request in [0, 1, 2].flatMap({ step in requests.filter { rank($0) == step } }) {
        let (referrer, target) = try request.tracks(among: builder.edit.tracks)
        if let association = request.association {
          let named = try builder.edit.link(referrer.id, to: target.id, association)
          try builder.keep(
            ReferenceRequest(
              reference: .init(association.rawValue, from: referrer.id, to: named, for: referrer.id),
              description: request.description))
        } else {
          try builder.edit.unlink(referrer.id, from: target.id)
          try builder.requireRequestedReferences(after: request.description)
        }
      }
      if byLanguage { try builder.edit.linkByLanguage() }
    }
    for (old, new) in zip(before, edit.tracks) {
      for type in Set(old.references.keys).union(new.references.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
        let (was, now) = (old.references[type] ?? [], new.references[type] ?? [])
        for id in was where !now.contains(id) {
          links.append(Link(type: type, trackID: new.id, target: id, isRemoved: true))
        }
        for id in now where !was.contains(id) {
          links.append(Link(type: type, trackID: new.id, target: id, isRemoved: false))
        }
      }
    }
  }

  private func requireNoneAddedAndRemoved(_ requests: [LinkRequest]) throws(UsageError) {
    var cleared: [[UInt32]: String] = [:]
    for request in requests where request.association == nil {
      let (referrer, target) = try request.tracks(among: edit.tracks)
      cleared[[referrer.id, target.id]] = request.description
    }
    for request in requests where request.association != nil && !cleared.isEmpty {
      let (referrer, target) = try request.tracks(among: edit.tracks)
      guard let description = cleared[[referrer.id, target.id]] else { continue }
      throw UsageError.contradiction(description, request.description, "one change undoes the other")
    }
  }

  /// Calls `body`. If it fails because the movie's tracks do not allow a change, throws an error of the command line.
  mutating func editing(_ body: (inout EditBuilder) throws -> Void) throws {
    do {
      try body(&self)
    } catch {
      throw Self.explanation(of: error, about: movie)
    }
  }

  /// Returns the state of a changed track after the edit.
  func track(_ changed: ChangedTrack) -> EditedTrack? {
    edit.tracks.first { $0.id == changed.old.id }
  }
}

extension EditBuilder.ChangedTrack {
  /// Returns the changed properties. Each has the name that JSON uses and a description for the text output.
  func changes(to new: EditedTrack) -> [(name: String, description: String)] {
    var changes: [(name: String, description: String)] = []
    if new.language != old.language {
      let was = old.language?.description ?? "und"
      changes.append(("language", "language \(new.language?.description ?? "und") (was \(was))"))
    }
    if new.title != old.title {
      changes.append(("title", new.title.map { "title \"\($0)\"" } ?? "no title"))
    }
    let (oldTags, newTags) = (old.taggedCharacteristics, new.taggedCharacteristics)
    if oldTags != newTags {
      let signed = oldTags.filter { !newTags.contains($0) }.map { "-" + $0.rawValue }
      let all = signed + newTags.filter { !oldTags.contains($0) }.map { "+" + $0.rawValue }
      changes.append(("characteristics", all.joined(separator: ", ")))
    }
    if new.containsOnlyForcedSubtitles != old.containsOnlyForcedSubtitles {
      changes.append(("isForcedOnly", new.containsOnlyForcedSubtitles ? "forced only" : "no longer forced only"))
    }
    if new.isExcludedFromAutomaticSelection != old.isExcludedFromAutomaticSelection {
      let description =
        new.isExcludedFromAutomaticSelection ? "selected only by viewers" : "selected automatically by players"
      changes.append(("isSelectedAutomatically", description))
    }
    if new.alternateGroup != old.alternateGroup {
      changes.append(
        ("alternateGroup", "\(new.groupName) (was \(old.alternateGroup == 0 ? "none" : "\(old.alternateGroup)"))"))
    }
    if new.isEnabled != old.isEnabled { changes.append(("isEnabled", new.isEnabled ? "enabled" : "disabled")) }
    return changes
  }
}
