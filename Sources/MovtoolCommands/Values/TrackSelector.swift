import MovieBox
import MovieWriter
import Subtitles

/// A selector that chooses tracks by ID, or by kind, position, language and roles: `id:5`, `video`, `audio:2`,
/// `subtitle:es`, `subtitle:en,sdh`.
///
/// A selector matches any number of tracks. A command that requires a single track calls
/// ``track(among:kind:option:preferring:)``. If this method fails, its error lists the candidates, so that the user can
/// write a better selector.
struct TrackSelector: Hashable, Sendable {
  /// The kind of a track.
  enum Kind: String, CaseIterable, Sendable {
    case video, audio, subtitle, text, caption, timecode, metadata
  }

  /// The condition that a track must meet.
  enum Choice: Hashable, Sendable {
    /// The track with this ID.
    case id(UInt32)
    /// The tracks of a kind that have this language and all of these roles. With a `position`, only the track at this
    /// position among them, from 1.
    case kind(Kind, position: Int?, language: LanguageTag?, roles: Set<TrackRole>)
  }

  /// The selector as it was written.
  let text: String
  /// The parsed selector.
  let choice: Choice

  /// Parses a selector. The error for invalid text contains `option`.
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
    // `inspect` calls caption tracks `captions`, so this word is accepted as well as `caption`.
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
        throw error(option, text, "\"\(qualifier)\" is not a positive number, a language or a role (\(roleNames))")
      }
    }
    return .kind(kind, position: position, language: language, roles: roles)
  }

  private static let roleNames = TrackRole.allCases.map(\.rawValue).joined(separator: ", ")
  private static let kindNames = Kind.allCases.map(\.rawValue).joined(separator: ", ")

  /// Returns the lines of help about selectors. `behavior` is a predicate such as `matches one track`.
  static func notes(_ behavior: String) -> [String] {
    let sentences = [
      "A SELECTOR is id:5, video, audio:2, subtitle:es or subtitle:en,sdh. It \(behavior).",
      "Kinds: \(kindNames).", "Roles: \(roleNames).",
    ]
    return sentences.flatMap { TerminalText.wrapped($0.split(separator: " ").map(String.init)) }
  }

  private static func error(_ option: String, _ text: String, _ reason: String) -> UsageError {
    UsageError(.invalidValue, "--\(option) \(text): \(reason)")
  }
}

extension TrackSelector {
  /// Returns the single track among `candidates` that the selector matches. Throws if it does not match exactly one
  /// track.
  ///
  /// - Parameters:
  ///   - kind: the kind of candidates that the error names, such as "audio track".
  ///   - file: the movie that the error names, or `nil` if the command reads only one movie.
  ///   - isPreferred: returns whether a track is preferred. If several tracks match, the only preferred track is
  ///     returned.
  func track(
    among candidates: [EditedTrack], kind: String, of file: String? = nil, option: String,
    preferring isPreferred: (EditedTrack) -> Bool = { _ in true }
  ) throws(UsageError) -> EditedTrack {
    var matches = matches(among: candidates)
    if matches.contains(where: isPreferred) { matches = matches.filter(isPreferred) }
    if let first = matches.first, matches.count == 1 { return first }
    let all = matches.isEmpty ? candidates : matches
    let list = all.isEmpty ? "there is none" : all.lines
    let origin = file.map { " of \($0)" } ?? ""
    guard matches.isEmpty else {
      throw UsageError(.ambiguous, "--\(option) \(text) matches several tracks\(origin): \(list)")
    }
    throw UsageError(.noMatch, "--\(option) \(text) matches no \(kind)\(origin): \(list)")
  }

  /// Returns the IDs of the tracks that the selectors match. Throws if a selector matches no track.
  static func ids(
    of selectors: [TrackSelector], among candidates: [EditedTrack], option: String
  ) throws(UsageError) -> Set<UInt32> {
    var ids: Set<UInt32> = []
    for selector in selectors {
      let matches = selector.matches(among: candidates)
      // If nothing matches, call `track` for its error, which lists the candidates.
      if matches.isEmpty { _ = try selector.track(among: candidates, kind: "track", option: option) }
      ids.formUnion(matches.map(\.id))
    }
    return ids
  }

