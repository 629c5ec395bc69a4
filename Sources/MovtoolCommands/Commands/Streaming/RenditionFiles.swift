import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

/// A movie that becomes a variant of a presentation.
struct StreamInput {
  /// The path as the user wrote it.
  let file: String
  var source: any RandomAccessSource
  var movie: Movie
  /// The tracks that were added from other files, by track ID.
  var renditions: [UInt32: AddedRendition] = [:]
  /// The fragmented movie before tracks were added to it. `nil` if no tracks were added or the movie is not fragmented.
  var unchangedMovie: (movie: Movie, source: any RandomAccessSource)?

  /// Reads a movie.
  init(_ file: String, in context: Context) throws {
    self.file = file
    source = try context.open(file)
    do {
      movie = try Movie(of: source, limits: context.limits.movie)
    } catch {
      throw ToolError(error, about: file)
    }
  }
}

/// A track from another file. It is added to the presentation, but the file of the movie does not change.
struct AddedRendition {
  let file: String
  let isSound: Bool
  /// The position of the track among the file's audio tracks, from 0, or `nil` for the only audio track.
  var soundIndex: Int?
}

/// The files of `--audio` and `--subtitle`. A presentation contains their tracks besides the tracks of its movies.
///
/// The files are added to an edit of the movie by the code of `add-track` and `add-subtitle`. The edited movie is never
/// written. The presentation is planned from the edit, and media is read from the original files. Messages about these
/// tracks contain the file instead of a track ID, because users cannot look up the ID.
struct RenditionFiles: Equatable, Sendable {
  let sounds: [TrackRequest]
  let subtitles: [SubtitleRequest]
  /// The policy for subtitles of the movie that have the language and role of added subtitles.
  let existingTrackPolicy: SubtitleInput.ExistingTrackPolicy

  private static let (audio, subtitle) = ("audio", "subtitle")

  /// `--audio` and `--subtitle`, and the options of `add-track` and `add-subtitle` that can follow their files.
  static let options: [OptionSpec] = {
    let names = [
      "track", "language", "title", "describes-video", "dub", "commentary", "sdh", "forced", "default",
      "characteristic",
      "role", "autoselect", "offset", "scale", "from-fps", "to-fps", "part-duration", "unroll", "channel",
      "timecode-base",
      "encoding", "plain", "voices",
    ]
    let trackOptions = AddTrackCommand.trackOptions + AddSubtitleCommand.manual.options
    let ownOptions = [
      OptionSpec("language", value: .language, "set the language; default: from the audio or the name"),
      OptionSpec("title", value: "TEXT", "set the name that players show"),
      OptionSpec(
        "track", value: .selector, isRepeatable: true, "add this audio track of FILE; default: the only track"),
    ]
    return [
      .input(audio, "FILE", "add the audio of FILE; repeatable"),
      .input(subtitle, "SUB", "add a SubRip, WebVTT, SCC or MCC file; repeatable"),
    ] + names.compactMap { name in (ownOptions + trackOptions).first { $0.name == name }?.asInputOption }
  }()

  /// Throws if the command line contains an option of ``options``. Options in `exceptions` are permitted.
  static func refuse(_ arguments: Arguments, except exceptions: [String] = [], _ reason: String) throws(UsageError) {
    try arguments.refuse(options.map(\.name).filter { !exceptions.contains($0) }, reason)
  }

