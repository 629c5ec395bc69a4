/// A type of movie file: what its brands say that it is, and the extension of its name says too.
///
///     if let type = MovieType(fileExtension: "m4v") {
///       let media = try edit.convert(to: type, from: source)
///     }
public enum MovieType: String, Hashable, Sendable, CaseIterable {
  /// A QuickTime movie.
  case quickTime = "mov"
  /// An MP4 file (ISO/IEC 14496-14).
  case mp4
  /// An MP4 file of Apple's for films, `M4V `.
  case m4v
  /// An MP4 file of Apple's for sound, `M4A `.
  case m4a
  /// An MP4 file of Apple's for audio books, `M4B `.
  case m4b
  /// A 3GP file (3GPP TS 26.244).
  case threeGPP = "3gp"
  /// A 3G2 file (3GPP2 C.S0050).
  case threeGPP2 = "3g2"

  /// The type that files whose name ends like this have; `nil` for an extension of another kind of file.
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

  /// The type that brands say; ``quickTime`` where there are none, as in files of before 2004.
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

  /// Whether files of the type are QuickTime movies; the others follow ISO/IEC 14496-12.
  public var isQuickTime: Bool { self == .quickTime }

  /// Whether files of the type hold sound, and pictures only as images of chapters.
  package var isSoundOnly: Bool { self == .m4a || self == .m4b }

  /// Whether files of the type are for mobile phones, which hold a few formats alone.
  package var isMobile: Bool { self == .threeGPP || self == .threeGPP2 }

  /// The type in a sentence, such as "a QuickTime movie".
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

  /// The brands that Apple's writers give files of the type, and 3GPP's of theirs.
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
  /// The type of the file, by its brands.
  public var type: MovieType { MovieType(of: fileType) }
}
