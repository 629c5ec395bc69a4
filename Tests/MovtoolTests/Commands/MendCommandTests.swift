import Foundation
import MovieBox
import TestSupport
import Testing

@testable import movtool

/// What a rule says of mending is done as a person would do it, on the movie that breaks the rule.
struct MendCommandTests {
  /// What stands for the words in capitals, by rule; a rule without is one whose mend names nothing but the file.
  private static let fillings: [String: [String: String]] = [
    "chapter.enabled": ["SELECTOR": "id:7"],
    "chapter.group": ["SELECTOR": "id:7"],
    "chapter.language": ["SELECTOR": "id:7", "TAG": "und"],
    "file.truncated-free-space": ["OUT": "@out.mov"],
    "forced.follower": ["AUDIO": "id:2", "FORCED": "id:6"],
    "forced.half-flag": ["SELECTOR": "id:4"],
    "forced.no-reference": ["REGULAR": "id:5", "FORCED": "id:6"],
    "forced.pair-differs": ["SELECTOR": "id:6", "NUMBER": "2", "TAG": "en"],
    "forced.target": ["REGULAR": "id:4", "FORCED": "id:6"],
    "group.missing": ["SELECTOR": "id:4", "NUMBER": "2"],
    "group.mixed-kinds": ["SELECTOR": "id:1", "NUMBER": "9"],
    "group.none-enabled": ["SELECTOR": "id:2"],
    "group.split": ["SELECTOR": "id:4", "NUMBER": "2"],
    "group.two-enabled": ["SELECTOR": "id:2"],
    "language.ambiguous-code": ["SELECTOR": "id:4"],
    "language.macintosh-code": ["SELECTOR": "id:2", "TAG": "fr"],
    "language.no-code": ["SELECTOR": "id:2", "TAG": "fr"],
    "language.tag-form": ["SELECTOR": "id:3", "TAG": "es-419"],
    "language.undetermined": ["SELECTOR": "id:4", "TAG": "es"],
    "fragment.broken": ["OUT": "@out.mov"],
    "menu.same-line": ["SELECTOR": "id:3", "TEXT": "Commentary"],
    "reference.fallback-kind": ["A": "id:3", "B": "id:1"],
    "reference.follower-count": ["AUDIO": "id:3", "SUBTITLE": "id:4"],
    "reference.follower-kind": ["AUDIO": "id:3", "SUBTITLE": "id:4"],
    "reference.follower-place": ["A": "id:1", "B": "id:4", "AUDIO": "id:3", "SUBTITLE": "id:4"],
    "reference.self": ["A": "id:1", "B": "id:1"],
    "tag.form": ["SELECTOR": "id:4", "TAG": "easy to read"],
    "tag.half-sdh": ["SELECTOR": "id:4"],
    "tag.other-kind": ["SELECTOR": "id:3", "TAG": "public.accessibility.describes-music-and-sound"],
    "tag.written-forced": ["SELECTOR": "id:6"],
    "timeline.empty": ["SELECTOR": "id:4"],
    "title.name-only": ["SELECTOR": "id:4", "TEXT": "Title"],
  ]

  /// Where the first way that a mend names cannot do it in the example, because nothing says what is meant.
  private static let secondWays: Set = ["language.no-code", "language.macintosh-code", "language.tag-form"]

  /// Media in another file is taken along where that file is; that of the example is nowhere.
  private static let unmendable: Set = ["media.external"]

  private static var examples: [RuleExample] {
    get throws {
      try RuleExample.all.filter {
        Rule.named($0.rule)?.mend.hasPrefix("movtool ") == true && !unmendable.contains($0.rule)
      }
    }
  }

  @Test(arguments: try examples) func whatARuleSaysMendsIt(_ example: RuleExample) throws {
    let shop = try Workshop()
    try shop.folder.write(example.breaking, as: "in.mov")
    let rule = try #require(Rule.named(example.rule))
    #expect(try broken("in.mov", in: shop, example).contains(example.rule))
    let ways = rule.mend.components(separatedBy: ", or ")
    let way = Self.secondWays.contains(rule.id) ? ways[1] : ways[0]
    for command in Self.commands(way, Self.fillings[rule.id] ?? [:]) {
      let words = try command.map { $0 == "SUB" ? "@" + (try extracted(in: shop)) : $0 }
      let outcome = shop.run(words: words)
      #expect(outcome.exitCode == .done, "\(words): \(outcome.errors)")
    }
    let isNew = Self.fillings[rule.id]?["OUT"] != nil
    #expect(try !broken(isNew ? "out.mov" : "in.mov", in: shop, example).contains(example.rule))
  }

  @Test func whatIsFilledInIsOfRulesThatNameACommand() throws {
    let rules = Set(try Self.examples.map(\.rule))
    #expect(Set(Self.fillings.keys).union(Self.secondWays).subtracting(rules) == [])
  }

  /// The rules that a file breaks.
  private func broken(_ name: String, in shop: Workshop, _ example: RuleExample) throws -> Set<String> {
    let json = shop.run("validate @\(name) --json --target \(example.target.rawValue)").json
    let file = try #require((json["files"] as? [[String: Any]])?.first)
    let findings = try #require(file["findings"] as? [[String: Any]])
    return Set(findings.compactMap { $0["rule"] as? String })
  }

  /// The subtitle file that `extract` wrote.
  private func extracted(in shop: Workshop) throws -> String {
    try shop.folder.names().first { $0.hasPrefix("in.") && $0 != "in.mov" } ?? "none"
  }

  /// The commands of a way to mend, one after the other, without what is said beside.
  private static func commands(_ way: String, _ fillings: [String: String]) -> [[String]] {
    way.components(separatedBy: ", then ").compactMap { part in
      guard let start = part.range(of: "movtool ") else { return nil }
      let words = part[start.upperBound...].components(separatedBy: " (")[0].components(separatedBy: ", ")[0]
      return words.split(separator: " ").map { word in
        word.matches(of: /[A-Z]+|[^A-Z]+/).map {
          fillings[String($0.output)] ?? ["FILE": "@in.mov", "SELECTOR": "id:4"][$0.output] ?? String($0.output)
        }.joined()
      }
    }
  }
}
