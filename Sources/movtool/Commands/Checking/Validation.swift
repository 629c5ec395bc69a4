import MovieBox
import MovieWriter
import Subtitles

/// The findings of `validate` in one file.
struct Validation {
  /// The file as it was named.
  let file: String
  /// The rules that it breaks, most severe first.
  private(set) var findings: [Finding] = []
  /// Why the file could not be looked at.
  private(set) var error: ToolError?
  /// Those that `--fix` fixes; none where it was carried out.
  private var fixable: Set<Finding> = []
  /// Whether notes are shown as all findings are, not in a line each.
  private let isVerbose: Bool

  /// Looks at the file; never throws, so that other files are looked at too.
  init(of file: String, for target: Rule.Target, canFix: Bool = true, isVerbose: Bool, in context: Context) {
    do {
      let source = try context.open(file)
      let movie = try Movie(of: source, limits: context.limits.movie)
      let fragments = movie.layout.first("moof") == nil ? nil : try movie.readFragments(of: source)
      let found = try movie.findings(for: target, fragments: fragments, fileName: file, readingTextOf: source)
      let fixable = canFix ? try Self.fixable(found, of: movie, for: target, from: source) : []
      self.init(of: file, found, isVerbose: isVerbose)
      self.fixable = fixable
    } catch {
      self.init(of: file, [], isVerbose: isVerbose)
      self.error = ToolError(error, about: file)
    }
  }

  /// What was found in a file.
  init(of file: String, _ found: [Finding], isVerbose: Bool) {
    self.file = file
    self.isVerbose = isVerbose
    findings = Self.severities.flatMap { severity in found.filter { $0.severity == severity } }
  }

  private static let severities: [Finding.Severity] = [.error, .warning, .note]

  /// Whether the answer is "no": there are errors or warnings.
  var isBroken: Bool { findings.contains { $0.severity != .note } }

