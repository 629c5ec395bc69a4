public import MovieBox

// Associations are references in `tref`, and each type of reference prescribes which track contains it. A reference in the
// wrong track has no effect on players, so requests are checked against the kinds of both tracks.
extension MovieEdit {
  /// Adds a reference from one track to another, and returns the ID of the track to which it refers.
  ///
  /// Audio always refers to the forced-only track of a subtitle pair, even if the caller passes the full track (QTFF
  /// "Subtitle Follows"). A track that becomes a chapter list is disabled and removed from its group, because players
  /// would otherwise list it among the subtitles.
  ///
  /// Throws `.invalidEdit` if a track is missing or of the wrong kind, if the two tracks are in the wrong order, and for
  /// audio fallbacks that would form a cycle.
  @discardableResult
  public mutating func link(
    _ id: UInt32, to other: UInt32, _ association: TrackAssociation
  ) throws(MovieError) -> UInt32 {
    let index = try uniqueIndex(of: id)
    var target = try uniqueIndex(of: other)
    let (from, to) = (tracks[index], tracks[target])
    if let objection = association.objection(from: from.mediaType, to: to.mediaType) ?? association.objection(from, to)
    {
      throw MovieError(.invalidEdit, objection)
    }
    if association == .audioFallback, id != other, let chain = chain(from: other, to: id, association) {
      throw MovieError(
        .invalidEdit,
        "audio fallbacks (fall) must not form a cycle: track "
          + chain.map(String.init).joined(separator: " falls back to track "))
    }
    if association == .selectionFollower { target = try indexOfFollower(other) }
    let targetID = tracks[target].id
    let oldIDs = from.references[association.rawValue] ?? []
    try associate(at: index, with: target, association)
    if association == .chapterList, to.mediaType == .text { try disableChapterTrack(at: target) }
    guard tracks[index].references[association.rawValue] != oldIDs else { return targetID }
    for old in oldIDs where association.isSingle && old != targetID {
      recordedNotices.append(.referenceRemoved(association.rawValue, from: id, to: old))
    }
    note(association, from: id, to: targetID)
    return targetID
  }

  /// Reports once that a track refers to another track.
  mutating func note(_ association: TrackAssociation, from id: UInt32, to other: UInt32) {
    recordOnce(EditNotice(association, from: id, to: other))
  }

  /// Returns the IDs of the tracks on a path of references of one type, including both ends, or `nil` if there is no
  /// path.
  private func chain(from start: UInt32, to end: UInt32, _ association: TrackAssociation) -> [UInt32]? {
    let references = Dictionary(tracks.map { ($0.id, $0.references[association.rawValue] ?? []) }) { first, _ in first }
    var predecessors: [UInt32: UInt32] = [:]
    var openIDs = [start]
    while let id = openIDs.popLast() {
      guard id != end else {
        var chain = [end]
        while let last = chain.last, last != start, let earlier = predecessors[last] { chain.append(earlier) }
        return chain.reversed()
      }
      for next in references[id] ?? [] where next != start && predecessors[next] == nil {
        predecessors[next] = id
        openIDs.append(next)
      }
    }
    return nil
  }

  /// Removes references of a track to another, and returns their types.
  ///
  /// Throws `.invalidEdit` if a track is missing or has no such reference, and for references to titles of chapters that
  /// the edit sets.
  ///
  /// - Parameters:
  ///   - id: the ID of the track with the references.
  ///   - other: the ID of the track to which they refer.
  ///   - association: the type of the references, or `nil` for any type.
  @discardableResult
  public mutating func unlink(
    _ id: UInt32, from other: UInt32, _ association: TrackAssociation? = nil
  ) throws(MovieError) -> [TrackAssociation] {
    let index = try uniqueIndex(of: id)
    let types = tracks[index].references.filter { type, ids in
      ids.contains(other) && (association.map { $0.rawValue == type } ?? true)
    }.keys.sorted { $0.rawValue < $1.rawValue }
    guard !types.isEmpty else {
      let type = association.map { "\($0.rawValue) " } ?? ""
      throw MovieError(.invalidEdit, "track \(id) has no \(type)reference to track \(other)")
    }
    if types.contains("chap"), tracks.contains(where: { $0.id == other && $0.chapterKind == .titles }) {
      throw MovieError(
        .invalidEdit,
        "track \(id) must refer to the titles of the new chapters, track \(other); remove the chapters instead")
    }
    for type in types {
      _ = tracks[index].removeReferences(ofType: type) { $0 == other }
      recordedNotices.append(.referenceRemoved(type, from: id, to: other))
    }
    return types.map { TrackAssociation(rawValue: $0) }
  }

  /// Associates the movie's subtitle tracks with each other and with its audio, as if the subtitle tracks were new.
  ///
  /// Full tracks refer to the forced-only track of their language, audio refers to subtitles of its language, and all
  /// subtitles share one group. In ISO files, tags are also written as roles (`kind`). Existing associations are kept.
  /// Notices report the changes.
  public mutating func linkByLanguage() throws(MovieError) {
    let chapters = tracks.chapterTrackIDs
    try pairForcedSubtitles()
    let subtitles = tracks.indices.filter { tracks[$0].containsSubtitles(except: chapters) }
    // Audio refers to plain subtitles rather than SDH if its language has both.
    let inOrder = subtitles.filter { !tracks[$0].isSDH } + subtitles.filter { tracks[$0].isSDH }
    var audio = AudioTrackIndex(among: tracks)
    note(try followAudio(inOrder, &audio))
    if let first = subtitles.first, subtitles.count > 1 {
      try addToSubtitleGroup(tracks[first].id, asDefault: false)
    }
    addRolesByTags()
  }

