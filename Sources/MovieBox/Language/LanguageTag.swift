import Subtitles

/// A BCP 47 language tag, such as `en`, `pt-BR`, `zh-Hant` or `es-419`.
///
/// Any well-formed tag (RFC 5646, 2.2.9) with a language of two or three letters is accepted. Languages with more
/// letters are reserved, and none is registered. Case is normalized (2.1.1). A code is replaced by a shorter or newer
/// code of the language: `eng` becomes `en`, `ger` and `deu` become `de`, and `iw` becomes `he`. Subtags need not be
/// registered. ``unregisteredSubtags`` lists the unregistered subtags.
///
///     if let tag = LanguageTag("por-br") {
///       print(tag)  // pt-BR
///       print(tag.englishName)  // Portuguese (Brazil)
///     }
public struct LanguageTag: Hashable, Sendable, LosslessStringConvertible {
  /// The complete tag.
  public let description: String
  /// The language. It has two letters if ISO 639-1 contains the language, or three letters otherwise. For a tag that is
  /// entirely private (`x-…`), it is `und`.
  public let language: String
  /// The script, as four letters of ISO 15924 such as `Hant`, or `nil` if the tag contains no script.
  public let script: String?
  /// The region, as two letters of ISO 3166-1 such as `BR` or three digits of UN M.49 such as `419`, or `nil` if the
  /// tag contains no region.
  public let region: String?
  /// The variants, such as `valencia`.
  public let variants: [String]

  /// Parses a tag in any case, or returns `nil` if the tag is not well-formed.
  public init?(_ text: some StringProtocol) {
    // Excludes the Kelvin sign, whose lowercase form is an ASCII "k".
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let lowercase = text.lowercased()
    var subtags = SubtagReader(LanguageAliases.preferredTag(forGrandfathered: lowercase) ?? lowercase)
    guard subtags.areWellFormed else { return nil }

    var parts: [String] = []
    if let code = subtags.next(where: { $0.isLetters(count: 2...3) }) {
      let renamed = LanguageAliases.currentCode(code) ?? code
      language = TwoLetterLanguage(threeLetters: renamed)?.code ?? renamed
      parts.append(language)
      for _ in 0..<3 {  // Up to three extended language subtags may follow.
        guard let subtag = subtags.next(where: { $0.isLetters(count: 3...3) }) else { break }
        parts.append(subtag)
      }
      script = subtags.next { $0.isLetters(count: 4...4) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
      region = subtags.next { $0.isLetters(count: 2...2) || $0.isThreeDigits }?.uppercased()
      var variants: [String] = []
      while let variant = subtags.next(where: \.isVariant) { variants.append(variant) }
      self.variants = variants
      parts += [script, region].compactMap { $0 } + variants
      while let singleton = subtags.next(where: { $0.count == 1 && $0 != "x" }) {
        let extensions = subtags.all { $0.count > 1 }
        guard !extensions.isEmpty else { return nil }
        parts += [singleton] + extensions
      }
    } else {
      language = "und"
      script = nil
      region = nil
      variants = []
    }
    if let mark = subtags.next(where: { $0 == "x" }) {
      let privateUse = subtags.all { _ in true }
      guard !privateUse.isEmpty else { return nil }
      parts += [mark] + privateUse
    }
    guard subtags.isAtEnd, !parts.isEmpty else { return nil }
    description = parts.joined(separator: "-")
  }

  /// Whether `mdhd` cannot express the tag completely with an ISO 639-2 code. In this case, the media needs an extended
  /// language tag (`elng`).
  public var needsExtendedTag: Bool { LanguageTag(LanguageCode.iso639_2T(for: self)) != self }

  /// Whether ISO 639-2 contains the language or its macrolanguage.
  ///
  /// Words such as `the` are well-formed tags too, but are unlikely to be languages.
  public var hasKnownLanguage: Bool {
    TwoLetterLanguage(code: language) != nil || ThreeLetterLanguage.isISO639_2(language)
      || ThreeLetterLanguage.macrolanguage(of: language) != nil
  }
}

/// A reader of the subtags of a lower-case tag.
private struct SubtagReader {
  private var subtags: ArraySlice<Substring>

