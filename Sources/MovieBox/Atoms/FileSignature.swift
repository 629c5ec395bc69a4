import Subtitles

/// The format of a file, detected from its first bytes so that an error message can name the format.
package enum FileSignature: String, Hashable, Sendable, CaseIterable {
  case movie = "a QuickTime or MP4 movie"
  case matroska = "a Matroska or WebM file"
  case avi = "an AVI file"
  case wave = "a WAVE file"
  case transportStream = "an MPEG transport stream"
  case programStream = "an MPEG program stream"
  case flashVideo = "a Flash video file"
  case advancedSystems = "an ASF file (WMV, WMA)"
  case ogg = "an Ogg file"
  case mp3 = "an MP3 file"
  case adts = "an AAC stream (ADTS)"
  case dolbyDigital = "a Dolby Digital stream (AC-3)"
  case flac = "a FLAC file"
  case aiff = "an AIFF file"
  case coreAudio = "a Core Audio file (CAF)"
  case presentationGraphics = "picture subtitles (PGS)"
  case webVTT = "WebVTT subtitles"
  case subRip = "SubRip subtitles"
  case subStation = "SubStation Alpha subtitles"
  case timedTextMarkup = "TTML subtitles"
  case sami = "SAMI subtitles"
  case microDVD = "MicroDVD subtitles"
  case subViewer = "SubViewer subtitles"
  case vobSub = "the index of VobSub subtitles, which are pictures"
  case scenarist = "Scenarist closed captions"
  case ebuSTL = "EBU STL subtitles"
  case lyrics = "LRC lyrics"
  case mpl2 = "MPL2 subtitles"
  case tmPlayer = "TMPlayer subtitles"
  case phoenix = "PJS subtitles (Phoenix Japanimation Society)"
  case spruceSTL = "Spruce STL subtitles"
  case realText = "RealText subtitles"
  case jacoSub = "JACOsub subtitles"
  case macCaption = "MacCaption closed captions (MCC)"
  case whisperTable = "a Whisper transcript (TSV)"
  case whisperJSON = "a Whisper transcript (JSON)"
  case youTubeXML = "YouTube captions (XML)"
  case youTubeJSON = "YouTube captions (json3)"
  case richText = "a rich text document (RTF), to be saved as plain text first"
  case text = "plain text"
  case archive = "a compressed archive, to be unpacked first"
  case picture = "a picture"

  /// The number of examined bytes at the start of a file.
  fileprivate static let byteCount: UInt64 = 1 << 10

  /// Whether the file contains subtitles in a supported format.
  package var isReadableSubtitles: Bool {
    switch self {
    case .webVTT, .subRip, .scenarist, .macCaption: true
    default: false
    }
  }

  /// Whether the file is text.
  package var isText: Bool {
    switch self {
    case .webVTT, .subRip, .subStation, .timedTextMarkup, .sami, .microDVD, .subViewer, .vobSub, .scenarist, .ebuSTL,
      .lyrics, .mpl2, .tmPlayer, .phoenix, .spruceSTL, .realText, .jacoSub, .macCaption, .whisperTable, .whisperJSON,
      .youTubeXML, .youTubeJSON, .richText, .text:
      true
    default: false
    }
  }

  /// Detects the format from the first bytes of a file, or returns `nil` if the format is unknown.
  package init?(_ head: Bytes) {
    let words = (0..<3).map { head.load(at: $0 * 4, as: UInt32.self) }
    switch words[0] {
    case 0x1A45_DFA3: self = .matroska  // The EBML header (RFC 8794, 11.2.1).
    case 0x5249_4646 where words[2] == 0x4156_4920: self = .avi  // RIFF….AVI
    case 0x5249_4646 where words[2] == 0x5741_5645: self = .wave  // RIFF….WAVE
    case 0x0000_01BA: self = .programStream  // The pack header (ISO/IEC 13818-1, 2.5.3.3).
    case 0x464C_5601: self = .flashVideo  // FLV, version 1
    case 0x4F67_6753: self = .ogg  // OggS
    case 0x664C_6143: self = .flac  // fLaC
    case 0x464F_524D where words[2].map { $0 >> 8 } == 0x41_4946: self = .aiff  // FORM….AIF
    case 0x6361_6666 where words[1].map { $0 >> 16 } == 1: self = .coreAudio  // caff, version 1
    case 0x3026_B275 where words[1] == 0x8E66_CF11: self = .advancedSystems  // The GUID of the header object.
    case 0x504B_0304, 0x5261_7221, 0x377A_BCAF: self = .archive  // ZIP, RAR, 7z
    case 0x8950_4E47: self = .picture  // PNG
    default:
      let isMovie = words[1].map { Self.firstAtomTypes.contains(FourCC(rawValue: $0)) } ?? false
      if !isMovie, head.first == 0xFF, let stream = Self.stream(head) {
        self = stream
      } else if let text = Self.text(head) {
        self = text
      } else if isMovie {
        self = .movie
      } else if Self.isTransportStream(head) {
        self = .transportStream
      } else if let stream = Self.stream(head) {
        self = stream
      } else {
        return nil
      }
    }
  }

  /// Detects an elementary stream or other data by the fixed bits at the start of its first frame.
  private static func stream(_ head: Bytes) -> FileSignature? {
    guard let word = head.load(at: 0, as: UInt32.self) else { return nil }
    if word >> 8 == 0x49_4433 { return .mp3 }  // ID3
    if word >> 17 == 0x7FFD, word >> 12 & 15 != 15 { return .mp3 }  // Sync, MPEG-1, layer III
    if word >> 20 == 0xFFF, word >> 17 & 3 == 0 { return .adts }  // Sync, layer 0
    if word >> 8 == 0xFF_D8FF { return .picture }  // JPEG: start of image, a marker
    if word >> 8 == 0x1F_8B08 { return .archive }  // gzip, deflate
    if word >> 16 == 0x0B77, head.load(at: 5, as: UInt8.self).map({ $0 >> 3 <= 16 }) == true {
      return .dolbyDigital  // Sync, a bit stream identification of AC-3 or E-AC-3
    }
    let segments: [UInt8] = [0x14, 0x15, 0x16, 0x17, 0x80]
    if word >> 16 == 0x5047, let type = head.load(at: 10, as: UInt8.self), segments.contains(type) {
      return .presentationGraphics  // PG, times, a segment
    }
    return nil
  }

  /// The possible types of a movie's first atom.
  private static let firstAtomTypes: Set<FourCC> = ["ftyp", "moov", "mdat", "wide", "styp", "free", "skip", "pnot"]

  /// Whether the bytes are packets of a transport stream. A packet has a sync byte and 187 more bytes (ISO/IEC 13818-1,
  /// 2.4.3.2). A 4-byte time may precede each packet.
  private static func isTransportStream(_ head: Bytes) -> Bool {
    [(first: 0, step: 188), (first: 4, step: 192)].contains { packets in
      (0..<3).allSatisfy { head.load(at: packets.first + $0 * packets.step, as: UInt8.self) == 0x47 }
    }
  }

  /// Detects a text format, or returns `nil` if the bytes contain control characters other than whitespace. WebVTT
  /// begins with its name. The text is SubRip if `-->` follows a colon.
  private static func text(_ head: Bytes) -> FileSignature? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = Array(head.prefix(Int(byteCount)))
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    guard !text.isEmpty, text.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return nil }
    if text.starts(with: "WEBVTT".utf8) { return .webVTT }
    if let other = unsupportedSubtitles(text) { return other }
    let arrow = text.indices.first { text[$0...].starts(with: "-->".utf8) }
    guard let arrow, text[..<arrow].contains(UInt8(ascii: ":")) else { return .text }
    return .subRip
  }
}

