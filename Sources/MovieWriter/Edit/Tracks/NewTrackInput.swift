public import MovieBox

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
  /// The ID of the full subtitle track to which this forced-only track is paired.
  var fullTrackID: UInt32? { get }
}

// The edit arranges new tracks in a fixed order. It first adds all tracks to their groups, and then enables the default
// tracks. After that, it pairs forced-only tracks with full tracks. Finally, it makes audio tracks refer to commentary
// subtitles, and then to all other subtitles.
extension MovieEdit {
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
    _ inputs: [Input], _ ids: [UInt32], fullTrack: (Int, UInt32, [EditedTrack]) throws -> UInt32? = { _, _, _ in nil }
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
    let full = tracks.filter { $0.mediaType.isLegible && !$0.containsOnlyForcedSubtitles }
    ListPass.end(after: tracks.count)
    var added: [(input: Input, id: UInt32, fullTrackID: UInt32?)] = []
    for (index, (input, id)) in zip(inputs, ids).enumerated() where subtitles.contains(id) {
      added.append((input, id, try fullTrack(index, id, full) ?? input.fullTrackID))
    }
    try associate(added)
  }

  /// Pairs new subtitle tracks with their partners, and makes audio tracks refer to them.
  private mutating func associate(_ added: [(input: some NewTrackInput, id: UInt32, fullTrackID: UInt32?)]) throws {
    let paired = Set(added.filter { $0.fullTrackID != nil }.map(\.id))
    let captions = Set(tracks.filter { $0.mediaType == .closedCaption }.map(\.id))
    let partners = ForcedPartners(among: tracks)
    for (_, id, _) in added where !paired.contains(id) && !captions.contains(id) {
      try pairForcedSubtitles(id, partners, except: paired)
    }
    referToCaptions(added.map(\.id).filter(captions.contains))
    var requested: [RequestedReference] = []
    for (_, id, fullTrackID) in added {
      guard let fullTrackID else { continue }
      try link(fullTrackID, to: id, .forcedSubtitlesOnly)
      requested.append(RequestedReference("forc", from: fullTrackID, to: id, for: id))
      try requireAll(requested)
    }
    // A track that replaces another one inherits its references.
    let unfollowed = Set(added.filter { $0.input.follow == .nothing }.map(\.id))
    if !unfollowed.isEmpty {
      for index in tracks.indices { _ = tracks[index].removeReferences(ofType: "folw", where: unfollowed.contains) }
      ListPass.end(after: tracks.count)
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
          silent += try followAudio([try tracks.index(of: id)], &audio)
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
    /// The track whose input requests the reference. `to` may be the forced-only partner of this track, because audio
    /// refers to the partner instead.
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
    guard let last = requested.last else { return }
    // Only references of one track and type replace each other.
    let rivals = requested.filter { $0.type == last.type && $0.from == last.from }
    guard let undone = firstReplacedReference(of: rivals).map({ rivals[$0] }) else { return }
    throw Conflict.references(undone.type, from: undone.from, to: [undone.trackID, last.trackID])
  }
}
