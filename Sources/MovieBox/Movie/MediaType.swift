/// The kind of media of a track, which is the type of its media handler (`hdlr` in `mdia`).
public struct MediaType: RawRepresentable, Hashable, Sendable {
  /// The handler type.
  public let rawValue: FourCC

  /// The media type of this handler type.
  public init(rawValue: FourCC) {
    self.rawValue = rawValue
  }

  /// Pictures.
  public static let video = MediaType(rawValue: "vide")
  /// Sound.
  public static let audio = MediaType(rawValue: "soun")
  /// Subtitles (QTFF "Subtitle Media").
  public static let subtitle = MediaType(rawValue: "sbtl")
  /// Text: chapters, WebVTT, or subtitles of some writers, such as ffmpeg in QuickTime movies.
  public static let text = MediaType(rawValue: "text")
  /// Subtitles of ISO files in XML (`stpp`) and others.
  public static let isoSubtitle = MediaType(rawValue: "subt")
  /// Subtitles in pictures (VobSub).
  public static let subpicture = MediaType(rawValue: "subp")
  /// Closed captions.
  public static let closedCaption = MediaType(rawValue: "clcp")
  /// Time code.
  public static let timecode = MediaType(rawValue: "tmcd")
  /// Timed metadata.
  public static let metadata = MediaType(rawValue: "meta")

  /// Whether people read it: subtitles, text, captions.
  public var isLegible: Bool {
    [.subtitle, .text, .isoSubtitle, .subpicture, .closedCaption].contains(self)
  }

  /// Whether samples are texts, none of which needs another to be shown: all are sync samples (3GPP TS 26.245; ISO/IEC
  /// 14496-30).
  package var isText: Bool { [.subtitle, .text, .isoSubtitle].contains(self) }

  /// Whether a group may hold both, and a player lists them in one menu: all kinds of subtitles, and else what is the
  /// same (QTFF "Alternate Groups", "Closed Caption Media").
  package func isOfferedBeside(_ other: MediaType) -> Bool { isLegible ? other.isLegible : self == other }

  /// The name in a sentence, such as "subtitle"; the code where there is no word.
  public var name: String {
    switch self {
    case .video: "video"
    case .audio: "audio"
    case .subtitle, .isoSubtitle, .subpicture: "subtitle"
    case .text: "text"
    case .closedCaption: "captions"
    case .timecode: "timecode"
    case .metadata: "metadata"
    default: rawValue.description
    }
  }
}

/// The two families of the file format.
package enum Dialect: Hashable, Sendable {
  /// QuickTime: no `ftyp`, or `qt  ` among its brands.
  case quickTime
  /// ISO base media: MP4, 3GP and related formats.
  case iso
}

/// Between tracks of which media references of a type lead (QTFF "Track Reference Atoms").
package struct ReferenceKinds {
  private let type: FourCC

  /// The media that a type of reference refers to; all media for an unknown type.
  package init(of type: FourCC) {
    self.type = type
  }

  /// Whether a track of this media may have such a reference.
  package func mayBe(in media: MediaType) -> Bool {
    switch type {
    case "folw", "fall": media == .audio
    case "forc": media.isLegible
    case "cdsc": media == .metadata
    default: true
    }
  }

  /// Whether such a reference may lead to a track of this media.
  package func mayLead(to media: MediaType) -> Bool {
    switch type {
    case "folw", "forc": media.isLegible
    case "fall": media == .audio
    case "chap": media == .text || media == .video  // Titles, and pictures of chapters.
    case "tmcd": media == .timecode
    default: true
    }
  }
}
