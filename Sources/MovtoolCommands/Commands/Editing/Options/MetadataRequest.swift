import MovieBox
import MovieWriter
import Subtitles

/// A requested change of `metadata`.
///
/// The command applies its requests in the order of the options. `--track`, `--language` and `--type` apply to the
/// request before them, or to all requests if they precede the first request. Requests that would undo each other are
/// rejected.
struct MetadataRequest: Equatable, Sendable {
  /// The kind of change.
  enum Action: Equatable, Sendable {
    case set(MetadataIdentifier, String)
    case add(MetadataIdentifier, String)
    case remove(pattern: String)
    /// Import items from the output of `metadata --json`, or from a file of another program. `-` is standard input.
    case importItems(String)
    case copyItems(String)
    case artwork(String)
    case shiftDates(ClockShift)
  }

  let action: Action
  /// The option as it was written.
  let spelling: String
  private(set) var track: TrackSelector?
  private(set) var language: LanguageTag?
  private(set) var typeCode: UInt32?
  /// Whether the location consists of two whole numbers. The user may have meant one number with a decimal comma.
  private(set) var isAmbiguousLocation = false

  /// The options that request a change.
  static let actionOptions = [
    OptionSpec(
      "set", value: "FACT=TEXT", isRepeatable: true, "set an item: title=Home, mdta/com.example.id=7",
      subjects: Set(MetadataIdentifier.commonNames + synonyms.keys).subtracting([
        "location", "creationDate", "artwork",
      ])),
    OptionSpec("add", value: "FACT=TEXT", isRepeatable: true, "add an item and keep existing items of the same name"),
    OptionSpec("remove", value: "PATTERN", isRepeatable: true, "remove items: title, 'mdta/com.apple.*'"),
    OptionSpec("location", value: "PLACE", "set degrees and altitude in meters: 48.137,11.575,520"),
    OptionSpec("creation-date", value: "DATE", "set the date in items and headers: 2026-01-09T18:32:07+0900"),
    OptionSpec("shift-dates", value: "TIME", "shift all dates that include a time: +8h, -1d12h30m"),
    OptionSpec("copy-from", value: OptionValue("MOVIE", .file), "copy the items of another movie"),
    OptionSpec(
      "import", value: OptionValue("FILE", .file),
      "import metadata --json, ffmetadata, exiftool -j, info.json"),
  ]

  /// The options that set the track, the language or the type of a change.
  static let detailOptions = [
    OptionSpec(
      "type", value: "CODE", isRepeatable: true, "with --set, --add: set the type code, such as 1 for text"),
    OptionSpec("only-space", "with --set: write only in the identifier's vocabulary"),
  ]

  /// Returns the requests in the order of the options.
  static func all(_ arguments: Arguments, artwork: String?) throws(UsageError) -> [MetadataRequest] {
    let detailOptions: Set<String> = ["track", "language", "type"]
    var commonOccurrences: [Arguments.Occurrence] = []
    var requests: [MetadataRequest] = []
    for occurrence in arguments.occurrences {
      if detailOptions.contains(occurrence.name) {
        if requests.isEmpty {
          commonOccurrences.append(occurrence)
        } else {
          try requests[requests.count - 1].read(occurrence)
        }
      } else if let action = try action(occurrence)
        ?? artwork.flatMap({ occurrence.name == "artwork" ? .artwork($0) : nil })
      {
        var request = MetadataRequest(action: action, spelling: occurrence.spelling)
        request.isAmbiguousLocation = isAmbiguousLocation(action, occurrence)
        requests.append(request)
      }
    }
    for index in requests.indices {
      let own = requests[index]
      for occurrence in commonOccurrences { try requests[index].read(occurrence) }
      requests[index].track = own.track ?? requests[index].track
      requests[index].language = own.language ?? requests[index].language
      requests[index].typeCode = own.typeCode ?? requests[index].typeCode
      try own.requireValidDetails()
    }
    if arguments.contains("only-space") { try requireVocabularies(requests) }
    try requireFactsSetOnce(requests, isExact: arguments.contains("only-space"))
    try requireCompatibleDates(requests, arguments)
    try requireNoneRemoved(requests)
    return requests
  }

