import MovieBox
import Subtitles

/// Words that choose a track: `id:5`, `video`, `audio:2`, `subtitle:es`, `subtitle:en,sdh`.
struct TrackSelector: Hashable, Sendable {
  /// What a track is.
  enum Kind: String, CaseIterable, Sendable {
    case video, audio, subtitle, text, caption, timecode, metadata
  }

  /// What must hold of a track for the selector to match it.
  enum Choice: Hashable, Sendable {
    /// The track with this ID.
    case id(UInt32)
    /// A track of a kind; of those, the one at `position` (from 1), with this language and these roles.
    case kind(Kind, position: Int?, language: LanguageTag?, roles: Set<TrackRole>)
  }

  /// The selector as it was written.
  let text: String
  /// What it means.
  let choice: Choice

  /// The selector that `text` spells; throws a usage error that names what is wrong with it.
  init(_ text: String, option: String) throws(UsageError) {
    self.text = text
    let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let qualifiers = halves.count == 2 ? halves[1].split(separator: ",", omittingEmptySubsequences: false) : []
    if halves[0] == "id" {
      guard qualifiers.count == 1, let id = UInt32(digits: qualifiers[0]), id > 0 else {
        throw Self.error(option, text, "id: must be followed by a track ID")
      }
      choice = .id(id)
      return
    }
    // `inspect` lists the tracks as captions.
    guard let kind = halves[0] == "captions" ? .caption : Kind(rawValue: String(halves[0])) else {
      let words = halves[0].split(separator: ",", maxSplits: 1)
      if words.count == 2, halves.count == 1, Kind(rawValue: String(words[0])) != nil {
        throw Self.error(option, text, "did you mean \(words.joined(separator: ":"))?")
      }
      let nearest = Suggestion.nearest(to: String(halves[0]), among: Kind.allCases.map(\.rawValue))
      let question = nearest.map { "did you mean \($0)?" }
      throw Self.error(option, text, question ?? "write id:5, video, audio:2, subtitle:es or subtitle:en,sdh")
    }
    choice = try Self.choice(kind, qualifiers, text, option)
  }

  private static func choice(
    _ kind: Kind, _ qualifiers: [Substring], _ text: String, _ option: String
  ) throws(UsageError) -> Choice {
    var position: Int?
    var language: LanguageTag?
    var roles: Set<TrackRole> = []
    for qualifier in qualifiers {
      if let role = TrackRole(rawValue: qualifier.lowercased()) {
        roles.insert(role)
      } else if position == nil, let number = Int(digits: qualifier), number > 0 {
        position = number
      } else if language == nil, let tag = WrittenValue.language(String(qualifier)) {
        language = tag
      } else {
        throw error(option, text, "\"\(qualifier)\" is not a number from 1, language or role (\(roleNames))")
      }
    }
    return .kind(kind, position: position, language: language, roles: roles)
  }

  private static let roleNames = TrackRole.allCases.map(\.rawValue).joined(separator: ", ")
  private static let kindNames = Kind.allCases.map(\.rawValue).joined(separator: ", ")

  /// What help says of selectors that behave so: `matches one track`.
  static func notes(_ behaviour: String) -> [String] {
    let sentences = [
      "A SELECTOR is id:5, video, audio:2, subtitle:es or subtitle:en,sdh, and \(behaviour).",
      "Its kinds are \(kindNames); its roles \(roleNames).",
    ]
    return sentences.flatMap { TerminalText.wrapped($0.split(separator: " ").map(String.init)) }
  }

  private static func error(_ option: String, _ text: String, _ reason: String) -> UsageError {
    UsageError(.invalidValue, "--\(option) \(text): \(reason)")
  }
}