  /// Creates the files that the options specify, or returns `nil` if there are none.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard !arguments.namedInputs.isEmpty else { return nil }
    try arguments.refuse(
      ["add", "remove"],
      "changes an existing presentation, but --audio and --subtitle require a new presentation from a movie")
    guard let movie = arguments.operands.first else {
      throw UsageError(
        .missingOperand, "specify a movie: --audio and --subtitle add files to the presentation of a movie")
    }
    try arguments.refuse(
      ["keep-start"],
      "cannot be combined with --audio and --subtitle: the times of these files start at the beginning of the movie")
    if let option = arguments.optionBeforeInputs {
      throw UsageError(
        .conflict, "\(option.spelling) applies to one file: specify it after --audio FILE or --subtitle SUB")
    }
    var sounds: [TrackRequest] = []
    var subtitles: [SubtitleRequest] = []
    for (index, input) in arguments.namedInputs.enumerated() {
      guard !input.file.isEmpty else { throw UsageError(.missingValue, "--\(input.option) requires a value: FILE") }
      let operands = [movie, input.file]
      if input.option == Self.audio {
        try EditOptions.requireFile(input.file)
        let inputArguments = try arguments.argumentsForNamedInput(
          index, operands: operands, table: AddTrackCommand.trackOptions)
        var request = try TrackRequest(from: input.file, inputArguments)
        request.mediaType = .audio
        guard !request.isDefault || !request.characteristics.contains(.auxiliaryContent) else {
          throw UsageError(
            .conflict,
            "--audio \(input.file) --default: players never select a commentary automatically; omit --default")
        }
        if request.isDefault, let other = sounds.first(where: \.isDefault) {
          throw UsageError(
            .conflict,
            "--default for \(other.file) and for \(input.file): a presentation has only one default audio; specify it "
              + "once"
          )
        }
        sounds.append(request)
      } else {
        let inputArguments = try arguments.argumentsForNamedInput(
          index, operands: operands, table: AddSubtitleCommand.manual.options)
        var request = try SubtitleRequest(input.file, at: 0, inputArguments)
        try Self.refuseDefault(of: request)
        // A WebVTT track keeps the text of a WebVTT file unchanged. But forced subtitles require the default format.
        if !request.isForced { request.format = .webVTT }
        subtitles.append(request)
      }
    }
    guard subtitles.count(where: { $0.file == "-" }) <= 1 else {
      throw UsageError(.invalidValue, "-: standard input can be read only once")
    }
    existingTrackPolicy = try SubtitleInput.ExistingTrackPolicy(arguments)
    if subtitles.isEmpty { try arguments.refuse(["replace", "if-absent"], "requires --subtitle or --add") }
    (self.sounds, self.subtitles) = (sounds, subtitles)
  }

  /// Throws if forced or SDH subtitles, or subtitles for certain viewers, become the default by an option. A
  /// presentation cannot have such a default. Players show forced subtitles automatically. They show SDH subtitles and
  /// subtitles for certain viewers only to viewers who need them.
  private static func refuseDefault(of request: SubtitleRequest) throws(UsageError) {
    guard request.isDefault, !request.isDefaultByName else { return }
    let role: String? =
      request.isForced
      ? "forced"
      : request.isSDH ? "for the deaf (SDH)" : request.characteristics.isEmpty ? nil : "for some viewers only"
    guard let role else { return }
    throw UsageError(
      .conflict,
      "--subtitle \(request.file) --default: the subtitles are \(role), and players never show such subtitles to "
        + "every viewer; omit --default")
  }

  // MARK: - Adding

  /// Adds the tracks to the movies. Audio is added to the first movie with audio that HLS supports, and subtitles to
  /// the first movie with readable subtitles. The presentation takes its audio and subtitles from these movies.
  ///
  /// Returns the warnings and notes about the added files.
  func add(
    to inputs: inout [StreamInput], in context: Context
  ) throws -> (warnings: [Warning], notes: [String]) {
    let ofSound = sounds.isEmpty ? 0 : try audioMovieIndex(in: inputs)
    let ofText =
      inputs.firstIndex { input in
        input.movie.tracks.contains { $0.hasReadableText && !input.movie.chapterTrackIDs.contains($0.id) }
      } ?? 0
    var (warnings, notes): ([Warning], [String]) = ([], [])
    for index in inputs.indices {
      let (sounds, texts) = (index == ofSound ? sounds : [], index == ofText ? subtitles : [])
      if sounds.isEmpty, texts.isEmpty { continue }
      do {
        let edited = try add(sounds, texts, to: &inputs[index], in: context)
        warnings += edited.warnings
        notes += edited.notes
      } catch var error as UsageError {
        error.command = HLSCommand.name  // For example, a selector that matches no track of an added file.
        throw error
      } catch {
        throw ToolError(error, about: inputs[index].file)
      }
    }
    return (warnings, notes)
  }

  /// Returns the index of the movie from which the presentation takes its audio.
  private func audioMovieIndex(in inputs: [StreamInput]) throws -> Int {
    guard inputs.count > 1 else { return 0 }
    let index = try StreamPlan.audioMovieIndex(in: inputs.map { ($0.movie, $0.source) }) {
      inputs[$1].explanation(of: $0)
    }
    return index ?? 0
  }

  private func add(
    _ sounds: [TrackRequest], _ texts: [SubtitleRequest], to input: inout StreamInput, in context: Context
  ) throws -> (warnings: [Warning], notes: [String]) {
    let start =
      input.movie.isFragmented ? try input.movie.readFragments(of: input.source).start(in: input.movie) : nil
    var edit = try MovieEdit(of: input.movie, from: input.source)
    edit.isForReadingOnly = true
    var builder = EditBuilder(edit, of: input.file)
    for sound in sounds {
      do {
        try builder.add(sound, in: context)
      } catch var error as ToolError where error.code == MovieError.Code.notAMovie.rawValue {
        error.hint = error.file.flatMap { ToolError.conversionHint($0) { $0.conversionToStreamedSound } }
        throw error
      }
    }
    if !texts.isEmpty { try builder.add(texts, existingTrackPolicy, in: context) }
    for added in builder.addedSubtitles where added.request.languageOrigin == .unknown {
      throw UsageError(
        .missingValue,
        "--subtitle \(added.request.file): the language is unknown; add --language TAG, or --language und if there is "
          + "none"
      )
    }
    let missingWarnings = builder.edit.missingSamples.map { missingWarnings in
      Warning(code: "cut-off", file: input.file, trackID: missingWarnings.trackID, message: missingWarnings.description)
    }
    let isEdited = !builder.addedSubtitles.isEmpty || !builder.importedTracks.isEmpty
    if isEdited {
      if input.movie.isFragmented { input.unchangedMovie = (input.movie, input.source) }
      input.source = try builder.edit.plannedSource(OutputLayout(interleaving: .none))
      input.movie = try Movie(of: input.source, limits: context.limits.movie)
    }
    for track in builder.importedTracks {
      input.renditions[track.trackID] = AddedRendition(file: track.file, isSound: true, soundIndex: track.soundIndex)
    }
    for track in builder.addedSubtitles {
      input.renditions[track.trackID] = AddedRendition(file: track.request.file, isSound: false)
    }
    let ofCues = builder.addedSubtitles.flatMap { added in added.notices.map { Warning($0, added.request.file) } }
    let cut = builder.warnings(of: builder.edit.notices.filter { $0.kind == .cutOff }).filter { $0.file != input.file }
    // If the movie was not edited, the planner itself reports missing samples and the start of a recording.
    let warnings = (builder.warnings + (isEdited ? missingWarnings : []) + ofCues).map(input.namingFiles) + cut
    let startNote = isEdited ? start.map { [$0.subtractionNote] } ?? [] : []
    return (warnings, startNote + builder.notes.map { input.namingFiles(in: $0.message) })
  }
}

