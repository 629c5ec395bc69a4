/// The character encoding of a text file.
///
/// The raw value is the name registered with IANA. ``init(name:)`` accepts other names too.
public enum TextEncoding: String, Hashable, Sendable, CaseIterable {
  /// UTF-8, the recommended encoding.
  case utf8 = "UTF-8"
  /// UTF-16. A byte order mark declares the byte order. Without a mark, the byte order is detected from the positions
  /// of zeros.
  case utf16 = "UTF-16"
  /// UTF-16 with the high byte first.
  case utf16BigEndian = "UTF-16BE"
  /// UTF-16 with the low byte first.
  case utf16LittleEndian = "UTF-16LE"
  /// Central Europe on Windows.
  case windows1250 = "windows-1250"
  /// Cyrillic on Windows.
  case windows1251 = "windows-1251"
  /// Western Europe on Windows.
  case windows1252 = "windows-1252"
  /// Greek on Windows.
  case windows1253 = "windows-1253"
  /// Turkish on Windows.
  case windows1254 = "windows-1254"
  /// Hebrew on Windows.
  case windows1255 = "windows-1255"
  /// Arabic and Persian on Windows.
  case windows1256 = "windows-1256"
  /// The Baltic languages on Windows.
  case windows1257 = "windows-1257"
  /// Thai on Windows.
  case windows874 = "windows-874"
  /// Russian on Unix.
  case koi8_r = "KOI8-R"
  /// Ukrainian on Unix.
  case koi8_u = "KOI8-U"
  /// Cyrillic on DOS.
  case ibm866 = "IBM866"
  /// Cyrillic in ISO 8859.
  case iso8859_5 = "ISO-8859-5"
  /// Latin 1.
  case iso8859_1 = "ISO-8859-1"
  /// Latin 2: Central Europe.
  case iso8859_2 = "ISO-8859-2"
  /// Latin 5: Turkish.
  case iso8859_9 = "ISO-8859-9"
  /// Latin 9: Latin 1 with the euro sign.
  case iso8859_15 = "ISO-8859-15"
  /// Western Europe on classic Mac OS.
  case macRoman = "macintosh"
  /// Japanese on Windows.
  case shiftJIS = "Shift_JIS"
  /// Japanese on Unix.
  case eucJP = "EUC-JP"
  /// Japanese in mail. Each byte has seven bits, and escape sequences switch between character sets.
  case iso2022JP = "ISO-2022-JP"
  /// Chinese, including GBK and GB 2312.
  case gb18030 = "GB18030"
  /// Traditional Chinese.
  case big5 = "Big5"
  /// Korean on Windows.
  case eucKR = "EUC-KR"

  /// Finds the encoding with a common name, such as `utf8`, `latin1`, `cp1252`, `sjis` or `gbk`. Ignores case,
  /// blanks, hyphens and underscores. Returns `nil` for unknown names.
  public init?(name: String) {
    let key = TextEncoding.key(name)
    guard
      let encoding = TextEncoding.allCases.first(where: {
        TextEncoding.key($0.rawValue) == key || $0.aliases.contains(key)
      })
    else { return nil }
    self = encoding
  }

  /// Returns a name without blanks, hyphens and underscores.
  private static func key(_ name: String) -> String {
    name.lowercased().filter { !" -_".contains($0) }
  }

  private var aliases: [String] {
    switch self {
    case .utf8: ["utf8bom", "unicode8"]
    case .utf16: ["ucs2", "unicode"]
    case .utf16BigEndian: ["ucs2be"]
    case .utf16LittleEndian: ["ucs2le"]
    case .windows1250, .windows1251, .windows1252, .windows1253, .windows1254, .windows1255, .windows1256, .windows1257:
      ["cp" + rawValue.suffix(4), "win" + rawValue.suffix(4), String(rawValue.suffix(4))]
    case .windows874: ["cp874", "win874", "874", "tis620", "iso885911"]
    case .koi8_r: ["koi8"]
    case .koi8_u: []
    case .ibm866: ["cp866", "866", "dos866"]
    case .iso8859_5: ["cyrillic"]
    case .iso8859_1: ["latin1", "l1"]
    case .iso8859_2: ["latin2", "l2"]
    case .iso8859_9: ["latin5", "l5"]
    case .iso8859_15: ["latin9", "l9"]
    case .macRoman: ["macroman", "mac", "xmacroman"]
    case .shiftJIS: ["sjis", "cp932", "ms932", "windows31j", "mskanji", "xsjis"]
    case .eucJP: ["ujis", "xeucjp"]
    case .iso2022JP: ["jis", "csiso2022jp"]
    case .gb18030: ["gbk", "gb2312", "cp936", "ms936", "euccn", "gb"]
    case .big5: ["cp950", "ms950", "big5eten"]
    case .eucKR: ["cp949", "ms949", "uhc", "ksc5601", "ksx1001"]
    }
  }

  /// The characters of the bytes from 0x80 in a single-byte encoding, or `nil` for other encodings. U+FFFD represents
  /// invalid bytes.
  var upperHalf: [UInt16]? {
    switch self {
    case .windows1250: SingleByteTables.windows1250
    case .windows1251: SingleByteTables.windows1251
    case .windows1252: SingleByteTables.windows1252
    case .windows1253: SingleByteTables.windows1253
    case .windows1254: SingleByteTables.windows1254
    case .windows1255: SingleByteTables.windows1255
    case .windows1256: SingleByteTables.windows1256
    case .windows1257: SingleByteTables.windows1257
    case .windows874: SingleByteTables.windows874
    case .koi8_r: SingleByteTables.koi8_r
    case .koi8_u: SingleByteTables.koi8_u
    case .ibm866: SingleByteTables.ibm866
    case .iso8859_5: SingleByteTables.iso8859_5
    case .iso8859_1: SingleByteTables.iso8859_1
    case .iso8859_2: SingleByteTables.iso8859_2
    case .iso8859_9: SingleByteTables.iso8859_9
    case .iso8859_15: SingleByteTables.iso8859_15
    case .macRoman: TextEncoding.macRomanUpperHalf
    default: nil
    }
  }

  private static let macRomanUpperHalf = MacRoman.decode(0x80...0xFF as ClosedRange<UInt8>).unicodeScalars.map {
    UInt16(truncatingIfNeeded: $0.value)  // No character is beyond U+FFFF.
  }

  /// The names of the encoding in iconv. A name with a larger character set precedes other names. The array is empty if
  /// a table defines the encoding.
  var converterNames: [String] {
    switch self {
    case .shiftJIS: ["CP932", "SHIFT_JIS", "SJIS"]
    case .eucJP: ["EUC-JP", "EUCJP"]
    case .iso2022JP: ["ISO-2022-JP"]
    case .gb18030: ["GB18030", "GBK"]
    case .big5: ["CP950", "BIG5"]
    case .eucKR: ["CP949", "UHC", "EUC-KR"]
    default: []
    }
  }
}
