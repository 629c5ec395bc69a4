import MovieBox
import MovieStreaming
import Subtitles

/// `movtool hls --remove SELECTOR -o FOLDER`: takes subtitles out of a presentation; its media stays as it is.
struct HLSRemoval: Equatable, Sendable {
  let selector: TrackSelector
  let isDryRun: Bool

  static let option = OptionSpec(
    "remove", value: .selector, "remove subtitles from the presentation in FOLDER")

  /// The request of the options, or `nil` without `--remove`.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard let text = arguments.value("remove") else { return nil }
    guard !arguments.contains("add") else {
      throw UsageError(.conflict, "--add and --remove do not go together; --add SUB --replace replaces subtitles")
    }
    guard arguments.operands.isEmpty else {
      throw UsageError(.conflict, "--remove changes the presentation in the folder of -o; name no movie beside it")
    }
    try arguments.refuse(
      HLSAddition.optionsOfMovies + HLSAddition.options.map(\.name).filter { $0 != "add" }, "does not go with --remove")
    try RenditionFiles.refuse(arguments, "does not go with --remove")
    selector = try Self.selector(text)
    isDryRun = arguments.contains("dry-run")
  }

  /// The selector of subtitles that a text spells.
  private static func selector(_ text: String) throws(UsageError) -> TrackSelector {
    let kind = TrackSelector.Kind.subtitle.rawValue
    func refusal(_ reason: String) -> UsageError { UsageError(.invalidValue, "--remove \(text): \(reason)") }
    let begin = text.prefix { $0 != ":" && $0 != "," }
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

  /// Removes the subtitles from the presentation in a folder, and answers.
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
            message: "the files of \(subtitles.name) stay, because another program wrote them or another playlist "
              + "names them"))
      }
      if !asJSON { for warning in warnings { try context.warn(warning) } }
      isRefused = isStrict && !warnings.isEmpty
      if !isRefused, !isDryRun {
        context.holdStops(true)
        defer { context.holdStops(false) }
        try context.checkStop()
        if let left = try presentation.remove(removal) {
          let warning = Warning(
            code: "folder-left", file: folder, subject: left,
            message: "\(folder)/\(left) is named by nothing any more, and could not be removed whole")
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
      "\(verb) subtitles \(subtitles.name); media is as it was"
    } members: { json in
      json.object("removed") { json in
        json.member("name", subtitles.name)
        json.member("language", subtitles.language?.description)
        json.member("isForced", subtitles.isForced)
        json.member("characteristics", subtitles.characteristics.map(\.rawValue))
      }
    }
  }

  /// The subtitles that the selector matches; refuses none and several.
  private func choose(
    among all: [PresentationFolder.Subtitles]
  ) throws(UsageError) -> PresentationFolder.Subtitles {
    guard case .kind(_, let position, let language, let roles) = selector.choice else { throw noMatch(all) }
    var found = all.filter { subtitles in
      roles.allSatisfy { $0.isSignalled(by: subtitles.characteristics, isForcedOnly: subtitles.isForced) }
    }
    if let language { found = Self.narrowed(found, to: language) }
    if let position { found = found.indices.contains(position - 1) ? [found[position - 1]] : [] }
    guard let first = found.first else { throw noMatch(all) }
    guard found.count == 1 else {
      throw UsageError(
        .ambiguous, "--remove \(selector.text) matches several subtitles: \(Self.lines(of: found, in: all))")
    }
    return first
  }

  /// The subtitles in the language: those with this very tag, else those whose tag begins with it.
  private static func narrowed(
    _ all: [PresentationFolder.Subtitles], to language: LanguageTag
  ) -> [PresentationFolder.Subtitles] {
    let wanted = language.description
    let exact = all.filter { ($0.language?.description ?? "und") == wanted }
    return exact.isEmpty
      ? all.filter { $0.language?.description.lowercased().hasPrefix(wanted.lowercased() + "-") ?? false } : exact
  }

  private func noMatch(_ all: [PresentationFolder.Subtitles]) -> UsageError {
    let list = all.isEmpty ? "the presentation has none" : Self.lines(of: all, in: all)
    return UsageError(.noMatch, "--remove \(selector.text) matches no subtitles: \(list)")
  }

  /// A list to choose from: `subtitle:1 is English; subtitle:2 is Deutsch`.
  private static func lines(
    of some: [PresentationFolder.Subtitles], in all: [PresentationFolder.Subtitles]
  ) -> String {
    some.map { subtitles in
      let place = all.firstIndex(of: subtitles).map { $0 + 1 } ?? 1
      return "subtitle:\(place) is \(subtitles.name) (\(subtitles.language?.description ?? "und"))"
    }.joined(separator: "; ")
  }
}