extension RandomAccessSource {
  /// Returns the format of the file, or `nil` if the format is unknown. Requires one short read.
  package func signature() throws -> FileSignature? {
    FileSignature(try readExactly(ByteRange(0..<Swift.min(identity().byteCount, FileSignature.byteCount))))
  }
}

// Subtitle formats that are detected but not supported.
extension FileSignature {
  /// Detects a subtitle format other than WebVTT and SubRip, or returns `nil` if the format is unknown.
  static func unsupportedSubtitles(_ text: ArraySlice<UInt8>) -> FileSignature? {
    let words = String(decoding: text, as: UTF8.self).lowercased()
    let start = words.drop(while: \.isWhitespace)
    let line = start.prefix { !$0.isNewline }
    let marks: [(FileSignature, String)] = [
      (.subStation, "[script info]"), (.sami, "<sami"), (.scenarist, "scenarist_scc"), (.vobSub, "# vobsub index"),
      (.subViewer, "[information]"), (.richText, "{\\rtf"), (.macCaption, "file format=maccaption"),
      (.whisperTable, "start\tend\ttext"), (.realText, "<window"), (.spruceSTL, "$fontname"),
      (.spruceSTL, "$timeoffset"), (.jacoSub, "#timeres"), (.jacoSub, "#t1"),
    ]
    if let match = marks.first(where: { start.hasPrefix($0.1) }) { return match.0 }
    if start.hasPrefix("<"), ["<tt ", "<tt>", "<tt\n", "<tt\r", "<tt\t", "<tt:tt"].contains(where: words.contains) {
      return .timedTextMarkup
    }
    if start.hasPrefix("{") || start.hasPrefix("[") {
      if words.contains("\"wiremagic\"") || words.contains("\"tstartms\"") { return .youTubeJSON }
      let members = words.filter { !$0.isWhitespace }
      if members.hasPrefix("{\"text\":") || ["\"segments\":[", "\"transcription\":["].contains(where: members.contains)
      {
        return .whisperJSON
      }
    }
    if start.hasPrefix("<"), words.contains("<timedtext") || words.contains("<transcript>") { return .youTubeXML }
    if text.dropFirst(3).starts(with: "STL".utf8), text.dropFirst(8).starts(with: ".01".utf8) { return .ebuSTL }
    if beginsWithFrames(line) { return .microDVD }
    // Comments and settings may precede the first cue. Skip them.
    let lines = start.split(whereSeparator: \.isNewline)
    let first = lines.first { !$0.hasPrefix("//") && !$0.hasPrefix("#") && !$0.hasPrefix("$") }
    if let first, let format = format(ofLine: first) { return format }
    let times = line.split(separator: ",", omittingEmptySubsequences: false)
    if times.count == 2, times.allSatisfy(isTime) { return .subViewer }
    if line.first == "[", let end = line.firstIndex(of: "]") {
      let tag = line[line.index(after: line.startIndex)..<end]
      let name = tag.prefix { $0 != ":" }
      if ["ar", "al", "ti", "au", "by", "re", "ve", "offset", "length"].contains(name), name.count < tag.count {
        return .lyrics
      }
      if isTime("0:" + tag) { return .lyrics }
    }
    return nil
  }

