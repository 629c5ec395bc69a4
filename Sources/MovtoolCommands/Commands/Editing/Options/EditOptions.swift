import MovieBox
import MovieWriter
import Subtitles

/// The options that all editing commands share: output, type, padding, warnings, progress.
///
/// Contradictions between options are rejected here, before any file is opened. The type of the output depends on the
/// movie too, so it is determined after the movie is opened.
struct EditOptions: Equatable, Sendable {
  /// The destination of the edited movie.
  enum Target: Equatable, Sendable {
    /// The edited movie replaces the input file.
    case input
    case newFile(String, mayOverwrite: Bool, waitsForDisk: Bool)
    /// Standard output (`-o -`).
    case standardOutput
  }

  let target: Target
  /// Whether an edit in place may move the movie atom after the media.
  let appends: Bool
  /// The number of free bytes after the movie atom if the media follows, or `nil` for the default.
  let padding: UInt32?
  /// The type to which `--type` converts the movie, or `nil` if the option is missing. It overrides the output's name.
  let type: MovieType?
  /// Whether the movie keeps its type, even if the output's name suggests another type.
  let keepsType: Bool
  /// Whether times still count from the start of the recording's clock after the fragments of a movie are removed.
  let keepsStart: Bool
  let isDryRun: Bool
  let isStrict: Bool
  let isJSON: Bool
  let progress: Progress.Mode
  let upload: UploadOptions

  /// Returns `-o` and related options. `--type` is omitted for a command that has another option of this name.
  static func output(_ help: String, hasType: Bool = true) -> [OptionSpec] {
    [
      OptionSpec("o", value: OptionValue("FILE", .file), help + "; - for stdout"),
      OptionSpec("force", "with -o: overwrite FILE if it exists"),
      OptionSpec("sync", "with -o: wait until FILE is on the disk"),
      OptionSpec("pad", value: "BYTES", "add free space for later edits: 64K, 1M, 0"),
    ] + (hasType ? typeOptions : [keepType]) + UploadOptions.all
  }

  /// The options of commands that edit a single movie in place. They are listed after the command's own options.
  static let singleMovieOptions = output("write a new file and leave FILE unchanged") + [.append] + commonOptions

  /// The options of all editing commands. They are listed after the command's own options.
  static let commonOptions = [
    keepStart,
    OptionSpec("dry-run", "print the plan and do not write the output"),
    OptionSpec("strict", "treat warnings as errors: write nothing, exit 1"),
    progress, .json,
  ]

  static let keepStart = OptionSpec("keep-start", "keep the start time of a recording that starts late")

  static let progress = OptionSpec(
    "progress", value: OptionValue("MODE", .words(["auto", "none", "json"])),
    "show progress: auto (default), none or json")

  /// Reads the options.
  ///
  /// - Parameters:
  ///   - canAppend: whether the command has `--append`.
  ///   - hasType: whether the command's `--type` sets the type of the movie.
  init(_ arguments: Arguments, canAppend: Bool = true, hasType: Bool = true) throws(UsageError) {
    target = try Self.target(arguments)
    appends = canAppend && arguments.contains("append")
    guard !appends || target == .input else {
      throw UsageError(.conflict, "--append edits the movie itself; omit -o or --append")
    }
    type = hasType ? try Self.type(arguments, target) : nil
    keepsType = arguments.contains("keep-type")
    if keepsType, target == .input {
      throw UsageError(.conflict, "--keep-type requires -o; without -o, the movie always keeps its type")
    }
    padding = try Self.padding(arguments)
    keepsStart = arguments.contains("keep-start")
    isDryRun = arguments.contains("dry-run")
    isStrict = arguments.contains("strict")
    isJSON = arguments.contains("json")
    progress = try Self.progress(arguments)
    upload = try UploadOptions(arguments, isPlan: isDryRun && isJSON, hasOutput: target != .input)
  }

