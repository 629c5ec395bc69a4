// Suggestions for mistyped words, and shell quoting of command lines in messages.

/// Finds the name that the user most likely meant.
enum Suggestion {
  /// Words of other programs, each with the movtool commands and options to suggest for it. The first name that is
  /// valid in the context is suggested.
  private static let synonyms: [String: [String]] = [
    // Commands.
    "info": ["inspect"], "show": ["inspect"], "list": ["inspect"], "ls": ["inspect"], "probe": ["inspect"],
    "streams": ["inspect"], "version": ["--version"], "tag": ["metadata"], "tags": ["metadata"],
    "title": ["metadata"], "strip": ["metadata"], "mux": ["add-subtitle"], "merge": ["add-track"],
    "import": ["add-track", "set"], "subtitle": ["add-subtitle"], "subtitles": ["extract"], "export": ["extract"],
    "convert": ["remux"], "faststart": ["remux"], "flatten": ["remux"], "edit": ["set"], "rename": ["set"],
    "delete": ["remove"], "drop": ["remove"], "rm": ["remove"], "shift": ["retime", "offset"], "sync": ["retime"],
    "check": ["validate"], "lint": ["validate"], "verify": ["validate"], "fix": ["validate"], "compare": ["diff"],
    "stream": ["hls"], "play": ["serve"], "player": ["html"],
    // Options.
    "output": ["o"], "out": ["o"], "outfile": ["o"], "overwrite": ["force"], "name": ["title"], "delay": ["offset"],
    "charset": ["encoding"], "tracks": ["track"], "simulate": ["dry-run"], "fps": ["from-fps"],
    "framerate": ["from-fps"], "frame-rate": ["from-fps"], "input-fps": ["from-fps"], "output-fps": ["to-fps"],
    "segment-duration": ["duration"], "segment-time": ["duration"], "segment-length": ["duration"],
    "hls-time": ["duration"], "hls_time": ["duration"], "target-duration": ["duration"], "lang": ["language"],
    "prefer-voiceover": ["prefer-description"], "prefer-voice-over": ["prefer-description"],
    "prefer-audio-description": ["prefer-description"], "prefer-descriptions": ["prefer-description"],
    "prefer-captions": ["prefer-sdh"], "prefer-cc": ["prefer-sdh"], "prefer-hi": ["prefer-sdh"],
    "closed-captioning": ["prefer-sdh", "sdh"], "voiceover": ["prefer-description", "describes-video"],
    "cover": ["artwork"], "poster": ["artwork"], "gps": ["gpx", "location"], "place": ["location"],
    "date": ["creation-date"], "recover": ["salvage"], "rescue": ["salvage"], "clean": ["compact"],
    "unfragment": ["flatten"], "web": ["fast-start"], "stretch": ["scale"], "speed": ["scale"],
    "shift-subtitles": ["offset"], "timecode": ["timecode-base"],
    "start-timecode": ["timecode-base"], "recursive": ["pair"], "anonymize": ["for-sharing"],
    "search": ["grep"], "atom": ["atoms"], "boxes": ["atoms"], "cors": ["allow-origin"], "host": ["bind"],
    "address": ["bind"], "y": ["force"], "f": ["format"],
    // Roles, and the flags that abbreviate them.
    "cc": ["sdh"], "hi": ["sdh"], "hoh": ["sdh"], "captions": ["sdh"], "closed-captions": ["sdh"],
    "ad": ["describes-video"], "audio-description": ["describes-video"], "foreign": ["forced"],
    "signs": ["forced"], "director": ["commentary"], "dubbed": ["dub"],
  ]

  /// Returns the end of a message about an unknown word: a suggested name, or `otherwise` if no name is likely.
  /// `spelling` converts a name to its form on the command line.
  static func clause(
    for word: String, among candidates: [String], otherwise: String = "", spelling: (String) -> String = { $0 }
  ) -> String {
    nearest(to: word, among: candidates).map { "; did you mean \(spelling($0))?" } ?? otherwise
  }

  /// Returns the candidate that performs the task of `word` in another program, or `nil` if there is none.
  static func synonym(of word: String, among candidates: [String]) -> String? {
    synonyms[word.lowercased()]?.first { candidates.contains($0) }
  }

  /// Returns the candidate that is most similar to `word`, or `nil` if no candidate is similar.
  ///
  /// A name that begins with `word` is the most similar. In other names, up to a third of the letters (at least one)
  /// may be wrong, missing, superfluous, or swapped with the next letter.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    if let synonym = synonym(of: word, among: candidates) { return synonym }
    let word = word.lowercased()
    if word.count > 1, let longer = candidates.filter({ $0.hasPrefix(word) }).min(by: { $0.count < $1.count }) {
      return longer
    }
    var bestMatch: (name: String, distance: Int)?
    for candidate in candidates {
      let distance = editDistance(from: Array(word), to: Array(candidate))
      let allowed = max(1, max(word.count, candidate.count) / 3)
      guard distance <= allowed, distance < candidate.count else { continue }
      if bestMatch.map({ distance < $0.distance }) ?? true { bestMatch = (candidate, distance) }
    }
    return bestMatch?.name
  }

  /// Returns the smallest number of letters that must be changed, added, removed, or swapped with the next letter, to
  /// turn one word into the other (optimal string alignment distance).
  ///
  /// Takes time proportional to the product of the lengths. No name in movtool has more than 64 letters.
  static func editDistance(from first: [Character], to second: [Character]) -> Int {
    guard first.count <= 64, second.count <= 64 else { return max(first.count, second.count) }
    guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for i in 1...first.count {
      var row = [i]
      for j in 1...second.count {
        let change = last[j - 1] + (first[i - 1] == second[j - 1] ? 0 : 1)
        var least = min(change, last[j] + 1, row[j - 1] + 1)
        if i > 1, j > 1, first[i - 1] == second[j - 2], first[i - 2] == second[j - 1] {
          least = min(least, beforeLast[j - 2] + 1)
        }
        row.append(least)
      }
      beforeLast = last
      last = row
    }
    return last[second.count]
  }
}

/// Quotes texts as words of a command line that can be pasted into a shell.
enum ShellWord {
  /// Returns the name of a file, with `./` before a name that looks like an option.
  static func path(_ name: some StringProtocol) -> String {
    quoted((name.hasPrefix("-") ? "./" : "") + name)
  }

  /// Returns the text unchanged if it has no special meaning in a shell, or else in single quotes.
  static func quoted(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": true
      default: "-_./:,+@%".unicodeScalars.contains(scalar)
      }
    }
    guard !isPlain || text.isEmpty else { return text }
    // Scalars are examined, because a quote and a following combining mark are one character in Swift but not in a
    // shell.
    var quoted = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "'"
  }
}
