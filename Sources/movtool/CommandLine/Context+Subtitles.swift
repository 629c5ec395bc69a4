import MovieBox
import Subtitles

extension Context {
  /// Reads a file of subtitles, whose format its bytes say.
  func subtitles(of file: String, encoding: TextEncoding? = nil, language: LanguageTag?) throws -> SubtitleFile {
    do {
      let bytes = try contents(of: file, atMost: limits.subtitles.fileByteCount, "a subtitle file") { source in
        try Self.requireText(source.signature())  // Before a film of gigabytes is found too long.
      }
      return try subtitles(in: bytes, of: file, encoding, language)
    } catch {
      throw ToolError(error, about: file)
    }
  }

  private func subtitles(
    in bytes: Bytes, of file: String, _ encoding: TextEncoding?, _ language: LanguageTag?
  ) throws(SubtitleError) -> SubtitleFile {
    let format = FileSignature(bytes)
    try Self.requireText(format)
    do throws(SubtitleError) {
      return try SubtitleFile.read(
        bytes.array, named: file, encoding: encoding, language: language?.description, limits: limits.subtitles)
    } catch {
      // Only then: lines of SubRip may look like another format.
      guard error.code == .noCues, let format, !format.isReadableSubtitles, format != .text else { throw error }
      throw Self.wrongFormat(format)
    }
  }

  /// Refuses what is known to be no text, such as a movie.
  private static func requireText(_ format: FileSignature?) throws(SubtitleError) {
    if let format, !format.isText { throw wrongFormat(format) }
  }

  private static func wrongFormat(_ format: FileSignature) -> SubtitleError {
    let known = SubtitleFileFormat.allCases.map { "\($0.rawValue) (\($0.fileNameSuffix))" }
    return SubtitleError(.format, "\(format.rawValue); subtitles are read from \(known.joined(separator: " and "))")
  }
}
