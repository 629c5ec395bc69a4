import MovieBox
import MovieWriter

/// What `validate` finds in one file.
struct Validation {
  /// The file as it was named.
  let file: String
  /// The rules that it breaks, most severe first.
  private(set) var findings: [Finding] = []
  /// Why the file could not be looked at.
  private(set) var error: ToolError?
  /// Whether --fix is still to come.
  private var canFix: Bool

  /// Looks at the file; never throws, so that other files are looked at too.
  init(of file: String, for target: Rule.Target, canFix: Bool = true, in context: Context) {
    do {
      let source = try context.open(file)
      let movie = try Movie(of: source, limits: context.limits.movie)
      let fragments = movie.layout.first("moof") == nil ? nil : try movie.readFragments(of: source)
      let found = try movie.findings(for: target, fragments: fragments, fileName: file, readingTextOf: source)
      self.init(of: file, found, canFix: canFix)
    } catch {
      self.init(of: file, [])
      self.error = ToolError(error, about: file)
    }
  }

  /// What was found in a file.
  init(of file: String, _ found: [Finding], canFix: Bool = false) {
    self.file = file
    self.canFix = canFix
    findings = Self.severities.flatMap { severity in found.filter { $0.severity == severity } }
  }

  private static let severities: [Finding.Severity] = [.error, .warning, .note]

  /// Whether the answer is "no": there are errors or warnings.
  var isBroken: Bool { findings.contains { $0.severity != .note } }

  private func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }

  /// The answer for a person: each rule once, with its places, the effect and the way to fix it.
  var lines: [String] {
    guard error == nil else { return [] }
    let counts = Self.severities.filter { count($0) > 0 }.map { severity in
      let count = count(severity)
      return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    var lines = ["\(file): " + (counts.isEmpty ? "no findings" : counts.joined(separator: ", "))]
    var shown: Set<Rule> = []
    for rule in findings.map(\.rule) where shown.insert(rule).inserted {
      lines.append("  \(rule.severity.rawValue) \(rule.id)")
      let places = findings.filter { $0.rule == rule }
      lines += places.prefix(Self.placeLimit).map { "    \($0.error)" }
      if places.count > Self.placeLimit {
        lines.append("    … and \(places.count - Self.placeLimit) more; --json has them")
      }
      lines.append("      effect: " + rule.effect)
      var fixes: Set<[[Remedy.ShownStep]]> = []
      for place in places where fixes.count < Self.placeLimit {
        let fix = place.fixes(ofFile: file)
        if fixes.insert(fix).inserted { lines += Self.lines(of: fix) }
      }
      if canFix, let fix = rule.automaticFix { lines.append("      --fix:  " + fix.description) }
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
    json.array("findings") { json in
      for finding in findings { json.object { finding.write(ofFile: file, to: &$0) } }
    }
    if let error {
      json.object("error") { error.write(to: &$0) }
    } else {
      json.memberNull("error")
    }
  }
}