// MARK: - Messages

extension FFmpegConversion {
  /// Returns the command that converts a movie. `addition` distinguishes the name of the output.
  fileprivate func command(_ file: String, _ addition: String) -> String {
    let output = FilePath(file).withoutExtension + addition + (isQuickTime ? ".mov" : ".mp4")
    // `-dn` omits data tracks, such as time codes, because ffmpeg cannot write them to MP4 files.
    return "ffmpeg -i \(ShellWord.path(file)) -map 0 -dn -c copy \(options) \(ShellWord.path(output))"
  }
}

extension StreamInput {
  /// Returns the file that contains the track. This is an added file or the movie.
  func file(ofTrack id: UInt32?) -> String { id.flatMap { renditions[$0]?.file } ?? file }

  /// Returns the warning with the file names of added tracks instead of their IDs.
  func namingFiles(in warning: Warning) -> Warning {
    let owner = warning.file ?? file(ofTrack: warning.trackID)
    return Warning(
      code: warning.code, file: owner, line: warning.line,
      trackID: warning.trackID.flatMap { renditions[$0] == nil ? $0 : nil }, subject: warning.subject,
      message: namingFiles(in: warning.message, omitting: owner), lostText: warning.lostText)
  }

  /// Replaces the IDs of added tracks in a text by the names of their files, except for the name of the file `omitted`:
  /// a message about this file does not repeat its name.
  func namingFiles(in text: String, omitting omitted: String? = nil) -> String {
    var text = text
    for (id, rendition) in renditions.sorted(by: { $0.key < $1.key }) {
      let kind = rendition.isSound ? "the audio track" : "the subtitle track"
      text = Self.replacing("track \(id) of \(rendition.file)", in: text, with: "\(kind) of \(rendition.file)")
      if rendition.file == omitted {
        text = Self.replacing(" of track \(id)", in: text, with: "")
        text = Self.replacing("track \(id)", in: text, with: kind)
      } else {
        text = Self.replacing("track \(id)", in: text, with: "\(kind) of \(rendition.file)")
      }
    }
    return text
  }

  /// Replaces words that end with a track ID. Does not replace them if another digit follows, because that is a longer
  /// ID.
  private static func replacing(_ words: String, in text: String, with replacement: String) -> String {
    var (result, rest) = ("", text[...])
    while let range = rest.firstRange(of: words) {
      let isWhole = range.upperBound == rest.endIndex || !rest[range.upperBound].isNumber
      result += rest[..<range.lowerBound] + (isWhole ? replacement : words)
      rest = rest[range.upperBound...]
    }
    return result + rest
  }

