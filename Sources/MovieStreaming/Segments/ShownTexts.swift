import MovieBox
import Subtitles

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
