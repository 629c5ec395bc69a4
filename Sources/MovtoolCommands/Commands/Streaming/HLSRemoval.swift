import MovieBox
import MovieStreaming
import Subtitles

/// `movtool hls --remove SELECTOR -o FOLDER`: removes subtitles from a presentation without changing its media.
struct HLSRemoval: Equatable, Sendable {
  let selector: TrackSelector
  let isDryRun: Bool

  static let option = OptionSpec(
    "remove", value: .selector, "remove subtitles from the presentation in FOLDER")

  /// Creates the removal that the options request, or returns `nil` without `--remove`.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard let text = arguments.value("remove") else { return nil }
    guard !arguments.contains("add") else {
      throw UsageError(.conflict, "--add and --remove cannot be combined; --add SUB --replace replaces subtitles")
    }
    guard arguments.operands.isEmpty else {
      throw UsageError(.conflict, "--remove changes the presentation in the folder of -o; omit the movie")
    }
    try arguments.refuse(
      HLSAddition.optionsOfMovies + HLSAddition.options.map(\.name).filter { $0 != "add" },
      "cannot be combined with --remove")
    try RenditionFiles.refuse(arguments, "cannot be combined with --remove")
    selector = try Self.selector(text)
    isDryRun = arguments.contains("dry-run")
  }

  /// The words for captions that users may type.
  private static let captionWords: Set<Substring> = ["cc", "caption", "captions"]

  /// Parses a selector and throws unless it selects subtitles.
  private static func selector(_ text: String) throws(UsageError) -> TrackSelector {
    let kind = TrackSelector.Kind.subtitle.rawValue
    func refusal(_ reason: String) -> UsageError { UsageError(.invalidValue, "--remove \(text): \(reason)") }
    let begin = text.prefix { $0 != ":" && $0 != "," }
    guard !text.split(whereSeparator: { $0 == ":" || $0 == "," }).contains(where: captionWords.contains) else {
      throw refusal("captions in a presentation are subtitles with the role sdh; write subtitle:en,sdh")
    }
    guard begin == kind else {
      let isAlone = begin.count == text.count || text.hasPrefix("\(begin),")
      if isAlone, let tag = LanguageTag(englishName: String(begin)) ?? WrittenValue.language(String(begin)) {
        throw refusal("did you mean \(kind):\(tag)\(text.dropFirst(begin.count))?")
      }
      throw refusal("only subtitles can be removed; write subtitle:fr, subtitle:2 or subtitle:en,sdh")
    }
    let selector = try TrackSelector(text, option: "remove")
    guard case .kind(.subtitle, _, _, _) = selector.choice else {
      throw refusal("only subtitles can be removed; write subtitle:fr, subtitle:2 or subtitle:en,sdh")
    }
    return selector
  }

  /// Removes the subtitles from the presentation in a folder and prints the answer.
  func run(_ folder: String, isStrict: Bool, asJSON: Bool, in context: Context) throws -> ExitCode {
    var warnings: [Warning] = []
    let isRefused: Bool
    let subtitles: PresentationFolder.Subtitles
    do {
      let presentation = try HLSAddition.presentation(folder)
      subtitles = try choose(among: presentation.subtitles)
      let removal = presentation.removal(of: subtitles)
      if !removal.removesFiles {
        warnings.append(
          Warning(
            code: "files-left", file: folder, subject: subtitles.name,
            message: "the files of \(subtitles.name) are kept, because another program wrote them or another playlist "
              + "refers to them"))
      }
      if !asJSON { for warning in warnings { try context.warn(warning) } }
      isRefused = isStrict && !warnings.isEmpty
      if !isRefused, !isDryRun {
        context.deferStops(true)
        defer { context.deferStops(false) }
        try context.checkStop()
        if let left = try presentation.remove(removal) {
          let warning = Warning(
            code: "folder-left", file: folder, subject: left,
            message: "\(folder)/\(left) is no longer used, but could not be removed completely; delete it")
          if !asJSON { try context.warn(warning) }
          warnings.append(warning)
        }
      }
    } catch let error as UsageError {
      throw error
    } catch let error as StreamError {
      throw error
    } catch {
      throw ToolError(error, about: folder)
    }
    let answer = FolderChangeAnswer(
      folder: folder, isWritten: !isRefused && !isDryRun, isRefused: isRefused, warnings: warnings)
    let verb = isDryRun ? "would remove" : "removed"
    return try answer.show(asJSON: asJSON, in: context) {
      "\(verb) subtitles \(subtitles.name); media is unchanged"
    } members: { json in
      json.object("removed") { json in
        json.member("name", subtitles.name)
        json.member("language", subtitles.language?.description)
        json.member("isForced", subtitles.isForced)
        json.member("characteristics", subtitles.characteristics.map(\.rawValue))
      }
    }
  }

  /// Returns the subtitles that the selector matches. Throws if it matches no rendition or several renditions.
  private func choose(
    among all: [PresentationFolder.Subtitles]
  ) throws(UsageError) -> PresentationFolder.Subtitles {
    guard case .kind(_, let position, let language, let roles) = selector.choice else { throw noMatch(all) }
    var matches = all.filter { subtitles in
      roles.allSatisfy { $0.isSignalled(by: subtitles.characteristics, isForcedOnly: subtitles.isForced) }
    }
    if let language { matches = Self.narrowed(matches, to: language) }
    if let position { matches = matches.indices.contains(position - 1) ? [matches[position - 1]] : [] }
    guard let first = matches.first else { throw noMatch(all) }
    guard matches.count == 1 else {
      throw UsageError(
        .ambiguous, "--remove \(selector.text) matches several subtitles: \(Self.lines(of: matches, in: all))")
    }
    return first
  }

  /// Returns the subtitles with exactly this language tag. If there are none, returns the subtitles whose tag begins
  /// with this tag.
  private static func narrowed(
    _ all: [PresentationFolder.Subtitles], to language: LanguageTag
  ) -> [PresentationFolder.Subtitles] {
    let requestedTag = language.description
    let exact = all.filter { ($0.language?.description ?? "und") == requestedTag }
    return exact.isEmpty
      ? all.filter { $0.language?.description.lowercased().hasPrefix(requestedTag.lowercased() + "-") ?? false } : exact
  }

  private func noMatch(_ all: [PresentationFolder.Subtitles]) -> UsageError {
    let list = all.isEmpty ? "the presentation has no subtitles" : Self.lines(of: all, in: all)
    return UsageError(.noMatch, "--remove \(selector.text) matches no subtitles: \(list)")
  }

  /// Returns a list for the user to choose from: `subtitle:1 is English; subtitle:2 is Deutsch`.
  private static func lines(
    of some: [PresentationFolder.Subtitles], in all: [PresentationFolder.Subtitles]
  ) -> String {
    some.map { subtitles in
      let position = all.firstIndex(of: subtitles).map { $0 + 1 } ?? 1
      return "subtitle:\(position) is \(subtitles.name) (\(subtitles.language?.description ?? "und"))"
    }.joined(separator: "; ")
  }
}