  /// Returns the tracks that the selector matches, in order.
  func matches(among candidates: [EditedTrack]) -> [EditedTrack] {
    switch choice {
    case .id(let id): return candidates.filter { $0.id == id }
    case .kind(let kind, let position, let language, let roles):
      let chapters = candidates.chapterTrackIDs
      var found = candidates.filter {
        let isSubtitle =
          kind == .subtitle && $0.mediaType == .text && $0.containsModernOrLegacySubtitles(except: chapters)
        return (kind.includes($0.mediaType) || isSubtitle) && $0.has(roles)
      }
      if let language { found = Self.narrowed(found, to: language) }
      guard let position else { return found }
      return found.indices.contains(position - 1) ? [found[position - 1]] : []
    }
  }

  /// Returns the tracks with exactly this language tag. If there are none, returns the tracks whose tag begins with
  /// this tag (RFC 4647, 3.3.1).
  private static func narrowed(_ tracks: [EditedTrack], to language: LanguageTag) -> [EditedTrack] {
    let requestedTag = language.description
    let exact = tracks.filter { ($0.language?.description ?? "und") == requestedTag }
    return exact.isEmpty
      ? tracks.filter { $0.language?.description.lowercased().hasPrefix(requestedTag.lowercased() + "-") ?? false }
      : exact
  }
}

extension TrackSelector {
  /// Whether the selector chooses caption tracks.
  var selectsCaptions: Bool {
    if case .kind(.caption, _, _, _) = choice { true } else { false }
  }
}

extension TrackSelector.Kind {
  /// Whether the kind includes tracks with this media type.
  func includes(_ media: MediaType) -> Bool {
    switch self {
    case .video: media == .video
    case .audio: media == .audio
    case .subtitle: [.subtitle, .isoSubtitle, .subpicture].contains(media)
    case .text: media == .text
    case .caption: media == .closedCaption
    case .timecode: media == .timecode
    case .metadata: media == .metadata
    }
  }
}

extension EditedTrack {
  fileprivate func has(_ roles: Set<TrackRole>) -> Bool {
    roles.allSatisfy { $0.isSignalled(by: taggedCharacteristics, isForcedOnly: containsOnlyForcedSubtitles) }
  }

  /// The language and the main role: "English SDH", "Spanish, forced only".
  var name: String {
    let role = mediaType == .closedCaption ? " CC" : isSDH ? " SDH" : ""
    let name = (language?.englishName ?? "Unknown language") + role
    return containsOnlyForcedSubtitles ? name + ", forced only" : name
  }

  /// The language and all roles: "English, commentary", "English SDH, easy-to-read".
  var nameWithRoles: String { ([name] + otherRoles.map(\.rawValue)).joined(separator: ", ") }

  /// The roles that ``name`` does not contain.
  private var otherRoles: [TrackRole] {
    TrackRole.allCases.filter { ![.regular, .sdh, .forced].contains($0) && has([$0]) }
  }

  /// The kind, the language and the main role: "subtitle, English SDH".
  var kindAndName: String {
    language == nil && !isSDH && !containsOnlyForcedSubtitles ? mediaType.name : "\(mediaType.name), \(name)"
  }

  /// A description that distinguishes the track in a list: `id:5 is audio, English, commentary, "Director"`.
  var line: String {
    var words = ["id:\(id) is \(kindAndName)"] + otherRoles.map(\.rawValue)
    if let title {
      words.append("\"\(title.prefix(Self.shownTitleLength))\(title.count > Self.shownTitleLength ? "…" : "")\"")
    }
    return words.joined(separator: ", ")
  }

  /// The largest number of characters of a title that a list shows.
  private static let shownTitleLength = 40
}

extension [EditedTrack] {
  /// The tracks in one line, for the user to choose from.
  var lines: String { map(\.line).joined(separator: "; ") }
}
