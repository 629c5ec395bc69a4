import MovieBox
import MovieWriter
import Subtitles

/// The items of timed metadata that `timed` reads from samples.
///
/// The groups are read and printed in batches, so that a long movie requires little memory.
struct TimedItems {
  private let file: String
  private let reader: TimedMetadataReader
  private var warnings: [Warning] = []

  init(_ selection: TimedCommand.Selection, of file: String, in context: Context) throws {
    self.file = file
    do {
      let source = try context.open(file)
      let movie: Movie
      do {
        movie = try Movie(of: source, limits: context.limits.movie)
      } catch let error as MovieError where error.code == .notAMovie {
        // A media segment is not a movie, but it may contain timed events.
        guard selection.tracks.isEmpty else { throw try error.explained(byEventsOf: source) }
        guard
          let events = try TimedMetadataReader(
            ofSegment: source, identifiers: selection.identifiers, range: selection.range)
        else { throw error }
        reader = events
        warnings = omittedEvents
        return
      }
      warnings = try Warning.missingSamples(of: movie, source, file)
      let ids =
        selection.tracks.isEmpty
        ? nil
        : try TrackSelector.ids(of: selection.tracks, among: movie.tracks.map { EditedTrack($0) }, option: "track")
      reader = try TimedMetadataReader(
        movie, in: ids, identifiers: selection.identifiers, range: selection.range, from: source)
      warnings += omittedEvents
    } catch let error as UsageError {
      throw error
    } catch {
      throw try ToolError.blaming(file, for: error)
    }
  }

  /// A warning about events that are not read, or an empty array if all events are read.
  private var omittedEvents: [Warning] {
    let count = reader.omittedEventCount
    guard count > 0 else { return [] }
    return [
      Warning(
        code: "events-left-out", file: file,
        message: "\(counted(count, "event")) (emsg) \(count == 1 ? "is" : "are") unreadable or too large, and omitted")
    ]
  }

  /// Calls `body` with each group, and `afterBatch` after each batch of groups.
  private func forEachGroup(
    in context: Context, _ body: (TimedMetadataGroup) -> Void, afterBatch: () throws -> Void
  ) throws {
    var reader = reader
    while true {
      try context.checkStop()
      do {
        guard try reader.readGroups(body) else { return }
      } catch {
        throw try ToolError.blaming(file, for: error)
      }
      try afterBatch()
    }
  }

  // MARK: - Lines and JSON

  /// Prints the groups. The exit code is 1 if there are none.
  func show(asJSON: Bool, in context: Context) throws -> ExitCode {
    var count = 0
    if asJSON {
      try context.printJSON { json in
        try write(to: &json, counting: &count, in: context) { try context.output.write($0.takeBytes()) }
        json.warnings(warnings)
      }
      return count == 0 ? .no : .done
    }
    for warning in warnings { try context.warn(warning) }
    var lines = TimedLines()
    try forEachGroup(in: context) { group in
      count += 1
      lines.add(group)
    } afterBatch: {
      try context.output.write(lines.takeBytes())
    }
    if count == 0 { try printNothing(in: context) }
    return count == 0 ? .no : .done
  }

  /// Writes the groups as JSON to a file. The file contains the members that `show` prints.
  func write(to output: String?, overwrites: Bool, asJSON: Bool, in context: Context) throws -> ExitCode {
    guard let output else { return try show(asJSON: true, in: context) }
    var count = 0
    var json = JSONWriter()
    try json.object { json in try write(to: &json, counting: &count, in: context) { _ in } }
    guard count > 0 else {
      try reportNothing(asJSON, in: context) { $0.member("groupCount", 0) }
      return .no
    }
    try context.write(
      [(output, Bytes(json.takeBytes() + [UInt8(ascii: "\n")]))], protecting: [file], overwrites: overwrites)
    try report(counted(count, "group"), to: output, asJSON, in: context) { $0.member("groupCount", count) }
    return .done
  }

  /// Writes the members `file` and `groups`, and calls `flush` after each batch.
  private func write(
    to json: inout JSONWriter, counting count: inout Int, in context: Context,
    flush: (inout JSONWriter) throws -> Void
  ) throws {
    json.member("file", file)
    try json.array("groups") { json in
      try forEachGroup(in: context) { group in
        count += 1
        json.object { group.write(to: &$0) }
      } afterBatch: {
        try flush(&json)
      }
    }
  }

  /// Reports a written file.
  private func report(
    _ contents: String, to output: String?, _ asJSON: Bool, in context: Context, _ members: (inout JSONWriter) -> Void
  ) throws {
    if asJSON {
      try context.printJSON { json in
        json.member("file", file)
        json.member("output", output)
        members(&json)
        json.warnings(warnings)
      }
    } else {
      for warning in warnings { try context.warn(warning) }
      if let output { try context.print(["wrote \(contents) to \(output)"]) }
    }
  }

  /// Reports that no file is written, because no item matches.
  private func reportNothing(
    _ asJSON: Bool, in context: Context, _ members: (inout JSONWriter) -> Void
  ) throws {
    try report("", to: nil, asJSON, in: context, members)
    if !asJSON { try printNothing(in: context) }
  }

  private func printNothing(in context: Context) throws {
    try context.printMessage("\(file) has no items that match")
  }

