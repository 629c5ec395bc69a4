public import MovieBox

extension MovieEdit {
  /// Adds a subtitle track; see ``addSubtitles(_:)-([SubtitleInput])``.
  @discardableResult
  public mutating func addSubtitles(_ input: SubtitleInput) throws -> AddedSubtitles {
    var edit = self
    let addedTrack = try edit.addTrack(for: input, beside: [])
    if addedTrack.isAdded { try edit.arrange([input], [addedTrack.trackID]) }
    self = edit
    return addedTrack
  }

  /// Adds subtitle tracks, adds them to groups, pairs forced-only tracks with full tracks, and makes the tracks follow
  /// audio.
  ///
  /// The order of the inputs does not matter, because the edit sets groups before defaults, pairs before followed audio,
  /// and commentaries before other subtitles. Requests take precedence over the rules for languages. If the function
  /// throws, the edit is unchanged. Throws ``Conflict``, ``/Subtitles/SubtitleError`` for cues that cannot be encoded,
  /// and ``/MovieBox/MovieError`` for a tag that may not be written, for a movie that is too long, for WebVTT in a
  /// QuickTime movie, and for tracks that cannot be grouped or linked as requested.
  ///
  /// - Returns: the result for each input, in the order of the inputs.
  @discardableResult
  public mutating func addSubtitles(_ inputs: [SubtitleInput]) throws -> [AddedSubtitles] {
    try addSubtitles(inputs) { error, _, _ in error }
  }

  /// Adds subtitle tracks and calls two functions of the caller.
  ///
  /// - Parameters:
  ///   - fullTrack: returns the ID of the full track for the forced-only track of the input at an index, or `nil` to
  ///     use ``SubtitleInput/fullTrackID``. It is called with the subtitles that are not forced-only, after all tracks
  ///     are added.
  ///   - explain: returns the error to throw instead of another error. It is called with the edit at the failure, and
  ///     with the results for the inputs before the rejected input. If no single input is rejected, it is called with the
  ///     results for all inputs.
  package mutating func addSubtitles(
    _ inputs: [SubtitleInput], fullTrack: (Int, [EditedTrack]) throws -> UInt32? = { _, _ in nil },
    explain: (any Error, MovieEdit, [AddedSubtitles]) -> any Error
  ) throws -> [AddedSubtitles] {
    var edit = self
    var added: [AddedSubtitles] = []
    do {
      for input in inputs { added.append(try edit.addTrack(for: input, beside: added)) }
      let addedIndices = inputs.indices.filter { added[$0].isAdded }
      try edit.arrange(addedIndices.map { inputs[$0] }, addedIndices.map { added[$0].trackID }) {
        try fullTrack(addedIndices[$0], $1)
      }
    } catch {
      throw explain(error, edit, added)
    }
    self = edit
    return added
  }

  /// Adds the track of one input with its role, applying the input's policy for existing tracks. `added` contains the
  /// results for the previous inputs, whose tracks are not replaced.
  private mutating func addTrack(
    for input: SubtitleInput, beside added: [AddedSubtitles]
  ) throws -> AddedSubtitles {
    let unchangedEdit = self
    var encoded = input
    if let role = input.role { encoded.containsOnlyForcedSubtitles = role == .forced }  // Encode the cues only once.
    let id = try add(encoded)
    guard tracks.first(where: { $0.id == id })?.shownCueCount != 0 else {
      throw Conflict.noCueShown(trackID: id)
    }
    try setRole(of: input, id)
    if input.format == .captions { try referToCaptions(id) }
    let matches = try tracks(matching: id)
    let existing = matches.filter { other in !added.contains { $0.trackID == other && $0.isAdded } }
    var replacedID: UInt32?
    switch input.existingTrackPolicy {
    case .keep: break
    case .skip:
      if let first = existing.first {
        self = unchangedEdit
        return AddedSubtitles(trackID: first, isAdded: false, replacedTrackID: nil, matchingTrackIDs: [])
      }
    case .replace:
      guard existing.count <= 1 else { throw Conflict.severalToReplace(trackIDs: existing) }
      if let old = existing.first { try replace(old, with: id) }
      replacedID = existing.first
    }
    // The new track inherits the setting of the replaced track, but the request overrides it.
    try setSelection(of: input, id)
    return AddedSubtitles(
      trackID: id, isAdded: true, replacedTrackID: replacedID, matchingTrackIDs: matches.filter { $0 != replacedID })
  }

  /// Makes the main picture refer to a caption track (QTFF "Closed Caption Media").
  private mutating func referToCaptions(_ id: UInt32) throws(MovieError) {
    guard let picture = movie.mainPicture?.id, let index = tracks.firstIndex(where: { $0.id == picture }) else {
      return
    }
    try associate(at: index, with: self.index(of: id), .closedCaptions)
  }

  /// The result of adding a ``SubtitleInput``.
  public struct AddedSubtitles: Hashable, Sendable {
    /// The ID of the new track, or of the existing track if none was added.
    public let trackID: UInt32
    /// Whether a track was added: see ``SubtitleInput/ExistingTrackPolicy/skip``.
    public let isAdded: Bool
    /// The ID of the track that the new track replaced, or `nil` if it replaced none.
    public let replacedTrackID: UInt32?
    /// The IDs of the other tracks with the same language and role. A viewer cannot distinguish them from this track.
    public let matchingTrackIDs: [UInt32]
  }

