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

/// What subtitles show, and when.
struct ShownTexts {
  /// The times of a text, by their starts.
  private struct Times {
    var start: Int64
    /// The last end of these and of those before.
    var end: Int64
  }

  private let times: [String: [Times]]

  /// What cues show.
  init(_ cues: [Cue]) {
    var times: [String: [Times]] = [:]
    for cue in cues.sorted(by: { $0.startMilliseconds < $1.startMilliseconds }) {
      let words = Self.words(cue)
      let end = max(cue.endMilliseconds, times[words]?.last?.end ?? cue.endMilliseconds)
      times[words, default: []].append(Times(start: cue.startMilliseconds, end: end))
    }
    self.times = times
  }

  /// Whether the words of a cue are shown at some moment of its time, in whatever style and lines.
  func contains(_ cue: Cue) -> Bool {
    let own = times[Self.words(cue)] ?? []
    let next = own.partitioningIndex { $0.start >= cue.endMilliseconds }
    return next > 0 && own[next - 1].end > cue.startMilliseconds
  }

  private static func words(_ cue: Cue) -> String {
    cue.text.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
