import MovieBox
import MovieWriter
import Subtitles

/// A track of a movie with its text, and its language and role for the file name.
struct ExtractedTrack: Sendable {
  let track: Track
  let isChapters: Bool
  /// The cues. With `--unroll`, each line of roll-up captions is contained only once.
  let file: SubtitleFile
  /// Notices about features of the track that cues cannot express.
  let inexpressibleNotices: [SubtitleNotice]
  /// The channel if this is the text of closed captions, or `nil` for other texts.
  let captionChannel: CaptionChannel?
  /// The channel of closed captions in the pictures of ``track``, or `nil` for any other text.
  var pictureChannel: CaptionChannel?
  /// Whether the user requested the captions in pictures by `--captions`.
  var isRequestedExplicitly = false
  /// The time code of time 0 in SCC and MCC files, or `nil` for 00:00:00:00.
  var timecodeStart: Timecode.Start?

  init(_ track: Track, isChapters: Bool, _ text: TextTrack, unrolls: Bool) {
    self.track = track
    self.isChapters = isChapters
    file = unrolls && !isChapters ? text.file.unrolled(isCaptions: text.captionChannel != nil) : text.file
    inexpressibleNotices = text.inexpressibleNotices
    captionChannel = text.captionChannel
  }

  var id: UInt32 { track.id }
  var cues: [Cue] { file.cues }
  /// Whether the track contains closed captions.
  private var isCaptions: Bool { track.mediaType == .closedCaption }
  /// Whether the text consists of closed captions that are omitted if another text is written to the same file.
  var yieldsToOtherTexts: Bool { isCaptions || pictureChannel != nil && !isRequestedExplicitly }
  /// The subject and verb of a sentence about the text for which captions are omitted.
  var preferredTextClause: String {
    pictureChannel.map { "\($0.rawValue) in the pictures of track \(id) is" } ?? "other subtitles are"
  }
  /// The language tag, or `und` if undetermined.
  var language: String { track.language?.description ?? "und" }
  /// The language and the main role: "English SDH".
  var name: String {
    if let pictureChannel { return pictureName(pictureChannel) }
    return isChapters ? "chapters" : EditedTrack(track).name
  }

  /// A description that distinguishes the track in a list.
  var line: String {
    if let pictureChannel { return "\(pictureChannel.rawValue) is in the pictures of id:\(id)" }
    return isChapters ? "id:\(id) is chapters" : EditedTrack(track).line
  }

  /// The roles as file names contain them, or an empty string if the track has no role.
  var role: String {
    if let pictureChannel { return pictureChannel.role }
    if isChapters { return "chapters" }
    let (tags, isForcedOnly) = (track.taggedCharacteristics, track.containsOnlyForcedSubtitles)
    let roles = FileNameHints.trackRoles.filter { role in
      role.isSignalled(by: tags, isForcedOnly: isForcedOnly) && !(isCaptions && role == .sdh)
    }
    return ((isCaptions ? ["cc"] : []) + roles.map(\.rawValue)).joined(separator: ".")
  }
}

// MARK: - JSON

extension ExtractedTrack {
  /// The contents of a file in the format `json`. `Docs/json.md` lists the members.
  var json: SubtitleFile.Written {
    var json = JSONWriter()
    json.object { json in
      json.member("schema", Context.schema)
      json.object("track") { json in
        json.member("id", id)
        json.member("format", track.formats.first?.description)
        json.member("language", track.language?.description)
        json.member("title", track.title)
        json.member("isSDH", track.isSDH)
        json.member("isForcedOnly", track.containsOnlyForcedSubtitles)
        json.member("isChapters", isChapters)
        json.member("captionChannel", captionChannel?.rawValue)
        json.member("isInPictures", pictureChannel != nil)
      }
      json.objects("cues", of: cues) { $0.write(to: &$1) }
    }
    return SubtitleFile.Written(bytes: json.bytes + [UInt8(ascii: "\n")], notices: inexpressibleNotices)
  }
}

