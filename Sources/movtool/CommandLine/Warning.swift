import MovieBox
import Subtitles

/// Something that a person should know though the work can be done. Under `--strict` it stops the work.
struct Warning: Equatable, Sendable {
  /// The name that `--json` shows.
  let code: String
  /// The file that it is about; `nil` for the command line.
  let file: String?
  /// The line of a subtitle file, from 1.
  var line: Int?
  /// The track of the edited movie that it is about.
  var trackID: UInt32?
  /// Distinguishes warnings with the same code; those with the same code and subject are merged.
  var subject = ""
  /// One sentence.
  let message: String
  /// Text of a subtitle file that is lost, whole.
  var lostText: String?

  /// The line for a person.
  var text: String {
    let place = line.map { "line \($0)" } ?? ""
    return [file ?? "", place, message].filter { !$0.isEmpty }.joined(separator: ": ")
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
  /// What was noticed while a file of subtitles was read.
  init(_ notice: SubtitleNotice, _ file: String, trackID: UInt32? = nil) {
    self.init(
      code: notice.kind.rawValue, file: file, line: notice.line > 0 ? notice.line : nil, trackID: trackID,
      message: notice.message, lostText: notice.lostText)
  }

  /// What was noticed while chapters were read or written.
  init(_ notice: ChapterList.Notice, _ file: String) {
    self.init(
      code: notice.code, file: file, line: notice.line, trackID: notice.trackID, message: notice.message,
      lostText: notice.lostText)
  }

  /// That nobody knows what a language means which was asked for; `nil` where somebody may.
  init?(unregistered language: LanguageTag?, _ file: String, trackID: UInt32? = nil) {
    guard let language, !language.unregisteredSubtags.isEmpty else { return nil }
    let list = language.unregisteredSubtags.map { "\"\($0)\"" }.joined(separator: ", ")
    self.init(
      code: "language-unregistered", file: file, trackID: trackID,
      message: "\(list) in the language \(language) is not registered: no player knows what it means")
  }
}

extension Warning {
  /// That a file's name has a word that was taken for forced subtitles, though it may mean something else.
  init(guessedForced word: String, _ file: String, advice: String = "") {
    self.init(
      code: "role-guessed", file: file,
      message: "forced only by its name, in which \"\(word)\" may be something else" + advice)
  }
}

extension JSONWriter {
  /// Writes the member of an answer that has its warnings.
  mutating func warnings(_ warnings: [Warning]) { objects("warnings", of: warnings) { $0.write(to: &$1) } }
}

extension Context {
  /// Says that warnings kept the work from being done.
  func sayRefused(_ warnings: [Warning]) throws {
    let reason = warnings.count == 1 ? "a warning" : "\(warnings.count) warnings"
    try say("nothing was written, because of \(reason) and --strict")
  }
}

extension FileSignature {
  /// The options of ffmpeg that make a movie of the file, and how that movie's name ends; `nil` where it makes none.
  var conversionToMovie: (options: String, suffix: String)? {
    switch self {
    case .matroska, .avi, .transportStream, .programStream, .flashVideo, .mp3, .dolbyDigital: ("-c copy", ".mp4")
    case .advancedSystems: ("", ".mp4")
    case .wave, .aiff: ("-c copy", ".mov")
    case .adts: ("-c copy", ".m4a")
    case .flac, .coreAudio: ("-c:a alac", ".m4a")
    case .ogg: ("-c:a aac", ".m4a")
    default: nil
    }
  }

  /// The same for sound of a presentation, which most players hear only in AAC.
  var conversionToStreamedSound: (options: String, suffix: String)? {
    switch self {
    // Music files may have a cover, which ffmpeg would encode as a film.
    case .mp3, .wave, .aiff, .flac, .coreAudio, .ogg: ("-vn -c:a aac", ".m4a")
    default: conversionToMovie
    }
  }

  /// The options of ffmpeg that make SubRip of the file; `nil` where it makes none.
  var conversionToSubRip: (options: String, suffix: String)? {
    switch self {
    case .subStation, .sami, .subViewer, .scenarist, .lyrics, .microDVD, .mpl2, .tmPlayer, .phoenix, .spruceSTL,
      .realText, .jacoSub, .macCaption:
      ("", ".srt")
    case .matroska, .avi, .transportStream, .ogg: ("-map 0:s:0", ".srt")
    default: nil
    }
  }

  /// The name that ffmpeg has for a format of text, which it mistakes for another where the file's name ends in `.srt`;
  /// `nil` where it needs none.
  var demuxer: String? {
    switch self {
    case .mpl2: "mpl2"
    case .tmPlayer: "vplayer"
    case .phoenix: "pjs"
    case .spruceSTL: "stl"
    case .realText: "realtext"
    case .jacoSub: "jacosub"
    case .macCaption: "mcc"
    default: nil
    }
  }

  /// The way to subtitles that are read here where ffmpeg knows none, or `nil` if there is none.
  var wayToSubtitles: String? {
    switch self {
    case .whisperTable, .whisperJSON: "try: whisper --output_format srt, of the sound; it writes SubRip too"
    case .youTubeXML, .youTubeJSON: "try: yt-dlp --skip-download --write-subs --write-auto-subs --sub-format vtt URL"
    default: nil
    }
  }
}
