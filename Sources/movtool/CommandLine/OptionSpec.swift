import Subtitles

/// One option of a command: the line from which parsing, help and suggestions come.
struct OptionSpec: Equatable, Sendable {
  /// What an option may be said of.
  enum Scope: Sendable {
    /// The whole command, wherever the option stands.
    case command
    /// One of several operands: all of them before the first, one of them after it.
    case operand
  }

  /// The name without dashes. One letter takes one dash, more take two.
  let name: String
  /// The value; `nil` for a flag.
  let value: OptionValue?
  /// What the option does, for help.
  let help: String
  /// What the option is said of.
  let scope: Scope
  /// A name that it had in earlier versions, which help leaves out.
  let oldName: String?
  /// Values that may be written as flags: `--sdh` for `--role sdh`.
  let flags: [String]
  /// Whether it may be given several times in the same place.
  let isRepeatable: Bool
  /// What to do to turn a flag off that may hold already; `nil` for one that holds only where it is given.
  var opposite: String?
  /// Whether the value is a file of the command, which the options after it are about.
  var isInput = false
  /// What the value may begin with, which people write as options of their own: `--title Home` for `--set title=Home`.
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

  /// The name with its dashes and its value, as help shows it.
  var usage: String { value.map { spelling + " " + $0.name } ?? spelling }

  static func spelling(of name: String) -> String {
    (name.count == 1 ? "-" : "--") + name
  }
}

extension OptionSpec {
  /// The option as one of a file that an option names (``isInput``).
  var ofInput: OptionSpec {
    OptionSpec(
      name, oldName: oldName, value: value, flags: flags, scope: .operand, isRepeatable: isRepeatable, help,
      opposite: opposite, subjects: subjects)
  }

  /// An option whose value is a file of the command, which the options after it are about.
  static func input(_ name: String, _ value: String, _ help: String) -> OptionSpec {
    var spec = OptionSpec(name, value: OptionValue(value, .file), isRepeatable: true, help)
    spec.isInput = true
    return spec
  }

  static let json = OptionSpec("json", "answer and errors as one JSON value on standard output")

  /// Those that no command lists.
  static let ofEveryCommand = [limits, OptionSpec("help", "show this, also -h")]
}

/// The value of an option: what help calls it, and what a shell can offer for it.
struct OptionValue: Equatable, Sendable, ExpressibleByStringLiteral {
  /// What a shell can offer.
  enum Kind: Equatable, Sendable {
    /// Nothing.
    case text
    /// The names of files.
    case file
    /// One of these words.
    case words([String])
    /// A tag of a language.
    case language
    /// A track of the movie, or one of these words.
    case selector(or: [String])
    /// Two tracks, with `=` between them.
    case selectorPair
    /// A rule of `validate`.
    case rule
  }

  /// What help calls it.
  let name: String
  /// What a shell can offer for it.
  let kind: Kind

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// A text that only the person knows.
  init(stringLiteral name: String) {
    self.init(name, .text)
  }

  static let selector = OptionValue("SELECTOR", .selector(or: []))
  static let language = OptionValue("TAG", .language)
  static let onOrOff = words("on", "off")

  /// One of some words, which help lists.
  static func words(_ words: String...) -> OptionValue {
    OptionValue(words.joined(separator: "|"), .words(words))
  }
}

/// A number of bytes as people type it: `65536`, `64K`, `1M`, `2G`.
enum ByteQuantity {
  /// The number of bytes; `nil` for anything else. K, M and G stand for 1024, its square and its cube.
  static func bytes(_ text: some StringProtocol) -> UInt64? {
    let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = UInt64(digits: digits) else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    return overflow ? nil : product
  }
}