  /// Whether an option specifies a location by two whole numbers.
  private static func isAmbiguousLocation(_ action: Action, _ occurrence: Arguments.Occurrence) -> Bool {
    guard case .set(let identifier, _) = action, identifier.expectedForm == .location, let word = occurrence.value
    else {
      return false
    }
    let place =
      occurrence.name == "location" ? word : word.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
    return WrittenValue.isAmbiguousLocation(place)
  }

  /// Throws if a request sets a common fact such as `title`. `--only-space` requires an identifier of one vocabulary.
  private static func requireVocabularies(_ requests: [MetadataRequest]) throws(UsageError) {
    for request in requests where request.spelling.hasPrefix("--set") {
      guard case .set(let identifier, _) = request.action, identifier.space == .common else { continue }
      let examples = identifier.spellings.filter { [.quickTimeMetadata, .iTunes].contains($0.space) }
        .map(TagNames.name).sorted()
      throw UsageError(
        .conflict,
        "\(request.spelling): --only-space requires a complete identifier"
          + (examples.isEmpty ? "" : ", such as \(examples.joined(separator: " or "))"))
    }
  }

  /// Throws if the command both sets and shifts a date, or shifts dates that `--for-sharing` removes.
  private static func requireCompatibleDates(
    _ requests: [MetadataRequest], _ arguments: Arguments
  ) throws(UsageError) {
    guard arguments.contains("shift-dates") else { return }
    let date = requests.first { request in
      if case .set(let identifier, _) = request.action { identifier.common?.key == "creationDate" } else { false }
    }
    if let date {
      throw UsageError(.conflict, "\(date.spelling) and --shift-dates change the same date; use one option")
    }
    guard !arguments.contains("for-sharing") else {
      throw UsageError(.conflict, "--for-sharing removes the dates that --shift-dates changes")
    }
  }

  /// Throws if the command removes a fact that it has set. The user probably wanted to remove the old value first.
  private static func requireNoneRemoved(_ requests: [MetadataRequest]) throws(UsageError) {
    for (index, request) in requests.enumerated() {
      guard case .remove(let pattern) = request.action else { continue }
      let undone = requests[..<index].first { other in
        guard request.track == nil || request.track == other.track,
          request.language == nil || request.language == other.language
        else { return false }
        switch other.action {
        case .set(let identifier, _), .add(let identifier, _):
          return identifier.matches(pattern) || identifier.common?.matches(pattern) ?? false
        default: return false
        }
      }
      if let undone {
        throw UsageError(
          .conflict,
          "\(request.spelling) removes the new item of \(undone.spelling); to remove only old items, write \(request.spelling) "
            + "before \(undone.spelling)"
        )
      }
    }
  }

  /// Throws if the command sets a fact twice, even by different names. The second value would replace the first value.
  private static func requireFactsSetOnce(_ requests: [MetadataRequest], isExact: Bool) throws(UsageError) {
    func fact(_ identifier: MetadataIdentifier) -> MetadataIdentifier {
      isExact || identifier.type == "gnre" ? identifier : identifier.common ?? identifier
    }
    struct Subject: Hashable {
      let fact: MetadataIdentifier
      let track: TrackSelector?
      let language: LanguageTag?
    }
    // A command can contain thousands of requests, so earlier requests are found in a dictionary.
    var requestsBySubject: [Subject: MetadataRequest] = [:]
    for request in requests {
      guard case .set(let identifier, let text) = request.action else { continue }
      let subject = Subject(fact: fact(identifier), track: request.track, language: request.language)
      guard let other = requestsBySubject.updateValue(request, forKey: subject), case .set(let known, _) = other.action
      else { continue }
      func name(_ identifier: MetadataIdentifier) -> String {
        identifier.space == .common ? identifier.key : identifier.description
      }
      let wayOut = known == identifier ? "" : ", or --only-space to set a different value in each vocabulary"
      throw UsageError(
        .conflict,
        "\(request.spelling): \(name(fact(identifier))) is also set by \(other.spelling); "
          + "use --add \(name(identifier))=\(text) to add another value\(wayOut)")
    }
  }

  /// Whether the request sets or adds an item. Only these requests can have a track, a language and a type.
  var isSetting: Bool {
    switch action {
    case .set, .add, .artwork: true
    default: false
    }
  }

