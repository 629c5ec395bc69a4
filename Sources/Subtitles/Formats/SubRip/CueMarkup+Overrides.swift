/// Overrides in braces. SubRip files contain them if they were converted from other formats.
///
/// Supported overrides become styles or placements. All other overrides are dropped with a notice.
extension CueMarkup {
  /// Parses an override such as `{\an8}` or `{y:i}`, or a tag in braces such as `{b}` and `{/i}`. Returns the end, or
  /// `nil` if the brace is text.
  mutating func parseBrace(at start: Int, end: Int) -> Int? {
    guard start + 2 < end else { return nil }
    if source[start + 1] == UInt8(ascii: "\\") { return parseOverrides(at: start, end: end) }
    if source[start + 2] == UInt8(ascii: ":") { return parseMicroDVDOverride(at: start, end: end) }
    let isClosing = source[start + 1] == UInt8(ascii: "/")
    let letter = start + (isClosing ? 2 : 1)
    guard letter + 1 < end, source[letter + 1] == UInt8(ascii: "}") else { return nil }
    let tag = start..<letter + 2
    return toggleStyle(source[letter], isClosing: isClosing, tag) ? tag.upperBound : nil
  }

  // MARK: - SubStation Alpha

  /// Parses overrides of SubStation Alpha, such as `{\an8\i1}`.
  private mutating func parseOverrides(at start: Int, end: Int) -> Int? {
    var index = start + 1
    while index < end, source[index] != UInt8(ascii: "}") {
      if source[index] == UInt8(ascii: "{") { return nil }
      index += 1
    }
    guard index < end else { return nil }
    let overrideRange = start..<index + 1
    for item in source[start + 1..<index].split(separator: UInt8(ascii: "\\")) {
      guard !apply(item) else { continue }
      let name = String(decoding: item.prefix { Ascii.isLetter($0) }, as: UTF8.self)
      record(.droppedOverride, name) {
        "\\\(excerpt(item).dropFirst().dropLast()) of override \($0.text(overrideRange)) was dropped"
      }
    }
    updateStyle()
    return index + 1
  }

  /// Applies one override without its backslash. Returns `false` if the override is unknown.
  private mutating func apply(_ item: ArraySlice<UInt8>) -> Bool {
    let name = item.prefix { Ascii.isLetter($0) }
    let value = item.dropFirst(name.count)
    let number = Int(String(decoding: value, as: UTF8.self))
    switch String(decoding: name, as: UTF8.self) {
    case "an": return setPlacement(number.flatMap(Cue.Placement.init(keypad:)))
    case "a": return setPlacement(number.flatMap(Cue.Placement.init(substation:)))
    case "i" where value.isEmpty || number == 0 || number == 1: overrideStyle.isItalic = number == 1
    case "u" where value.isEmpty || number == 0 || number == 1: overrideStyle.isUnderlined = number == 1
    // `\b` may be followed by 1 or by a font weight from 100 to 900.
    case "b" where value.isEmpty || number != nil: overrideStyle.isBold = number.map { $0 == 1 || $0 > 400 } ?? false
    case "c" where value.isEmpty: overrideStyle.color = nil
    case "c":
      guard let color = StyledText.Color(substation: value) else { return false }
      overrideStyle.color = color
    case "" where value.starts(with: "1c".utf8):
      guard let color = StyledText.Color(substation: value.dropFirst(2)) else { return false }
      overrideStyle.color = color
    case "r" where value.isEmpty: overrideStyle = .plain
    case "p" where number != nil: isDrawing = number != 0
    default: return false
    }
    return true
  }

  /// Sets the placement of the whole cue. If the cue declares several placements, the first is used, as in players.
  private mutating func setPlacement(_ place: Cue.Placement?) -> Bool {
    guard let place, placement == nil || placement == place else { return false }
    placement = place
    return true
  }

  /// Drops drawing commands (`m 0 0 l 100 0`). Returns `false` if the text is not a drawing and must be kept.
  mutating func dropDrawing(_ range: Range<Int>) -> Bool {
    let bytes = source[range]
    guard !bytes.allSatisfy(Ascii.isBlank) else { return false }
    let isCommands = bytes.allSatisfy {
      Ascii.isDigit($0) || Ascii.isBlank($0) || "mnlbspc.-".utf8.contains($0)
    }
    guard isCommands else {
      record(.droppedOverride, "p") { _ in
        "\\p was dropped, because text follows instead of a drawing: "
          + "\(excerpt(bytes))"
      }
      isDrawing = false
      return false
    }
    record(.droppedDrawing, lost: range) { _ in "drawing \(excerpt(bytes)) was dropped" }
    return true
  }

