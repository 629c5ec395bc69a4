import MovieBox
import MovieWriter

/// `movtool metadata FILE`.
struct MetadataCommand: Command {
  static let name = "metadata"

  static let manual = CommandManual(
    operands: "FILE",
    summary: "shows what a movie says about itself: title, place, camera",
    examples: [
      .init(line: "movtool metadata film.mov", effect: "all that it says, in every vocabulary"),
      .init(
        line: "movtool metadata film.mov --common --language de,en", effect: "what all vocabularies know, in German"),
      .init(line: "movtool metadata film.m4a --artwork -o cover.jpg", effect: "the cover, as a file"),
    ],
    options: [
      OptionSpec("common", "only the facts that all vocabularies know"),
      OptionSpec(
        "space", value: OptionValue("SPACE", .words(MetadataIdentifier.Space.known.map(\.rawValue))),
        isRepeatable: true,
        "only this vocabulary, may be repeated"),
      OptionSpec("identifier", value: "PATTERN", "only what matches, such as 'mdta/com.apple.*' or common/title"),
      OptionSpec("track", value: .selector, isRepeatable: true, "only that of this track, may be repeated"),
      OptionSpec("language", value: "TAG,…", "only these languages, the best first, and what has none"),
      OptionSpec("artwork", "with -o: the picture"),
      OptionSpec("o", value: OptionValue("FILE", .file), "with --artwork: where it goes; - is standard output"),
      OptionSpec("force", "with -o: overwrite FILE if it exists"),
      .json,
    ],
    notes: TrackSelector.notes("may match several tracks") + [
      "Identifiers are SPACE/KEY: mdta/com.apple.quicktime.make, udta/%A9nam (or udta/©nam), itsk/covr."
    ])

  /// Where the picture goes.
  enum Target: Equatable, Sendable {
    case standardOutput
    case file(String, mayOverwrite: Bool)
  }

