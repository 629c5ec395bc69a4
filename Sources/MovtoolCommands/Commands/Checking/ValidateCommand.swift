import MovieBox
import MovieWriter

/// `movtool validate FILE…`.
struct ValidateCommand: Command {
  static let name = "validate"

  static let manual = CommandManual(
    operands: "FILE…",
    summary: "list the rules that a movie violates, and fix errors",
    examples: [
      .init(line: "movtool validate film.mov", effect: "check the rules of Apple's players"),
      .init(
        line: "movtool validate film.mp4 --target iso --fix",
        effect: "apply safe fixes for the ISO rules, and list other findings"),
      .init(
        line: "movtool validate --explain group.two-enabled", effect: "explain a rule; --explain all lists the rules"),
    ],
    options: [
      OptionSpec("target", value: .words("apple", "iso"), "check the rules of Apple's players (default) or of ISO"),
      OptionSpec(
        "explain", value: OptionValue("RULE", .rule), isRepeatable: true, "explain a rule, or all rules"),
      OptionSpec("fix", "fix the findings that can be fixed safely, in FILE itself"),
      OptionSpec("verbose", oldName: "v", "show all notes; also -v"),
      quiet,
    ] + EditOptions.output("with --fix: write a new file and keep FILE") + [.append]
      + EditOptions.commonOptions,
    notes: [
      "The exit code is 1 if there are errors or warnings; notes do not count.",
      "--fix lists the findings that remain in one FILE, or counts them for several. It exits with 0.",
      "--explain RULE describes the automatic fix of the rule.",
    ])

  /// The option of commands that check several movies.
  static let quiet = OptionSpec("quiet", "omit movies that have no errors or warnings")

  /// The options that require `--fix`.
  private static let editingOptions = (EditOptions.output("") + [.append] + EditOptions.commonOptions).filter {
    $0 != .json
  }

  /// The task that the options request.
  enum Action: Equatable, Sendable {
    /// Check these files against the rules of the target.
    case files([String], Rule.Target)
    /// Fix the file for the target.
    case fix(String, Rule.Target, EditOptions)
    /// Explain these rules.
    case rules([Rule])
  }

  let action: Action
  let isJSON: Bool
  /// Whether each note is shown in detail, as errors and warnings are. Otherwise, each note is shown in one line.
  let isVerbose: Bool
  /// Whether movies without errors and warnings are omitted.
  let isQuiet: Bool

  /// With `--fix`, each movie is edited separately. A check is a single run for all movies.
  static func runsForEachMovie(_ arguments: Arguments) -> Bool { arguments.contains("fix") }

  var isReadOnly: Bool { if case .fix = action { false } else { true } }

  init(_ arguments: Arguments) throws(UsageError) {
    isJSON = arguments.contains("json")
    isVerbose = arguments.contains("verbose")
    isQuiet = arguments.contains("quiet")
    let target = try Self.target(arguments)
    let explained = arguments.values("explain")
    guard explained.isEmpty else {
      guard arguments.operands.isEmpty, !arguments.contains("fix") else {
        throw UsageError(.unexpectedOperand, "--explain describes rules, so it cannot be combined with FILE or --fix")
      }
      action = .rules(try Self.rules(explained, arguments.value("target") == nil ? nil : target))
      return
    }
    if arguments.contains("fix") {
      try arguments.refuse(["quiet"], "applies to a check without --fix")
      let options = try EditOptions(arguments)
      action = .fix(try EditOptions.movie(arguments), target, options)
      return
    }
    try arguments.refuse(Self.editingOptions.map(\.name), "requires --fix")
    guard !arguments.operands.isEmpty else { throw UsageError(.missingOperand, "which FILE?") }
    guard !arguments.operands.contains("-") else {
      throw UsageError(.notSupported, "standard input cannot be validated; specify a file")
    }
    action = .files(arguments.operands, target)
  }

  private static func target(_ arguments: Arguments) throws(UsageError) -> Rule.Target {
    guard let text = arguments.value("target") else { return .apple }
    guard let target = Rule.Target(rawValue: text) else {
      throw UsageError(.invalidValue, "--target \(text): write apple or iso")
    }
    return target
  }

  private static func rules(_ names: [String], _ target: Rule.Target?) throws(UsageError) -> [Rule] {
    var rules: [Rule] = []
    for name in names {
      if name == "all" {
        rules += Rule.all.filter { rule in target.map(rule.targets.contains) ?? true }
      } else if let rule = Rule.named(name) {
        rules.append(rule)
      } else {
        let nearest = Suggestion.clause(
          for: name, among: Rule.all.map(\.id), otherwise: "; --explain all lists the rules")
        throw UsageError(.invalidValue, "--explain \(name): there is no such rule\(nearest)")
      }
    }
    return rules
  }

