import Subtitles

extension [MetadataItem] {
  /// The items of the movie that say something else than the first item of another vocabulary that states the same fact
  /// in the same language.
  ///
  /// Lists agree that have a value in common, keywords however they are set apart, a year with a date in it, and places
  /// with others a hundred metres away.
  public var disagreeing: Set<MetadataItem> { Set(contradictions.map(\.item)) }

  /// No more items of a fact are compared: each is held against all.
  private static var comparedCount: Int { 500 }

  /// The facts of the movie of which two vocabularies say different things in one language, and what they say; English
  /// is none.
  var contradictions: [(fact: String, language: LanguageTag?, item: MetadataItem, reason: String)] {
    let stated = filter { $0.trackID == nil && $0.stringValue != nil }
    var found: [(fact: String, language: LanguageTag?, item: MetadataItem, reason: String)] = []
    for name in MetadataIdentifier.commonNames {
      let fact = stated.filter { $0.identifier.common?.key == name }.prefix(Self.comparedCount)
      // Of a language alone: user data holds no country, which QuickTime metadata does.
      for language in Set(fact.map(\.language?.language)).sorted(by: { $0 ?? "" < $1 ?? "" }) {
        // English is what many writers say who do not know the language.
        let items = fact.filter { $0.language?.language == language || language == "en" && $0.language == nil }
        guard let first = items.first, let other = items.first(where: { !$0.agrees(with: first, among: items) }) else {
          continue
        }
        // What holds in all languages is held against English once.
        guard !found.contains(where: { $0.item == other }) else { continue }
        found.append(
          (
            name, language == "en" ? nil : other.language?.region == nil ? first.language : other.language, other,
            "\(other.identifier) says \(excerpt((other.stringValue ?? "").utf8)), \(first.identifier) "
              + excerpt((first.stringValue ?? "").utf8)
          ))
      }
    }
    return found
  }
}

extension MetadataValue {
  /// The words of a list of keywords, as people write them: with commas or semicolons between them.
  package static func keywords(in text: String) -> [String] {
    text.split { $0 == "," || $0 == ";" }.map(\.trimmed).filter { !$0.isEmpty }
  }
}

extension MetadataItem {
  /// The words of a list of keywords, which some forms have one by one, and others as one text; `nil` for other facts.
  package var keywords: [String]? {
    identifier.common?.key == "keywords" ? stringValue.map { MetadataValue.keywords(in: $0) } : nil
  }

  /// Whether an item says what the values of another's identifier say: of lists one will do, a year is that of a date,
  /// times agree in any zone, and places a hundred metres apart are one.
  fileprivate func agrees(with other: MetadataItem, among items: [MetadataItem]) -> Bool {
    guard identifier.space != other.identifier.space, let text = stringValue else { return true }
    let (mine, others) = (
      items.filter { $0.identifier == identifier }, items.filter { $0.identifier == other.identifier }
    )
    if keywords != nil { return Set(mine.flatMap { $0.keywords ?? [] }) == Set(others.flatMap { $0.keywords ?? [] }) }
    let agrees = others.contains { item in
      guard let known = item.stringValue else { return false }
      if text == known { return true }
      if identifier.common?.key == "creationDate", let date = dateValue, let other = item.dateValue {
        return date.agrees(with: other)
      }
      guard let here = locationValue, let there = item.locationValue else { return false }
      return abs(here.latitude - there.latitude) < 0.001 && abs(here.longitude - there.longitude) < 0.001
    }
    // Where one has several values, the other may have them as one text.
    func joined(_ items: [MetadataItem]) -> String {
      items.compactMap(\.stringValue).joined(separator: MetadataValue.listSeparator)
    }
    return agrees || joined(mine) == joined(others)
  }
}