  private mutating func disableChapterTrack(at index: Int) throws(MovieError) {
    let chapters = tracks[index]
    guard chapters.isEnabled || chapters.alternateGroup != 0 else { return }
    try setEnabled(false, of: chapters.id)
    try setAlternateGroup(0, of: chapters.id)
    recordedNotices.append(.chapterListDisabled(track: chapters.id))
  }
}

extension EditNotice {
  /// Creates a notice that a track refers to another track.
  init(_ association: TrackAssociation, from id: UInt32, to other: UInt32) {
    self.init(.association, trackID: id, association.sentence(from: id, to: other))
  }
}

extension TrackAssociation {
  /// Returns the reason why a track cannot refer to another track although their media types allow the reference, or
  /// `nil` if it can.
  func objection(_ from: EditedTrack, _ to: EditedTrack) -> String? {
    switch self {
    case .forcedSubtitlesOnly where from.containsOnlyForcedSubtitles:
      "track \(from.id) is forced-only: the full track must contain the reference (forc) to its forced-only partner"
    case .forcedSubtitlesOnly where !to.containsOnlyForcedSubtitles:
      "track \(to.id) is not forced-only: a forc reference must point to a track whose sample descriptions declare all "
        + "samples as forced"
    case .audioFallback where from.isPlayedWidely && !to.isPlayedWidely:
      "the track that fewer players can play must contain the fallback reference (fall): track \(from.id) is AAC, but track "
        + "\(to.id) is not"
    default: nil
    }
  }
}

extension EditedTrack {
  /// Whether nearly every player can play the track. This is true for AAC and other MPEG-4 audio.
  fileprivate var isPlayedWidely: Bool { !formats.isEmpty && formats.allSatisfy { $0 == "mp4a" } }
}

/// A type of track association, as in AVFoundation.
///
/// The first track depends on the second and contains the reference in its `tref`. It corresponds to the receiver of
/// `addTrackAssociationWithTrackOfInput:type:`.
public struct TrackAssociation: RawRepresentable, Hashable, Sendable {
  /// The type of the reference atom.
  public let rawValue: FourCC

  /// Creates an association from the type of its reference atom.
  public init(rawValue: FourCC) {
    self.rawValue = rawValue
  }

  /// An audio track and the subtitle track to select with it. An audio track has at most one follower (QTFF "Subtitle
  /// Follows").
  public static let selectionFollower = TrackAssociation(rawValue: "folw")
  /// A full subtitle track and the track of the same language that contains only its forced subtitles.
  public static let forcedSubtitlesOnly = TrackAssociation(rawValue: "forc")
  /// An audio track and a track with the same contents that more players can play.
  public static let audioFallback = TrackAssociation(rawValue: "fall")
  /// A video or audio track and the text track of its chapters.
  public static let chapterList = TrackAssociation(rawValue: "chap")
  /// A timed metadata track and the track that it describes.
  public static let metadataReferent = TrackAssociation(rawValue: "cdsc")
  /// A video track and its caption track.
  package static let closedCaptions = TrackAssociation(rawValue: "clcp")
  /// A track and its time code track.
  public static let timecode = TrackAssociation(rawValue: "tmcd")

  /// Whether a track may contain only one reference of this type.
  var isSingle: Bool { self == .selectionFollower || self == .forcedSubtitlesOnly }

  /// The predicate of a sentence about the two tracks, such as `is followed by` or `has its chapters in`.
  package var phrase: String {
    switch self {
    case .selectionFollower: "is followed by"
    case .forcedSubtitlesOnly: "has its forced subtitles in"
    case .audioFallback: "falls back to"
    case .chapterList: "has its chapters in"
    case .metadataReferent: "describes"
    case .closedCaptions: "has its captions in"
    case .timecode: "has its time code in"
    default: "refers to"
    }
  }

  /// Returns a sentence such as `track 2 has its forced subtitles in track 3 (forc)`.
  package func sentence(from id: UInt32, to other: UInt32) -> String {
    "track \(id) \(phrase) track \(other) (\(rawValue))"
  }

  /// Returns the reason why a track of one kind cannot refer to a track of another kind, or `nil` if it can.
  func objection(from: MediaType, to: MediaType) -> String? {
    let kinds = ReferenceKinds(of: rawValue)
    let mayContainReference = kinds.isAllowed(in: from)
    guard !mayContainReference || !kinds.mayRefer(to: to) else { return nil }
    return switch self {
    case .selectionFollower where !mayContainReference && kinds.mayRefer(to: from) && kinds.isAllowed(in: to):
      "audio is followed by subtitles (folw), not the other way round: specify the audio track first"
    case .selectionFollower where !mayContainReference: "only an audio track can be followed by subtitles (folw)"
    case .selectionFollower: "an audio track can only be followed by a subtitle track (folw)"
    case .forcedSubtitlesOnly: "a forc reference must point from a full subtitle track to its forced-only partner"
    case .audioFallback: "a fallback reference (fall) must point from an audio track to another audio track"
    case .chapterList: "a chapter reference (chap) must point to a text track"
    case .metadataReferent: "a cdsc reference must be in a metadata track"
    case .timecode: "a time code reference (tmcd) must point to a time code track"
    default: "a \(rawValue) reference cannot point from a \(from.name) track to a \(to.name) track"
    }
  }
}
