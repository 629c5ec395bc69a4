/// A control code or character of CEA-608, decoded from a pair without its channel.
enum CaptionCommand: Hashable {
  /// Selects pop-on captions (RCL). Their characters are loaded into hidden memory.
  case resumeCaptionLoading
  /// Selects paint-on captions (RDC).
  case resumeDirectCaptioning
  /// Selects roll-up captions with a number of rows (RU2 to RU4).
  case rollUp(depth: Int)
  /// Clears the visible rows (EDM).
  case eraseDisplayedMemory
  /// Clears the hidden rows (ENM).
  case eraseNonDisplayedMemory
  /// Exchanges the hidden rows and the visible rows (EOC).
  case endOfCaption
  /// Moves the rows of roll-up captions up (CR).
  case carriageReturn
  /// Deletes the character to the left (BS).
  case backspace
  /// Deletes the rest of the row (DER).
  case deleteToEndOfRow
  /// Selects the text service instead of captions (TR, RTD).
  case textMode
  /// Makes the text flash (FON). Flashing is not supported, but the code occupies a cell.
  case flashOn
  /// Moves the cursor right by one to three columns (TO1 to TO3).
  case tab(Int)
  /// Moves the cursor to a row, from 1 to 15, and sets the style (PAC).
  case preamble(row: Int, column: Int, color: CaptionStyle.Color, isItalic: Bool, isUnderlined: Bool)
  /// Changes the style. The code occupies a cell. A `nil` color selects italics.
  case midRow(color: CaptionStyle.Color?, isUnderlined: Bool)
  /// Changes the background.
  case background(CaptionStyle.Color, alpha: UInt8)
  /// Makes the text black.
  case blackText(isUnderlined: Bool)
  /// A special character, or `nil` for a transparent space.
  case special(Unicode.Scalar?)
  /// An extended character. It replaces the character before it.
  case extended(Unicode.Scalar)
  /// A code without effect. It is obsolete or reserved, or selects another character set.
  case ignored

  /// The rows of preambles, by the low three bits of the first byte and bit 5 of the second byte.
  private static let preambleRows: [(Int, Int)] = [
    (11, 11), (1, 2), (3, 4), (12, 13), (14, 15), (5, 6), (7, 8), (9, 10),
  ]

  /// Decodes the 7-bit codes of a control pair, or returns `nil` if the pair is not a control code.
  init?(_ first: UInt8, _ second: UInt8) {
    guard (0x10...0x1F).contains(first) else { return nil }
    let first = first & 0x17  // Bit 3 selects the data channel.
    switch (first, second) {
    case (_, 0x40...0x7F): self = Self.preamble(first, second)
    case (0x14, 0x20...0x2F), (0x15, 0x20...0x2F): self = Self.miscellaneous(second)
    case (0x17, 0x21...0x23): self = .tab(Int(second) - 0x20)
    case (0x17, 0x2D): self = .background(.black, alpha: 0)
    case (0x17, 0x2E...0x2F): self = .blackText(isUnderlined: second & 1 == 1)
    case (0x11, 0x20...0x2F):
      let number = second >> 1 & 7
      self = .midRow(color: number == 7 ? nil : CaptionStyle.Color(rawValue: number), isUnderlined: second & 1 == 1)
    case (0x10, 0x20...0x2F):
      let color = CaptionStyle.Color(rawValue: second >> 1 & 7) ?? .black
      self = .background(color, alpha: second & 1 == 1 ? 0x80 : 0xFF)
    case (0x11, 0x30...0x3F): self = .special(CaptionCharacters.specialCharacter(second))
    case (0x12...0x13, 0x20...0x3F):
      self = CaptionCharacters.extendedCharacter(first, second).map { .extended($0) } ?? .ignored
    default: self = .ignored
    }
  }

  private static func miscellaneous(_ second: UInt8) -> CaptionCommand {
    switch second {
    case 0x20: .resumeCaptionLoading
    case 0x21: .backspace
    case 0x24: .deleteToEndOfRow
    case 0x25...0x27: .rollUp(depth: Int(second) - 0x23)
    case 0x28: .flashOn
    case 0x29: .resumeDirectCaptioning
    case 0x2A, 0x2B: .textMode
    case 0x2C: .eraseDisplayedMemory
    case 0x2D: .carriageReturn
    case 0x2E: .eraseNonDisplayedMemory
    case 0x2F: .endOfCaption
    default: .ignored
    }
  }

  private static func preamble(_ first: UInt8, _ second: UInt8) -> CaptionCommand {
    let rows = preambleRows[Int(first & 7)]
    let row = second & 0x20 == 0 ? rows.0 : rows.1
    let number = second >> 1 & 7
    let isUnderlined = second & 1 == 1
    if second & 0x10 != 0 {
      return .preamble(row: row, column: Int(number) * 4, color: .white, isItalic: false, isUnderlined: isUnderlined)
    }
    let isItalic = number == 7
    let color = isItalic ? .white : CaptionStyle.Color(rawValue: number) ?? .white
    return .preamble(row: row, column: 0, color: color, isItalic: isItalic, isUnderlined: isUnderlined)
  }

  /// Returns the pair that moves the cursor to a row, from 1 to 15, and to a column that is a multiple of 4.
  static func preamblePair(row: Int, indent: Int, isUnderlined: Bool = false) -> CaptionPair {
    preamblePair(row: row, low: 0x10 | UInt8(clamping: indent / 4 * 2) | (isUnderlined ? 1 : 0))
  }

  /// Returns the pair that moves the cursor to the first column of a row and sets a style.
  static func preamblePair(row: Int, _ style: CaptionStyle) -> CaptionPair {
    let number = style.isItalic ? 7 : style.color.rawValue
    return preamblePair(row: row, low: number << 1 | (style.isUnderlined ? 1 : 0))
  }

  private static func preamblePair(row: Int, low: UInt8) -> CaptionPair {
    for (index, rows) in preambleRows.enumerated() where rows.0 == row || rows.1 == row {
      let high: UInt8 = rows.0 == row ? 0x40 : 0x60
      return CaptionPair(code: 0x10 | UInt8(index), high | low & 0x1F)
    }
    return CaptionPair(code: 0x14, 0x60 | low & 0x1F)
  }

  /// Returns the pair that changes the style within a row.
  static func midRowPair(_ style: CaptionStyle) -> CaptionPair {
    CaptionPair(code: 0x11, 0x20 | (style.isItalic ? 7 : style.color.rawValue) << 1 | (style.isUnderlined ? 1 : 0))
  }
}
