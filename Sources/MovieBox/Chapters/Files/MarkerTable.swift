import Subtitles

/// A table of markers exported by Premiere. Tabs or commas separate the fields, and the first row contains the column
/// names in the user's language.
struct MarkerTable {
  struct Row {
    let line: Int
    let fields: [String]
  }

  let rows: [Row]
  let nameColumn: Int
  let commentColumn: Int?
  let startColumn: Int
  let endColumn: Int?
  private let kindColumn: Int?

  /// Parses the table, or returns `nil` if the text is not a marker table.
  init?(_ utf8: [UInt8]) {
    // The first line that is not empty must contain the column names.
    guard let header = NumberedLines(utf8).first(where: { !$0.text.isEmpty })?.text, header.utf8.count < 2_000 else {
      return nil
    }
    let delimiters = [Ascii.tab, UInt8(ascii: ";"), UInt8(ascii: ",")]
    let delimiter = delimiters.first { header.utf8.contains($0) } ?? UInt8(ascii: ",")
    let names = Self.rows(Array(header.utf8), delimiter).first?.fields.map { $0.lowercased() } ?? []
    guard names.count >= 4, ChapterTimestamp(Array(header.unicodeScalars), at: 0) == nil else { return nil }
    func column(_ names: [String], _ titles: String...) -> Int? { names.firstIndex { titles.contains($0) } }
    if let name = column(names, "marker name", "name"), let start = column(names, "in") {
      (nameColumn, startColumn) = (name, start)
      (commentColumn, endColumn) = (column(names, "description", "comment"), column(names, "out"))
      kindColumn = column(names, "marker type", "type")
    } else {
      // In languages other than English, the columns have other names but are in the same order. So identify the
      // columns by their order.
      var lines = NumberedLines(utf8)
      var found = 0
      var second = ""
      while found < 2, let line = lines.next() {
        guard !line.text.isEmpty else { continue }
        (second, found) = (line.text, found + 1)
      }
      let fields = Self.rows(Array(second.utf8), delimiter).first?.fields ?? []
      let isTimecode: (String) -> Bool = { text in
        text.utf8.count == 11 && text.utf8.allSatisfy { Ascii.isDigit($0) || $0 == 0x3A || $0 == 0x3B }
      }
      guard names.count == 6, fields.count >= 5, isTimecode(fields[2]), isTimecode(fields[3]) else { return nil }
      (nameColumn, commentColumn, startColumn, endColumn, kindColumn) = (0, 1, 2, 3, 5)
    }
    rows = Array(Self.rows(utf8, delimiter).drop { $0.fields.allSatisfy(\.isEmpty) }.dropFirst())
  }

  func isChapter(_ row: Row) -> Bool {
    kindColumn.map { row.fields.indices.contains($0) && row.fields[$0].lowercased().hasPrefix("chapter") } ?? false
  }

  /// Returns the rows of a text. A quoted field may contain line breaks. Inside quotation marks, two quotation marks
  /// represent one.
  private static func rows(_ utf8: [UInt8], _ delimiter: UInt8) -> [Row] {
    let (quote, lineFeed, carriageReturn) = (UInt8(ascii: "\""), Ascii.lineFeed, Ascii.carriageReturn)
    var (rows, fields, field): ([Row], [String], [UInt8]) = ([], [], [])
    var (line, start, position, isQuoted): (Int, Int, Int, Bool) = (1, 1, 0, false)
    func endField() {
      fields.append(String(decoding: field, as: UTF8.self).trimmed)
      field = []
    }
    func endRow() {
      endField()
      if fields.contains(where: { !$0.isEmpty }) { rows.append(Row(line: start, fields: fields)) }
      (fields, start) = ([], line)
    }
    while position < utf8.count {
      let byte = utf8[position]
      position += 1
      if byte == lineFeed || byte == carriageReturn {
        if byte == carriageReturn, position < utf8.count, utf8[position] == lineFeed { position += 1 }
        line += 1
        if isQuoted { field.append(lineFeed) } else { endRow() }
      } else if byte == quote, isQuoted {
        if position < utf8.count, utf8[position] == quote {
          field.append(quote)
          position += 1
        } else {
          isQuoted = false
        }
      } else if byte == quote, field.isEmpty {
        isQuoted = true
      } else if byte == delimiter, !isQuoted {
        endField()
      } else {
        field.append(byte)
      }
    }
    endRow()
    return rows
  }
}
