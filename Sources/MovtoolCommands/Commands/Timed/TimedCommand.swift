import MovieBox
import MovieWriter
import Subtitles

/// `movtool timed FILE…`.
struct TimedCommand: Command {
  static let name = "timed"

  static let manual = CommandManual(
    operands: "FILE…",
    summary: "show what cameras record over time, and write the route",
    examples: [
      .init(line: "movtool timed IMG_0123.MOV", effect: "list the tracks with timed metadata and their identifiers"),
      .init(
        line: "movtool timed IMG_0123.MOV --identifier '*face*' --from 1.5",
        effect: "show the faces from 1.5 s on, with times"),
      .init(line: "movtool timed GH010042.MP4 --gpx -o ride.gpx", effect: "write the route of a GoPro movie as GPX"),
    ],
    options: [
      OptionSpec("track", value: .selector, isRepeatable: true, "read the samples of this track; repeatable"),
      OptionSpec(
        "identifier", value: "PATTERN", isRepeatable: true, "read these items: 'mdta/com.apple.*'; repeatable"),
      OptionSpec("from", value: "TIME", "read the samples or points from this time on"),
      OptionSpec("to", value: "TIME", "read the samples or points before this time"),
      OptionSpec("csv", "print a row for each time and a column for each identifier"),
      OptionSpec("gpx", "write the route as GPX 1.1"),
      OptionSpec("geojson", "write the route as GeoJSON"),
      OptionSpec(
        "clock", value: .words("gps", "movie"), "set the dates of a route: gps (default if known) or movie"),
      OptionSpec("o", value: OptionValue("OUT", .file), "write to this file: .json, .csv, .gpx or .geojson"),
      OptionSpec("force", "overwrite an existing file"),
      .json,
    ],
    notes: TrackSelector.notes("may match several tracks") + [
      "Without --track, --identifier, --from, --to, --csv or -o, no samples are read.",
      "The route comes from mebx locations, GoPro telemetry (gpmd) or camera motion metadata (camm).",
      "Points without a GPS fix are omitted and counted. A gap begins a new segment.",
    ])

  /// The tracks, items and times to read.
  struct Selection: Equatable, Sendable {
    let tracks: [TrackSelector]
    let identifiers: [String]
    /// The time range in microseconds, or `nil` for the whole movie.
    let range: Range<Int64>?
  }

  enum RouteFormat: String, Sendable {
    case gpx, geojson
  }

  /// The task that the options request.
  enum Work: Equatable, Sendable {
    /// Lists the tracks.
    case list
    case show(Selection)
    /// Writes a file that `add-track --metadata` reads.
    case items(Selection)
    case table(Selection)
    case route(RouteFormat, tracks: [TrackSelector], range: Range<Int64>?, clock: RouteClock?)
  }

  let files: [String]
  let work: Work
  /// The output file, or `nil` for standard output.
  let output: String?
  let mayOverwrite: Bool
  let isJSON: Bool

  var isReadOnly: Bool { output == nil }

  init(_ arguments: Arguments) throws(UsageError) {
    guard !arguments.operands.isEmpty else { throw UsageError(.missingOperand, "which FILE?") }
    guard !arguments.operands.contains("-") else {
      throw UsageError(.notSupported, "timed cannot read standard input; specify a file")
    }
    files = arguments.operands
    isJSON = arguments.contains("json")
    mayOverwrite = arguments.contains("force")
    let name = arguments.value("o")
    guard name != "" else { throw UsageError(.missingValue, "-o requires a value: OUT") }
    output = name == "-" ? nil : name
    work = try Self.work(arguments)
    switch work {
    case .list, .show:
      try arguments.refuse(
        ["o"],
        "requires --csv, --gpx or --geojson, or a name that ends with .json, .csv, .gpx or .geojson"
          + (name == "-" ? "; --json prints JSON to standard output" : ""))
      try arguments.refuse(["force"], "requires -o")
    case .items: break
    case .table: try requireOneOutput("csv", "table")
    case .route(let format, _, _, _): try requireOneOutput(format.rawValue, "route")
    }
    guard work == .list || files.count == 1 else {
      throw UsageError(.unexpectedOperand, "unexpected operand \(files[1]): samples and routes are read from one file")
    }
  }

