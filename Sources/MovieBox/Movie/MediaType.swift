/// The media type of a track: the type of its media handler (`hdlr` in `mdia`).
public struct MediaType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The handler type.
  public let rawValue: FourCC

  /// Creates the media type of a handler type.
  public init(rawValue: FourCC) {
    self.rawValue = rawValue
  }

  /// The handler type, such as `vide`.
  public var description: String { rawValue.description }
  /// Video.
  public static let video = MediaType(rawValue: "vide")
  /// Audio.
  public static let audio = MediaType(rawValue: "soun")
  /// Subtitles (QTFF "Subtitle Media").
  public static let subtitle = MediaType(rawValue: "sbtl")
  /// Text: chapters, WebVTT, or subtitles in QuickTime movies of ffmpeg and other writers.
  public static let text = MediaType(rawValue: "text")
  /// Subtitles in ISO files: XML (`stpp`) and others.
  public static let isoSubtitle = MediaType(rawValue: "subt")
  /// Bitmap subtitles (VobSub).
  public static let subpicture = MediaType(rawValue: "subp")
  /// Closed captions.
  public static let closedCaption = MediaType(rawValue: "clcp")
  /// Time code.
  public static let timecode = MediaType(rawValue: "tmcd")
  /// Timed metadata.
  public static let metadata = MediaType(rawValue: "meta")

  /// Whether viewers read the media: subtitles, text or captions.
  public var isLegible: Bool {
    [.subtitle, .text, .isoSubtitle, .subpicture, .closedCaption].contains(self)
  }

  /// Whether all samples are texts. A text is decoded independently of other samples, so all samples are sync samples
  /// (3GPP TS 26.245; ISO/IEC 14496-30).
  package var isText: Bool { [.subtitle, .text, .isoSubtitle].contains(self) }

  /// Whether tracks of both types may be in one alternate group and player menu. This applies to two legible types,
  /// and to two equal types (QTFF "Alternate Groups", "Closed Caption Media").
  package func isOfferedTogether(with other: MediaType) -> Bool { isLegible ? other.isLegible : self == other }

  /// The name for use in a sentence, such as "subtitle", or the handler type if the type has no name.
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

/// The two dialects of the file format.
package enum Dialect: Hashable, Sendable {
  /// QuickTime files. They have no `ftyp`, or their `ftyp` lists the brand `qt  `.
  case quickTime
  /// ISO base media: MP4, 3GP and related formats.
  case iso
}

/// The media types that a type of track reference may connect (QTFF "Track Reference Atoms").
package struct ReferenceKinds {
  private let type: FourCC

  /// Creates the rules for a reference type. Unknown types may connect any media.
  package init(of type: FourCC) {
    self.type = type
  }

  /// Whether a track with this media may contain a reference of this type.
  package func isAllowed(in media: MediaType) -> Bool {
    switch type {
    case "folw", "fall": media == .audio
    case "forc": media.isLegible
    case "cdsc": media == .metadata
    case "clcp": media == .video
    default: true
    }
  }

  /// Whether a reference of this type may refer to a track with this media.
  package func mayRefer(to media: MediaType) -> Bool {
    switch type {
    case "folw", "forc": media.isLegible
    case "fall": media == .audio
    case "chap": media == .text || media == .video  // The target contains chapter titles or chapter pictures.
    case "tmcd": media == .timecode
    case "clcp": media == .closedCaption
    default: true
    }
  }
}
