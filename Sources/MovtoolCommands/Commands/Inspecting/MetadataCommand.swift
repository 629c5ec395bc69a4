import MovieBox
import MovieWriter

/// `movtool metadata FILE`.
struct MetadataCommand: Command {
  static let name = "metadata"

  static let manual = CommandManual(
    operands: "FILE [PICTURE]",
    summary: "show and edit title, location, date, cover and other items",
    examples: [
      .init(line: "movtool metadata film.mov", effect: "show all items, in every vocabulary"),
      .init(
        line: "movtool metadata film.mov --set title=Home --set title=Heimat --language de",
        effect: "set a title and a German title in all vocabularies"),
      .init(
        line: "movtool metadata film.mov --remove location -o out.mov",
        effect: "write a new file without the location"),
    ],
    options: [
      OptionSpec("common", "show only the facts that vocabularies have in common"),
      OptionSpec(
        "space", value: OptionValue("SPACE", .words(MetadataRequest.knownSpaces.map(\.rawValue))),
        isRepeatable: true,
        "show only this vocabulary; repeatable"),
      OptionSpec("identifier", value: "PATTERN", "show items: 'mdta/com.apple.*', common/title"),
      OptionSpec("track", value: .selector, isRepeatable: true, "show or edit items of this track; repeatable"),
      OptionSpec(
        "language", value: "TAG,…", isRepeatable: true, "prefer these languages; with an edit: set the language"),
    ] + MetadataRequest.actionOptions + [
      OptionSpec("artwork", "set the cover to PICTURE, or write the cover to -o FILE")
    ] + MetadataRequest.detailOptions + SharingRequest.options
      + EditOptions.output("write a new file and leave FILE unchanged", hasType: false)
      + [.append] + EditOptions.commonOptions,
    notes: TrackSelector.notes("must match one track in an edit") + [
      "An identifier is SPACE/KEY: mdta/com.apple.quicktime.make, udta/%A9nam (or udta/©nam), itsk/covr.",
      "A FACT is a name that all vocabularies share: title, description, location … --set writes a fact",
      "in every vocabulary in which FILE contains it, and in the vocabulary of FILE's type. If a .mov",
      "contains a title in udta, --set title=TEXT also writes the title in mdta.",
      "--track, --language and --type apply to the fact before them, or to all facts if they come first.",
      "movtool metadata song.m4a --artwork -o cover.jpg writes the cover;",
      "movtool metadata song.m4a cover.jpg --artwork sets the cover.",
    ])

  /// The options that apply only if metadata is edited.
  private static let editingOptions =
    MetadataRequest.detailOptions + SharingRequest.options
    + (EditOptions.singleMovieOptions.filter { !["o", "force", "json"].contains($0.name) })

  /// The destination of the picture.
  enum Target: Equatable, Sendable {
    case standardOutput
    case file(String, mayOverwrite: Bool)
  }

  let movie: String
  private let tracks: [TrackSelector]
  private let spaces: [String]
  private let pattern: String?
  private let languages: [LanguageTag]
  private let showsOnlyCommon: Bool
  private let isJSON: Bool
  private let artwork: Target?
  /// The change, or `nil` if metadata is shown.
  private let edit: Change?

  /// A change of the metadata.
  private struct Change {
    let requests: [MetadataRequest]
    let isExact: Bool
    let sharing: SharingRequest?
    let options: EditOptions
  }

  /// With `--artwork`, the second operand is a picture and not a movie.
  static func runsForEachMovie(_ arguments: Arguments) -> Bool { !arguments.contains("artwork") }

  var isReadOnly: Bool { edit == nil }

  init(_ arguments: Arguments) throws(UsageError) {
    let (movie, picture) = try Self.files(arguments)
    self.movie = movie
    let requests = try MetadataRequest.all(arguments, artwork: picture)
    let sharing = try SharingRequest(arguments)
    if arguments.contains("artwork"), picture == nil, !requests.isEmpty || sharing != nil {
      throw UsageError(.missingOperand, "--artwork sets the cover: specify the picture after the movie")
    }
    if arguments.contains("only-space"), !requests.contains(where: { $0.isSetting }) {
      throw UsageError(.conflict, "--only-space requires --set")
    }
    if sharing != nil, requests.isEmpty {
      try arguments.refuse(["track", "language", "type"], "requires --set, --add or --remove")
    }
    guard requests.isEmpty, sharing == nil else {
      try arguments.refuse(
        ["common", "space", "identifier"], "selects the items to show, so it cannot be combined with an edit")
      (tracks, spaces, pattern, languages, showsOnlyCommon, isJSON, artwork) = ([], [], nil, [], false, false, nil)
      edit = Change(
        requests: requests, isExact: arguments.contains("only-space"), sharing: sharing,
        options: try EditOptions(arguments, hasType: false))
      return
    }
    edit = nil
    try arguments.refuse(Self.editingOptions.map(\.name), "requires an edit, such as --set or --remove")
    tracks = try arguments.selectors("track")
    spaces = arguments.values("space")
    for space in spaces where !MetadataRequest.knownSpaces.contains(where: { $0.rawValue == space }) {
      let names = MetadataRequest.knownSpaces.map(\.rawValue).joined(separator: ", ")
      throw UsageError(.invalidValue, "--space \(space): use one of \(names)")
    }
    pattern = try arguments.value("identifier").map { word throws(UsageError) in
      try MetadataRequest.pattern(word, option: "identifier")
    }
    showsOnlyCommon = arguments.contains("common")
    isJSON = arguments.contains("json")
    languages = try arguments.languages()
    artwork = try Self.artwork(arguments)
    guard artwork == nil || !isJSON else {
      throw UsageError(.conflict, "--artwork writes a picture, but --json prints metadata; use one option")
    }
  }

