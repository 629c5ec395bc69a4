/// The players that can decode a coded format. `validate`, `hls`, `html` and conversion all use this table.
///
/// Sources:
/// * Apple's files and streams: HLS Authoring Specification for Apple Devices, 1.1 to 1.10 and 2.1 to 2.25; technical
///   specifications of iPhone, Apple TV and Mac (AV1 in hardware from A17 Pro and M3 on); `CMFormatDescription.h`,
///   which has no `hev1`; Apple's developer forums, thread 775937 (Opus in MP4 from iOS 17 on).
/// * Browsers: MDN, "Web video codec guide" and "Web audio codec guide", and tests. In Chromium, files with H.264
///   (4:2:2, 4:4:4 and High 10), VP9, AV1, Opus, FLAC, and MP3 in MP4 play. Files with HEVC, AC-3, E-AC-3, ALAC, ProRes
///   and MPEG-4 Part 2 do not. Media Source Extensions do not accept MP3 in MP4, ALAC, ALS and xHE-AAC. Chromium plays
///   PCM, G.711 and Vorbis. Firefox plays none of the three, and does not open movies with PCM of 24 bits or more.
///   Neither browser plays older formats of QuickTime.
/// * hls.js: tests of version 1.6 with Chromium. MP3 in MP4 is silent without an error, and ALAC stops the
///   presentation.
/// * Android: "Supported media formats"; Compatibility Definition Document, 5.1; the formats of Media3.
package struct PlayerSupport: Sendable {
  /// The support for a format among a group of players.
  package enum Level: Hashable, Sendable {
    case all
    /// Only the players that the description names.
    case some(String)
    /// No player. `effect` describes the result for the viewer.
    case none(effect: String)
    /// The support is neither documented nor measured.
    case unknown

    /// The effect for the viewer, or `nil` if some players support the format.
    package var effect: String? { if case .none(let effect) = self { effect } else { nil } }
  }

  /// The format's name, such as `H.264 High 10`.
  package let name: String
  /// The support in QuickTime Player, Apple TV, iPhone and Safari for a file.
  package let apple: Level
  /// The support in QuickTime Player, Apple TV, iPhone and Safari for an HLS presentation.
  package let appleStreams: Level
  /// The support in Chrome, Edge and Firefox for a file.
  package let browsers: Level
  /// The support in Chrome, Edge and Firefox for an HLS presentation with hls.js or Shaka Player (Media Source
  /// Extensions).
  package let browserStreams: Level
  /// The support in Android players that use the decoders of Android.
  package let android: Level
  /// Whether players are known to support the format in QuickTime movies.
  package let isKnownInQuickTimeMovies: Bool
  private let matches: @Sendable (CodedFormat) -> Bool

  /// Returns the row for a format, or `nil` if the table does not contain the format.
  package static func support(for format: CodedFormat, in mediaType: MediaType? = nil) -> PlayerSupport? {
    let rows = mediaType == .audio ? sounds : mediaType == .video ? pictures : table
    return rows.first { $0.matches(format) }
  }

  private init(
    _ name: String, apple: Level, appleStreams: Level? = nil, browsers: Level, browserStreams: Level? = nil,
    android: Level, isKnownInQuickTimeMovies: Bool = true, matches: @escaping @Sendable (CodedFormat) -> Bool
  ) {
    (self.name, self.apple, self.appleStreams) = (name, apple, appleStreams ?? apple)
    (self.browsers, self.browserStreams, self.android) = (browsers, browserStreams ?? browsers, android)
    (self.isKnownInQuickTimeMovies, self.matches) = (isKnownInQuickTimeMovies, matches)
  }

  private static let noPicture = Level.none(effect: "viewers see no picture")
  private static let noSound = Level.none(effect: "viewers hear nothing")
  private static let browsersWithHEVC = Level.some(
    "browsers with an HEVC decoder in the hardware or the operating system")
  private static let browsersWithAC3 = Level.some("browsers that use a decoder of the operating system, such as Edge")

  private static let onlyChrome = Level.some("Chrome and Edge; Firefox plays no sound, or does not open the movie")

  private static let playersWithOwnDecoder = Level.some("players with their own decoder")
  private static let devicesWithDecoder = Level.some("devices with a decoder for the format")

  /// Specific rows precede general rows, because the first matching row applies.
  private static let table = pictures + sounds

  private static let pictures: [PlayerSupport] = [
    PlayerSupport(
      "HEVC whose parameter sets may be in samples (hev1)", apple: noPicture, browsers: browsersWithHEVC, android: .all
    ) { $0.format == "hev1" },
    PlayerSupport(
      "Dolby Vision whose parameter sets may be in samples (dvhe)", apple: noPicture, browsers: browsersWithHEVC,
      android: .some("devices with a decoder for Dolby Vision")
    ) { $0.format == "dvhe" },
    PlayerSupport(
      "H.264 whose parameter sets may be in samples (avc3)", apple: noPicture, browsers: .all, android: .all
    ) { $0.format == "avc3" },
    PlayerSupport(
      "H.264 4:4:4", apple: noPicture, browsers: .some("Chrome and Edge; Firefox on some systems"), android: noPicture
    ) { avc.contains($0.format) && $0.chroma == .full },
    PlayerSupport(
      "H.264 4:2:2", apple: .some("QuickTime Player on a Mac; iPhone and Apple TV show no picture"),
      browsers: .some("Chrome and Edge; Firefox on some systems"), android: noPicture
    ) { avc.contains($0.format) && $0.chroma == .half },
    PlayerSupport(
      "H.264 with more than 8 bits (High 10)", apple: noPicture,
      browsers: .some("Chrome and Edge; Firefox on some systems"), android: noPicture
    ) { avc.contains($0.format) && $0.bitDepth ?? 8 > 8 },
    PlayerSupport("H.264", apple: .all, browsers: .all, android: .all) { avc.contains($0.format) },
    PlayerSupport(
      "HEVC 4:2:2, 4:4:4 or with more than 10 bits",
      apple: .some("newer Macs; other devices show no picture"),
      browsers: .some("browsers with a decoder for the format"),
      android: devicesWithDecoder
    ) { hevc.contains($0.format) && ($0.chroma == .half || $0.chroma == .full || $0.bitDepth ?? 8 > 10) },
    PlayerSupport("HEVC", apple: .all, browsers: browsersWithHEVC, android: .all) { $0.format == "hvc1" },
    PlayerSupport(
      "Dolby Vision", apple: .all, browsers: browsersWithHEVC, android: .some("devices with a decoder for Dolby Vision")
    ) { $0.format == "dvh1" },
    PlayerSupport(
      "AV1 4:2:2 or 4:4:4", apple: noPicture, browsers: .all, android: noPicture, isKnownInQuickTimeMovies: false
    ) { av1.contains($0.format) && ($0.chroma == .half || $0.chroma == .full) },
    PlayerSupport(
      "AV1", apple: .some("devices with a decoder in hardware: iPhone 15 Pro, Macs with M3, and later"),
      browsers: .all, android: .all, isKnownInQuickTimeMovies: false
    ) { av1.contains($0.format) },
    PlayerSupport("VP9", apple: noPicture, browsers: .all, android: .all, isKnownInQuickTimeMovies: false) {
      $0.format == "vp09"
    },
    PlayerSupport("VP8", apple: noPicture, browsers: .all, android: .all, isKnownInQuickTimeMovies: false) {
      $0.format == "vp08"
    },
    PlayerSupport("VVC", apple: noPicture, browsers: noPicture, android: noPicture, isKnownInQuickTimeMovies: false) {
      ["vvc1", "vvi1"].contains($0.format)
    },
    PlayerSupport("EVC", apple: noPicture, browsers: noPicture, android: noPicture, isKnownInQuickTimeMovies: false) {
      $0.format == "evc1"
    },
    PlayerSupport("MPEG-4 Part 2", apple: .all, appleStreams: noPicture, browsers: noPicture, android: .all) {
      $0.format == "mp4v" && $0.streamType == 0x20
    },
    PlayerSupport(
      "MPEG-1 or MPEG-2 video", apple: .unknown, appleStreams: noPicture, browsers: noPicture, android: .unknown
    ) {
      mpeg2.contains($0.format) || $0.format == "mp4v" && (0x60...0x65).contains($0.streamType ?? 0)
        || $0.format == "mp4v" && $0.streamType == 0x6A
    },
    PlayerSupport("Motion JPEG", apple: .all, appleStreams: noPicture, browsers: noPicture, android: .unknown) {
      ["jpeg", "mjpa", "mjpb"].contains($0.format) || $0.format == "mp4v" && $0.streamType == 0x6C
    },
    PlayerSupport("H.263", apple: .unknown, appleStreams: noPicture, browsers: noPicture, android: .all) {
      ["h263", "s263"].contains($0.format)
    },
    PlayerSupport(
      "an older format of QuickTime or of editing software", apple: .unknown, appleStreams: noPicture,
      browsers: noPicture,
      android: noPicture
    ) { oldFormats.contains($0.format) || $0.format == "mp4v" && $0.streamType == 0x6D },
    PlayerSupport("ProRes", apple: .all, appleStreams: noPicture, browsers: noPicture, android: noPicture) {
      ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"].contains($0.format)
    },
  ]

  private static let sounds: [PlayerSupport] = [
    PlayerSupport(
      "MP3", apple: .all, browsers: .all, browserStreams: .none(effect: "viewers hear nothing, without an error"),
      android: .all
    ) {
      $0.format == "mp4a" && ([0x69, 0x6B].contains($0.streamType) || [32, 33, 34].contains($0.soundObjectType))
    },
    PlayerSupport("MP3", apple: .all, appleStreams: noSound, browsers: .all, browserStreams: noSound, android: .all) {
      $0.format == ".mp3"
    },
    PlayerSupport(
      "PCM", apple: .all, appleStreams: noSound, browsers: onlyChrome, browserStreams: noSound, android: .unknown
    ) { pcm.contains($0.format) },
    PlayerSupport(
      "PCM in an MP4 file", apple: .unknown, appleStreams: noSound, browsers: onlyChrome, browserStreams: noSound,
      android: .unknown, isKnownInQuickTimeMovies: false
    ) { ["ipcm", "fpcm"].contains($0.format) },
    PlayerSupport(
      "G.711", apple: .all, appleStreams: noSound, browsers: onlyChrome, browserStreams: noSound, android: .unknown
    ) { ["ulaw", "alaw"].contains($0.format) },
    PlayerSupport("64-bit PCM", apple: .all, appleStreams: noSound, browsers: noSound, android: .unknown) {
      $0.format == "fl64"
    },
    PlayerSupport(
      "IMA ADPCM", apple: .all, appleStreams: noSound, browsers: noSound,
      android: .unknown
    ) {
      $0.format == "ima4"
    },
    PlayerSupport(
      "an older format of QuickTime", apple: .unknown, appleStreams: noSound, browsers: noSound, android: noSound
    ) { ["QDM2", "QDMC", "MAC3", "MAC6", "ms\u{0}\u{2}", "ms\u{0}\u{11}"].contains($0.format) },
    PlayerSupport("AMR", apple: .unknown, appleStreams: noSound, browsers: noSound, android: .all) {
      ["samr", "sawb"].contains($0.format)
    },
    PlayerSupport(
      "MPEG-4 ALS", apple: noSound, browsers: noSound, browserStreams: .none(effect: "the presentation stops"),
      android: noSound
    ) { $0.format == "mp4a" && $0.soundObjectType == 36 },
    PlayerSupport(
      "xHE-AAC", apple: .all,
      browsers: .some("browsers that use a decoder of the operating system; Firefox plays no sound"),
      android: .some("Android 9 and later")
    ) { $0.format == "mp4a" && $0.soundObjectType == 42 },
    PlayerSupport("AAC", apple: .all, browsers: .all, android: .all) {
      $0.format == "mp4a" && ([0x66, 0x67, 0x68].contains($0.streamType) || [2, 5, 29].contains($0.soundObjectType))
    },
    PlayerSupport(
      "E-AC-3 with Dolby Atmos (JOC)", apple: .all, browsers: browsersWithAC3,
      android: .some("devices with a Dolby decoder; without Atmos support, they play only 5.1 channels")
    ) { $0.format == "ec-3" && $0.atmosObjectCount != nil },
    PlayerSupport("E-AC-3", apple: .all, browsers: browsersWithAC3, android: .some("devices with a Dolby decoder")) {
      $0.format == "ec-3" || $0.format == "mp4a" && $0.streamType == 0xA6
    },
    PlayerSupport("AC-3", apple: .all, browsers: browsersWithAC3, android: .some("devices with a Dolby decoder")) {
      $0.format == "ac-3" || $0.format == "mp4a" && $0.streamType == 0xA5
    },
    PlayerSupport(
      "ALAC", apple: .all, browsers: noSound, browserStreams: .none(effect: "the presentation stops"),
      android: playersWithOwnDecoder
    ) { $0.format == "alac" },
    PlayerSupport("FLAC", apple: .all, browsers: .all, android: .all, isKnownInQuickTimeMovies: false) {
      $0.format == "fLaC"
    },
    PlayerSupport(
      "Opus", apple: .some("players of iOS 17, macOS 14 and later"), appleStreams: noSound, browsers: .all,
      android: .all,
      isKnownInQuickTimeMovies: false
    ) { $0.format == "Opus" },
    PlayerSupport(
      "DTS", apple: noSound, browsers: noSound, android: playersWithOwnDecoder, isKnownInQuickTimeMovies: false
    ) {
      ["dtsc", "dtse", "dtsh", "dtsl", "dtsx"].contains($0.format)
        || $0.format == "mp4a" && [0xA9, 0xAA, 0xAB, 0xAC].contains($0.streamType)
    },
    PlayerSupport(
      "Vorbis", apple: noSound, browsers: onlyChrome, browserStreams: noSound, android: playersWithOwnDecoder,
      isKnownInQuickTimeMovies: false
    ) { $0.format == "mp4a" && $0.streamType == 0xDD },
    PlayerSupport(
      "AC-4", apple: noSound, browsers: noSound, android: devicesWithDecoder, isKnownInQuickTimeMovies: false
    ) { $0.format == "ac-4" },
    PlayerSupport(
      "MPEG-H", apple: noSound, browsers: noSound, android: devicesWithDecoder, isKnownInQuickTimeMovies: false
    ) { ["mha1", "mha2", "mhm1", "mhm2"].contains($0.format) },
    PlayerSupport(
      "TrueHD", apple: noSound, browsers: noSound, android: devicesWithDecoder, isKnownInQuickTimeMovies: false
    ) { $0.format == "mlpa" },
    PlayerSupport("IAMF", apple: .unknown, browsers: .unknown, android: .unknown, isKnownInQuickTimeMovies: false) {
      $0.format == "iamf"
    },
  ]

  private static let pcm: Set<FourCC> = [
    "sowt", "twos", "lpcm", "in24", "in32", "fl32", "raw ", "NONE",
  ]
  private static let mpeg2: Set<FourCC> = [
    "mpeg", "m1v ", "m2v1", "mp2v", "hdv1", "hdv2", "hdv3", "hdv5", "hdv6", "hdv7", "hdv8", "hdv9", "mx5n", "mx5p",
    "mx4n", "mx4p", "mx3n", "mx3p", "xdv1", "xdv2", "xdv3", "xdv4", "xdv5", "xdv6", "xdv7", "xdv8", "xdv9", "xdva",
    "xdvb", "xdvc", "xdvd", "xdve", "xdvf", "xd54", "xd55", "xd59", "xd5a", "xd5b", "xd5c", "xd5d", "xd5e", "xd5f",
  ]
  private static let oldFormats: Set<FourCC> = [
    "rle ", "SVQ1", "SVQ3", "cvid", "png ", "FLV1", "raw ", "2vuy", "2Vuy", "yuv2", "yuvs", "v210", "v216", "v308",
    "v408", "v410", "r210", "b64a", "dvc ", "dvcp", "dvpp", "dv5n", "dv5p", "dvhp", "dvhq", "dvh2", "dvh3", "dvh5",
    "dvh6", "AVdn", "AVdh", "CFHD", "icod", "smc ", "rpza", "8BPS", "IV50", "VP60", "tiff",
  ]
  private static let avc: Set<FourCC> = ["avc1", "avc2"]
  private static let hevc: Set<FourCC> = ["hvc1", "dvh1"]
  private static let av1: Set<FourCC> = ["av01", "dav1"]
}

extension Movie {
  /// Returns the rows for a track's sample descriptions, in order.
  package func playerSupport(of track: Track) -> [PlayerSupport] {
    codedFormats(of: track).compactMap { PlayerSupport.support(for: $0, in: track.mediaType) }
  }
}
