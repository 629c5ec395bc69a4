import MovieBox
import MovieWriter
import Subtitles

/// The request to extract closed captions from pictures.
struct PictureCaptionRequest: Equatable, Sendable {
  /// The names of the channels on the command line.
  static let words = CaptionChannel.allCases.map(\.word)

  /// The channels, or empty for all channels with captions.
  let channels: [CaptionChannel]
  /// Whether the user requested captions by `--captions`. Otherwise, `--all` includes them.
  let isExplicit: Bool

  /// Reads `--captions` and `--all`, or returns `nil` if neither is specified.
  init?(_ arguments: Arguments) throws(UsageError) {
    isExplicit = arguments.contains("captions")
    guard isExplicit || arguments.contains("all") else { return nil }
    let list = arguments.value("captions")
    // A list with an unknown channel is read as the name of a movie.
    if list == nil, arguments.operands.count > 1, let word = arguments.operands.first(where: Self.resemblesList) {
      throw Self.unknownChannel(word)
    }
    var channels: [CaptionChannel] = []
    for part in list?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      guard let channel = CaptionChannel.allCases.first(where: { $0.word == part.lowercased() }) else {
        throw Self.unknownChannel(list ?? "")
      }
      if !channels.contains(channel) { channels.append(channel) }
    }
    self.channels = channels
  }

  /// Whether a word looks like a list of channels: `cc9`, `cc1,cc5`, `cc1, cc3` or `t1`.
  private static func resemblesList(_ word: String) -> Bool {
    let entries = entries(of: word)
    return !entries.isEmpty
      && entries.allSatisfy { entry in
        let digits = entry.hasPrefix("cc") ? entry.dropFirst(2) : entry.hasPrefix("t") ? entry.dropFirst() : ""
        return !digits.isEmpty && digits.allSatisfy(\.isNumber)
      }
  }

  /// Returns the entries of a list in lower case, without the blanks between them.
  private static func entries(of list: String) -> [Substring] {
    list.lowercased().split { $0 == "," || $0 == " " }
  }

  private static func unknownChannel(_ list: String) -> UsageError {
    let names = entries(of: list)
    let channels = words.joined(separator: ", ")
    let reason =
      if !names.isEmpty, names.allSatisfy({ words.contains(String($0)) }) {
        "separate the channels only by commas: \(names.joined(separator: ","))"
      } else if names.contains(where: { ["t1", "t2", "t3", "t4"].contains($0) }) {
        "T1 to T4 contain text that movtool does not extract; specify channels, separated by commas: \(channels)"
      } else {
        "specify channels, separated by commas: \(channels)"
      }
    return UsageError(.invalidValue, "--captions \(ShellWord.path(list)): \(reason)")
  }
}

extension CaptionChannel {
  /// The name on the command line, from `cc1` to `cc4`.
  var word: String { rawValue.lowercased() }
  /// The role in file names: `cc` for the first channel, and `cc2` to `cc4` for the other channels.
  var role: String { self == .cc1 ? "cc" : word }
}

extension ExtractedTrack {
  /// Returns the name of the captions of a channel, such as `English CC1`.
  func pictureName(_ channel: CaptionChannel) -> String {
    [track.language?.englishName, channel.rawValue].compactMap(\.self).joined(separator: " ")
  }
}

/// The closed captions that were extracted from the pictures of a movie.
struct PictureCaptionExtraction {
  private(set) var tracks: [ExtractedTrack] = []
  private(set) var warnings: [Warning] = []

  private let file: String
  /// Whether each line of roll-up captions is extracted only once.
  private let unrolls: Bool
  /// The kind of frame that is the unit for the times of caption byte pairs, or `nil` for formats without byte pairs.
  private let pairFrames: CaptionPairFrames?

  /// Prepares the extraction from the movie `file`.
  init(file: String, unrolls: Bool, pairFrames: CaptionPairFrames?) {
    self.file = file
    self.unrolls = unrolls
    self.pairFrames = pairFrames
  }

