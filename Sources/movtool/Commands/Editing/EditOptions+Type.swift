import MovieBox
import MovieWriter
import Subtitles

// Which type the edited movie has.
extension EditOptions {
  /// `--type` and `--keep-type`.
  static let typeOptions = [
    OptionSpec(
      "type", value: OptionValue("TYPE", .words(MovieType.allCases.map(\.rawValue))),
      "with -o: convert to this type, whatever FILE's name says"),
    keepType,
  ]
  static let keepType = OptionSpec("keep-type", "with -o: do not convert, whatever FILE's name says")

  /// The type that `--type` names.
  static func type(_ arguments: Arguments, _ target: Target) throws(UsageError) -> MovieType? {
    guard let text = arguments.value("type") else { return nil }
    guard let type = MovieType(rawValue: text) else {
      let names = MovieType.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(.invalidValue, "--type \(text): one of \(names)")
    }
    guard target != .input else {
      throw UsageError(.conflict, "--type goes with -o: a movie of another type is a new file")
    }
    guard !arguments.contains("keep-type") else {
      throw UsageError(.conflict, "--type converts, --keep-type does not; choose one")
    }
    return type
  }

  /// How a name ends, after the last point, in small letters, where that can be the extension of a file; `nil` without
  /// one.
  private static func fileExtension(of path: String) -> String? {
    guard let word = FilePath(path).fileExtension?.lowercased() else { return nil }
    let isExtension =
      (1...5).contains(word.utf8.count) && word.contains(where: \.isLetter)
      && word.utf8.allSatisfy { Ascii.isDigit($0) || (0x61...0x7A).contains($0) }
    return isExtension ? word : nil
  }

  /// Refuses an output whose name says that it is not a movie.
  func checkOutputType(of movie: String) throws(UsageError) {
    guard case .newFile(let path, _, _) = target, type == nil, !keepsType,
      let suffix = Self.fileExtension(of: path), MovieType(fileExtension: suffix) == nil,
      suffix != Self.fileExtension(of: movie)
    else { return }
    let names = MovieType.allCases.map { ".\($0.rawValue)" }.joined(separator: " ")
    throw UsageError(
      .invalidValue,
      "-o \(path): a .\(suffix) is something else; movtool writes \(names) (--type or --keep-type for another name)")
  }

  /// The type that a movie is converted to, or `nil` if it keeps its type.
  ///
  /// An output with the extension of the input requests no conversion: many files have brands that contradict their
  /// names, and an edit of such a file must not rewrite it.
  func conversion(of movie: Movie, named input: String) -> MovieType? {
    if let type { return type }
    guard !keepsType, let wanted = contradiction(of: movie), !hasExtension(of: input) else { return nil }
    return wanted
  }

  /// The type that the name of the output declares, or `nil` if the movie has that type.
  private func contradiction(of movie: Movie) -> MovieType? {
    guard case .newFile(let path, _, _) = target, let suffix = Self.fileExtension(of: path),
      let wanted = MovieType(fileExtension: suffix), wanted != movie.type
    else { return nil }
    return wanted
  }

  /// Whether the output has the extension of the input, in any case of letters.
  private func hasExtension(of input: String) -> Bool {
    guard case .newFile(let path, _, _) = target, let suffix = Self.fileExtension(of: path) else { return false }
    return suffix == Self.fileExtension(of: input)
  }

  /// The note for a movie that keeps its type because the output has the extension of the input, although that extension
  /// is one of the other family of types; `nil` for other movies.
  func keptTypeNote(for movie: Movie, named input: String) -> EditNotice? {
    guard type == nil, !keepsType, case .newFile(let path, _, _) = target, hasExtension(of: input),
      let wanted = contradiction(of: movie), wanted.isQuickTime != movie.isQuickTime
    else { return nil }
    return EditNotice(
      .typeKept,
      "\(path) stays \(movie.type.name), as \(input) is, although its extension is that of \(wanted.name); "
        + "movtool remux \(ShellWord.path(input)) -o OUT --type \(wanted.rawValue) converts it")
  }

  /// The warning for a name that says another type than the movie has then, as an option has it.
  func typeWarning(for movie: Movie, named input: String) -> Warning? {
    guard case .newFile(let path, _, _) = target, let wanted = nameConflict(with: movie, named: input) else {
      return nil
    }
    return Warning(
      code: "type-by-name", file: path,
      message: "named as \(wanted.name), and \(keepsType ? "stays" : "is") \(movie.type.name), as "
        + "\(keepsType ? "--keep-type" : "--type") has it; players may refuse it")
  }

  private func nameConflict(with movie: Movie, named input: String) -> MovieType? {
    if keepsType { return hasExtension(of: input) ? nil : contradiction(of: movie) }
    // Files of ISO's family go by one another's names.
    guard let type, case .newFile(let path, _, _) = target, let suffix = Self.fileExtension(of: path),
      let wanted = MovieType(fileExtension: suffix), wanted.isQuickTime != type.isQuickTime
    else { return nil }
    return wanted
  }
}
