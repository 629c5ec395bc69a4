/// The options and operands of a command line, parsed by a command's table of options.
///
/// Options and operands may be mixed. `--` ends the options. The inputs are operands and the values of input options.
/// An option whose scope is `.operand` applies to the input before it, or to all inputs if it precedes the first input.
struct Arguments: Equatable, Sendable {
  /// The inputs to which an option applies.
  enum Scope: Hashable, Sendable {
    /// All inputs, or the command.
    case all
    /// The input with this index.
    case input(Int)
  }

  /// An option as it appears on the command line.
  struct Occurrence: Equatable, Sendable {
    let name: String
    /// The value, or `nil` for a flag.
    let value: String?
    let scope: Scope
  }

  /// An input that is the value of an option: `--audio dub.m4a`.
  struct NamedInput: Equatable, Sendable {
    /// The name of the option.
    let option: String
    let file: String
  }

  /// The inputs that are values of options, in order.
  private(set) var namedInputs: [NamedInput] = []
  /// The options, in order.
  private(set) var occurrences: [Occurrence] = []
  /// The words that are neither options nor values, in order.
  private(set) var operands: [String] = []
  /// The options of the command.
  private(set) var table: [OptionSpec]

  /// Parses `words`, which do not include the command's name.
  ///
  /// - Parameters:
  ///   - table: the options of the command.
  ///   - firstInput: the index of the first operand that counts as an input.
  ///   - refused: the options that the command does not accept, each with the reason.
  init(
    _ words: [String], table: [OptionSpec], firstInput: Int, refusing refused: [String: String] = [:]
  ) throws(UsageError) {
    self.table = table
    var rest = words[...]
    var scope = Scope.all
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        if operands.count > firstInput { scope = .input(operands.count - firstInput - 1) }
        continue
      }
      let spelling = word.prefix { $0 != "=" }
      if let reason = refused[String(spelling.drop { $0 == "-" })] {
        throw UsageError(.unknownOption, "\(spelling) does not apply to captions: \(reason)")
      }
      try readOption(word, &rest, scope)
      if !namedInputs.isEmpty { scope = .input(namedInputs.count - 1) }
    }
  }

  /// Whether the command line contains the flag or option.
  func contains(_ name: String) -> Bool {
    requireKnown(name)
    return occurrences.contains { $0.name == name }
  }

  /// Whether the flag applies to the input with this index.
  func contains(_ name: String, forInput index: Int) -> Bool {
    requireKnown(name)
    return occurrences.contains { $0.name == name && ($0.scope == .all || $0.scope == .input(index)) }
  }

  /// Returns the last value of an option, or `nil` if the command line does not contain the option.
  func value(_ name: String) -> String? {
    requireKnown(name)
    return occurrences.last { $0.name == name }?.value
  }

  /// Returns the value for the input with this index, or else the value for all inputs.
  func value(_ name: String, forInput index: Int) -> String? {
    requireKnown(name)
    let inputOccurrence = occurrences.last { $0.name == name && $0.scope == .input(index) }
    return (inputOccurrence ?? occurrences.last { $0.name == name && $0.scope == .all })?.value
  }

  /// Returns the values of a repeatable option for this input: first the values for all inputs, then the input's own
  /// values.
  func values(_ name: String, forInput index: Int = 0) -> [String] {
    requireKnown(name)
    let matchingOccurrences = occurrences.filter { $0.name == name }
    return (matchingOccurrences.filter { $0.scope == .all } + matchingOccurrences.filter { $0.scope == .input(index) })
      .compactMap(\.value)
  }

  /// Returns the arguments with another command's table of options. The other table must contain every option of
  /// ``table``.
  func interpreted(by other: [OptionSpec]) -> Arguments {
    var copy = self
    copy.table = other
    return copy
  }

  /// Returns a copy with these operands. All options apply to each of them.
  func applyingAllOptions(to operands: [String]) throws(UsageError) -> Arguments {
    var copy = self
    copy.operands = operands
    copy.occurrences = occurrences.map { Occurrence(name: $0.name, value: $0.value, scope: .all) }
    for spec in table where !spec.isRepeatable && copy.occurrences.count(where: { $0.name == spec.name }) > 1 {
      throw UsageError(
        .repeatedOption, "\(spec.spelling) is specified twice, but can have only one value, which applies to all movies"
      )
    }
    return copy
  }

  /// Returns a copy with these operands. If `output` is not `nil`, it replaces the value of `-o`.
  func replacing(operands: [String], output: String?) -> Arguments {
    var copy = self
    copy.operands = operands
    guard let output else { return copy }
    copy.occurrences = occurrences.map { option in
      option.name == "o" ? Occurrence(name: option.name, value: output, scope: option.scope) : option
    }
    return copy
  }
  /// The first option of scope `.operand` that precedes all inputs, or `nil` if there is none.
  var optionBeforeInputs: OptionSpec? {
    table.first { spec in
      spec.scope == .operand && occurrences.contains { $0.name == spec.name && $0.scope == .all }
    }
  }

  /// Returns the options that follow a named input, as arguments for another command's table of options.
  func argumentsForNamedInput(_ index: Int, operands: [String], table other: [OptionSpec]) throws(UsageError)
    -> Arguments
  {
    var arguments = try Arguments([], table: other, firstInput: 0)
    arguments.operands = operands
    for occurrence in occurrences where occurrence.scope == .input(index) {
      guard other.contains(where: { $0.name == occurrence.name }) else {
        let input = namedInputs[index]
        throw UsageError(
          .conflict,
          "\(OptionSpec.spelling(of: occurrence.name)) cannot be combined with "
            + "\(OptionSpec.spelling(of: input.option)) "
            + input.file)
      }
      arguments.occurrences.append(Occurrence(name: occurrence.name, value: occurrence.value, scope: .all))
    }
    return arguments
  }

  /// Throws if the command line contains one of the options. The message is the option followed by `reason`.
  func refuse(_ names: [String], _ reason: String) throws(UsageError) {
    for name in names where contains(name) {
      throw UsageError(.conflict, "\(OptionSpec.spelling(of: name)) \(reason)")
    }
  }

  private func requireKnown(_ name: String) {
    precondition(table.contains { $0.name == name }, "\(name) is not in the command's table of options")
  }
}

