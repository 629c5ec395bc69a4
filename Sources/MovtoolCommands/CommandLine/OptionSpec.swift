import Subtitles

/// The description of a command's option, for parsing, help, completion and suggestions.
struct OptionSpec: Equatable, Sendable {
  /// The inputs to which an option applies.
  enum Scope: Sendable {
    /// The whole command. The position of the option does not matter.
    case command
    /// The input before the option, or all inputs if the option precedes the first input.
    case operand
  }

  /// The name without dashes. A name of one letter has one dash, and longer names have two dashes.
  let name: String
  /// The name of the value in help, or `nil` if the option is a flag.
  let value: OptionValue?
  /// The effect of the option, for help.
  let help: String
  /// The inputs to which the option applies.
  let scope: Scope
  /// The name in earlier versions. It is accepted, but help does not show it.
  let oldName: String?
  /// Values that users may also write as flags, such as `--sdh` for `--role sdh`.
  let flags: [String]
  /// Whether the option may be repeated for the same input.
  let isRepeatable: Bool
  /// Advice on how to turn off the flag, or `nil` if the flag is always off by default.
  var opposite: String?
  /// Whether the value is an input file. Options with scope `.operand` can follow it and apply to it.
  var isInput = false
  /// Words that begin a value but that users tend to write as options, such as `--title Home` for `--set title=Home`.
  var subjects: Set<String> = []

  init(
    _ name: String, oldName: String? = nil, value: OptionValue? = nil, flags: [String] = [], scope: Scope = .command,
    isRepeatable: Bool = false, _ help: String, opposite: String? = nil, subjects: Set<String> = []
  ) {
    self.opposite = opposite
    self.subjects = subjects
    self.name = name
    self.oldName = oldName
    self.value = value
    self.flags = flags
    self.help = help
    self.scope = scope
    self.isRepeatable = isRepeatable
  }

  /// The name with its dashes.
  var spelling: String { Self.spelling(of: name) }

  /// Whether a word of the command line is this option.
  func isSpelled(_ word: String) -> Bool {
    word == spelling || word == oldName.map(Self.spelling(of:))
  }

  /// The name with its dashes and its value, for help.
  var usage: String {
    guard let value else { return spelling }
    return value.isOptional ? "\(spelling) [\(value.name)]" : "\(spelling) \(value.name)"
  }

  static func spelling(of name: String) -> String {
    (name.count == 1 ? "-" : "--") + name
  }
}

extension OptionSpec {
  /// A copy of the option for use after an input option (``isInput``). It applies to the value of the input option.
  var asInputOption: OptionSpec {
    OptionSpec(
      name, oldName: oldName, value: value, flags: flags, scope: .operand, isRepeatable: isRepeatable, help,
      opposite: opposite, subjects: subjects)
  }

  /// Returns an option whose value is an input file. Options with scope `.operand` can follow it and apply to it.
  static func input(_ name: String, _ value: String, _ help: String) -> OptionSpec {
    var spec = OptionSpec(name, value: OptionValue(value, .file), isRepeatable: true, help)
    spec.isInput = true
    return spec
  }

  static let json = OptionSpec("json", "print the result and errors as JSON")

  /// Options that every command accepts. The commands' own tables do not contain them.
  static let commonOptions = [limits, OptionSpec("help", "show this help; also -h")]
}

/// The value of an option: its name in help, and its completions.
struct OptionValue: Equatable, Sendable, ExpressibleByStringLiteral {
  /// The completions that a shell can offer.
  enum Kind: Equatable, Sendable {
    /// No completions.
    case text
    /// The names of files.
    case file
    /// One of these words.
    case words([String])
    /// A language tag.
    case language
    /// A track of the movie, or one of these words.
    case selector(or: [String])
    /// Two track selectors, separated by `=`.
    case selectorPair
    /// A rule of `validate`.
    case rule
  }

  /// The name of the value in help.
  let name: String
  /// The completions that a shell can offer.
  let kind: Kind
  /// Whether the value can be omitted. The next word is then the value only if it is a comma-separated list of the
  /// permitted words.
  private(set) var isOptional = false

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Creates a value without completions.
  init(stringLiteral name: String) {
    self.init(name, .text)
  }

  /// Returns an optional value. If it is specified, it must be a comma-separated list of these words.
  static func optionalList(_ name: String, of words: [String]) -> OptionValue {
    var value = OptionValue(name, .words(words))
    value.isOptional = true
    return value
  }

  /// Whether a word of the command line is a comma-separated list of the permitted words.
  func isList(_ word: String) -> Bool {
    guard case .words(let words) = kind else { return false }
    return word.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { part in
      words.contains(part.lowercased())
    }
  }

  static let selector = OptionValue("SELECTOR", .selector(or: []))
  static let language = OptionValue("TAG", .language)
  static let onOrOff = words("on", "off")

  /// Returns a value that must be one of these words. Help lists the words.
  static func words(_ words: String...) -> OptionValue {
    OptionValue(words.joined(separator: "|"), .words(words))
  }
}

/// A number of bytes as users type it: `65536`, `64K`, `1M`, `2G`.
enum ByteQuantity {
  /// Returns the number of bytes, or `nil` if the text is invalid. K, M and G are powers of 1024.
  static func bytes(_ text: some StringProtocol) -> UInt64? {
    let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = UInt64(digits: digits) else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    return overflow ? nil : product
  }
}