  let movie: String
  private let tracks: [TrackSelector]
  private let spaces: [String]
  private let pattern: String?
  private let languages: [LanguageTag]
  private let isCommon: Bool
  private let isJSON: Bool
  private let artwork: Target?

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    tracks = try arguments.selectors("track")
    spaces = arguments.values("space")
    for space in spaces where !MetadataIdentifier.Space.known.contains(where: { $0.rawValue == space }) {
      let names = MetadataIdentifier.Space.known.map(\.rawValue).joined(separator: ", ")
      throw UsageError(.invalidValue, "--space \(space): not one of \(names)")
    }
    pattern = arguments.value("identifier")
    if let pattern, !pattern.contains("/") {
      throw UsageError(.invalidValue, "--identifier \(pattern): write the space too, such as mdta/\(pattern)")
    }
    isCommon = arguments.contains("common")
    isJSON = arguments.contains("json")
    var languages: [LanguageTag] = []
    for text in arguments.value("language")?.split(separator: ",") ?? [] {
      languages.append(try SubtitleRequest.language(String(text)))
    }
    self.languages = languages
    artwork = try Self.artwork(arguments)
    guard artwork == nil || !isJSON else {
      throw UsageError(.conflict, "--artwork writes a picture, --json an answer; choose one")
    }
  }

  private static func artwork(_ arguments: Arguments) throws(UsageError) -> Target? {
    guard arguments.contains("artwork") else {
      for option in ["o", "force"] where arguments.contains(option) {
        throw UsageError(.conflict, "\(OptionSpec.spelling(of: option)) goes with --artwork")
      }
      return nil
    }
    guard let path = arguments.value("o"), !path.isEmpty else {
      throw UsageError(.missingValue, "--artwork goes with -o FILE, where the picture is written")
    }
    return path == "-" ? .standardOutput : .file(path, mayOverwrite: arguments.contains("force"))
  }

  func run(in context: Context) throws -> ExitCode {
    let source = try context.open(movie)
    let items: [MetadataItem]
    do {
      let movie = try Movie(of: source, limits: context.limits.movie)
      items = try chosen(movie.metadata(from: source), in: movie)
    } catch var error as UsageError {
      error.command = Self.name
      throw error
    } catch {
      throw ToolError(error, about: movie)
    }
    if let artwork { return try write(items, to: artwork, in: context) }
    if isJSON {
      try context.printJSON { json in
        json.member("file", movie)
        json.array("items") { json in for item in items { json.object { item.write(to: &$0) } } }
      }
    } else {
      try context.print(
        items.isEmpty ? ["\(movie) says nothing about itself that was asked for"] : Self.lines(of: items))
    }
    return .done
  }

  private func chosen(_ all: [MetadataItem], in movie: Movie) throws(UsageError) -> [MetadataItem] {
    var items = all
    if !tracks.isEmpty {
      let ids = try TrackSelector.ids(of: tracks, among: movie.tracks.map { OutputTrack($0) }, option: "track")
      items = items.filter { $0.trackID.map(ids.contains) ?? false }
    }
    if !spaces.isEmpty { items = items.filter { spaces.contains($0.identifier.space.rawValue) } }
    if let pattern { items = items.matching(pattern) }
    if isCommon { items = items.filter { $0.identifier.common != nil } }
    return languages.isEmpty ? items : items.preferring(languages)
  }

  /// Writes the first picture.
  private func write(_ items: [MetadataItem], to target: Target, in context: Context) throws -> ExitCode {
    let pictures = items.matching("common/artwork").compactMap(\.dataValue).filter { PictureFormat($0) != nil }
    guard let picture = pictures.first else {
      try context.say("\(movie) has no picture")
      return .no
    }
    switch target {
    case .standardOutput: try context.standardOutput.write(picture.array)
    case .file(let path, let mayOverwrite):
      guard path != movie, !context.isSameFile(path, movie) else {
        throw UsageError(.conflict, "-o \(path) is the movie")
      }
      context.holdStops(true)
      defer { context.holdStops(false) }
      try context.checkStop()
      try NewFileSink.write([
        (NewFileSink(path: path, existing: mayOverwrite ? .replace : .keep, synchronizes: false), picture)
      ])
      try context.print(["wrote \(path): \(picture.summary)"])
    }
    if pictures.count > 1 { try context.say("note: the first of \(pictures.count) pictures") }
    return .done
  }

  // MARK: - Lines

  private static func lines(of items: [MetadataItem]) -> [String] {
    var table = TextTable([
      .init("Fact"), .init("Value"), .init("Language"), .init("Track", .right), .init("Identifier"),
    ])
    for item in items {
      table.add([
        item.identifier.common?.key ?? "", item.shownValue, item.language?.description ?? "",
        item.trackID.map(String.init) ?? "", item.identifier.description,
      ])
    }
    return table.lines
  }
}

extension MetadataIdentifier.Space {
  /// Those that are read.
  fileprivate static let known: [Self] = [
    .quickTimeMetadata, .quickTimeUserData, .isoUserData, .iTunes, .iTunesLongForm, .id3, .xmp, .windows,
  ]
}

extension MetadataItem {
  /// The value for a line: the beginning of a long text, a picture's format and size.
  fileprivate var shownValue: String {
    guard let text = stringValue else { return bytes.isEmpty ? "nothing" : (dataValue ?? bytes).summary }
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count > 60 ? String(line.prefix(59)) + "…" : line
  }

  /// Writes the members of the item.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("identifier", identifier.description)
    json.member("common", identifier.common?.description)
    json.member("track", trackID)
    json.member("typeCode", typeCode)
    json.member("string", stringValue)
    if let numberValue { json.member("number", numberValue) } else { json.memberNull("number") }
    json.member("hex", bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    json.member("language", language?.description)
    json.object("details") { json in
      for (name, value) in details.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
    }
    json.member("path", path)
    json.member("offset", offset)
    json.member("isWellFormed", isWellFormed)
  }
}

extension Bytes {
  /// `JPEG picture, 23 kB`, or `12 bytes: 00 01 …`.
  fileprivate var summary: String {
    if let format = PictureFormat(self) { return "\(format.rawValue) picture, \(Quantity.bytes(UInt64(count)))" }
    return description
  }
}