// MARK: - Parsing

extension Arguments {
  private mutating func readOption(
    _ word: String, _ rest: inout ArraySlice<String>, _ scope: Scope
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let spelling = parts[0]
    guard let spec = table.first(where: { $0.isSpelled(spelling) }) else {
      let flag = String(spelling.dropFirst(2))
      guard spelling.hasPrefix("--"), let spec = table.first(where: { $0.flags.contains(flag) }) else {
        throw unknownOption(spelling)
      }
      guard parts.count == 1 else {
        throw UsageError(.unexpectedValue, "\(spelling) does not accept a value: \"\(parts[1])\"")
      }
      if let word = rest.first, Self.switchWords.contains(word) {
        throw Self.unexpectedValueError(word, for: spec, spelling)
      }
      occurrences.append(Occurrence(name: spec.name, value: flag, scope: spec.scope == .operand ? scope : .all))
      return
    }
    var value = parts.count == 2 ? parts[1] : nil
    if let optional = spec.value, optional.isOptional {
      if value == nil, let word = rest.first, optional.isList(word) { value = rest.removeFirst() }
    } else if let name = spec.value?.name {
      if value == nil { value = try nextWord(for: spec, named: name, &rest) }
    } else if let value {
      throw Self.unexpectedValueError(value, for: spec, spelling)
    } else if let word = rest.first, Self.switchWords.contains(word), spec.value == nil, spec.name != "help" {
      throw Self.unexpectedValueError(word, for: spec, spelling)
    }
    let occurrence = Occurrence(name: spec.name, value: value, scope: spec.scope == .operand ? scope : .all)
    guard spec.isRepeatable || !occurrences.contains(where: { $0.name == spec.name && $0.scope == occurrence.scope })
    else {
      let scope = spec.scope == .operand ? " for the same file" : ""
      throw UsageError(.repeatedOption, "\(spelling) is specified twice\(scope)")
    }
    occurrences.append(occurrence)
    if spec.isInput, let value { namedInputs.append(NamedInput(option: spec.name, file: value)) }
  }

  /// Removes and returns the word after an option as its value. Throws if the word looks like another option, because
  /// the user has probably forgotten the value. `-1.5` and `-` are valid values.
  private func nextWord(
    for spec: OptionSpec, named name: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let next = rest.first else { throw UsageError(.missingValue, "\(spec.spelling) requires a value: \(name)") }
    let beforeEquals = String(next.prefix { $0 != "=" })
    if next.hasPrefix("--") || table.contains(where: { $0.isSpelled(beforeEquals) }) {
      let repair = spec.name.count == 1 ? "" : "; if \(next) is the value, write \(spec.spelling)=\(next)"
      throw UsageError(.missingValue, "\(spec.spelling) requires a value: \(name)\(repair)")
    }
    rest.removeFirst()
    return next
  }

  /// Words that turn flags on and off in other programs. Directly after a flag, these words are errors. A user can
  /// write the name of a file `off` as `./off`.
  private static let switchWords: Set<String> = ["on", "off", "yes", "no", "true", "false"]

  private static func unexpectedValueError(_ value: String, for spec: OptionSpec, _ spelling: String) -> UsageError {
    let isOff = ["off", "no", "false", "0"].contains(value)
    let advice =
      isOff ? "; \(spec.opposite ?? "omit the option")" : switchWords.contains(value) ? "; write only \(spelling)" : ""
    return UsageError(.unexpectedValue, "\(spelling) does not accept a value: \"\(value)\"\(advice)")
  }

  private func unknownOption(_ spelling: String) -> UsageError {
    let bare = String(spelling.drop { $0 == "-" })
    if let spec = table.first(where: { $0.subjects.contains(bare) }) {
      return UsageError(.unknownOption, "unknown option \(spelling); did you mean \(spec.spelling) \(bare)=TEXT?")
    }
    let knownNames = table.flatMap { [$0.name] + $0.flags }
    if Suggestion.synonym(of: bare, among: knownNames) == nil, let guidance = Guidance.guidance(for: bare) {
      return UsageError(.unknownOption, "unknown option \(spelling)\(guidance.clause)", guidance: guidance.hint)
    }
    let question = Suggestion.clause(for: bare, among: knownNames, spelling: OptionSpec.spelling)
    return UsageError(.unknownOption, "unknown option \(spelling)\(question)")
  }
}
