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
  func write(_ text: ExtractedTrack) -> SubtitleFile.Written {
    switch self {
    case .subRip: text.text.file.written(as: .subRip)
    case .webVTT: text.text.file.written(as: .webVTT)
    case .json: text.json
    }
  }
}
