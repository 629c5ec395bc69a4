/// Something odd about a movie that is worth knowing: a rule that it breaks, and where.
public struct Finding: Hashable, Sendable {
  /// How much it matters.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Worth knowing, harmless.
    case note
    /// A player may do something else than the author meant.
    case warning
    /// Something in the movie cannot be played or edited.
    case error
  }

  /// One step of fixing.
  public struct FixStep: Hashable, Sendable {
    /// A command line; `nil` where movtool cannot do it.
    public let command: String?
    /// What a person should know or do, in words.
    public let remark: String?
  }

  /// The rule that is broken: what comes of it, and how to fix it.
  public let rule: Rule
  /// What, and where.
  public let error: MovieError
  /// What helps here, where that is not all that the rule names; as ``Rule/fixLines``.
  private let ownFix: String?
  /// What words in capitals stand for in the fix, as far as the movie says.
  private let words: [String: String]

  /// How much it matters.
  public var severity: Severity { rule.severity }

  init(_ rule: Rule, _ error: MovieError, fix: String? = nil, words: [String: String] = [:]) {
    self.rule = rule
    self.error = error
    ownFix = fix
    self.words = words
  }

  /// The ways to fix it, each with its steps in order: what ``Rule/fix`` says, as far as it helps here.
  ///
  /// What is known stands in the place of words in capitals, such as `id:5` for `SELECTOR`; a word that stays, such as
  /// `TEXT`, is for a person to choose.
  ///
  /// - Parameters:
  ///   - file: the movie's name, for `FILE`; `nil` leaves that word.
  ///   - quoted: how text is written in a command. The text may come from the movie, and hold anything.
  public func fixes(ofFile file: String?, quoted: (String) -> String) -> [[FixStep]] {
    var words = words
    words["FILE"] = file
    var ways: [[FixStep]] = []
    for line in (ownFix ?? rule.fixLines).split(separator: "\n") {
      let isAnotherWay = line.hasPrefix("or ")
      let isStep = isAnotherWay || line.hasPrefix("then ")
      let (command, remark) = Rule.split(isStep ? line.drop { $0 != " " }.dropFirst() : line)
      let step = FixStep(command: command.map { Self.filled($0, words, quoted) }, remark: remark.map(String.init))
      if isAnotherWay || ways.isEmpty { ways.append([step]) } else { ways[ways.count - 1].append(step) }
    }
    return ways
  }

  private static func filled(_ command: Substring, _ words: [String: String], _ quoted: (String) -> String) -> String {
    var filled = ""
    var rest = command
    while let first = rest.first {
      let word = rest.prefix(while: \.isLetter)
      filled += word.isEmpty ? String(first) : words[String(word)].map(quoted) ?? String(word)
      rest = rest.dropFirst(max(word.count, 1))
    }
    return filled
  }
}

extension Finding: CustomStringConvertible {
  /// The line that a person reads: `warning: moov/trak[2] at byte 812: …`.
  public var description: String { "\(severity.rawValue): \(error)" }
}
