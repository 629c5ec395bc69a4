import Subtitles

/// An option of a command. Parsing, help, completion and suggestions are based on it.
struct OptionSpec: Equatable, Sendable {
  /// The part of the command line to which an option applies.
  enum Scope: Sendable {
    /// The whole command, independent of the option's position.
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
  /// The part of the command line to which the option applies.
  let scope: Scope
  /// The name in earlier versions, which is accepted but not shown in help.
  let oldName: String?
  /// Values that may be written as flags: `--sdh` for `--role sdh`.
  let flags: [String]
  /// Whether the option may be repeated for the same input.
  let isRepeatable: Bool
  /// Advice about turning off a flag that may be on by default, or `nil` if the flag is off by default.
  var opposite: String?
  /// Whether the value is an input file to which the options after it apply.
  var isInput = false
  /// Prefixes of the value that users tend to write as options: `--title Home` for `--set title=Home`.
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
  /// A copy of the option that applies to the value of another option (``isInput``).
  var asInputOption: OptionSpec {
    OptionSpec(
      name, oldName: oldName, value: value, flags: flags, scope: .operand, isRepeatable: isRepeatable, help,
      opposite: opposite, subjects: subjects)
  }

  /// Returns an option whose value is an input file to which the options after it apply.
  static func input(_ name: String, _ value: String, _ help: String) -> OptionSpec {
    var spec = OptionSpec(name, value: OptionValue(value, .file), isRepeatable: true, help)
    spec.isInput = true
    return spec
  }

  static let json = OptionSpec("json", "print the result and errors as JSON")

  /// Options that every command accepts, but that the tables of commands do not contain.
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
  /// Whether the value can be omitted. The next word is the value only if it is a list of the permitted words, separated by
  /// commas.
  private(set) var isOptional = false

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Creates a value without completions.
  init(stringLiteral name: String) {
    self.init(name, .text)
  }

  /// Returns a value that may be left out, and otherwise is a list of words, separated by commas.
  static func optionalList(_ name: String, of words: [String]) -> OptionValue {
    var value = OptionValue(name, .words(words))
    value.isOptional = true
    return value
  }

  /// Whether a word of the command line is the value of an option whose value may be left out.
  func isList(_ word: String) -> Bool {
    guard case .words(let words) = kind else { return false }
    return word.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { part in
      words.contains(part.lowercased())
    }
  }

  static let selector = OptionValue("SELECTOR", .selector(or: []))
  static let language = OptionValue("TAG", .language)
  static let onOrOff = words("on", "off")

  /// Returns a value that must be one of these words, which help lists.
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
