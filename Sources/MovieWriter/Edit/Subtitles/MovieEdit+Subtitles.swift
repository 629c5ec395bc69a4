public import MovieBox

extension MovieEdit {
  /// Adds a subtitle track, as ``addSubtitles(_:)-([SubtitleInput])`` does for several.
  @discardableResult
  public mutating func addSubtitles(_ input: SubtitleInput) throws -> AddedSubtitles {
    var edit = self
    let added = try edit.addTrack(for: input, beside: [])
    if added.isAdded { try edit.arrange([input], [added.trackID]) }
    self = edit
    return added
  }

  /// Adds subtitle tracks, puts them into groups, pairs forced-only tracks with full ones, and has them follow audio.
  ///
  /// The order of the inputs does not matter: groups come before defaults, pairs before followed audio, and commentaries
  /// before other subtitles. Requests take precedence over the rules for languages. If the function throws, the edit is
  /// unchanged. Throws ``Conflict``, ``/Subtitles/SubtitleError`` for cues that cannot be encoded, and
  /// ``/MovieBox/MovieError`` for a tag that may not be written, for a movie that is too long, for WebVTT in a QuickTime
  /// movie, and for tracks that cannot be grouped or linked as requested.
  ///
  /// - Returns: the result for each input, in the order of the inputs.
  @discardableResult
  public mutating func addSubtitles(_ inputs: [SubtitleInput]) throws -> [AddedSubtitles] {
    try addSubtitles(inputs) { error, _, _ in error }
  }

  /// Does the same, with two functions of the caller.
  ///
  /// - Parameters:
  ///   - fullTrack: returns the ID of the full track for the forced-only track of the input with an index, or `nil` for
  ///     ``SubtitleInput/fullTrackID``. It is called with the subtitles that are not forced-only, once all tracks are
  ///     added.
  ///   - explain: returns the error to throw instead of another. It is called with the edit at the failure and with the
  ///     results for the inputs before the rejected one, or for all inputs if no single one is rejected.
  package mutating func addSubtitles(
    _ inputs: [SubtitleInput], fullTrack: (Int, [EditedTrack]) throws -> UInt32? = { _, _ in nil },
    explain: (any Error, MovieEdit, [AddedSubtitles]) -> any Error
  ) throws -> [AddedSubtitles] {
    var edit = self
    var added: [AddedSubtitles] = []
    do {
      for input in inputs { added.append(try edit.addTrack(for: input, beside: added)) }
      let places = inputs.indices.filter { added[$0].isAdded }
      try edit.arrange(places.map { inputs[$0] }, places.map { added[$0].trackID }) { try fullTrack(places[$0], $1) }
    } catch {
      throw explain(error, edit, added)
    }
    self = edit
    return added
  }

  /// Adds the track of one input with its role, by the policy of the input for existing tracks. `added` are the results
  /// for the inputs before, whose tracks it does not replace.
  private mutating func addTrack(
    for input: SubtitleInput, beside added: [AddedSubtitles]
  ) throws -> AddedSubtitles {
    let before = self
    var encoded = input
    if let role = input.role { encoded.containsOnlyForcedSubtitles = role == .forced }  // Encode the cues only once.
    let id = try add(encoded)
    guard tracks.first(where: { $0.id == id })?.shownCueCount != 0 else {
      throw Conflict.noCueShown(trackID: id)
    }
    try setRole(of: input, id)
    let matches = try tracks(matching: id)
    let existing = matches.filter { other in !added.contains { $0.trackID == other && $0.isAdded } }
    var replaced: UInt32?
    switch input.existingTrackPolicy {
    case .keep: break
    case .skip:
      if let first = existing.first {
        self = before
        return AddedSubtitles(trackID: first, isAdded: false, replacedTrackID: nil, matchingTrackIDs: [])
      }
    case .replace:
      guard existing.count <= 1 else { throw Conflict.severalToReplace(trackIDs: existing) }
      if let old = existing.first { try replace(old, with: id) }
      replaced = existing.first
    }
    // The replaced track passes its own setting on, which the request overrides.
    try setSelection(of: input, id)
    return AddedSubtitles(
      trackID: id, isAdded: true, replacedTrackID: replaced, matchingTrackIDs: matches.filter { $0 != replaced })
  }

  /// The result of adding a ``SubtitleInput``.
  public struct AddedSubtitles: Hashable, Sendable {
    /// The ID of the new track, or of the existing track if none was added.
    public let trackID: UInt32
    /// Whether a track was added: see ``SubtitleInput/ExistingTrackPolicy/skip``.
    public let isAdded: Bool
    /// The ID of the track that the new one replaced, or `nil` for none.
    public let replacedTrackID: UInt32?
    /// The IDs of the other tracks with the same language and role, which a viewer cannot distinguish from this one.
    public let matchingTrackIDs: [UInt32]
  }

  /// A conflict between requests.
  public enum Conflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// No cue would be shown: all cues begin after the end of the movie, or before its start.
    case noCueShown(trackID: UInt32)
    /// A track is to be replaced, and several have the language and role.
    case severalToReplace(trackIDs: [UInt32])
    /// Two tracks of a group are to be enabled.
    case enabledTwice(trackIDs: [UInt32], group: UInt16)
    /// A track is to refer to two others, and can refer to one.
    case references(FourCC, from: UInt32, to: [UInt32])

