/// What the first bytes of a file tell of its format, so that a file of another kind can be named.
package enum FileSignature: String, Hashable, Sendable {
  case movie = "a QuickTime or MP4 movie"
  case matroska = "a Matroska or WebM file"
  case avi = "an AVI file"
  case wave = "a WAVE file"
  case transportStream = "an MPEG transport stream"
  case programStream = "an MPEG program stream"
  case flashVideo = "a Flash video file"
  case ogg = "an Ogg file"
  case webVTT = "WebVTT subtitles"
  case subRip = "SubRip subtitles"
  case text = "plain text"

  /// How many bytes at the start of a file are looked at.
  fileprivate static let byteCount: UInt64 = 1 << 10

  /// Whether the file is one of subtitles.
  package var isSubtitles: Bool { self == .webVTT || self == .subRip }

  /// The format that the first bytes of a file are of; `nil` for one that is not known here.
  package init?(_ head: Bytes) {
    let words = (0..<3).map { head.load(at: $0 * 4, as: UInt32.self) }
    switch words[0] {
    case 0x1A45_DFA3: self = .matroska  // The EBML header (RFC 8794, 11.2.1).
    case 0x5249_4646 where words[2] == 0x4156_4920: self = .avi  // RIFF….AVI
    case 0x5249_4646 where words[2] == 0x5741_5645: self = .wave  // RIFF….WAVE
    case 0x0000_01BA: self = .programStream  // The pack header (ISO/IEC 13818-1, 2.5.3.3).
    case 0x464C_5601: self = .flashVideo  // FLV, version 1
    case 0x4F67_6753: self = .ogg  // OggS
    default:
      if let text = Self.text(head) {
        self = text
      } else if let type = words[1].map(FourCC.init(rawValue:)), Self.firstAtoms.contains(type) {
        self = .movie
      } else if Self.isTransportStream(head) {
        self = .transportStream
      } else {
        return nil
      }
    }
  }

  /// The atoms that movies begin with.
  private static let firstAtoms: Set<FourCC> = ["ftyp", "moov", "mdat", "wide", "styp", "free", "skip", "pnot"]

  /// Whether sync bytes begin packets of 188 bytes, or of 192 behind four bytes of time (ISO/IEC 13818-1, 2.4.3.2).
  private static func isTransportStream(_ head: Bytes) -> Bool {
    [(first: 0, step: 188), (first: 4, step: 192)].contains { packets in
      (0..<3).allSatisfy { head.load(at: packets.first + $0 * packets.step, as: UInt8.self) == 0x47 }
    }
  }

  /// Text has no control characters but those between words and lines; WebVTT begins with its name, SubRip soon has an
  /// arrow between two times.
  private static func text(_ head: Bytes) -> FileSignature? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = head.array.prefix(Int(byteCount))
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes
    guard !text.isEmpty, text.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return nil }
    if text.starts(with: "WEBVTT".utf8) { return .webVTT }
    let arrow = text.indices.first { text[$0...].starts(with: "-->".utf8) }
    guard let arrow, text[..<arrow].contains(UInt8(ascii: ":")) else { return .text }
    return .subRip
  }
}

extension RandomAccessSource {
  /// The format that the first bytes of the file are of; `nil` for one that is not known. One short read.
  package func signature() throws -> FileSignature? {
    FileSignature(try readExactly(ByteRange(0..<Swift.min(identity().byteCount, FileSignature.byteCount))))
  }
}
