/// The appearance of a caption character: a color, italics, an underline and a background.
struct CaptionStyle: Hashable, Sendable {
  /// A color, in the order of the codes.
  enum Color: UInt8, CaseIterable {
    case white, green, blue, cyan, red, yellow, magenta, black
  }

  var color = Color.white
  var isItalic = false
  var isUnderlined = false
  /// The background. It is opaque black unless a code changes it.
  var background = Color.black
  /// The opacity of the background.
  var backgroundAlpha: UInt8 = 255

  /// The equivalent style of timed text. White text on a black background is the default of captions, so it needs no
  /// style.
  var textStyle: StyledText.Style {
    var style = StyledText.Style(isItalic: isItalic, isUnderlined: isUnderlined)
    if color != .white { style.color = color.textColor }
    if background != .black || backgroundAlpha != 255 {
      var color = background.textColor
      color.alpha = backgroundAlpha
      style.backgroundColor = color
    }
    return style
  }
}

extension CaptionStyle.Color {
  /// The equivalent color of timed text.
  var textColor: StyledText.Color {
    switch self {
    case .white: .white
    case .green: StyledText.Color(red: 0, green: 255, blue: 0)
    case .blue: StyledText.Color(red: 0, green: 0, blue: 255)
    case .cyan: StyledText.Color(red: 0, green: 255, blue: 255)
    case .red: StyledText.Color(red: 255, green: 0, blue: 0)
    case .yellow: StyledText.Color(red: 255, green: 255, blue: 0)
    case .magenta: StyledText.Color(red: 255, green: 0, blue: 255)
    case .black: StyledText.Color(red: 0, green: 0, blue: 0)
    }
  }

  /// Creates the color that is nearest to `color` among the seven colors of preambles. A dark color is brightened
  /// first, because the background of captions is black. Black becomes white.
  init(nearest color: StyledText.Color) {
    let brightest = Int(max(color.red, color.green, color.blue))
    func distance(_ other: StyledText.Color) -> Int {
      let parts = [(color.red, other.red), (color.green, other.green), (color.blue, other.blue)]
      return parts.reduce(0) { sum, part in
        let difference = Int(part.0) * 255 / max(brightest, 1) - Int(part.1)
        return sum + difference * difference
      }
    }
    // A color that is almost black has no recognizable hue, so it becomes white.
    guard brightest >= 32 else {
      self = .white
      return
    }
    let known: [Self] = [.white, .green, .blue, .cyan, .red, .yellow, .magenta]
    self = known.min { distance($0.textColor) < distance($1.textColor) } ?? .white
  }
}

/// The size of the caption area.
enum CaptionArea {
  static let rowCount = 15
  static let columnCount = 32
}

/// A row of text on the screen.
package struct CaptionRow: Hashable, Sendable {
  /// The row, from 1 at the top to 15.
  package var row: Int
  /// The column of the first visible character, from 0 to 31.
  package var column: Int
  /// The characters from the first to the last visible character. Gaps become spaces.
  package var text: StyledText

  package init(row: Int, column: Int, text: StyledText) {
    self.row = row
    self.column = column
    self.text = text
  }
}

/// The mode in which captions appear.
package enum CaptionMode: Hashable, Sendable {
  /// Captions are loaded into hidden memory and appear all at once.
  case popOn
  /// Characters appear as they arrive.
  case paintOn
  /// Rows scroll up. `depth` is the number of visible rows, from 2 to 4.
  case rollUp(depth: Int)
}

/// The rows that a channel shows, from a frame until the next change.
package struct CaptionScreen: Hashable, Sendable {
  /// The time at which the rows appear, in the units of the pairs.
  package var time: Int64
  /// The rows from top to bottom, or none if the screen is empty.
  package var rows: [CaptionRow]
  /// The mode that produced the rows.
  package var mode: CaptionMode
  /// The line in the file, from 1, or 0 if the captions are not from a file.
  package var line: Int
}

/// A caption memory of 15 rows and 32 columns.
struct CaptionMemory {
  private struct Cell {
    /// The character, or 0 if the cell is transparent.
    var scalar: UInt32 = 0
    var style = CaptionStyle()
  }