  /// Throws if a track, a language or a type is specified for a change that cannot have one.
  private func requireValidDetails() throws(UsageError) {
    if case .remove = action {
      guard typeCode == nil else {
        throw UsageError(.conflict, "--type requires --set or --add, not \(spelling)")
      }
    } else if !isSetting, track != nil || language != nil || typeCode != nil {
      throw UsageError(
        .conflict, "--track, --language and --type require --set, --add or --remove, not \(spelling)")
    }
    if case .set(let identifier, let text) = action, identifier.common?.key == "artwork", typeCode == nil {
      throw UsageError(.conflict, "--set artwork=\(text): use movtool metadata FILE PICTURE --artwork to set a picture")
    }
  }

  private init(action: Action, spelling: String) {
    (self.action, self.spelling) = (action, spelling)
  }

  private mutating func read(_ occurrence: Arguments.Occurrence) throws(UsageError) {
    let value = occurrence.value ?? ""
    switch occurrence.name {
    case "track": track = try TrackSelector(value, option: "track")
    case "language":
      guard !value.contains(",") else {
        throw UsageError(.invalidValue, "--language \(value): specify one language for an item")
      }
      language = try SubtitleRequest.language(value)
    default:
      guard let code = UInt32(digits: value), code <= 0xFF_FFFF else {
        throw UsageError(.invalidValue, "--type \(value): specify the number of a well-known type, such as 1 or 67")
      }
      typeCode = code
    }
  }

  private static func action(_ occurrence: Arguments.Occurrence) throws(UsageError) -> Action? {
    let value = occurrence.value ?? ""
    switch occurrence.name {
    case "set":
      let (identifier, text) = try fact(value, "set")
      return .set(identifier, text)
    case "add":
      let (identifier, text) = try fact(value, "add")
      return .add(identifier, text)
    case "remove": return .remove(pattern: try pattern(value, option: "remove"))
    case "location":
      return .set(MetadataIdentifier(.common, key: "location"), try location(value, option: "location "))
    case "creation-date":
      return .set(MetadataIdentifier(.common, key: "creationDate"), try date(value, option: "creation-date "))
    case "shift-dates":
      guard let shift = ClockShift(value) else {
        throw UsageError(
          .invalidValue,
          "--shift-dates \(value): specify days, hours, minutes and seconds of less than 200 years, such as +8h or "
            + "-1d12h30m"
        )
      }
      return .shiftDates(shift)
    case "copy-from": return .copyItems(value)
    case "import": return .importItems(value)
    default: return nil
    }
  }

  /// Parses `FACT=TEXT`.
  private static func fact(
    _ word: String, _ option: String
  ) throws(UsageError) -> (identifier: MetadataIdentifier, value: String) {
    guard let sign = word.firstIndex(of: "=") else {
      throw UsageError(
        .invalidValue, "--\(option) \(word): the value is missing; write, for example, --\(option) title=Home")
    }
    let text = String(word[word.index(after: sign)...])
    guard !text.isEmpty else {
      throw UsageError(
        .invalidValue, "--\(option) \(word): the value is empty; to remove the fact, use --remove \(word[..<sign])")
    }
    let identifier = try Self.identifier(String(word[..<sign]), option: option)
    if identifier.common?.key == "location" {
      return (identifier, try location(text, option: "\(option) \(word[...sign])"))
    }
    guard identifier.expectedForm == .date else { return (identifier, text) }
    return (identifier, try date(text, option: "\(option) \(word[...sign])"))
  }

  private static func date(_ word: String, option: String) throws(UsageError) -> String {
    let text = word.replacing(" ", with: "T")
    if MetadataDate(text) != nil { return text }
    guard let date = WrittenValue.date(word) else {
      throw UsageError(.invalidValue, "--\(option)\(word): specify a date such as 2026-01-09T18:32:07+0900")
    }
    return date.description
  }

