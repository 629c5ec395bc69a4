package import MovieBox

/// The page's own texts in one language.
package struct PageTexts: Sendable {
  /// The language.
  package let language: LanguageTag
  private let texts: [String: String]

  /// The languages of the texts, English first.
  package static var languages: [LanguageTag] { allLanguages.map(\.language) }

  /// The writing direction of the language.
  var direction: String {
    ["ar", "fa", "he", "ur", "yi"].contains(language.language) ? "rtl" : "ltr"
  }

  /// Creates the texts in a language, or returns `nil` if the language is not supported.
  package init?(_ language: LanguageTag) {
    guard let texts = Self.allLanguages.first(where: { $0.language.language == language.language }) else { return nil }
    self = texts
  }

  /// Creates the texts in a language, or in English if the language is not supported.
  init(preferring language: LanguageTag?) {
    self = language.flatMap(PageTexts.init) ?? Self.allLanguages[0]
  }

  private init(_ language: LanguageTag, _ texts: [String: String]) {
    (self.language, self.texts) = (language, texts)
  }

  /// The text with this name, or empty if the name is unknown.
  subscript(_ name: String) -> String { texts[name] ?? "" }

  /// All texts with their names.
  var namedTexts: [(name: String, text: String)] { texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

  /// Returns the texts that a script refers to as `words.name`.
  func usedTexts(in script: String) -> [(name: String, text: String)] {
    var names: Set<Substring> = []
    var rest = script[...]
    while let start = rest.firstRange(of: "words.") {
      rest = rest[start.upperBound...]
      names.insert(rest.prefix { $0.isLetter })
    }
    return namedTexts.filter { names.contains($0.name[...]) }
  }

  /// The texts of all languages from `Web/texts.txt`, which contains `[language]` followed by lines of `name = text`.
  private static let allLanguages: [PageTexts] = {
    var allTexts: [PageTexts] = []
    var language: LanguageTag?
    var texts: [String: String] = [:]
    func finish() {
      if let language { allTexts.append(PageTexts(language, texts)) }
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
    return allTexts
  }()
}

/// Escaping of text for HTML and URLs.
enum Markup {
  /// Escapes text for an element or an attribute in double quotes. Replaces characters that HTML forbids by U+FFFD.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Encodes bytes in Base64 (RFC 4648).
  static func base64(_ bytes: some Collection<UInt8>) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (word, count): (Int, Int) = (0, 0)
    for byte in bytes {
      word = word << 8 | Int(byte)
      count += 1
      if count == 3 {
        for shift in [18, 12, 6, 0] { text.append(letters[word >> shift & 63]) }
        (word, count) = (0, 0)
      }
    }
    if count > 0 {
      word <<= count == 1 ? 16 : 8
      for shift in [18, 12, 6].prefix(count + 1) { text.append(letters[word >> shift & 63]) }
      text += repeatElement(UInt8(ascii: "="), count: 3 - count)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a data URL that contains the bytes.
  static func dataURL(_ bytes: some Collection<UInt8>, type: String) -> String {
    "data:" + type + ";base64," + base64(bytes)
  }

  /// Replaces each `{{name}}` in a template by the result of `value`, or keeps it if the result is `nil`. Replacements
  /// are not searched again.
  static func filled(_ template: String, _ value: (Substring) -> String?) -> String {
    var result = ""
    var rest = template[...]
    while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
      result += rest[..<start.lowerBound]
      result += value(rest[start.upperBound..<end.lowerBound]) ?? String(rest[start.lowerBound..<end.upperBound])
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}
