import MovieBox

/// Functions that format text for a terminal.
enum TerminalText {
  /// Joins words with spaces into lines that fit a terminal.
  static func wrapped(_ words: [String]) -> [String] {
    words.reduce(into: []) { lines, word in
      if let last = lines.last, last.utf8.count + word.utf8.count < 90 {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(word)
      }
    }
  }

  /// Returns the text with escapes for characters that control a terminal. Line ends and tabs become `\n`, `\r` and
  /// `\t`, and other control characters become escapes such as `\u{1b}`. Bidirectional marks (Unicode TR 9) are escaped
  /// too, because they can make one line look like another.
  static func sanitized(_ text: String) -> String {
    guard !isPlain(text.utf8), text.unicodeScalars.contains(where: \.isTerminalControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isTerminalControl: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether all bytes are visible ASCII characters or spaces.
  static func isPlain(_ utf8: some Collection<UInt8>) -> Bool {
    // Without an early exit, the processor compares many bytes with one instruction.
    utf8.reduce(0) { $0 | ($1 &- 0x20 < 0x5F ? 0 : 1) } == 0
  }

  /// Returns the width of the text in terminal cells. A letter with its combining marks has a width of one cell, and an
  /// East Asian wide character or an emoji has a width of two cells (Unicode TR 11).
  static func width(of text: String) -> Int {
    if isPlain(text.utf8) { return text.utf8.count }
    return text.reduce(0) { $0 + width(of: $1) }
  }

  private static func width(of character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      if scalar == "\u{FE0F}" || isWide(scalar) { return 2 }
      if !isZeroWidth(scalar) { width = 1 }
    }
    return width
  }

  private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: scalar.value != 0xAD  // The soft hyphen is shown.
    default: false
    }
  }

  /// Whether the scalar is an emoji by default or its East_Asian_Width is W or F. Small unassigned gaps are included.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x1100: false
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}

/// A table of text whose columns are aligned on a terminal.
struct TextTable {
  /// The alignment of the cells in a column.
  enum Alignment: Sendable {
    case left
    case right
  }

  struct Column: Sendable {
    let title: String
    let alignment: Alignment

    init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row with one cell for each column. Terminal controls in the cells are escaped.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row must have a cell for each column")
    rows.append(cells.map(TerminalText.sanitized))
  }

  /// The titles and the rows, with two spaces between columns. A column is omitted if its title and all its cells are
  /// empty.
  var lines: [String] {
    let allRows = [columns.map(\.title)] + rows
    let widths = columns.indices.map { column in allRows.map { TerminalText.width(of: $0[column]) }.max() ?? 0 }
    return allRows.map { row in
      var line = ""
      for index in columns.indices where widths[index] > 0 {
        let blanks = String(repeating: " ", count: widths[index] - TerminalText.width(of: row[index]))
        line += columns[index].alignment == .left ? row[index] + blanks : blanks + row[index]
        line += "  "
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

/// A dump of bytes in hexadecimal and ASCII, 16 per line, in the format of `hexdump -C`.
enum HexDump {
  /// The number of bytes per line.
  static let lineByteCount = 16

  /// Returns the lines of `bytes`, which begin at `offset`.
  static func lines(_ bytes: Bytes, at offset: UInt64) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count / lineByteCount + 1) * 79)
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, position + lineByteCount)
      append(offset &+ UInt64(position), to: &text)
      for index in position..<position + lineByteCount {
        if (index - position).isMultiple(of: 8) { text.append(blank) }
        text.append(blank)
        if index < end {
          text.append(digit(bytes[index] >> 4))
          text.append(digit(bytes[index] & 0xF))
        } else {
          text += [blank, blank]
        }
      }
      text += [blank, blank, bar]
      for index in position..<end { text.append((0x20...0x7E).contains(bytes[index]) ? bytes[index] : dot) }
      text += [bar, lineFeed]
      position = end
    }
    return text
  }

  private static let blank = UInt8(ascii: " ")
  private static let bar = UInt8(ascii: "|")
  private static let dot = UInt8(ascii: ".")
  private static let lineFeed = UInt8(ascii: "\n")

  /// Appends the offset with at least eight digits.
  private static func append(_ offset: UInt64, to text: inout [UInt8]) {
    let digits = String(offset, radix: 16).utf8
    text += repeatElement(UInt8(ascii: "0"), count: max(0, 8 - digits.count))
    text += digits
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
