import MovieBox

// Which formats of samples a type of movie holds (the registration authority of MP4, mp4ra.org; for Apple's types what
// their writers and ffmpeg's write; 3GPP TS 26.244, 5; 3GPP2 C.S0050).
extension MovieType {
  /// Why a file of this type does not hold a track of pictures or sound in this format, for the end of a sentence that
  /// begins with the track; `nil` where it does.
  func objection(to format: FourCC, of mediaType: MediaType, isChapterImage: Bool) -> String? {
    guard !isQuickTime else { return nil }
    switch mediaType {
    case .video where isSoundOnly && !isChapterImage: return "has pictures, which \(name) does not hold"
    case .video where isChapterImage && Self.images.contains(format) && !isMobile: return nil
    case .video: return isHeld(format, Self.pictures) ? nil : isNotRegistered(format.description)
    case .audio: return isHeld(format, Self.sound) ? nil : isNotRegistered(format.description)
    default:
      return Self.quickTimeMedia.contains(mediaType.rawValue)
        ? "is media of a kind that QuickTime movies alone have (\(mediaType.rawValue))" : nil
    }
  }

  /// The same of a stream of MPEG-4's, whose `esds` has the number of what it is coded as: types of Apple's and of
  /// mobile phones hold none but MPEG-4's own.
  func objection(toStream esds: Bytes, of mediaType: MediaType) -> String? {
    guard self != .mp4, !isQuickTime, let number = ElementaryStream(payload: esds)?.objectType else { return nil }
    // AAC, and that of MPEG-2, are sound of MPEG-4's; its pictures are the number 0x20 alone.
    let isOwn = mediaType == .audio ? [0x40, 0x66, 0x67, 0x68].contains(number) : number == 0x20
    guard !isOwn else { return nil }
    let code = mediaType == .audio ? "mp4a" : "mp4v"
    return isNotRegistered("\(code) with the number \(number)\(Self.streams[number].map { ", \($0)" } ?? "")")
  }

  private func isNotRegistered(_ what: String) -> String {
    "is in \(what.hasSuffix(" ") ? "\"\(what)\"" : what), which is not registered for \(name)"
  }

  private static let streams: [UInt8: String] = [
    0x60: "MPEG-2", 0x61: "MPEG-2", 0x62: "MPEG-2", 0x63: "MPEG-2", 0x64: "MPEG-2", 0x65: "MPEG-2", 0x6A: "MPEG-1",
    0x6C: "JPEG", 0x6D: "PNG", 0x69: "MP3 or MP2", 0x6B: "MP3 or MP2", 0xA5: "AC-3", 0xA6: "E-AC-3", 0xA9: "DTS",
    0xDD: "Vorbis",
  ]

  private func isHeld(_ format: FourCC, _ formats: FormatLists) -> Bool {
    switch self {
    case .quickTime: true
    case .mp4: formats.registered.contains(format) || Self.encrypted.contains(format)
    case .m4v, .m4a, .m4b: formats.apple.contains(format)
    case .threeGPP: formats.mobile.contains(format)
    case .threeGPP2: formats.mobile.contains(format) || ["sqcp", "sevc", "ssmv"].contains(format)
    }
  }

  private struct FormatLists {
    let registered: Set<FourCC>
    let apple: Set<FourCC>
    let mobile: Set<FourCC>
  }

  private static let pictures = FormatLists(
    registered: [
      "avc1", "avc2", "avc3", "avc4", "svc1", "mvc1", "hvc1", "hev1", "hvc2", "hev2", "lhv1", "lhe1", "hvt1", "vvc1",
      "vvi1", "evc1", "av01", "vp08", "vp09", "mp4v", "s263", "dvh1", "dvhe", "dva1", "dvav", "dav1", "mjp2", "vc-1",
      "drac", "apv1", "resv", "mp4s",
    ],
    apple: ["avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "mp4v"], mobile: ["s263", "mp4v", "avc1", "hvc1"])

  private static let sound = FormatLists(
    registered: [
      "mp4a", "ac-3", "ec-3", "ac-4", "alac", "fLaC", "Opus", "mlpa", "dtsc", "dtse", "dtsh", "dtsl", "dtsx", "samr",
      "sawb", "sawp", "sevc", "sqcp", "ssmv", "alaw", "ulaw", "raw ", "ipcm", "fpcm", "mha1", "mha2", "mhm1", "mhm2",
      "iamf", "g719",
    ],
    apple: ["mp4a", "alac", "ac-3", "ec-3"], mobile: ["samr", "sawb", "sawp", "mp4a"])

  /// Pictures of chapters, in podcasts of Apple's.
  private static let images: Set<FourCC> = ["jpeg", "png "]
  /// What descriptions of encrypted samples are called.
  private static let encrypted: Set<FourCC> = ["encv", "enca"]

  /// The format of samples before they were encrypted, which a description says in `sinf` (ISO/IEC 14496-12 8.12); its own
  /// for others, and where it does not say that.
  static func unencrypted(_ format: FourCC, _ atoms: [SampleEntryAtoms.Atom]) -> FourCC {
    guard encrypted.contains(format), let sinf = atoms.first(where: { $0.type == "sinf" }) else { return format }
    return SampleEntryAtoms(sinf.payload)["frma"]?.load(at: 0, as: UInt32.self).map { FourCC(rawValue: $0) } ?? format
  }

  /// Kinds of media of QuickTime (QTFF "Media Data Atom Types").
  private static let quickTimeMedia: Set<FourCC> = [
    "MPEG", "musi", "sprt", "twen", "qtvr", "STpn", "pano", "obje", "flsh", "qd3d", "strm", "gnrc", "skin", "wtxt",
  ]

  /// Whether no player of QuickTime movies is known to take media like this from one: formats that came after
  /// QuickTime (``/MovieBox/PlayerSupport``), what is encrypted, text of later standards, and pictures as subtitles.
  static func isUnknownToQuickTime(_ entry: SampleEntry, of mediaType: MediaType) -> Bool {
    if unknownText.contains(entry.format) || encrypted.contains(entry.format) || mediaType.rawValue == "subp" {
      return true
    }
    guard mediaType == .video || mediaType == .audio else { return false }
    let format = CodedFormat(entry.format) { type in
      guard mediaType == .audio, entry.format == "mp4a" else { return nil }
      do throws(MovieError) {
        let atoms = try SoundDescription(body: entry.body).atomsWithoutWave(of: entry.format)
        return atoms.first { $0.type == type }?.payload
      } catch {
        return nil  // It stays as it is, and no more is known of it.
      }
    }
    return PlayerSupport.of(format).map { !$0.isKnownInQuickTimeMovies } ?? false
  }

  private static let unknownText: Set<FourCC> = ["stpp", "sbtt", "stxt"]
}