  private static func target(_ arguments: Arguments) throws(UsageError) -> Target {
    guard let path = arguments.value("o") else {
      guard !arguments.contains("force") else { throw UsageError(.conflict, "--force requires -o FILE") }
      guard !arguments.contains("sync") else {
        throw UsageError(.conflict, "--sync requires -o FILE; without -o, the command always waits for the disk")
      }
      return .input
    }
    if path == "-" {
      try arguments.refuse(["force", "sync"], "requires -o FILE, not standard output")
      return .standardOutput
    }
    guard !path.isEmpty else { throw UsageError(.missingValue, "-o requires a value: FILE") }
    return .newFile(path, mayOverwrite: arguments.contains("force"), waitsForDisk: arguments.contains("sync"))
  }

  private static func padding(_ arguments: Arguments) throws(UsageError) -> UInt32? {
    guard let text = arguments.value("pad") else { return nil }
    // Limit the padding to 1 GiB. Few movie atoms are larger, and more padding would delay playback over a network.
    guard let bytes = ByteQuantity.bytes(text), bytes <= 1 << 30 else {
      throw UsageError(.invalidValue, "--pad \(text): specify up to 1024M bytes; 64K is 65536")
    }
    return UInt32(bytes)
  }

  /// Whether `--split-chunks` is specified. Throws if `--interleave` is missing, because chunks are split only to
  /// interleave tracks.
  static func splitsChunks(_ arguments: Arguments) throws(UsageError) -> Bool {
    guard arguments.contains("split-chunks") else { return false }
    guard arguments.contains("interleave") else {
      throw UsageError(.conflict, "--split-chunks requires --interleave")
    }
    return true
  }

  static func progress(_ arguments: Arguments) throws(UsageError) -> Progress.Mode {
    guard let text = arguments.value("progress") else { return .auto }
    guard let mode = Progress.Mode(rawValue: text) else {
      throw UsageError(.invalidValue, "--progress \(text): use auto, none or json")
    }
    return mode
  }

  /// Returns the single movie that is the command's operand.
  static func movie(_ arguments: Arguments) throws(UsageError) -> String {
    guard let movie = arguments.operands.first else { throw UsageError(.missingOperand, "which movie?") }
    guard arguments.operands.count == 1 else {
      let words = arguments.operands.map(ShellWord.path).joined(separator: ", ")
      throw UsageError(.unexpectedOperand, "specify only one movie, not: \(words)")
    }
    try requireFile(movie)
    return movie
  }

  static func requireFile(_ operand: String) throws(UsageError) {
    guard operand != "-" else { throw UsageError(.notSupported, "standard input is not supported; specify a file") }
  }
}

extension OptionSpec {
  static let append = OptionSpec("append", "edit in place, even if this ends fast start")
}

// The options for the file type of the edited movie.
extension EditOptions {
  /// The options `--type` and `--keep-type`.
  static let typeOptions = [
    OptionSpec(
      "type", value: OptionValue("TYPE", .words(MovieType.allCases.map(\.rawValue))),
      "with -o: convert to this type; ignore FILE's extension"),
    keepType,
  ]
  static let keepType = OptionSpec("keep-type", "with -o: do not convert; ignore FILE's extension")

  /// Returns the type that `--type` requests, or `nil` without `--type`.
  static func type(_ arguments: Arguments, _ target: Target) throws(UsageError) -> MovieType? {
    guard let text = arguments.value("type") else { return nil }
    guard let type = MovieType(rawValue: text) else {
      let names = MovieType.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(.invalidValue, "--type \(text): one of \(names)")
    }
    guard target != .input else {
      throw UsageError(.conflict, "--type requires -o, because a conversion writes a new file")
    }
    guard !arguments.contains("keep-type") else {
      throw UsageError(.conflict, "--type converts, but --keep-type does not; use one option")
    }
    return type
  }