  init(_ text: String) {
    subtags = text.split(separator: "-", omittingEmptySubsequences: false)[...]
  }

  var isAtEnd: Bool { subtags.isEmpty }

  /// Whether each subtag has 1 to 8 ASCII letters or digits.
  var areWellFormed: Bool {
    subtags.allSatisfy { subtag in
      (1...8).contains(subtag.utf8.count) && subtag.utf8.allSatisfy { $0.isLetter || $0.isDigit }
    }
  }

  /// Returns the next subtag if it satisfies `condition`, or `nil` otherwise.
  mutating func next(where condition: (Substring) -> Bool) -> String? {
    guard let subtag = subtags.first, condition(subtag) else { return nil }
    return String(subtags.removeFirst())
  }

  /// Returns the next subtags while they satisfy `condition`.
  mutating func all(while condition: (Substring) -> Bool) -> [String] {
    let takenSubtags = subtags.prefix(while: condition)
    subtags = subtags.dropFirst(takenSubtags.count)
    return takenSubtags.map(String.init)
  }
}

extension Substring {
  fileprivate func isLetters(count counts: ClosedRange<Int>) -> Bool {
    counts.contains(utf8.count) && utf8.allSatisfy(\.isLetter)
  }

  fileprivate var isThreeDigits: Bool { utf8.count == 3 && utf8.allSatisfy(\.isDigit) }

  /// Whether the subtag has five to eight characters, or four characters of which the first is a digit.
  fileprivate var isVariant: Bool {
    (5...8).contains(utf8.count) || utf8.count == 4 && utf8.first?.isDigit == true
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII lower-case letter.
  fileprivate var isLetter: Bool { (0x61...0x7A).contains(self) }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}

extension LanguageTag {
  /// The tag, or `nil` if it is `und` (undetermined).
  package var ifDetermined: LanguageTag? { description == "und" ? nil : self }

  /// The subtags that IANA's Language Subtag Registry does not contain, as written in the tag (RFC 5646, 2.2.9,
  /// "valid"). A subtag that is registered only for another position is included.
  ///
  /// Extensions and private use (`x-…`) have no registered subtags and are not checked. ``registryDate`` is the date of
  /// the registry.
  ///
  ///     LanguageTag("en-long")?.unregisteredSubtags  // ["Long"]: not a script
  public var unregisteredSubtags: [String] {
    // The grandfathered tags `cel-gaulish` and `zh-min` are registered as a whole and have no replacement.
    if ["cel-gaulish", "zh-min"].contains(description) { return [] }
    var unknownSubtags: [String] = []
    var subtags = description.split(separator: "-").prefix { $0.utf8.count > 1 }
    guard let first = subtags.popFirst() else { return [] }
    if !RegisteredSubtags.hasLanguage(first) { unknownSubtags.append(String(first)) }
    for subtag in subtags {
      let kind: Set<String>
      switch (subtag.utf8.count, subtag.utf8.first.map { Ascii.isDigit($0) }) {
      case (3, false): kind = RegisteredSubtags.extendedLanguages
      case (4, false): kind = RegisteredSubtags.scripts
      case (2, _), (3, true): kind = RegisteredSubtags.regions
      default: kind = RegisteredSubtags.variants
      }
      let code = subtag.lowercased()
      if !kind.contains(code) { unknownSubtags.append(String(subtag)) }
    }
    return unknownSubtags
  }

  /// The date of the registry for ``unregisteredSubtags``.
  public static var registryDate: String { RegisteredSubtags.date }
}

extension RegisteredSubtags {
  /// Whether a lower-case code is a registered language.
  fileprivate static func hasLanguage(_ code: Substring) -> Bool {
    let letters = code.utf8.map { Int($0) - 0x61 }
    guard letters.allSatisfy((0..<26).contains), let last = letters.last else { return false }
    let table = letters.count == 2 ? twoLetterLanguages : threeLetterLanguages
    let row = letters.dropLast().reduce(0) { $0 * 26 + $1 }
    return [2, 3].contains(letters.count) && table[row] >> last & 1 == 1
  }
}

/// Language lookup (RFC 4647, 3.4). It searches for a tag and then for each shorter prefix of the tag.
extension LanguageTag {
  /// The tag and its shorter prefixes in lower case, such as `zh-hant-tw`, `zh-hant` and `zh`.
  var lookupRanges: [String] {
    let parts = description.lowercased().split(separator: "-")
    return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
  }

