import MovieBox
package import Subtitles

/// The forced cues in tracks of full subtitles. Players show forced cues even if subtitles are off.
struct ForcedCueSets {
  /// The languages that have a forced-only track.
  private let languages: Set<LanguageTag?>

  init(among tracks: [Track]) {
    languages = Set(tracks.filter(\.containsOnlyForcedSubtitles).map(\.language))
  }

  /// Returns the forced cues of a full subtitle track. Returns `nil` if the track has none, if its language has a
  /// forced-only track, or if the track is SDH.
  func forcedCues(of file: SubtitleFile, _ track: Track) -> SubtitleFile? {
    if track.containsOnlyForcedSubtitles || track.isSDH || languages.contains(track.language) { return nil }
    let indices = file.cues.indices.filter { file.cues[$0].isForced }
    guard !indices.isEmpty else { return nil }
    var forcedFile = SubtitleFile(cues: indices.map { file.cues[$0] }, notices: [])
    if let source = file.webVTT, source.cues.count == file.cues.count {
      forcedFile.webVTT = WebVTTSource(header: source.header, cues: indices.map { source.cues[$0] })
    }
    return forcedFile
  }
}

/// The texts of cues, with the times at which they are shown.
package struct ShownTexts {
  /// A time span of a text. The spans are sorted by start.
  private struct TimeSpan {
    var start: Int64
    /// The latest end of this span and all earlier spans.
    var end: Int64
  }

  private let times: [String: [TimeSpan]]

  /// Collects the texts of cues.
  package init(_ cues: [Cue]) {
    var times: [String: [TimeSpan]] = [:]
    for cue in cues.sorted(by: { $0.startMilliseconds < $1.startMilliseconds }) {
      let words = Self.normalizedText(of: cue)
      let end = max(cue.endMilliseconds, times[words]?.last?.end ?? cue.endMilliseconds)
      times[words, default: []].append(TimeSpan(start: cue.startMilliseconds, end: end))
    }
    self.times = times
  }

  /// Whether the text of a cue is shown at any time during the cue. Style and line breaks are ignored.
  package func contains(_ cue: Cue) -> Bool {
    let timesOfText = times[Self.normalizedText(of: cue)] ?? []
    let next = timesOfText.partitioningIndex { $0.start >= cue.endMilliseconds }
    return next > 0 && timesOfText[next - 1].end > cue.startMilliseconds
  }

  private static func normalizedText(of cue: Cue) -> String {
    cue.text.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
