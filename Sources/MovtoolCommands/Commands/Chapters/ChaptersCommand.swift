import MovieBox
import MovieWriter
import Subtitles

/// `movtool chapters FILE`.
struct ChaptersCommand: Command {
  static let name = "chapters"

  static let manual = CommandManual(
    operands: "FILE…",
    summary: "show, set, export and remove chapters",
    examples: [
      .init(line: "movtool chapters film.mov", effect: "show the chapters in all languages"),
      .init(
        line: "movtool chapters film.mov --set chapters.txt",
        effect: "replace the chapters with the chapters of a file"),
      .init(
        line: "movtool chapters film.mov --export ffmetadata -o film.ffmeta",
        effect: "write a file for ffmpeg; six other formats are supported"),
    ],
    options: [
      OptionSpec(
        "set", value: OptionValue("CHAPTERS", .file), isRepeatable: true,
        "replace the chapters; add a language with a second file"),
      OptionSpec("remove", "remove the chapter tracks and the list in user data"),
      OptionSpec(
        "export", value: OptionValue("FORMAT", .words(ChapterFileFormat.allCases.map(\.rawValue))),
        "write the chapters to standard output or -o NAME"),
      OptionSpec(
        "images", value: OptionValue("TEMPLATE", .file), "read (with --set) or write pictures: 'art/{number}.jpg'"),
      OptionSpec(
        "language", value: "TAG,…", isRepeatable: true,
        "show titles in TAG; with --set: set their language"),
      OptionSpec(
        "encoding", value: OptionValue("NAME", .words(SubtitleRequest.encodingNames)), isRepeatable: true,
        "after --set: the encoding of the list (default: detected)"),
      OptionSpec("no-nero", "with --set: omit the list in user data (chpl)"),
    ] + EditOptions.output("write a new file, or with --export a list")
      + [.append] + EditOptions.commonOptions,
    notes: [
      "CHAPTERS is another movie or a list: handwritten times and titles, WebVTT, OGM, mp4chaps,",
      "ffmetadata, HLS, podcasts, Matroska, yt-dlp, ffprobe, Audible, audiobookshelf, GPAC, Audacity,",
      "Premiere, Resolve or a CUE sheet. The format is detected from the contents, not the name.",
      "Several languages: --set en.vtt --language en --set de.vtt --language de.",
      "To add or replace one language: --set de.vtt --language de --set film.mov.",
      "TEMPLATE contains {number}, and may contain {stem} and {format} (jpg or png).",
    ])

  /// The task that the options request.
  private enum Action {
    case show(languages: [LanguageTag], isJSON: Bool)
    case export(ChapterExport, isJSON: Bool)
    case set(ChapterRequest, EditOptions)
    case remove(EditOptions)
  }

  let movie: String
  /// Whether times in a fragmented movie count from the start of the recording's clock instead of from the first
  /// sample.
  private let keepsStart: Bool
  private let work: Action

  static func runsForEachMovie(_ arguments: Arguments) -> Bool { true }

