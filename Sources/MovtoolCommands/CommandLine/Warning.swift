import MovieBox
import Subtitles

/// A problem that the user should know about. It does not stop the command, except with `--strict`.
struct Warning: Equatable, Sendable {
  /// The warning code that `--json` prints.
  let code: String
  /// The path of the file concerned, or `nil` for the command line.
  let file: String?
  /// The line of a subtitle file, from 1.
  var line: Int?
  /// The ID of the track concerned, in the edited movie.
  var trackID: UInt32?
  /// A key for warnings with the same code. Warnings with the same code and the same key are merged.
  var subject = ""
  /// The message, one sentence.
  let message: String
  /// The complete text that was lost from a subtitle file.
  var lostText: String?

  /// The warning as a line of text.
  var text: String {
    let location = line.map { "line \($0)" } ?? ""
    return [file ?? "", location, message].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  /// Writes the members of the warning's object.
  func write(to json: inout JSONWriter) {
    json.member("code", code)
    json.member("file", file)
    json.member("line", line)
    json.member("track", trackID)
    json.member("message", message)
    json.member("lostText", lostText)
  }
}

extension Warning {
  /// Converts a notice about reading a subtitle file.
  init(_ notice: SubtitleNotice, _ file: String, trackID: UInt32? = nil) {
    self.init(
      code: notice.kind.rawValue, file: file, line: notice.line > 0 ? notice.line : nil, trackID: trackID,
      message: notice.message, lostText: notice.lostText)
  }

  /// Converts a notice about reading or writing chapters.
  init(_ notice: ChapterList.Notice, _ file: String) {
    self.init(
      code: notice.code, file: file, line: notice.line, trackID: notice.trackID, message: notice.message,
      lostText: notice.lostText)
  }

  /// Creates a warning that a requested language contains unregistered subtags, or returns `nil` if all subtags are
  /// registered.
  init?(unregistered language: LanguageTag?, _ file: String, trackID: UInt32? = nil) {
    guard let language, !language.unregisteredSubtags.isEmpty else { return nil }
    let list = language.unregisteredSubtags.map { "\"\($0)\"" }.joined(separator: ", ")
    self.init(
      code: "language-unregistered", file: file, trackID: trackID,
      message: "\(list) in the language \(language) is not registered, so no player recognizes the language")
  }
}

extension Warning {
  /// Creates a warning that a file was treated as forced because of a word in its name. The word may have another
  /// meaning.
  init(guessedForced word: String, _ file: String, advice: String = "") {
    self.init(
      code: "role-guessed", file: file,
      message:
        "the name contains \"\(word)\", so the subtitles are marked as forced, but the word may have another meaning"
        + advice)
  }
}

extension JSONWriter {
  /// Writes the `warnings` member of an answer.
  mutating func warnings(_ warnings: [Warning]) { objects("warnings", of: warnings) { $0.write(to: &$1) } }
}

extension Context {
  /// Prints a message that `--strict` stopped the command because of these warnings.
  func printRefusal(_ warnings: [Warning]) throws {
    let reason = warnings.count == 1 ? "a warning" : "\(warnings.count) warnings"
    try printMessage("nothing was written because of \(reason) and --strict")
  }
}

extension FileSignature {
  /// The ffmpeg options that convert the file to a movie, and the extension of the movie, or `nil` if ffmpeg cannot
  /// convert it.
  var conversionToMovie: (options: String, suffix: String)? {
    switch self {
    case .matroska: ("-map '0:v?' -map '0:a?' -map '0:s?' -c copy -c:s mov_text", ".mp4")
    case .avi, .transportStream, .programStream, .flashVideo: ("-map '0:v?' -map '0:a?' -c copy", ".mp4")
    case .mp3, .dolbyDigital: ("-c copy", ".mp4")
    case .advancedSystems: ("-map '0:v?' -map '0:a?'", ".mp4")
    case .wave, .aiff: ("-c copy", ".mov")
    case .adts: ("-c copy", ".m4a")
    case .flac, .coreAudio: ("-c:a alac", ".m4a")
    case .ogg: ("-c:a aac", ".m4a")
    default: nil
    }
  }

  /// The ffmpeg options that convert the file to AAC, and the new extension, or `nil` if ffmpeg cannot convert the
  /// file. Most players decode streamed audio only if it is AAC.
  var conversionToStreamedSound: (options: String, suffix: String)? {
    switch self {
    // Music files may contain a cover. Without `-vn`, ffmpeg would encode it as video.
    case .mp3, .wave, .aiff, .flac, .coreAudio, .ogg: ("-vn -c:a aac", ".m4a")
    default: conversionToMovie
    }
  }

  /// The ffmpeg options that convert the file to SubRip, or `nil` if ffmpeg cannot convert it.
  var conversionToSubRip: (options: String, suffix: String)? {
    switch self {
    case .subStation, .sami, .subViewer, .lyrics, .microDVD, .mpl2, .tmPlayer, .phoenix, .spruceSTL,
      .realText, .jacoSub:
      ("", ".srt")
    case .matroska, .avi, .ogg: ("-map 0:s:0", ".srt")
    default: nil
    }
  }

  /// The ffmpeg demuxer for the format, or `nil` if it is not needed. ffmpeg mistakes some formats for SubRip if the
  /// file name ends in `.srt`.
  var demuxer: String? {
    switch self {
    case .mpl2: "mpl2"
    case .tmPlayer: "vplayer"
    case .phoenix: "pjs"
    case .spruceSTL: "stl"
    case .realText: "realtext"
    case .jacoSub: "jacosub"
    default: nil
    }
  }

  /// Returns advice for subtitles and captions that ffmpeg cannot convert, or `nil` if there is none.
  func subtitleAdvice(_ file: String) -> String? {
    switch self {
    case .timedTextMarkup:
      "try: tt convert -i \(ShellWord.path(file)) -o \(ShellWord.path(FilePath(file).withoutExtension + ".srt")), "
        + "of the Python package ttconv"
    case .transportStream, .programStream:
      // These streams contain captions in their pictures, and subtitles as pictures.
      captionAdvice(file)
    case .whisperTable, .whisperJSON: "try: whisper --output_format srt FILE, which writes SubRip"
    case .youTubeXML, .youTubeJSON: "try: yt-dlp --skip-download --write-subs --write-auto-subs --sub-format vtt URL"
    default: nil
    }
  }

  /// Returns the commands that extract captions from the pictures of a stream.
  private func captionAdvice(_ file: String) -> String {
    let movie = ShellWord.path(FilePath(file).withoutExtension + "-video.mp4")
    return "try: ffmpeg -i \(ShellWord.path(file)) -map 0:v:0 -c copy \(movie) && movtool extract \(movie) --captions"
  }
}
