package import MovieBox

/// The name of a sample format in `CODECS` (RFC 6381 and the specification of each codec), derived from the codec's
/// configuration.
///
/// A player uses the name to decide whether it supports a variant before it loads any media.
package struct CodecString: Hashable, Sendable {
  /// The value for `CODECS`, such as `avc1.64001f`.
  package let text: String
  /// The Dolby Vision format for `SUPPLEMENTAL-CODECS`, or `nil` if there is none. Players that support it use it
  /// instead of the base format.
  package let supplement: String?

  /// The codec without its parameters, such as `avc1` or `mp4a`.
  package var family: Substring { text.prefix { $0 != "." } }

  /// Creates the codec string of a sample description, or returns `nil` if HTTP Live Streaming does not support the
  /// format, or if the configuration is missing or truncated.
  ///
  /// - Parameters:
  ///   - entry: the index of the sample description among the atoms of the movie.
  ///   - tree: the atoms of the movie.
  package init?(_ entry: Int, of tree: AtomTree) {
    func payload(_ type: FourCC) -> Bytes? { tree.configuration(type, of: entry) }
    let format = tree[entry].type
    let dolby = (payload("dvcC") ?? payload("dvvC")).flatMap { DolbyVision($0) }
    switch format {
    case "avc1", "avc3":
      guard let avcC = payload("avcC"), let profile = avcC.load(at: 0, as: UInt32.self) else { return nil }
      self.init("\(format)." + Hexadecimal.digits(profile & 0xFF_FFFF, atLeast: 6), dolby?.supplement)
    case "hvc1", "hev1":
      guard let text = payload("hvcC").flatMap(Self.hevc) else { return nil }
      self.init("\(format).\(text)", dolby?.supplement)
    case "dvh1", "dvhe", "dav1":
      guard let dolby else { return nil }
      self.init("\(format).\(decimal(dolby.profile)).\(decimal(dolby.level))")
    case "av01":
      guard let text = payload("av1C").flatMap(Self.av1) else { return nil }
      self.init("av01.\(text)", dolby?.supplement)
    case "vp09":
      guard let vpcC = payload("vpcC"), let profile = vpcC.load(at: 4, as: UInt8.self),
        let level = vpcC.load(at: 5, as: UInt8.self), let depth = vpcC.load(at: 6, as: UInt8.self)
      else { return nil }
      self.init("vp09.\(decimal(profile)).\(decimal(level)).\(decimal(depth >> 4))")
    case "mp4a":
      guard let text = payload("esds").flatMap({ ElementaryStream(payload: $0) }).flatMap(Self.mpeg4) else {
        return nil
      }
      self.init(text)
    case "ac-3", "ec-3", "alac", "fLaC", "Opus": self.init(format.description)
    default: return nil
    }
  }

  private init(_ text: String, _ supplement: String? = nil) {
    self.text = text
    self.supplement = supplement
  }

  /// Formats the HEVC parameters (ISO/IEC 14496-15, annex E.3).
  private static func hevc(_ hvcC: Bytes) -> String? {
    guard let first = hvcC.load(at: 1, as: UInt8.self), let compatible = hvcC.load(at: 2, as: UInt32.self),
      let constraints = hvcC.slice(at: 6, count: 6), let level = hvcC.load(at: 12, as: UInt8.self)
    else { return nil }
    let space = ["", "A", "B", "C"][Int(first >> 6)]
    let reversed = (0..<32).reduce(UInt32(0)) { $0 << 1 | compatible >> UInt32($1) & 1 }
    var text = "\(space)\(first & 0x1F)." + Hexadecimal.digits(reversed, atLeast: 1, uppercase: true)
    text += ".\(first & 0x20 == 0 ? "L" : "H")\(level)"
    let keptCount = constraints.count - constraints.reversed().prefix { $0 == 0 }.count
    for byte in constraints.prefix(keptCount) { text += "." + Hexadecimal.digits(byte, atLeast: 1, uppercase: true) }
    return text
  }

  /// Formats the AV1 parameters (AV1 Codec ISO Media File Format Binding, section 5).
  private static func av1(_ av1C: Bytes) -> String? {
    guard let first = av1C.load(at: 1, as: UInt8.self), let second = av1C.load(at: 2, as: UInt8.self) else {
      return nil
    }
    let (profile, level) = (first >> 5, first & 0x1F)
    let (isHigh, isTwelve) = (second & 0x40 != 0, second & 0x20 != 0)
    let depth: UInt8 = isHigh ? profile == 2 && isTwelve ? 12 : 10 : 8
    return "\(profile).\(decimal(level))\(second & 0x80 == 0 ? "M" : "H").\(decimal(depth))"
  }

  private static func mpeg4(_ stream: ElementaryStream) -> String? {
    switch stream.objectType {
    case 0x69, 0x6B: "mp4a.40.34"  // MP3 in Apple's notation.
    case 0xA5: "ac-3"
    case 0xA6: "ec-3"
    case 0x40, 0x66, 0x67, 0x68: stream.audioObjectType.map { "mp4a.40.\($0)" }
    default: nil
    }
  }
}

/// The contents of `dvcC` and `dvvC` (Dolby Vision Streams within the ISO Base Media File Format, 3.2).
private struct DolbyVision {
  let profile: UInt8
  let level: UInt8
  private let compatibility: UInt8

  init?(_ payload: Bytes) {
    guard let bits = payload.load(at: 2, as: UInt16.self) else { return nil }
    profile = UInt8(truncatingIfNeeded: bits >> 9)
    level = UInt8(truncatingIfNeeded: bits >> 3 & 0x3F)
    compatibility = (payload.load(at: 4, as: UInt8.self) ?? 0) >> 4
  }

  /// The value for `SUPPLEMENTAL-CODECS` if decoders without Dolby Vision can play the base layer. In profile 8,
  /// compatibility 1 means HDR10 and compatibility 4 means HLG.
  var supplement: String? {
    guard profile == 8 || profile == 10 else { return nil }
    let name = profile == 8 ? "dvh1.08" : "dav1.10"
    switch compatibility {
    case 1: return "\(name).\(decimal(level))/db1p"
    case 2: return "\(name).\(decimal(level))/db2g"
    case 4: return "\(name).\(decimal(level))/db4h"
    default: return nil
    }
  }
}

/// Formats a number with at least two digits.
private func decimal(_ value: UInt8) -> String {
  (value < 10 ? "0" : "") + String(value)
}
