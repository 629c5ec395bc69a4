import MovieBox
import MovieWriter

/// The items that `metadata --for-sharing` keeps and drops on request.
struct SharingRequest: Equatable, Sendable {
  /// A pattern of identifiers, with the word that the user typed.
  struct Pattern: Equatable, Sendable {
    let pattern: String
    let word: String
  }

  let kept: [Pattern]
  let dropped: [Pattern]
  let keepsDates: Bool

  static let options = [
    OptionSpec("for-sharing", "with -o: remove locations, devices, dates, unknown items"),
    OptionSpec("keep", value: "PATTERN", isRepeatable: true, "with --for-sharing: keep these items"),
    OptionSpec("drop", value: "PATTERN", isRepeatable: true, "with --for-sharing: remove these items"),
    OptionSpec("keep-dates", "with --for-sharing: keep the dates in headers"),
  ]

  /// Creates the policy that the options request, or returns `nil` without `--for-sharing`.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard arguments.contains("for-sharing") else {
      try arguments.refuse(["keep", "drop", "keep-dates"], "requires --for-sharing")
      return nil
    }
    guard arguments.contains("o") else {
      throw UsageError(
        .missingOperand, "--for-sharing requires -o OUT: a movie edited in place could still contain removed bytes")
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
  /// Removes private items from the movie.
  mutating func share(_ request: SharingRequest) throws {
    do {
      sharingDecisions = try edit.prepareForSharing(
        keeping: request.kept.map(\.pattern), dropping: request.dropped.map(\.pattern), keepsDates: request.keepsDates)
    } catch {
      throw ToolError(error, about: movie)
    }
  }

  /// Removes embedded metadata, such as EXIF, from the covers that other requests added.
  mutating func removeNotesFromAddedCovers() {
    let newDecisions = edit.removeEmbeddedNotes().filter { !sharingDecisions.contains($0) }
    sharingDecisions.removeAll { old in
      old.isKept && newDecisions.contains { $0.subject == old.subject && $0.trackID == old.trackID }
    }
    sharingDecisions += newDecisions
  }

  /// Adds a warning for each pattern that matches neither an item of the movie nor an imported item. Also adds a
  /// warning for each item that `--keep` cannot keep because the item is outside the movie atom.
  mutating func warnOfUnmatched(_ request: SharingRequest, _ source: any RandomAccessSource) throws {
    let items = try edit.movie.metadata(from: source)
    let keys = edit.movie.tracks.flatMap { $0.sampleDescriptions.entries.flatMap(\.timedMetadataKeys) }
    for (option, choice) in request.kept.map({ ("keep", $0) }) + request.dropped.map({ ("drop", $0) }) {
      let (pattern, word) = (choice.pattern, choice.word)
      let matchingItems = items.matching(pattern)
      let matchesImportedItem = importedIdentifiers.contains {
        $0.matches(pattern) || $0.common?.matches(pattern) ?? false
      }
      guard !keys.contains(where: { $0.identifier.matches(pattern) }) else { continue }
      if matchingItems.isEmpty {
        if matchesImportedItem { continue }
        warnings.append(
          Warning(code: "pattern-unmatched", file: movie, message: "--\(option) \(word) matches no item"))
      } else if option == "keep", let item = matchingItems.first,
        matchingItems.allSatisfy({ $0.path == "uuid" || $0.path.hasPrefix("meta") })
      {
        warnings.append(
          Warning(
            code: "metadata-beside", file: movie,
            message: "--keep \(word): \(item.identifier) is outside the movie atom (\(item.path)) and is removed"))
      }
    }
  }
}
