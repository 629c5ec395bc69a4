import MovieWriter

/// `movtool link FILE --follow A=B …`.
struct LinkCommand: Command {
  static let name = "link"

  static let manual = CommandManual(
    operands: "FILE…",
    summary: "add references, such as from audio to subtitles",
    examples: [
      .init(
        line: "movtool link film.mov --auto",
        effect: "link audio, subtitles and forced subtitles by language"),
      .init(
        line: "movtool link film.mov --follow audio:no=subtitle:2 --forced subtitle:2=subtitle:nn,forced",
        effect: "link audio, full subtitles and forced subtitles"),
      .init(
        line: "movtool link film.mov --chapters video=text --clear audio:2=subtitle:es -o out.mov",
        effect: "set a chapter list, and clear a reference, in a new file"),
    ],
    options: LinkRequest.options + [OptionSpec("auto", "add all references that languages and roles imply")]
      + EditOptions.singleMovieOptions,
    notes: [
      "A and B are SELECTORs. Track A contains the reference (tref), and refers to track B.",
      "If a selector matches full and forced-only subtitles, --forced uses the full subtitles as A and",
      "the forced-only subtitles as B. --follow uses the full subtitles as B.",
    ] + TrackSelector.notes("matches one track"))

  /// The path of the movie.
  let movie: String
  let links: [LinkRequest]
  let isByLanguage: Bool
  let options: EditOptions

  static func runsForEachMovie(_ arguments: Arguments) -> Bool { true }

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    links = try LinkRequest.all(arguments)
    isByLanguage = arguments.contains("auto")
    guard !links.isEmpty || isByLanguage else {
      throw UsageError(.missingOperand, "no references are specified: use --auto, --follow audio:1=subtitle:es …")
    }
    options = try EditOptions(arguments)
  }

  func run(in context: Context) throws -> ExitCode {
    let run = EditExecution(command: Self.name, movie: movie, options: options, skipsIfUnchanged: true)
    return try run.edit(in: context) { builder, _ in try builder.link(links, byLanguage: isByLanguage) }
  }
}

/// A reference that `link` adds or removes.
struct LinkRequest: Equatable, Sendable {
  /// The name of the option.
  let option: String
  /// The selector of the track that contains the reference. ``target`` selects the referenced track.
  let referrer: TrackSelector
  let target: TrackSelector
  /// The type of reference, or `nil` to remove references of all types.
  let association: TrackAssociation?

  /// Returns the two tracks. If a selector matches a full and a forced-only track, `--forced` uses the full track as
  /// the referrer and the forced-only track as the target. `--follow` uses the full track.
  func tracks(among tracks: [EditedTrack]) throws(UsageError) -> (referrer: EditedTrack, target: EditedTrack) {
    func track(_ selector: TrackSelector, isForced: Bool) throws(UsageError) -> EditedTrack {
      try selector.track(
        among: tracks, kind: "track", option: option,
        preferring: { track in
          switch association {
          case .forcedSubtitlesOnly?, .selectionFollower?: track.containsOnlyForcedSubtitles == isForced
          default: true
          }
        })
    }
    return (try track(referrer, isForced: false), try track(target, isForced: association == .forcedSubtitlesOnly))
  }

  /// The option as it was written.
  var description: String { "--\(option) \(referrer.text)=\(target.text)" }

  private static let table: [(name: String, association: TrackAssociation?, help: String)] = [
    ("follow", .selectionFollower, "select subtitles B together with audio A (folw)"),
    ("forced", .forcedSubtitlesOnly, "make B the forced subtitles of A (forc)"),
    ("fallback", .audioFallback, "play audio B if A cannot be played (fall)"),
    ("chapters", .chapterList, "make text track B the chapters of A (chap)"),
    ("timecode", .timecode, "make B the time code of A (tmcd)"),
    ("captions", .closedCaptions, "make B the captions of video A (clcp)"),
    ("describes", .metadataReferent, "make metadata track A describe track B (cdsc)"),
    ("clear", nil, "remove every reference from A to B"),
  ]

  static let options = table.map {
    OptionSpec($0.name, value: OptionValue("A=B", .selectorPair), isRepeatable: true, $0.help)
  }

  /// Returns the requests, in the order of the command line.
  static func all(_ arguments: Arguments) throws(UsageError) -> [LinkRequest] {
    var links: [LinkRequest] = []
    for word in arguments.occurrences {
      guard let row = table.first(where: { $0.name == word.name }) else { continue }
      let value = word.value ?? ""
      let halves = value.split(separator: "=", omittingEmptySubsequences: false)
      guard halves.count == 2 else {
        throw UsageError(.invalidValue, "--\(row.name) \(value): specify two tracks, such as audio:1=subtitle:es")
      }
      let link = LinkRequest(
        option: row.name, referrer: try TrackSelector(String(halves[0]), option: row.name),
        target: try TrackSelector(String(halves[1]), option: row.name), association: row.association)
      if !links.contains(link) { links.append(link) }
    }
    return links
  }
}
