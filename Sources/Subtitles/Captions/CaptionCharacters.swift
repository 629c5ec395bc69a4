/// The characters of CEA-608 and their codes (CTA-608-E, tables 49, 50 and 5 to 10).
package enum CaptionCharacters {
  /// The special characters, by the second byte from 0x30 to 0x3F. The first byte is 0x11. The transparent space at
  /// 0x39 is represented by 0.
  private static let special = Array("®°½¿™¢£♪à\0èâêîôû".unicodeScalars)
  /// The extended Spanish, French and miscellaneous characters, by the second byte from 0x20 to 0x3F. The first byte is
  /// 0x12.
  private static let spanishAndFrench = Array("ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»".unicodeScalars)
  /// The extended Portuguese, German and Danish characters, by the second byte from 0x20 to 0x3F. The first byte is
  /// 0x13.
  private static let portugueseAndGerman = Array("ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤│ÅåØø┌┐└┘".unicodeScalars)
  /// The basic characters, by their code from 0x20 to 0x7F. Most of them are those of ASCII.
  private static let basic = Array(
    (" !\"#$%&'()á+,-./0123456789:;<=>?@ABCDEFGHIJKLMNO" + "PQRSTUVWXYZ[é]íóúabcdefghijklmnopqrstuvwxyzç÷Ññ█")
      .unicodeScalars)

  /// The character shown for a byte that fails its parity check (47 CFR 79.101 (i)).
  package static let solidBlock: Unicode.Scalar = "█"

  /// Returns the basic character of a 7-bit code, or `nil` for a code below 0x20.
  package static func basicCharacter(_ code: UInt8) -> Unicode.Scalar? {
    guard (0x20...0x7F).contains(code) else { return nil }
    return basic[Int(code) - 0x20]
  }

  /// Returns the special character for the second byte of a pair that begins with 0x11. Returns `nil` for the
  /// transparent space, and for bytes outside 0x30 to 0x3F.
  static func specialCharacter(_ second: UInt8) -> Unicode.Scalar? {
    guard (0x30...0x3F).contains(second) else { return nil }
    let scalar = special[Int(second) - 0x30]
    return scalar == "\0" ? nil : scalar
  }

  /// Returns the extended character for a pair that begins with 0x12 or 0x13, or `nil` for other pairs.
  static func extendedCharacter(_ first: UInt8, _ second: UInt8) -> Unicode.Scalar? {
    guard (0x20...0x3F).contains(second) else { return nil }
    switch first {
    case 0x12: return spanishAndFrench[Int(second) - 0x20]
    case 0x13: return portugueseAndGerman[Int(second) - 0x20]
    default: return nil
    }
  }

  /// The codes of a character.
  enum Code: Hashable {
    /// A basic character, whose code is one byte.
    case basic(UInt8)
    /// The second byte of a special character.
    case special(UInt8)
    /// An extended character. It replaces the basic character that precedes it (`standIn`). Old decoders show only the
    /// basic character.
    case extended(UInt8, UInt8, standIn: UInt8)

    /// The number of transmitted bytes, including the stand-in and the repetition of the control code.
    var byteCount: Int {
      switch self {
      case .basic: 1
      case .special: 4
      case .extended: 5
      }
    }
  }

  /// The codes of all characters in CEA-608.
  private static let codes: [Unicode.Scalar: Code] = {
    var codes: [Unicode.Scalar: Code] = [:]
    for (table, first) in [(spanishAndFrench, UInt8(0x12)), (portugueseAndGerman, 0x13)] {
      for (index, scalar) in table.enumerated() {
        codes[scalar] = .extended(first, UInt8(0x20 + index), standIn: standIn(for: scalar))
      }
    }
    for (index, scalar) in special.enumerated() where scalar != "\0" { codes[scalar] = .special(UInt8(0x30 + index)) }
    for code in UInt8(0x20)...0x7F { if let scalar = basicCharacter(code) { codes[scalar] = .basic(code) } }
    codes["\u{A0}"] = .basic(0x20)  // Captions do not distinguish it from a space.
    return codes
  }()

  /// Returns the code of a character, or `nil` if CEA-608 lacks the character.
  static func code(of scalar: Unicode.Scalar) -> Code? { codes[scalar] }

  /// Returns the basic code that old decoders show instead of an extended character.
  private static func standIn(for scalar: Unicode.Scalar) -> UInt8 {
    if let plain = standIns[scalar] { return plain }
    // The canonical decomposition of an accented letter begins with the letter without its accent.
    guard let base = decomposed[scalar], let byte = UInt8(exactly: base.value) else { return UInt8(ascii: "?") }
    return byte
  }

  private static let standIns: [Unicode.Scalar: UInt8] = {
    var plain: [Unicode.Scalar: UInt8] = [:]
    let pairs: [(String, String)] = [
      ("‘'", "'"), ("“”", "\""), ("«", "<"), ("»", ">"), ("—_", "-"), ("•*", "."), ("©", "c"), ("℠", "s"), ("¡|│", "!"),
      ("{", "("), ("}", ")"), ("\\", "/"), ("^", " "), ("~", "-"), ("ß", "s"), ("¥", "Y"), ("¤", "$"), ("Ø", "O"),
      ("ø", "o"), ("┌┐└┘", "+"),
    ]
    for (scalars, code) in pairs {
      for scalar in scalars.unicodeScalars { plain[scalar] = code.utf8.first }
    }
    return plain
  }()

  /// The ASCII base letter of each accented letter.
  private static let decomposed: [Unicode.Scalar: Unicode.Scalar] = {
    var letters: [Unicode.Scalar: Unicode.Scalar] = [:]
    let groups: [(Unicode.Scalar, String)] = [
      ("A", "ÀÁÂÃÄÅĀĂĄǍ"), ("C", "ÇĆĈĊČ"), ("D", "ĎĐÐ"), ("E", "ÈÉÊËĒĔĖĘĚ"), ("G", "ĜĞĠĢ"), ("H", "ĤĦ"),
      ("I", "ÌÍÎÏĨĪĬĮİ"), ("J", "Ĵ"), ("K", "Ķ"), ("L", "ĹĻĽĿŁ"), ("N", "ÑŃŅŇ"), ("O", "ÒÓÔÕÖŌŎŐ"), ("R", "ŔŖŘ"),
      ("S", "ŚŜŞŠȘ"), ("T", "ŢŤŦȚ"), ("U", "ÙÚÛÜŨŪŬŮŰŲ"), ("W", "Ŵ"), ("Y", "ÝŶŸ"), ("Z", "ŹŻŽ"), ("a", "àáâãäåāăąǎ"),
      ("c", "çćĉċč"), ("d", "ďđð"), ("e", "èéêëēĕėęě"), ("g", "ĝğġģ"), ("h", "ĥħ"), ("i", "ìíîïĩīĭįı"), ("j", "ĵ"),
      ("k", "ķ"), ("l", "ĺļľŀł"), ("n", "ñńņň"), ("o", "òóôõöōŏő"), ("r", "ŕŗř"), ("s", "śŝşšș"), ("t", "ţťŧț"),
      ("u", "ùúûüũūŭůűų"), ("w", "ŵ"), ("y", "ýŷÿ"), ("z", "źżž"),
    ]
    for (letter, accented) in groups {
      for scalar in accented.unicodeScalars { letters[scalar] = letter }
    }
    return letters
  }()

  /// The texts that replace characters without a code in CEA-608.
  private static let replacements: [Unicode.Scalar: String] = [
    "’": "'", "‚": ",", "‛": "'", "„": "\"", "‟": "\"", "…": "...", "–": "-", "‐": "-", "‑": "-", "‒": "-", "―": "—",
    "−": "-", "\u{2007}": " ", "\u{202F}": " ", "\u{2009}": " ", "\u{200A}": " ", "\u{2002}": " ",
    "\u{2003}": " ", "\t": " ", "‹": "<", "›": ">", "♫": "♪", "♬": "♪", "♩": "♪", "€": "EUR", "×": "x", "æ": "ae",
    "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ª": "a", "º": "°", "·": "•", "¼": "1/4", "¾": "3/4",
    "`": "'", "´": "'", "ˈ": "'", "ﬁ": "fi", "ﬂ": "fl", "№": "No.", "¦": "|", "█": "█",
  ]

  /// The invisible characters that are omitted.
  private static let invisible: Set<Unicode.Scalar> = [
    "\u{AD}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}",
    "\u{202D}", "\u{202E}", "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{FE0E}", "\u{FE0F}",
  ]

  /// Returns the text that replaces a character that CEA-608 lacks. If there is no replacement, the text is `?` and
  /// `isKnown` is false.
  static func folded(_ scalar: Unicode.Scalar) -> (text: String, isKnown: Bool) {
    if invisible.contains(scalar) || (0x300...0x36F).contains(scalar.value) { return ("", true) }
    if let text = replacements[scalar] { return (text, true) }
    if let letter = decomposed[scalar] { return (String(letter), true) }
    return ("?", false)
  }
}
