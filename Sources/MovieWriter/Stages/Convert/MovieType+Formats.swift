import MovieBox

// The sample formats that each type of movie allows. Sources: the MP4 registration authority (mp4ra.org); 3GPP TS
// 26.244, 5; 3GPP2 C.S0050; for Apple's types, the formats that Apple's writers and ffmpeg write.
extension MovieType {
  /// Returns the reason why a file of this type cannot contain a track in this format, or `nil` if it can.
  ///
  /// The reason is a predicate whose subject is the track.
  func objection(to format: FourCC, of mediaType: MediaType, isChapterImage: Bool) -> String? {
    guard !isQuickTime else { return nil }
    switch mediaType {
    case .video where isSoundOnly && !isChapterImage: return "is a video track, which \(name) cannot contain"
    case .video where isChapterImage && Self.images.contains(format) && !isMobile: return nil
    case .video: return allows(format, in: Self.pictures) ? nil : notRegistered(format.description)
    case .audio: return allows(format, in: Self.sound) ? nil : notRegistered(format.description)
    default:
      return Self.quickTimeMedia.contains(mediaType.rawValue)
        ? "has a media type that only QuickTime movies support (\(mediaType.rawValue))" : nil
    }
  }

  /// Returns the reason why a file of this type cannot contain an elementary stream, or `nil` if it can.
  ///
  /// MP4 allows every object type that an `esds` can declare. Apple's types and mobile types allow only MPEG-4 video
  /// and AAC.
  func objection(toStream esds: Bytes, of mediaType: MediaType) -> String? {
    guard self != .mp4, !isQuickTime, let number = ElementaryStream(payload: esds)?.objectType else { return nil }
    // The object type numbers of MPEG-4 and MPEG-2 AAC, and of MPEG-4 Visual.
    let isOwn = mediaType == .audio ? [0x40, 0x66, 0x67, 0x68].contains(number) : number == 0x20
    guard !isOwn else { return nil }
    let code = mediaType == .audio ? "mp4a" : "mp4v"
    return notRegistered("\(code) with the object type \(number)\(Self.streams[number].map { ", \($0)" } ?? "")")
  }

  private func notRegistered(_ format: String) -> String {
    "is in \(format.hasSuffix(" ") ? "\"\(format)\"" : format), which is not registered for \(name)"
  }

  private static let streams: [UInt8: String] = [
    0x60: "MPEG-2", 0x61: "MPEG-2", 0x62: "MPEG-2", 0x63: "MPEG-2", 0x64: "MPEG-2", 0x65: "MPEG-2", 0x6A: "MPEG-1",
    0x6C: "JPEG", 0x6D: "PNG", 0x69: "MP3 or MP2", 0x6B: "MP3 or MP2", 0xA5: "AC-3", 0xA6: "E-AC-3", 0xA9: "DTS",
    0xDD: "Vorbis",
  ]

  private func allows(_ format: FourCC, in formats: FormatLists) -> Bool {
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

  /// The formats of chapter pictures in Apple's podcasts.
  private static let images: Set<FourCC> = ["jpeg", "png "]
  /// The formats of descriptions of encrypted samples.
  private static let encrypted: Set<FourCC> = ["encv", "enca"]

  /// Returns the format that the samples had before they were encrypted. It is declared in `sinf` (ISO/IEC 14496-12
  /// 8.12). Returns `format` if the samples are not encrypted or `sinf` is missing.
  static func unencrypted(_ format: FourCC, _ atoms: [SampleEntryAtoms.Atom]) -> FourCC {
    guard encrypted.contains(format), let sinf = atoms.first(where: { $0.type == "sinf" }) else { return format }
    return SampleEntryAtoms(sinf.payload)["frma"]?.load(at: 0, as: UInt32.self).map { FourCC(rawValue: $0) } ?? format
  }

  /// The media types of QuickTime (QTFF "Media Data Atom Types").
  private static let quickTimeMedia: Set<FourCC> = [
    "MPEG", "musi", "sprt", "twen", "qtvr", "STpn", "pano", "obje", "flsh", "qd3d", "strm", "gnrc", "skin", "wtxt",
  ]

  /// Returns whether no player is known to support a format in QuickTime movies.
  ///
  /// This applies to formats that are newer than QuickTime (``/MovieBox/PlayerSupport``), encrypted samples, text
  /// formats of later standards, and subtitles that are stored as pictures.
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
        return nil  // The description cannot be read, and the conversion copies it unchanged.
      }
    }
    return PlayerSupport.support(for: format, in: mediaType).map { !$0.isKnownInQuickTimeMovies } ?? false
  }

  private static let unknownText: Set<FourCC> = ["stpp", "sbtt", "stxt"]
}