  /// Returns the lowercase extension of a path, or `nil` if it has no plausible extension.
  private static func fileExtension(of path: String) -> String? {
    guard let word = FilePath(path).fileExtension?.lowercased() else { return nil }
    let isExtension =
      (1...5).contains(word.utf8.count) && word.contains(where: \.isLetter)
      && word.utf8.allSatisfy { Ascii.isDigit($0) || (0x61...0x7A).contains($0) }
    return isExtension ? word : nil
  }

  /// Throws if the extension of the output is not an extension of movies.
  func checkOutputType(of movie: String) throws(UsageError) {
    guard case .newFile(let path, _, _) = target, type == nil, !keepsType,
      let suffix = Self.fileExtension(of: path), MovieType(fileExtension: suffix) == nil,
      suffix != Self.fileExtension(of: movie)
    else { return }
    let names = MovieType.allCases.map { ".\($0.rawValue)" }.joined(separator: " ")
    throw UsageError(
      .invalidValue,
      "-o \(path): .\(suffix) is not a movie type; movtool writes \(names); use --type or --keep-type for other names")
  }

  /// Returns the type to which a movie is converted, or `nil` if it keeps its type.
  ///
  /// An output with the same extension as the input does not request a conversion. Many movies have brands that
  /// contradict their extensions, and an edit of such a movie must not convert it.
  func conversion(of movie: Movie, named input: String) -> MovieType? {
    if let type { return type }
    guard !keepsType, let extensionType = contradiction(of: movie), !hasSameExtension(as: input) else { return nil }
    return extensionType
  }

  /// Returns the type to which the output's name refers, or `nil` if the movie already has that type.
  private func contradiction(of movie: Movie) -> MovieType? {
    guard case .newFile(let path, _, _) = target, let suffix = Self.fileExtension(of: path),
      let extensionType = MovieType(fileExtension: suffix), extensionType != movie.type
    else { return nil }
    return extensionType
  }

  /// Whether the output has the same extension as the input, ignoring case.
  private func hasSameExtension(as input: String) -> Bool {
    guard case .newFile(let path, _, _) = target, let suffix = Self.fileExtension(of: path) else { return false }
    return suffix == Self.fileExtension(of: input)
  }

  /// Returns a note if the type of the movie contradicts the extension that input and output have in common. The movie
  /// then keeps its type. Returns `nil` otherwise.
  func keptTypeNote(for movie: Movie, named input: String) -> EditNotice? {
    guard type == nil, !keepsType, case .newFile(let path, _, _) = target, hasSameExtension(as: input),
      let extensionType = contradiction(of: movie), extensionType.isQuickTime != movie.isQuickTime
    else { return nil }
    return EditNotice(
      .typeKept,
      "\(path) keeps the type of \(input), \(movie.type.name), although the extension is for \(extensionType.name); "
        + "movtool remux \(ShellWord.path(input)) -o OUT --type \(extensionType.rawValue) converts it")
  }

  /// Returns a warning if `--type` or `--keep-type` causes the type of the movie to contradict the output's name.
  func typeWarning(for movie: Movie, named input: String) -> Warning? {
    guard case .newFile(let path, _, _) = target, let extensionType = nameConflict(with: movie, named: input) else {
      return nil
    }
    return Warning(
      code: "type-by-name", file: path,
      message: "the extension is for \(extensionType.name), but the output is \(movie.type.name) because of "
        + "\(keepsType ? "--keep-type" : "--type"); players may refuse the file")
  }

  private func nameConflict(with movie: Movie, named input: String) -> MovieType? {
    if keepsType { return hasSameExtension(as: input) ? nil : contradiction(of: movie) }
    // Players accept all types of the ISO family, whichever extension of the family the file has.
    guard let type, case .newFile(let path, _, _) = target, let suffix = Self.fileExtension(of: path),
      let extensionType = MovieType(fileExtension: suffix), extensionType.isQuickTime != type.isQuickTime
    else { return nil }
    return extensionType
  }
}
