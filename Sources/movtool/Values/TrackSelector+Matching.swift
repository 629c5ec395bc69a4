import MovieBox
import MovieWriter

extension TrackSelector {
  /// The one track among `candidates` that the selector matches.
  ///
  /// `kind` says what the candidates are, for the error when there is none: "audio track". Several that match are an
  /// error that lists them, unless one of them is preferred. Where tags of the language itself and of its regions
  /// match, only the former count.
  func track(
    among candidates: [EditedTrack], kind: String, option: String,
    preferring isPreferred: (EditedTrack) -> Bool = { _ in true }
  ) throws(UsageError) -> EditedTrack {
    var matches = matches(among: candidates)
    if matches.contains(where: isPreferred) { matches = matches.filter(isPreferred) }
    if let first = matches.first, matches.count == 1 { return first }
    let all = matches.isEmpty ? candidates : matches
    let list = all.isEmpty ? "there is none" : all.lines
    guard matches.isEmpty else {
      throw UsageError(.ambiguous, "--\(option) \(text) matches several tracks: \(list)")
    }
    throw UsageError(.noMatch, "--\(option) \(text) matches no \(kind): \(list)")
  }

  /// The IDs of the tracks that some selectors match, each one at least.
  static func ids(
    of selectors: [TrackSelector], among candidates: [EditedTrack], option: String
  ) throws(UsageError) -> Set<UInt32> {
    var ids: Set<UInt32> = []
    for selector in selectors {
      let matches = selector.matches(among: candidates)
      // Says that there is none, and lists what there is.
      if matches.isEmpty { _ = try selector.track(among: candidates, kind: "track", option: option) }
      ids.formUnion(matches.map(\.id))
    }
    return ids
  }

  /// The tracks that the selector matches, in their order.
  func matches(among candidates: [EditedTrack]) -> [EditedTrack] {
    switch choice {
    case .id(let id): return candidates.filter { $0.id == id }
    case .kind(let kind, let position, let language, let roles):
      let chapters = candidates.chapterTrackIDs
      var found = candidates.filter {
        let isSubtitle = kind == .subtitle && $0.mediaType == .text && $0.holdsSubtitlesOfAnyAge(butNot: chapters)
        return (kind.includes($0.mediaType) || isSubtitle) && $0.has(roles)
      }
      if let language { found = Self.narrowed(found, to: language) }
      guard let position else { return found }
      return found.indices.contains(position - 1) ? [found[position - 1]] : []
    }
  }

  /// The tracks in the language: those with this very tag, else those whose tag begins with it (RFC 4647, 3.3.1).
  private static func narrowed(_ tracks: [EditedTrack], to language: LanguageTag) -> [EditedTrack] {
    let wanted = language.description
    let exact = tracks.filter { ($0.language?.description ?? "und") == wanted }
    return exact.isEmpty
      ? tracks.filter { $0.language?.description.lowercased().hasPrefix(wanted.lowercased() + "-") ?? false } : exact
  }
}

extension TrackSelector.Kind {
  /// Whether tracks of this media are of the kind.
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

  /// Language and role: "English SDH", "Spanish, forced only".
  var name: String {
    let name = (language?.englishName ?? "Unknown language") + (isSDH ? " SDH" : "")
    return containsOnlyForcedSubtitles ? name + ", forced only" : name
  }

  /// Language and all roles: "English, commentary", "English SDH, easy-to-read".
  var nameWithRoles: String { ([name] + otherRoles.map(\.rawValue)).joined(separator: ", ") }

  /// The roles that the name does not have.
  private var otherRoles: [TrackRole] {
    TrackRole.allCases.filter { ![.regular, .sdh, .forced].contains($0) && has([$0]) }
  }

  /// Kind, language and role: "subtitle, English SDH".
  var kindAndName: String {
    language == nil && !isSDH && !containsOnlyForcedSubtitles ? mediaType.name : "\(mediaType.name), \(name)"
  }

  /// What distinguishes the track from others in a list: `id:5 is audio, English, commentary, "Director"`.
  var line: String {
    var words = ["id:\(id) is \(kindAndName)"] + otherRoles.map(\.rawValue)
    if let title {
      words.append("\"\(title.prefix(Self.shownTitleLength))\(title.count > Self.shownTitleLength ? "…" : "")\"")
    }
    return words.joined(separator: ", ")
  }

  /// How many letters of a title stand in a list.
  private static let shownTitleLength = 40
}

extension [EditedTrack] {
  /// The tracks as a list for a person to choose from, in one line.
  var lines: String { map(\.line).joined(separator: "; ") }
}