  /// Parses `\N` and `\h`. In SubStation Alpha, they are a line break and a no-break space. In a file path, they are
  /// text.
  mutating func parseEscape(at start: Int, end: Int) -> Int? {
    guard start + 1 < end else { return nil }
    let escape = source[start + 1]
    guard escape == UInt8(ascii: "N") || escape == UInt8(ascii: "h"),
      !CueMarkup.isPath(in: source, cueRange.lowerBound..<end, around: start)
    else { return nil }
    if escape == UInt8(ascii: "N") {
      record(.substationEscape, "N") { _ in "\\N was read as a line break" }
      output.breakLine()
    } else {
      record(.substationEscape, "h") { _ in "\\h was read as a no-break space" }
      output.append([0xC2, 0xA0])
    }
    return start + 2
  }

  /// Whether the word around a backslash is a path, such as `C:\new`, `\\server\home` or `docs\notes\home`.
  ///
  /// Examines a bounded number of bytes, so the total time is linear.
  static func isPath(in source: [UInt8], _ range: Range<Int>, around backslash: Int) -> Bool {
    // Braces end a word, because overrides in braces contain backslashes too.
    func isBetweenWords(_ byte: UInt8) -> Bool { byte <= Ascii.space || "{}".utf8.contains(byte) }
    let mark = UInt8(ascii: "\\")
    let before = source[max(range.lowerBound, backslash - 256)..<backslash]
    let first = before.lastIndex(where: isBetweenWords).map { $0 + 1 } ?? before.startIndex
    let rest = source[backslash..<min(range.upperBound, backslash + 256)]
    let word = source[first..<(rest.firstIndex(where: isBetweenWords) ?? rest.endIndex)]
    for index in word.indices where source[index] == mark {
      let isDoubled = index + 1 < word.endIndex && source[index + 1] == mark
      let isOther =
        index + 1 < word.endIndex && Ascii.isLetter(source[index + 1]) && !"Nnh".utf8.contains(source[index + 1])
      let isDrive =
        index - 2 >= first && source[index - 1] == UInt8(ascii: ":") && Ascii.isLetter(source[index - 2])
        && (index - 2 == first || !Ascii.isLetter(source[index - 3]) && !Ascii.isDigit(source[index - 3]))
      if isDoubled || isOther || isDrive { return true }
    }
    return false
  }

  // MARK: - MicroDVD

  /// Parses overrides of MicroDVD. `{y:i,b}` and `{c:$0000FF}` apply to a line. `{Y:i}` and `{C:$0000FF}` apply to the
  /// rest of the cue.
  private mutating func parseMicroDVDOverride(at start: Int, end: Int) -> Int? {
    // ``parseBrace(at:end:)`` has read the brace, the letter and the colon. The length of the rest is limited, so the
    // total time is linear.
    let rest = source[start + 3..<min(end, start + 16)]
    guard let close = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
    let value = rest[..<close]
    let key = source[start + 1]
    let isForLine = key & 0x20 != 0
    var style = isForLine ? lineStyle : overrideStyle
    switch key | 0x20 {
    case UInt8(ascii: "y"):
      for letter in value where letter != UInt8(ascii: ",") {
        switch letter | 0x20 {
        case UInt8(ascii: "i"): style.isItalic = true
        case UInt8(ascii: "b"): style.isBold = true
        case UInt8(ascii: "u"): style.isUnderlined = true
        default: return nil
        }
      }
    case UInt8(ascii: "c"):
      guard value.first == UInt8(ascii: "$"), let color = StyledText.Color(blueFirst: value.dropFirst()) else {
        return nil
      }
      style.color = color
    default: return nil
    }
    if isForLine { lineStyle = style } else { overrideStyle = style }
    updateStyle()
    return close + 1
  }
}

