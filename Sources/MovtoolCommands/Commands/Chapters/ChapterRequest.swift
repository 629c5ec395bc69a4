import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

/// The new chapters of a movie, from one file or from several files in different languages.
///
/// A chapter can have titles in many languages but only one start, picture and link. So the chapters of all files must
/// begin at the same times, and the first file determines the pictures and links. The chapters of another movie can be
/// used too. If a movie is not the first file, only its titles in further languages are used.
struct ChapterRequest: Equatable, Sendable {
  /// A chapter file, or a movie with chapters.
  struct Input: Equatable, Sendable {
    let file: String
    /// The language of the titles, or `nil` to use the language in the file.
    var language: LanguageTag?
    /// The text encoding, or `nil` to detect it.
    var encoding: TextEncoding?
  }

  private(set) var inputs: [Input] = []
  let images: FileNameTemplate?
  let writesNero: Bool
  /// Whether times in a fragmented movie count from the start of the recording's clock instead of from the first
  /// sample.
  let keepsStart: Bool

  /// Creates the request from the options, or returns `nil` without `--set`. `--language` and `--encoding` apply to the
  /// file before them, or to all files if they precede the first file.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard arguments.contains("set") else { return nil }
    var (language, encoding): (LanguageTag?, TextEncoding?) = (nil, nil)
    for occurrence in arguments.occurrences {
      let value = occurrence.value ?? ""
      switch occurrence.name {
      case "set":
        guard !value.isEmpty else { throw UsageError(.missingValue, "--set requires a value: FILE") }
        guard value != "-" || !inputs.contains(where: { $0.file == "-" }) else {
          throw UsageError(.invalidValue, "--set -: standard input can be read only once")
        }
        inputs.append(Input(file: value, language: language, encoding: encoding))
      case "language":
        guard !value.contains(",") else {
          throw UsageError(.invalidValue, "--language \(value): specify one language for the titles of a file")
        }
        let tag = try SubtitleRequest.language(value)
        if inputs.isEmpty { language = tag } else { inputs[inputs.count - 1].language = tag }
      case "encoding":
        let named = try SubtitleRequest.encoding(value)
        if inputs.isEmpty { encoding = named } else { inputs[inputs.count - 1].encoding = named }
      default: break
      }
    }
    images = try arguments.value("images").map { text throws(UsageError) in try .pictureTemplate(text) }
    writesNero = !arguments.contains("no-nero")
    keepsStart = arguments.contains("keep-start")
  }

  /// Reads all files and merges their chapters. Chapters with the same start time become one chapter with several
  /// titles.
  ///
  /// - Parameters:
  ///   - frameRate: the frame rate of the movie, for lists whose times count frames.
  ///   - end: the end of the movie in milliseconds. Chapters that start at this time or later are dropped.
  func chapters(
    frameRate: ChapterFrameRate?, until end: UInt64, in context: Context, _ warnings: inout [Warning]
  ) throws -> ChapterList {
    var all: [Chapter] = []
    for input in inputs {
      let list = try list(input, frameRate, in: context)
      if let warning = Warning(unregistered: input.language, input.file) { warnings.append(warning) }
      warnings += list.notices.map { notice in
        Warning(
          code: notice.code, file: input.file, line: notice.line, message: notice.message, lostText: notice.lostText)
      }
      var chapters = Self.chapters(of: list, input.file, until: end, &warnings)
      if list.forms.isEmpty { try Self.readReferences(of: &chapters, relativeTo: input.file, in: context, &warnings) }
      guard !all.isEmpty else {
        all = chapters
        continue
      }
      // A movie after other files usually adds titles in further languages. Its titles in the languages of earlier
      // files are reported as dropped.
      let lost = list.forms.isEmpty ? Self.languages(of: chapters, differingFrom: all) : []
      try Self.merge(chapters, of: input, into: &all, &warnings)
      guard !lost.isEmpty else { continue }
      let names = lost.map { $0?.englishName ?? "no language" }.joined(separator: ", ")
      warnings.append(
        Warning(
          code: "titles-left-out", file: input.file,
          message: "titles in \(names) were dropped, because an earlier file has titles in the same language"))
    }
    return ChapterList(all)
  }

  /// Returns the chapters that begin before the end of the movie, and adds a warning about each other chapter. If no
  /// chapter begins before the end, returns all chapters.
  private static func chapters(
    of list: ChapterList, _ file: String, until end: UInt64, _ warnings: inout [Warning]
  ) -> [Chapter] {
    func isShown(_ chapter: Chapter) -> Bool { UInt64(clamping: chapter.startMilliseconds) < end }
    guard list.forms.isEmpty, list.chapters.contains(where: isShown) else { return list.chapters }
    let endText = timeText(milliseconds: Int64(clamping: end))
    for chapter in list.chapters where !isShown(chapter) {
      let title = chapter.title()
      warnings.append(
        Warning(
          code: "chapter-after-end", file: file, line: list.lines[chapter.startMilliseconds],
          message: "\(title.map { "\"\($0)\"" } ?? "a chapter") begins at "
            + "\(timeText(milliseconds: chapter.startMilliseconds)), but the movie ends at \(endText); "
            + "it is dropped",
          lostText: title))
    }
    return list.chapters.filter(isShown)
  }

  private func list(_ input: Input, _ rate: ChapterFrameRate?, in context: Context) throws -> ChapterList {
    do {
      let limit = context.limits.subtitles.fileByteCount
      // A pipe can be read only once, so its whole contents are read before its format is detected.
      if let bytes = try context.readStream(input.file, limit) {
        return try Self.list(bytes, input, rate, in: context)
      }
      let source = try context.open(input.file)
      if try source.signature() == .movie {
        guard input.encoding == nil else {
          throw UsageError(.conflict, "--encoding applies to lists, but \(input.file) is a movie")
        }
        var list = try Movie(of: source, limits: context.limits.movie)
          .chapters(from: source, readsImages: true, keepingStart: keepsStart)
        guard !list.chapters.isEmpty else {
          throw ToolError(.badData, code: "no-chapters", file: input.file, "the movie has no chapters")
        }
        if let language = input.language { list.setLanguage(language) }
        return list
      }
      return try Self.list(
        context.ordinaryContents(of: input.file, atMost: limit, "chapters"), input, rate, in: context)
    } catch {
      throw ToolError(error, about: input.file == "-" ? "standard input" : input.file)
    }
  }

  private static func list(
    _ bytes: Bytes, _ input: Input, _ rate: ChapterFrameRate?, in context: Context
  ) throws -> ChapterList {
    try ChapterList.read(
      bytes.array, encoding: input.encoding, language: input.language, frameRate: rate, limits: context.limits.subtitles
    )
  }

  /// Returns the languages in which both lists have titles and at least one title differs.
  private static func languages(of chapters: [Chapter], differingFrom others: [Chapter]) -> [LanguageTag?] {
    let otherLanguages = Set(ChapterList(others).languages)
    var differing: Set<LanguageTag?> = []
    for (chapter, other) in zip(chapters, others) {
      for title in chapter.titles where !other.titles.contains(title) { differing.insert(title.language) }
    }
    return ChapterList(chapters).languages.filter { otherLanguages.contains($0) && differing.contains($0) }
  }

  /// Adds the titles of another file if their languages are new. Adds its pictures and links to chapters that have
  /// none. Throws if the chapters begin at different times.
  private static func merge(
    _ chapters: [Chapter], of input: Input, into all: inout [Chapter], _ warnings: inout [Warning]
  ) throws {
    guard chapters.map(\.startMilliseconds) == all.map(\.startMilliseconds) else {
      throw ToolError(
        .badData, code: "chapters-differ", file: input.file,
        "the \(chapters.count) chapters and the \(all.count) chapters of the first file begin at different times; "
          + "chapters in another language must have the same times")
    }
    let (known, languages) = (ChapterList(all).languages, ChapterList(chapters).languages)
    guard languages.isEmpty || !Set(languages).isSubset(of: known) else {
      throw UsageError(
        .conflict,
        "--set \(input.file): the titles are in the language of an earlier file; set the language with --language")
    }
    for (index, chapter) in chapters.enumerated() {
      all[index].titles += chapter.titles.filter { !known.contains($0.language) }
    }
    let pictures = zip(all, chapters).count { $0.image != nil && $1.image != nil && $0.image != $1.image }
    let links = zip(all, chapters).count { $0.link != nil && $1.link != nil && $0.link != $1.link }
    for (index, chapter) in chapters.enumerated() {
      all[index].image = all[index].image ?? chapter.image
      all[index].link = all[index].link ?? chapter.link
    }
    let lostContents = [(pictures, "picture"), (links, "link")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    guard !lostContents.isEmpty else { return }
    warnings.append(
      Warning(
        code: "second-picture-or-link", file: input.file,
        message:
          "\(lostContents.joined(separator: " and ")) \(pictures + links == 1 ? "was" : "were") dropped: "
          + "the first file's pictures and links take precedence"))
  }

  /// Reads the pictures to which a file refers by path. A path must lead to the file's folder or a folder below,
  /// because the file may come from an untrusted source.
  private static func readReferences(
    of chapters: inout [Chapter], relativeTo file: String, in context: Context, _ warnings: inout [Warning]
  ) throws {
    var outsidePaths: [String] = []
    var pictures: [String: Bytes] = [:]
    var byteCount: UInt64 = 0
    for index in chapters.indices {
      guard case .reference(let path)? = chapters[index].image else { continue }
      chapters[index].image = nil
      guard let name = try self.path(path, relativeTo: file, in: context) else {
        outsidePaths.append(path)
        continue
      }
      if pictures[path] == nil {
        let picture = try ChapterPictures.read(name, in: context)
        byteCount = byteCount.addingClamped(UInt64(picture.count))
        guard byteCount <= ChapterLimits.imageByteCount else {
          throw ToolError(
            .badData, code: "limit", file: file,
            "the pictures exceed the limit of \(Quantity.bytes(ChapterLimits.imageByteCount))")
        }
        pictures[path] = picture
      }
      chapters[index].image = pictures[path].map { .data($0) }
    }
    guard let first = outsidePaths.first else { return }
    warnings.append(
      Warning(
        code: "pictures-elsewhere", file: file,
        message:
          "dropped \(counted(outsidePaths.count, "picture")) outside of the folder of the list, such as \(first); "
          + "--images reads pictures from any folder"))
  }

  /// Returns the path of a picture to which a file refers by URL. Returns `nil` if the path leads out of the file's
  /// folder, directly or through a link.
  private static func path(_ reference: String, relativeTo file: String, in context: Context) throws -> String? {
    guard !reference.contains("://") else { return nil }
    let path = PlaylistText.path(reference)
    let folder = FilePath(file).folder
    var failure: ToolError?
    // In a handwritten list, the reference may be a plain file name without percent encoding.
    for path in path == reference ? [path] : [path, reference] {
      guard !path.hasPrefix("/"), !path.split(separator: "/").contains(".."), !path.contains("\0") else { return nil }
      let name = folder == "." ? path : folder + "/" + path
      do {
        let root = try context.resolve(folder)
        return try context.resolve(name).utf8.starts(with: (root == "/" ? root : root + "/").utf8) ? name : nil
      } catch let error as SystemError {
        let isMissing = error.code == .notFound
        let reason = isMissing ? "does not exist; \(file) refers to it as a picture" : error.description
        failure = failure ?? ToolError(FileError(.noInput, name, reason))
      }
    }
    if let failure { throw failure }
    return nil
  }
}

extension ChapterList {
  /// Sets the language of all titles. A chapter with several titles keeps only its main title.
  fileprivate mutating func setLanguage(_ language: LanguageTag) {
    for index in chapters.indices {
      guard let title = chapters[index].title(preferring: [language]) else { continue }
      chapters[index].titles = [.init(title, language: language)]
    }
  }
}