  /// Whether the tag equals `range` or begins with the subtags of `range`.
  func matches(range: String) -> Bool {
    let tag = description.lowercased()
    return tag == range || tag.hasPrefix(range + "-")
  }

  /// Creates the tag for an English language name of ISO 639-1. Case is ignored. Returns `nil` if the name is unknown.
  public init?(englishName name: some StringProtocol) {
    guard let code = Self.codes[name.lowercased()] else { return nil }
    self.init(code)
  }

  /// The language codes by their English names in lower case.
  private static let codes = Dictionary(TwoLetterLanguage.all.map { ($0.englishName.lowercased(), $0.code) }) { $1 }

  /// The English name, such as `English`, `Portuguese (Brazil)` or `Chinese (Traditional)`.
  ///
  /// Subtags without a known name are left unchanged.
  public var englishName: String {
    guard !description.hasPrefix("x-") else { return description }
    let name =
      TwoLetterLanguage(code: language)?.englishName ?? ThreeLetterLanguage.englishName(language) ?? language
    return qualified(name) { _ in nil }
  }

  /// Returns `name`, followed by the names of the script, region and variants in parentheses. `names` returns the name
  /// of a script or region, or `nil` for the English name.
  package func qualified(_ name: String, by names: (String) -> String?) -> String {
    let qualifiers =
      [
        script.map { names($0) ?? LanguageSubtagNames.scripts[$0] ?? $0 },
        region.map { names($0) ?? LanguageSubtagNames.regions[$0] ?? $0 },
      ].compactMap { $0 } + variants
    return qualifiers.isEmpty ? name : name + " (" + qualifiers.joined(separator: ", ") + ")"
  }

  /// Whether the language's code is common in file names. This applies to the languages of ISO 639-1, to `fil`, `mul`,
  /// `und`, `yue` and `zxx`, and to private-use languages.
  ///
  /// Other three-letter codes of ISO 639, such as `day` and `web`, are more likely words of a title.
  var isCommon: Bool {
    if ThreeLetterLanguage.isForPrivateUse(language) { return true }
    return language.utf8.count == 2 ? hasKnownLanguage : ["fil", "mul", "und", "yue", "zxx"].contains(language)
  }
}

/// English names of the scripts and regions in the language tags of films.
enum LanguageSubtagNames {
  /// The names by ISO 15924 code. The names of `Hans` and `Hant` omit the word "Chinese", because they follow the name
  /// of a language.
  static let scripts: [String: String] = [
    "Adlm": "Adlam", "Arab": "Arabic", "Armn": "Armenian", "Beng": "Bengali", "Cher": "Cherokee",
    "Cyrl": "Cyrillic", "Deva": "Devanagari", "Ethi": "Ethiopic", "Geor": "Georgian", "Grek": "Greek",
    "Gujr": "Gujarati", "Guru": "Gurmukhi", "Hang": "Hangul", "Hans": "Simplified", "Hant": "Traditional",
    "Hebr": "Hebrew", "Jpan": "Japanese", "Khmr": "Khmer", "Knda": "Kannada", "Kore": "Korean", "Laoo": "Lao",
    "Latn": "Latin", "Mlym": "Malayalam", "Mong": "Mongolian", "Mymr": "Myanmar", "Orya": "Odia",
    "Sinh": "Sinhala", "Syrc": "Syriac", "Taml": "Tamil", "Telu": "Telugu", "Tfng": "Tifinagh",
    "Thaa": "Thaana", "Thai": "Thai", "Tibt": "Tibetan", "Zxxx": "Unwritten",
  ]

