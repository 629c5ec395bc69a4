public import MovieBox

// Associations of tracks that are there, with the rules on which track carries the reference.
extension MovieEdit {
  /// Makes a track depend on another, and holds the pair against what the format asks
  /// of it; gives the ID of the track that is named.
  ///
  /// The forced-only partner of a pair follows sound, whichever of the two is given (QTFF "Subtitle Follows"). A
  /// chapter list is disabled and in no group, so that players do not list it among subtitles.
  ///
  /// Throws `.invalidEdit` when a track is missing or of the wrong kind, or when the two are the wrong way round,
  /// saying which track carries the reference; and for fallbacks that would lead back to where they begin.
  @discardableResult
  public mutating func link(
    _ id: UInt32, to other: UInt32, _ association: TrackAssociation
  ) throws(MovieError) -> UInt32 {
    let place = try onlyIndex(of: id)
    var target = try onlyIndex(of: other)
    let (from, to) = (tracks[place], tracks[target])
    if let objection = association.objection(from: from.mediaType, to: to.mediaType) ?? association.objection(from, to)
    {
      throw MovieError(.invalidEdit, objection)
    }
    if association == .audioFallback, id != other, let chain = chain(from: other, to: id, association) {
      throw MovieError(
        .invalidEdit,
        "audio fallback (fall) leads from sound that fewer players can play to sound that more can, and so in no "
          + "circle: track \(chain.map(String.init).joined(separator: " falls back to "))")
    }
    if association == .selectionFollower { target = try indexOfFollower(other) }
    let named = tracks[target].id
    let before = from.references[association.rawValue] ?? []
    try associate(at: place, with: target, association)
    if association == .chapterList, to.mediaType == .text { try removeFromSelection(target) }
    guard tracks[place].references[association.rawValue] != before else { return named }
    for old in before where association.isSingle && old != named {
      recordedNotices.append(
        EditNotice(
          .association, trackID: id, "the \(association.rawValue) reference of track \(id) to track \(old) went"))
    }
    note(association, from: id, to: named)
    return named
  }

  /// Says that one track refers to another now.
  mutating func note(_ association: TrackAssociation, from id: UInt32, to other: UInt32) {
    let note = EditNotice(association, from: id, to: other)
    if !recordedNotices.contains(note) { recordedNotices.append(note) }
  }

  /// The tracks by which references of a type lead from one to another, both included; `nil` where none do.
  private func chain(from start: UInt32, to end: UInt32, _ association: TrackAssociation) -> [UInt32]? {
    let references = Dictionary(tracks.map { ($0.id, $0.references[association.rawValue] ?? []) }) { first, _ in first }
    var before: [UInt32: UInt32] = [:]
    var open = [start]
    while let id = open.popLast() {
      guard id != end else {
        var chain = [end]
        while let last = chain.last, last != start, let earlier = before[last] { chain.append(earlier) }
        return chain.reversed()
      }
      for next in references[id] ?? [] where next != start && before[next] == nil {
        before[next] = id
        open.append(next)
      }
    }
    return nil
  }

  /// Takes the references of a track to another away, those of one type or all; gives their types.
  ///
  /// Throws `.invalidEdit` when a track is missing, or when there is no such reference.
  @discardableResult
  public mutating func unlink(
    _ id: UInt32, from other: UInt32, _ association: TrackAssociation? = nil
  ) throws(MovieError) -> [TrackAssociation] {
    let place = try onlyIndex(of: id)
    let types = tracks[place].references.filter { type, ids in
      ids.contains(other) && (association.map { $0.rawValue == type } ?? true)
    }.keys.sorted { $0.rawValue < $1.rawValue }
    guard !types.isEmpty else {
      let type = association.map { "\($0.rawValue) " } ?? ""
      throw MovieError(.invalidEdit, "track \(id) has no \(type)reference to track \(other)")
    }
    for type in types {
      _ = tracks[place].removeReferences(ofType: type) { $0 == other }
      recordedNotices.append(
        EditNotice(.association, trackID: id, "the \(type) reference of track \(id) to track \(other) went"))
    }
    return types.map { TrackAssociation(rawValue: $0) }
  }

  /// Associates the subtitles of the movie with each other and with its sound, as they are when new: forced-only tracks
  /// with the full ones of their language, in one group, and sound with subtitles of its language; tags are said as
  /// `kind` too, in ISO files.
  ///
  /// What is associated already stays. Says what it did.
  public mutating func linkByLanguage() throws(MovieError) {
    let chapters = tracks.chapterTrackIDs
    try pairForcedSubtitles()
    let subtitles = tracks.indices.filter { tracks[$0].holdsSubtitles(butNot: chapters) }
    // Of several in one language the plain one is followed.
    let inOrder = subtitles.filter { !tracks[$0].isSDH } + subtitles.filter { tracks[$0].isSDH }
    var audio = FollowedAudio(among: tracks)
    note(try followAudio(inOrder, &audio))
    if let first = subtitles.first, subtitles.count > 1 {
      try addToSubtitleGroup(tracks[first].id, asDefault: false)
    }
    addRolesByTags()
  }