  private func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }

  /// Those of the findings that an edit fixes by itself.
  private static func fixable(
    _ found: [Finding], of movie: Movie, for target: Rule.Target, from source: any RandomAccessSource
  ) throws -> Set<Finding> {
    guard found.contains(where: { $0.rule.automaticFix != nil }) else { return [] }
    do {
      var edit = try MovieEdit(of: movie, from: source)
      let fixed = try edit.fix(for: target, readingTextOf: source)
      return Set(
        found.filter { finding in fixed.contains { $0.rule == finding.rule && $0.foundIn == finding.trackID } })
    } catch is MovieError {
      return []  // No edit of the movie is possible.
    }
  }

  /// The answer for a person: each rule once, with its places, the effect and the way to fix it.
  var lines: [String] {
    guard error == nil else { return [] }
    var lines = ["\(file): \(summary)"]
    var fixes: [[[Remedy.ShownStep]]: Rule] = [:]
    var rules: [Rule] = []
    for rule in findings.map(\.rule) where !rules.contains(rule) { rules.append(rule) }
    for rule in rules {
      let places = findings.filter { $0.rule == rule }
      guard rule.severity != .note || isVerbose else {
        lines += places.prefix(1).map { "  note \(rule.id): \($0.sentence)" + Self.others(places.count - 1) }
        continue
      }
      lines.append("  \(rule.severity.rawValue) \(rule.id)")
      lines += places.prefix(Self.placeLimit).map { "    \($0.error)" }
      if places.count > Self.placeLimit {
        lines.append("    … and \(places.count - Self.placeLimit) more; --json has them")
      }
      lines.append("      effect: " + rule.effect)
      lines += Self.lines(ofFixesOf: places, inFile: file, known: &fixes)
      if let fix = rule.automaticFix, places.contains(where: fixable.contains) {
        lines.append("      --fix:  " + fix.description)
      }
    }
    if !isVerbose, count(.note) > 0 { lines.append("  -v shows of notes too where, what they do, and what helps") }
    return lines
  }

  /// How many there are, and how many of them `--fix` fixes.
  private var summary: String {
    let counts = Self.severities.filter { count($0) > 0 }.map { counted(count($0), $0.rawValue) }
    guard !counts.isEmpty else { return "no findings" }
    guard !fixable.isEmpty else { return counts.joined(separator: ", ") }
    let (all, some) = (findings.count, findings.count(where: fixable.contains))
    return counts.joined(separator: ", ") + "; --fix fixes "
      + (some < all ? "\(some) of them" : all == 1 ? "it" : "all of them")
  }

  private static func others(_ count: Int) -> String { count > 0 ? ", and \(count) more" : "" }

  /// The ways to fix what was found in some places; each that a rule before has, by the name of that rule.
  private static func lines(
    ofFixesOf places: [Finding], inFile file: String, known: inout [[[Remedy.ShownStep]]: Rule]
  ) -> [String] {
    var (lines, shown): ([String], Set<[[Remedy.ShownStep]]>) = ([], [])
    for place in places where shown.count < placeLimit {
      let fix = place.fixes(ofFile: file)
      guard shown.insert(fix).inserted else { continue }
      if let rule = known[fix] {
        lines.append("      fix:    as for \(rule.id)")
      } else {
        known[fix] = place.rule
        lines += self.lines(of: fix)
      }
    }
    return lines
  }

  /// A line for each command, so that it can be pasted, and for what is to be known of it.
  private static func lines(of fixes: [[Remedy.ShownStep]]) -> [String] {
    fixes.enumerated().flatMap { place, way in
      way.enumerated().flatMap { number, step in
        let labels = ["      " + (number > 0 ? "then:   " : place > 0 ? "or:     " : "fix:    "), "              "]
        return zip(labels, [step.command, step.remark].compactMap { $0 }).map { $0 + $1 }
      }
    }
  }

  /// How many places of a rule are shown to a person.
  private static let placeLimit = 8

  /// Writes the members of the file's object.
  func write(to json: inout JSONWriter) {
    json.member("file", file)
    json.member("isRight", error == nil ? !isBroken : nil)
    json.member("errorCount", count(.error))
    json.member("warningCount", count(.warning))
    json.member("noteCount", count(.note))
    json.member("fixableCount", findings.count(where: fixable.contains))
    json.objects("findings", of: findings) { $0.write(ofFile: file, to: &$1) }
    json.object("error", of: error) { $0.write(to: &$1) }
  }
}

extension Finding {
  /// What was found, in which track.
  fileprivate var sentence: String { (trackID.map { "track \($0): " } ?? "") + error.reason }
}

extension Finding {
  /// The ways to fix it in the file of this name, with commands that can be pasted into a shell.
  func fixes(ofFile file: String) -> [[Remedy.ShownStep]] {
    remedies.map { $0.shownSteps(ofFile: file, tracks: tracks) }
  }

  /// Writes the members of the finding's object.
  func write(ofFile file: String, to json: inout JSONWriter) {
    writeMembers(to: &json)
    let fixes = fixes(ofFile: file)
    json.array("fixes") { json in
      for way in fixes {
        json.array { json in
          for step in way {
            json.object { json in
              json.member("command", step.command)
              json.member("remark", step.remark)
            }
          }
        }
      }
    }
  }
}

extension Remedy {
  /// A step as a person takes it.
  struct ShownStep: Hashable {
    /// A command that can be pasted into a shell; `nil` where movtool cannot do it.
    let command: String?
    let remark: String?
  }

  /// The steps with their commands, for a file of this name; words in capitals stand for what is not known.
  func shownSteps(ofFile file: String?, tracks: [Subject: UInt32]) -> [ShownStep] {
    // A name that looks like an option is none after a folder; standard output has no name.
    let name = file == "-" ? nil : file.map { $0.hasPrefix("-") ? "./" + $0 : $0 }
    return steps.map { step in
      ShownStep(
        command: step.action.map { $0.command(file: name.map(ShellWord.quoted) ?? "FILE", tracks) },
        remark: step.remark)
    }
  }
}