  /// Runs the task. If a file is unreadable, continues with the next file. The exit code is the code of the first
  /// unreadable file, or else 1 if a rule is violated.
  func run(in context: Context) throws -> ExitCode {
    switch action {
    case .rules(let rules):
      guard isJSON else {
        try context.print(rules.count > 1 ? Self.table(rules) : rules.flatMap(\.lines))
        return .done
      }
      try context.printJSON { json in
        json.memberNull("target")
        json.array("files") { _ in }
        Self.write(rules, to: &json)
      }
      return .done
    case .files(let files, let target): return try run(files, target, in: context)
    case .fix(let movie, let target, let options):
      let run = EditExecution(
        command: Self.name, movie: movie, options: options,
        skipsIfUnchanged: true, ruleTarget: target, isVerbose: isVerbose)
      return try run.carryOut(in: context) { source in
        var builder = try EditBuilder(movie, source, options, in: context)
        do {
          builder.appliedFixes = try builder.edit.fix(for: target)
        } catch {
          throw ToolError(error, about: movie)
        }
        return builder
      }
    }
  }

  private func run(_ files: [String], _ target: Rule.Target, in context: Context) throws -> ExitCode {
    var failure: ExitCode?
    var hasErrorsOrWarnings = false
    var summary = FindingSummary()
    let movies = try ManyMovies(files, in: context).entries
    func validation(of place: ManyMovies.Entry) throws -> Validation {
      try context.checkStop()
      let validation = Validation(of: place, for: target, isVerbose: isVerbose, in: context)
      summary.add(validation.findings, isUnreadable: validation.error != nil)
      failure = failure ?? validation.error?.exitCode
      hasErrorsOrWarnings = hasErrorsOrWarnings || validation.hasErrorsOrWarnings
      return validation
    }
    if isJSON {
      try context.printJSON { json in
        json.member("target", target.rawValue)
        var broken: Set<Rule> = []
        try json.array("files") { json in
          for movie in movies {
            let validation = try validation(of: movie)
            guard !isQuiet || validation.hasErrorsOrWarnings || validation.error != nil else { continue }
            broken.formUnion(validation.findings.map(\.rule))
            json.object { validation.write(to: &$0) }
          }
        }
        Self.write(Rule.all.filter(broken.contains), to: &json)
      }
    } else {
      var isFirst = true
      for movie in movies {
        let validation = try validation(of: movie)
        guard !isQuiet || validation.hasErrorsOrWarnings || validation.error != nil else { continue }
        try context.print((isFirst ? [] : [""]) + validation.lines)
        if let error = validation.error { try context.report(error, asJSON: false) }
        isFirst = false
      }
      if movies.count > 1 || isQuiet { try context.print((isFirst ? [] : [""]) + [summary.line]) }
    }
    return failure ?? (hasErrorsOrWarnings ? .no : .done)
  }

  private static func table(_ rules: [Rule]) -> [String] {
    var table = TextTable([.init("Rule"), .init("Severity"), .init("For"), .init("What a viewer notices")])
    for rule in rules {
      table.add([rule.id, rule.severity.rawValue, rule.targets.map(\.rawValue).joined(separator: ", "), rule.effect])
    }
    return table.lines
  }

  private static func write(_ rules: [Rule], to json: inout JSONWriter) {
    json.objects("rules", of: rules) { rule, json in
      json.member("id", rule.id)
      json.member("severity", rule.severity.rawValue)
      json.member("targets", rule.targets.map(\.rawValue))
      json.member("clause", rule.clause)
      json.member("effect", rule.effect)
      json.member("howToFix", rule.fixSummary)
      json.member("fix", rule.automaticFix?.description)
    }
  }
}

extension Rule {
  /// The full description of the rule in text output.
  fileprivate var lines: [String] {
    var table = TextTable([.init(""), .init("")])
    table.add(["Rule", id])
    table.add(["Severity", severity.rawValue])
    table.add(["For", targets.map(\.rawValue).joined(separator: ", ")])
    table.add(["From", clause])
    table.add(["Effect", effect])
    table.add(["Fix", fixSummary])
    table.add(["--fix", automaticFix?.description ?? "not fixed automatically"])
    return Array(table.lines.dropFirst())
  }
}