  /// Returns an error if a track of an added file is left out because HLS does not support it. Returns `nil` for tracks
  /// of the movie itself.
  func refusal(ofLeftOut notice: StreamPlan.Notice) -> ToolError? {
    guard let reason = notice.leftOutReason, let rendition = notice.trackID.flatMap({ renditions[$0] }) else {
      return nil
    }
    return ToolError(
      .badData, code: notice.code, file: rendition.file, namingFiles(in: reason, omitting: rendition.file),
      hint: rendition.isSound ? Self.aacConversionCommand(rendition) : nil)
  }

  /// Returns the error to report if planning the presentation fails. It names the file that causes the failure.
  func explanation(of error: any Error) -> any Error {
    let refusal = error as? StreamRefusal
    guard let error = refusal?.error ?? error as? MovieError else { return ToolError(error, about: file) }
    let owner = file(ofTrack: refusal?.trackID)
    // An edited movie is never written, so offsets and atom paths in it do not help the user.
    let isWritten = renditions.isEmpty
    var answer = ToolError(
      isWritten ? error : MovieError(error.code, namingFiles(in: error.reason, omitting: owner)), in: owner)
    if let remedy = refusal?.remedy { answer.hint = remedy.advice(about: owner, tracks: movie.tracks) }
    return answer
  }
}

extension StreamRemedy {
  /// Returns advice on how to apply the remedy: an option of `hls`, or a command for the file.
  ///
  /// - Parameter tracks: the tracks of the movie that ffmpeg encodes.
  func advice(about file: String, tracks: [Track]) -> String {
    switch self {
    case .trimmedStart: "to begin at the next key picture, add --trim-start"
    case .untrimmedStart: "omit --trim-start"
    case .subtractedStart: "omit --keep-start"
    case .segmentDuration(let milliseconds): "--duration \(milliseconds / 1_000) sets it"
    case .audioFileOfAnotherMovie: "--audio \(ShellWord.path(file)) adds the audio to the presentation of another movie"
    case .renamedFormat: "movtool validate \(ShellWord.path(file)) --fix renames the format if the samples allow it"
    case .upright:
      FFmpegConversion("-c:v:0 libx264", of: tracks).command(file, "-upright") + " encodes it upright"
    case .timedEvents: "--timed-id3 IDENTIFIER writes items as ID3 events"
    }
  }
}

extension StreamInput {
  /// Returns the notice as a warning or a note, with the names of added files and advice about the remedy.
  func warning(from notice: StreamPlan.Notice) -> Warning {
    let owner = file(ofTrack: notice.trackID)
    var message = notice.message
    if let remedy = notice.remedy { message += " (\(remedy.advice(about: owner, tracks: movie.tracks)))" }
    if let rendition = notice.trackID.flatMap({ renditions[$0] }), rendition.isSound {
      switch notice.code {
      case "sound-too-long": message += "; the audio may belong to another film"
      case "not-on-apple", "not-in-browsers", "no-aac":
        if notice.isWarning, let line = Self.aacConversionCommand(rendition) { message += "; \(line)" }
      default: break
      }
    } else if notice.isWarning, let line = audioConversionAdvice(notice) {
      message += "; \(line)"
    }
    return namingFiles(
      in: Warning(code: notice.code, file: nil, trackID: notice.trackID, message: message))
  }

  /// Returns the ffmpeg command that converts the audio to AAC, or `nil` for standard input.
  private static func aacConversionCommand(_ sound: AddedRendition) -> String? {
    guard sound.file != "-" else { return nil }
    let (input, output) = (ShellWord.path(sound.file), FilePath(sound.file).withoutExtension + "-aac.m4a")
    // Without `-map`, ffmpeg would select the audio with the most channels.
    let choice = sound.soundIndex.map { "-map 0:a:\($0)" } ?? "-vn"
    return "try: ffmpeg -i \(input) \(choice) -c:a aac \(ShellWord.path(output))"
  }

  /// Returns the advice to convert the movie's audio to AAC, or `nil` if it does not apply to the notice or the movie
  /// is not a file.
  private func audioConversionAdvice(_ notice: StreamPlan.Notice) -> String? {
    let sounds = movie.tracks.filter { $0.mediaType == .audio }
    guard file != "-", let index = sounds.firstIndex(where: { $0.id == notice.trackID }) else { return nil }
    let (input, name) = (ShellWord.path(file), FilePath(file).withoutExtension + "-aac")
    switch notice.code {
    case "no-aac":
      let output = ShellWord.path(name + ".m4a")
      return "ffmpeg -i \(input) -map 0:a:\(index) -c:a aac \(output) makes AAC, and --audio \(output) adds it"
    case "no-sound", "not-in-browsers", "not-on-apple":
      return "try: " + FFmpegConversion("-c:a aac", of: movie.tracks).command(file, "-aac")
    default: return nil
    }
  }
}