extension Remedy.Action {
  /// The command line that does it.
  fileprivate func command(file: String, _ tracks: [Remedy.Subject: UInt32]) -> String {
    func selector(_ subject: Remedy.Subject) -> String { tracks[subject].map { "id:\($0)" } ?? subject.placeholder }
    func pair(_ from: Remedy.Subject, _ to: Remedy.Subject) -> String { "\(selector(from))=\(selector(to))" }
    let words: [String] =
      switch self {
      case .fixAutomatically(let target):
        ["validate", file, "--fix"] + (target.map { ["--target", $0.rawValue] } ?? [])
      case .change(let track, let changes):
        ["set", file, "--track", selector(track)] + changes.flatMap(\.options)
      case .associateForced(let from, let to): ["link", file, "--forced", pair(from, to)]
      case .associateForcedByLanguage: ["link", file, "--auto"]
      case .associateChapters(let from, let to): ["link", file, "--chapters", pair(from, to)]
      case .setChaptersAgain: ["chapters", file, "--set", file]
      case .associateFollower(let from, let to): ["link", file, "--follow", pair(from, to)]
      case .removeReferences(let from, let to): ["link", file, "--clear", pair(from, to)]
      case .extractSubtitles(let track): ["extract", file, "--track", selector(track)]
      case .addSubtitles(let isReplacing): ["add-subtitle", file, "SUB"] + (isReplacing ? ["--replace"] : [])
      case .removeTrack(let track): ["remove", file, "--track", selector(track)]
      case .setMetadata(let fact, let language):
        ["metadata", file, "--set", (fact ?? "FACT") + "=TEXT"] + (language.map { ["--language", "\($0)"] } ?? [])
      case .removeMetadata(let items): ["metadata", file, "--remove", items.map(ShellWord.quoted) ?? "PATTERN"]
      case .rewriteCompact: ["remux", file, "-o", "OUT", "--compact"]
      case .rewriteSelfContained: ["remux", file, "-o", "OUT", "--self-contained"]
      case .flatten: ["remux", file, "-o", "OUT", "--flatten"]
      case .salvage: ["remux", file, "-o", "OUT", "--salvage"]
      case .convert(let type): ["remux", file, "-o", "OUT", "--type", type.rawValue]
      }
    return (["movtool"] + words).joined(separator: " ")
  }
}

extension Remedy.Change {
  fileprivate var options: [String] {
    switch self {
    case .role(let role): ["--role", role.rawValue]
    case .group: ["--group", "NUMBER"]
    case .noGroup: ["--group", "none"]
    case .language(let tag): ["--language", tag?.description ?? "TAG"]
    case .title: ["--title", "TEXT"]
    case .enabledInGroup: ["--default"]
    case .disabled: ["--enabled", "off"]
    case .noCharacteristic(let tag): ["--characteristic", tag.map { "-" + ShellWord.quoted($0) } ?? "-TAG"]
    }
  }
}

extension Remedy.Subject {
  /// What stands in a command for a track that a person chooses.
  fileprivate var placeholder: String {
    switch self {
    case .track: "SELECTOR"
    case .fullSubtitles: "FULL"
    case .forcedSubtitles: "FORCED"
    case .audio: "AUDIO"
    case .subtitles: "SUBTITLE"
    case .source: "A"
    case .target: "B"
    }
  }
}

extension Rule {
  /// How to fix it, in one line; what is no part of a command stands in parentheses.
  var howToFix: String {
    remedies.enumerated().map { number, remedy in
      (number > 0 ? "or " : "")
        + remedy.shownSteps(ofFile: nil, tracks: [:]).map { step in
          let remark = step.remark.map { step.command == nil ? $0 : "(\($0))" }
          return [step.command, remark].compactMap { $0 }.joined(separator: " ")
        }.joined(separator: ", then ")
    }.joined(separator: ", ")
  }
}