extension Cue {
  /// Writes the members of a cue.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("start", startMilliseconds)
    json.member("end", endMilliseconds)
    json.member("text", text.text)
    json.objects("runs", of: text.runs) { $0.write(to: &$1) }
    switch placement.vertical {
    case .bottom: json.member("vertical", "bottom")
    case .middle: json.member("vertical", "middle")
    case .top: json.member("vertical", "top")
    case .fromTop: json.member("vertical", "below")
    }
    if case .fromTop(let hundredths) = placement.vertical {
      json.member("percentBelowTop", Double(hundredths) / 100)
    } else {
      json.memberNull("percentBelowTop")
    }
    switch placement.horizontal {
    case .left, .indented: json.member("horizontal", "left")
    case .center, .centeredAt: json.member("horizontal", "center")
    case .right, .endingAt: json.member("horizontal", "right")
    }
    json.member("isForced", isForced)
  }
}

extension StyledText.Run {
  /// Writes the members of a run.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("start", range.lowerBound)
    json.member("end", range.upperBound)
    json.member("isBold", style.isBold)
    json.member("isItalic", style.isItalic)
    json.member("isUnderlined", style.isUnderlined)
    json.member("color", style.color?.hexadecimalText)
    json.member("backgroundColor", style.backgroundColor?.hexadecimalText)
    json.member("voice", style.voice)
    json.member("sizeInPercent", style.sizeInPercent.map { Int64($0) })
  }
}

extension StyledText.Color {
  /// The color as `#rrggbb`. If the alpha value is below 255, two digits for it follow.
  fileprivate var hexadecimalText: String { "#" + hexadecimal(withAlpha: alpha < 255) }
}

// Reading text tracks, and the formats of `extract`.

/// The text of the requested tracks.
struct Extraction {
  /// The tracks, in the order of the movie.
  private(set) var tracks: [ExtractedTrack] = []
  /// The start time that was subtracted from the times of a fragmented movie, or `nil` if nothing was subtracted.
  private(set) var start: MediaTime?
  /// The warnings. They do not include the notices of the tracks.
  private(set) var warnings: [Warning] = []
  /// Advice for a movie without text, or `nil` if there is no advice.
  private(set) var advice: String?

  /// Reads the movie and the samples of its text tracks.
  init(_ command: ExtractCommand, in context: Context) throws {
    let source = try context.open(command.movie)
    do {
      try self.init(command, of: source, in: context)
    } catch let error as UsageError {
      throw error
    } catch {
      throw try ToolError.blaming(command.movie, for: error)
    }
  }