  /// Whether the text is a time such as `0:00:01.000`, with one to three digits in each number.
  private static func isTime(_ text: some StringProtocol) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let seconds = parts.last?.split(separator: "."), seconds.count == 2 else { return false }
    return (parts.prefix(2).map { String($0) } + seconds.map { String($0) }).allSatisfy {
      (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy(Ascii.isDigit)
    }
  }

  /// Whether the line begins with frame numbers such as `{25}{50}`.
  private static func beginsWithFrames(_ line: Substring) -> Bool {
    let parts = line.prefix(40).split(separator: "}", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3
      && parts.prefix(2).allSatisfy { part in
        part.first == "{" && part.count > 1 && part.dropFirst().utf8.allSatisfy(Ascii.isDigit)
      }
  }

  /// Detects the format of a line with times, or returns `nil` if the format is unknown.
  private static func format(ofLine line: Substring) -> FileSignature? {
    if let rest = line.skipping("["), let second = rest.skippingDigits()?.skipping("]["),
      second.skippingDigits(allowsNone: true)?.hasPrefix("]") == true
    {
      return .mpl2
    }
    if let rest = line.skippingDigits()?.skipping(",")?.skippingBlanks().skippingDigits()?.skipping(","),
      rest.skippingBlanks().hasPrefix("\"")
    {
      return .phoenix
    }
    if let rest = line.skipping("@")?.skippingDigits()?.skipping(" @")?.skippingDigits(), rest.hasPrefix(" ") {
      return .jacoSub
    }
    guard let clock = line.skippingClock() else { return nil }
    if let first = clock.skipping(".")?.skippingDigits()?.skipping(" "),
      first.skippingClock()?.skipping(".")?.skippingDigits()?.hasPrefix(" ") == true
    {
      return .jacoSub
    }
    if let first = (clock.skipping(":") ?? clock.skipping(";") ?? clock.skipping("."))?.skippingDigits()?
      .skippingBlanks().skipping(","),
      let second = first.skippingBlanks().skippingClock(),
      let text = (second.skipping(":") ?? second.skipping(";") ?? second.skipping("."))?.skippingDigits(),
      text.skippingBlanks().hasPrefix(",")
    {
      return .spruceSTL
    }
    // In TMPlayer files, a line number may follow the time.
    let text = clock.skipping(",")?.skippingDigits() ?? clock
    return (text.skipping(":") ?? text.skipping("=")).map { $0.first?.isNumber != true } == true ? .tmPlayer : nil
  }
}

extension Substring {
  /// Returns the text after `prefix`, or `nil` if the text does not begin with it.
  fileprivate func skipping(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }

  /// Returns the text after any leading spaces and tabs.
  fileprivate func skippingBlanks() -> Substring { drop { $0 == " " || $0 == "\t" } }

  /// Returns the text after leading digits. If there are no digits, returns the whole text if `allowsNone` is `true`,
  /// or `nil` otherwise.
  fileprivate func skippingDigits(allowsNone: Bool = false) -> Substring? {
    let rest = drop { $0.isASCII && $0.isNumber }
    return allowsNone || rest.startIndex > startIndex ? rest : nil
  }

  /// Returns the text after leading hours, minutes and seconds, or `nil` if the text does not begin with such a time.
  fileprivate func skippingClock() -> Substring? {
    skippingDigits()?.skipping(":")?.skippingDigits()?.skipping(":")?.skippingDigits()
  }
}