  // MARK: - Table

  /// A column of the table. Items with different languages have different columns.
  private struct Column: Hashable, CustomStringConvertible {
    let identifier: MetadataIdentifier
    let language: LanguageTag?

    init(_ item: MetadataItem) {
      (identifier, language) = (item.identifier, item.language)
    }

    var description: String { identifier.description + (language.map { " (\($0))" } ?? "") }
  }

  /// Writes a table in CSV (RFC 4180): a row for each group, and a column for each identifier and language.
  ///
  /// Reads the samples twice, because the header contains the columns of all rows.
  func writeTable(to output: String?, overwrites: Bool, asJSON: Bool, in context: Context) throws -> ExitCode {
    var columns: [Column] = []
    var known: [Column: Int] = [:]
    var rowCount = 0
    try forEachGroup(in: context) { group in
      rowCount += 1
      for column in group.items.lazy.map({ Column($0) })
      where known[column] == nil && columns.count <= Self.columnCountLimit {
        known[column] = columns.count
        columns.append(column)
      }
    } afterBatch: {
      guard columns.count <= Self.columnCountLimit else {
        throw ToolError(
          .badData, code: MovieError.Code.limit.rawValue, file: file,
          "the items have more than \(Self.columnCountLimit) identifiers; use --identifier to choose some")
      }
    }
    var written: [UInt8] = []
    func write(_ cells: [String]) {
      for (index, cell) in cells.enumerated() {
        if index > 0 { written.append(UInt8(ascii: ",")) }
        // Control characters in the text of a movie must not reach a terminal.
        // Their escapes begin with a backslash, so a backslash is escaped too.
        Self.append(
          output == nil ? TerminalText.sanitized(cell.replacing("\\", with: "\\\\")) : cell, to: &written)
      }
      written += [Ascii.carriageReturn, Ascii.lineFeed]
    }
    write(["track", "start", "end"] + columns.map(\.description))
    try forEachGroup(in: context) { group in
      var cells = [String](repeating: "", count: 3 + columns.count)
      cells[0] = group.trackID.map(String.init) ?? ""
      cells[1] = TimedText.numberOfSeconds(group.microseconds.lowerBound)
      cells[2] = TimedText.numberOfSeconds(group.microseconds.upperBound)
      for item in group.items {
        guard let column = known[Column(item)] else { continue }
        cells[3 + column] += (cells[3 + column].isEmpty ? "" : "; ") + item.tableText
      }
      write(cells)
    } afterBatch: {
      guard output == nil, written.count > 1 << 16 else { return }
      try context.output.write(written)
      written.removeAll(keepingCapacity: true)
    }
    if let output {
      guard rowCount > 0 else {
        try reportNothing(asJSON, in: context) { json in
          json.member("rowCount", 0)
          json.array("identifiers") { _ in }
        }
        return .no
      }
      try context.write([(output, Bytes(written))], protecting: [file], overwrites: overwrites)
    } else {
      try context.output.write(written)
    }
    try report(counted(rowCount, "row"), to: output, asJSON, in: context) { json in
      json.member("rowCount", rowCount)
      json.member("identifiers", columns.map(\.description))
    }
    if rowCount == 0 { try printNothing(in: context) }
    return rowCount == 0 ? .no : .done
  }

  private static let columnCountLimit = 1_000

  /// Appends the text as a cell of CSV, in quotation marks if the text requires them.
  private static func append(_ text: String, to utf8: inout [UInt8]) {
    let mark = UInt8(ascii: "\"")
    guard text.utf8.contains(where: { $0 == mark || $0 == UInt8(ascii: ",") || $0 == 0x0A || $0 == 0x0D }) else {
      utf8.append(contentsOf: text.utf8)
      return
    }
    utf8.append(mark)
    for byte in text.utf8 {
      if byte == mark { utf8.append(mark) }
      utf8.append(byte)
    }
    utf8.append(mark)
  }
}

extension TimedMetadataGroup {
  /// Writes the members of the group's object.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("track", trackID)
    json.member("startMicroseconds", microseconds.lowerBound)
    json.member("endMicroseconds", microseconds.upperBound)
    json.member("problem", problem)
    json.objects("items", of: items) { $0.writeTimed(to: &$1) }
  }
}

extension MetadataItem {
  /// The value in a table: the values of the nested items, a text, or hexadecimal digits.
  fileprivate var tableText: String {
    guard nestedItems.isEmpty else { return nestedItems.map(\.tableText).joined(separator: "; ") }
    return stringValue ?? Hexadecimal.digits(of: bytes)
  }

  /// Writes the members of the item's object.
  fileprivate func writeTimed(to json: inout JSONWriter) {
    json.member("identifier", identifier.description)
    json.member("typeCode", typeCode)
    json.member("string", stringValue)
    switch value {
    case .integer(let number): json.member("number", number)
    case .unsignedInteger(let number): json.member("number", number)
    default: if let numberValue { json.member("number", numberValue) } else { json.memberNull("number") }
    }
    json.member("hex", Hexadecimal.digits(of: bytes))
    json.member("language", language?.description)
    json.object("details") { json in
      for (name, value) in details.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
    }
    json.member("offset", offset)
    json.objects("items", of: nestedItems) { $0.writeTimed(to: &$1) }
  }
}