  var isReadOnly: Bool {
    switch work {
    case .show, .export: true
    case .set, .remove: false
    }
  }

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    keepsStart = arguments.contains("keep-start")
    let isJSON = arguments.contains("json")
    let requestedOptions = ["set", "remove", "export"].filter { arguments.contains($0) }
    guard requestedOptions.count < 2 else {
      throw UsageError(.conflict, "--\(requestedOptions[0]) and --\(requestedOptions[1]) cannot be combined")
    }
    if let request = try ChapterRequest(arguments) {
      work = .set(request, try EditOptions(arguments))
      return
    }
    try arguments.refuse(["no-nero", "encoding"], "requires --set")
    if arguments.contains("remove") {
      try arguments.refuse(["images"], "cannot be combined with --remove")
      try arguments.refuse(
        ["language"], "cannot be combined with --remove; movtool remove --track id:5 removes one language")
      work = .remove(try EditOptions(arguments))
      return
    }
    let languages = try arguments.languages()
    if let export = try ChapterExport(arguments, languages: languages) {
      try arguments.refuse(
        ["sync", "pad", "append", "dry-run", "progress", "type", "keep-type"] + UploadOptions.all.map(\.name),
        "requires --set or --remove")
      work = .export(export, isJSON: isJSON)
      return
    }
    try arguments.refuse(
      ["o", "force", "sync", "pad", "append", "dry-run", "strict", "progress", "type", "keep-type"]
        + UploadOptions.all.map(\.name),
      "requires --set, --remove or --export")
    work = .show(languages: languages, isJSON: isJSON)
  }

  func run(in context: Context) throws -> ExitCode {
    switch work {
    case .set(let request, let options):
      let run = EditExecution(
        command: Self.name, movie: movie, options: options,
        otherInputs: request.inputs.map(\.file).filter { $0 != "-" })
      return try run.carryOut(in: context) { source in
        var builder = try EditBuilder(movie, source, options, in: context)
        try builder.setChapters(request, source, in: context)
        return builder
      }
    case .remove(let options):
      let run = EditExecution(command: Self.name, movie: movie, options: options, skipsIfUnchanged: true)
      return try run.carryOut(in: context) { source in
        var builder = try EditBuilder(movie, source, options, in: context)
        try builder.removeChapters()
        return builder
      }
    case .export(let export, let isJSON):
      let (list, start, failure) = try read(readsImages: export.images != nil, in: context)
      if let failure { throw failure }
      if let start, !isJSON { try context.printMessage(Self.note(start)) }
      return try export.write(list, of: movie, isJSON: isJSON, in: context)
    case .show(let languages, let isJSON):
      let (found, start, failure) = try read(readsImages: false, in: context)
      var list = found
      if let notice = list.noticeAboutMissingTitles(in: languages) { list.notices.append(notice) }
      if isJSON {
        try context.printJSON { json in
          write(list, languages, start, to: &json)
          json.object("error", of: failure) { $0.write(to: &$1) }
        }
      } else {
        if let start { try context.printMessage(Self.note(start)) }
        for notice in list.notices { try context.warn(Warning(notice, movie)) }
        try context.print(lines(of: list, languages))
        if let failure { try context.report(failure, asJSON: false) }
      }
      return failure?.exitCode ?? .done
    }
  }

  /// Reads the chapters. Also returns the start time that was subtracted from the chapter tracks of a fragmented movie,
  /// and the error if the movie is damaged or cut off.
  private func read(readsImages: Bool, in context: Context) throws -> (
    list: ChapterList, start: MediaTime?, failure: ToolError?
  ) {
    let source = try context.open(movie)
    do {
      let (movie, warnings, failure) = try context.readableMovie(at: self.movie, of: source, asJSON: true)
      var list = try movie.chapters(from: source, readsImages: readsImages, keepingStart: keepsStart)
      list.notices += warnings.map { ChapterList.Notice($0.code, trackID: $0.trackID, $0.message) }
      let hasTracks = list.forms.contains { $0.trackID != nil }
      return (
        list, hasTracks ? try movie.includingFragments(from: source, keepingStart: keepsStart).start : nil, failure
      )
    } catch {
      throw ToolError(error, about: movie)
    }
  }

  // MARK: - Output

  private static func note(_ start: MediaTime) -> String { "note: " + start.subtractionNote }

  private func lines(of list: ChapterList, _ languages: [LanguageTag]) -> [String] {
    guard !list.chapters.isEmpty else { return ["\(movie) has no chapters"] }
    let columns = languages.isEmpty && list.languages.count > 1 ? list.languages : []
    let titles = columns.map { TextTable.Column("Title (\($0?.description ?? "und"))") }
    var table = TextTable(
      [.init("", .right), .init("Start", .right), .init("End", .right)]
        + (titles.isEmpty ? [.init("Title")] : titles) + [.init("Picture", .right), .init("Link")])
    for (index, chapter) in list.chapters.enumerated() {
      let shown = columns.map { language in chapter.titles.first { $0.language == language }?.text ?? "" }
      table.add(
        [
          String(index + 1), timeText(milliseconds: chapter.startMilliseconds),
          list.end(of: index).map { timeText(milliseconds: $0) } ?? "",
        ] + (shown.isEmpty ? [chapter.title(preferring: languages) ?? ""] : shown)
          + [chapter.image?.summary ?? "", chapter.link ?? ""])
    }
    return table.lines + [""] + list.forms.map(\.line)
  }

  private func write(
    _ list: ChapterList, _ languages: [LanguageTag], _ start: MediaTime?, to json: inout JSONWriter
  ) {
    json.member("file", movie)
    json.member("subtractedMilliseconds", start?.milliseconds)
    json.member("durationMilliseconds", list.durationMilliseconds)
    json.objects("chapters", of: list.chapters.indices) { index, json in
      let chapter = list.chapters[index]
      json.member("number", index + 1)
      json.member("startMilliseconds", chapter.startMilliseconds)
      json.member("endMilliseconds", list.end(of: index))
      json.member("title", chapter.title(preferring: languages))
      json.objects("titles", of: chapter.titles) { title, json in
        json.member("language", title.language?.description)
        json.member("title", title.text)
      }
      json.member("pictureByteCount", chapter.image?.byteCount)
      json.member("link", chapter.link)
    }
    json.objects("forms", of: list.forms) { form, json in
      json.member("kind", form.kind.rawValue)
      json.member("track", form.trackID)
      json.member("language", form.language?.description)
      json.member("count", form.count)
      json.member("differs", form.differs)
    }
    json.warnings(list.notices.map { Warning($0, movie) })
  }
}

extension Chapter.Image {
  fileprivate var byteCount: UInt64? {
    switch self {
    case .data(let bytes): UInt64(bytes.count)
    case .inMovie(let byteCount): byteCount
    case .reference: nil
    }
  }

  fileprivate var summary: String { byteCount.map { Quantity.bytes($0) } ?? "" }
}

extension ChapterList.Form {
  /// A line such as `titles in English: track 3, 12 chapters`.
  fileprivate var line: String {
    let name: String
    switch kind {
    case .titles: name = "titles" + (language.map { " in \($0.englishName)" } ?? "")
    case .links: name = "links"
    case .images: name = "pictures"
    case .nero: name = "list in user data (chpl)"
    }
    let prefix = trackID.map { "track \($0), " } ?? ""
    let itemName = kind == .images ? "picture" : kind == .links ? "link" : "chapter"
    return "\(name): \(prefix)\(counted(count, itemName))" + (differs ? ", which differ" : "")
  }
}