  private static func artwork(_ arguments: Arguments) throws(UsageError) -> Target? {
    guard arguments.contains("artwork") else {
      try arguments.refuse(["o", "force"], "requires --artwork, or an edit such as --set")
      return nil
    }
    guard let path = arguments.value("o"), !path.isEmpty else {
      throw UsageError(.missingValue, "--artwork requires -o FILE, or a PICTURE to set")
    }
    return path == "-" ? .standardOutput : .file(path, mayOverwrite: arguments.contains("force"))
  }

  /// Returns the operands: the movie and, with `--artwork`, the new picture. The picture is `nil` if there is only one
  /// operand.
  private static func files(_ arguments: Arguments) throws(UsageError) -> (movie: String, picture: String?) {
    guard arguments.contains("artwork"), arguments.operands.count == 2 else {
      if arguments.operands.count == 2,
        let picture = arguments.operands.first(where: { ChapterPictures.format(ofName: $0) != nil })
      {
        throw UsageError(.missingOperand, "\(picture) seems to be a picture; to set the cover, add --artwork")
      }
      return (try EditOptions.movie(arguments), nil)
    }
    for file in arguments.operands { try EditOptions.requireFile(file) }
    return (arguments.operands[0], arguments.operands[1])
  }

  func run(in context: Context) throws -> ExitCode {
    if let edit {
      let run = EditExecution(
        command: Self.name, movie: movie, options: edit.options, requiresNewFile: edit.sharing != nil,
        layout: OutputLayout(isCompact: edit.sharing != nil), skipsIfUnchanged: true)
      return try run.carryOut(in: context) { source in
        var builder = try EditBuilder(movie, source, edit.options, takesInitializationSegments: true, in: context)
        if let sharing = edit.sharing { try builder.share(sharing) }
        try builder.change(edit.requests, isExact: edit.isExact, source, in: context)
        if let sharing = edit.sharing { try builder.warnOfUnmatched(sharing, source) }
        builder.removeNotesFromAddedCovers()
        if edit.sharing == nil, edit.options.target != .input { try builder.warnOfFreeSpace(source) }
        return builder
      }
    }
    let source = try context.open(movie)
    let items: [MetadataItem]
    let recording: RecordedDate?
    let warnings: [Warning]
    let failure: ToolError?
    do {
      let movie: Movie
      (movie, warnings, failure) = try context.readableMovie(at: self.movie, of: source, asJSON: isJSON)
      items = try chosenItems(movie.metadata(from: source), in: movie)
      recording = movie.recording
    } catch var error as UsageError {
      error.command = Self.name
      throw error
    } catch {
      throw ToolError(error, about: movie)
    }
    if let artwork {
      let exitCode = try write(items, to: artwork, in: context)
      if let failure { try context.report(failure, asJSON: false) }
      return failure?.exitCode ?? exitCode
    }
    if isJSON {
      try context.printJSON { json in
        json.member("file", movie)
        let disagreeing = items.disagreeing
        json.objects("items", of: items) { $0.write(to: &$1, disagrees: disagreeing.contains($0)) }
        json.object("recorded", of: recording) { $0.write(to: &$1) }
        json.object("error", of: failure) { $0.write(to: &$1) }
        json.warnings(warnings)
      }
    } else {
      let shown = isFiltered ? nil : recording.flatMap { $0.isShown ? $0 : nil }
      try context.print(
        items.isEmpty && shown == nil
          ? failure == nil ? ["\(movie) has no metadata" + (isFiltered ? " of these" : "")] : []
          : Self.lines(of: items, shown))
      if let failure { try context.report(failure, asJSON: false) }
    }
    return failure?.exitCode ?? .done
  }

