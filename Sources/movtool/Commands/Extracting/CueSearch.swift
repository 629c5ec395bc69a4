import MovieBox
import MovieWriter
import Subtitles

/// The cues of a movie that hold a text, whatever the case of the letters and however their accents are written; a line
/// break counts as a blank.
struct CueSearch {
  private struct Match {
    let track: ExtractedTrack
    let cue: Cue
    /// The cue's text in one line.
    let line: String
  }

  private let warnings: [Warning]
  private let matches: [Match]
  private let start: MediaTime?

  /// Looks for `text` in all tracks; what is found comes in the order of time.
  init(_ text: String, _ extraction: Extraction) {
    let wanted = Wanted(text)
    var matches: [Match] = []
    for track in extraction.tracks {
      for cue in track.cues {
        let line = cue.text.text.split(separator: "\n").joined(separator: " ")
        if wanted.stands(in: line) {
          matches.append(Match(track: track, cue: cue, line: line))
        }
      }
    }
    self.matches = matches.enumerated().sorted {
      ($0.element.cue.startMilliseconds, $0.offset) < ($1.element.cue.startMilliseconds, $1.offset)
    }.map(\.element)
    warnings = extraction.warnings
    start = extraction.start
  }

  /// What is looked for.
  private struct Wanted {
    private let bytes: [UInt8]
    /// `nil` where comparing bytes suffices: each character has one encoding.
    private let characters: [Character]?

    init(_ text: String) {
      let text = text.lowercased()
      bytes = Array(text.utf8)
      characters = bytes.allSatisfy { $0 < 0x80 } ? nil : Array(text)
    }

    func stands(in line: String) -> Bool {
      let line = line.lowercased()
      if Self.holds(Array(line.utf8), bytes) { return true }
      // Characters are equal where they are canonically equivalent: é is one scalar or two.
      return characters.map { Self.holds(Array(line), $0) } ?? false
    }

    private static func holds<Unit: Equatable>(_ text: [Unit], _ wanted: [Unit]) -> Bool {
      guard let first = wanted.first, text.count >= wanted.count else { return false }
      for start in 0...text.count - wanted.count where text[start] == first {
        if text[start..<start + wanted.count].elementsEqual(wanted) { return true }
      }
      return false
    }
  }

  /// Shows the cues; "no" where there is none.
  func answer(about movie: String, asJSON: Bool, in context: Context) throws -> ExitCode {
    if asJSON {
      try context.printJSON { json in
        json.member("file", movie)
        write(to: &json)
      }
    } else {
      for warning in warnings { try context.warn(warning) }
      if let start, !matches.isEmpty { try context.say("note: " + start.subtractionNote) }
      try context.print(lines)
    }
    return matches.isEmpty ? .no : .done
  }

  /// Time, track and text of each.
  private var lines: [String] {
    matches.map { match in
      "\(timeText(milliseconds: match.cue.startMilliseconds))  \(match.track.id) \(match.track.name)  \(match.line)"
    }
  }

  private func write(to json: inout JSONWriter) {
    json.objects("matches", of: matches) { match, json in
      json.member("start", match.cue.startMilliseconds)
      json.member("end", match.cue.endMilliseconds)
      json.member("track", match.track.id)
      json.member("language", match.track.track.language?.description)
      json.member("name", match.track.name)
      json.member("text", match.cue.text.text)
    }
  }
}
