import MovieBox
import Subtitles

/// What must be read although subtitles are off: some cues of full subtitles, which players show by themselves.
struct ForcedCueSets {
  /// The languages that have a track of nothing else.
  private let languages: Set<LanguageTag?>

  init(among tracks: [Track]) {
    languages = Set(tracks.filter(\.containsOnlyForcedSubtitles).map(\.language))
  }

  /// The forced cues of full subtitles; `nil` where there are none, where a track of the language has nothing else, and
  /// for the deaf, whose subtitles are on.
  func part(of file: SubtitleFile, _ track: Track) -> SubtitleFile? {
    if track.containsOnlyForcedSubtitles || track.isSDH || languages.contains(track.language) { return nil }
    let indices = file.cues.indices.filter { file.cues[$0].isForced }
    guard !indices.isEmpty else { return nil }
    var forced = SubtitleFile(cues: indices.map { file.cues[$0] }, notices: [])
    if let source = file.webVTT, source.cues.count == file.cues.count {
      forced.webVTT = WebVTTSource(header: source.header, cues: indices.map { source.cues[$0] })
    }
    return forced
  }
}
