import MovieBox
import MovieWriter
import Subtitles

extension Context {
  /// Reads a subtitle file and recognizes its format from the contents.
  func subtitles(
    of file: String, encoding: TextEncoding? = nil, language: LanguageTag?, partMilliseconds: Int64? = nil,
    channel: CaptionChannel? = nil
  ) throws -> SubtitleFile {
    do {
      let bytes = try contents(of: file, atMost: limits.subtitles.fileByteCount, "a subtitle file") { source in
        // The format is checked before the size, because an error about the size of a large movie would be misleading.
        try Self.requireText(source.signature())
      }
      var subtitles = try subtitles(in: bytes, of: file, encoding, language, partMilliseconds, channel)
      for index in subtitles.notices.indices {
        switch subtitles.notices[index].kind {
        case .clockRestart:
          subtitles.notices[index].message += "; --part-duration SECONDS appends each part to the previous part"
        case .rollingCaptions: subtitles.notices[index].message += "; --unroll shows each line once"
        default: break
        }
      }
      return subtitles
    } catch {
      throw ToolError(error, about: file)
    }
  }

  private func subtitles(
    in bytes: Bytes, of file: String, _ encoding: TextEncoding?, _ language: LanguageTag?, _ partMilliseconds: Int64?,
    _ channel: CaptionChannel?
  ) throws(SubtitleError) -> SubtitleFile {
    let format = FileSignature(bytes)
    try Self.requireText(format)
    do throws(SubtitleError) {
      return try SubtitleFile.read(
        bytes.array, named: file, encoding: encoding, language: language?.description,
        partMilliseconds: partMilliseconds, channel: channel, limits: limits.subtitles)
    } catch {
      // Other formats are checked only after SubRip failed, because lines of SubRip can resemble another format.
      guard error.code == .noCues || error.code == .format, let format, !format.isReadableSubtitles, format != .text
      else { throw error }
      throw Self.unsupportedFormat(format)
    }
  }

  /// Throws if the format is known not to be text, such as a movie.
  private static func requireText(_ format: FileSignature?) throws(SubtitleError) {
    if let format, !format.isText { throw unsupportedFormat(format) }
  }

  private static func unsupportedFormat(_ format: FileSignature) -> SubtitleError {
    let formats = SubtitleFileFormat.allCases.map { "\($0.rawValue) (\($0.fileNameSuffix))" }
    let list = formats.dropLast().joined(separator: ", ") + formats.suffix(1).map { " and \($0)" }.joined()
    return SubtitleError(.format, "cannot read \(format.rawValue); the supported subtitle formats are \(list)")
  }
}

extension SubtitleFile {
  /// Whether the file contains channels of captions.
  var hasChannels: Bool { captions != nil }

  /// Throws if the file contains no channel that `--channel` could select.
  func requireChannels(for channel: CaptionChannel, in name: String) throws(UsageError) {
    guard !hasChannels else { return }
    throw UsageError(
      .conflict, "--channel \(channel.word): \(name) contains no channels; only SCC and MCC files do")
  }

  /// Removes the repeated lines of roll-up captions if `isWanted`, and returns notices about the result.
  mutating func unroll(_ isWanted: Bool, _ name: String) -> [EditNotice] {
    guard isWanted else { return [] }
    let count = cues.count
    let result = unrolled()
    func lineCount(_ cues: [Cue]) -> Int { cues.reduce(0) { $0 + $1.lineCount } }
    guard lineCount(result.cues) < lineCount(cues) else {
      return [EditNotice(.nothingToDo, "--unroll has no effect: no cue of \(name) repeats lines of the previous cue")]
    }
    // In SCC and MCC files, each rolled-up line already begins a new cue, so the number of cues may be unchanged.
    let shortenedCount = zip(cues, result.cues).count { $1.lineCount < $0.lineCount }
    let change =
      result.cues.count < count
      ? "\(counted(count, "cue")) with rolling captions became \(counted(result.cues.count, "cue"))"
      : "\(counted(shortenedCount, "cue")) with rolling captions lost \(shortenedCount == 1 ? "its" : "their") "
        + "repeated lines"
    self = result
    return [EditNotice(.unrolled, "\(name): \(change); each line is shown once")]
  }
}

extension Cue {
  /// The number of lines that are not empty.
  fileprivate var lineCount: Int { text.text.split(separator: "\n").count }
}