  private func requireOneOutput(_ option: String, _ content: String) throws(UsageError) {
    guard isJSON, output == nil else { return }
    throw UsageError(
      .conflict, "--json and --\(option) both use standard output; write the \(content) to a file with -o NAME")
  }

  private static func work(_ arguments: Arguments) throws(UsageError) -> Work {
    let tracks = try arguments.selectors("track")
    var forms = ["csv", "gpx", "geojson"].filter { arguments.contains($0) }
    guard forms.count <= 1 else {
      throw UsageError(.conflict, forms.map { "--" + $0 }.joined(separator: " and ") + " exclude each other")
    }
    // Without an option, the name of the output file determines the format.
    if forms.isEmpty, let name = arguments.value("o"), let form = Self.format(ofFile: name) { forms = [form] }
    if let form = forms.first.flatMap({ RouteFormat(rawValue: $0) }) {
      try arguments.refuse(["identifier"], "selects items, but a route consists of locations")
      return .route(form, tracks: tracks, range: try range(arguments), clock: try clock(arguments))
    }
    try arguments.refuse(["clock"], "requires --gpx or --geojson")
    let selection = Selection(
      tracks: tracks, identifiers: arguments.values("identifier"), range: try range(arguments))
    if forms == ["csv"] { return .table(selection) }
    if forms == ["json"] { return .items(selection) }
    return selection.tracks.isEmpty && selection.identifiers.isEmpty && selection.range == nil
      ? .list : .show(selection)
  }

  /// Returns the format that the name of an output file suggests, or `nil` if it suggests none.
  private static func format(ofFile name: String) -> String? {
    let name = name.lowercased()
    return ["json", "csv", "gpx", "geojson"].first { name.hasSuffix("." + $0) }
  }

  private static func clock(_ arguments: Arguments) throws(UsageError) -> RouteClock? {
    guard let text = arguments.value("clock") else { return nil }
    guard let clock = RouteClock(rawValue: text) else {
      throw UsageError(.invalidValue, "--clock \(text): use gps or movie")
    }
    return clock
  }

  private static func range(_ arguments: Arguments) throws(UsageError) -> Range<Int64>? {
    func time(_ option: String) throws(UsageError) -> Int64? {
      guard let text = arguments.value(option) else { return nil }
      guard let time = TimeOffset(text), time.milliseconds >= 0 else {
        throw UsageError(.invalidValue, "--\(option) \(text): specify a time such as 1.5 or 00:01:02.500")
      }
      return time.milliseconds * 1_000
    }
    let (start, end) = (try time("from"), try time("to"))
    guard start != nil || end != nil else { return nil }
    let (first, last) = (start ?? 0, end ?? .max)
    guard first < last else { throw UsageError(.invalidValue, "--from must be before --to") }
    return first..<last
  }

  func run(in context: Context) throws -> ExitCode {
    switch work {
    case .list: return try TimedListing(files).show(asJSON: isJSON, in: context)
    case .show(let selection):
      return try TimedItems(selection, of: files[0], in: context).show(asJSON: isJSON, in: context)
    case .items(let selection):
      return try TimedItems(selection, of: files[0], in: context)
        .write(to: output, overwrites: mayOverwrite, asJSON: isJSON, in: context)
    case .table(let selection):
      return try TimedItems(selection, of: files[0], in: context)
        .writeTable(to: output, overwrites: mayOverwrite, asJSON: isJSON, in: context)
    case .route(let format, let tracks, let range, let clock):
      return try TimedRoute(format, tracks, range, clock, of: files[0])
        .write(to: output, overwrites: mayOverwrite, asJSON: isJSON, in: context)
    }
  }
}