    /// A sentence with the IDs of the tracks.
    public var description: String {
      func list(_ ids: [UInt32]) -> String { ids.map(String.init).joined(separator: " and ") }
      return switch self {
      case .noCueShown: "none of the cues is shown: they lie outside of the movie"
      case .severalToReplace(let ids): "several tracks have the language and role of the new one: \(list(ids))"
      case .enabledTwice(let ids, let group): "tracks \(list(ids)) are both to be enabled in group \(group)"
      case .references(let type, let id, let targets):
        "track \(id) cannot refer (\(type)) to tracks \(list(targets)) both"
      }
    }
  }
}

/// The part of an input that places a new track among those of its kind.
protocol NewTrackInput {
  /// The tags of the track beside those of its role.
  var mediaCharacteristics: [MediaCharacteristic] { get }
  var role: TrackRole? { get }
  var alternateGroup: UInt16? { get }
  var isEnabled: Bool? { get }
  var becomesDefault: Bool { get }
  /// Whether the track becomes the default only if no other input is to be enabled.
  var yieldsAsDefault: Bool { get }
  var isSelectedAutomatically: Bool? { get }
  var follow: SubtitleInput.Follow { get }
  var fullTrackID: UInt32? { get }
}

extension MovieEdit {
  /// Gives a new track the role that is asked for; the tags that it has stay beside those of the role.
  mutating func setRole(of input: some NewTrackInput, _ id: UInt32) throws(MovieError) {
    guard let role = input.role else { return }
    try setRole(role, of: id)
    try addCharacteristics(input.mediaCharacteristics, to: id)
    if role == .commentary { try setExcludedFromAutomaticSelection(true, of: id) }
  }

  /// Says of a new track whether players may choose it by themselves, where that is asked for.
  mutating func setSelection(of input: some NewTrackInput, _ id: UInt32) throws(MovieError) {
    if let isOn = input.isSelectedAutomatically { try setExcludedFromAutomaticSelection(!isOn, of: id) }
  }

  /// Puts new tracks into groups, enables tracks, and associates subtitles; `ids` belong to the inputs.
  mutating func arrange<Input: NewTrackInput>(
    _ inputs: [Input], _ ids: [UInt32], fullTrack: (Int, [EditedTrack]) throws -> UInt32? = { _, _ in nil }
  ) throws {
    let isAnyEnabled = inputs.contains { $0.isEnabled == true }
    try place(
      zip(inputs, ids).map { input, id in
        let yields = input.yieldsAsDefault && input.isEnabled != true && isAnyEnabled
        return TrackPlacement(
          trackID: id, isNew: true, alternateGroup: input.alternateGroup, isEnabled: input.isEnabled,
          isDefault: input.becomesDefault && !yields)
      })
    let chapters = tracks.chapterTrackIDs
    let subtitles = Set(tracks.filter { $0.holdsSubtitles(butNot: chapters) }.map(\.id))
    var added: [(input: Input, id: UInt32, fullTrackID: UInt32?)] = []
    for (index, (input, id)) in zip(inputs, ids).enumerated() where subtitles.contains(id) {
      let full = tracks.filter { $0.id != id && $0.mediaType.isLegible && !$0.containsOnlyForcedSubtitles }
      added.append((input, id, try fullTrack(index, full) ?? input.fullTrackID))
    }
    try associate(added)
  }

  /// Pairs new subtitles, and has them follow audio.
  private mutating func associate(_ added: [(input: some NewTrackInput, id: UInt32, fullTrackID: UInt32?)]) throws {
    let paired = Set(added.filter { $0.fullTrackID != nil }.map(\.id))
    for (_, id, _) in added where !paired.contains(id) {
      try pairForcedSubtitles(id, except: paired)
    }
    var requested: [RequestedReference] = []
    for (_, id, fullTrackID) in added {
      guard let fullTrackID else { continue }
      try link(fullTrackID, to: id, .forcedSubtitlesOnly)
      requested.append(RequestedReference("forc", from: fullTrackID, to: id, for: id))
      try requireAll(requested)
    }
    // The audio of a commentary is for its own subtitles first.
    let commentaries = Set(tracks.filter(\.isAuxiliary).map(\.id))
    var silent: [WithoutAudio] = []
    for isCommentary in [true, false] {
      for (input, id, _) in added where commentaries.contains(id) == isCommentary {
        switch input.follow {
        case .nothing: break
        case .automatic:
          var audio = FollowedAudio(among: tracks)
          silent += try followAudio([try index(of: id)], &audio)
        case .tracks(let leaders):
          for leader in leaders {
            let follower = try link(leader, to: id, .selectionFollower)
            requested.append(RequestedReference("folw", from: leader, to: follower, for: id))
            try requireAll(requested)
          }
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
    throw Conflict.references(
      undone.type, from: undone.from, to: [undone.trackID, last?.trackID ?? undone.trackID])
  }
}
