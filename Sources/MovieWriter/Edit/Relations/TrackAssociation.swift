public import MovieBox

/// A type of track association, as in AVFoundation.
///
/// The first track depends on the second and contains the reference in its `tref`. The first track corresponds to the
/// receiver of `addTrackAssociationWithTrackOfInput:type:`.
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
    case .closedCaptions: "a caption reference (clcp) must point from a video track to a caption track"
    default: "a \(rawValue) reference cannot point from a \(from.name) track to a \(to.name) track"
    }
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

extension EditNotice {
  /// Creates a notice that a track refers to another track.
  init(_ association: TrackAssociation, from id: UInt32, to other: UInt32) {
    self.init(.association, trackID: id, describing: .track, association.sentence(from: id, to: other))
  }
}
