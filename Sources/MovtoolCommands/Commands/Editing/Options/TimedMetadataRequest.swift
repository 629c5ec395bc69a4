import MovieBox
import MovieWriter

/// The timed metadata that `add-track --metadata` adds from a file: the JSON that `timed --json` prints, or a GPX
/// route.
struct TimedMetadataRequest: Equatable, Sendable {
  /// The path of the file.
  let file: String
  /// The tracks that the metadata describes.
  let referent: MetadataReferent
  /// The date at which the movie starts, in seconds since 1970, or `nil` for the movie's creation date.
  let start: Double?
  /// The offset that is added to the times of a route, or `nil` for no offset.
  let offset: TimeOffset?
  /// The number of locations per second, or `nil` for the points of the route.
  let rate: Double?

  /// The treatment of existing tracks that have the identifiers of the new track.
  let existingTrackPolicy: SubtitleInput.ExistingTrackPolicy

  /// The name of the file in messages.
  var name: String { file == "-" ? "standard input" : file }

  /// The options that apply only to routes.
  private static let routeOptions = ["start", "offset", "rate"]
  /// The dates that `--start` accepts, in seconds since 1970.
  private static let startRange = 0...Double(MetadataDate.secondsSince1970Limits.upperBound)
  /// The options of `add-track` that do not apply to timed metadata.
  private static let inapplicableOptions: Set<String> = [
    "track", "language", "title", "describes-video", "dub", "commentary", "characteristic", "default", "role", "group",
    "enabled", "autoselect",
  ]

  /// Creates the request, or returns `nil` without `--metadata`.
  init?(from file: String, _ arguments: Arguments) throws(UsageError) {
    guard arguments.contains("metadata") else {
      try arguments.refuse(Self.routeOptions, "requires --metadata and a GPX file")
      try arguments.refuse(["replace", "if-absent"], "requires --metadata")
      return nil
    }
    try arguments.refuse(
      Self.inapplicableOptions.sorted(), "does not apply to the timed metadata of a file; omit it, or omit --metadata")
    self.file = file
    referent = try MetadataReferent(arguments)
    start = try arguments.value("start").map { text throws(UsageError) in
      guard let seconds = MetadataDate(text)?.secondsSince1970 else {
        throw UsageError(
          .invalidValue, "--start \(text): specify a time with a zone, such as 2026-01-09T18:32:07+09:00")
      }
      guard Self.startRange.contains(seconds) else {
        throw UsageError(.invalidValue, "--start \(text): specify a time from 1970 to 9999 in UTC")
      }
      return seconds
    }
    offset = try arguments.value("offset").map { text throws(UsageError) in try TimeOffset(offset: text) }
    rate = try arguments.value("rate").map { text throws(UsageError) in
      guard let rate = Self.rate(text), 0.1...1_000 ~= rate else {
        throw UsageError(.invalidValue, "--rate \(text): specify a number from 0.1 to 1000, such as 10 or 30000/1001")
      }
      return rate
    }
    existingTrackPolicy = try SubtitleInput.ExistingTrackPolicy(arguments)
  }

  /// Parses a number or a fraction, such as `10` or `30000/1001`.
  private static func rate(_ text: String) -> Double? {
    let words = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Double($0) }
    guard numbers.count == words.count, numbers.count <= 2 else { return nil }
    return numbers.count == 2 ? numbers[0] / numbers[1] : numbers.first
  }

  /// The first option that requires a route, or `nil` if there is none.
  var routeOption: String? {
    start != nil ? "start" : offset != nil ? "offset" : rate != nil ? "rate" : nil
  }
}

/// The tracks that metadata describes, as `--describes` selects them.
enum MetadataReferent: Equatable, Sendable {
  /// Nothing was requested: new metadata describes the main picture, and copied tracks keep their references.
  case unspecified
  /// The whole movie.
  case movie
  case tracks([TrackSelector])

  static let option = OptionSpec(
    "describes", value: OptionValue("SELECTOR", .selector(or: ["none"])), isRepeatable: true,
    "set the described track, or none for the whole movie")

  init(_ arguments: Arguments) throws(UsageError) {
    let values = arguments.values("describes")
    guard !values.isEmpty else {
      self = .unspecified
      return
    }
    guard !values.contains("none") else {
      guard values.count == 1 else {
        throw UsageError(.conflict, "--describes none cannot be combined with --describes SELECTOR")
      }
      self = .movie
      return
    }
    self = .tracks(
      try values.map { text throws(UsageError) in try TrackSelector(text, option: "describes") })
  }

  /// Returns the IDs of the tracks, or `nil` if nothing was requested.
  func ids(among candidates: [EditedTrack]) throws(UsageError) -> [UInt32]? {
    switch self {
    case .unspecified: return nil
    case .movie: return []
    case .tracks(let selectors):
      var ids: [UInt32] = []
      for selector in selectors {
        let id = try selector.track(among: candidates, kind: "track", option: "describes").id
        if !ids.contains(id) { ids.append(id) }
      }
      return ids
    }
  }
}
