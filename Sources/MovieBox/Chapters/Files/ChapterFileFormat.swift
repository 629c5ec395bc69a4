/// The formats of files that list chapters.
public enum ChapterFileFormat: String, Hashable, Sendable, CaseIterable {
  /// WebVTT, of which each cue is a chapter (`kind="chapters"` in HTML).
  case webVTT = "vtt"
  /// The text that OGM tools began with: `CHAPTER01=00:00:00.000`, `CHAPTER01NAME=…`.
  case ogm
  /// The text of mp4chaps: a time and a title in each line.
  case mp4chaps
  /// ffmpeg's metadata (`;FFMETADATA1`).
  case ffmetadata
  /// The JSON of HTTP Live Streaming (`com.apple.hls.chapters`).
  case hls
  /// The JSON of podcasts (Podcasting 2.0, "JSON Chapters").
  case podcast
  /// The XML of mkvmerge.
  case matroska

  /// Whether it holds titles in several languages.
  var hasLanguages: Bool { self == .hls || self == .matroska }

  /// Whether it names the pictures of chapters.
  package var namesPictures: Bool { self == .hls || self == .podcast }
}
