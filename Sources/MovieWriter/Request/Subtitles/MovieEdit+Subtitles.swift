package import MovieBox

extension MovieEdit {
  /// Adds subtitle tracks, puts them into groups, pairs forced-only tracks with full ones, and has them follow audio.
  ///
  /// Groups come before defaults, pairs before what follows, commentaries before other subtitles, whatever the order of
  /// the additions: a pair is found whichever of the two comes first. What languages say yields to what is asked for.
  /// All or nothing: where it throws, the edit is as it was. Throws ``SubtitleAddition/Conflict``, what adding a track
  /// throws, and what the additions' own functions throw.
  ///
  /// - Returns: what became of each addition, in their order.
  @discardableResult
  public mutating func addSubtitles(_ additions: [SubtitleAddition]) throws -> [AddedSubtitles] {
    var edit = self
    var added: [AddedSubtitles] = []
    for addition in additions { added.append(try edit.addTrack(for: addition, beside: added)) }
    try edit.place(Self.placements(additions, added))
    try edit.associate(additions, added)
    self = edit
    return added
  }

  /// Adds the track of one addition, with its role; where asked it takes the place of one like it. `added` are the
  /// tracks of the additions before it, which it does not replace.
  package mutating func addTrack(
    for addition: SubtitleAddition, beside added: [AddedSubtitles]
  ) throws -> AddedSubtitles {
    let id = try add(addition.input)
    guard tracks.first(where: { $0.id == id })?.shownCueCount != 0 else {
      throw SubtitleAddition.Conflict.noCueShown(trackID: id)
    }
    try setRole(addition.role, addition.input.mediaCharacteristics, ofNew: id)
    let like = try tracksLike(id)
    var replaced: UInt32?
    if addition.replacesTrackLike {
      let old = like.filter { other in !added.contains { $0.trackID == other } }
      guard old.count <= 1 else { throw SubtitleAddition.Conflict.severalToReplace(trackIDs: old) }
      if let old = old.first {
        try replace(old, with: id)
        replaced = old
      }
    }
    // After the other track is gone, from which the new one takes this over.
    if let isOn = addition.isSelectedAutomatically { try setExcludedFromAutomaticSelection(!isOn, of: id) }
    return AddedSubtitles(trackID: id, replacedTrackID: replaced, trackIDsLike: like.filter { $0 != replaced })
  }

  /// Gives a new track its role; the tags that it has stay beside those of the role.
  package mutating func setRole(
    _ role: TrackRole?, _ characteristics: [MediaCharacteristic], ofNew id: UInt32
  ) throws(MovieError) {
    guard let role else { return }
    try setRole(role, of: id)
    try addCharacteristics(characteristics, to: id)
    if role == .commentary { try setExcludedFromAutomaticSelection(true, of: id) }
  }

  /// Where the tracks of additions are to stand.
  package static func placements(_ additions: [SubtitleAddition], _ added: [AddedSubtitles]) -> [TrackPlacement] {
    let isAnyEnabled = additions.contains { $0.isEnabled == true }
    return zip(additions, added).map { addition, track in
      let yields = addition.yieldsAsDefault && addition.isEnabled != true && isAnyEnabled
      return TrackPlacement(
        trackID: track.trackID, isNew: true, alternateGroup: addition.alternateGroup, isEnabled: addition.isEnabled,
        isDefault: addition.isDefault && !yields)
    }
  }

  /// Pairs tracks that were added, and has them follow audio.
  package mutating func associate(_ additions: [SubtitleAddition], _ added: [AddedSubtitles]) throws {
    let pairs = zip(additions, added)
    let paired = Set(pairs.filter { $0.0.fullPartner != nil }.map(\.1.trackID))
    for (_, track) in pairs where !paired.contains(track.trackID) {
      try pairForcedSubtitles(track.trackID, keepingPairs: false, except: paired)
    }
    var requested: [RequestedReference] = []
    for (addition, track) in pairs {
      guard let fullPartner = addition.fullPartner else { continue }
      let full = tracks.filter {
        $0.id != track.trackID && $0.mediaType.isLegible && !$0.containsOnlyForcedSubtitles
      }
      let partner = try fullPartner(full)
      try associate(partner, with: track.trackID, .forcedSubtitlesOnly)
      requested.append(RequestedReference("forc", from: partner, to: track.trackID, for: track.trackID))
      try requireAll(requested)
    }
    // Sound of a commentary is for its own subtitles first.
    let commentaries = Set(tracks.filter { $0.taggedCharacteristics.contains(.auxiliaryContent) }.map(\.id))
    for isCommentary in [true, false] {
      for (addition, track) in pairs where commentaries.contains(track.trackID) == isCommentary {
        switch addition.follow {
        case .nothing: break
        case .audioOfItsLanguage: try followAudio(track.trackID)
        case .audio(let choose):
          let leader = try choose(tracks.filter { $0.mediaType == .audio })
          let follower = try link(leader, to: track.trackID, .selectionFollower)
          requested.append(RequestedReference("folw", from: leader, to: follower, for: track.trackID))
          try requireAll(requested)
        }
      }
    }
  }

  /// A reference that is asked for.
  package struct RequestedReference {
    package let type: FourCC
    package let from: UInt32
    let to: UInt32
    /// The track that it is asked for; `to` may be its forced-only partner, which then follows the sound in its place.
    let trackID: UInt32

    package init(_ type: FourCC, from: UInt32, to: UInt32, for trackID: UInt32) {
      (self.type, self.from, self.to, self.trackID) = (type, from, to, trackID)
    }
  }

  /// The index of the first of some references that were made and are no longer there: what was made later undid it.
  package func firstUndone(of requested: [RequestedReference]) -> Int? {
    requested.firstIndex { one in
      !(tracks.first { $0.id == one.from }?.references[one.type] ?? []).contains(one.to)
    }
  }

  /// Refuses what was done last where it undid a reference that was asked for.
  private func requireAll(_ requested: [RequestedReference]) throws {
    guard let undone = firstUndone(of: requested).map({ requested[$0] }) else { return }
    let last = requested.last { $0.type == undone.type && $0.from == undone.from }
    throw SubtitleAddition.Conflict.references(
      undone.type, from: undone.from, to: [undone.trackID, last?.trackID ?? undone.trackID])
  }
}
