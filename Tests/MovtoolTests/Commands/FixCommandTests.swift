import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Executes the remedies of each finding, as a user would, on the movie that breaks the rule.
struct FixCommandTests {
  /// The user's choices for placeholders, by rule. Rules without placeholders are not listed.
  private static let choices: [String: [String: String]] = [
    "brand.metadata-form": ["OUT": "@out.mp4"],
    "brand.not-iso": ["OUT": "@out.mp4"],
    "brand.sound-in-wave": ["OUT": "@out.mp4"],
    "chapter.language": ["TAG": "und"],
    "file.truncated-free-space": ["OUT": "@out.mov"],
    "forced.pair-differs": ["NUMBER": "2", "TAG": "en"],
    "forced.target": ["FORCED": "id:6"],
    "group.missing": ["NUMBER": "2"],
    "group.mixed-kinds": ["NUMBER": "9"],
    "group.split": ["NUMBER": "3"],
    "language.macintosh-code": ["TAG": "fr"],
    "language.no-code": ["TAG": "fr"],
    "language.tag-form": ["TAG": "es-419"],
    "language.undetermined": ["TAG": "es"],
    "fragment.broken": ["OUT": "@out.mov"],
    "menu.same-line": ["TEXT": "Commentary"],
    "reference.follower-count": ["SUBTITLE": "id:4"],
    "reference.follower-kind": ["SUBTITLE": "id:4"],
    "reference.follower-place": ["AUDIO": "id:3"],
    "brand.quicktime-handler": ["OUT": "@out.mp4"],
    "subtitle.3gp-handler": ["OUT": "@out.mp4"],
    "title.name-only": ["TEXT": "Title"],
    "metadata.facts-disagree": ["TEXT": "Title"],
    "movie.date-contradicts-tags": ["TEXT": "2024-01-20T10:26:09Z"],
    "movie.date-implausible": ["TEXT": "2024-01-20T10:26:09Z"],
  ]

  /// Self-containment requires the external file, which the example lacks.
  private static let unfixable: Set = ["media.external"]

  /// A name that a shell reads correctly only in quotes.
  private static let movie = "in it's.mov"

  private static var examples: [RuleExample] {
    get throws {
      try RuleExample.all.filter {
        Rule.named($0.rule)?.remedies.first?.steps.first?.action != nil && !unfixable.contains($0.rule)
      }
    }
  }

  @Test(arguments: try examples) func fixesFindingsByTheirSuggestedCommands(_ example: RuleExample) throws {
    let shop = try Workshop()
    try shop.folder.write(example.breaking, as: Self.movie)
    let findings = try findings(Self.movie, in: shop, example).filter { $0["rule"] as? String == example.rule }
    #expect(!findings.isEmpty)
    // The first remedy of each finding, one after another.
    let ways = try findings.map { finding in
      let steps = try #require((finding["fixes"] as? [[[String: Any]]])?.first)
      return try steps.map { try #require($0["command"] as? String) }
    }
    var done: Set<[String]> = []
    for way in ways where done.insert(way).inserted {
      for command in way {
        let words = try Self.words(command, Self.choices[example.rule] ?? [:]).map {
          $0 == "SUB" ? "@" + (try extracted(in: shop)) : $0
        }
        #expect(words.first == "movtool")
        let outcome = shop.run(words: Array(words.dropFirst()))
        #expect(outcome.exitCode == .done, "\(command): \(outcome.errors)")
      }
    }
    let new = Self.choices[example.rule]?["OUT"].map { String($0.dropFirst()) }
    let left = try self.findings(new ?? Self.movie, in: shop, example)
    #expect(!left.contains { $0["rule"] as? String == example.rule }, "\(ways)")
  }

  /// SubRip would lose the columns and styles of captions.
  @Test func theFixOfAShortCaptionSampleKeepsItsCodes() throws {
    let example = try #require(try RuleExample.all.first { $0.rule == "caption.short-sample" })
    let shop = try Workshop()
    try shop.folder.write(example.breaking, as: Self.movie)
    let finding = try #require(
      try findings(Self.movie, in: shop, example).first { $0["rule"] as? String == example.rule })
    let steps = try #require((finding["fixes"] as? [[[String: Any]]])?.first)
    #expect((steps.first?["command"] as? String)?.hasSuffix(" --track id:8 --format scc") == true, "\(steps)")
  }

  @Test func listsChoicesOnlyForRulesWithPlaceholders() throws {
    #expect(Set(Self.choices.keys).subtracting(try Self.examples.map(\.rule)) == [])
  }

  private func findings(_ name: String, in shop: Workshop, _ example: RuleExample) throws -> [[String: Any]] {
    let json = shop.run(words: ["validate", "@" + name, "--json", "--target", example.target.rawValue]).json
    let file = try #require((json["files"] as? [[String: Any]])?.first)
    return try #require(file["findings"] as? [[String: Any]])
  }

  /// Returns the name of the subtitle file that `extract` wrote.
  private func extracted(in shop: Workshop) throws -> String {
    try shop.folder.names().first { $0.hasPrefix("in it's.") && $0 != Self.movie } ?? "none"
  }

  /// Splits a command into words as a shell does, and replaces placeholders.
  private static func words(_ command: String, _ choices: [String: String]) -> [String] {
    var (words, word): ([String], String) = ([], "")
    var isQuoted = false
    var rest = command[...]
    while let character = rest.popFirst() {
      switch character {
      case "'": isQuoted.toggle()
      case "\\" where !isQuoted: word.append(rest.removeFirst())
      case " " where !isQuoted:
        words.append(word)
        word = ""
      default: word.append(character)
      }
    }
    if !word.isEmpty { words.append(word) }
    return words.map { word in
      // The folder's name has been removed from the tool's output.
      guard word != movie else { return "@" + word }
      return word.matches(of: /[A-Z]+|[^A-Z]+/).map { choices[String($0.output)] ?? String($0.output) }.joined()
    }
  }
}
