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
    try addSubtitles(additions) { error, _, _ in error }
  }

  /// The same; `explain` gives what is thrown in the place of an error. It gets the edit as it was left, and what became
  /// of the additions before the one that is to blame, of all when it is none of one alone.
  package mutating func addSubtitles(
    _ additions: [SubtitleAddition], explain: (any Error, MovieEdit, [AddedSubtitles]) -> any Error
  ) throws -> [AddedSubtitles] {
    var edit = self
    var added: [AddedSubtitles] = []
    do {
      for addition in additions { added.append(try edit.addTrack(for: addition, beside: added)) }
      let pairs = zip(additions, added).filter(\.1.isAdded)
      try edit.arrange(pairs.map(\.0), pairs.map(\.1.trackID))
    } catch {
      throw explain(error, edit, added)
    }
    self = edit
    return added
  }

  /// Adds the track of one addition, with its role; what becomes of it beside one like it, the addition says. `added`
  /// are the tracks of the additions before it, which it does not replace.
  private mutating func addTrack(
    for addition: SubtitleAddition, beside added: [AddedSubtitles]
  ) throws -> AddedSubtitles {
    let before = self
    var input = addition.input
    if let role = addition.role { input.containsOnlyForcedSubtitles = role == .forced }  // So that it is encoded once.
    let id = try add(input)
    guard tracks.first(where: { $0.id == id })?.shownCueCount != 0 else {
      throw SubtitleAddition.Conflict.noCueShown(trackID: id)
    }
    try setRole(of: addition, id)
    let like = try tracksLike(id)
    let old = like.filter { other in !added.contains { $0.trackID == other && $0.isAdded } }
    var replaced: UInt32?
    switch addition.trackLike {
    case .stays: break
    case .isPreferred:
      if let first = old.first {
        self = before
        return AddedSubtitles(trackID: first, isAdded: false, replacedTrackID: nil, trackIDsLike: [])
      }
    case .isReplaced:
      guard old.count <= 1 else { throw SubtitleAddition.Conflict.severalToReplace(trackIDs: old) }
      if let old = old.first { try replace(old, with: id) }
      replaced = old.first
    }
    // After the other track is gone, from which the new one takes this over.
    try setSelection(of: addition, id)
    return AddedSubtitles(
      trackID: id, isAdded: true, replacedTrackID: replaced, trackIDsLike: like.filter { $0 != replaced })
  }
}

/// A track that is to be added, as it is to stand among those of its kind.
protocol TrackAddition {
  /// The tags that it is to have beside those of its role.
  var mediaCharacteristics: [MediaCharacteristic] { get }
  var role: TrackRole? { get }
  var alternateGroup: UInt16? { get }
  var isEnabled: Bool? { get }
  var becomesDefault: Bool { get }
  /// Whether it becomes that only where no other addition is to be enabled.
  var yieldsAsDefault: Bool { get }
  var isSelectedAutomatically: Bool? { get }
  var follow: SubtitleAddition.Follow { get }
  var fullPartner: (@Sendable ([EditedTrack]) throws -> UInt32)? { get }
}

extension MovieEdit {
  /// Gives a new track the role that is asked for; the tags that it has stay beside those of the role.
  mutating func setRole(of addition: some TrackAddition, _ id: UInt32) throws(MovieError) {
    guard let role = addition.role else { return }
    try setRole(role, of: id)
    try addCharacteristics(addition.mediaCharacteristics, to: id)
    if role == .commentary { try setExcludedFromAutomaticSelection(true, of: id) }
  }

  /// Says of a new track whether players may choose it by themselves, where that is asked for.
  mutating func setSelection(of addition: some TrackAddition, _ id: UInt32) throws(MovieError) {
    if let isOn = addition.isSelectedAutomatically { try setExcludedFromAutomaticSelection(!isOn, of: id) }
  }

  /// Puts new tracks into groups, enables those that are to be, and associates subtitles; `ids` are the additions'.
  mutating func arrange<Addition: TrackAddition>(_ additions: [Addition], _ ids: [UInt32]) throws {
    let isAnyEnabled = additions.contains { $0.isEnabled == true }
    try place(
      zip(additions, ids).map { addition, id in
        let yields = addition.yieldsAsDefault && addition.isEnabled != true && isAnyEnabled
        return TrackPlacement(
          trackID: id, isNew: true, alternateGroup: addition.alternateGroup, isEnabled: addition.isEnabled,
          isDefault: addition.becomesDefault && !yields)
      })
    let chapters = tracks.chapterTrackIDs
    let subtitles = Set(tracks.filter { $0.holdsSubtitles(butNot: chapters) }.map(\.id))
    var added: [(addition: Addition, id: UInt32)] = []
    for (addition, id) in zip(additions, ids) where subtitles.contains(id) { added.append((addition, id)) }
    try associate(added)
  }

  /// Pairs subtitles that were added, and has them follow audio.
  private mutating func associate(_ added: [(addition: some TrackAddition, id: UInt32)]) throws {
    let paired = Set(added.filter { $0.addition.fullPartner != nil }.map(\.id))
    for (_, id) in added where !paired.contains(id) {
      try pairForcedSubtitles(id, except: paired)
    }
    var requested: [RequestedReference] = []
    for (addition, id) in added {
      guard let fullPartner = addition.fullPartner else { continue }
      let full = tracks.filter { $0.id != id && $0.mediaType.isLegible && !$0.containsOnlyForcedSubtitles }
      let partner = try fullPartner(full)
      try link(partner, to: id, .forcedSubtitlesOnly)
      requested.append(RequestedReference("forc", from: partner, to: id, for: id))
      try requireAll(requested)
    }
    // Sound of a commentary is for its own subtitles first.
    let commentaries = Set(tracks.filter(\.isAuxiliary).map(\.id))
    var silent: [WithoutAudio] = []
    for isCommentary in [true, false] {
      for (addition, id) in added where commentaries.contains(id) == isCommentary {
        switch addition.follow {
        case .nothing: break
        case .audioOfItsLanguage:
          var audio = FollowedAudio(among: tracks)
          silent += try followAudio([try index(of: id)], &audio)
        case .audio(let choose):
          let leader = try choose(tracks.filter { $0.mediaType == .audio })
          let follower = try link(leader, to: id, .selectionFollower)
          requested.append(RequestedReference("folw", from: leader, to: follower, for: id))
          try requireAll(requested)
        }
      }
    }
    note(silent.sorted { $0.trackID < $1.trackID })
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