extension Cue.Placement {
  /// Creates the placement for the override `{\a6}` of older files. The numbers 1 to 3 are the lower edge, 5 to 7 the
  /// upper edge, and 9 to 11 the middle.
  fileprivate init?(substation number: Int) {
    guard (1...11).contains(number), number % 4 != 0 else { return nil }
    self.init(
      vertical: [.bottom, .top, .middle][number / 4], horizontal: [.left, .center, .right][number % 4 - 1])
  }
}

extension StyledText.Color {
  /// Parses a color of SubStation Alpha. Its first component is blue. For example, `&H0000FF&` is red.
  fileprivate init?(substation value: ArraySlice<UInt8>) {
    let digits = value.drop { $0 == UInt8(ascii: "&") || $0 | 0x20 == UInt8(ascii: "h") }
    self.init(blueFirst: digits.prefix { $0 != UInt8(ascii: "&") })
  }

  /// Parses a color of one to eight hexadecimal digits in the order blue, green, red. A leading alpha component is
  /// ignored.
  fileprivate init?(blueFirst digits: ArraySlice<UInt8>) {
    guard (1...8).contains(digits.count), let word = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
      return nil
    }
    self.init(
      red: UInt8(truncatingIfNeeded: word), green: UInt8(truncatingIfNeeded: word >> 8),
      blue: UInt8(truncatingIfNeeded: word >> 16))
  }

  /// Parses the color of a `font` tag, such as `#RRGGBB`, `RRGGBB`, `#RGB` or a CSS name. Returns `nil` for other
  /// texts.
  init?(markup: String) {
    let value = markup.hasPrefix("#") ? String(markup.dropFirst()) : markup
    let digits = value.utf8.compactMap { byte in Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt32.init) }
    let word: UInt32
    switch (value.utf8.count, digits.count) {
    case (6, 6): word = digits.reduce(0) { $0 << 4 | $1 }
    case (3, 3): word = digits.reduce(0) { $0 << 8 | $1 * 0x11 }
    default:
      guard let named = StyledText.Color.names[markup.lowercased()] else { return nil }
      word = named
    }
    self.init(
      red: UInt8(truncatingIfNeeded: word >> 16), green: UInt8(truncatingIfNeeded: word >> 8),
      blue: UInt8(truncatingIfNeeded: word))
  }

  /// Whether a word is a CSS color: a name, or `#` and 3, 4, 6 or 8 digits (CSS Color Module Level 4, clauses 5.2 and
  /// 6).
  package static func isStyleSheetColor(_ word: String) -> Bool {
    guard word.hasPrefix("#") else {
      let name = word.lowercased()
      return names[name] != nil || name == "transparent" || name == "currentcolor"
    }
    let digits = word.dropFirst()
    return [3, 4, 6, 8].contains(digits.utf8.count) && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  /// The named colors of CSS Color Module Level 4, clause 6.1, as 0xRRGGBB.
  private static let names: [String: UInt32] = [
    "aliceblue": 0xF0F8FF, "antiquewhite": 0xFAEBD7, "aqua": 0x00FFFF, "aquamarine": 0x7FFFD4, "azure": 0xF0FFFF,
    "beige": 0xF5F5DC, "bisque": 0xFFE4C4, "black": 0x000000, "blanchedalmond": 0xFFEBCD, "blue": 0x0000FF,
    "blueviolet": 0x8A2BE2, "brown": 0xA52A2A, "burlywood": 0xDEB887, "cadetblue": 0x5F9EA0, "chartreuse": 0x7FFF00,
    "chocolate": 0xD2691E, "coral": 0xFF7F50, "cornflowerblue": 0x6495ED, "cornsilk": 0xFFF8DC, "crimson": 0xDC143C,
    "cyan": 0x00FFFF, "darkblue": 0x00008B, "darkcyan": 0x008B8B, "darkgoldenrod": 0xB8860B, "darkgray": 0xA9A9A9,
    "darkgreen": 0x006400, "darkgrey": 0xA9A9A9, "darkkhaki": 0xBDB76B, "darkmagenta": 0x8B008B,
    "darkolivegreen": 0x556B2F, "darkorange": 0xFF8C00, "darkorchid": 0x9932CC, "darkred": 0x8B0000,
    "darksalmon": 0xE9967A, "darkseagreen": 0x8FBC8F, "darkslateblue": 0x483D8B, "darkslategray": 0x2F4F4F,
    "darkslategrey": 0x2F4F4F, "darkturquoise": 0x00CED1, "darkviolet": 0x9400D3, "deeppink": 0xFF1493,
    "deepskyblue": 0x00BFFF, "dimgray": 0x696969, "dimgrey": 0x696969, "dodgerblue": 0x1E90FF, "firebrick": 0xB22222,
    "floralwhite": 0xFFFAF0, "forestgreen": 0x228B22, "fuchsia": 0xFF00FF, "gainsboro": 0xDCDCDC,
    "ghostwhite": 0xF8F8FF, "gold": 0xFFD700, "goldenrod": 0xDAA520, "gray": 0x808080, "green": 0x008000,
    "greenyellow": 0xADFF2F, "grey": 0x808080, "honeydew": 0xF0FFF0, "hotpink": 0xFF69B4, "indianred": 0xCD5C5C,
    "indigo": 0x4B0082, "ivory": 0xFFFFF0, "khaki": 0xF0E68C, "lavender": 0xE6E6FA, "lavenderblush": 0xFFF0F5,
    "lawngreen": 0x7CFC00, "lemonchiffon": 0xFFFACD, "lightblue": 0xADD8E6, "lightcoral": 0xF08080,
    "lightcyan": 0xE0FFFF, "lightgoldenrodyellow": 0xFAFAD2, "lightgray": 0xD3D3D3, "lightgreen": 0x90EE90,
    "lightgrey": 0xD3D3D3, "lightpink": 0xFFB6C1, "lightsalmon": 0xFFA07A, "lightseagreen": 0x20B2AA,
    "lightskyblue": 0x87CEFA, "lightslategray": 0x778899, "lightslategrey": 0x778899, "lightsteelblue": 0xB0C4DE,
    "lightyellow": 0xFFFFE0, "lime": 0x00FF00, "limegreen": 0x32CD32, "linen": 0xFAF0E6, "magenta": 0xFF00FF,
    "maroon": 0x800000, "mediumaquamarine": 0x66CDAA, "mediumblue": 0x0000CD, "mediumorchid": 0xBA55D3,
    "mediumpurple": 0x9370DB, "mediumseagreen": 0x3CB371, "mediumslateblue": 0x7B68EE, "mediumspringgreen": 0x00FA9A,
    "mediumturquoise": 0x48D1CC, "mediumvioletred": 0xC71585, "midnightblue": 0x191970, "mintcream": 0xF5FFFA,
    "mistyrose": 0xFFE4E1, "moccasin": 0xFFE4B5, "navajowhite": 0xFFDEAD, "navy": 0x000080, "oldlace": 0xFDF5E6,
    "olive": 0x808000, "olivedrab": 0x6B8E23, "orange": 0xFFA500, "orangered": 0xFF4500, "orchid": 0xDA70D6,
    "palegoldenrod": 0xEEE8AA, "palegreen": 0x98FB98, "paleturquoise": 0xAFEEEE, "palevioletred": 0xDB7093,
    "papayawhip": 0xFFEFD5, "peachpuff": 0xFFDAB9, "peru": 0xCD853F, "pink": 0xFFC0CB, "plum": 0xDDA0DD,
    "powderblue": 0xB0E0E6, "purple": 0x800080, "rebeccapurple": 0x663399, "red": 0xFF0000, "rosybrown": 0xBC8F8F,
    "royalblue": 0x4169E1, "saddlebrown": 0x8B4513, "salmon": 0xFA8072, "sandybrown": 0xF4A460, "seagreen": 0x2E8B57,
    "seashell": 0xFFF5EE, "sienna": 0xA0522D, "silver": 0xC0C0C0, "skyblue": 0x87CEEB, "slateblue": 0x6A5ACD,
    "slategray": 0x708090, "slategrey": 0x708090, "snow": 0xFFFAFA, "springgreen": 0x00FF7F, "steelblue": 0x4682B4,
    "tan": 0xD2B48C, "teal": 0x008080, "thistle": 0xD8BFD8, "tomato": 0xFF6347, "turquoise": 0x40E0D0,
    "violet": 0xEE82EE, "wheat": 0xF5DEB3, "white": 0xFFFFFF, "whitesmoke": 0xF5F5F5, "yellow": 0xFFFF00,
    "yellowgreen": 0x9ACD32,
  ]
}
