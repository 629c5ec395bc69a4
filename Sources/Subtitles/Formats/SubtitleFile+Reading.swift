/// The formats that subtitle files are read in.
public enum SubtitleFileFormat: String, Hashable, Sendable, CaseIterable {
  /// SubRip (`.srt`).
  case subRip = "SubRip"
  /// WebVTT (`.vtt`).
  case webVTT = "WebVTT"

  /// How the names of such files end, with the point.
  public var fileNameSuffix: String {
    switch self {
    case .subRip: ".srt"
    case .webVTT: ".vtt"
    }
  }

  /// The format that a file's name says; `nil` where it says none.
  public init?(fileName: String) {
    let name = fileName.lowercased()
    guard let format = Self.allCases.first(where: { name.hasSuffix($0.fileNameSuffix) }) else { return nil }
    self = format
  }
}

extension SubtitleFile {
  /// Reads a subtitle file in whichever format it is: the first line tells, not the name.
  ///
  /// Where `name` says another format than the file is in, a notice says so; a file with the name of WebVTT but without
  /// its first line is read as the SubRip that it mostly is. `encoding` is what the file is said to be in, else it is
  /// found out; `language`, a BCP 47 tag, helps with that. `partMilliseconds` is for WebVTT files that were put
  /// together into one, and begin their times again at each `WEBVTT` line: the duration of each, by which the next is
  /// moved. Throws ``SubtitleError`` with the line where it is known: of bytes that are no text, of a file without a
  /// cue that is shown, beyond `limits`.
  ///
  ///     let file = try SubtitleFile.read(bytes, named: "film.en.vtt")
  public static func read(
    _ bytes: [UInt8], named name: String? = nil, encoding: TextEncoding? = nil, language: String? = nil,
    partMilliseconds: Int64? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    let text = try SubtitleText(bytes, encoding: encoding, language: language, limits: limits)
    let format: SubtitleFileFormat = WebVTTReader.isWebVTT(text.utf8) ? .webVTT : .subRip
    let named = name.flatMap { SubtitleFileFormat(fileName: $0) }
    var file: SubtitleFile
    do throws(SubtitleError) {
      file =
        try format == .webVTT
        ? WebVTTReader.read(text, partMilliseconds: partMilliseconds, limits: limits)
        : SubRipReader.read(text, limits: limits)
    } catch {
      guard named == .webVTT, format == .subRip, error.code == .noCues else { throw error }
      throw WebVTTReader.missingSignature
    }
    if let named, named != format {
      let notice = SubtitleNotice(
        line: 1, kind: .otherFormat,
        message: "named \(named.fileNameSuffix), but it is \(format.rawValue), and read as that")
      file.notices.insert(notice, at: 0)
    }
    if file.hasRollingCaptions {
      file.notices.append(
        SubtitleNotice(
          line: file.cues.first?.line ?? 0, kind: .rollingCaptions,
          message: "captions roll up: most cues repeat a line of the one before"))
    }
    return file
  }
}
