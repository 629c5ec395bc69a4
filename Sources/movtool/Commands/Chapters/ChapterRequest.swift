import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

/// The chapters that a movie is to get: of one file, or of several in different languages.
struct ChapterRequest: Equatable, Sendable {
  /// A file of chapters, or a movie that has some.
  struct Input: Equatable, Sendable {
    let file: String
    /// The language of its titles; `nil` for what it says itself.
    var language: LanguageTag?
    /// The encoding of its text; `nil` where nobody said.
    var encoding: TextEncoding?
  }

  private(set) var inputs: [Input] = []
  let images: FileNameTemplate?
  let writesNero: Bool
  /// Whether chapters of a fragmented movie have the times of its clock.
  let keepsStart: Bool

  /// What the options ask for: `--language` and `--encoding` stand after the file that they are for, or before the first
  /// for all.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard arguments.contains("set") else { return nil }
    var (language, encoding): (LanguageTag?, TextEncoding?) = (nil, nil)
    for occurrence in arguments.occurrences {
      let value = occurrence.value ?? ""
      switch occurrence.name {
      case "set":
        guard !value.isEmpty else { throw UsageError(.missingValue, "--set requires a value: FILE") }
        guard value != "-" || !inputs.contains(where: { $0.file == "-" }) else {
          throw UsageError(.invalidValue, "--set -: standard input can be read once")
        }
        inputs.append(Input(file: value, language: language, encoding: encoding))
      case "language":
        guard !value.contains(",") else {
          throw UsageError(.invalidValue, "--language \(value): the titles of a file are in one language")
        }
        let tag = try SubtitleRequest.language(value)
        if inputs.isEmpty { language = tag } else { inputs[inputs.count - 1].language = tag }
      case "encoding":
        let named = try SubtitleRequest.encoding(value)
        if inputs.isEmpty { encoding = named } else { inputs[inputs.count - 1].encoding = named }
      default: break
      }
    }
    images = try arguments.value("images").map { text throws(UsageError) in try .ofPictures(text) }
    writesNero = !arguments.contains("no-nero")
    keepsStart = arguments.contains("keep-start")
  }

  /// Reads all files; chapters of several that begin together are one, with a title in each language. `frameRate` is
  /// that of the movie which gets them.
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
      if list.forms.isEmpty { try Self.readReferences(of: &chapters, besides: input.file, in: context, &warnings) }
      guard !all.isEmpty else {
        all = chapters
        continue
      }
      // Of a movie that is named last, the titles in the languages that are not given are wanted.
      let lost = list.forms.isEmpty ? Self.languages(of: chapters, thatDifferIn: all) : []
      try Self.merge(chapters, of: input, into: &all, &warnings)
      guard !lost.isEmpty else { continue }
      let names = lost.map { $0?.englishName ?? "no language" }.joined(separator: ", ")
      warnings.append(
        Warning(
          code: "titles-left-out", file: input.file,
          message: "titles in \(names) left out: a file before has others in the same"))
    }
    return ChapterList(all)
  }

  /// The chapters of a list that begin before the end of the movie; warns of the others, unless none is left.
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
            + "\(timeText(milliseconds: chapter.startMilliseconds)), not before the end of the movie at \(endText); "
            + "it is left out",
          lostText: title))
    }
    return list.chapters.filter(isShown)
  }

  private func list(_ input: Input, _ rate: ChapterFrameRate?, in context: Context) throws -> ChapterList {
    do {
      let limit = context.limits.subtitles.fileByteCount
      // What is no ordinary file is read once: a pipe that is opened to see what it is has lost its writer.
      if let bytes = try context.readStream(input.file, limit) {
        return try Self.list(bytes, input, rate, in: context)
      }
      let source = try context.open(input.file)
      if try source.signature() == .movie {
        guard input.encoding == nil else {
          throw UsageError(.conflict, "--encoding is for lists, and \(input.file) is a movie")
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

  /// The languages in which both have titles, and not the same.
  private static func languages(of chapters: [Chapter], thatDifferIn others: [Chapter]) -> [LanguageTag?] {
    let known = Set(ChapterList(others).languages)
    var differing: Set<LanguageTag?> = []
    for (chapter, other) in zip(chapters, others) {
      for title in chapter.titles where !other.titles.contains(title) { differing.insert(title.language) }
    }
    return ChapterList(chapters).languages.filter { known.contains($0) && differing.contains($0) }
  }

  /// Adds the titles of a further file in languages that are not there yet, and its pictures and links where the others
  /// have none: for that it must begin its chapters when the others do.
  private static func merge(
    _ chapters: [Chapter], of input: Input, into all: inout [Chapter], _ warnings: inout [Warning]
  ) throws {
    guard chapters.map(\.startMilliseconds) == all.map(\.startMilliseconds) else {
      throw ToolError(
        .badData, code: "chapters-differ", file: input.file,
        "its \(chapters.count) chapters do not begin when the \(all.count) of the file before do; titles in another "
          + "language need the same times")
    }
    let (known, languages) = (ChapterList(all).languages, ChapterList(chapters).languages)
    guard languages.isEmpty || !Set(languages).isSubset(of: known) else {
      throw UsageError(
        .conflict, "--set \(input.file): its titles are in the language of the file before; --language says another")
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
    let lost = [(pictures, "picture"), (links, "link")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    guard !lost.isEmpty else { return }
    warnings.append(
      Warning(
        code: "second-picture-or-link", file: input.file,
        message: "\(lost.joined(separator: " and ")) left out: a chapter has one of each, that of the first file"))
  }

  /// Reads pictures that a file names by their paths: those in its folder or below it, and no others. Wherever a list is
  /// from, it reaches no further.
  private static func readReferences(
    of chapters: inout [Chapter], besides file: String, in context: Context, _ warnings: inout [Warning]
  ) throws {
    var elsewhere: [String] = []
    var pictures: [String: Bytes] = [:]
    var byteCount: UInt64 = 0
    for index in chapters.indices {
      guard case .reference(let path)? = chapters[index].image else { continue }
      chapters[index].image = nil
      guard let name = try self.name(path, besides: file, in: context) else {
        elsewhere.append(path)
        continue
      }
      if pictures[path] == nil {
        let picture = try ChapterPictures.read(name, in: context)
        byteCount = byteCount.addingClamped(UInt64(picture.count))
        guard byteCount <= ChapterLimits.imageByteCount else {
          throw ToolError(
            .badData, code: "limit", file: file,
            "more than \(Quantity.bytes(ChapterLimits.imageByteCount)) of pictures")
        }
        pictures[path] = picture
      }
      chapters[index].image = pictures[path].map { .data($0) }
    }
    guard let first = elsewhere.first else { return }
    warnings.append(
      Warning(
        code: "pictures-elsewhere", file: file,
        message:
          "\(counted(elsewhere.count, "picture")) outside of its folder left out, such as \(first); --images takes "
          + "pictures from files"))
  }

  /// The name of a picture beside a file, which the file names by a URL; `nil` for what leads out of the file's folder,
  /// by itself or through a link.
  private static func name(_ reference: String, besides file: String, in context: Context) throws -> String? {
    guard !reference.contains("://") else { return nil }
    let path = PlaylistText.path(reference)
    let folder = FilePath(file).folder
    var failure: ToolError?
    // Whoever writes a list by hand may have named a file as it is called.
    for path in path == reference ? [path] : [path, reference] {
      guard !path.hasPrefix("/"), !path.split(separator: "/").contains(".."), !path.contains("\0") else { return nil }
      let name = folder == "." ? path : folder + "/" + path
      do {
        let root = try context.resolve(folder)
        return try context.resolve(name).utf8.starts(with: (root == "/" ? root : root + "/").utf8) ? name : nil
      } catch let error as SystemError {
        let isMissing = error.code == .notFound
        let reason = isMissing ? "is not there; \(file) names it as a picture" : error.description
        failure = failure ?? ToolError(FileError(.noInput, name, reason))
      }
    }
    if let failure { throw failure }
    return nil
  }
}

extension ChapterList {
  /// Has titles in one language be in another.
  fileprivate mutating func setLanguage(_ language: LanguageTag) {
    for index in chapters.indices {
      guard let title = chapters[index].title(preferring: [language]) else { continue }
      chapters[index].titles = [.init(title, language: language)]
    }
  }
}
