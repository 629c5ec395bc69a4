import Subtitles

/// Joins what samples show one after the other to cues: one that goes on in the next sample is one cue.
struct CueJoining {
  /// A cue by the clock of its media.
  struct MediaCue {
    let start: Int64
    var end: Int64
    let shown: ShownText
  }

  /// The cues, ordered by their starts.
  private(set) var cues: [MediaCue] = []
  /// The cues that the last sample showed, as indices of `cues`.
  private var current: [Int] = []

  /// Adds what a sample shows. Samples come in the order of their starts.
  mutating func add(_ shown: [ShownText], from start: Int64, to end: Int64) {
    let next = goingOn(shown, at: start)
    current.removeAll(keepingCapacity: true)
    for (text, index) in zip(shown, next) {
      if let index {
        cues[index].end = end
        current.append(index)
      } else {
        current.append(cues.count)
        cues.append(MediaCue(start: start, end: end, shown: text))
      }
    }
  }

  /// Which cue of the last sample goes on in each text, where one does.
  private func goingOn(_ shown: [ShownText], at start: Int64) -> [Int?] {
    if let only = shown.first, shown.count == 1, current.count == 1 {
      let last = cues[current[0]]
      return [last.end == start && last.shown == only ? current[0] : nil]
    }
    guard !shown.isEmpty, !current.isEmpty else { return Array(repeating: nil, count: shown.count) }
    // Of several that are equal, each goes on once, in their order.
    var waiting: [ShownText: [Int]] = [:]
    for index in current.reversed() where cues[index].end == start {
      waiting[cues[index].shown, default: []].append(index)
    }
    return shown.map { text in
      waiting.isEmpty ? nil : waiting[text]?.popLast()
    }
  }
}
