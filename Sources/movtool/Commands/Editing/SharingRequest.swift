import MovieBox
import MovieWriter

/// What stays of a movie that `metadata --for-sharing` is to write.
struct SharingRequest: Equatable, Sendable {
  /// A pattern of identifiers, and how it was typed.
  struct Pattern: Equatable, Sendable {
    let pattern: String
    let word: String
  }

  let kept: [Pattern]
  let dropped: [Pattern]
  let keepsDates: Bool

  static let options = [
    OptionSpec("for-sharing", "with -o: without place, devices, dates, notes and what nobody knows"),
    OptionSpec("keep", value: "PATTERN", isRepeatable: true, "with --for-sharing: these items stay too"),
    OptionSpec("drop", value: "PATTERN", isRepeatable: true, "with --for-sharing: these items go too"),
    OptionSpec("keep-dates", "with --for-sharing: the dates in headers stay"),
  ]

  /// What the options ask for; `nil` where they do not.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard arguments.contains("for-sharing") else {
      try arguments.refuse(["keep", "drop", "keep-dates"], "goes with --for-sharing")
      return nil
    }
    guard arguments.contains("o") else {
      throw UsageError(.missingOperand, "--for-sharing writes a new file, since what goes must not stay: -o OUT")
    }
    kept = try Self.patterns(arguments, "keep")
    dropped = try Self.patterns(arguments, "drop")
    keepsDates = arguments.contains("keep-dates")
  }

  private static func patterns(_ arguments: Arguments, _ option: String) throws(UsageError) -> [Pattern] {
    var patterns: [Pattern] = []
    for word in arguments.values(option) {
      patterns.append(Pattern(pattern: try MetadataRequest.pattern(word, option: option), word: word))
    }
    return patterns
  }
}

extension EditBuilder {
  /// Leaves out what is nobody's business.
  mutating func share(_ request: SharingRequest) throws {
    do {
      sharing = try edit.prepareForSharing(
        keeping: request.kept.map(\.pattern), dropping: request.dropped.map(\.pattern), keepsDates: request.keepsDates)
    } catch {
      throw ToolError(error, about: movie)
    }
  }

  /// Takes notes out of covers that other requests brought.
  mutating func shareWhatCame() {
    let gone = edit.leaveOutNotes().filter { !sharing.contains($0) }
    sharing.removeAll { old in
      old.stays && gone.contains { $0.subject == old.subject && $0.trackID == old.trackID }
    }
    sharing += gone
  }

  /// Says which patterns mean nothing that the movie says, nor those whose facts it takes, and which mean what goes all the
  /// same.
  mutating func warnOfUnmatched(_ request: SharingRequest, _ source: any RandomAccessSource) throws {
    let items = try edit.movie.metadata(from: source)
    let keys = edit.movie.tracks.flatMap { $0.sampleDescriptions.entries.flatMap(\.timedMetadataKeys) }
    for (option, wanted) in request.kept.map({ ("keep", $0) }) + request.dropped.map({ ("drop", $0) }) {
      let (pattern, word) = (wanted.pattern, wanted.word)
      let meant = items.matching(pattern)
      let isOfOthers = identifiersOfOthers.contains { $0.matches(pattern) || $0.common?.matches(pattern) ?? false }
      guard !keys.contains(where: { $0.identifier.matches(pattern) }) else { continue }
      if meant.isEmpty {
        if isOfOthers { continue }
        warnings.append(
          Warning(code: "pattern-unmatched", file: movie, message: "--\(option) \(word) matches no item"))
      } else if option == "keep", let item = meant.first,
        meant.allSatisfy({ $0.path == "uuid" || $0.path.hasPrefix("meta") })
      {
        warnings.append(
          Warning(
            code: "metadata-beside", file: movie,
            message: "--keep \(word): \(item.identifier) stands beside the movie atom (\(item.path)), and goes"))
      }
    }
  }
}