  private static func identifier(_ word: String, option: String) throws(UsageError) -> MetadataIdentifier {
    let fact = fact(word)
    let fullName = fact.contains("/") ? fact : "common/" + (synonyms[fact] ?? fact)
    guard let identifier = MetadataIdentifier(fullName), identifier.space != .common || isCommon(identifier.key) else {
      guard !fact.contains("/") else {
        throw UsageError(
          .invalidValue, "--\(option) \(word): specify an identifier such as mdta/com.example.id or udta/©nam")
      }
      throw UsageError(
        .invalidValue, "--\(option) \(word): \(advice(for: fact)); write identifiers as SPACE/KEY")
    }
    let writable: [MetadataIdentifier.Space] = [
      .common, .quickTimeMetadata, .quickTimeUserData, .isoUserData, .iTunes, .iTunesLongForm, .id3, .windows,
    ]
    guard writable.contains(identifier.space) else {
      let names = writable.map(\.rawValue).joined(separator: ", ")
      throw UsageError(.invalidValue, "--\(option) \(word): only items of \(names) can be written")
    }
    return identifier
  }

  /// Returns the word without the prefix `common/`. Only patterns need this prefix.
  private static func fact(_ word: String) -> String {
    word.hasPrefix("common/") && !word.contains("*") ? String(word.dropFirst("common/".count)) : word
  }

  /// Synonyms for common facts.
  private static let synonyms = [
    "album": "albumName", "copyright": "copyrights", "cover": "artwork", "date": "creationDate", "genre": "type",
    "year": "creationDate",
  ]

  /// Words that are ambiguous or have an unexpected meaning, with the words to suggest instead.
  private static let replacements = [
    "encoder": "software", "narrator": "itsk/©nrt (audiobooks), or artist",
    "rating": "mdta/com.apple.quicktime.rating.user (stars), or itsk/rtng (explicit or clean) in an MP4 or M4A file",
    "series": "itsk/tvsh (television), or itsk/©mvn (audiobooks)",
  ]

  /// Returns advice about a word that is not a common fact.
  private static func advice(for word: String) -> String {
    let knownNames = MetadataIdentifier.commonNames
    let suggestedName =
      replacements[word.lowercased()] ?? TagNames.identifier(word).map(TagNames.name)
      ?? knownNames.first { $0.lowercased() == word.lowercased() } ?? Suggestion.nearest(to: word, among: knownNames)
    return suggestedName.map { "did you mean \($0)?" } ?? "use one of \(knownNames.joined(separator: ", "))"
  }

  private static func isCommon(_ name: String) -> Bool { MetadataIdentifier.commonNames.contains(name) }

  /// The vocabularies that movtool can read.
  static let knownSpaces: [MetadataIdentifier.Space] = [
    .quickTimeMetadata, .quickTimeUserData, .isoUserData, .iTunes, .iTunesLongForm, .id3, .xmp, .windows,
  ]

  /// Parses a pattern of identifiers. A word without a slash refers to a common fact, in every vocabulary.
  static func pattern(_ word: String, option: String) throws(UsageError) -> String {
    let fact = fact(word)
    if let slash = fact.firstIndex(of: "/") {
      let space = String(word[..<slash])
      guard space.contains("*") || space == "common" || knownSpaces.contains(where: { $0.rawValue == space }) else {
        throw UsageError(
          .invalidValue,
          "--\(option) \(word): unknown vocabulary; use one of \(knownSpaces.map(\.rawValue).joined(separator: ", "))")
      }
      return word
    }
    let name = synonyms[fact] ?? fact
    guard isCommon(name) || name.contains("*") else {
      throw UsageError(
        .invalidValue,
        "--\(option) \(word): \(advice(for: name)); write identifiers as SPACE/KEY, such as "
          + "mdta/\(name)")
    }
    return isCommon(name) ? "common/" + name : "*/" + name
  }

  /// Parses a location in any spelling and returns it in the form of ISO 6709.
  private static func location(_ word: String, option: String) throws(UsageError) -> String {
    // 3GPP's location box stores the altitude as a 16.16 number (TS 26.244), so it must be below 32 768 m.
    guard let location = WrittenValue.location(word), abs(location.altitude ?? 0) < 32_768 else {
      throw UsageError(
        .invalidValue,
        "--\(option)\(word): specify latitude and longitude in degrees, and optionally the altitude in meters "
          + "(up to ±32767), such as 48.137,11.575,520"
      )
    }
    return location.description
  }
}
