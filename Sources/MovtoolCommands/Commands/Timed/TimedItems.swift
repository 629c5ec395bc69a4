import MovieBox
import MovieWriter
import Subtitles

/// The items of timed metadata that `timed` reads from samples.
///
/// The groups are read and printed in batches, so that a long movie requires little memory.
struct TimedItems {
  private let file: String
  private let reader: TimedMetadataReader
  private let warnings: [Warning]

  init(_ selection: TimedCommand.Selection, of file: String, in context: Context) throws {
    self.file = file
    do {
      let source = try context.open(file)
      let movie: Movie
      do {
        movie = try Movie(of: source, limits: context.limits.movie)
      } catch let error as MovieError where error.code == .notAMovie && selection.tracks.isEmpty {
        // A media segment is not a movie, but it may contain timed events.
        guard
          let events = try TimedMetadataReader(
            ofSegment: source, identifiers: selection.identifiers, range: selection.range)
        else { throw error }
        (reader, warnings) = (events, [])
        return
      }
      warnings = try Warning.missingSamples(of: movie, source, file)
      let ids =
        selection.tracks.isEmpty
        ? nil
        : try TrackSelector.ids(of: selection.tracks, among: movie.tracks.map { EditedTrack($0) }, option: "track")
      reader = try TimedMetadataReader(
        movie, in: ids, identifiers: selection.identifiers, range: selection.range, from: source)
    } catch let error as UsageError {
      throw error
    } catch {
      throw try ToolError.blaming(file, for: error)
    }
  }

  /// Calls `body` with the groups, in batches.
  private func forEachBatch(in context: Context, _ body: ([TimedMetadataGroup]) throws -> Void) throws {
    var reader = reader
    while true {
      try context.checkStop()
      let groups: [TimedMetadataGroup]?
      do {
        groups = try reader.nextGroups()
      } catch {
        throw try ToolError.blaming(file, for: error)
      }
      guard let groups else { return }
      try body(groups)
    }
  }

  // MARK: - Lines and JSON

  /// Prints the groups. The exit code is 1 if there are none.
  func show(asJSON: Bool, in context: Context) throws -> ExitCode {
    var count = 0
    if asJSON {
      try context.printJSON { json in
        json.member("file", file)
        try json.array("groups") { json in
          try forEachBatch(in: context) { groups in
            count += groups.count
            for group in groups { json.object { group.write(to: &$0) } }
            try context.output.write(json.takeBytes())
          }
        }
        json.warnings(warnings)
      }
      return count == 0 ? .no : .done
    }
    for warning in warnings { try context.warn(warning) }
    var lines = TimedLines()
    try forEachBatch(in: context) { groups in
      count += groups.count
      for group in groups { lines.add(group) }
      try context.output.write(lines.takeBytes())
    }
    if count == 0 { try context.printMessage("\(file) has no items that match") }
    return count == 0 ? .no : .done
  }

  // MARK: - Table

  /// Writes a table in CSV (RFC 4180): a row for each group, and a column for each identifier.
  ///
  /// Reads the samples twice, because the header contains the identifiers of all rows.
  func writeTable(to output: String?, overwrites: Bool, asJSON: Bool, in context: Context) throws -> ExitCode {
    var identifiers: [MetadataIdentifier] = []
    var known: [MetadataIdentifier: Int] = [:]
    var rowCount = 0
    try forEachBatch(in: context) { groups in
      rowCount += groups.count
      for item in groups.lazy.flatMap(\.items) where known[item.identifier] == nil {
        guard identifiers.count < Self.columnCountLimit else {
          throw ToolError(
            .badData, code: MovieError.Code.limit.rawValue, file: file,
            "the items have more than \(Self.columnCountLimit) identifiers; use --identifier to choose some")
        }
        known[item.identifier] = identifiers.count
        identifiers.append(item.identifier)
      }
    }
    var written: [UInt8] = []
    func write(_ cells: [String]) throws {
      // Control characters in the text of a movie must not reach a terminal.
      let cells = output == nil ? cells.map { TerminalText.sanitized($0) } : cells
      written += (cells.map(Self.cell).joined(separator: ",") + "\r\n").utf8
      if output == nil, written.count > 1 << 16 {
        try context.output.write(written)
        written.removeAll(keepingCapacity: true)
      }
    }
    try write(["track", "start", "end"] + identifiers.map(\.description))
    try forEachBatch(in: context) { groups in
      for group in groups {
        var cells = [String](repeating: "", count: identifiers.count)
        for item in group.items {
          guard let column = known[item.identifier] else { continue }
          cells[column] += (cells[column].isEmpty ? "" : "; ") + item.tableText
        }
        let times = [group.microseconds.lowerBound, group.microseconds.upperBound]
        try write(
          [group.trackID.map(String.init) ?? ""] + times.map { String(TimedText.seconds($0).dropLast(2)) } + cells)
      }
    }
    if let output {
      try context.write([(output, Bytes(written))], protecting: [file], overwrites: overwrites)
    } else {
      try context.output.write(written)
    }
    if asJSON {
      try context.printJSON { json in
        json.member("file", file)
        json.member("output", output)
        json.member("rowCount", rowCount)
        json.array("identifiers") { json in for identifier in identifiers { json.value(identifier.description) } }
        json.warnings(warnings)
      }
    } else {
      for warning in warnings { try context.warn(warning) }
      if let output { try context.print(["wrote \(rowCount) rows to \(output)"]) }
    }
    return rowCount == 0 ? .no : .done
  }

  private static let columnCountLimit = 1_000

  /// Returns the text as a cell of CSV, in quotation marks if the text requires them.
  private static func cell(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
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
    if let numberValue { json.member("number", numberValue) } else { json.memberNull("number") }
    json.member("hex", Hexadecimal.digits(of: bytes))
    json.member("language", language?.description)
    json.object("details") { json in
      for (name, value) in details.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
    }
    json.member("offset", offset)
    json.objects("items", of: nestedItems) { $0.writeTimed(to: &$1) }
  }
}