  /// Whether options select the items to show.
  private var isFiltered: Bool {
    showsOnlyCommon || pattern != nil || !tracks.isEmpty || !spaces.isEmpty || !languages.isEmpty
  }

  private func chosenItems(_ all: [MetadataItem], in movie: Movie) throws(UsageError) -> [MetadataItem] {
    var items = all
    if !tracks.isEmpty {
      let ids = try TrackSelector.ids(of: tracks, among: movie.tracks.map { EditedTrack($0) }, option: "track")
      items = items.filter { $0.trackID.map(ids.contains) ?? false }
    }
    if !spaces.isEmpty { items = items.filter { spaces.contains($0.identifier.space.rawValue) } }
    // Chapter lists do not describe the movie, so they are shown only on explicit request.
    items = if let pattern { items.matching(pattern) } else { items.filter { !$0.identifier.isChapterList } }
    if showsOnlyCommon { items = items.filter { $0.identifier.common != nil } }
    return languages.isEmpty ? items : items.preferring(languages)
  }

  /// Writes the first picture.
  private func write(_ items: [MetadataItem], to target: Target, in context: Context) throws -> ExitCode {
    let pictures = items.matching("common/artwork").compactMap(\.dataValue).filter { PictureFormat($0) != nil }
    guard let picture = pictures.first else {
      try context.printMessage("\(movie) has no picture")
      return .no
    }
    switch target {
    case .standardOutput: try context.standardOutput.write(picture.array)
    case .file(let path, let mayOverwrite):
      try context.write([(path, picture)], protecting: [movie], overwrites: mayOverwrite)
      try context.print(["wrote \(path): \(picture.summary)"])
      if let warning = ChapterPictures.warning(ofName: path, picture: picture) { try context.warn(warning) }
    }
    if pictures.count > 1 {
      try context.printMessage("note: only the first of \(pictures.count) pictures was written")
    }
    return .done
  }

  // MARK: - Lines

  private static func lines(of items: [MetadataItem], _ recording: RecordedDate?) -> [String] {
    var table = TextTable([
      .init("Fact"), .init("Value"), .init("Language"), .init("Track", .right), .init("Identifier"), .init("Note"),
    ])
    let disagreeingItems = items.disagreeing
    for item in items {
      table.add([
        item.identifier.common?.key ?? "", item.shownValue, item.language?.description ?? "",
        item.trackID.map(String.init) ?? "", item.identifier.description,
        disagreeingItems.contains(item) ? "contradicts another item" : "",
      ])
    }
    if let recording {
      table.add([
        "recorded", recording.header.date.description, "", recording.header.trackID.map(String.init) ?? "",
        recording.header.path, recording.notes.joined(separator: "; "),
      ])
    }
    return table.lines
  }
}

extension MetadataItem {
  /// Writes the members of the item.
  fileprivate func write(to json: inout JSONWriter, disagrees: Bool) {
    json.member("identifier", identifier.description)
    json.member("common", identifier.common?.description)
    json.member("track", trackID)
    json.member("typeCode", typeCode)
    json.member("string", stringValue)
    json.member("name", valueName)
    if let numberValue { json.member("number", numberValue) } else { json.memberNull("number") }
    json.member("hex", Hexadecimal.digits(of: bytes))
    json.member("language", language?.description)
    json.member("localeCode", localeCode)
    json.object("details") { json in
      for (name, value) in details.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
    }
    json.member("path", path)
    json.member("offset", offset)
    json.member("isWellFormed", isWellFormed)
    json.member("disagrees", disagrees)
  }
}

extension MetadataItem {
  /// The value in one line: the beginning of a long text, or the format and size of a picture.
  var shownValue: String {
    guard let text = stringValue else { return bytes.isEmpty ? "nothing" : (dataValue ?? bytes).summary }
    if let valueName { return "\(valueName) (\(text))" }
    let isPlain = TerminalText.isPlain(text.utf8)
    let line =
      isPlain ? text : TerminalText.sanitized(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    let isShort = isPlain ? line.utf8.count <= Self.shownLength : line.count <= Self.shownLength
    return isShort ? line : line.prefix(Self.shownLength - 1) + "…"
  }

  /// The maximum number of characters in ``shownValue``.
  static let shownLength = 60
}

extension Bytes {
  /// A summary such as `JPEG picture, 23 kB` or `12 bytes: 00 01 …`.
  var summary: String {
    if let format = PictureFormat(self) { return "\(format.rawValue) picture, \(Quantity.bytes(UInt64(count)))" }
    return description
  }
}

extension RecordedDate {
  /// Whether the date is shown. It is not shown if an item contains it and there are no notes about it.
  var isShown: Bool { !isTagged || !notes.isEmpty }

  /// The path of the atom that contains the date, and the notes about the date.
  var details: String { ([header.path] + notes).joined(separator: "; ") }
}
