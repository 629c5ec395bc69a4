import MovieBox
import MovieWriter
import Subtitles

/// The result of `extract --grep`: the cues of a movie that contain a text.
///
/// Case is ignored. Canonically equivalent characters are equal, and a line break equals a space. If the searched text
/// is ASCII, only bytes are compared, because splitting texts into characters is slow.
struct CueSearch {
  private struct Match {
    let track: ExtractedTrack
    let cue: Cue
    /// The cue's text in one line.
    let line: String
  }

  private let text: String
  /// Whether the movie has tracks to search.
  private let hasTracks: Bool
  private let warnings: [Warning]
  private let matches: [Match]
  private let start: MediaTime?
  /// Advice for a movie without tracks to search, or `nil` if there is no advice.
  private let advice: String?

  /// Searches all tracks for `text` and sorts the matches by time.
  init(_ text: String, _ extraction: Extraction) {
    let searchText = SearchText(text)
    self.text = text
    hasTracks = !extraction.tracks.isEmpty
    var matches: [Match] = []
    for track in extraction.tracks {
      for cue in track.cues {
        let line = cue.text.text.split(separator: "\n").joined(separator: " ")
        if searchText.occurs(in: line) {
          matches.append(Match(track: track, cue: cue, line: line))
        }
      }
    }
    self.matches = matches.enumerated().sorted {
      ($0.element.cue.startMilliseconds, $0.offset) < ($1.element.cue.startMilliseconds, $1.offset)
    }.map(\.element)
    warnings = extraction.warnings
    start = extraction.start
    advice = extraction.advice
  }

  /// The text to find.
  private struct SearchText {
    private let bytes: [UInt8]
    /// The characters of the text. `nil` if the text is ASCII, because comparing bytes is then sufficient.
    private let characters: [Character]?

    init(_ text: String) {
      let text = text.lowercased()
      bytes = Array(text.utf8)
      characters = bytes.allSatisfy { $0 < 0x80 } ? nil : Array(text)
    }

    func occurs(in line: String) -> Bool {
      let line = line.lowercased()
      if Self.contains(bytes, in: Array(line.utf8)) { return true }
      // Equal characters can have different bytes. For example, é consists of one scalar or of two scalars.
      return characters.map { Self.contains($0, in: Array(line)) } ?? false
    }

    private static func contains<Unit: Equatable>(_ searched: [Unit], in text: [Unit]) -> Bool {
      guard let first = searched.first, text.count >= searched.count else { return false }
      for start in 0...text.count - searched.count where text[start] == first {
        if text[start..<start + searched.count].elementsEqual(searched) { return true }
      }
      return false
    }
  }

  /// Prints the matches. Returns the exit code 1 if there are no matches. `contentName` is the kind of text that was
  /// searched, such as `subtitles`.
  func answer(about movie: String, _ contentName: String, asJSON: Bool, in context: Context) throws -> ExitCode {
    if asJSON {
      try context.printJSON { json in
        json.member("file", movie)
        write(to: &json)
      }
    } else {
      for warning in warnings { try context.warn(warning) }
      if matches.isEmpty {
        let end = advice.map { "; " + $0 } ?? ""
        try context.printMessage(
          hasTracks ? "no cue of \(movie) matches \"\(text)\"" : "\(movie) has no \(contentName) to search\(end)")
      }
      if let start, !matches.isEmpty { try context.printMessage("note: " + start.subtractionNote) }
      try context.print(lines)
    }
    return matches.isEmpty ? .no : .done
  }

  /// The lines of the text output: time, track and text of each match.
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