  /// A conflict between requests.
  public enum Conflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// No cue of the track is inside the movie.
    case noCueShown(trackID: UInt32)
    /// Several tracks have the language and role of a new track that should replace one track.
    case severalToReplace(trackIDs: [UInt32])
    /// The requests enable two tracks of a group.
    case enabledTwice(trackIDs: [UInt32], group: UInt16)
    /// The requests make a track refer to two other tracks, but it can refer to only one.
    case references(FourCC, from: UInt32, to: [UInt32])

    /// A sentence with the IDs of the tracks.
    public var description: String {
      func list(_ ids: [UInt32]) -> String { ids.map(String.init).joined(separator: " and ") }
      return switch self {
      case .noCueShown: "no cue is shown: all cues are outside the movie"
      case .severalToReplace(let ids):
        "cannot choose a track to replace: tracks \(list(ids)) have the language and role of the new track"
      case .enabledTwice(let ids, let group): "cannot enable tracks \(list(ids)): all of them are in group \(group)"
      case .references(let type, let id, let targets):
        "track \(id) cannot refer to tracks \(list(targets)): it can have only one \(type) reference"
      }
    }
  }
}

/// The properties of an input that determine the group, role and associations of a new track.
protocol NewTrackInput {
  /// The tags of the track, in addition to the tags of its role.
  var mediaCharacteristics: [MediaCharacteristic] { get }
  var role: TrackRole? { get }
  var alternateGroup: UInt16? { get }
  var isEnabled: Bool? { get }
  var becomesDefault: Bool { get }
  /// Whether the track becomes the default only if no other input requests an enabled track.
  var yieldsAsDefault: Bool { get }
  var isSelectedAutomatically: Bool? { get }
  var follow: SubtitleInput.Follow { get }
  var fullTrackID: UInt32? { get }
}

extension MovieEdit {
  /// Sets the requested role of a new track. Adds the tags of the role to the tags of the input.
  mutating func setRole(of input: some NewTrackInput, _ id: UInt32) throws(MovieError) {
    guard let role = input.role else { return }
    try setRole(role, of: id)
    try addCharacteristics(input.mediaCharacteristics, to: id)
    if role == .commentary { try setExcludedFromAutomaticSelection(true, of: id) }
  }

  /// Sets whether players may select a new track automatically. Does nothing if the input contains no request about it.
  mutating func setSelection(of input: some NewTrackInput, _ id: UInt32) throws(MovieError) {
    if let isOn = input.isSelectedAutomatically { try setExcludedFromAutomaticSelection(!isOn, of: id) }
  }

  /// Adds new tracks to groups, enables tracks, and associates subtitles.
  ///
  /// - Parameter ids: the IDs of the new tracks, in the order of the inputs.
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
    let subtitles = Set(
      tracks.filter { $0.containsSubtitles(except: chapters) || $0.mediaType == .closedCaption }.map(\.id))
    var added: [(input: Input, id: UInt32, fullTrackID: UInt32?)] = []
    for (index, (input, id)) in zip(inputs, ids).enumerated() where subtitles.contains(id) {
      let full = tracks.filter { $0.id != id && $0.mediaType.isLegible && !$0.containsOnlyForcedSubtitles }
      added.append((input, id, try fullTrack(index, full) ?? input.fullTrackID))
    }
    try associate(added)
  }

  /// Pairs new subtitle tracks with their partners, and makes audio tracks refer to them.
  private mutating func associate(_ added: [(input: some NewTrackInput, id: UInt32, fullTrackID: UInt32?)]) throws {
    let paired = Set(added.filter { $0.fullTrackID != nil }.map(\.id))
    let captions = Set(tracks.filter { $0.mediaType == .closedCaption }.map(\.id))
    for (_, id, _) in added where !paired.contains(id) && !captions.contains(id) {
      try pairForcedSubtitles(id, except: paired)
    }
    var requested: [RequestedReference] = []
    for (_, id, fullTrackID) in added {
      guard let fullTrackID else { continue }
      try link(fullTrackID, to: id, .forcedSubtitlesOnly)
      requested.append(RequestedReference("forc", from: fullTrackID, to: id, for: id))
      try requireAll(requested)
    }
    // Associate commentary subtitles first, so that no other subtitles are linked to the audio of a commentary.
    let commentaries = Set(tracks.filter(\.isAuxiliary).map(\.id))
    var silent: [TrackWithoutAudio] = []
    for isCommentary in [true, false] {
      for (input, id, _) in added where commentaries.contains(id) == isCommentary {
        switch input.follow {
        case .nothing: break
        case .automatic:
          var audio = AudioTrackIndex(among: tracks)
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

  /// A reference that an input requests.
  package struct RequestedReference {
    package let type: FourCC
    package let from: UInt32
    let to: UInt32
    /// The track whose input requests the reference. `to` may be its forced-only partner, because audio refers to the
    /// partner instead.
    let trackID: UInt32

    package init(_ type: FourCC, from: UInt32, to: UInt32, for trackID: UInt32) {
      (self.type, self.from, self.to, self.trackID) = (type, from, to, trackID)
    }
  }

  /// Returns the index of the first requested reference that a later request replaced, or `nil` if all requested
  /// references exist.
  package func firstReplacedReference(of requested: [RequestedReference]) -> Int? {
    requested.firstIndex { reference in
      !(tracks.first { $0.id == reference.from }?.references[reference.type] ?? []).contains(reference.to)
    }
  }

  /// Throws ``Conflict`` if the last reference replaced another requested reference.
  private func requireAll(_ requested: [RequestedReference]) throws {
    guard let undone = firstReplacedReference(of: requested).map({ requested[$0] }) else { return }
    let last = requested.last { $0.type == undone.type && $0.from == undone.from }
    throw Conflict.references(
      undone.type, from: undone.from, to: [undone.trackID, last?.trackID ?? undone.trackID])
  }
}
