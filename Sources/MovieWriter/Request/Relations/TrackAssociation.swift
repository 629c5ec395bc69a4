public import MovieBox

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
