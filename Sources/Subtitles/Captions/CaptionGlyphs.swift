/// A character cell of a row to be transmitted.
struct CaptionGlyph: Hashable {
  var code: CaptionCharacters.Code
  var style: CaptionStyle

  var isSpace: Bool { code == .basic(0x20) }
}

/// The characters of a cue in the CEA-608 character set, and the features of the cue that CEA-608 lacks.
struct CaptionGlyphs {
  /// The lines without trailing spaces.
  private(set) var lines: [[CaptionGlyph]] = [[]]
  /// The number of spaces with which all lines begin. No-break spaces are not counted.
  let sharedIndent: Int
  /// The number of characters that were replaced by similar ones.
  private(set) var foldedCount = 0
  /// The characters that were replaced by question marks.
  private(set) var unknown: [Unicode.Scalar] = []
  /// The names of the styles that were dropped, for messages.
  private(set) var lostStyles: [String] = []

  init(_ text: StyledText) {
    let indents = text.text.split(separator: "\n").lazy.filter { !$0.allSatisfy(\.isWhitespace) }
      .map { $0.prefix { $0 == " " }.count }
    sharedIndent = indents.min() ?? 0
    for segment in text.styledSegments {
      let style = captionStyle(of: segment.style)
      for scalar in segment.text.unicodeScalars { append(scalar, style) }
    }
    for index in lines.indices {
      while lines[index].last?.isSpace == true { lines[index].removeLast() }
    }
    lines.removeAll { $0.isEmpty }
    unifyStylesOfWords()
  }

  /// Sets the style of each word to the style of most of its characters. A code that changes the style appears as a
  /// space. This space must not divide a word.
  private mutating func unifyStylesOfWords() {
    for line in lines.indices {
      for word in lines[line].indices.split(whereSeparator: { lines[line][$0].isSpace }) {
        let styles = word.map { lines[line][$0].style }
        let counts = Dictionary(styles.map { ($0, 1) }, uniquingKeysWith: +)
        guard counts.count > 1, let most = counts.values.max(), let style = styles.first(where: { counts[$0] == most })
        else { continue }
        for index in word { lines[line][index].style = style }
        lose("changes of style within words")
      }
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar, _ style: CaptionStyle) {
    if scalar == "\n" {
      lines.append([])
    } else if let code = CaptionCharacters.code(of: scalar) {
      lines[lines.count - 1].append(CaptionGlyph(code: code, style: style))
    } else {
      let (replacement, isKnown) = CaptionCharacters.folded(scalar)
      if isKnown { foldedCount += 1 } else { unknown.append(scalar) }
      for scalar in replacement.unicodeScalars {
        guard let code = CaptionCharacters.code(of: scalar) else { continue }
        lines[lines.count - 1].append(CaptionGlyph(code: code, style: style))
      }
    }
  }

  private mutating func captionStyle(of style: StyledText.Style) -> CaptionStyle {
    var result = CaptionStyle(isItalic: style.isItalic, isUnderlined: style.isUnderlined)
    if let color = style.color {
      result.color = CaptionStyle.Color(nearest: color)
      if color != result.color.textColor { lose("the exact color") }
    }
    if result.isItalic, result.color != .white {
      result.isItalic = false
      lose("italics of colored text")
    }
    if style.isBold { lose("bold text") }
    if style.backgroundColor != nil { lose("a background color") }
    if style.voice != nil { lose("the name of a speaker") }
    if style.sizeInPercent != nil { lose("font sizes") }
    return result
  }

  private mutating func lose(_ name: String) { if !lostStyles.contains(name) { lostStyles.append(name) } }
}

/// The cells of a row, including the cells of style changes.
struct CaptionRowCells {
  /// A character, or a code that changes the style of the following characters and appears as a space.
  enum Cell {
    case glyph(CaptionGlyph)
    case style(CaptionStyle)
  }

  /// The style of the first character.
  let firstStyle: CaptionStyle
  private(set) var cells: [Cell] = []
  /// The number of empty columns at the start of the row, before the first cell.
  private(set) var indent = 0

  /// The number of columns of the row, including its indent.
  var columnCount: Int { indent + cells.count }

  init(_ glyphs: [CaptionGlyph]) {
    firstStyle = glyphs.first { !$0.isSpace }?.style ?? CaptionStyle()
    var style = firstStyle
    for glyph in glyphs {
      if !glyph.isSpace, glyph.style != style {
        // A style changes only between words. The code occupies the cell of the space before the word.
        if case .glyph(let last)? = cells.last, last.isSpace { cells.removeLast() }
        cells.append(.style(glyph.style))
        style = glyph.style
      }
      cells.append(.glyph(glyph))
    }
  }

