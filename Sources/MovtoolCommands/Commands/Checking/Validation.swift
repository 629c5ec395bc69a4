import MovieBox
import MovieWriter
import Subtitles

/// The findings of `validate` in one file, and their remedies.
///
/// The library describes remedies without command lines. This file converts them to command lines that the user can
/// paste. They contain the IDs of the tracks concerned, and placeholders for values that only the user knows.
struct Validation {
  /// The path as the user wrote it.
  let file: String
  /// The findings, most severe first.
  private(set) var findings: [Finding] = []
  /// The error, if the file could not be checked.
  private(set) var error: ToolError?
  /// The findings that `--fix` can fix, or empty after a fix.
  private var fixable: Set<Finding> = []
  /// Whether each note is shown in detail, as errors and warnings are. Otherwise, each note is shown in one line.
  private let isVerbose: Bool

  /// Checks the file. Errors are stored in ``error``, so that other files can be checked too.
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

  /// Checks a movie that `ManyMovies` found. If the path is not a movie, stores the reason.
  init(of entry: ManyMovies.Entry, for target: Rule.Target, isVerbose: Bool, in context: Context) {
    if let problem = entry.problem {
      self.init(of: entry.path, [], isVerbose: isVerbose)
      error = problem
    } else {
      self.init(of: entry.path, for: target, isVerbose: isVerbose, in: context)
    }
  }

  /// Creates the validation of a file from its findings.
  init(of file: String, _ found: [Finding], isVerbose: Bool) {
    self.file = file
    self.isVerbose = isVerbose
    findings = Self.severities.flatMap { severity in found.filter { $0.severity == severity } }
  }

  private static let severities: [Finding.Severity] = [.error, .warning, .note]

  /// Whether there are errors or warnings.
  var hasErrorsOrWarnings: Bool { findings.contains { $0.severity != .note } }

