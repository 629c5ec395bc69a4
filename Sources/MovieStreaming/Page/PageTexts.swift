package import MovieBox

/// The texts of the page itself, in one language.
package struct PageTexts: Sendable {
  /// The language.
  package let language: LanguageTag
  private let texts: [String: String]

  /// The languages that there are texts in, English first.
  package static var languages: [LanguageTag] { all.map(\.language) }

  /// Which way the language is written.
  var direction: String {
    ["ar", "fa", "he", "ur", "yi"].contains(language.language) ? "rtl" : "ltr"
  }

  /// The texts for a reader of a language; `nil` where there are none.
  package init?(_ language: LanguageTag) {
    guard let texts = Self.all.first(where: { $0.language.language == language.language }) else { return nil }
    self = texts
  }

  /// The texts for a reader of a language; English where there are none in it.
  init(preferring language: LanguageTag?) {
    self = language.flatMap(PageTexts.init) ?? Self.all[0]
  }

  private init(_ language: LanguageTag, _ texts: [String: String]) {
    (self.language, self.texts) = (language, texts)
  }

  /// The text of this name; empty for a name that no language has.
  subscript(_ name: String) -> String { texts[name] ?? "" }

  /// All names and their texts.
  var all: [(name: String, text: String)] { texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

  /// The texts that a script names, as `texts.name` or as a word in quotation marks.
  func named(in script: String) -> [(name: String, text: String)] {
    var names: Set<Substring> = []
    var rest = script[...]
    while let start = rest.firstIndex(where: { $0 == "." || $0 == "\"" }) {
      rest = rest[rest.index(after: start)...]
      names.insert(rest.prefix { $0.isLetter })
    }
    return all.filter { names.contains($0.name[...]) }
  }

  /// Those of all languages, from `Web/texts.txt`: `[language]`, then lines of `name = text`.
  private static let all: [PageTexts] = {
    var found: [PageTexts] = []
    var language: LanguageTag?
    var texts: [String: String] = [:]
    func finish() {
      if let language { found.append(PageTexts(language, texts)) }
      texts = [:]
    }
    for line in String(decoding: PackageResources.texts_txt, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("["), line.hasSuffix("]") {
        finish()
        language = LanguageTag(line.dropFirst().dropLast())
      } else if let equals = line.firstRange(of: " = ") {
        texts[String(line[..<equals.lowerBound])] = String(line[equals.upperBound...])
      }
    }
    finish()
    return found
  }()
}
