/// The search of RFC 4647, clause 3.4 "Lookup": for a tag, then for each shorter one.
extension LanguageTag {
  /// The tag and each shorter one, in small letters: `zh-hant-tw`, `zh-hant`, `zh`.
  var lookupRanges: [String] {
    let parts = description.lowercased().split(separator: "-")
    return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
  }

  /// Whether the tag is a range, or begins with it.
  func isIn(_ range: String) -> Bool {
    let tag = description.lowercased()
    return tag == range || tag.hasPrefix(range + "-")
  }
}
