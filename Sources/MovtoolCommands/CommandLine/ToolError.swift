import MovieBox
import MovieWriter
import Subtitles

/// The reason why a command failed: the exit code, and the message for people and programs.
///
/// Every error of the libraries is converted to a `ToolError` before it is printed. So this type determines the exit
/// code, the text of the line, and the hint. If possible, the hint is a command that the user can paste. The conversion
/// opens the file again to find a suitable hint.
struct ToolError: Error, Equatable, Sendable {
  let exitCode: ExitCode
  /// The error code that `--json` prints.
  let code: String
  /// The path of the faulty file, or `nil` for an error of the command line.
  let file: String?
  /// The path of the atom that contains the fault, or an empty string.
  var path = ""
  /// The line of a subtitle file, from 1.
  var lineNumber: Int?
  /// The byte offset in the file.
  var offset: UInt64?
  /// The message, one sentence.
  let message: String
  /// Advice for the user, if known.
  var hint: String?
  /// Whether another program was changing the file. The command may then succeed if it is run again.
  var isTransient = false
  /// The name before the message of an error without a file: `movtool`, followed by the command if it is known.
  private var source = "movtool"

  init(_ exitCode: ExitCode, code: String, file: String?, _ message: String, hint: String? = nil) {
    self.exitCode = exitCode
    self.code = code
    self.file = file
    self.message = message
    self.hint = hint
  }

  /// Converts an error of the command line.
  init(_ error: UsageError) {
    self.init(.usage, code: error.code.rawValue, file: nil, error.message, hint: error.hint)
    if let command = error.command { source += " " + command }
  }

  /// Converts an error about the movie `file`.
  init(_ error: MovieError, in file: String) {
    let exitCode: ExitCode =
      switch error.code {
      case .planCheckFailed: .internalError
      case .sourceChanged: .inputOutput
      default: .badData
      }
    self.init(exitCode, code: error.code.rawValue, file: file, error.reason)
    path = error.path
    offset = error.offset
    isTransient = error.code.isTransient
    if exitCode == .internalError { hint = Self.internalErrorHint }
    if error.code == .limit { hint = Self.limitHint }
    if error.code == .truncated { hint = Self.salvageHint(file) ?? Self.unfinishedHint(file) }
    if error.code == .unsupported { hint = Self.splitHint(file) }
    if error.code == .notAMovie {
      hint = Self.playlistHint(file) ?? Self.conversionHint(file) { $0.conversionToMovie }
    }
  }

  /// Returns the command that salvages the media of a cut-off movie, or `nil` if the file is not a salvageable movie.
  private static func salvageHint(_ file: String) -> String? {
    do {
      guard file != "-" else { return nil }
      let movie = try Movie(of: FileSource(path: file))
      let missing = Dictionary(movie.missingSamples().map { ($0.trackID, $0.sampleCount) }) { first, _ in first }
      let isAnyLeft = movie.tracks.contains { $0.samples.sampleCount > (missing[$0.id] ?? 0) ?? .max }
      guard movie.layout.cutOffset != nil, !movie.isFragmented, !missing.isEmpty, isAnyLeft else { return nil }
      let name = FilePath(file).withoutExtension
      let output = ShellWord.path(name + "-salvaged" + file.dropFirst(name.count))
      return "the file is still being written or is incomplete: download it again, or try: "
        + "movtool remux \(ShellWord.path(file)) -o \(output) --salvage"
    } catch {
      return nil  // The file's own error is already being reported.
    }
  }

  /// Returns the advice for a movie whose end is missing, or `nil` for any other file. Such a movie is often still
  /// being recorded or downloaded.
  private static func unfinishedHint(_ file: String) -> String? {
    do {
      guard file != "-", try FileLayout(of: FileSource(path: file)).cutOffset != nil else { return nil }
      return "the file is incomplete or is still being written; wait until it is complete, or download it again"
    } catch {
      return nil  // The file's own error is already being reported.
    }
  }

  /// Returns the commands that split a file in which two movies follow each other, or `nil` for any other file.
  private static func splitHint(_ file: String) -> String? {
    do {
      guard file != "-", let start = try FileLayout(of: FileSource(path: file)).startOfSecondMovie else { return nil }
      let path = ShellWord.path(file)
      let name = FilePath(file).withoutExtension
      let suffix = file.dropFirst(name.count)
      let (first, second) = (ShellWord.path(name + "-1" + suffix), ShellWord.path(name + "-2" + suffix))
      return "try: head -c \(start) \(path) > \(first); tail -c +\(start + 1) \(path) > \(second)"
    } catch {
      return nil  // The file's own error is already being reported.
    }
  }

