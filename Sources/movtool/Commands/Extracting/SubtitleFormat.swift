import MovieBox
import MovieWriter
import Subtitles

/// What extracted text is written as.
enum SubtitleFormat: String, CaseIterable, Sendable {
  case subRip = "srt"
  case webVTT = "vtt"
  case json

  /// What stands after the last point of a file's name; `nil` without one, and where a template fills it in.
  static func suffix(of fileName: String) -> String? {
    let name = fileName.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let suffix = name[name.index(after: dot)...]
    return suffix.isEmpty || suffix.contains(where: { "{}[]".contains($0) }) ? nil : String(suffix)
  }

  /// The file of a track's cues, and what the format cannot say of them.
  func write(_ text: ExtractedTrack) -> WrittenSubtitles {
    switch self {
    case .subRip: SubRipWriter.write(text.cues).adding(text.text.inexpressibleNotices)
    case .webVTT: WebVTTWriter.write(text.cues, text.text.webVTT)
    case .json: text.json.adding(text.text.inexpressibleNotices)
    }
  }
}

extension WrittenSubtitles {
  /// The same bytes, with further notices.
  fileprivate func adding(_ further: [SubtitleNotice]) -> WrittenSubtitles {
    WrittenSubtitles(bytes: bytes, notices: notices + further)
  }
}