  /// Divides lines at words into rows of up to 32 cells. The rows of a line have similar lengths. Only words of more
  /// than 32 characters are divided.
  ///
  /// The spaces at the start of a line, except for `droppedIndent` spaces, become the indent of its row. The indent is
  /// shortened if the row would not fit otherwise.
  static func rows(of line: [CaptionGlyph], droppingIndent droppedIndent: Int) -> [CaptionRowCells] {
    let indent = line.prefix(while: \.isSpace).count
    let line = Array(line.dropFirst(indent))
    var complete = CaptionRowCells(line)
    guard complete.cells.count > CaptionArea.columnCount else {
      complete.indent = min(max(indent - droppedIndent, 0), CaptionArea.columnCount - complete.cells.count)
      return [complete]
    }
    let widest = wrapped(line, CaptionArea.columnCount)
    let longestWord = line.split(whereSeparator: \.isSpace).map(\.count).max() ?? 0
    let narrowest = max((line.count + widest.count - 1) / widest.count, longestWord)
    for width in narrowest..<max(narrowest, CaptionArea.columnCount) {
      let rows = wrapped(line, width)
      if rows.count == widest.count { return rows }
    }
    return widest
  }

  private static func wrapped(_ line: [CaptionGlyph], _ width: Int) -> [CaptionRowCells] {
    var rows: [CaptionRowCells] = []
    var row: [CaptionGlyph] = []
    for word in line.split(whereSeparator: \.isSpace) {
      var rest = word
      while !rest.isEmpty {
        let space = row.isEmpty ? [] : [CaptionGlyph(code: .basic(0x20), style: CaptionStyle())]
        let joined = row + space + rest
        if joined.count <= width, CaptionRowCells(joined).cells.count <= width {
          row = joined
          break
        }
        if !row.isEmpty {
          rows.append(CaptionRowCells(row))
          row = []
          continue
        }
        // The next word is longer than a row, so divide it.
        rows.append(CaptionRowCells(Array(rest.prefix(width))))
        rest = rest.dropFirst(width)
      }
    }
    if !row.isEmpty { rows.append(CaptionRowCells(row)) }
    return rows
  }
}

extension CaptionRowCells {
  /// Returns the pairs that write the row at a position, in units that must not be interrupted. A unit is a control
  /// code with its repetition, or a pair of characters.
  func units(row: Int, column: Int) -> [[CaptionPair]] {
    var units: [[CaptionPair]] = []
    var half: UInt8?
    func control(_ pair: CaptionPair) {
      if let byte = half { units.append([CaptionPair(code: byte, 0)]) }
      half = nil
      units.append([pair, pair])
    }
    func write(_ byte: UInt8) {
      if let first = half {
        units.append([CaptionPair(code: first, byte)])
        half = nil
      } else {
        half = byte
      }
    }
    func move(to column: Int) {
      control(CaptionCommand.preamblePair(row: row, indent: column / 4 * 4))
      if column % 4 > 0 { control(CaptionPair(code: 0x17, 0x20 | UInt8(column % 4))) }
    }
    if firstStyle == CaptionStyle() {
      move(to: column)
    } else if column == 0 {
      control(CaptionCommand.preamblePair(row: row, firstStyle))
    } else {
      // The code of the style occupies the cell before the text.
      move(to: column - 1)
      control(CaptionCommand.midRowPair(firstStyle))
    }
    var color = firstStyle.color
    for cell in cells {
      switch cell {
      case .style(let style):
        // The code for italics keeps the color. So the code for white is sent first, and a backspace deletes the cell
        // that this code occupies. A second preamble would occupy no cell, but ffmpeg erases the text to its left.
        if style.isItalic, color != .white {
          control(CaptionCommand.midRowPair(CaptionStyle()))
          control(CaptionPair(code: 0x14, 0x21))
        }
        control(CaptionCommand.midRowPair(style))
        color = style.color
      case .glyph(let glyph):
        switch glyph.code {
        case .basic(let byte): write(byte)
        case .special(let byte): control(CaptionPair(code: 0x11, byte))
        case .extended(let first, let second, let standIn):
          write(standIn)
          control(CaptionPair(code: first, second))
        }
      }
    }
    if let byte = half { units.append([CaptionPair(code: byte, 0)]) }
    return units
  }
}
