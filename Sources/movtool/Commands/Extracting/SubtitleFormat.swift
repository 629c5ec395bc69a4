import MovieBox
import MovieWriter

/// What extracted text is written as.
enum SubtitleFormat: String, CaseIterable, Sendable {
  case subRip = "srt"
  case webVTT = "vtt"
  case json

  /// The format that the end of a file's name tells; `nil` for others.
  init?(fileName: String) {
    guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    self.init(rawValue: fileName[fileName.utf8.index(after: dot)...].lowercased())
  }

  /// The file of a track's cues, and what the format cannot say of them.
  func write(_ text: ExtractedTrack) -> WrittenSubtitles {
    switch self {
    case .subRip: SubRipWriter.write(text.cues)
    case .webVTT: WebVTTWriter.write(text.cues)
    case .json: text.json
    }
  }
}
