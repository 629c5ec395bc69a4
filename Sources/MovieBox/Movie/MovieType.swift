/// A type of movie file, as determined by its brands or by the extension of its name.
///
///     if let type = MovieType(fileExtension: "m4v") {
///       try edit.convert(to: type)
///     }
public enum MovieType: String, Hashable, Sendable, CaseIterable {
  /// A QuickTime movie.
  case quickTime = "mov"
  /// An MP4 file (ISO/IEC 14496-14).
  case mp4
  /// Apple's MP4 variant for films, `M4V `.
  case m4v
  /// Apple's MP4 variant for audio, `M4A `.
  case m4a
  /// Apple's MP4 variant for audiobooks, `M4B `.
  case m4b
  /// A 3GP file (3GPP TS 26.244).
  case threeGPP = "3gp"
  /// A 3G2 file (3GPP2 C.S0050).
  case threeGPP2 = "3g2"

  /// Creates the type for a file name extension, or returns `nil` if the extension is unknown.
  public init?(fileExtension: some StringProtocol) {
    switch fileExtension.lowercased() {
    case "mov", "qt": self = .quickTime
    case "mp4", "mpg4": self = .mp4
    case "m4v": self = .m4v
    case "m4a", "m4r": self = .m4a
    case "m4b": self = .m4b
    case "3gp", "3gpp": self = .threeGPP
    case "3g2", "3gp2": self = .threeGPP2
    default: return nil
    }
  }

  /// Creates the type for brands. If there are no brands, as in files from before 2004, the type is ``quickTime``.
  package init(of fileType: FileType?) {
    guard let fileType, !fileType.isQuickTime else {
      self = .quickTime
      return
    }
    switch fileType.majorBrand {
    case "M4V ", "M4VH", "M4VP": self = .m4v
    case "M4A ": self = .m4a
    case "M4B ": self = .m4b
    case let brand where brand.description.hasPrefix("3gp"): self = .threeGPP
    case let brand where brand.description.hasPrefix("3g2"): self = .threeGPP2
    default: self = .mp4
    }
  }

  /// Whether files of the type are QuickTime movies. Other types follow ISO/IEC 14496-12.
  public var isQuickTime: Bool { self == .quickTime }

  /// Whether files of the type contain only audio. Chapter pictures are permitted as well.
  package var isSoundOnly: Bool { self == .m4a || self == .m4b }

  /// Whether the type is for mobile phones and restricted to a few formats.
  package var isMobile: Bool { self == .threeGPP || self == .threeGPP2 }

  /// The name for use in a sentence, such as "a QuickTime movie".
  package var name: String {
    switch self {
    case .quickTime: "a QuickTime movie"
    case .mp4: "an MP4 file"
    case .m4v: "an M4V file"
    case .m4a: "an M4A file"
    case .m4b: "an M4B file"
    case .threeGPP: "a 3GP file"
    case .threeGPP2: "a 3G2 file"
    }
  }

  /// The brands that Apple's writers use for the type, or that 3GPP and 3GPP2 define.
  package var fileType: FileType {
    switch self {
    case .quickTime: FileType(majorBrand: "qt  ", minorVersion: 0, compatibleBrands: ["qt  "])
    case .mp4: FileType(majorBrand: "mp42", minorVersion: 1, compatibleBrands: ["isom", "mp41", "mp42"])
    case .m4v: FileType(majorBrand: "M4V ", minorVersion: 1, compatibleBrands: ["M4V ", "M4A ", "mp42", "isom"])
    case .m4a: FileType(majorBrand: "M4A ", minorVersion: 0, compatibleBrands: ["M4A ", "mp42", "isom"])
    case .m4b: FileType(majorBrand: "M4B ", minorVersion: 0, compatibleBrands: ["M4B ", "M4A ", "mp42", "isom"])
    case .threeGPP: FileType(majorBrand: "3gp5", minorVersion: 0x100, compatibleBrands: ["3gp5", "3gp4"])
    case .threeGPP2: FileType(majorBrand: "3g2a", minorVersion: 0x1_0000, compatibleBrands: ["3g2a", "mp42"])
    }
  }
}

extension Movie {
  /// The type of the file, from its brands.
  public var type: MovieType { MovieType(of: fileType) }
}