  /// Reads the captions in the pictures of a track. `delay` is subtracted from their times, unless it is `nil`.
  mutating func read(
    _ request: PictureCaptionRequest, _ track: Track, of movie: Movie, _ fragments: MovieFragments?,
    earlierBy delay: MediaTime?, endingAt end: Int64?, in context: Context, from source: some RandomAccessSource
  ) throws {
    guard PictureCaptionReader.canRead(track, of: movie) else {
      let formats = track.formats.map(\.description).joined(separator: ", ")
      warn(
        request, track,
        "track \(track.id) contains \(formats); only pictures of H.264 and HEVC are searched for captions")
      return
    }
    let shown = delay.map { track.presented(earlierBy: $0, movieTimeScale: movie.header.timeScale) } ?? track
    let captions = try PictureCaptionReader(
      shown, of: movie, fragments: fragments, endingAt: end, limits: context.limits.subtitles
    ).read(from: source) { try context.checkStop() }
    let found = captions.channels
    let channels = request.channels.isEmpty ? found : request.channels
    for channel in channels where found.contains(channel) {
      var text = try captions.text(of: channel, pairsIn: pairFrames)
      text.limitCaptions(to: channel)
      // Damaged pictures concern all channels, so only the first channel keeps the notices about them. A notice about
      // other channels is superfluous: the user selected channels, or all channels are extracted.
      let isFirst = tracks.isEmpty
      text.keepNotices { $0.kind != .otherServices && (isFirst || $0.kind != .damagedSample) }
      var extracted = ExtractedTrack(track, isChapters: false, text, unrolls: unrolls)
      extracted.pictureChannel = channel
      extracted.isRequestedExplicitly = request.isExplicit
      tracks.append(extracted)
    }
    // Add the notices here only if no channel was extracted, because the text of a channel contains them.
    if request.isExplicit, !channels.contains(where: found.contains) {
      warnings += captions.notices.finished.map { Warning($0, file, trackID: track.id) }
    }
    let names = captions.serviceNames.joined(separator: ", ")
    for channel in channels where !found.contains(channel) {
      let others = names.isEmpty ? "" : "; the pictures of track \(track.id) contain \(names)"
      warn(request, track, "\(channel.rawValue) shows no captions\(others)")
    }
    guard found.isEmpty, channels.isEmpty else { return }
    if let services = Self.names(ofDigitalServices: captions.digitalServices) {
      warn(
        request, track, "the pictures contain only CEA-708 captions (\(services)); movtool decodes only CEA-608")
    } else {
      warn(request, track, "the pictures of track \(track.id) contain no closed captions")
    }
  }

  /// Adds a warning if the user requested captions by `--captions`.
  private mutating func warn(_ request: PictureCaptionRequest, _ track: Track, _ message: String) {
    guard request.isExplicit else { return }
    warnings.append(Warning(code: "no-captions", file: file, trackID: track.id, message: message))
  }

  /// Returns advice on how to extract captions from pictures, or `nil` if no pictures contain captions.
  static func advice(about services: CaptionServices?) -> String? {
    guard let services else { return nil }
    if !services.channelNames.isEmpty {
      let names = services.names.joined(separator: ", ")
      return "its pictures contain closed captions (\(names)): extract them with --captions"
    }
    return names(ofDigitalServices: services.digitalNumbers).map {
      "its pictures contain only CEA-708 captions (\($0)); movtool decodes only CEA-608"
    }
  }

  /// Returns the IDs of the tracks that the selectors match. If a selector for captions matches no track, but the
  /// pictures of the movie contain captions, the error contains `advice`.
  ///
  /// - Parameters:
  ///   - services: the services in the pictures. They are searched only after an error.
  ///   - advice: the advice, for the names of the services.
  static func ids(
    of selectors: [TrackSelector], among candidates: [EditedTrack],
    services: () throws -> CaptionServices?, advice: (_ names: String) -> String
  ) throws -> Set<UInt32> {
    do {
      return try TrackSelector.ids(of: selectors, among: candidates, option: "track")
    } catch {
      guard error.code == .noMatch, selectors.contains(where: \.selectsCaptions),
        !candidates.contains(where: { $0.mediaType == .closedCaption }), let names = try services()?.channelNames,
        !names.isEmpty
      else { throw error }
      throw UsageError(.noMatch, "\(error.message); \(advice(names.joined(separator: ", ")))")
    }
  }

  private static func names(ofDigitalServices numbers: [Int]) -> String? {
    guard let first = numbers.first else { return nil }
    return numbers.count == 1 ? "service \(first)" : "services \(numbers.map(String.init).joined(separator: ", "))"
  }
}