  /// Returns the command that converts an HTTP Live Streaming playlist to a movie, or `nil` for any other file.
  private static func playlistHint(_ file: String) -> String? {
    do {
      let mark = Array("#EXTM3U".utf8)
      guard file != "-" else { return nil }
      let source = try FileSource(path: file)
      guard try source.identity().byteCount >= UInt64(mark.count),
        try source.readExactly(ByteRange(0..<UInt64(mark.count))).array == mark
      else { return nil }
      let output = ShellWord.path(FilePath(file).withoutExtension + ".mp4")
      return "this is a playlist; try: ffmpeg -i \(ShellWord.path(file)) -c copy \(output)"
    } catch {
      return nil  // The file's own error is already being reported.
    }
  }

  /// Returns the command that converts a file of another format to a movie or subtitles, or `nil` if there is none.
  static func conversionHint(
    _ file: String, _ conversion: (FileSignature) -> (options: String, suffix: String)?
  ) -> String? {
    do {
      guard file != "-", let format = try FileSource(path: file).signature() else { return nil }
      guard let (options, suffix) = conversion(format) else { return format.subtitleAdvice(file) }
      let path = ShellWord.path(file)
      let name = FilePath(file).withoutExtension
      let output = name + suffix == file ? name + "-converted" + suffix : name + suffix
      let input = "try: ffmpeg" + (format.demuxer.map { " -f " + $0 } ?? "") + " -i"
      let words = [input, path, options, ShellWord.path(output)].filter { !$0.isEmpty }
      return words.joined(separator: " ")
    } catch {
      return nil  // The file's own error is already being reported.
    }
  }

  /// Converts an error about the subtitle file `file`.
  init(_ error: SubtitleError, in file: String) {
    self.init(.badData, code: error.code.rawValue, file: file, error.reason)
    lineNumber = error.line
    offset = error.offset
    if error.code == .limit { hint = Self.limitHint }
    if error.code == .format {
      hint = Self.extractionHint(file) ?? Self.conversionHint(file) { $0.conversionToSubRip }
    }
  }

  /// Returns the command that extracts the subtitles of a movie, or `nil` for any other file.
  private static func extractionHint(_ file: String) -> String? {
    do {
      guard file != "-", try FileSource(path: file).signature() == .movie else { return nil }
      return "try: movtool extract \(ShellWord.path(file)) --all, which writes its subtitles and captions to files"
    } catch {
      return nil  // The file's own error is already being reported.
    }
  }

  /// Converts an error about a file that is missing, already exists, or cannot be read or written.
  init(_ error: FileError) {
    let exitCode: ExitCode =
      switch error.code {
      case .noInput: .noInput
      case .notWritable, .cannotCreate, .exists: .cannotCreate
      default: .inputOutput
      }
    let hint: String? =
      switch error.code {
      case .exists: "--force overwrites it"
      case .notWritable: "-o FILE writes the edited movie to a new file"
      default: nil
      }
    self.init(exitCode, code: error.code.rawValue, file: error.path, error.reason, hint: hint)
    isTransient = error.code.isTransient
  }

  /// Converts any error. `file` is the file that the command was processing, or `nil` for an error of the command line.
  /// An error of an unknown type becomes an internal error.
  init(_ error: any Error, about file: String? = nil) {
    switch error {
    case let error as ToolError: self = error
    case let error as UsageError: self.init(error)
    case let error as StreamError:
      let reason = error.isClosedPipe ? "the reader closed the pipe before the end" : error.systemError.description
      self.init(.inputOutput, code: "input-output", file: error.stream, reason)
    case let error as FileError: self.init(error)
    case let error as SubtitleError: self.init(error, in: file ?? "subtitles")
    case let error as MovieError: self.init(error, in: file ?? "movie")
    case let error as SystemError: self.init(.inputOutput, code: "input-output", file: file, error.description)
    case is Interruption: self.init(.interrupted, code: "interrupted", file: file, "interrupted")
    default: self.init(.internalError, code: "internal", file: file, "\(error)", hint: Self.internalErrorHint)
    }
  }