  /// The names by ISO 3166-1 code or UN M.49 number.
  static let regions: [String: String] = [
    "AD": "Andorra", "AE": "United Arab Emirates", "AF": "Afghanistan", "AL": "Albania", "AM": "Armenia",
    "AO": "Angola", "AR": "Argentina", "AT": "Austria", "AU": "Australia", "AZ": "Azerbaijan",
    "BA": "Bosnia and Herzegovina", "BD": "Bangladesh", "BE": "Belgium", "BG": "Bulgaria", "BH": "Bahrain",
    "BO": "Bolivia", "BR": "Brazil", "BY": "Belarus", "CA": "Canada", "CD": "Congo (Kinshasa)",
    "CH": "Switzerland", "CI": "Côte d’Ivoire", "CL": "Chile", "CM": "Cameroon", "CN": "China",
    "CO": "Colombia", "CR": "Costa Rica", "CU": "Cuba", "CV": "Cape Verde", "CY": "Cyprus", "CZ": "Czechia",
    "DE": "Germany", "DK": "Denmark", "DO": "Dominican Republic", "DZ": "Algeria", "EC": "Ecuador",
    "EE": "Estonia", "EG": "Egypt", "ES": "Spain", "ET": "Ethiopia", "FI": "Finland", "FO": "Faroe Islands",
    "FR": "France", "GB": "United Kingdom", "GE": "Georgia", "GH": "Ghana", "GL": "Greenland",
    "GQ": "Equatorial Guinea", "GR": "Greece", "GT": "Guatemala", "HK": "Hong Kong", "HN": "Honduras",
    "HR": "Croatia", "HT": "Haiti", "HU": "Hungary", "ID": "Indonesia", "IE": "Ireland", "IL": "Israel",
    "IN": "India", "IQ": "Iraq", "IR": "Iran", "IS": "Iceland", "IT": "Italy", "JM": "Jamaica", "JO": "Jordan",
    "JP": "Japan", "KE": "Kenya", "KG": "Kyrgyzstan", "KH": "Cambodia", "KP": "North Korea",
    "KR": "South Korea", "KW": "Kuwait", "KZ": "Kazakhstan", "LA": "Laos", "LB": "Lebanon",
    "LI": "Liechtenstein", "LK": "Sri Lanka", "LT": "Lithuania", "LU": "Luxembourg", "LV": "Latvia",
    "LY": "Libya", "MA": "Morocco", "MC": "Monaco", "MD": "Moldova", "ME": "Montenegro", "MG": "Madagascar",
    "MK": "North Macedonia", "MM": "Myanmar", "MN": "Mongolia", "MO": "Macao", "MT": "Malta", "MX": "Mexico",
    "MY": "Malaysia", "MZ": "Mozambique", "NG": "Nigeria", "NI": "Nicaragua", "NL": "Netherlands",
    "NO": "Norway", "NP": "Nepal", "NZ": "New Zealand", "OM": "Oman", "PA": "Panama", "PE": "Peru",
    "PH": "Philippines", "PK": "Pakistan", "PL": "Poland", "PR": "Puerto Rico", "PS": "Palestine",
    "PT": "Portugal", "PY": "Paraguay", "QA": "Qatar", "RO": "Romania", "RS": "Serbia", "RU": "Russia",
    "RW": "Rwanda", "SA": "Saudi Arabia", "SD": "Sudan", "SE": "Sweden", "SG": "Singapore", "SI": "Slovenia",
    "SK": "Slovakia", "SN": "Senegal", "SO": "Somalia", "SV": "El Salvador", "SY": "Syria", "TH": "Thailand",
    "TJ": "Tajikistan", "TM": "Turkmenistan", "TN": "Tunisia", "TR": "Türkiye", "TW": "Taiwan",
    "TZ": "Tanzania", "UA": "Ukraine", "UG": "Uganda", "US": "United States", "UY": "Uruguay",
    "UZ": "Uzbekistan", "VA": "Vatican City", "VE": "Venezuela", "VN": "Vietnam", "YE": "Yemen",
    "ZA": "South Africa", "ZW": "Zimbabwe", "001": "World", "002": "Africa", "003": "North America",
    "005": "South America", "013": "Central America", "015": "Northern Africa", "019": "Americas",
    "029": "Caribbean", "030": "Eastern Asia", "145": "Western Asia", "150": "Europe", "419": "Latin America",
  ]
}