  private func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }

  /// Returns the findings that can be fixed automatically.
  private static func fixable(
    _ found: [Finding], of movie: Movie, for target: Rule.Target, from source: any RandomAccessSource
  ) throws -> Set<Finding> {
    guard found.contains(where: { $0.rule.automaticFix != nil }) else { return [] }
    do {
      var edit = try MovieEdit(of: movie, from: source)
      let fixed = try edit.fix(for: target)
      return Set(
        found.filter { finding in fixed.contains { $0.rule == finding.rule && $0.findingTrackID == finding.trackID } })
    } catch is MovieError {
      return []  // No edit of the movie is possible.
    }
  }

  /// The lines of the text output. Each rule is shown once, with the locations of its findings, its effect and its
  /// remedies.
  var lines: [String] {
    guard error == nil else { return [] }
    var lines = ["\(file): \(summary)"]
    var fixes: [[[Remedy.ShownStep]]: Rule] = [:]
    var rules: [Rule] = []
    for rule in findings.map(\.rule) where !rules.contains(rule) { rules.append(rule) }
    for rule in rules {
      let places = findings.filter { $0.rule == rule }
      guard rule.severity != .note || isVerbose else {
        lines += places.prefix(1).map { "  note \(rule.id): \($0.sentence)" + Self.furtherCount(places.count - 1) }
        continue
      }
      lines.append("  \(rule.severity.rawValue) \(rule.id)")
      lines += places.prefix(Self.locationLimit).map { "    \($0.error)" }
      if places.count > Self.locationLimit {
        lines.append("    … and \(places.count - Self.locationLimit) more; --json lists all of them")
      }
      lines.append("      effect: " + rule.effect)
      lines += Self.lines(ofFixesOf: places, inFile: file, known: &fixes)
      if let fix = rule.automaticFix, places.contains(where: fixable.contains) {
        lines.append("      --fix:  " + fix.description)
      }
    }
    if !isVerbose, count(.note) > 0 {
      lines.append("  -v also shows the location, the effect and the fix of each note")
    }
    return lines
  }

  /// The number of findings by severity, and the number of findings that `--fix` fixes.
  private var summary: String {
    let counts = Self.severities.filter { count($0) > 0 }.map { counted(count($0), $0.rawValue) }
    guard !counts.isEmpty else { return "no findings" }
    guard !fixable.isEmpty else { return counts.joined(separator: ", ") }
    let (findingCount, fixableCount) = (findings.count, findings.count(where: fixable.contains))
    return counts.joined(separator: ", ") + "; --fix fixes "
      + (fixableCount < findingCount ? "\(fixableCount) of them" : findingCount == 1 ? "it" : "all of them")
  }

  private static func furtherCount(_ count: Int) -> String { count > 0 ? ", and \(count) more" : "" }

  /// Returns the lines that show the remedies for a rule's findings. If an earlier rule has the same remedies, the line
  /// refers to that rule.
  private static func lines(
    ofFixesOf places: [Finding], inFile file: String, known: inout [[[Remedy.ShownStep]]: Rule]
  ) -> [String] {
    var (lines, shown): ([String], Set<[[Remedy.ShownStep]]>) = ([], [])
    for place in places where shown.count < locationLimit {
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

  /// Returns the lines of remedies, with a separate line for each command and each remark.
  private static func lines(of fixes: [[Remedy.ShownStep]]) -> [String] {
    fixes.enumerated().flatMap { place, way in
      way.enumerated().flatMap { number, step in
        let labels = ["      " + (number > 0 ? "then:   " : place > 0 ? "or:     " : "fix:    "), "              "]
        return zip(labels, [step.command, step.remark].compactMap { $0 }).map { $0 + $1 }
      }
    }
  }

  /// The largest number of findings of a rule that the text output shows.
  private static let locationLimit = 8

  /// Writes the members of the file's object.
  func write(to json: inout JSONWriter) {
    json.member("file", file)
    json.member("isRight", error == nil ? !hasErrorsOrWarnings : nil)
    json.member("errorCount", count(.error))
    json.member("warningCount", count(.warning))
    json.member("noteCount", count(.note))
    json.member("fixableCount", findings.count(where: fixable.contains))
    json.objects("findings", of: findings) { $0.write(ofFile: file, to: &$1) }
    json.object("error", of: error) { $0.write(to: &$1) }
  }
}

extension Finding {
  /// The text of the finding, which begins with its track.
  fileprivate var sentence: String { (trackID.map { "track \($0): " } ?? "") + error.reason }
}

extension Finding {
  /// Returns the remedies for the file, with commands that can be pasted into a shell.
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
  /// A step of a remedy as the output shows it.
  struct ShownStep: Hashable {
    /// A command that can be pasted into a shell, or `nil` if movtool cannot do the step.
    let command: String?
    let remark: String?
  }

  /// Returns the steps with their commands for this file. Words in capitals are placeholders for unknown values.
  func shownSteps(ofFile file: String?, tracks: [Subject: UInt32]) -> [ShownStep] {
    // `./` prevents a name that begins with a hyphen from being read as an option. A movie on standard output has no
    // name.
    let name = file == "-" ? nil : file.map { $0.hasPrefix("-") ? "./" + $0 : $0 }
    return steps.map { step in
      ShownStep(
        command: step.action.map { $0.command(file: name.map(ShellWord.quoted) ?? "FILE", tracks) },
        remark: step.remark)
    }
  }
}

extension Remedy.Action {
  /// Returns the command line for the action.
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
      case .associateReferent(let from, let to): ["link", file, "--describes", pair(from, to)]
      case .setChaptersAgain: ["chapters", file, "--set", file]
      case .associateFollower(let from, let to): ["link", file, "--follow", pair(from, to)]
      case .associateCaptions(let from, let to): ["link", file, "--captions", pair(from, to)]
      case .removeReferences(let from, let to): ["link", file, "--clear", pair(from, to)]
      case .extractSubtitles(let track): ["extract", file, "--track", selector(track)]
      case .extractCaptions(let track): ["extract", file, "--track", selector(track), "--format", "scc"]
      case .addSubtitles(let isReplacing): ["add-subtitle", file, "SUB"] + (isReplacing ? ["--replace"] : [])
      case .addCaptions(let isReplacing): ["add-captions", file, "SUB"] + (isReplacing ? ["--replace"] : [])
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
  /// The placeholder for a track that the user must choose.
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
  /// The remedies in one line, with remarks in parentheses.
  var fixSummary: String {
    remedies.enumerated().map { number, remedy in
      (number > 0 ? "or " : "")
        + remedy.shownSteps(ofFile: nil, tracks: [:]).map { step in
          let remark = step.remark.map { step.command == nil ? $0 : "(\($0))" }
          return [step.command, remark].compactMap { $0 }.joined(separator: " ")
        }.joined(separator: ", then ")
    }.joined(separator: ", ")
  }
}