  private init(_ command: ExtractCommand, of source: some RandomAccessSource, in context: Context) throws {
    let presented = try Movie(of: source, limits: context.limits.movie)
      .includingFragments(from: source, keepingStart: command.keepsStart)
    let (movie, fragments) = (presented.movie, presented.fragments)
    start = presented.start
    let startTimecode = try command.timecodeStart?.timecode(of: movie, named: command.movie, from: source)
    let delay = start == nil && !command.keepsStart ? movie.commonDelay(fragments) : nil
    let ids = try PictureCaptionExtraction.ids(of: command.tracks, among: movie.tracks.map { EditedTrack($0) }) {
      try movie.captionServices(fragments, in: source)
    } advice: { names in
      "the captions (\(names)) are in pictures: use --captions instead of --track"
    }
    let chosen = Self.chosen(command, ids, in: movie).map { track in
      // ffmpeg delayed all tracks except chapters. Times in subtitle files must not include this delay.
      guard let delay, !movie.chapterTrackIDs.contains(track.id) else { return track }
      start = delay
      return track.presented(earlierBy: delay, movieTimeScale: movie.header.timeScale)
    }
    warnings = try Warning.missingSamples(of: movie, source, command.movie)
    let end = movie.endMilliseconds(fragments)
    for track in chosen {
      try context.checkStop()
      let isNamed = !command.tracks.isEmpty
      guard isNamed || TextTrackReader.canRead(track) else {
        let formats = track.formats.map(\.description).joined(separator: ", ")
        warnings.append(
          Warning(
            code: "no-text", file: command.movie, trackID: track.id,
            message: "track \(track.id) is skipped: it contains \(formats), which is not readable text"))
        continue
      }
      var reader = try TextTrackReader(
        track, of: movie, fragments: fragments, endingAt: end, limits: context.limits.subtitles)
      if command.usesVideoFrameRate { reader.setVideoFrameRate(of: movie, fragments) }
      reader.includesCaptionPairs = command.captionPairFrames != nil
      let text = try reader.read(from: source)
      tracks.append(
        ExtractedTrack(
          track, isChapters: movie.chapterTrackIDs.contains(track.id), text, unrolls: command.unrolls))
    }
    if let request = command.captions, let picture = movie.mainPicture {
      var captions = PictureCaptionExtraction(
        file: command.movie, unrolls: command.unrolls, pairFrames: command.captionPairFrames)
      try captions.read(
        request, picture, of: movie, fragments, earlierBy: delay, endingAt: end, in: context, from: source)
      tracks += captions.tracks
      warnings += captions.warnings
      if delay != nil, !captions.tracks.isEmpty { start = delay }
    } else if tracks.isEmpty, command.includesSubtitles {
      advice = try PictureCaptionExtraction.advice(about: movie.captionServices(fragments, in: source))
    }
    if let startTimecode, let format = command.captionFormat {
      for index in tracks.indices {
        tracks[index].timecodeStart = try startTimecode.start(of: tracks[index].file, as: format)
      }
    }
    if command.includesChapters, !tracks.isEmpty, !tracks.contains(where: \.isChapters) {
      warnings.append(
        Warning(code: "no-chapters", file: command.movie, message: "the movie has no chapters that can be extracted"))
    }
  }

  /// Returns the tracks with the selected IDs in the order of the movie. Without `--track`, returns all subtitle tracks, and
  /// chapters only on request.
  private static func chosen(_ command: ExtractCommand, _ ids: Set<UInt32>, in movie: Movie) -> [Track] {
    let chapters = movie.chapterTrackIDs
    return movie.tracks.filter { track in
      if ids.contains(track.id) { return true }
      if chapters.contains(track.id) { return command.includesChapters && TextTrackReader.canRead(track) }
      return command.includesSubtitles && track.mediaType.isLegible
    }
  }
}

/// The formats of extracted text.
enum SubtitleFormat: String, CaseIterable, Sendable {
  case subRip = "srt"
  case webVTT = "vtt"
  case scenarist = "scc"
  case macCaption = "mcc"
  case json

  /// The names of all formats as a list.
  static let list = "srt, vtt, scc, mcc or json"

  /// Returns the extension of a file name, or `nil` if it has no extension or the extension contains template fields.
  static func suffix(of fileName: String) -> String? {
    let name = fileName.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let suffix = name[name.index(after: dot)...]
    return suffix.isEmpty || suffix.contains(where: { "{}[]".contains($0) }) ? nil : String(suffix)
  }

  /// Returns the contents of a file with the track's cues, and notices about features that the format cannot express.
  func write(_ text: ExtractedTrack) -> SubtitleFile.Written {
    guard let fileFormat else { return text.json }
    return text.file.written(as: fileFormat, from: text.timecodeStart)
  }

  /// The format in the library, or `nil` for JSON.
  private var fileFormat: SubtitleFileFormat? {
    switch self {
    case .subRip: .subRip
    case .webVTT: .webVTT
    case .scenarist: .scenarist
    case .macCaption: .macCaption
    case .json: nil
    }
  }

  /// The format in the library if it contains time codes, or `nil` if it contains times.
  var captionFormat: SubtitleFileFormat? {
    self == .scenarist || self == .macCaption ? fileFormat : nil
  }
}
