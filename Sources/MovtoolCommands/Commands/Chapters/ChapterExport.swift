import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

/// The files that `chapters` exports: a chapter list, the chapter pictures, or both.
///
/// If the format of the list supports it, the list refers to the picture files by relative paths. Either all files are
/// written or none, so that the list never refers to a missing picture.
struct ChapterExport: Equatable, Sendable {
  /// The destination of the list.
  enum Target: Equatable, Sendable {
    case standardOutput
    case file(String)
  }

  /// The format of the list, or `nil` if only pictures are exported.
  let format: ChapterFileFormat?
  let target: Target
  let images: FileNameTemplate?
  let languages: [LanguageTag]
  let mayOverwrite: Bool
  let isStrict: Bool

  /// Creates the export that the options request, or returns `nil` without `--export` and `--images`.
  init?(_ arguments: Arguments, languages: [LanguageTag]) throws(UsageError) {
    guard arguments.contains("export") || arguments.contains("images") else { return nil }
    format = try arguments.value("export").map { word throws(UsageError) in
      if let format = ChapterFileFormat(rawValue: word) { return format }
      let names = ChapterFileFormat.allCases.map(\.rawValue)
      let nearest = Suggestion.clause(for: word, among: names)
      throw UsageError(.invalidValue, "--export \(word): use one of \(names.joined(separator: ", "))\(nearest)")
    }
    images = try arguments.value("images").map { text throws(UsageError) in try .pictureTemplate(text) }
    let name = arguments.value("o")
    guard name != "" else { throw UsageError(.missingValue, "-o requires a value: NAME") }
    guard name == nil || format != nil else {
      throw UsageError(.conflict, "-o requires --export; --images sets the names of pictures")
    }
    target = name == nil || name == "-" ? .standardOutput : .file(name ?? "")
    self.languages = languages
    mayOverwrite = arguments.contains("force")
    isStrict = arguments.contains("strict")
    guard !arguments.contains("json") || target != .standardOutput || format == nil else {
      throw UsageError(
        .conflict, "--json and the chapters both use standard output; write the chapters to a file with -o NAME")
    }
  }

  /// Writes all files or none of them.
  func write(_ list: ChapterList, of movie: String, isJSON: Bool, in context: Context) throws -> ExitCode {
    var list = list
    var warnings = list.notices.map { Warning($0, movie) }
    guard !list.chapters.isEmpty else {
      if isJSON {
        try answer(list, [], 0, warnings, movie, isWritten: false, isJSON: true, in: context)
      } else {
        try context.printMessage("\(movie) has no chapters to export")
      }
      return .no
    }
    var files: [(path: String, bytes: Bytes)] = []
    let pictures = list.chapters.map(\.image)
    if let images {
      files = assignPictureNames(of: &list, images, movie)
      let misnamed = files.lazy.compactMap { ChapterPictures.warning(ofName: $0.path, picture: $0.bytes) }
      if let warning = misnamed.first { warnings.append(warning) }
      try relativizePictureReferences(&list, &warnings, in: context)
    }
    let pictureCount = files.count
    if images != nil, pictureCount == 0 {
      warnings.append(Warning(code: "no-pictures", file: movie, message: "the chapters have no pictures"))
    }
    var text: Bytes?
    if let format {
      var imageSizes: [String: (width: UInt16, height: UInt16)] = [:]
      for (picture, chapter) in zip(pictures, list.chapters) {
        guard case .data(let bytes)? = picture, case .reference(let url)? = chapter.image else { continue }
        imageSizes[url] = PictureFormat.size(of: bytes)
      }
      let written = list.written(as: format, preferring: languages, imageSizes: imageSizes)
      warnings += written.notices.map { Warning($0, movie) }
      text = Bytes(written.bytes)
    }
    if case .file(let path) = target, let text { files.append((path, text)) }
    if !isJSON { for warning in warnings { try context.warn(warning) } }
    if isStrict, !warnings.isEmpty {
      if isJSON {
        try answer(list, files, pictureCount, warnings, movie, isWritten: false, isJSON: true, in: context)
      } else {
        try context.printRefusal(warnings)
      }
      return .no
    }
    try context.write(files, protecting: [movie], overwrites: mayOverwrite, givenBy: nil)
    if target == .standardOutput, let text { try context.standardOutput.write(text.array) }
    try answer(
      list, files, pictureCount, warnings, movie, isWritten: format != nil || pictureCount > 0, isJSON: isJSON,
      in: context)
    return format == nil && pictureCount == 0 ? .no : .done
  }

  /// Changes the pictures in the list to references to files, and returns these files.
  private func assignPictureNames(
    of list: inout ChapterList, _ template: FileNameTemplate, _ movie: String
  ) -> [(path: String, bytes: Bytes)] {
    var files: [(path: String, bytes: Bytes)] = []
    for index in list.chapters.indices {
      guard case .data(let picture)? = list.chapters[index].image else { continue }
      let name = template.pictureName(
        stem: FilePath(movie).stem, number: ChapterPictures.number(index + 1, of: list.chapters.count),
        format: ChapterPictures.suffix(of: picture))
      files.append((name, picture))
      list.chapters[index].image = .reference(name)
    }
    return files
  }

  /// Makes the paths of pictures relative to the list's folder. Removes the references if the format does not support
  /// them.
  private func relativizePictureReferences(_ list: inout ChapterList, _ warnings: inout [Warning], in context: Context)
    throws
  {
    guard let format else { return }
    guard format.supportsPictureReferences else {
      for index in list.chapters.indices { list.chapters[index].image = nil }
      return
    }
    guard case .file(let output) = target else {
      for index in list.chapters.indices {
        guard case .reference(let path)? = list.chapters[index].image else { continue }
        list.chapters[index].image = .reference(uriReference(path))
      }
      return
    }
    var outsidePath: String?
    for index in list.chapters.indices {
      guard case .reference(let path)? = list.chapters[index].image else { continue }
      let name = try context.path(to: path, from: FilePath(output).folder)
      if name.hasPrefix("../") { outsidePath = outsidePath ?? name }
      list.chapters[index].image = .reference(uriReference(name))
    }
    guard let outsidePath else { return }
    warnings.append(
      Warning(
        code: "pictures-elsewhere", file: output,
        message:
          "pictures are outside of the folder of the list, such as \(outsidePath); --set reads only pictures in this "
          + "folder or below"
      ))
  }

  private func answer(
    _ list: ChapterList, _ files: [(path: String, bytes: Bytes)], _ pictureCount: Int, _ warnings: [Warning],
    _ movie: String, isWritten: Bool, isJSON: Bool, in context: Context
  ) throws {
    if isJSON {
      return try context.printJSON { json in
        json.member("file", movie)
        json.member("format", format?.rawValue)
        json.member("isWritten", isWritten)
        json.member("chapterCount", list.chapters.count)
        json.objects("outputs", of: files) { file, json in
          json.member("output", file.path)
          json.member("byteCount", file.bytes.count)
        }
        json.warnings(warnings)
      }
    }
    var lines: [String] = []
    if case .file(let path) = target { lines.append("wrote \(path): \(counted(list.chapters.count, "chapter"))") }
    if pictureCount > 0, let first = files.first {
      lines.append("wrote \(counted(pictureCount, "picture")): \(first.path)\(pictureCount > 1 ? " …" : "")")
    }
    // If the list is written to standard output, print no other text there.
    for line in lines {
      if format != nil, target == .standardOutput { try context.printMessage(line) } else { try context.print([line]) }
    }
  }
}
