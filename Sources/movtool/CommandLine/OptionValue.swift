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