  /// Converts an error about one of several files. Rethrows an interruption and the failure of an output stream,
  /// because the remaining files would fail too.
  static func blaming(_ file: String, for error: any Error) throws -> ToolError {
    if error is Interruption || error is StreamError { throw error }
    return ToolError(error, about: file)
  }

  private static let limitHint = "movtool help limits lists the limits"

  private static let internalErrorHint =
    "this is an error in movtool, not in the file; please report this line, the command, and the output of "
    + "movtool inspect --json"

  /// The error as a line of text: file, location and message.
  var line: String {
    let location = [path, lineNumber.map { "line \($0)" } ?? "", offset.map { "at byte \($0)" } ?? ""].filter {
      !$0.isEmpty
    }.joined(separator: " ")
    return [(file ?? source) + (location.isEmpty ? "" : ": " + location), message].joined(separator: ": ")
  }

  /// Writes the members of the error's object.
  func write(to json: inout JSONWriter) {
    json.member("code", code)
    json.member("exitCode", exitCode.rawValue)
    json.member("file", file)
    json.member("path", path.isEmpty ? nil : path)
    json.member("line", lineNumber)
    json.member("offset", offset)
    json.member("message", message)
    json.member("hint", hint)
    json.member("isTransient", isTransient)
  }
}

/// The error for a stop signal from the user or another program.
struct Interruption: Error {}

// The exit codes, the errors in a command line, and the errors of an output stream.

/// The exit codes of the process. Codes above 63 follow BSD's sysexits.h, except 130.
package enum ExitCode: Int32, CaseIterable, Sendable {
  /// The command succeeded, possibly with warnings.
  case done = 0
  /// The check found errors or differences, or `--strict` stopped the command because of a warning.
  case no = 1
  /// The command line is invalid.
  case usage = 64
  /// A movie or subtitle file is unusable.
  case badData = 65
  /// An input does not exist or is not readable.
  case noInput = 66
  /// An internal error of movtool.
  case internalError = 70
  /// The output cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// The process was interrupted: 128 plus the number of SIGINT.
  case interrupted = 130

  /// The meaning for users. `Docs/limits.md` and the manual page contain the same text.
  var meaning: String {
    switch self {
    case .done: "success, possibly with warnings"
    case .no:
      "a check found errors or differences, there was nothing to extract, or --strict stopped the command"
    case .usage: "the command line is wrong"
    case .badData: "a movie or subtitle file cannot be used"
    case .noInput: "an input does not exist or cannot be read"
    case .internalError: "internal error"
    case .cannotCreate: "the output cannot be created"
    case .inputOutput: "reading or writing failed"
    case .interrupted: "interrupted"
    }
  }
}

/// A mistake in the command line.
struct UsageError: Error, Equatable, Sendable {
  /// The kind of mistake.
  enum Code: String, Sendable {
    case unknownCommand = "unknown-command"
    case unknownOption = "unknown-option"
    case missingValue = "missing-value"
    case unexpectedValue = "unexpected-value"
    case invalidValue = "invalid-value"
    case repeatedOption = "repeated-option"
    case conflict = "conflicting-options"
    case missingOperand = "missing-operand"
    case unexpectedOperand = "unexpected-operand"
    /// An edit that the tracks of the movie do not allow.
    case invalidEdit = "invalid-edit"
    case notSupported = "not-supported"
    /// A selector that matches no track, or a path that leads to no atom.
    case noMatch = "no-match"
    /// A selector that matches several tracks.
    case ambiguous = "ambiguous"
  }

  /// The kind of mistake.
  let code: Code
  /// The message: one sentence, without the command's name.
  let message: String
  /// The command whose help applies, or `nil` if the command is unknown.
  var command: String?
  /// A hint with the command line that the user probably meant, or `nil` if the hint refers to the help.
  var guidance: String?

  init(_ code: Code, _ message: String, guidance: String? = nil) {
    self.code = code
    self.message = message
    self.guidance = guidance
  }

  /// The command that shows the relevant help.
  var hint: String {
    if let guidance { return guidance }
    if code == .unknownCommand { return "movtool help lists the commands" }
    return "see movtool help" + (command.map { " " + $0 } ?? "")
  }
}

/// An error of standard output or standard error. Errors of other files are file errors.
struct StreamError: Error {
  /// `standard output` or `standard error`.
  let stream: String
  let systemError: SystemError

  /// Whether the reader closed the stream early, as `head` does.
  var isClosedPipe: Bool { systemError.code == .brokenPipe }
}
