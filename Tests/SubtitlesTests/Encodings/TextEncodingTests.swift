import Subtitles
import TestSupport
import Testing

struct TextEncodingTests {
  /// Python's names for the encodings of which we have tables.
  private static let codecs: [(TextEncoding, String)] = [
    (.windows1250, "cp1250"), (.windows1251, "cp1251"), (.windows1252, "cp1252"), (.windows1253, "cp1253"),
    (.windows1254, "cp1254"), (.windows1255, "cp1255"), (.windows1256, "cp1256"), (.windows1257, "cp1257"),
    (.iso8859_1, "latin1"), (.iso8859_2, "iso8859_2"), (.iso8859_9, "iso8859_9"), (.iso8859_15, "iso8859_15"),
    (.macRoman, "mac_roman"), (.windows874, "cp874"), (.koi8_r, "koi8_r"), (.koi8_u, "koi8_u"), (.ibm866, "cp866"),
    (.iso8859_5, "iso8859_5"),
  ]

  @Test(arguments: codecs)
  func decodesBytesLikePython(encoding: TextEncoding, codec: String) throws {
    let python = try Witness.require("python3")
    let script = "import sys; sys.stdout.buffer.write(bytes(range(1, 256)).decode('\(codec)', 'replace').encode())"
    let result = try python.run(["-c", script])
    #expect(result.code == 0, "\(result.errorText)")
    let text = try SubtitleText((1...255).map { UInt8($0) }, encoding: encoding)
    #expect(text.utf8 == result.output)
  }

  @Test(arguments: [
    (TextEncoding.windows1250, "CP1250"), (.windows1251, "CP1251"), (.windows1252, "CP1252"), (.windows1253, "CP1253"),
    (.windows1254, "CP1254"), (.windows1255, "CP1255"), (.windows1256, "CP1256"), (.windows1257, "CP1257"),
    (.iso8859_1, "ISO-8859-1"), (.iso8859_2, "ISO-8859-2"), (.iso8859_9, "ISO-8859-9"), (.iso8859_15, "ISO-8859-15"),
    (.koi8_r, "KOI8-R"), (.koi8_u, "KOI8-U"), (.ibm866, "CP866"), (.iso8859_5, "ISO-8859-5"),
  ])
  func decodesBytesLikeIconv(encoding: TextEncoding, name: String) throws {
    let iconv = try Witness.require("iconv")
    let characters = try (UInt8(0x80)...0xFF).map { byte in
      (byte, String(decoding: try SubtitleText([byte], encoding: encoding).utf8, as: UTF8.self))
    }
    let known = characters.filter { $0.1 != "\u{FFFD}" }
    let result = try iconv.run(["-f", name, "-t", "UTF-8"], input: known.flatMap { [$0.0, 0x0A] })
    #expect(result.outputText == known.map { $0.1 + "\n" }.joined())
    for (byte, _) in characters.filter({ $0.1 == "\u{FFFD}" }) {
      #expect(try iconv.run(["-f", name, "-t", "UTF-8"], input: [byte]).code != 0, "\(byte)")
    }
  }

  @Test(arguments: [
    ("utf8", TextEncoding.utf8), ("UTF-8", .utf8), ("utf-16", .utf16), ("UTF-16LE", .utf16LittleEndian),
    ("cp1250", .windows1250), ("Windows-1252", .windows1252), ("1251", .windows1251), ("latin1", .iso8859_1),
    ("iso-8859-15", .iso8859_15), ("ISO_8859-2", .iso8859_2), ("iso8859-9", .iso8859_9), ("Latin 9", .iso8859_15),
    ("MacRoman", .macRoman), ("macintosh", .macRoman), ("SJIS", .shiftJIS), ("shift-jis", .shiftJIS),
    ("cp932", .shiftJIS), ("euc_jp", .eucJP), ("GBK", .gb18030), ("gb2312", .gb18030), ("big5", .big5),
    ("cp949", .eucKR), ("euckr", .eucKR), ("koi8r", .koi8_r), ("koi8-u", .koi8_u), ("cp866", .ibm866),
    ("iso-8859-5", .iso8859_5),
    ("tis-620", .windows874), ("iso-2022-jp", .iso2022JP),
  ])
  func acceptsAllNamesOfEncodings(name: String, encoding: TextEncoding) {
    #expect(TextEncoding(name: name) == encoding)
  }

  @Test func acceptsEachEncodingsOwnName() {
    for encoding in TextEncoding.allCases { #expect(TextEncoding(name: encoding.rawValue) == encoding) }
    for name in ["", "utf", "koi9-r", "cp1258", "iso-8859-16"] { #expect(TextEncoding(name: name) == nil) }
  }

  @Test(arguments: [TextEncoding.shiftJIS, .eucJP, .gb18030, .big5, .eucKR])
  func replacesInvalidEastAsianBytesWithNotice(encoding: TextEncoding) throws {
    let text = try SubtitleText([0x61, 0x0A, 0xFF, 0x62, 0x0A, 0xB0], encoding: encoding)
    let string = String(decoding: text.utf8, as: UTF8.self)
    #expect(string.hasPrefix("a\n\u{FFFD}b\n"))
    #expect(text.notices.map(\.kind) == [.replacedCharacters])
    #expect(text.notices.map(\.line) == [2])
  }
}