  private mutating func removeFromSelection(_ place: Int) throws(MovieError) {
    let chapters = tracks[place]
    guard chapters.isEnabled || chapters.alternateGroup != 0 else { return }
    try setEnabled(false, of: chapters.id)
    try setAlternateGroup(0, of: chapters.id)
    recordedNotices.append(
      EditNotice(
        .disabled, trackID: chapters.id,
        "track \(chapters.id) is a chapter list, and so it is disabled and in no group: players do not show it as "
          + "subtitles"))
  }
}

extension EditNotice {
  /// The notice that one track refers to another now.
  init(_ association: TrackAssociation, from id: UInt32, to other: UInt32) {
    self.init(.association, trackID: id, association.sentence(from: id, to: other))
  }
}

extension TrackAssociation {
  /// Why the one track cannot refer to the other though their kinds fit; `nil` when it can.
  func objection(_ from: EditedTrack, _ to: EditedTrack) -> String? {
    switch self {
    case .forcedSubtitlesOnly where from.containsOnlyForcedSubtitles:
      "track \(from.id) is forced only: forced subtitles (forc) must be in the full track, which refers to its "
        + "forced-only partner"
    case .forcedSubtitlesOnly where !to.containsOnlyForcedSubtitles:
      "track \(to.id) is not forced only: forced subtitles (forc) must refer to a track whose sample descriptions say that all "
        + "are forced"
    case .audioFallback where from.isPlayedWidely && !to.isPlayedWidely:
      "audio fallback (fall) must be in the track that fewer players can play: track \(from.id) is AAC, track "
        + "\(to.id) is not"
    default: nil
    }
  }
}

extension EditedTrack {
  /// Whether nearly every player can play the sound: AAC and other MPEG-4 audio.
  fileprivate var isPlayedWidely: Bool { !formats.isEmpty && formats.allSatisfy { $0 == "mp4a" } }
}

/// How a track depends on another: what AVFoundation calls a track association.
///
/// The first track, which depends on the second, carries the reference in its `tref`, as in
/// `addTrackAssociationWithTrackOfInput:type:`, whose receiver it is.
public struct TrackAssociation: RawRepresentable, Hashable, Sendable {
  /// The type of the reference atom.
  public let rawValue: FourCC

  /// The association that this type of reference makes.
  public init(rawValue: FourCC) {
    self.rawValue = rawValue
  }

  /// An audio track, and the subtitles to choose with it. Zero or one for each audio track (QTFF "Subtitle Follows").
  public static let selectionFollower = TrackAssociation(rawValue: "folw")
  /// A full subtitle track, and the track of the same language that holds only its forced subtitles.
  public static let forcedSubtitlesOnly = TrackAssociation(rawValue: "forc")
  /// An audio track, and one of the same contents that more players can play.
  public static let audioFallback = TrackAssociation(rawValue: "fall")
  /// A video or audio track, and the text track of its chapters.
  public static let chapterList = TrackAssociation(rawValue: "chap")
  /// A timed metadata track, and the track that it describes.
  public static let metadataReferent = TrackAssociation(rawValue: "cdsc")
  /// A track, and its time code.
  public static let timecode = TrackAssociation(rawValue: "tmcd")

  /// Whether a track may refer to one other track only.
  var isSingle: Bool { self == .selectionFollower || self == .forcedSubtitlesOnly }

  /// What the track with the reference does with the other, in words: `is followed by`, `has its chapters in`.
  package var phrase: String {
    switch self {
    case .selectionFollower: "is followed by"
    case .forcedSubtitlesOnly: "has its forced subtitles in"
    case .audioFallback: "falls back to"
    case .chapterList: "has its chapters in"
    case .metadataReferent: "describes"
    case .timecode: "has its time code in"
    default: "refers to"
    }
  }

  /// `track 2 has its forced subtitles in track 3 (forc)`.
  package func sentence(from id: UInt32, to other: UInt32) -> String {
    "track \(id) \(phrase) track \(other) (\(rawValue))"
  }

  /// Why a track of one kind cannot refer to one of another; `nil` when it can.
  func objection(from: MediaType, to: MediaType) -> String? {
    let kinds = ReferenceKinds(of: rawValue)
    let mayBeThere = kinds.mayBe(in: from)
    guard !mayBeThere || !kinds.mayLead(to: to) else { return nil }
    return switch self {
    case .selectionFollower where !mayBeThere && kinds.mayLead(to: from) && kinds.mayBe(in: to):
      "sound is followed by subtitles (folw), not the other way round: the audio track comes first"
    case .selectionFollower where !mayBeThere: "only an audio track is followed by subtitles (folw)"
    case .selectionFollower: "an audio track is followed by subtitles (folw), and by nothing else"
    case .forcedSubtitlesOnly:
      "forced subtitles (forc) must be in a full subtitle track, which refers to its forced-only partner"
    case .audioFallback: "audio fallback (fall) is between audio tracks"
    case .chapterList: "a chapter list (chap) must refer to a text track"
    case .metadataReferent: "metadata referent (cdsc) must be in a metadata track"
    case .timecode: "time code (tmcd) must refer to a time code track"
    default: "\(rawValue) cannot lead from a \(from.name) track to a \(to.name) track"
    }
  }
}
