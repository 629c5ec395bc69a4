import MovieBox

/// The command line that a user probably meant. The user wrote a value but forgot the option before it.
///
/// `movtool chapters film.mov chapters.txt` names a second movie, but the user means `--set chapters.txt`. The form of
/// the word and the options of the command decide which option is missing. Without a likely option, there is no advice.
struct OperandAdvice {
  private let command: String
  private let options: [OptionSpec]

  /// Returns the line `try: movtool …`, or `nil` if the superfluous operand is unlikely to be the value of an option.
  ///
  /// - Parameter count: the number of operands that the command has.
  static func line(_ command: String, _ arguments: Arguments, after count: Int) -> String? {
    let advice = OperandAdvice(command: command, options: arguments.table)
    guard arguments.operands.count > count else { return nil }
    var words: [String] = []
    for operand in arguments.operands.dropFirst(count) {
      guard let added = advice.words(for: operand, arguments) else { return nil }
      words += added
    }
    let givenValues = arguments.occurrences.flatMap { occurrence in
      [OptionSpec.spelling(of: occurrence.name)] + (occurrence.value.map { [ShellWord.quoted($0)] } ?? [])
    }
    let operands = arguments.operands.prefix(count).map(ShellWord.path)
    return "try: " + (["movtool", command] + operands + words + givenValues).joined(separator: " ")
  }

  /// Returns the words `--option VALUE`, with the likely option and the operand as its value. Returns `nil` if no
  /// option is likely.
  private func words(for operand: String, _ arguments: Arguments) -> [String]? {
    func option(_ name: String, _ value: String? = nil) -> [String]? {
      guard let spec = options.first(where: { $0.name == name }), spec.value != nil,
        spec.isRepeatable || !arguments.contains(name)
      else { return nil }
      return [spec.spelling, operand == "-" ? operand : ShellWord.path(value ?? operand)]
    }
    let isMovie = MovieType.isMovie(fileName: operand)
    if let equals = operand.firstIndex(of: "="), !isMovie {
      let (name, value) = (String(operand[..<equals]), String(operand[operand.index(after: equals)...]))
      switch command {
      case "metadata": return name.isEmpty ? nil : option("set")
      case "link": return option("follow")
      default: return option(name, value)
      }
    }
    // Suggest `-o` for a movie, except with `extract` and `timed`, which write text.
    if operand == "-" || isMovie && !["extract", "timed"].contains(command) { return option("o") }
    switch command {
    case "chapters": return option("set")
    case "extract" where isOutputName(operand): return option("o")
    case "timed" where isNamedAsFlag(operand): return option("o")
    case "retime" where isTime(operand): return option("offset")
    case "html": return operand.hasSuffix(".html") ? option("o") : nil
    case "select": return WrittenValue.language(operand) == nil ? nil : option("language")
    default: return isSelector(operand) ? option("track") : nil
    }
  }

  /// Whether the word is a file name whose extension is a value of the option `--format`.
  private func isOutputName(_ word: String) -> Bool {
    guard case .words(let formats)? = options.first(where: { $0.name == "format" })?.value?.kind else { return false }
    return FilePath(word).fileExtension.map { formats.contains($0.lowercased()) } ?? false
  }

  /// Whether the word is the name of a file in a format for which the command has a flag, such as `--gpx`.
  private func isNamedAsFlag(_ word: String) -> Bool {
    guard let format = FilePath(word).fileExtension?.lowercased() else { return false }
    return options.contains { $0.name == format && $0.value == nil }
  }

  /// Whether the word is a time such as `1.5` or `-00:00:01`.
  private func isTime(_ word: String) -> Bool {
    word.contains(where: \.isNumber) && word.allSatisfy { $0.isNumber || "+-.,:".contains($0) }
  }

  /// Whether the word has the form of a selector, such as `subtitle:es` or `id:3`.
  private func isSelector(_ word: String) -> Bool {
    guard let colon = word.firstIndex(of: ":"), !word.contains("/") else { return false }
    return colon > word.startIndex && word[..<colon].allSatisfy(\.isLetter) && word[colon...].count > 1
  }
}

extension MovieType {
  /// Whether a file name ends in the suffix of this movie type.
  static func isMovie(fileName: String) -> Bool {
    let name = FilePath(fileName).name.lowercased()
    return allCases.contains { name.hasSuffix("." + $0.rawValue) } || name.hasSuffix(".qt")
  }
}