  private var cells = [Cell](repeating: Cell(), count: CaptionArea.rowCount * CaptionArea.columnCount)
  /// A bit for each row. It is set if the row was written after it was last cleared.
  private var usedRows: UInt16 = 0

  /// Whether no row has been written.
  var isEmpty: Bool { usedRows == 0 }

  /// Writes a character, or a transparent cell for `nil`. `row` is from 0 to 14, and `column` is from 0 to 31.
  mutating func write(_ scalar: Unicode.Scalar?, _ style: CaptionStyle, row: Int, column: Int) {
    cells[row * CaptionArea.columnCount + column] = Cell(scalar: scalar?.value ?? 0, style: style)
    usedRows |= 1 << UInt16(row)
  }

  /// Whether a cell is transparent or a space.
  func isBlank(row: Int, column: Int) -> Bool {
    let scalar = cells[row * CaptionArea.columnCount + column].scalar
    return scalar == 0 || scalar == 0x20
  }

  mutating func clear() {
    guard !isEmpty else { return }
    for row in 0..<CaptionArea.rowCount { clear(row: row) }
  }

  mutating func clear(row: Int, from column: Int = 0) {
    guard usedRows & 1 << UInt16(row) != 0 else { return }
    for index in column..<CaptionArea.columnCount { cells[row * CaptionArea.columnCount + index] = Cell() }
    if column == 0 { usedRows &= ~(1 << UInt16(row)) }
  }

  /// Moves the rows from `top` to `base` up by one row and clears row `base`.
  mutating func rollUp(from top: Int, to base: Int) {
    let old = self
    for row in top..<base { copy(row: row + 1, of: old, to: row) }
    clear(row: base)
  }

  /// Moves the `depth` rows that end at `base` to another base row, and clears all other rows.
  mutating func move(depth: Int, from base: Int, to newBase: Int) {
    let old = self
    clear()
    for offset in 0..<depth where base - offset >= 0 && newBase - offset >= 0 {
      copy(row: base - offset, of: old, to: newBase - offset)
    }
  }

  private mutating func copy(row: Int, of source: CaptionMemory, to target: Int) {
    guard source.usedRows & 1 << UInt16(row) != 0 else { return clear(row: target) }
    for column in 0..<CaptionArea.columnCount {
      cells[target * CaptionArea.columnCount + column] = source.cells[row * CaptionArea.columnCount + column]
    }
    usedRows |= 1 << UInt16(target)
  }

  /// Returns the characters of cells and their styles. Transparent cells become spaces without style.
  private static func text(_ cells: ArraySlice<Cell>) -> StyledText {
    // Collecting bytes is faster than appending scalars to a string.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(cells.count)
    var runs: [StyledText.Run] = []
    var (start, style) = (0, CaptionStyle())
    for (index, cell) in cells.enumerated() {
      if cell.scalar < 0x80 {
        bytes.append(cell.scalar == 0 ? Ascii.space : UInt8(truncatingIfNeeded: cell.scalar))
      } else {
        bytes += Unicode.Scalar(cell.scalar).flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter
      }
      let next = cell.scalar == 0 ? CaptionStyle() : cell.style
      guard next != style else { continue }
      runs.appendRun(start..<index, style.textStyle)
      (start, style) = (index, next)
    }
    runs.appendRun(start..<cells.count, style.textStyle)
    return StyledText(String(decoding: bytes, as: UTF8.self), checkedRuns: runs)
  }

  /// The rows with visible characters.
  var rows: [CaptionRow] {
    var rows: [CaptionRow] = []
    for row in 0..<CaptionArea.rowCount where usedRows & 1 << UInt16(row) != 0 {
      let line = cells[row * CaptionArea.columnCount..<(row + 1) * CaptionArea.columnCount]
      func isVisible(_ cell: Cell) -> Bool { cell.scalar > 0x20 }
      guard let first = line.firstIndex(where: isVisible), let last = line.lastIndex(where: isVisible) else { continue }
      rows.append(CaptionRow(row: row + 1, column: first - line.startIndex, text: Self.text(line[first...last])))
    }
    return rows
  }
}
