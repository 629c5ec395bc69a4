/// Lines of text whose columns stand under one another on a terminal.
struct TextTable {
  /// On which side of a column its cells stand.
  enum Alignment: Sendable {
    case left
    case right
  }

  /// A column.
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

  /// Adds a row of as many cells as there are columns; what could steer a terminal is spelled out in them.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row has a cell for each column")
    rows.append(cells.map(TerminalText.sanitized))
  }

  /// The titles and the rows, two blanks between columns. A column without title and text is left out.
  var lines: [String] {
    let all = [columns.map(\.title)] + rows
    let widths = columns.indices.map { column in all.map { TerminalText.width(of: $0[column]) }.max() ?? 0 }
    return all.map { row in
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
